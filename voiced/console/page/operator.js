// The operator's page: how the server is, which calls there are, who waits for a person. It asks every
// two seconds, and never learns a word of a call.

import { plot } from "./plot.js";
import { languages, say, speak } from "./words.js";

const STATE = "/attend/state";
const EVERY_MS = 2000;
const LEGS = ["voice_to_voice", "network_in", "endpoint_delay", "stt", "llm_first_clause", "tts_ttfb", "playout", "network_out"];

const at = (id) => document.getElementById(id);
let known = null;
let refused = "";
let drawn = {}; // what stands where, so that nothing is read out twice

async function ask(path, method = "GET") {
  const key = sessionStorage.getItem("key");
  const headers = key ? { Authorization: `Bearer ${key}` } : {};
  try {
    const reply = await fetch(path, { method, headers });
    const told = await reply.json();
    refused = reply.ok ? "" : told.detail;
    if (reply.ok) known = told;
    else if ([401, 403].includes(reply.status)) known = null;
  } catch {
    refused = say("unreachable");
  }
  draw();
}

function draw() {
  at("unlock").hidden = known !== null;
  at("drain").disabled = known === null;
  const state = refused ? "lost" : known?.ready ? "connected" : "stalled";
  at("status").dataset.state = state;
  write("status", refused || (known?.ready ? say("ready") : (known?.why_not ?? "")));
  at("drain").textContent = say(known?.why_not === "draining" ? "takeCalls" : "drain");
  if (known === null) for (const id of ["waiting", "calls", "facts", "alarms", "legs"]) fill(id, []);
  else drawKnown();
}

function drawKnown() {
  const { slots, memory, version, uptime_s, alarms, left_out, calls, waiting, legs, budget } = known;
  fill("facts", [
    ["slots", `${slots.taken} / ${slots.most}`],
    ["memory", `${gb(memory.used_mb)} (${say("free")} ${gb(memory.free_mb)})`],
    ["since", length(uptime_s)],
    ["version", version],
  ], (one) => [text("dt", say(one[0])), text("dd", one[1])]);
  fill("alarms", [...alarms, ...left_out], (one) => [text("li", one)]);
  fill("waiting", waiting, waits, "nobodyWaits");
  fill("calls", calls, (one) => [talks(one)], "noCalls");
  fill("legs", LEGS.filter((name) => name in legs), (name) => [plot(name, legs[name], budget[name])], "noTurns");
}

function waits(one) {
  const card = text("article", "");
  const title = text("b", `${one.agent} · ${say(one.reason)}`);
  const call = known.calls.find(({ call }) => call === one.call);
  const since = new Date(one.at).toLocaleTimeString();
  const where = text("p", `${since} · ${call ? call.from : say("hungUp")}`);
  const join = text("button", say("join"));
  join.type = "button";
  join.className = "primary danger";
  join.addEventListener("click", () => ask(`/attend/${one.call}/acknowledge`, "POST"));
  card.append(title, where, join);
  return [card];
}

function talks(one) {
  const line = text("p", "");
  line.append(text("b", one.agent), text("span", one.from), text("span", one.language), text("span", length(one.seconds)));
  return line;
}

/** Shows a list where it has changed, so that a button under a finger stays where it is. */
function fill(id, list, make = () => [], none = "") {
  const now = JSON.stringify([list, document.documentElement.lang, id === "legs" && known?.legs, id === "waiting" && known?.calls.map((one) => one.call)]);
  if (drawn[id] === now) return;
  drawn[id] = now;
  at(id).replaceChildren(...list.flatMap(make));
  if (!list.length && none) at(id).append(text("p", say(none)));
}

function write(id, words) {
  if (at(id).textContent !== words) at(id).textContent = words;
}

function text(name, words) {
  return Object.assign(document.createElement(name), { textContent: words });
}

function gb(mb) {
  return `${(mb / 1000).toFixed(1)} GB`;
}

function length(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (number) => String(number).padStart(2, "0");
  return `${hours ? `${hours}:` : ""}${two(minutes)}:${two(seconds % 60)}`;
}

at("drain").addEventListener("click", () => ask(known.why_not === "draining" ? "/attend/resume" : "/attend/drain", "POST"));
at("unlock").addEventListener("submit", (submitted) => {
  submitted.preventDefault();
  sessionStorage.setItem("key", at("key").value.trim());
  at("key").value = "";
  ask(STATE);
});
at("language").addEventListener("change", () => {
  localStorage.setItem("language", at("language").value);
  speak(at("language").value);
  draw();
});

const preferred = [localStorage.getItem("language"), ...navigator.languages.map((one) => one.slice(0, 2))];
at("language").value = preferred.find((one) => languages.includes(one)) ?? "en";
speak(at("language").value);
at("drain").textContent = say("drain");
ask(STATE);
setInterval(() => (known !== null || refused === say("unreachable")) && ask(STATE), EVERY_MS);

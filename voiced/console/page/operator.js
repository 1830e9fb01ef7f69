// The operator's page: how the server is, which calls there are, who waits for a person. It asks every
// two seconds, and never learns a word of a call; with the right to, whoever is there may join one.

import { Person } from "./person.js";
import { plot } from "./plot.js";
import { languages, say, speak } from "./words.js";

const STATE = "/attend/state";
const EVERY_MS = 2000;
const OVER = ["ended", "lost", "refused", "denied", "insecure"];
const LEGS = ["voice_to_voice", "network_in", "endpoint_delay", "stt", "llm_first_clause", "tts_ttfb", "playout", "network_out"];

const at = (id) => document.getElementById(id);
let known = null;
let refused = "";
let joined = null; // { person, call, title, state, why, muted, unheard }
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
  drawJoined();
}

function drawJoined() {
  at("joining").hidden = joined === null;
  if (joined === null) return;
  const words = { joined: "speaking", ended: "youLeft" }[joined.state] ?? joined.state;
  write("joined", [joined.title, say(words), joined.why].filter(Boolean).join(" · "));
  const over = OVER.includes(joined.state);
  at("mute").hidden = over;
  at("hear").hidden = over || !joined.unheard;
  at("mute").setAttribute("aria-pressed", String(joined.muted));
  at("mute").dataset.words = joined.muted ? "unmute" : "mute";
  at("mute").textContent = say(at("mute").dataset.words);
  at("leave").dataset.words = over ? "close" : "leave";
  at("leave").textContent = say(at("leave").dataset.words);
}

function joinCall({ call, agent }, from) {
  const own = (joined = { person: new Person(), call, title: `${agent} · ${from}`, state: "asking", why: "", muted: false, unheard: false });
  own.person.addEventListener("state", ({ detail }) => {
    Object.assign(own, detail);
    draw();
    if (detail.state === "joined" || OVER.includes(detail.state)) ask(STATE);
  });
  own.person.addEventListener("unheard", () => {
    own.unheard = true;
    draw();
  });
  own.person.join({ call, key: sessionStorage.getItem("key"), sound: at("sound") });
  draw();
  at("leave").focus();
}

/** A button that joins a call, where that may be done. */
function joins(call) {
  const speaks = joined !== null && !OVER.includes(joined.state);
  if (!known.may_join || !call?.handed_off || call.joined || speaks) return [];
  const button = text("button", say("joinCall"));
  button.type = "button";
  button.className = "primary";
  button.addEventListener("click", () => joinCall(call, call.from));
  return [button];
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
  const told = calls.filter((one) => one.handed_off && !waiting.some(({ call }) => call === one.call));
  fill("waiting", [...waiting, ...told.map(({ call, agent }) => ({ call, agent, reason: "told" }))], waits, "nobodyWaits");
  fill("calls", calls, (one) => [talks(one)], "noCalls");
  fill("legs", LEGS.filter((name) => name in legs), (name) => [plot(name, legs[name], budget[name])], "noTurns");
}

function waits(one) {
  const card = text("article", "");
  const title = text("b", `${one.agent} · ${say(one.reason)}`);
  const call = known.calls.find(({ call }) => call === one.call);
  const since = one.at && new Date(one.at).toLocaleTimeString();
  const there = call?.joined && say("personThere");
  const where = text("p", [since, call ? call.from : say("hungUp"), there].filter(Boolean).join(" · "));
  const buttons = text("div", "");
  buttons.className = "buttons";
  buttons.append(...joins(call), ...acknowledges(one));
  card.append(title, where, buttons);
  return [card];
}

/** A button that ends the search for somebody, while there is one. */
function acknowledges(one) {
  if (!one.at) return [];
  const button = text("button", say("join"));
  button.type = "button";
  button.className = "primary danger";
  button.addEventListener("click", () => ask(`/attend/${one.call}/acknowledge`, "POST"));
  return [button];
}

function talks(one) {
  const line = text("p", "");
  line.append(text("b", one.agent), text("span", one.from), text("span", one.language), text("span", length(one.seconds)));
  return line;
}

/** Shows a list where it has changed, so that a button under a finger stays where it is. */
function fill(id, list, make = () => [], none = "") {
  const now = JSON.stringify([list, document.documentElement.lang, id === "legs" && known?.legs, id === "waiting" && known?.calls.map(({ call, joined }) => [call, joined]), joined && !OVER.includes(joined.state)]);
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

at("mute").addEventListener("click", () => {
  joined.muted = !joined.muted;
  joined.person.mute(joined.muted);
  draw();
});
at("hear").addEventListener("click", () => {
  joined.unheard = false;
  joined.person.hear();
  draw();
});
at("leave").addEventListener("click", () => {
  if (!OVER.includes(joined.state)) return joined.person.leave();
  joined = null;
  draw();
});
addEventListener("pagehide", () => joined && !OVER.includes(joined.state) && joined.person.leave());
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

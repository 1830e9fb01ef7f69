// The page: buttons to the call, the call's news to captions, waterfall and status.

import { Call } from "./call.js";
import { Captions } from "./captions.js";
import { choosing, chosen, offer, offerDevices } from "./choices.js";
import { watch } from "./level.js";
import { agents, keep, site } from "./site.js";
import { waterfall } from "./waterfall.js";
import { languages, say, speak } from "./words.js";

const at = (id) => document.getElementById(id);
const captions = new Captions(at("captions"));
const named = new URLSearchParams(location.search).get("agent");
const TALKING = ["connected", "stalled", "slower"];
const LIVE = ["asking", "connecting", "returning", ...TALKING];
const LOST = ["lost", "refused", "unreachable", "denied"];
const ASIDE = ["returning", "lost", "unreachable"]; // when to ring elsewhere
const SIZES = ["normal", "large", "larger", "largest"];
const TURNS_KEPT = 20;

let call = null;
let state = { state: "idle", why: "" };
let floor = "quiet";
let muted = false;
let unheard = false;
let person = false; // in the agent's place
let waiting = false; // what was written is to be answered once somebody has finished
let place = { phone: "", reached: true };

function draw() {
  const live = LIVE.includes(state.state);
  const talking = TALKING.includes(state.state);
  at("status").dataset.state = state.state;
  at("status").textContent = state.why ? `${say(state.state)}: ${state.why}` : say(state.state);
  at("floor").dataset.floor = talking ? floor : "quiet";
  at("floor").textContent = talking ? say(person ? "person" : floor) : "";
  at("dial").textContent = say(live ? "hangUp" : "dial");
  at("dial").classList.toggle("danger", live);
  at("dial").hidden = LOST.includes(state.state);
  at("reconnect").hidden = !LOST.includes(state.state);
  at("mute").disabled = !talking;
  at("mute").setAttribute("aria-pressed", String(muted));
  at("mute").dataset.words = muted ? "unmute" : "mute";
  at("mute").textContent = say(at("mute").dataset.words);
  at("hear").hidden = !(talking && unheard);
  at("note").textContent = talking && waiting ? say("busy") : "";
  at("agent").disabled = live;
  for (const control of at("write").querySelectorAll("input, button")) control.disabled = !talking;
  drawPhone();
}

function drawPhone() {
  const away = ASIDE.includes(state.state) || state.status >= 500 || !place.reached;
  at("elsewhere").hidden = !(away && place.phone);
  at("phone").textContent = place.phone;
  at("phone").href = `tel:${place.phone.replace(/[^+\d]/g, "")}`;
}

function dial() {
  captions.clear();
  at("turns").replaceChildren();
  floor = "quiet";
  muted = unheard = waiting = person = false;
  const own = (call = new Call());
  own.addEventListener("state", ({ detail }) => own === call && changed(detail));
  own.addEventListener("event", ({ detail }) => own === call && take(detail));
  own.addEventListener("unheard", () => own === call && ((unheard = true), draw()));
  own.addEventListener("microphone", ({ detail }) => {
    watch(detail, at("level"));
    offerDevices();
  });
  own.dial({
    token: at("token").value.trim(),
    agent: at("agent").value || named,
    sound: at("sound"),
    microphone: chosen("microphone"),
    speaker: chosen("speaker"),
  });
}

function changed(detail) {
  const focused = document.activeElement === at("dial") || document.activeElement === at("reconnect");
  state = detail;
  if (detail.status === 401) at("choices").open = true;
  if (detail.state === "connected") place.reached = true;
  draw();
  if (focused) (at("dial").hidden ? at("reconnect") : at("dial")).focus();
}

function take(event) {
  captions.take(event);
  switch (event.type) {
    case "session.created":
      at("answering").textContent = event.session.model;
      break;
    case "input_audio_buffer.speech_started":
      floor = "caller";
      break;
    case "output_audio_buffer.started":
      floor = "agent";
      break;
    case "input_audio_buffer.speech_stopped":
    case "output_audio_buffer.cleared":
      floor = "quiet";
      break;
    case "output_audio_buffer.stopped":
      floor = "quiet";
      if (waiting) call.send({ type: "response.create" });
      waiting = false;
      break;
    case "voiced.person":
      person = event.joined;
      break;
    case "error":
      if (event.error.code === "conversation_already_has_active_response") waiting = true;
      break;
    case "voiced.turn":
      at("turns").prepend(waterfall(event));
      while (at("turns").children.length > TURNS_KEPT) at("turns").lastChild.remove();
      break;
  }
  draw();
}

async function offerAgents() {
  const found = await agents(at("token").value.trim());
  offer("agent", found.map((value) => ({ value, text: value })));
  if (found.includes(named)) at("agent").value = named;
  at("agent").closest("label").hidden = found.length < 2 || (named !== null && !found.includes(named));
  if (at("agent").closest("label").hidden) at("agent").replaceChildren();
}

function offerSizes() {
  offer("size", SIZES.map((value) => ({ value, text: say(value) })));
  at("captions").dataset.size = at("size").value;
}

async function reach() {
  place = await site();
  if (!place.reached && state.state === "idle") state = { state: "unreachable", why: "" };
  draw();
}

at("dial").addEventListener("click", () => (LIVE.includes(state.state) ? call.hangUp() : dial()));
at("reconnect").addEventListener("click", dial);
at("hear").addEventListener("click", () => {
  unheard = false;
  call.hear();
  draw();
});
at("mute").addEventListener("click", () => {
  muted = !muted;
  call.mute(muted);
  draw();
});
at("write").addEventListener("submit", (submitted) => {
  submitted.preventDefault();
  const text = at("text").value.trim();
  if (!text) return;
  const content = [{ type: "input_text", text }];
  call.send({ type: "conversation.item.create", item: { type: "message", role: "user", content } });
  call.send({ type: "response.create" });
  at("text").value = "";
});
choosing("language", (language) => {
  speak(language);
  offerSizes();
  offerDevices();
  draw();
});
choosing("agent", () => {});
choosing("microphone", (device) => LIVE.includes(state.state) && call.speak(device).catch(() => {}));
choosing("speaker", (device) => LIVE.includes(state.state) && call.play(device));
choosing("size", (size) => (at("captions").dataset.size = size));
at("token").addEventListener("change", offerAgents);
navigator.mediaDevices?.addEventListener("devicechange", offerDevices);
addEventListener("pagehide", () => LIVE.includes(state.state) && call.hangUp());

const preferred = [localStorage.getItem("language"), ...navigator.languages.map((one) => one.slice(0, 2))];
at("language").value = preferred.find((one) => languages.includes(one)) ?? "en";
speak(at("language").value);
offerSizes();
offerDevices();
offerAgents();
reach();
keep();
draw();

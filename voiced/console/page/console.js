// The page: buttons to the call, the call's news to captions, waterfall and status.

import { Call } from "./call.js";
import { Captions } from "./captions.js";
import { watch } from "./level.js";
import { waterfall } from "./waterfall.js";
import { languages, say, speak } from "./words.js";

const at = (id) => document.getElementById(id);
const captions = new Captions(at("captions"));
const agent = new URLSearchParams(location.search).get("agent");
const TALKING = ["connected", "stalled", "slower"];
const LIVE = ["asking", "connecting", ...TALKING];
const LOST = ["lost", "refused", "unreachable", "denied"];
const TURNS_KEPT = 20;

let call = null;
let state = { state: "idle", why: "" };
let floor = "quiet";
let muted = false;
let waiting = false; // what was written is to be answered once somebody has finished

function draw() {
  const live = LIVE.includes(state.state);
  const talking = TALKING.includes(state.state);
  at("status").dataset.state = state.state;
  at("status").textContent = state.why ? `${say(state.state)}: ${state.why}` : say(state.state);
  at("floor").dataset.floor = talking ? floor : "quiet";
  at("floor").textContent = talking ? say(floor) : "";
  at("dial").textContent = say(live ? "hangUp" : "dial");
  at("dial").classList.toggle("danger", live);
  at("dial").hidden = LOST.includes(state.state);
  at("reconnect").hidden = !LOST.includes(state.state);
  at("mute").disabled = !talking;
  at("mute").setAttribute("aria-pressed", String(muted));
  at("mute").dataset.words = muted ? "unmute" : "mute";
  at("mute").textContent = say(at("mute").dataset.words);
  at("note").textContent = talking && waiting ? say("busy") : "";
  for (const control of at("write").querySelectorAll("input, button")) control.disabled = !talking;
}

function dial() {
  captions.clear();
  at("turns").replaceChildren();
  floor = "quiet";
  muted = waiting = false;
  const own = (call = new Call());
  own.addEventListener("state", ({ detail }) => own === call && changed(detail));
  own.addEventListener("event", ({ detail }) => own === call && take(detail));
  own.addEventListener("microphone", ({ detail }) => watch(detail, at("level")));
  own.dial({ token: at("token").value.trim(), agent, sound: at("sound") });
}

function changed(detail) {
  const focused = document.activeElement === at("dial") || document.activeElement === at("reconnect");
  state = detail;
  if (detail.status === 401) at("access").open = true;
  draw();
  if (focused) (at("dial").hidden ? at("reconnect") : at("dial")).focus();
}

function take(event) {
  captions.take(event);
  switch (event.type) {
    case "session.created":
      at("agent").textContent = event.session.model;
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

at("dial").addEventListener("click", () => (LIVE.includes(state.state) ? call.hangUp() : dial()));
at("reconnect").addEventListener("click", dial);
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
at("language").addEventListener("change", () => {
  localStorage.setItem("language", at("language").value);
  speak(at("language").value);
  draw();
});
addEventListener("pagehide", () => LIVE.includes(state.state) && call.hangUp());

const preferred = [localStorage.getItem("language"), ...navigator.languages.map((one) => one.slice(0, 2))];
at("language").value = preferred.find((one) => languages.includes(one)) ?? "en";
speak(at("language").value);
draw();

// What a person may choose, kept in the browser: devices, agent, size of the captions. It does not
// know what becomes of a choice.

import { say } from "./words.js";

const at = (id) => document.getElementById(id);

/** The value that was chosen, now or on another day. */
export function chosen(name) {
  return at(name).value || (localStorage.getItem(name) ?? "");
}

/** Calls `then` with every choice that is made, and keeps it. */
export function choosing(name, then) {
  at(name).addEventListener("change", () => {
    localStorage.setItem(name, at(name).value);
    then(at(name).value);
  });
}

/** Fills a list; what was chosen before stays chosen where it is still there. */
export function offer(name, options) {
  const list = at(name);
  const before = chosen(name);
  list.replaceChildren(...options.map(({ value, text }) => new Option(text, value)));
  if (options.some(({ value }) => value === before)) list.value = before;
}

/** Lists microphones and loudspeakers; their names are told once a microphone was allowed. */
export async function offerDevices() {
  const found = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
  list("microphone", found, "audioinput");
  list("speaker", found, "audiooutput");
  at("speaker").closest("label").hidden = !("setSinkId" in HTMLMediaElement.prototype);
}

function list(name, found, kind) {
  const usual = { value: "", text: say("usual") };
  const own = found.filter((one) => one.kind === kind && one.deviceId && one.deviceId !== "default");
  offer(name, [usual, ...own.map((one) => ({ value: one.deviceId, text: one.label || say("unnamed") }))]);
}

// What was said: the caller's words once the turn is over, the agent's clauses as they are spoken, and of
// a reply that was cut off the part that nobody heard, struck through.

import { say } from "./words.js";

export class Captions {
  #list;
  #replies = new Map();

  constructor(list) {
    this.#list = list;
  }

  clear() {
    this.#list.replaceChildren();
    this.#replies.clear();
  }

  /** Takes a server event; those that say nothing are passed over. */
  take(event) {
    switch (event.type) {
      case "conversation.item.input_audio_transcription.completed":
        this.#line("caller", event.transcript);
        break;
      case "conversation.item.added":
        for (const part of event.item.content) if (part.type === "input_text") this.#line("caller", part.text);
        break;
      case "response.output_audio_transcript.delta":
        this.#grow(event.response_id, event.delta);
        break;
      case "response.output_audio_transcript.done":
        this.#close(event.response_id, event.transcript);
        break;
    }
  }

  #grow(id, delta) {
    const reply = this.#replies.get(id) ?? { text: this.#line("agent", ""), said: "" };
    this.#replies.set(id, reply);
    reply.said += delta;
    reply.text.textContent = reply.said;
    this.#follow();
  }

  #close(id, heard) {
    const reply = this.#replies.get(id);
    this.#replies.delete(id);
    if (!reply) return;
    const rest = reply.said.startsWith(heard) ? reply.said.slice(heard.length) : "";
    reply.text.textContent = heard;
    if (!rest.trim()) return;
    const cut = document.createElement("s");
    cut.textContent = rest;
    const note = document.createElement("span");
    note.className = "hidden";
    note.textContent = ` (${say("cut")})`;
    reply.text.append(cut, note);
    this.#follow();
  }

  #line(who, text) {
    const line = document.createElement("p");
    line.className = who;
    const name = document.createElement("b");
    name.dataset.words = who === "caller" ? "you" : "them";
    name.textContent = say(name.dataset.words);
    const words = document.createElement("span");
    words.dir = "auto";
    words.textContent = text;
    line.append(name, words);
    this.#list.append(line);
    this.#follow();
    return words;
  }

  #follow() {
    this.#list.scrollTop = this.#list.scrollHeight;
  }
}

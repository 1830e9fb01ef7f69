// The two ends of a call's sound on the browser's audio thread, as PCM16 at the rate of the context.

const PIECE = 960; // 40 ms at 24 kHz

/** Takes the microphone, and posts pieces of it. */
class Recorder extends AudioWorkletProcessor {
  #piece = new Int16Array(PIECE);
  #filled = 0;

  process([[samples]]) {
    for (const sample of samples ?? []) {
      this.#piece[this.#filled++] = Math.max(-1, Math.min(1, sample)) * 32767;
      if (this.#filled === PIECE) {
        this.port.postMessage(this.#piece);
        this.#filled = 0;
      }
    }
    return true;
  }
}

/** Plays what it is posted, in order; null throws away what has not been played. */
class Player extends AudioWorkletProcessor {
  #waiting = [];
  #at = 0;

  constructor() {
    super();
    this.port.onmessage = ({ data }) => {
      if (data) this.#waiting.push(data);
      else this.#waiting = [];
      if (!data) this.#at = 0;
    };
  }

  process(_inputs, [[out]]) {
    for (let i = 0; i < out.length && this.#waiting.length; i++) {
      out[i] = this.#waiting[0][this.#at++] / 32768;
      if (this.#at === this.#waiting[0].length) {
        this.#waiting.shift();
        this.#at = 0;
      }
    }
    return true;
  }
}

registerProcessor("recorder", Recorder);
registerProcessor("player", Player);

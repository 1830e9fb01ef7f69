// A call over a WebSocket, where UDP does not come through: sound goes both ways in the events. It is
// slower where packets are lost. It tells events and its end; it draws nothing.

const HZ = 24000;
const PATH = "/v1/realtime";
const RESUMED_MS = 1000;

export class Wire {
  #socket;
  #context;
  #player;
  #recorder;
  #source;
  #told;

  /** `told` takes every event of the server's. */
  constructor(told) {
    this.#told = told;
  }

  /** Connects; rejects when it cannot. `ended` is called once, when the other side goes. */
  async open({ token, agent, microphone, speaker, ended }) {
    this.#context = new AudioContext({ sampleRate: HZ });
    await this.#context.audioWorklet.addModule("/console/worklet.js");
    await this.#connect(token, agent);
    this.#socket.onclose = ended;
    this.#player = new AudioWorkletNode(this.#context, "player", { numberOfInputs: 0 });
    this.#player.connect(this.#context.destination);
    this.#recorder = new AudioWorkletNode(this.#context, "recorder", { numberOfOutputs: 0 });
    this.#recorder.port.onmessage = ({ data }) => this.send({ type: "input_audio_buffer.append", audio: encoded(data) });
    this.speak(microphone);
    this.play(speaker);
    await Promise.race([this.hear(), new Promise((done) => setTimeout(done, RESUMED_MS))]);
  }

  /** Whether the browser lets it play. */
  get heard() {
    return this.#context.state === "running";
  }

  /** Begins to play. */
  hear() {
    return this.#context?.resume().catch(() => {});
  }

  /** Takes a microphone in the place of the one before. */
  speak(microphone) {
    this.#source?.disconnect();
    this.#source = this.#context.createMediaStreamSource(microphone);
    this.#source.connect(this.#recorder);
  }

  /** Plays on a loudspeaker, where the browser lets a page choose; empty: the usual one. */
  play(speaker) {
    this.#context?.setSinkId?.(speaker).catch(() => {});
  }

  send(event) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(event));
  }

  close() {
    if (this.#socket) this.#socket.onclose = null;
    this.#socket?.close();
    if (this.#context && this.#context.state !== "closed") this.#context.close();
  }

  #connect(token, agent) {
    const url = new URL(agent ? `${PATH}?agent=${encodeURIComponent(agent)}` : PATH, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const shown = token ? [`openai-insecure-api-key.${token}`] : [];
    this.#socket = new WebSocket(url, ["realtime", ...shown]);
    this.#socket.onmessage = ({ data }) => this.#take(JSON.parse(data));
    return new Promise((opened, failed) => {
      this.#socket.onopen = opened;
      this.#socket.onclose = failed;
    });
  }

  #take(event) {
    if (event.type === "response.output_audio.delta") return this.#player?.port.postMessage(decoded(event.delta));
    if (event.type === "output_audio_buffer.cleared") this.#player?.port.postMessage(null);
    this.#told(event);
  }
}

function encoded(pcm) {
  return btoa(String.fromCharCode(...new Uint8Array(pcm.buffer)));
}

function decoded(text) {
  return new Int16Array(Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)).buffer);
}

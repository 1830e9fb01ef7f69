// One call: microphone, connection, data channel; or a wire in their place, where UDP does not come
// through. It tells states and events; it draws nothing.

import { Wire } from "./wire.js";

const CALLS = "/v1/realtime/calls";
const UNCONNECTED_MS = 5000;
const STALLED_MS = 4000;
const MICROPHONE = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 };

export class Call extends EventTarget {
  #pc;
  #channel;
  #microphone;
  #location;
  #over = false;
  #stalled;
  #unconnected;
  #connected = false;
  #wire;
  #who;

  /** Connects. `token` may be empty, `agent` null; `sound` is the element that plays the agent. */
  async dial({ token, agent, sound }) {
    if (!navigator.mediaDevices) return this.#end("insecure");
    this.#who = { token, agent };
    this.#tell("asking");
    try {
      this.#microphone = await navigator.mediaDevices.getUserMedia({ audio: MICROPHONE });
    } catch {
      return this.#end("denied");
    }
    if (this.#over) return this.#release();
    this.dispatchEvent(new CustomEvent("microphone", { detail: this.#microphone }));
    this.#tell("connecting");
    this.#connect(sound);
    await this.#pc.setLocalDescription(await this.#pc.createOffer());
    const answer = await this.#post(token, agent);
    if (answer !== null && !this.#over) {
      await this.#pc.setRemoteDescription({ type: "answer", sdp: answer });
      this.#unconnected = setTimeout(() => this.#goOverWire(), UNCONNECTED_MS);
    }
  }

  /** Sends an event of the program's. */
  send(event) {
    if (this.#wire) this.#wire.send(event);
    else if (this.#channel?.readyState === "open") this.#channel.send(JSON.stringify(event));
  }

  mute(muted) {
    for (const track of this.#microphone?.getAudioTracks() ?? []) track.enabled = !muted;
  }

  /** Ends the call, on both sides. */
  hangUp() {
    this.#leave();
    this.#end("ended");
  }

  /** Ends the server's side of the connection, where there is one. */
  async #leave() {
    const location = this.#location;
    this.#location = null;
    if (location) await fetch(`${location.url}/hangup`, { method: "POST", keepalive: true, headers: location.headers }).catch(() => {});
  }

  /** No packet came through: the same call by the slower way. */
  async #goOverWire() {
    if (this.#over || this.#wire) return;
    clearTimeout(this.#unconnected);
    this.#channel.onclose = this.#pc.onconnectionstatechange = null;
    this.#pc.close();
    this.#wire = new Wire((event) => this.dispatchEvent(new CustomEvent("event", { detail: event })));
    await this.#leave();
    const ended = () => this.#end("ended");
    try {
      await this.#wire.open({ ...this.#who, microphone: this.#microphone, ended });
      if (this.#over) return this.#release();
      this.#tell("slower");
    } catch {
      this.#end("unreachable");
    }
  }

  #connect(sound) {
    this.#pc = new RTCPeerConnection({ iceServers: [] });
    for (const track of this.#microphone.getTracks()) this.#pc.addTrack(track, this.#microphone);
    this.#channel = this.#pc.createDataChannel("oai-events");
    this.#channel.onmessage = ({ data }) =>
      this.dispatchEvent(new CustomEvent("event", { detail: JSON.parse(data) }));
    this.#channel.onclose = () => this.#end("ended");
    this.#pc.ontrack = ({ track }) => { sound.srcObject = new MediaStream([track]); };
    this.#pc.onconnectionstatechange = () => this.#changed(this.#pc.connectionState);
  }

  #changed(state) {
    clearTimeout(this.#stalled);
    if (state === "connected") {
      clearTimeout(this.#unconnected);
      this.#connected = true;
      this.#tell("connected");
    }
    if (state === "failed" && this.#connected) this.#end("lost");
    else if (state === "failed") this.#goOverWire();
    if (state === "disconnected") {
      this.#tell("stalled");
      this.#stalled = setTimeout(() => this.#end("lost"), STALLED_MS);
    }
  }

  async #post(token, agent) {
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    const url = agent ? `${CALLS}?agent=${encodeURIComponent(agent)}` : CALLS;
    try {
      const reply = await fetch(url, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/sdp" },
        body: this.#pc.localDescription.sdp,
      });
      if (reply.ok) {
        this.#location = { url: reply.headers.get("Location"), headers };
        return await reply.text();
      }
      const problem = await reply.json().catch(() => ({}));
      this.#end("refused", problem.detail ?? String(reply.status), reply.status);
    } catch {
      this.#end("unreachable");
    }
    return null;
  }

  #end(state, why, status) {
    if (this.#over) return;
    this.#over = true;
    this.#release();
    this.#tell(state, why, status);
  }

  #release() {
    clearTimeout(this.#stalled);
    clearTimeout(this.#unconnected);
    for (const track of this.#microphone?.getTracks() ?? []) track.stop();
    this.#pc?.close();
    this.#wire?.close();
  }

  #tell(state, why = "", status = 0) {
    this.dispatchEvent(new CustomEvent("state", { detail: { state, why, status } }));
  }
}

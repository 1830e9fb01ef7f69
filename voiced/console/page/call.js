// One call: microphone, connection, data channel; or a wire in their place, where UDP does not come
// through. A line that is lost is taken up again. It tells states and events; it draws nothing.

import { Wire } from "./wire.js";

const CALLS = "/v1/realtime/calls";
const UNCONNECTED_MS = 5000;
const STALLED_MS = 2000;
const RETURN_MS = 60_000;
const BETWEEN_MS = 1000;
const MICROPHONE = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 };

export class Call extends EventTarget {
  #pc;
  #channel;
  #microphone;
  #muted = false;
  #sound;
  #speaker = "";
  #location;
  #session; // the token for one return
  #over = false;
  #connected = false; // whether it has ever been
  #returning = false;
  #stalled;
  #unconnected;
  #wire;
  #who;

  /** Connects. `token` may be empty, `agent` null; `sound` is the element that plays the agent. */
  async dial({ token, agent, sound, microphone, speaker }) {
    if (!navigator.mediaDevices) return this.#end("insecure");
    this.#who = { token, agent };
    this.#sound = sound;
    sound.srcObject = new MediaStream();
    this.hear(); // in the click, or the browser may refuse it later
    this.play(speaker);
    this.#tell("asking");
    try {
      await this.speak(microphone);
    } catch {
      return this.#end("denied");
    }
    if (this.#over) return this.#release();
    this.#tell("connecting");
    this.#connect();
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    const reply = await this.#offer(agent ? `${CALLS}?agent=${encodeURIComponent(agent)}` : CALLS, headers);
    if (reply === null) return this.#end("unreachable");
    if (!reply.ok) {
      const problem = await reply.json().catch(() => ({}));
      return this.#end("refused", problem.detail ?? String(reply.status), reply.status);
    }
    this.#location = { url: reply.headers.get("Location"), headers };
    this.#unconnected = setTimeout(() => this.#goOverWire(), UNCONNECTED_MS);
  }

  /** Sends an event of the program's. */
  send(event) {
    if (this.#wire) this.#wire.send(event);
    else if (this.#channel?.readyState === "open") this.#channel.send(JSON.stringify(event));
  }

  mute(muted) {
    this.#muted = muted;
    for (const track of this.#microphone?.getAudioTracks() ?? []) track.enabled = !muted;
  }

  /** Takes a microphone, in the middle of the call too; empty: the usual one. Rejects without one. */
  async speak(device) {
    const audio = device ? { ...MICROPHONE, deviceId: { ideal: device } } : MICROPHONE;
    const before = this.#microphone;
    this.#microphone = await navigator.mediaDevices.getUserMedia({ audio });
    this.mute(this.#muted);
    const [track] = this.#microphone.getAudioTracks();
    await this.#pc?.getSenders()[0]?.replaceTrack(track);
    this.#wire?.speak(this.#microphone);
    for (const old of before?.getTracks() ?? []) old.stop();
    this.dispatchEvent(new CustomEvent("microphone", { detail: this.#microphone }));
  }

  /** Plays the agent on a loudspeaker; empty: the usual one. */
  play(device) {
    this.#speaker = device ?? "";
    this.#sound.setSinkId?.(this.#speaker).catch(() => {});
    this.#wire?.play(this.#speaker);
  }

  /** Begins to play; a browser that wants a click for it has it told as "unheard". */
  hear() {
    this.#wire?.hear();
    this.#sound.play().catch((refused) => {
      if (refused.name === "NotAllowedError") this.dispatchEvent(new Event("unheard"));
    });
  }

  /** Ends the call: on the server's side first, which would else see a line that was lost. */
  async hangUp() {
    const brief = new Promise((done) => setTimeout(done, 500));
    await Promise.race([this.#leave(), brief]);
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
    this.#drop();
    this.#wire = new Wire((event) => this.dispatchEvent(new CustomEvent("event", { detail: event })));
    await this.#leave();
    const ended = ({ wasClean }) => this.#end(wasClean ? "ended" : "lost");
    try {
      await this.#wire.open({ ...this.#who, microphone: this.#microphone, speaker: this.#speaker, ended });
      if (this.#over) return this.#release();
      this.#tell("slower");
      if (!this.#wire.heard) this.dispatchEvent(new Event("unheard"));
    } catch {
      this.#end("unreachable");
    }
  }

  /** The line is lost: the same call over another, for as long as the server waits for it. */
  async #comeBack() {
    if (this.#over || this.#returning) return;
    this.#returning = true;
    this.#tell("returning");
    const until = performance.now() + RETURN_MS;
    while (!this.#over && this.#session && performance.now() < until) {
      if (await this.#again()) return;
      await pause(BETWEEN_MS);
    }
    this.#end("lost");
  }

  /** One attempt; whether the caller is back. */
  async #again() {
    this.#drop();
    this.#connect();
    const reply = await this.#offer(`${CALLS}?resume=${encodeURIComponent(this.#session)}`, {});
    if (reply && [401, 404].includes(reply.status)) this.#session = null; // nobody waits there
    for (let waited = 0; reply?.ok && waited < UNCONNECTED_MS && !this.#over; waited += 100) {
      if (this.#pc.connectionState === "connected") return true;
      await pause(100);
    }
    return false;
  }

  #connect() {
    const pc = (this.#pc = new RTCPeerConnection({ iceServers: [] }));
    for (const track of this.#microphone.getTracks()) pc.addTrack(track, this.#microphone);
    this.#channel = pc.createDataChannel("oai-events");
    this.#channel.onmessage = ({ data }) =>
      this.dispatchEvent(new CustomEvent("event", { detail: JSON.parse(data) }));
    this.#channel.onclose = () => this.#end("ended");
    pc.ontrack = ({ track }) => {
      for (const old of this.#sound.srcObject.getTracks()) this.#sound.srcObject.removeTrack(old);
      this.#sound.srcObject.addTrack(track);
      this.hear();
    };
    pc.onconnectionstatechange = () => this.#changed(pc.connectionState);
  }

  #changed(state) {
    clearTimeout(this.#stalled);
    if (state === "connected") {
      clearTimeout(this.#unconnected);
      this.#connected = true;
      this.#returning = false;
      this.#tell("connected");
    }
    if (this.#returning) return; // whoever comes back counts the time himself
    if (state === "failed" && this.#connected) this.#comeBack();
    else if (state === "failed") this.#goOverWire();
    if (state === "disconnected") {
      this.#tell("stalled");
      this.#stalled = setTimeout(() => this.#comeBack(), STALLED_MS);
    }
  }

  /** The server's reply to an offer, its answer taken; null: nobody is there. */
  async #offer(url, headers) {
    const pc = this.#pc;
    await pc.setLocalDescription(await pc.createOffer());
    const body = pc.localDescription.sdp;
    try {
      const reply = await fetch(url, { method: "POST", headers: { ...headers, "Content-Type": "application/sdp" }, body });
      if (!reply.ok) return reply;
      this.#session = reply.headers.get("X-Voiced-Session");
      const sdp = await reply.text();
      if (pc.signalingState !== "closed") await pc.setRemoteDescription({ type: "answer", sdp });
      return reply;
    } catch {
      return null;
    }
  }

  #end(state, why, status) {
    if (this.#over) return;
    this.#over = true;
    this.#release();
    this.#tell(state, why, status);
  }

  #release() {
    for (const track of this.#microphone?.getTracks() ?? []) track.stop();
    this.#drop();
    this.#wire?.close();
  }

  /** Closes the connection; what it still tells is not listened to. */
  #drop() {
    clearTimeout(this.#stalled);
    clearTimeout(this.#unconnected);
    if (!this.#pc) return;
    this.#channel.onmessage = this.#channel.onclose = this.#pc.onconnectionstatechange = null;
    this.#pc.close();
  }

  #tell(state, why = "", status = 0) {
    this.dispatchEvent(new CustomEvent("state", { detail: { state, why, status } }));
  }
}

function pause(ms) {
  return new Promise((done) => setTimeout(done, ms));
}

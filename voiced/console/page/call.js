// One call: microphone, connection, data channel. It tells states and events; it draws nothing.

const CALLS = "/v1/realtime/calls";
const STALLED_MS = 4000;
const MICROPHONE = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 };

export class Call extends EventTarget {
  #pc;
  #channel;
  #microphone;
  #location;
  #over = false;
  #stalled;

  /** Connects. `token` may be empty, `agent` null; `sound` is the element that plays the agent. */
  async dial({ token, agent, sound }) {
    if (!navigator.mediaDevices) return this.#end("insecure");
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
    }
  }

  /** Sends an event of the program's. */
  send(event) {
    if (this.#channel?.readyState === "open") this.#channel.send(JSON.stringify(event));
  }

  mute(muted) {
    for (const track of this.#microphone?.getAudioTracks() ?? []) track.enabled = !muted;
  }

  /** Ends the call, on both sides. */
  hangUp() {
    if (this.#location) fetch(`${this.#location.url}/hangup`, { method: "POST", keepalive: true, headers: this.#location.headers }).catch(() => {});
    this.#end("ended");
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
    if (state === "connected") this.#tell("connected");
    if (state === "failed") this.#end("lost");
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
    for (const track of this.#microphone?.getTracks() ?? []) track.stop();
    this.#pc?.close();
  }

  #tell(state, why = "", status = 0) {
    this.dispatchEvent(new CustomEvent("state", { detail: { state, why, status } }));
  }
}

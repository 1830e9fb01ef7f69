// Whoever watches the calls joins one: this page's microphone and loudspeaker in the agent's place.
// It tells states, and where the browser wants a click before it plays; it draws nothing.

const MICROPHONE = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 };

export class Person extends EventTarget {
  #pc;
  #microphone;
  #sound;
  #url;
  #headers;
  #over = false;

  /** Joins a call; `key` may be empty, `sound` is the element that plays the caller. */
  async join({ call, key, sound }) {
    this.#url = `/join/${call}`;
    this.#headers = key ? { Authorization: `Bearer ${key}` } : {};
    this.#sound = sound;
    if (!navigator.mediaDevices) return this.#end("insecure");
    this.#tell("asking");
    try {
      this.#microphone = await navigator.mediaDevices.getUserMedia({ audio: MICROPHONE });
    } catch {
      return this.#end("denied");
    }
    if (this.#over) return this.#release();
    this.#tell("connecting");
    this.#connect();
    const refused = await this.#offer();
    if (refused !== null) this.#end("refused", refused);
  }

  mute(muted) {
    for (const track of this.#microphone?.getAudioTracks() ?? []) track.enabled = !muted;
  }

  /** Begins to play; a browser that wants a click for it has it told as "unheard". */
  hear() {
    this.#sound.play().catch((refused) => {
      if (refused.name === "NotAllowedError") this.dispatchEvent(new Event("unheard"));
    });
  }

  /** Leaves the caller to the agent: told first, since the server would else see a line that was lost. */
  async leave() {
    const brief = new Promise((done) => setTimeout(done, 500));
    const told = fetch(this.#url, { method: "DELETE", keepalive: true, headers: this.#headers }).catch(() => {});
    await Promise.race([told, brief]);
    this.#end("ended");
  }

  #connect() {
    const pc = (this.#pc = new RTCPeerConnection({ iceServers: [] }));
    for (const track of this.#microphone.getTracks()) pc.addTrack(track, this.#microphone);
    pc.ontrack = ({ track }) => {
      this.#sound.srcObject = new MediaStream([track]);
      this.hear();
    };
    pc.onconnectionstatechange = () => {
      if (pc.connectionState === "connected") this.#tell("joined");
      if (pc.connectionState === "disconnected") this.#tell("stalled");
      if (["failed", "closed"].includes(pc.connectionState)) this.#end("lost");
    };
  }

  /** Why not; null where the offer is answered. */
  async #offer() {
    const pc = this.#pc;
    await pc.setLocalDescription(await pc.createOffer());
    const headers = { ...this.#headers, "Content-Type": "application/sdp" };
    try {
      const reply = await fetch(this.#url, { method: "POST", headers, body: pc.localDescription.sdp });
      const told = await (reply.ok ? reply.text() : reply.json());
      if (!reply.ok) return told.detail ?? String(reply.status);
      if (pc.signalingState !== "closed") await pc.setRemoteDescription({ type: "answer", sdp: told });
      return null;
    } catch {
      return "";
    }
  }

  #end(state, why = "") {
    if (this.#over) return;
    this.#over = true;
    this.#release();
    this.#tell(state, why);
  }

  #release() {
    for (const track of this.#microphone?.getTracks() ?? []) track.stop();
    if (!this.#pc) return;
    this.#pc.onconnectionstatechange = null;
    this.#pc.close();
  }

  #tell(state, why = "") {
    this.dispatchEvent(new CustomEvent("state", { detail: { state, why } }));
  }
}

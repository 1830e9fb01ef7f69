"""A real browser calls the edge: Chromium, headless, with a recording for a microphone."""

import asyncio
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from aiohttp import web

from voiced.audio.pcm import HEARING_HZ, SPEAKING_HZ
from voiced.config.settings import Rtc
from voiced.flow.cancel import Live, Take
from voiced.flow.playout import Playout
from voiced.rtc.edge import Edge, Line
from voiced.rtc.facts import ChannelOpened, Closed, Connected, PeerFact, Received
from voiced.rtc.inbound import Inbound

pytestmark = [
    pytest.mark.process,
    pytest.mark.timeout(90),
    pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium"),
]

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
    "--autoplay-policy=no-user-gesture-required",
    "--disable-background-networking",
]

PAGE = """<!doctype html><script>
const report = what => fetch("/report", {method: "POST", body: JSON.stringify(what)});
const sleep = ms => new Promise(done => setTimeout(done, ms));
function pitch(analyser, rate) {
  const levels = new Float32Array(analyser.frequencyBinCount);
  analyser.getFloatFrequencyData(levels);
  const top = levels.indexOf(Math.max(...levels));
  return {hz: top * rate / analyser.fftSize, db: levels[top]};
}
async function main() {
  const raw = {echoCancellation: false, noiseSuppression: false, autoGainControl: false};
  const microphone = await navigator.mediaDevices.getUserMedia({audio: raw});
  const pc = new RTCPeerConnection({iceServers: []});
  const channel = pc.createDataChannel("oai-events");
  const messages = [];
  channel.onmessage = message => messages.push(message.data);
  channel.onopen = () => channel.send(JSON.stringify({type: "from the page"}));
  if (VIDEO) {
    pc.addTransceiver("video", {direction: "recvonly"});
    pc.addTrack(microphone.getAudioTracks()[0], microphone);
    pc.addTransceiver("video");
  } else pc.addTrack(microphone.getAudioTracks()[0], microphone);
  const context = new AudioContext();
  const analyser = new AnalyserNode(context, {fftSize: 16384});
  pc.ontrack = ({track, streams}) => {
    if (track.kind != "audio") return;
    const sound = new Audio(); sound.muted = true; sound.srcObject = new MediaStream([track]);
    context.createMediaStreamSource(new MediaStream([track])).connect(analyser);
  };
  await pc.setLocalDescription(await pc.createOffer());
  const reply = await fetch("/offer", {method: "POST", body: pc.localDescription.sdp});
  await pc.setRemoteDescription({type: "answer", sdp: await reply.text()});
  while (pc.connectionState != "connected") await sleep(20);
  await sleep(4000);
  const stats = {};
  for (const one of (await pc.getStats()).values()) {
    if (one.type == "inbound-rtp" && one.kind == "audio")
      Object.assign(stats, {received: one.packetsReceived, lost: one.packetsLost,
        concealed: one.concealedSamples - one.silentConcealedSamples,
        buffer_ms: 1000 * one.jitterBufferDelay / one.jitterBufferEmittedCount});
    if (one.type == "outbound-rtp" && one.kind == "audio") stats.sent = one.packetsSent;
  }
  await report({...stats, ...pitch(analyser, context.sampleRate), messages,
    lines: pc.localDescription.sdp.split("m=").length - 1,
    answer: pc.remoteDescription.sdp.split("\\r\\n")
              .filter(line => /^(m=|a=(inactive|sendrecv))/.test(line))});
  pc.close();
}
main().catch(error => report({error: String(error)}));
</script>"""


class Site:
    """Serves the page, answers its offer, speaks a tone, keeps its report."""

    def __init__(self, edge: Edge, video: bool) -> None:
        self.edge = edge
        self.facts: list[PeerFact] = []
        self.live = Live()
        self.inbound = Inbound()
        self.playout = Playout(self.live, lambda _played: None)
        self.report: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._page = PAGE.replace("VIDEO", str(video).lower())

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_get("/", self._serve)
        app.router.add_post("/offer", self._answer)
        app.router.add_post("/report", self._take)
        return app

    async def _serve(self, request: web.Request) -> web.Response:
        return web.Response(text=self._page, content_type="text/html")

    async def _answer(self, request: web.Request) -> web.Response:
        line = Line(self.inbound, self.playout, self.facts.append)
        answer, peer = await self.edge.answer(await request.text(), line)
        peer.send('{"type": "from the daemon"}')
        at = np.arange(10 * SPEAKING_HZ) / SPEAKING_HZ
        self.playout.released = Take(0, 0)
        tone = 8000 * np.sin(2 * np.pi * 660 * at)
        self.playout.write(Take(0, 0), tone.astype(np.int16))
        return web.Response(text=answer)

    async def _take(self, request: web.Request) -> web.Response:
        self.report.set_result(await request.json())
        return web.Response()


async def browse(tmp_path: Path, video: bool) -> tuple[Site, dict[str, Any]]:
    at = np.arange(10 * 48_000) / 48_000
    microphone = tmp_path / "microphone.wav"
    soundfile.write(microphone, 0.3 * np.sin(2 * np.pi * 440 * at), 48_000, subtype="PCM_16")
    edge = await Edge.open(Rtc(port=0))
    site = Site(edge, video)
    runner = web.AppRunner(site.app())
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    own = [f"--user-data-dir={tmp_path}/profile", f"--use-file-for-fake-audio-capture={microphone}"]
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
    browser = await asyncio.create_subprocess_exec(
        "chromium", *FLAGS, *own, url, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        report = await asyncio.wait_for(site.report, 45)
        await asyncio.sleep(1.0)
        return site, report
    finally:
        browser.terminate()
        await browser.wait()
        await runner.cleanup()
        await edge.close(2.0)


@pytest.mark.parametrize("video", [False, True], ids=["audio", "audio-between-videos"])
def test_a_browser_is_heard_hears_and_hangs_up(tmp_path: Path, video: bool) -> None:
    site, report = asyncio.run(browse(tmp_path, video))
    ring = site.inbound.ring
    heard = ring.copy(ring.written // 2, ring.written).astype(float)
    pitch = np.argmax(np.abs(np.fft.rfft(heard))) * HEARING_HZ / len(heard)

    assert None is report.get("error")
    assert pytest.approx(440, abs=5) == pitch
    assert pytest.approx(660, abs=5) == report["hz"]
    assert report["db"] > -50
    assert report["received"] > 150
    assert ['{"type": "from the daemon"}'] == report["messages"]
    assert [Connected, ChannelOpened, Received, Closed] == [type(fact) for fact in site.facts]
    assert "hangup" == site.facts[-1].reason
    assert report["lines"] == sum(line.startswith("m=") for line in report["answer"])
    site.inbound.close()
    site.playout.close()

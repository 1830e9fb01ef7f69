"""A telephone gateway calls: stock aiortc, which offers PCMU and telephone events and no Opus."""

import asyncio
import re
import struct
from typing import Any

import aiohttp
import numpy as np
import pytest
from aiortc import RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import AudioStreamTrack
from av import AudioFrame

from tests.process.conftest import Daemon, Serve, settings
from voiced.rtc import ice

pytestmark = [pytest.mark.process, pytest.mark.timeout(90)]

KEYS = 101


class Hum(AudioStreamTrack):
    """What the telephone's microphone hears: a tone, at the telephone's rate."""

    async def recv(self) -> AudioFrame:
        frame: AudioFrame = await super().recv()
        at = (frame.pts + np.arange(frame.samples)) / frame.sample_rate
        tone = (4000 * np.sin(2 * np.pi * 440 * at)).astype(np.int16)
        frame.planes[0].update(tone.tobytes())
        return frame


class Gateway:
    """One call of a telephone's."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: RTCPeerConnection = ice.peer_connection()
        self._heard: list[np.ndarray[Any, Any]] = []
        self._listening: asyncio.Task[None] | None = None
        self._press: list[bytes] = []
        self.answer = ""

    async def call(self) -> None:
        self._connection.addTrack(Hum())
        transceiver = self._connection.getTransceivers()[0]
        ice.only(transceiver, "audio/pcmu")
        ice.bind_to(self._connection, "127.0.0.1")
        await self._connection.setLocalDescription(await self._connection.createOffer())
        sdp = self._connection.localDescription.sdp
        offer = re.sub(r"(m=audio [^\r]*)", rf"\1 {KEYS}", sdp)
        offer += f"a=rtpmap:{KEYS} telephone-event/8000\r\na=fmtp:{KEYS} 0-15\r\n"
        async with (
            aiohttp.ClientSession() as http,
            http.post(self._url, data=offer, headers={"Content-Type": "application/sdp"}) as told,
        ):
            assert 201 == told.status, await told.text()
            self.answer = await told.text()
        await self._connection.setRemoteDescription(RTCSessionDescription(self.answer, "answer"))
        self._listening = asyncio.ensure_future(self._listen(transceiver.receiver.track))
        self._hook(transceiver.receiver.transport)

    async def press(self, key: int) -> None:
        """Events in the place of the sound, for as long as a finger is on the key."""
        durations = [160 * (i + 1) for i in range(6)]
        self._press = [struct.pack("!BBH", key, 10, d) for d in durations]
        self._press += [struct.pack("!BBH", key, 0x80 | 10, 960)] * 3
        while self._press:  # noqa: ASYNC110 - what the sender takes has no event
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.1)

    async def heard_within(self, seconds: float) -> float:
        """Seconds of sound that the telephone hears next."""
        before = len(self._heard)
        await asyncio.sleep(seconds)
        loud = [pcm for pcm in self._heard[before:] if np.abs(pcm).max() > 200]
        return float(sum(len(pcm) for pcm in loud)) / 8000

    async def close(self) -> None:
        await self._connection.close()
        if self._listening is not None:
            self._listening.cancel()

    async def _listen(self, track: Any) -> None:
        while True:
            frame = await track.recv()
            assert 8000 == frame.sample_rate
            self._heard.append(frame.to_ndarray()[0])

    def _hook(self, transport: Any) -> None:
        send, pressed_at = transport._send_rtp, b""

        async def either(data: bytes) -> None:
            nonlocal pressed_at
            if self._press and data[1] & 0x7F == 0:
                pressed_at = pressed_at or data[4:8]
                header = data[:1] + bytes([KEYS]) + data[2:4] + pressed_at + data[8:12]
                data = bytes([header[0] & 0xEF]) + header[1:] + self._press.pop(0)
            elif data[1] & 0x7F == 0:
                pressed_at = b""
            await send(data)

        transport._send_rtp = either


@pytest.fixture(scope="module")
def daemon(serve: Serve) -> Daemon:
    started = serve(settings(), fake=True)
    started.wait_for("daemon.ready")
    return started


def test_a_telephone_hears_the_agent_and_dials_into_the_conversation(daemon: Daemon) -> None:
    """What is dialled is answered as if it had been written."""

    async def story() -> list[float]:
        gateway = Gateway(daemon.url + "/whip")
        await gateway.call()
        greeting = await gateway.heard_within(2.0)
        quiet = await gateway.heard_within(1.0)
        for key in (4, 2, 11):
            await gateway.press(key)
        reply = await gateway.heard_within(2.0)
        await gateway.close()
        return [greeting, quiet, reply]

    greeting, quiet, reply = asyncio.run(story())

    assert 0.2 <= greeting <= 0.5
    assert 0.0 == quiet
    assert reply > 1.0
    assert "hangup" == daemon.wait_for("call.closed", 10)["reason"]


def test_the_answer_is_pcmu_and_telephone_events_and_nothing_else(daemon: Daemon) -> None:
    async def story() -> str:
        gateway = Gateway(daemon.url + "/whip")
        await gateway.call()
        await asyncio.sleep(0.2)
        await gateway.close()
        return gateway.answer

    lines = asyncio.run(story()).splitlines()

    media = next(line for line in lines if line.startswith("m=audio"))
    assert ["0", str(KEYS)] == media.split()[3:]
    assert f"a=rtpmap:{KEYS} telephone-event/8000" in lines
    assert f"a=fmtp:{KEYS} 0-15" in lines

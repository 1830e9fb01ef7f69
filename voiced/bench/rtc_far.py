"""The far end of the calls of `voiced bench rtc`, a process of its own: our edge, or stock aiortc.

    python -m voiced.bench.rtc_far ours|stock

One JSON object a line comes in and one goes out: an offer for an answer, `clicks` for the instants
at which clicks could be read, `used` for what it has cost so far, `close` for nothing. Both
sides hear 16 kHz mono, as a recogniser needs it, and speak the same sound; the stock side is what
aiortc's own examples do. It does not know what is made of its numbers.
"""

import asyncio
import json
import os
import resource
import sys
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import Any, Protocol, cast

import av
import numpy as np
from aiortc import MediaStreamTrack, RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError

from voiced import clock
from voiced.audio.pcm import FRAME_S, HEARING_HZ, SPEAKING_FRAME, SPEAKING_HZ, Pcm
from voiced.config.settings import Rtc
from voiced.flow.cancel import Live, Take
from voiced.flow.playout import Playout
from voiced.flow.ring import Ring
from voiced.ops import metrics
from voiced.rtc import ice
from voiced.rtc.edge import Edge, Line, Peer
from voiced.rtc.inbound import Inbound

HOST = "127.0.0.1"
_PRIORITY = 1
CLICK = 12_000
"""Peak of a click's samples; nothing else that a caller sends is half as loud."""

BABBLE_S = 40
_APART_S = 0.2


def babble(rate_hz: int) -> Pcm:
    """A sound that takes a codec as much work as a voice: harmonics that come and go."""
    at = np.arange(BABBLE_S * rate_hz) / rate_hz
    voice = sum(np.sin(2 * np.pi * 130 * n * at + 3 * np.sin(2 * at)) / n for n in range(1, 12))
    pcm: Pcm = (2000 * voice * (0.55 + 0.45 * np.sin(2 * np.pi * 3 * at))).astype(np.int16)
    return pcm


class Clicks:
    """When clicks could be read, as if each were the first sample of a frame of 20 ms."""

    def __init__(self) -> None:
        self.at: list[float] = []
        self._newest = 0.0

    def listen(self, pcm: Pcm) -> None:
        """Sound has just become readable."""
        loud = np.flatnonzero(np.abs(pcm.astype(np.int32)) > CLICK // 2)
        now = clock.now()
        if not len(loud) or now - self._newest < _APART_S:
            return
        self._newest = now
        self.at.append(now + FRAME_S - (len(pcm) - int(loud[0])) / HEARING_HZ)


class Far(Protocol):
    """One side."""

    clicks: Clicks

    @property
    def frames(self) -> int:
        """Heard and spoken so far, in all calls that are open."""
        ...

    async def answer(self, offer: str) -> str:
        """Takes a call."""
        ...

    async def close(self) -> None:
        """Ends every call."""
        ...


class Ours:
    """The product's edge, as the daemon opens it."""

    def __init__(self, edge: Edge) -> None:
        self.clicks = Clicks()
        self._edge = edge
        self._sound = babble(SPEAKING_HZ)
        self._calls: list[tuple[Peer, Inbound, _Counted]] = []

    @property
    def frames(self) -> int:
        return sum(inbound.packets + playout.ticks for _, inbound, playout in self._calls)

    async def answer(self, offer: str) -> str:
        live = Live()
        inbound, playout = Inbound(), _Counted(live, lambda _played: None)
        inbound.ring.close()
        inbound.ring = _Listened(60 * HEARING_HZ, self.clicks.listen)
        live.take = playout.released = Take(1, 0)
        playout.write(live.take, self._sound)
        answer, peer = await self._edge.answer(offer, Line(inbound, playout, lambda _fact: None))
        self._calls.append((peer, inbound, playout))
        return answer

    async def close(self) -> None:
        for peer, inbound, playout in self._calls:
            await peer.close()
            inbound.close()
            playout.close()
        self._calls.clear()


class _Counted(Playout):
    """A playout that counts its ticks."""

    ticks = 0

    def tick(self, at: float) -> Pcm:
        self.ticks += 1
        return super().tick(at)


class _Listened(Ring):
    """A ring that tells what is written to it."""

    def __init__(self, size: int, told: Callable[[Pcm], None]) -> None:
        super().__init__(size)
        self._told = told

    def write(self, pcm: Pcm) -> None:
        super().write(pcm)
        self._told(pcm)


class Stock:
    """aiortc as it comes: its receive buffer, its encoder, its threads."""

    def __init__(self) -> None:
        self.clicks = Clicks()
        self._sound = babble(SPEAKING_HZ)
        self._calls: list[RTCPeerConnection] = []
        self._speech: list[_Speech] = []
        self._heard = 0
        self._hearing: set[asyncio.Task[None]] = set()

    @property
    def frames(self) -> int:
        return self._heard + sum(speech.frames for speech in self._speech)

    async def answer(self, offer: str) -> str:
        connection = ice.peer_connection()
        self._calls.append(connection)

        def heard(track: MediaStreamTrack) -> None:
            self._hearing.add(asyncio.get_running_loop().create_task(self._hear(track)))

        connection.on("track", heard)
        self._speech.append(_Speech(self._sound))
        connection.addTrack(self._speech[-1])
        await connection.setRemoteDescription(RTCSessionDescription(offer, "offer"))
        ice.bind_to(connection, HOST)  # aioice by itself never offers loopback
        await connection.setLocalDescription(await connection.createAnswer())
        return connection.localDescription.sdp

    async def close(self) -> None:
        for connection in self._calls:
            await connection.close()
        if self._hearing:
            await asyncio.wait(self._hearing)
        self._calls.clear()
        self._hearing.clear()
        self._speech.clear()
        self._heard = 0

    async def _hear(self, track: MediaStreamTrack) -> None:
        resampler = av.AudioResampler(format="s16", layout="mono", rate=HEARING_HZ)
        with suppress(MediaStreamError):
            while True:
                frame = cast(av.AudioFrame, await track.recv())
                self._heard += 1
                for part in resampler.resample(frame):
                    self.clicks.listen(part.to_ndarray()[0])


class _Speech(MediaStreamTrack):
    """A track of raw frames, paced like aiortc's own `AudioStreamTrack`."""

    kind = "audio"

    def __init__(self, sound: Pcm) -> None:
        super().__init__()
        self._sound = sound
        self.frames = 0
        self._begun: float | None = None

    async def recv(self) -> av.AudioFrame:
        if self.readyState != "live":
            raise MediaStreamError
        now = clock.now()
        self._begun = now if self._begun is None else self._begun
        await asyncio.sleep(max(self._begun + self.frames * FRAME_S - now, 0.0))
        begin = self.frames * SPEAKING_FRAME % len(self._sound)
        pcm = self._sound[begin : begin + SPEAKING_FRAME]
        frame = av.AudioFrame.from_ndarray(pcm[np.newaxis], format="s16", layout="mono")
        frame.sample_rate, frame.pts = SPEAKING_HZ, self.frames * SPEAKING_FRAME
        frame.time_base = Fraction(1, SPEAKING_HZ)
        self.frames += 1
        return frame


def punctual() -> None:
    """Schedules this process ahead of ordinary ones, where the system permits it.

    The edge does so by itself; for the callers and for the stock side it is done here, so that
    whatever else the machine does falls on neither.
    """
    with suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(_PRIORITY))


def _used(far: Far) -> dict[str, Any]:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    late = {
        sample.labels["le"]: sample.value
        for metric in metrics.LATENESS_MS.collect()
        for sample in metric.samples
        if "le" in sample.labels
    }
    return {"cpu_s": usage.ru_utime + usage.ru_stime, "frames": far.frames, "late": late}


async def _obey(far: Far, order: dict[str, Any]) -> dict[str, Any]:
    match order:
        case {"offer": str(offer)}:
            return {"answer": await far.answer(offer)}
        case {"ask": "clicks"}:
            return {"clicks": far.clicks.at}
        case {"ask": "used"}:
            return _used(far)
        case _:
            await far.close()
            return {}


async def serve(side: str) -> None:
    """Obeys orders from stdin until it ends."""
    loop = asyncio.get_running_loop()
    punctual()
    edge = await Edge.open(Rtc(host=HOST, port=0)) if side == "ours" else None
    far: Far = Ours(edge) if edge is not None else Stock()
    try:
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            reply = json.dumps(await _obey(far, json.loads(line)))
            sys.stdout.write(reply + "\n")
            sys.stdout.flush()
    finally:
        await far.close()
        if edge is not None:
            await edge.close(2.0)


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1]))

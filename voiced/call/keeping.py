"""What is kept of one call, once its caller has agreed: turns as they end, and the sound.

    news, rings --> parts --> lane --> one task --> the vault's own thread

Until `begin` nothing is kept, and nothing of before is; nor what a person who has joined and the
caller say to each other. Whatever goes wrong with the vault ends the
keeping, and not the call. It does not know ciphers, files, or how a caller agrees.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

import numpy as np

from voiced.audio.pcm import HEARING_FRAME, HEARING_HZ, SPEAKING_FRAME, Pcm
from voiced.call.news import News, PersonJoined, PersonLeft, ReplyEnded
from voiced.call.parts import Casting, Source
from voiced.call.transcript import Transcript
from voiced.flow.lane import Lane
from voiced.flow.ring import Ring
from voiced.flow.tap import Tap
from voiced.ops import log, metrics
from voiced.vault.model import Opening, Safe, Unkept
from voiced.vault.record import Kind, Turn, packed_sound
from voiced.vault.sound import Encoder

CUT_S = 10.0
"""How often the sound is cut in a long turn: the rings are three times as long at least."""

_SETTLED = HEARING_HZ // 10
"""The newest 100 ms of what the caller said may yet be patched by a late packet."""

_WAITING = 16
"""Parts. One comes every few seconds; the vault has long raised an alarm when so many wait."""

Work = Callable[[], Awaitable[None]]


class Keeping:
    """One call's. Main loop only; `run` is a task of its own, which `close` lets end."""

    def __init__(self, name: str, casting: Casting, safe: Safe) -> None:
        self.tap = Tap() if casting.agent.vault.recordings else None
        """Where the agent's sound is to be written; None: it is not kept."""
        self._name = name
        self._casting = casting
        self._safe = safe
        self._lane: Lane[Work] = Lane(_WAITING)
        self._transcript: Transcript | None = None
        """None: the caller has not agreed."""
        self._recording: _Recording | None = None
        self._apart = False
        """A person speaks with the caller: that is not kept."""
        self._timer: asyncio.TimerHandle | None = None
        self._begun_at = 0.0
        self._written = -1
        """The newest turn that was kept, or that was before the caller agreed."""
        self._lost: str | None = None
        """Why nothing more is kept."""

    def begin(self, transcript: Transcript, source: Source) -> None:
        """The caller has agreed: from now on the call is kept. Once more is nothing."""
        if self._transcript is not None:
            return
        self._transcript = transcript
        self._written = max(transcript.turns_after(-1), default=-1)
        loop = asyncio.get_running_loop()
        self._begun_at = loop.time()
        agent = self._casting.agent
        recorded = self.tap is not None
        opening = Opening(
            self._name, agent.name, self._casting.language, recorded, agent.vault.retention_days
        )
        self._put(lambda: self._safe.begin(opening))
        if self.tap is not None:
            self._recording = _Recording(source.ring, self.tap.ring)
            self._timer = loop.call_later(CUT_S, self._cut_again)

    def told(self, news: News) -> None:
        """A reply has ended: its turn is kept. One that died unheard has not."""
        match news:
            case PersonJoined():
                self._cut(settled=0)
                self._apart = True
            case PersonLeft():
                self._apart = False
                if self._recording is not None:
                    self._recording.skip()
            case ReplyEnded(take, heard, cut, samples) if self._transcript is not None:
                if (samples or heard) and not self._apart:
                    self._cut()
                    self._keep(self._transcript, take.turn, cut=cut)
            case _:
                pass

    async def run(self) -> None:
        """Hands the parts to the vault, until the last one that `close` leaves."""
        async for work in self._lane:
            await self._try(work)
        if self._transcript is not None:
            await self._safe.end(self._name, self._lost or "left")
        result = "refused" if self._transcript is None else self._lost or "kept"
        metrics.VAULT_CALLS.labels(result).inc()
        log.info("vault.closed", call=self._name, result=result)

    def close(self) -> None:
        """The call is over, and its rings are still there. The vault is not waited for."""
        if self._timer is not None:
            self._timer.cancel()
        if self._transcript is not None:
            self._cut(settled=0)
            if self._recording is not None:
                self._put(partial(self._add, Kind.SOUND, self._recording.end()))
            for turn in self._transcript.turns_after(self._written):
                self._keep(self._transcript, turn, cut=True)
        self._lane.close()
        if self.tap is not None:
            self.tap.close()

    async def _try(self, work: Work) -> None:
        if self._lost is None:
            try:
                await work()
            except Unkept as unkept:
                self._lost = unkept.reason

    def _cut_again(self) -> None:
        self._cut()
        self._timer = asyncio.get_running_loop().call_later(CUT_S, self._cut_again)

    def _cut(self, settled: int = _SETTLED) -> None:
        """The sound so far is a part."""
        if self._recording is not None and self._lost is None and not self._apart:
            self._put(partial(self._add, Kind.SOUND, self._recording.cut(settled)))

    def _keep(self, transcript: Transcript, turn: int, *, cut: bool) -> None:
        """What was said in a turn is a part."""
        self._written = max(self._written, turn)
        caller, agent = transcript.said(turn), transcript.heard(turn)
        if self._casting.agent.vault.transcripts and (caller or agent):
            at_ms = int((asyncio.get_running_loop().time() - self._begun_at) * 1000)
            said = Turn(turn, at_ms, caller, agent, cut)
            self._put(partial(self._add, Kind.TURN, said.packed))

    async def _add(self, kind: Kind, make: Callable[[], bytes]) -> None:
        await self._safe.add(self._name, kind, make)

    def _put(self, work: Work) -> None:
        dropped = self._lane.dropped
        self._lane.put(work)
        if self._lane.dropped > dropped and self._lost is None:
            self._lost = "behind"  # a part is missing: what follows it would seem to join


def keeping_of(name: str, casting: Casting, safe: Safe | None) -> Keeping | None:
    """What the call is kept by; None: it is not, and its caller is not asked."""
    if safe is None or not safe.ready or not casting.agent.vault.keeps:
        return None
    return Keeping(name, casting, safe)


class _Recording:
    """Both sides of a call, from now on, stretch by stretch."""

    def __init__(self, caller: Ring, agent: Ring) -> None:
        self._rings = ((caller, HEARING_FRAME), (agent, SPEAKING_FRAME))
        self._encoder = Encoder()
        self.skip()

    def skip(self) -> None:
        """What has not been cut yet is left out."""
        self._places = [ring.written for ring, _ in self._rings]

    def cut(self, settled: int) -> Callable[[], bytes]:
        """What both have said since; `settled`: samples of the caller's that are left for later.

        It is encoded by whoever calls what is returned.
        """
        ends = (self._rings[0][0].written - settled, self._rings[1][0].written)
        frames = min(
            (end - place) // frame
            for end, place, (_, frame) in zip(ends, self._places, self._rings, strict=True)
        )
        caller, agent = (self._taken(side, max(frames, 0)) for side in (0, 1))
        return lambda: packed_sound(self._encoder.push(caller, agent))

    def end(self) -> Callable[[], bytes]:
        """What the encoder still has."""
        return lambda: packed_sound(self._encoder.end())

    def _taken(self, side: int, frames: int) -> Pcm:
        """The next frames of a side; what its ring has lost meanwhile is silence."""
        ring, frame = self._rings[side]
        begin, self._places[side] = self._places[side], self._places[side] + frames * frame
        pcm = ring.copy(begin, self._places[side])
        return np.pad(pcm, (frames * frame - len(pcm), 0))

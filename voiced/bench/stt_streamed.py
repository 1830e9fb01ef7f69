"""One clip as a call hears it: at its own pace, read ahead while it is said, and at each pause.

    [speech .....][pause][speech ....][end of audio
        ^ pass    ^ final     ^ pass  ^ final: the text, so long after the end

Time jumps from one thing to the next; what the recogniser computes is measured and added, one thing
after the other. Only a pass that is under way when a pause comes runs on beside what follows: the
final waits until it is given up, as in a call. It does not know transcripts or the baseline.
"""

import asyncio
from dataclasses import replace

from voiced import clock
from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.bench.turn_ours import Tape, agent, verdicts
from voiced.call.hearing import Hearing
from voiced.call.parts import Casting
from voiced.config.settings import Settings
from voiced.flow.cancel import Live, Ticket
from voiced.stt.model import Partial, Utterance
from voiced.stt.whisper import Whisper
from voiced.turn.talk import Speech
from voiced.vad.hysteresis import WINDOW
from voiced.vad.model import SpeechBegan, SpeechEnded
from voiced.vad.silero import Memory, Silero

_REST = 4
"""The next pass waits for so many times as long as one took, as in a call."""


class Stream:
    """Reads clips, one after the other."""

    def __init__(self, stt: Whisper, detector: Silero, settings: Settings) -> None:
        self._stt = stt
        self._detector = detector
        self._settings = settings

    async def read(self, pcm: Pcm, language: str) -> tuple[float, str]:
        """Seconds from the end of the audio to its text, and the text."""
        tape = Tape(pcm)
        hearing = Hearing(tape, self._stt, Casting(agent(), "en"), self._settings.vad)
        try:
            return await _Clip(self, tape, hearing, language).read(pcm)
        finally:
            tape.ring.close()

    def told(self, pcm: Pcm) -> list[tuple[float, SpeechBegan | SpeechEnded]]:
        """The detector's verdicts, each with the second at which it tells it."""
        memory = Memory()
        starts = range(0, len(pcm) - WINDOW + 1, WINDOW)
        heard = [self._detector.judge([pcm[at : at + WINDOW]], [memory])[0] for at in starts]
        return verdicts(pcm, heard, self._settings.vad)

    async def final(self, utterance: Utterance) -> tuple[str, float]:
        """The text, and what it took."""
        begun = clock.now()
        heard = await self._stt.transcribe(utterance, _nobody())
        return heard.text.reveal(), clock.now() - begun

    async def glance(self, utterance: Utterance, before: Partial | None) -> tuple[Partial, float]:
        """The partial, and what it took."""
        begun = clock.now()
        partial = await self._stt.partial(utterance, before, _nobody())
        return partial, clock.now() - begun

    @property
    def pace_s(self) -> float:
        """From one pass to the next."""
        return self._settings.stt.partial_ms / 1000


class _Clip:
    """One clip."""

    def __init__(self, stream: Stream, tape: Tape, hearing: Hearing, language: str) -> None:
        self._stream = stream
        self._tape = tape
        self._hearing = hearing
        self._language = language
        self._free_at = 0.0
        self._speech = Speech()

    async def read(self, pcm: Pcm) -> tuple[float, str]:
        end = len(pcm) / HEARING_HZ
        text, ready = "", 0.0
        speaking_since: float | None = None
        for at, verdict in self._stream.told(pcm):
            if isinstance(verdict, SpeechBegan):
                self._speech = self._speech.begun(verdict.sample)
                speaking_since = at
                continue
            async with asyncio.TaskGroup() as passes:
                if speaking_since is not None:
                    await self._ahead(speaking_since, at, passes)
                self._speech = self._speech.paused(verdict.sample, verdict.voiced_s)
                self._tape.play(at)
                text, cost = await self._stream.final(self._utterance())
            ready = self._free_at = max(at, self._free_at) + cost
        return max(ready - end, 0.0), text

    async def _ahead(self, since: float, until: float, passes: asyncio.TaskGroup) -> None:
        """The passes while the caller speaks; the last may be under way still."""
        pace_s, partial = self._stream.pace_s, None
        at = since + pace_s
        while pace_s and (begun := max(at, self._free_at)) < until:
            self._tape.play(begun)
            one = passes.create_task(self._stream.glance(self._utterance(), partial))
            await asyncio.wait((one,), timeout=until - begun)
            if not one.done():
                return
            partial, cost = one.result()
            self._free_at = begun + cost
            at = self._free_at + max(pace_s, _REST * cost)

    def _utterance(self) -> Utterance:
        """What there is so far; a stretch that is not over ends with what has arrived."""
        *done, newest = self._speech.spans
        if newest.stop <= newest.start:
            newest = replace(newest, stop=self._tape.ring.written)
        pcm = self._hearing.cut((*done, newest))
        return Utterance(pcm, self._language, (), self._speech.voiced_s)


def _nobody() -> Ticket:
    live = Live()
    return Ticket("bench", live.take, live)

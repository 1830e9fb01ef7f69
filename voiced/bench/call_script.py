"""What simulated callers say, and what came of it.

A round of one call, each line after 600 ms of the agent's silence unless it says otherwise:

    question      and the reply to its end
    unfinished    a question with a silence of 0.7 s in its middle
    interruption  a question, and "stop" over the reply
    refusal       a question, and "no" over the reply, too short for the agent to hold for it
    murmur        a question, and "mm hmm" over the reply, which goes on

It does not know what the figures are to be.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum, auto
from typing import Any

import numpy as np

from voiced import clock
from voiced.audio.pcm import Pcm
from voiced.bench import call_heard
from voiced.errors import UnavailableError
from voiced.testing.caller import Caller, Event
from voiced.testing.microphone import Said

_GREETING_S, _REPLY_S, _LEDGER_S = 3.0, 20.0, 20.0
_SILENCE_MS = 600
_INTO_THE_REPLY_S = 0.6
_AFTER_HOLD_MS = 1500
"""A silence of the agent's that is longer is no hold."""


class Scene(StrEnum):
    """What the caller does."""

    QUESTION = auto()
    UNFINISHED = auto()
    INTERRUPTION = auto()
    REFUSAL = auto()
    MURMUR = auto()


@dataclass(frozen=True, slots=True)
class Lines:
    """What callers can say, at HEARING_HZ."""

    questions: tuple[Pcm, ...]
    unfinished: Pcm
    stops: tuple[Pcm, ...]
    """One a round."""
    no: Pcm
    murmur: Pcm
    pitches_hz: tuple[float, ...] = ()
    """Of the reply's words, one after the other, where words are tones; of a voice: none."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One question."""

    scene: Scene
    voice_to_voice_ms: float | None
    """None where no reply was heard."""
    early: bool
    """The agent was audible while the caller was not done."""
    legs: dict[str, dict[str, float]]
    """`waited_ms` and `spent_ms` of each, as the daemon tells them."""


@dataclass(frozen=True, slots=True)
class SpokenOver:
    """One line over a reply, from its first voiced sample; None what could not be heard."""

    scene: Scene
    duck_ms: float | None
    silent_ms: float | None
    cancel_ms: float | None = None
    """From the word that the reply is cut to its silence; 0 where it was silent already."""
    whole: bool | None = None
    """Of a murmur: every word of the reply was heard, once, and in order."""


@dataclass(slots=True)
class Taken:
    """One call."""

    connected_ms: float | None = None
    answered: list[Answered] = field(default_factory=list)
    over: list[SpokenOver] = field(default_factory=list)
    budget: dict[str, float] = field(default_factory=dict)
    lost: str = ""
    """Why it did not come to its end, as a kind of error; empty where it did."""


async def hold(caller: Caller, lines: Lines, rounds: int, scenes: Sequence[Scene]) -> Taken:
    """One call from its beginning to its end; never raises for what the daemon does."""
    call = _Call(caller, lines)
    try:
        call.taken.connected_ms = await caller.open()
        await caller.until_onset(caller.connected_at, _GREETING_S)
        for number in range(rounds):
            for scene in scenes:
                await call.play(scene, number)
    except (ConnectionError, UnavailableError) as error:
        call.taken.lost = type(error).__name__
    finally:
        await caller.close()
    return call.taken


class _Call:
    def __init__(self, caller: Caller, lines: Lines) -> None:
        self.taken = Taken()
        self._caller = caller
        self._lines = lines
        self._steady = bool(lines.pitches_hz)

    async def play(self, scene: Scene, number: int) -> None:
        questions = self._lines.questions
        question = questions[number % len(questions)]
        stops = self._lines.stops
        match scene:
            case Scene.QUESTION:
                await self._ask(scene, question)
            case Scene.UNFINISHED:
                await self._ask(scene, self._lines.unfinished)
            case Scene.INTERRUPTION:
                await self._interrupt(scene, question, stops[number % len(stops)])
            case Scene.REFUSAL:
                await self._interrupt(scene, question, self._lines.no)
            case Scene.MURMUR:
                await self._murmur(question)

    async def _ask(self, scene: Scene, pcm: Pcm) -> None:
        said = await self._caller.say(pcm, _SILENCE_MS)
        onset = await self._caller.until_onset(said.last_voiced_at, _REPLY_S)
        ledger = await self._reply_ended(said) if onset is not None else None
        self._note(scene, said, onset, ledger)

    async def _interrupt(self, scene: Scene, question: Pcm, line: Pcm) -> None:
        """The reply is cut off; the answer to what cut it is heard out."""
        asked = await self._begun(question)
        if asked is None:
            return
        said, onset = asked
        stop = await self._caller.say(line, at=onset + _INTO_THE_REPLY_S)
        ledger = await self._caller.until_event("voiced.turn", said.last_voiced_at, _LEDGER_S)
        self._note(scene, said, onset, ledger)
        kind = "output_audio_buffer.cleared"
        cut = await self._caller.until_event(kind, stop.first_voiced_at, 0.0)
        await self._caller.until_quiet(_SILENCE_MS, stop.first_voiced_at)
        self._over(scene, stop, cut=cut)
        over_at = max(stop.last_voiced_at, 0.0 if cut is None else cut.at) + 0.1
        if await self._caller.until_onset(over_at, _REPLY_S) is not None:
            await self._caller.until_event("voiced.turn", over_at, _LEDGER_S)
            await self._caller.until_quiet(_SILENCE_MS, over_at)

    async def _murmur(self, question: Pcm) -> None:
        asked = await self._begun(question)
        if asked is None:
            return
        said, onset = asked
        murmur = await self._caller.say(self._lines.murmur, at=onset + _INTO_THE_REPLY_S)
        ledger = await self._reply_ended(said)
        self._note(Scene.MURMUR, said, onset, ledger)
        heard = self._caller.ear.sound(said.last_voiced_at, clock.now())
        pitches = self._lines.pitches_hz
        words = call_heard.words_in(heard, pitches) if pitches else []
        whole = words == [*range(len(pitches))] if pitches else None
        self._over(Scene.MURMUR, murmur, whole=whole)

    async def _begun(self, question: Pcm) -> tuple[Said, float] | None:
        """A question, and when its reply began; without one the turn is noted."""
        said = await self._caller.say(question, _SILENCE_MS)
        onset = await self._caller.until_onset(said.last_voiced_at, _REPLY_S)
        if onset is None:
            self._note(Scene.QUESTION, said, None, None)
            return None
        return said, onset

    async def _reply_ended(self, said: Said) -> Event | None:
        """The daemon's account of the turn, which comes when its reply was heard."""
        ledger = await self._caller.until_event("voiced.turn", said.last_voiced_at, _LEDGER_S)
        await self._caller.until_quiet(_SILENCE_MS, said.last_voiced_at)
        return ledger

    def _note(self, scene: Scene, said: Said, onset: float | None, ledger: Event | None) -> None:
        body: dict[str, Any] = {} if ledger is None else ledger.body
        waited = None if onset is None else (onset - said.last_voiced_at) * 1000
        early = self._caller.ear.onset(said.first_voiced_at, said.last_voiced_at) is not None
        self.taken.answered.append(Answered(scene, waited, early, body.get("legs", {})))
        self.taken.budget = body.get("budget", self.taken.budget)

    def _over(
        self, scene: Scene, said: Said, *, cut: Event | None = None, whole: bool | None = None
    ) -> None:
        at = said.first_voiced_at
        heard = self._caller.ear.between(at - 1.0, at + 4.0)
        softer = call_heard.softer_after(heard, at) if self._steady else None
        silent = call_heard.silent_after(heard, at)
        cancel = None if cut is None or silent is None else max((silent - cut.at) * 1000, 0.0)
        waits = _since(softer, at), _since(silent, at), cancel
        self.taken.over.append(SpokenOver(scene, *waits, whole))


def _since(instant: float | None, begin: float) -> float | None:
    return None if instant is None else (instant - begin) * 1000


async def staggered(
    callers: Sequence[Caller], lines: Lines, rounds: int, scenes: Sequence[Scene]
) -> list[Taken]:
    """Calls at once, which begin one after the other, so that they do not speak in step."""
    chance = np.random.default_rng(1)

    async def one(number: int, caller: Caller) -> Taken:
        await asyncio.sleep(number * 0.13 + float(chance.uniform(0.0, 0.1)))
        return await hold(caller, lines, rounds, scenes)

    async with asyncio.TaskGroup() as tasks:
        held = [tasks.create_task(one(number, who)) for number, who in enumerate(callers)]
    return [task.result() for task in held]

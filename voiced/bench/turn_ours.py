"""Our side of `voiced bench turn`: detector, recogniser, language model and turn machine, as in a
call, with the time of the call jumping from one thing to the next.

What the engines compute is measured and added to the call's time, so a minute of speech takes the
seconds that its pauses are worth. It does not know where the caller's turn ends in truth.
"""

import heapq
import itertools
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.bench.effort import Effort
from voiced.bench.llm_prompts import GREETING, SYSTEM
from voiced.call.call import STIRRING_S
from voiced.call.hearing import Hearing
from voiced.call.parts import Casting
from voiced.config.agent import Agent, Lines
from voiced.config.settings import TurnPace, Vad
from voiced.flow.cancel import Live, Ticket
from voiced.flow.ring import Ring
from voiced.llm.model import LanguageModel, Message, Role, Slot
from voiced.stt.model import SpeechToText
from voiced.turn.facts import EndScored, Fact, Final, SpeechStarted, SpeechStopped, Timeout
from voiced.turn.machine import Floor, TurnMachine
from voiced.turn.orders import Answer, Order, Release, Transcribe
from voiced.turn.take import Take
from voiced.vad.hysteresis import WINDOW, WINDOW_S
from voiced.vad.model import SpeechBegan, SpeechEnded, Verdict
from voiced.vad.segmenter import Segmenter
from voiced.words import NOTHING, Words

R = TypeVar("R")

PROMPT = f"""{SYSTEM}

Caller: Hello, is this the hospital?
Receptionist: Yes, this is the reception of Larkfield Hospital. How can I help you?
Caller: Where can I leave my car?
Receptionist: You can park in the garage on Mill Road. The first hour is free.
Caller: I have a fever and my throat hurts since Monday.
Receptionist: I am sorry to hear that. Would you like to see a doctor today?
Caller: Yes please, in the afternoon.
Receptionist: Thank you. What is your phone number?
Caller: It is five five five two one zero nine.
Receptionist: Thank you. I have made an appointment for you.
"""

TOLD_S = 0.02 / 2 + WINDOW_S / 2
"""Until a frame arrives, and until the detector's next tick, in the mean."""


@dataclass(frozen=True, slots=True, repr=False)
class Weighed:
    """One pause, and what was known of it."""

    paused_at: float
    """The detector's last voiced sample."""
    scored_at: float
    words: Words
    probability: float


@dataclass(slots=True)
class Replayed:
    """What became of one recording. Seconds of it."""

    releases: list[float] = field(default_factory=list)
    """When an answer would have been let out."""
    pauses: list[Weighed] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Ears:
    """What a replay needs of the resident models."""

    stt: SpeechToText
    llm: LanguageModel
    vad: Vad
    pace: TurnPace
    threads: int
    """Of each engine."""


class Tape:
    """A caller's line on which a recording arrives; a `call.parts.Source`."""

    def __init__(self, pcm: Pcm) -> None:
        self.ring = Ring(max(len(pcm), WINDOW))
        self._pcm = pcm

    def instant(self, sample: int) -> float:
        return sample / HEARING_HZ

    def play(self, until_s: float) -> None:
        """What was said by then has arrived."""
        written = self.ring.written
        self.ring.write(self._pcm[written : max(int(until_s * HEARING_HZ), written)])


def agent() -> Agent:
    """The receptionist of a hospital that is not there."""
    lines = Lines(greeting=GREETING, fallback="Sorry?", goodbye="Goodbye.")
    return Agent(
        name="bench", languages=("en",), prompt=PROMPT, lines={"en": lines}, voices={"en": "none"}
    )


def verdicts(
    pcm: Pcm, probabilities: Sequence[float], pace: Vad
) -> list[tuple[float, SpeechBegan | SpeechEnded]]:
    """What the detector tells, each with the second at which it does; the sound's end ends
    speech."""
    ear = Segmenter(pace, lambda sample: sample / HEARING_HZ)
    found: list[tuple[float, Verdict]] = []
    for number, probability in enumerate(probabilities):
        start = number * WINDOW
        verdict = ear.hear(start, pcm[start : start + WINDOW], probability)
        if verdict is not None:
            found.append(((number + 1) * WINDOW_S + TOLD_S, verdict))
    last = ear.close()
    if last is not None:
        found.append((len(pcm) / HEARING_HZ, last))
    return found


def stirring(pcm: Pcm, probabilities: Sequence[float], pace: Vad) -> list[bool]:
    """By window: whether speech may just have begun."""
    ear = Segmenter(pace, lambda sample: sample / HEARING_HZ)
    found = []
    for number, probability in enumerate(probabilities):
        start = number * WINDOW
        ear.hear(start, pcm[start : start + WINDOW], probability)
        found.append(ear.stirring)
    return found


async def replay(pcm: Pcm, probabilities: Sequence[float], ears: Ears) -> Replayed:
    """One recording from its first sample to its last."""
    speaker = agent()
    tape = Tape(pcm)
    slot = ears.llm.open(speaker, "bench")
    try:
        call = _Replay(tape, Hearing(tape, ears.stt, Casting(speaker, "en"), ears.vad), slot, ears)
        await call.run(pcm, probabilities, ears.vad)
    finally:
        slot.close()
        tape.ring.close()
    return call.found


class _Replay:
    """One call."""

    def __init__(self, tape: Tape, hearing: Hearing, slot: Slot, ears: Ears) -> None:
        self.found = Replayed()
        self._tape = tape
        self._hearing = hearing
        self._slot = slot
        self._machine = TurnMachine(ears.pace)
        self._live = Live()
        self._threads = ears.threads
        self._coming: list[tuple[float, int, Fact]] = []
        self._numbers = itertools.count()
        self._words: dict[Take, Words] = {}
        self._reading_until = self._now = 0.0
        self._stirring: list[bool] = []

    async def run(self, pcm: Pcm, probabilities: Sequence[float], pace: Vad) -> None:
        self._stirring = stirring(pcm, probabilities, pace)
        for at, verdict in verdicts(pcm, probabilities, pace):
            self._expect(at, _fact(verdict))
        while self._coming:
            at, _, fact = heapq.heappop(self._coming)
            await self._until(at)
            await self._handle(at, fact)
        await self._until(float("inf"))

    async def _until(self, at: float) -> None:
        """The deadlines that pass before."""
        while (deadline := self._machine.deadline) is not None:
            late = max(deadline, self._now)  # an endpoint may be moved into the past
            if self._machine.floor is Floor.PAUSING and self._stirs(late):
                late += STIRRING_S
            if late > at:
                break
            await self._handle(late, Timeout(late))

    def _stirs(self, at: float) -> bool:
        """What the detector would say then."""
        newest = int((at - TOLD_S) / WINDOW_S) - 1
        return 0 <= newest < len(self._stirring) and self._stirring[newest]

    async def _handle(self, at: float, fact: Fact) -> None:
        self._now = at
        self._note(at, fact)
        for order in self._machine.handle(fact):
            await self._carry_out(at, order)

    def _note(self, at: float, fact: Fact) -> None:
        if isinstance(fact, EndScored) and fact.take == self._machine.take:
            words = self._words.get(fact.take, NOTHING)
            weighed = Weighed(self._machine.paused_at, at, words, fact.probability)
            self.found.pauses.append(weighed)

    async def _carry_out(self, at: float, order: Order) -> None:
        match order:
            case Transcribe(take):
                self._tape.play(at)
                begun = max(at, self._reading_until)  # the recogniser reads one after the other
                words, cost = await _timed(
                    self._hearing.read(order, self._ticket(take), NOTHING), self._threads
                )
                self._reading_until = begun + cost
                self._words[take] = words
                self._expect(begun + cost, Final(begun + cost, take, words))
            case Answer(take, text):
                history = [Message(Role.ASSISTANT, Words(GREETING)), Message(Role.USER, text)]
                likely, cost = await _timed(
                    self._slot.prefill(history, self._ticket(take)), self._threads
                )
                self._expect(at + cost, EndScored(at + cost, take, likely))
            case Release():
                self.found.releases.append(at)
            case _:
                pass

    def _ticket(self, take: Take) -> Ticket:
        self._live.take = take
        return Ticket("bench", take, self._live)

    def _expect(self, at: float, fact: Fact) -> None:
        heapq.heappush(self._coming, (at, next(self._numbers), fact))


def _fact(verdict: SpeechBegan | SpeechEnded) -> Fact:
    match verdict:
        case SpeechBegan(at, sample):
            return SpeechStarted(at, sample)
        case SpeechEnded(at, sample, voiced_s):
            return SpeechStopped(at, sample, voiced_s)


async def _timed(work: Awaitable[R], threads: int) -> tuple[R, float]:
    effort = Effort(threads)
    result = await work
    return result, effort.seconds

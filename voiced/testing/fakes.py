"""Scripted engines and a scripted caller's line, on the loop of whoever runs them.

They keep the seams' promises (tickets, order, errors) and answer after delays that a script names,
so that a whole call can be held on virtual time.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from voiced.audio.pcm import HEARING_FRAME, HEARING_HZ, SPEAKING_HZ, Pcm
from voiced.config.agent import Agent, Sampling
from voiced.errors import EngineFailed, Refused, Stale
from voiced.flow.cancel import Ticket
from voiced.flow.ring import Ring
from voiced.llm.model import Ending, Message, ReplyStats
from voiced.llm.tool_calls import Asked, Sieve
from voiced.rtc.facts import Closed, Connected, Network
from voiced.rtc.peer import Line
from voiced.stt.model import Heard, Utterance
from voiced.tts.model import Sink, Spoken
from voiced.vad.model import Deafened, Hearsay, SpeechBegan, SpeechEnded
from voiced.vault.model import Opening, Unkept
from voiced.vault.record import Kind, turn_of
from voiced.words import Words


@dataclass(slots=True)
class FakeSpeechToText:
    """Reads the texts that it was given, one for each utterance; an exception is raised."""

    texts: list[str | Exception]
    delay_s: float = 0.2
    utterances: list[Utterance] = field(default_factory=list)
    suspects: Mapping[str, str | Exception] = field(default_factory=dict)
    """What a text turns out to be once it is listened to again for an emergency."""

    async def transcribe(self, utterance: Utterance, ticket: Ticket) -> Heard:
        self.utterances.append(utterance)
        await asyncio.sleep(self.delay_s)
        if ticket.stale:
            raise Stale("stt")
        text = self.texts.pop(0) if self.texts else ""
        if isinstance(text, Exception):
            raise text
        return replace(read_as(text, utterance), again=lambda _phrases, _names: self._again(text))

    async def _again(self, text: str) -> Words:
        await asyncio.sleep(self.delay_s)
        found = self.suspects.get(text, "")
        if isinstance(found, Exception):
            raise found
        return Words(found)

    def close(self) -> None:
        """Nothing to end."""


def read_as(text: str, utterance: Utterance) -> Heard:
    """What a recogniser that is sure of itself tells of these words."""
    tokens = len(text.split())
    return Heard(Words(text), utterance.language, -0.3, 0.1, compression=1.0, tokens=tokens)


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """A reply with its own pace and ending."""

    text: str
    ttft_s: float
    token_s: float
    ending: Literal["stop", "fails", "never"]
    """`fails`, or goes on for ever, behind the text."""


@dataclass(slots=True)
class FakeLanguageModel:
    """Replies with the texts that it was given, word by word; None never replies."""

    replies: list[str | Exception | ScriptedReply | None]
    ttft_s: float = 0.2
    token_s: float = 0.02
    score_s: float = 0.05
    likely_over: float = 1.0
    """What it thinks of every pause: that the turn ends there."""
    slots: int = 4
    histories: list[list[Message]] = field(default_factory=list)
    samplings: list[Sampling] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    """What its slots were told in the place of the agent's."""
    opened: int = 0

    async def prepare(self, agents: Sequence[Agent]) -> None:
        """Nothing to read."""

    def open(self, agent: Agent, call: str) -> "FakeSlot":
        if self.opened >= self.slots:
            raise Refused(503, "full", "no slot is free")
        self.opened += 1
        return FakeSlot(self, agent)

    def close(self) -> None:
        """Nothing to free."""


class FakeSlot:
    """One call's slot of the fake model."""

    def __init__(self, model: FakeLanguageModel, agent: Agent) -> None:
        self._model = model
        self._tools = {tool.name: tool for tool in agent.tools}
        self._closed = False

    def answer(self, history: Sequence[Message], sampling: Sampling, ticket: Ticket) -> "FakeReply":
        self._model.histories.append(list(history))
        self._model.samplings.append(sampling)
        text = self._model.replies.pop(0) if self._model.replies else "I do not know."
        return FakeReply(_scripted(text, self._model), _failure(text), ticket, Sieve(self._tools))

    async def prefill(self, history: Sequence[Message], ticket: Ticket) -> float:
        await asyncio.sleep(self._model.score_s)
        if ticket.stale:
            raise Stale("llm")
        return self._model.likely_over

    def instruct(self, prompt: str) -> None:
        self._model.prompts.append(prompt)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._model.opened -= 1


class FakeReply:
    """One scripted reply."""

    def __init__(
        self,
        script: ScriptedReply,
        failure: Exception,
        ticket: Ticket,
        sieve: Sieve,
    ) -> None:
        self._script = script
        self._failure = failure
        self._ticket = ticket
        self._sieve = sieve
        self.asked = Asked()

    async def __aiter__(self) -> AsyncGenerator[Words]:
        script = self._script
        if script.text or script.ending != "never":
            await asyncio.sleep(script.ttft_s)
        words = script.text.split(" ") if script.text or script.ending == "stop" else []
        for word in words:
            if self._ticket.stale:
                return
            yield Words(self._sieve.feed(f"{word} ".encode()))
            await asyncio.sleep(script.token_s)
        if script.ending == "never":
            await asyncio.sleep(3600)
        if script.ending == "fails":
            raise self._failure
        held, self.asked = self._sieve.end()
        yield Words(held)

    @property
    def stats(self) -> ReplyStats:
        return ReplyStats(Ending.STOP, 0, 0, 0, self._script.ttft_s * 1000)


def _failure(text: object) -> Exception:
    return text if isinstance(text, Exception) else EngineFailed("llm", "scripted")


def _scripted(
    text: str | Exception | ScriptedReply | None, model: FakeLanguageModel
) -> ScriptedReply:
    match text:
        case ScriptedReply():
            return text
        case str():
            return ScriptedReply(text, model.ttft_s, model.token_s, "stop")
        case None:
            return ScriptedReply("", model.ttft_s, model.token_s, "never")
        case _:
            return ScriptedReply("", model.ttft_s, model.token_s, "fails")


@dataclass(slots=True)
class FakeVoice:
    """Makes `seconds_a_letter` of a constant for each letter, in chunks of 200 ms."""

    seconds_a_letter: float = 0.05
    ttfb_s: float = 0.1
    spoken: list[str] = field(default_factory=list)
    failing: bool = False
    tells_words: bool = False
    """Whether it says when each word is over: at its last letter."""

    async def speak(self, clause: Words, sink: Sink, ticket: Ticket, *, first: bool) -> Spoken:
        await asyncio.sleep(self.ttfb_s)
        if self.failing:
            raise EngineFailed("tts", "scripted")
        self.spoken.append(clause.reveal())
        samples = int(len(clause) * self.seconds_a_letter * SPEAKING_HZ)
        for begin in range(0, samples, SPEAKING_HZ // 5):
            if ticket.stale:
                raise Stale("tts")
            sink(np.full(min(SPEAKING_HZ // 5, samples - begin), 1000, np.int16))
            await asyncio.sleep(0)
        ends = re.finditer(r"\S+", clause.reveal()) if self.tells_words else ()
        return Spoken(
            samples / SPEAKING_HZ, tuple(word.end() * self.seconds_a_letter for word in ends)
        )

    def close(self) -> None:
        """Nothing to end."""


@dataclass(slots=True)
class FakePost:
    """Whom a hand-off tells: acknowledges as it was told to, and always in the end."""

    acknowledges: list[bool] = field(default_factory=list)
    delay_s: float = 0.1
    sent: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)

    async def __call__(self, url: str, notice: Mapping[str, str]) -> bool:
        self.sent.append((url, notice))
        await asyncio.sleep(self.delay_s)
        return self.acknowledges.pop(0) if self.acknowledges else True


@dataclass(slots=True)
class FakeSafe:
    """Keeps what it is given in memory; fails with a reason from so many parts on."""

    fails_at: int | None = None
    reason: str = "full"
    part_s: float = 0.0
    """How long the disk takes for each."""
    ready: bool = True
    openings: list[Opening] = field(default_factory=list)
    parts: list[tuple[Kind, bytes]] = field(default_factory=list)
    endings: list[str] = field(default_factory=list)

    async def begin(self, opening: Opening) -> None:
        self.openings.append(opening)

    async def add(self, call: str, kind: Kind, make: Callable[[], bytes]) -> None:
        await asyncio.sleep(self.part_s)
        if self.fails_at is not None and len(self.parts) >= self.fails_at:
            raise Unkept(self.reason)
        if content := make():
            self.parts.append((kind, content))

    async def end(self, call: str, ending: str) -> None:
        self.endings.append(ending)

    def turns(self) -> list[tuple[str, str]]:
        """What the caller said, and heard, in each turn that was kept."""
        kept = [turn_of(content) for kind, content in self.parts if kind is Kind.TURN]
        return [(turn.caller.reveal(), turn.agent.reveal()) for turn in kept]


class FakeSource:
    """A caller's audio: silence that grows with the loop's time; sample 0 was captured at 0.0."""

    def __init__(self) -> None:
        self.ring = Ring(60 * HEARING_HZ)
        self.level = 0
        """Of the sound that the caller makes."""

    def instant(self, sample: int) -> float:
        return sample / HEARING_HZ

    def grow(self, until: float) -> None:
        """The audio up to an instant has arrived."""
        missing = int(until * HEARING_HZ) - self.ring.written
        if missing > 0:
            self.ring.write(np.full(missing, self.level, np.int16))


@dataclass(slots=True)
class FakeDetector:
    """Tells the verdicts that a script gives it."""

    told: dict[str, Callable[[Hearsay], None]] = field(default_factory=dict)
    stirring: bool = False
    """Speech may just have begun."""

    def attach(self, call: str, source: object, told: Callable[[Hearsay], None]) -> None:
        self.told[call] = told

    def stirs(self, call: str) -> bool:
        return self.stirring

    def detach(self, call: str) -> None:
        self.told.pop(call, None)

    def begin(self, call: str, at: float) -> None:
        """The caller was heard to begin at an instant."""
        if call in self.told:
            self.told[call](SpeechBegan(at, int(at * HEARING_HZ)))

    def fail(self, call: str, at: float) -> None:
        """It listens to the call no more."""
        if told := self.told.pop(call, None):
            told(Deafened(at))

    def end(self, call: str, at: float, voiced_s: float) -> None:
        """The caller was heard to fall silent at an instant."""
        if call in self.told:
            self.told[call](SpeechEnded(at, int(at * HEARING_HZ), voiced_s))


@dataclass(slots=True)
class FakePeer:
    """A caller's end of a line without a network, or with one that is always the same."""

    line: Network = field(default_factory=lambda: Network(0.0, 0.0, 0.0))

    def network(self) -> Network:
        return self.line


class FakePerson:
    """Who joins a call: an edge that answers one offer, the connection, and who speaks there."""

    def __init__(self) -> None:
        self.level = 0
        """Of the sound that they make."""
        self.heard: list[tuple[float, int]] = []
        """For each frame when it came, and how loud it was."""
        self.lines: list[Line] = []
        self._connected = False

    async def answer(self, offer: str, line: Line, /) -> tuple[str, "FakePerson"]:
        self.lines.append(line)
        return "answer", self

    def connect(self) -> None:
        self._connected = True
        self.lines[-1].told(Connected(_now()))

    async def close(self) -> None:
        self.hang_up()

    def hang_up(self) -> None:
        """Told once, and last."""
        if self._connected:
            self._connected = False
            self.lines[-1].told(Closed(_now(), "hangup"))

    def tick(self, at: float) -> None:
        if self._connected:
            line = self.lines[-1]
            line.inbound.ring.write(np.full(HEARING_FRAME, self.level, np.int16))
            self.heard.append((at, int(np.max(np.abs(line.playout.tick(at))))))


def _now() -> float:
    return asyncio.get_running_loop().time()


def tone(seconds: float, level: int = 1000) -> Pcm:
    """A constant of some length at SPEAKING_HZ: it can be told from silence, and has no phase."""
    return np.full(int(seconds * SPEAKING_HZ), level, np.int16)

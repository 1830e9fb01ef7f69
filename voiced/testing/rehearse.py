"""Holds a scripted conversation on virtual time, and says what came of it.

No model, sound card or network: a minute takes a moment, and the same script always gives the same
outcome. It does not know what is printed.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from voiced.audio.pcm import FRAME_S, HEARING_HZ, SPEAKING_HZ
from voiced.call.grounding import sources_of
from voiced.call.news import ReplyEnded
from voiced.call.parts import Tongue
from voiced.call.tools import ToolFailed
from voiced.config.agent import Agent, Tool, complaints
from voiced.config.reader import read_agent
from voiced.errors import ConfigError, EngineFailed, Stale
from voiced.flow.cancel import Ticket
from voiced.stt import growth
from voiced.stt.model import Heard, Partial, Utterance
from voiced.testing.fakes import (
    FakeLanguageModel,
    FakePost,
    FakeSafe,
    FakeSource,
    FakeVoice,
    ScriptedReply,
    read_as,
)
from voiced.testing.rehearsal import Cast, Clause, Client, LateFact, Script, Speech, ToolUse
from voiced.testing.stage import Stage, hold
from voiced.tts.fixed import FixedLine, texts
from voiced.tts.model import Sink, Spoken
from voiced.turn.asides import Aside
from voiced.turn.facts import EndScored, Failed, Final, Overheard
from voiced.turn.orders import Line, Order, Reason, Span
from voiced.turn.take import Take
from voiced.words import Words

_LETTER_S = 0.05
"""A fixed line's sound lasts so long for each letter."""

_SURE = 0.95
"""How sure the recogniser is of the language of what it hears."""

_HERE = Path()

_MOST = 0.5
"""So much of a stretch of speech must be in an utterance for its words to be read."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a script, ready for JSON. Times are seconds since the call was connected."""

    orders: list[dict[str, Any]]
    played: list[dict[str, float]]
    """Stretches in which the agent was heard."""
    heard: list[dict[str, Any]]
    """What the caller heard of each reply."""
    turns: list[dict[str, Any]]
    history: list[dict[str, Any]]
    """What the next prompt would hold."""
    told: list[dict[str, str]]
    """What a hand-off told, and whom."""
    unexpected: list[str]
    """Facts that had no row."""
    ended: str
    ended_at: float


def rehearse(script: Script, folder: Path = _HERE) -> Outcome:
    """Plays the script to its end; `folder`: from where it names its agent. Raises ConfigError."""
    agent = cast(script, folder)
    stage = hold(lambda: _stage(script, agent), lambda stage: _play(stage, script))
    return _outcome(stage)


def cast(script: Script, folder: Path) -> Agent:
    """The agent that a script is about. Raises ConfigError."""
    if not script.agent_file:
        agent = script.agent.agent()
        wrong = complaints(agent)
    elif script.agent != Cast():
        raise ConfigError("agent, agent_file: write one of the two")
    else:
        agent, wrong = read_agent(folder / script.agent_file), []
    if script.language not in (None, *agent.languages):
        known = ", ".join(agent.languages)
        wrong.append(f"language = {script.language!r}: write one of: {known}")
    if wrong:
        raise ConfigError("\n".join(wrong))
    return agent


def _stage(script: Script, agent: Agent) -> Stage:
    language = script.language or agent.languages[0]
    llm = FakeLanguageModel(
        [
            ScriptedReply(one.says, one.ttft_ms / 1000, one.token_ms / 1000, one.ending)
            for one in script.replies
        ]
    )
    reader = _Reader(script.speech, language, llm)
    tools = _Tools([*script.tools])
    voice = _Voice(script.clauses)
    return Stage(
        agent=agent,
        language=language,
        lines=_lines(agent, language),
        tongues={
            other: Tongue(voice, _lines(agent, other), sources_of(agent, other))
            for other in agent.languages
            if other != language
        },
        stt=reader,
        partials=reader,
        llm=llm,
        voice=voice,
        source=_Marked(script.speech),
        post=FakePost([*script.webhook]),
        hand=tools.serve,
        program=tools.run,
        safe=FakeSafe(),
    )


async def _play(stage: Stage, script: Script) -> None:
    async with asyncio.TaskGroup() as tasks:
        for speech in script.speech:
            tasks.create_task(stage.speak(speech.at, speech.until))
        for client in script.client:
            tasks.create_task(_at(stage, client.at, _act(stage, client)))
        for late in script.facts:
            tasks.create_task(_at(stage, late.at, _tell(stage, late)))
        await stage.until_over(script.until)


async def _at(stage: Stage, at: float, act: Callable[[], None]) -> None:
    await stage.until(at)
    act()


def _act(stage: Stage, client: Client) -> Callable[[], None]:
    match client.does:
        case "write":
            return lambda: stage.call.ask(Words(client.text))
        case "stop":
            return lambda: stage.call.stop()
        case "leave":
            return lambda: stage.call.leave()
        case "hang_up":
            return lambda: stage.call.hang_up()
        case "acknowledge":
            return lambda: stage.acknowledge()


def _tell(stage: Stage, late: LateFact) -> Callable[[], None]:
    take, text = Take(late.turn, late.take), Words(late.text)
    match late.fact:
        case "Final":
            return lambda: stage.inbox.put(Final(late.at, take, text))
        case "EndScored":
            return lambda: stage.inbox.put(EndScored(late.at, take, late.probability))
        case "Overheard":
            return lambda: stage.inbox.put(Overheard(late.at, take, text, late.asking))
        case "Failed":
            return lambda: stage.inbox.put(Failed(late.at, take))


def _lines(agent: Agent, language: str) -> dict[Line, FixedLine]:
    written = {**texts(agent.lines[language]), Line.HAND_OFF: agent.handoff_line(language)}
    return {line: _line(text) for line, text in written.items() if text}


def _line(text: str) -> FixedLine:
    return FixedLine(Words(text), np.full(int(len(text) * _LETTER_S * SPEAKING_HZ), 1000, np.int16))


class _Marked(FakeSource):
    """The caller's audio: each stretch of speech is a constant, its number."""

    def __init__(self, speech: tuple[Speech, ...]) -> None:
        super().__init__()
        self._speech = speech

    def grow(self, until: float) -> None:
        begin, end = self.ring.written, int(until * HEARING_HZ)
        if end <= begin:
            return
        pcm = np.zeros(end - begin, np.int16)
        for number, one in enumerate(self._speech, start=1):
            start, stop = int(one.at * HEARING_HZ) - begin, int(one.until * HEARING_HZ) - begin
            if start < len(pcm) and stop > 0:
                pcm[max(start, 0) : stop] = number
        self.ring.write(pcm)


@dataclass(slots=True)
class _Reader:
    """Reads the marks in an utterance; tells the language model what to think of its end."""

    speech: tuple[Speech, ...]
    language: str
    """Of speech that says none."""
    llm: FakeLanguageModel

    async def transcribe(self, utterance: Utterance, ticket: Ticket) -> Heard:
        found = [one for one, part in self._parts(utterance) if part > _MOST]
        await asyncio.sleep(found[-1].stt_ms / 1000 if found else 0.0)
        if ticket.stale:
            raise Stale("stt")
        if found and found[-1].stt_fails:
            raise EngineFailed("stt", "scripted")
        self.llm.likely_over = found[-1].likely_over if found else 1.0
        settled = self._settled(utterance, found)
        text = " ".join(one.says for one in found if one.says and self._knows(one, settled))
        return replace(read_as(text, settled), leaning=settled.leaning)

    async def partial(
        self, utterance: Utterance, before: Partial | None, ticket: Ticket
    ) -> Partial:
        """Of speech that goes on, the words that are over."""
        parts = [*self._parts(utterance)]
        await asyncio.sleep(parts[-1][0].stt_ms / 1000 if parts else 0.0)
        if ticket.stale:
            raise Stale("stt")
        settled = self._settled(utterance, [one for one, _ in parts])
        known = [_over(one.says, part) for one, part in parts if self._knows(one, settled)]
        return replace(growth.grown(before, Words(" ".join(known))), leaning=settled.leaning)

    def _settled(self, utterance: Utterance, found: Sequence[Speech]) -> Utterance:
        """The utterance in the language of most of its speech, where it may be in several."""
        if utterance.leaning is None or not found:
            return utterance
        longest = max(found, key=lambda one: one.until - one.at)
        likely = {longest.language or self.language: _SURE}
        leaning = utterance.leaning.after(likely, utterance.voiced_s)
        return replace(utterance, language=leaning.language, leaning=leaning)

    def _knows(self, speech: Speech, utterance: Utterance) -> bool:
        return (speech.language or self.language) == utterance.language

    def _parts(self, utterance: Utterance) -> Iterator[tuple[Speech, float]]:
        """Which stretches of speech are in an utterance, and how much of each."""
        for number, one in enumerate(self.speech, start=1):
            seconds = np.count_nonzero(utterance.pcm == number) / HEARING_HZ
            if seconds:
                yield one, seconds / (one.until - one.at)

    def close(self) -> None:
        """Nothing to end."""


def _over(says: str, part: float) -> str:
    """The words of which this part of the sound holds all."""
    words = says.split()
    return " ".join(words[: int(len(words) * min(part, 1.0) + 0.001)])


@dataclass(slots=True)
class _Tools:
    """What the tools do, the site's and the caller's program's."""

    uses: list[ToolUse]

    async def serve(self, tool: Tool, _arguments: Words, _key: str) -> Words:
        return await self._used(tool.name)

    async def run(self, name: str) -> Words:
        """A program has no way to fail but to say so."""
        try:
            return await self._used(name)
        except ToolFailed as failure:
            return Words(str(failure))

    async def _used(self, name: str) -> Words:
        found = next((one for one in self.uses if one.name == name), None)
        if found is None:
            raise ToolFailed("the script has no more of this tool")
        self.uses.remove(found)
        await asyncio.sleep(found.after_ms / 1000)
        if found.fails:
            raise ToolFailed("the server answers with an error")
        return Words(found.returns)


@dataclass(slots=True)
class _Voice:
    """Makes each clause as the script has it."""

    clauses: tuple[Clause, ...]
    made: int = field(default=0)

    async def speak(self, clause: Words, sink: Sink, ticket: Ticket, *, first: bool) -> Spoken:
        how = self.clauses[min(self.made, len(self.clauses) - 1)] if self.clauses else Clause()
        self.made += 1
        voice = FakeVoice(how.letter_ms / 1000, how.ttfb_ms / 1000, failing=how.fails)
        voice.tells_words = True
        return await voice.speak(clause, sink, ticket, first=first)

    def close(self) -> None:
        """Nothing to end."""


def _outcome(stage: Stage) -> Outcome:
    orders = [_order(at, order) for at, _, given in stage.decisions for order in given]
    heard = [
        {**_take(news.take), "text": news.heard.reveal(), "cut": news.cut}
        for news in stage.news
        if isinstance(news, ReplyEnded) and news.heard
    ]
    turns = [
        {
            "turn": turn.turn,
            "heard": turn.heard.reveal(),
            "reply": turn.reply.reveal(),
            "language": turn.language,
        }
        for turn in stage.turns()
    ]
    history = [
        {"role": message.role.value, "text": message.text.reveal(), "cut": message.cut}
        for message in stage.call.history()
    ]
    told = [{"url": url, "reason": notice["reason"]} for url, notice in stage.post.sent]
    return Outcome(
        orders,
        [*_stretches(stage)],
        heard,
        turns,
        history,
        told,
        stage.unexpected,
        stage.ended,
        round(stage.ended_at or 0.0, 3),
    )


def _order(at: float, order: Order) -> dict[str, Any]:
    shown: dict[str, Any] = {"at": round(at, 3), "order": type(order).__name__}
    for one in fields(order):
        match getattr(order, one.name):
            case Take() as take:
                shown |= _take(take)
            case Words() as words:
                shown[one.name] = words.reveal()
            case Line() | Reason() | Aside() as name:
                shown[one.name] = name.value
            case tuple() as spans:
                shown[one.name] = [_span(span) for span in spans]
            case value:
                shown[one.name] = round(value, 3)
    return shown


def _span(span: Span) -> list[float]:
    return [round(span.start / HEARING_HZ, 3), round(span.stop / HEARING_HZ, 3)]


def _take(take: Take) -> dict[str, int]:
    return {"turn": take.turn, "take": take.take}


def _stretches(stage: Stage) -> Iterator[dict[str, float]]:
    for sounding, frames in groupby(stage.levels, key=lambda frame: frame[1] > 0):
        if sounding:
            instants = [at for at, _ in frames]
            yield {"from": round(instants[0], 3), "to": round(instants[-1] + FRAME_S, 3)}

"""Calls without end at a daemon that misbehaves (`chaos`), and what must hold of them all the same.

    seed ──> plans ──> callers ──(loss, jitter)──> daemon
                          └── what each turn came to ──> Story <── its metrics and its log

What a caller does follows from the seed, its lane and its number alone. It does not know why
something went wrong.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import aiohttp

from voiced.clock import now
from voiced.errors import UnavailableError
from voiced.rtc import ice
from voiced.testing import tones
from voiced.testing.caller import Caller
from voiced.testing.exchange import DEFAULT_PATH, HttpExchange
from voiced.testing.impair import Impairment, Weather, impair, redirected
from voiced.testing.soak_speech import Asked, Hums, Speech, misheard
from voiced.testing.tones import Fault

AT_ONCE = 6
GREETED_S = 12.0
"""Longer than a connection may take to be made."""

SILENT_S = 5.0
"""Without any packet for so long, a line is lost: silence is sent as well."""

QUIET_MS = 800
"""Longer than a gap within an answer, while a dead voice or phoneme program is replaced."""

AGAIN_S = 0.5
"""Of what was heard already, each time that a caller listens: a tone may have just begun."""

Manner = Literal["spoken", "typed", "barging in"]
Ending = Literal["hangs up", "closes", "vanishes", "leaves unanswered", "does not read"]
Outcome = Literal["answered", "apologised", "declined", "left", "lost", "forgotten"]
"""Declined: a program wrote while somebody had the floor, and was told so."""


@dataclass(frozen=True, slots=True)
class Question:
    """One turn of a caller's."""

    fault: Fault
    manner: Manner


@dataclass(frozen=True, slots=True)
class Plan:
    """One call, before it is placed."""

    caller: int
    """Its number, and that of every second question is one more: no two in a row are the same."""
    weather: Weather
    questions: tuple[Question, ...]
    ending: Ending
    patience_s: float
    """How long who leaves unanswered waits."""


def plans(seed: int, lane: int) -> Iterator[Plan]:
    """The calls of one lane, for ever; the same for the same seed."""
    each = tones.CALLERS // AT_ONCE
    number = 0
    while True:
        chance = random.Random(f"{seed}/{lane}/{number}")
        yield Plan(
            caller=lane * each + 2 * number % each,
            weather=_weather(chance),
            questions=tuple(_question(chance, turn) for turn in range(chance.randint(1, 4))),
            ending=chance.choice(
                ("hangs up", "closes", "vanishes", "leaves unanswered", "does not read")
            ),
            patience_s=chance.uniform(0.0, 1.5),
        )
        number += 1


def _weather(chance: random.Random) -> Weather:
    """Fair for every second caller, and up to 10 % loss and 80 ms of jitter."""
    if chance.random() < 0.5:
        return Weather()
    return Weather(
        loss=chance.uniform(0.0, 0.1),
        delay_ms=chance.uniform(0.0, 40.0),
        jitter_ms=chance.uniform(0.0, 80.0),
        seed=chance.randrange(1 << 30),
    )


def _question(chance: random.Random, turn: int) -> Question:
    """Nobody barges in on a greeting; who barges in is heard, or the agent just goes on."""
    fault = Fault.NONE if chance.random() < 0.5 else chance.choice(tuple(Fault))
    manners: tuple[Manner, ...] = ("spoken", "spoken", "typed", "barging in")
    manner = chance.choice(manners[: 4 if turn else 3])
    if manner == "barging in":
        fault = Fault.NONE
    return Question(fault, manner)


@dataclass(frozen=True, slots=True)
class Sample:
    """The daemon as it was at an instant."""

    at: float
    calls: float
    memory_mb: float
    asked_ms: float
    """How long it took to answer for its metrics."""
    late_ms: float
    """How much later than it was due the callers' own loop came round."""


@dataclass(slots=True)
class Story:
    """All that happened."""

    outcomes: Counter[tuple[str, Outcome]] = field(default_factory=Counter)
    """By what was to go wrong, and what the turn came to."""
    calls: Counter[str] = field(default_factory=Counter)
    """By how they ended, or that they were refused."""
    waits_ms: list[tuple[float, float, str]] = field(default_factory=list)
    """When a turn ended, how long its caller waited, and what it came to."""
    samples: list[Sample] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    """Calls through which no packet came any more."""
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Target:
    """Who is called, and how callers speak there."""

    url: str
    udp_port: int
    speech: Speech = field(default_factory=Hums)
    lanes: int = AT_ONCE
    """Callers at once."""
    agents: tuple[str, ...] = ("",)
    """Whom the lanes ask for in turn; empty: nobody by name."""


async def soak(target: Target, seconds: float, seed: int, story: Story) -> None:
    """Places calls for so long, and lets those that are up end."""
    until = now() + seconds
    async with asyncio.TaskGroup() as tasks:
        for lane in range(target.lanes):
            tasks.create_task(_lane(target, lane, seed, until, story))


async def _lane(target: Target, lane: int, seed: int, until: float, story: Story) -> None:
    agent = target.agents[lane % len(target.agents)]
    asks_for = f"{DEFAULT_PATH}?agent={agent}" if agent else ""
    for plan in plans(seed, lane):
        if now() >= until:
            return
        exchange = _Impaired(target.url + asks_for, target.udp_port, plan.weather)
        try:
            if plan.ending == "does not read":
                await _does_not_read(target, plan)
            else:
                await _Visit(plan, exchange, target.speech, story).live()
            story.calls[plan.ending] += 1
        except UnavailableError as error:
            story.calls["refused"] += 1
            if plan.weather.loss == 0.0:
                story.faults.append(f"a call in fair weather was refused: {error}")
        finally:
            await exchange.clear_up()


class _Impaired(HttpExchange):
    """Offers over HTTP, and media through the weather."""

    def __init__(self, url: str, port: int, weather: Weather) -> None:
        super().__init__(url)
        self._port, self._weather = port, weather
        self._proxy: Impairment | None = None

    async def offer(self, sdp: str) -> str:
        self._proxy = await impair(self._port, self._weather)
        return redirected(await super().offer(sdp), self._port, self._proxy.port)

    async def clear_up(self) -> None:
        """Closes the proxy."""
        if self._proxy is not None:
            await self._proxy.close()

    @property
    def call(self) -> str:
        """Its name in the daemon's log."""
        return (self._location or "").rpartition("/")[2]

    def forget(self) -> None:
        """Nobody hangs up over HTTP."""
        self._location = None


class _Visit:
    """One call, from offer to end."""

    def __init__(self, plan: Plan, exchange: _Impaired, speech: Speech, story: Story) -> None:
        self._plan, self._exchange, self._story = plan, exchange, story
        self._speech = speech
        self._caller = Caller("", exchange=exchange)
        self._asked: list[Asked] = []

    async def live(self) -> None:
        """Raises UnavailableError where the call did not come about."""
        caller = self._caller
        await caller.open()
        try:
            if await caller.until_onset(0.0, GREETED_S) is None:  # it may be quicker than the news
                self._greeted_by_nobody()
            await caller.until_event("session.created", 0.0, GREETED_S)
            for question in self._plan.questions:
                await self._turn(question)
            if self._plan.ending == "leaves unanswered":
                await self._ask(Question(Fault.NONE, "typed"))
                await asyncio.sleep(self._plan.patience_s)
                self._story.outcomes["none", "left"] += 1
        except (ConnectionError, UnavailableError):
            self._story.outcomes["none", "lost"] += 1
            self._story.lost.append(f"call {self._exchange.call}, {self._plan}: its line was lost")
        finally:
            self._look_for_strangers()
            await self._leave()

    def _greeted_by_nobody(self) -> None:
        """Raises UnavailableError where no packet ever came: each side may give up alone."""
        if not len(self._caller.heard().at):
            raise UnavailableError("the line was connected, but nothing came through it")
        self._story.faults.append(f"{self._plan}: heard no greeting")

    async def _turn(self, question: Question) -> None:
        asked_at = await self._ask(question)
        outcome = await self._outcome(asked_at)
        self._story.outcomes[self._asked[-1].kind, outcome] += 1
        self._story.waits_ms.append((now(), (now() - asked_at) * 1000, outcome))
        if outcome == "forgotten":
            told = [str(one.body.get("type")) for one in self._caller.events if one.at >= asked_at]
            where = f"call {self._exchange.call}, {question}"
            self._story.faults.append(f"{where} was forgotten, told {told}: {self._plan}")

    async def _ask(self, question: Question) -> float:
        """Asks, and returns the instant from which an answer is owed."""
        turn, call = len(self._asked), self._exchange.call
        asked = self._speech.ask(self._plan.caller, turn, question.fault, call)
        self._asked.append(asked)
        if question.manner != "barging in":
            await self._caller.until_quiet(QUIET_MS)
        if question.manner == "typed":
            for event in _typed(asked.text):
                self._caller.send(event)
            return now()
        said = await self._caller.say(asked.pcm, after_silence_ms=None)
        return said.last_voiced_at

    async def _outcome(self, asked_at: float) -> Outcome:
        since = asked_at
        while now() < asked_at + self._speech.answer_s:
            heard = self._speech.heard(self._caller.ear.sound(since, float("inf")))
            since = max(asked_at, now() - AGAIN_S)
            if self._asked[-1].mark in heard.marks:
                return "answered"
            if heard.line:
                return "apologised"
            if any(e.at >= asked_at and e.body.get("type") == "error" for e in self._caller.events):
                return "declined"
            if self._caller.over or not len(self._caller.ear.between(now() - SILENT_S, now()).at):
                raise ConnectionError
            await asyncio.sleep(0.2)
        return "forgotten"

    def _look_for_strangers(self) -> None:
        """Of all that was heard, each mark must be one's own; and so must what was understood."""
        heard = self._speech.heard(self._caller.ear.sound(0.0, float("inf")))
        call = f"call {self._exchange.call}, {self._plan}"
        for number in heard.marks - {one.mark for one in self._asked}:
            self._story.faults.append(f"{call}: heard {number}, who is another caller")
        for _topic in misheard(self._asked, [event.body for event in self._caller.events]):
            self._story.faults.append(f"{call}: was taken at the word of another caller")

    async def _leave(self) -> None:
        if self._plan.ending == "vanishes":
            ice.vanish(self._caller._connection)
        if self._plan.ending in ("vanishes", "closes"):
            self._exchange.forget()
        await self._caller.close()


def _typed(text: str) -> tuple[dict[str, object], dict[str, object]]:
    content = [{"type": "input_text", "text": text}]
    item = {"type": "message", "role": "user", "content": content}
    return {"type": "conversation.item.create", "item": item}, {"type": "response.create"}


async def _does_not_read(target: Target, plan: Plan) -> None:
    """A program that asks over a WebSocket, and reads none of the answers."""
    try:
        async with (
            aiohttp.ClientSession() as http,
            http.ws_connect(
                f"{target.url}/v1/realtime", timeout=aiohttp.ClientWSTimeout(ws_close=0.5)
            ) as ws,
        ):
            for turn, question in enumerate(plan.questions):
                asked = target.speech.ask(plan.caller, turn, question.fault, "0")
                for event in _typed(asked.text):
                    await ws.send_json(event)
                await asyncio.sleep(plan.patience_s)
    except aiohttp.ClientError as error:
        raise UnavailableError(f"{target.url}: no WebSocket ({type(error).__name__})") from None

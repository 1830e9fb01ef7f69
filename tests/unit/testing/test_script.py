"""Who speaks when in `voiced call`, and what is reported; virtual time, a scripted agent."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from voiced.testing import virtualtime
from voiced.testing.caller import Event
from voiced.testing.microphone import Said
from voiced.testing.script import Report, converse

pytestmark = pytest.mark.unit

FILE_S = 2.0


@dataclass
class Agent:
    """A caller whose agent speaks in known spans, and who notes when files began."""

    spans: list[tuple[float, float]]
    """When the agent speaks, in seconds since the call was connected."""
    ledgers: list[tuple[float, dict[str, Any]]] = field(default_factory=list)
    said: list[float] = field(default_factory=list)
    over_at: float = float("inf")
    closed: int = 0
    connected_at: float = 0.0

    @property
    def now(self) -> float:
        return asyncio.get_running_loop().time()

    @property
    def ear(self) -> "Agent":
        return self

    @property
    def events(self) -> list[Event]:
        return [Event(at, body) for at, body in self.ledgers]

    def onset(self, begin: float, end: float = float("inf")) -> float | None:
        starts = [max(a, begin) for a, b in self.spans if b > begin and max(a, begin) < end]
        return min(starts, default=None)

    async def open(self) -> float:
        return 26.04

    async def close(self) -> None:
        self.closed += 1

    async def until_quiet(self, ms: int, since: float = 0.0) -> None:
        while True:
            ends = [min(b, self.now) for a, b in self.spans if a < self.now and b > since]
            left = max(ends, default=since) + ms / 1000 - self.now
            if left <= 1e-9:
                return
            await asyncio.sleep(left)

    async def until_onset(self, since: float, limit_s: float) -> float | None:
        found = self.onset(since, self.now + limit_s)
        await asyncio.sleep(limit_s if found is None else max(found - self.now, 0))
        return found

    async def until_event(self, kind: str, since: float, limit_s: float) -> Event | None:
        coming = [at for at, _ in self.ledgers if at >= since]
        await asyncio.sleep(max(min([*coming, self.now + limit_s]) - self.now, 0))
        return None

    async def say(self, path: Path, silence_ms: int, at: float | None) -> Said:
        if at is None:
            await self.until_quiet(silence_ms)
        else:
            await asyncio.sleep(max(at - self.now, 0))
        begin = self.now
        self.said.append(round(begin, 3))
        await asyncio.sleep(FILE_S)
        if self.now > self.over_at:
            raise ConnectionError
        return Said(begin + 0.25, begin + FILE_S - 0.25)


def hold(agent: Agent, count: int, at: tuple[float | None, ...] = ()) -> Report:
    async def main() -> Report:
        return await converse(agent, [Path("x.wav")] * count, at)

    return virtualtime.run(main())


def ledger(turn: int, heard: str) -> dict[str, Any]:
    return {"type": "voiced.turn", "turn": turn, "heard": heard, "reply": "r", "legs": {"stt": 1}}


def test_the_first_file_waits_for_the_greeting_and_600_ms_more() -> None:
    agent = Agent([(0.3, 2.3), (6.0, 7.0)], [(7.1, ledger(1, "a"))])
    hold(agent, 1)

    assert [2.9] == agent.said


def test_an_agent_without_a_greeting_is_spoken_to_after_two_seconds() -> None:
    agent = Agent([(6.0, 7.0)], [(7.1, ledger(1, "a"))])
    hold(agent, 1)

    assert [2.0] == agent.said


def test_the_next_file_waits_until_the_reply_is_over() -> None:
    """A breath of the agent's that is longer than 600 ms does not count: its ledger comes later."""
    agent = Agent([(0.0, 1.0), (4.0, 5.0), (5.8, 6.8), (11.0, 12.0)])
    agent.ledgers = [(6.9, ledger(1, "a")), (12.1, ledger(2, "b"))]
    report = hold(agent, 2)

    assert [1.6, 7.4] == agent.said
    assert ["a", "b"] == [turn.heard for turn in report.turns]


def test_a_filler_is_no_reply() -> None:
    """The next file waits for what comes behind it, be it ten seconds later."""
    agent = Agent([(0.0, 1.0), (4.0, 4.3), (14.0, 15.0), (20.0, 21.0)])
    agent.ledgers = [(15.1, ledger(1, "a")), (21.1, ledger(2, "b"))]
    report = hold(agent, 2)

    assert [1.6, 15.6] == agent.said
    assert ["a", "b"] == [turn.heard for turn in report.turns]


def test_a_file_with_its_own_instant_waits_for_nobody() -> None:
    agent = Agent([(0.0, 1.0), (4.0, 9.0)], [(9.1, ledger(1, "a"))])
    report = hold(agent, 2, (None, 5.0))

    assert [1.6, 5.0] == agent.said
    assert [False, True] == [turn.early for turn in report.turns]


def test_voice_to_voice_is_from_the_last_voiced_sample_to_the_first_sound() -> None:
    agent = Agent([(0.0, 1.0), (4.0, 5.0)], [(5.1, ledger(1, "words"))])
    turn = hold(agent, 1).turns[0]

    # the file begins at 1.6, its last voiced sample is sent at 3.35
    assert pytest.approx(650.0) == turn.voice_to_voice_ms
    assert ("words", "r", {"stt": 1}, False) == (turn.heard, turn.reply, turn.legs, turn.early)


def test_an_agent_that_interrupts_is_early() -> None:
    agent = Agent([(0.0, 1.0), (2.5, 3.0), (4.0, 5.0)], [(5.1, ledger(1, "a"))])

    assert hold(agent, 1).turns[0].early


def test_no_reply_is_reported_as_none() -> None:
    agent = Agent([(0.0, 1.0)])
    turn = hold(agent, 1).turns[0]

    assert (None, "", "", {}) == (turn.voice_to_voice_ms, turn.heard, turn.reply, turn.legs)


def test_a_call_that_the_daemon_ends_is_reported_as_far_as_it_went() -> None:
    agent = Agent([(0.0, 1.0), (4.0, 5.0)], [(5.1, ledger(1, "a"))], over_at=7.0)
    report = hold(agent, 3)

    assert ["a", "", ""] == [turn.heard for turn in report.turns]
    assert 1 == agent.closed


def test_what_the_daemon_took_for_two_turns_is_one_file() -> None:
    agent = Agent([(0.0, 1.0), (4.0, 5.0)], [(3.0, ledger(1, "one")), (5.1, ledger(2, "two"))])

    assert "one two" == hold(agent, 1).turns[0].heard


def test_the_report_has_the_contracts_keys_and_the_call_is_closed() -> None:
    agent = Agent([(0.0, 1.0), (4.0, 5.0)], [(5.1, ledger(1, "a"))])
    report = hold(agent, 1).json()

    assert ["connected_ms", "turns", "events"] == list(report)
    assert ["heard", "reply", "legs", "voice_to_voice_ms", "early"] == list(report["turns"][0])
    assert [5100.0] == [event["at_ms"] for event in report["events"]]
    assert 1 == agent.closed

"""A conversation from recordings: who speaks when, and the report of `voiced call`.

    file 1  ──────|last voiced                     file 2 ───────
    agent         |    ~~~~~~~~~ reply ~~~~~~~~~|600 ms|
                  |<-->| voice to voice

It does not know WebRTC.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from voiced import clock
from voiced.testing.caller import Caller
from voiced.testing.microphone import Said

SILENCE_MS = 600
_GREETING_S = 2.0
"""How long a greeting may take to begin; an agent without one is spoken to after that."""

_REPLY_S = 20.0
_LEDGER_S = 5.0
_TURN = "voiced.turn"


@dataclass(frozen=True, slots=True)
class Turn:
    """One recording and what came of it."""

    heard: str
    reply: str
    legs: dict[str, Any]
    voice_to_voice_ms: float | None
    """None where no reply was heard."""
    early: bool
    """The agent was audible between the recording's first and last voiced sample."""


@dataclass(frozen=True, slots=True)
class Report:
    """What `voiced call --json` prints."""

    connected_ms: float
    turns: list[Turn] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    """The daemon's events, each with `at_ms` since the call was connected."""

    def json(self) -> dict[str, Any]:
        return asdict(self)


async def converse(
    caller: Caller, files: Sequence[Path], at: Sequence[float | None] = ()
) -> Report:
    """Opens the call, speaks every file, waits for every reply, and closes.

    A file begins after 600 ms of silence of the agent's, the greeting's included, or at its own
    instant of `at`: seconds after the call was connected. A call that the daemon ends early is
    reported as far as it went.
    """
    begins = [*at, *([None] * len(files))][: len(files)]
    connected_ms = await caller.open()
    spoken: list[Said] = []
    try:
        await caller.until_onset(caller.connected_at, 0.0 if _given(begins, 0) else _GREETING_S)
        for index, path in enumerate(files):
            begin = begins[index]
            instant = None if begin is None else caller.connected_at + begin
            spoken.append(await caller.say(path, SILENCE_MS, instant))
            following = begins[index + 1] if _given(begins, index + 1) else None
            await _reply(caller, spoken[-1], following)
    except ConnectionError:
        pass  # the daemon has hung up: what was not said has no reply
    finally:
        await caller.close()
    turns = [_turn(caller, spoken, index) for index in range(len(spoken))]
    turns += [Turn("", "", {}, None, early=False)] * (len(files) - len(spoken))
    return Report(round(connected_ms, 1), turns, _events(caller))


def _given(begins: Sequence[float | None], index: int) -> bool:
    return index < len(begins) and begins[index] is not None


async def _reply(caller: Caller, said: Said, following: float | None) -> None:
    """Waits until the reply is over, or until shortly before the next file is due."""
    left = None if following is None else caller.connected_at + following - clock.now()
    try:
        async with asyncio.timeout(None if left is None else max(left, 0.0)):
            if await caller.until_onset(said.last_voiced_at, _REPLY_S) is None:
                return
            await caller.until_quiet(SILENCE_MS, said.last_voiced_at)
            # the daemon's account of the turn; not every daemon gives one. What was heard may have
            # been a filler: one that tells events has as long for the reply as if it were silent
            patience_s = _REPLY_S if caller.events else _LEDGER_S
            await caller.until_event(_TURN, said.last_voiced_at, patience_s)
            await caller.until_quiet(SILENCE_MS, said.last_voiced_at)
    except TimeoutError:
        return


def _turn(caller: Caller, spoken: list[Said], index: int) -> Turn:
    said = spoken[index]
    end = spoken[index + 1].first_voiced_at if index + 1 < len(spoken) else float("inf")
    onset = caller.ear.onset(said.last_voiced_at, end)
    ledgers = _ledgers(caller, said.first_voiced_at, end)
    return Turn(
        heard=" ".join(text for one in ledgers if (text := str(one.get("heard", "")))),
        reply=" ".join(text for one in ledgers if (text := str(one.get("reply", "")))),
        legs=ledgers[-1].get("legs", {}) if ledgers else {},
        voice_to_voice_ms=None if onset is None else round((onset - said.last_voiced_at) * 1e3, 1),
        early=caller.ear.onset(said.first_voiced_at, said.last_voiced_at) is not None,
    )


def _ledgers(caller: Caller, begin: float, end: float) -> list[dict[str, Any]]:
    return [
        event.body
        for event in caller.events
        if event.body.get("type") == _TURN and begin <= event.at < end
    ]


def _events(caller: Caller) -> list[dict[str, Any]]:
    return [
        {"at_ms": round((event.at - caller.connected_at) * 1000.0, 1), **event.body}
        for event in caller.events
    ]

"""One call from this machine: devices opened, the call placed, and what is said told as it comes.

It does not know where the texts go, or how a lost line is taken up again.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from voiced.talk import device
from voiced.talk.line import Line
from voiced.talk.room import Room
from voiced.testing.exchange import HttpExchange


@dataclass(frozen=True, slots=True)
class Report:
    """What `voiced talk --json` prints."""

    connected_ms: float
    turns: int
    underruns: int
    """Blocks that the devices played or took without us."""
    shortages: int
    """How often the network was later than what is kept against that."""
    dropped_ms: int
    """Of both directions: what had to be left out to stay on time."""
    returns: int
    """How often a lost line was taken up again."""
    lost: bool
    """Whether the call ended because a line was lost and could not be taken up again."""


async def talk(
    exchange: HttpExchange,
    told: Callable[[str, str], None],
    stop: asyncio.Event,
    microphone: str | None = None,
    speaker: str | None = None,
    sound: object = None,
) -> Report:
    """Holds a call until the daemon ends it, or `stop` is set.

    `told` gets who said what: "heard" and "reply" of a turn; and of the "line", lost or back.

    Raises UnavailableError: no devices, before anybody is called, or no daemon.
    """
    room = Room()
    with device.opened(room.turn, microphone, speaker, sound) as bridge:
        line = Line(exchange, room, lambda state: told("line", state))
        connected_ms = await line.open()
        turns = 0

        def turned(turn: Mapping[str, object]) -> None:
            nonlocal turns
            turns += 1
            for who in ("heard", "reply"):
                told(who, str(turn.get(who, "")))

        try:
            async with asyncio.TaskGroup() as tasks:
                ends = {tasks.create_task(stop.wait()), tasks.create_task(line.follow(turned))}
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
                for one in ends:
                    one.cancel()
        finally:
            await line.close()
        dropped = room.said.dropped + room.played.dropped
        return Report(
            connected_ms=round(connected_ms, 1),
            turns=turns,
            underruns=bridge.underruns,
            shortages=room.played.short,
            dropped_ms=dropped // 16,
            returns=line.returns,
            lost=line.lost,
        )

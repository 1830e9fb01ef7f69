"""One call from this machine: devices opened, the call placed, and what is said told as it comes.

It does not know where the texts go.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from voiced.audio.pcm import HEARING_FRAME
from voiced.talk import device
from voiced.talk.earpiece import Earpiece
from voiced.talk.room import Room
from voiced.testing.caller import Caller
from voiced.testing.exchange import Exchange
from voiced.testing.microphone import Microphone

_TURN = "voiced.turn"


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


async def talk(
    exchange: Exchange,
    told: Callable[[str, str], None],
    stop: asyncio.Event,
    microphone: str | None = None,
    speaker: str | None = None,
    sound: object = None,
) -> Report:
    """Holds a call until the daemon ends it, or `stop` is set; `told` gets who said what.

    Raises UnavailableError: no devices, before anybody is called, or no daemon.
    """
    room = Room()
    with device.opened(room.turn, microphone, speaker, sound) as bridge:
        own = Microphone(lambda: room.said.take(HEARING_FRAME))
        caller = Caller("", exchange=exchange, microphone=own, buffer=Earpiece(room.played.put))
        connected_ms = await caller.open()
        turns = 0

        def turned(turn: Mapping[str, object]) -> None:
            nonlocal turns
            turns += 1
            for who in ("heard", "reply"):
                told(who, str(turn.get(who, "")))

        try:
            async with asyncio.TaskGroup() as tasks:
                ends = {tasks.create_task(stop.wait()), tasks.create_task(_follow(caller, turned))}
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
                for one in ends:
                    one.cancel()
        finally:
            await caller.close()
        dropped = room.said.dropped + room.played.dropped
        return Report(
            round(connected_ms, 1), turns, bridge.underruns, room.played.short, dropped // 16
        )


async def _follow(caller: Caller, turned: Callable[[Mapping[str, object]], None]) -> None:
    """Tells every turn, until the call is over."""
    while event := await caller.until_event(_TURN, caller.connected_at, None):
        caller.events.clear()
        turned(event.body)

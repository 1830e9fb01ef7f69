"""The task that feeds systemd's watchdog, while the media loop and every engine's thread move.

It runs on the main loop: when that hangs, nobody feeds. What is stuck is logged and shown as STATUS
before systemd ends the process, and its last words are the stack of every thread. It does not know
what the threads do.
"""

import asyncio
from collections.abc import Callable

from voiced.config.environment import watchdog_s
from voiced.config.settings import Settings
from voiced.daemon.loss import Loss
from voiced.ops import log, notify
from voiced.ops.watchdog import Pulse, Stuck, Watchdog

BEAT_S = 2.5
"""Where no watchdog asks for more: often enough to see within seconds what is stuck."""

FED_EACH = 4
"""Looks in the time that the watchdog allows: one may be late, and one lost."""

LATE_S = 1.0
"""A look that comes so much later than it should: something computes on the main loop."""

MEDIA_S = 5.0
"""The media loop and the detector move many times a second, so this is a hang at any load."""

DEADLINES = 4
"""Work that has taken so many of its deadlines: its caller has long been told something else."""


def limit_s(stage: str, settings: Settings) -> float:
    """How long a stage's thread may work without a sign of progress."""
    deadlines_ms = {
        "stt": settings.stt.deadline_ms,
        "llm": settings.llm.first_token_deadline_ms,
        "tts": settings.tts.deadline_ms,
    }
    return max(MEDIA_S, DEADLINES * deadlines_ms.get(stage, 0) / 1000)


class Watch:
    """Main loop only."""

    def __init__(self, settings: Settings) -> None:
        self.feed: Callable[[], None] = notify.alive
        """What systemd is told at each look at which everything moves."""
        self.well: Callable[[], str] = lambda: "ready"
        """What is shown once nothing is stuck any more."""
        self.loss = Loss()
        """Whether the card is still there."""
        self._settings = settings
        allowed_s = watchdog_s()
        self._beat_s = BEAT_S if allowed_s is None else min(BEAT_S, allowed_s / FED_EACH)
        self._watchdog = Watchdog(self._beat_s)
        self._stuck: frozenset[str] = frozenset()

    def add(self, stage: str, name: str, pulse: Pulse) -> None:
        """A thread to look at; `name` tells it from others of its stage."""
        self._watchdog.add(name, pulse, limit_s(stage, self._settings))

    async def run(self) -> None:
        """Looks until it is cancelled."""
        now = asyncio.get_running_loop().time
        while True:
            looked_at = now()
            self._look(looked_at)
            await asyncio.sleep(self._beat_s)
            late_s = now() - looked_at - self._beat_s
            if late_s > LATE_S:
                log.warning("loop.late", seconds=late_s)

    def _look(self, at: float) -> None:
        stuck = self._watchdog.look(at)
        self._tell(stuck)
        if not stuck:
            self.feed()

    def _tell(self, stuck: tuple[Stuck, ...]) -> None:
        names = frozenset(one.name for one in stuck)
        for one in stuck:
            if one.name not in self._stuck:
                log.warning("thread.stuck", thread=one.name, seconds=one.silent_s)
        for name in self._stuck - names:
            log.info("thread.moved", thread=name)
        if names and names != self._stuck:
            notify.status(f"stuck: {', '.join(sorted(names))}")
        elif self._stuck and not names:
            notify.status(self.well())
        self._stuck = names

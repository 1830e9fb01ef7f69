"""Notices that the card is lost, once: an engine's own call said so, or the driver tells of it.

    engine's fault ──┐
                     ├──> lost, for good: callers are told, the process ends, systemd starts another
    driver's tale ───┘

A card that is lost to a process stays so: nothing here unsets it. A driver that does not answer
holds up a thread of its own, which the watchdog then sees. It does not know what is done about it.
"""

import asyncio
from collections.abc import Callable
from typing import Protocol

from voiced.config.environment import visible_cards
from voiced.errors import EngineFailed, UnavailableError
from voiced.gpu.card import Vigil, library
from voiced.gpu.worker import Urgency, Worker

LOOK_S = 1.0

_ANSWER_S = 4.0
"""Shorter than the watchdog's patience with the thread that asks."""


class Faulty(Protocol):
    """What an engine shows of the card that it runs on. Read on any thread."""

    @property
    def fault(self) -> str | None: ...


class Loss:
    """Main loop only."""

    def __init__(self) -> None:
        self.why: str | None = None
        """What took the card; None while it is there."""
        self._engines: dict[str, Faulty] = {}
        self._look: Callable[[], str | None] = lambda: None
        self._worker: Worker | None = None

    def add(self, name: str, engine: Faulty) -> None:
        """An engine whose work may find the card gone."""
        self._engines[name] = engine

    def ask(self, vigil: Vigil) -> Worker:
        """The card's driver is asked too, from now on; returns the thread that asks."""
        self._look = vigil.look
        self._worker = Worker("card", 1)
        return self._worker

    async def run(self, lost: Callable[[str], None]) -> None:
        """Looks until the card is lost, and then says so once."""
        while self.why is None:
            await asyncio.sleep(LOOK_S)
            self.why = self._fault() or await self._told()
        lost(self.why)

    def check(self) -> None:
        """Raises UnavailableError when the card was lost: systemd then starts another process."""
        if self.why is not None:
            raise UnavailableError(
                f"the card is lost ({self.why}): the daemon ends, to be started anew; if that does "
                "not help: nvidia-smi, then docs/operations.md"
            )

    def _fault(self) -> str | None:
        found = ((name, engine.fault) for name, engine in self._engines.items())
        return next((f"{name}: {fault}" for name, fault in found if fault is not None), None)

    async def _told(self) -> str | None:
        """A driver that fails to answer once has not lost the card."""
        if self._worker is None:
            return None
        try:
            return await self._worker.run(
                self._look, urgency=Urgency.FIRST, ticket=None, deadline_s=_ANSWER_S
            )
        except EngineFailed:
            return None


def vigil() -> Vigil:
    """Of the card that CUDA uses here. Blocks; raises UnavailableError."""
    return Vigil(library(), visible_cards())

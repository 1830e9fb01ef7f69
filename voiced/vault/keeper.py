"""The vault as the daemon uses it: all that touches the disk runs on one thread of its own.

Nobody waits for the disk who speaks with a caller. When it is full, broken or too slow, a call is
no longer kept, and goes on; an alarm is raised (log, metric, health) until the disk takes something
again, and calls that begin meanwhile are not asked whether they may be kept. It does not know what
is said in a call.
"""

import asyncio
import errno
import os
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from typing import TypeVar

from voiced import clock
from voiced.audit.entries import DAEMON, VaultErased
from voiced.audit.model import Audit
from voiced.config.settings import Vault as Place
from voiced.errors import EngineFailed, VoicedError
from voiced.gpu.worker import Urgency, Worker
from voiced.ops import log, metrics
from voiced.vault.keys import SiteKeys
from voiced.vault.model import Opening, Unkept
from voiced.vault.record import Kind
from voiced.vault.vault import Gone, Vault, lock

WAITING = 32
"""Jobs; some 30 MB of sound at most. A disk that lets more of them wait has stopped."""

DEADLINE_S = 20.0
LOOK_S = 30.0
"""How often a disk that failed is tried."""

SWEEP_S = 3600.0
RETENTION = "retention"
"""Why a call is erased whose days are over."""

_TOLD = {"full": "is full", "failed": "failed", "behind": "is too slow"}
_SLOW = ("queue full", "deadline passed")
_FULL = (errno.ENOSPC, errno.EDQUOT)
T = TypeVar("T")


class Keeper:
    """A `model.Safe`. Main loop only; `run` is one task, `close` comes last."""

    def __init__(
        self,
        place: Place,
        site: SiteKeys | None,
        audit: Audit,
        told: Callable[[str | None], None] = lambda _alarm: None,
        wall: Callable[[], int] = lambda: int(clock.wall().timestamp()),
    ) -> None:
        """`site` None: nothing new is kept, and what was is erased in its time.

        `told` hears why calls are not kept, and None when they are again.
        """
        self._worker = Worker("vault", WAITING)
        self.alarm: str | None = None
        """Why calls are not kept now: `full`, `failed` or `behind`."""
        self._place = place
        self._site = site
        self._audit = audit
        self._told = told
        self._wall = wall
        self._vault: Vault
        self._held = ExitStack()
        """What is open, on the vault's thread."""

    async def open(self) -> None:
        """Opens the vault, and ends what a crash left. Raises UnavailableError or Damaged."""
        found = await self._on_disk(self._opened)
        if isinstance(found, VoicedError):
            raise found

    @property
    def has_key(self) -> bool:
        """It can keep calls at all, and not only erase what was kept."""
        return self._site is not None

    @property
    def ready(self) -> bool:
        """Calls are kept now."""
        return self.has_key and self.alarm is None

    async def begin(self, opening: Opening) -> None:
        """A call is kept from now on. Raises Unkept."""
        site = self._site
        assert site is not None
        await self._kept(lambda: self._vault.begin(opening, site))

    async def add(self, call: str, kind: Kind, make: Callable[[], bytes]) -> None:
        """One more part, which `make` makes on the vault's thread; empty: none. Raises Unkept."""

        def add() -> None:
            if content := make():
                self._vault.add(call, kind, content)

        await self._kept(add)

    async def end(self, call: str, ending: str) -> None:
        """Nothing more is kept of a call. Never raises Unkept."""
        try:
            await self._on_disk(lambda: self._vault.end(call, ending))
        except EngineFailed:
            log.warning("vault.unended", call=call)  # the next start ends it

    async def run(self) -> None:
        """Sweeps, and looks after a disk that failed, until it is cancelled.

        One call is erased at a time, so that no part of another waits for long.
        """
        swept_at = float("-inf")
        now = asyncio.get_running_loop().time
        while True:
            if now() >= swept_at + SWEEP_S:
                swept_at = now()
                await self._sweep()
            await asyncio.sleep(LOOK_S)
            if self.alarm is not None:
                await self._look()

    async def close(self) -> None:
        """Lets the vault go, and ends the thread."""
        with suppress(EngineFailed):
            await self._on_disk(self._held.close)
        self._worker.close()

    def _opened(self) -> VoicedError | None:
        try:
            with ExitStack() as opened:
                vault = Vault(self._place.dir, self._wall, self._place.spare_mb * 1_000_000)
                opened.callback(vault.close)
                opened.callback(os.close, lock(self._place.dir))
                crashed = vault.recover()
                if self._site is not None:
                    vault.prepare(self._site)
                self._vault, self._held = vault, opened.pop_all()
        except VoicedError as error:
            return error
        log.info("vault.opened", crashed=crashed)
        if strays := vault.strays():
            log.warning("vault.strays", calls=strays)
        return None

    async def _kept(self, work: Callable[[], None]) -> None:
        """Does it on the vault's thread. Raises Unkept, and an alarm where the disk is to blame."""
        try:
            reason = await self._on_disk(partial(_reason, work))
        except EngineFailed as error:  # logged; what the part was made of may be at fault
            reason = "behind" if error.reason in _SLOW else "failed"
        if reason is None:
            return
        if reason != "erased":
            self._raise_alarm(reason)
        raise Unkept(reason)

    async def _sweep(self) -> None:
        erased = 0
        with suppress(EngineFailed):  # logged; the next hour goes on with it
            for call in await self._on_disk(self._vault.expired):
                await self._on_disk(partial(self._vault.erase, call, RETENTION))
                self._audit.note(VaultErased(DAEMON, call, RETENTION))
                erased += 1
        if erased:
            log.info("vault.swept", calls=erased)

    async def _look(self) -> None:
        """Whether the disk takes something again."""
        try:
            reason = await self._on_disk(partial(_reason, self._vault.try_disk))
        except EngineFailed:
            return
        if reason is None:
            log.info("vault.recovered")
            self.alarm = None
            metrics.VAULT_ALARM.set(0)
            self._told(None)

    def _raise_alarm(self, reason: str) -> None:
        if self.alarm is None:
            log.warning("vault.alarm", reason=reason)
        self.alarm = reason
        metrics.VAULT_ALARM.set(1)
        self._told(f"calls are not kept: the vault's disk {_TOLD[reason]}")

    async def _on_disk(self, work: Callable[[], T]) -> T:
        """Raises EngineFailed: too much waits, or it took too long."""
        return await self._worker.run(
            work, urgency=Urgency.NEXT, ticket=None, deadline_s=DEADLINE_S
        )


def _reason(work: Callable[[], None]) -> str | None:
    """Does it; returns why it could not be done."""
    try:
        work()
    except Gone:
        return "erased"
    except OSError as error:
        log.failure("vault.failed", error, errno=error.errno)
        return "full" if error.errno in _FULL else "failed"
    except sqlite3.OperationalError as error:
        log.failure("vault.failed", error)
        return "full" if error.sqlite_errorcode == sqlite3.SQLITE_FULL else "failed"
    return None

"""The vault as the daemon uses it: its thread, its alarms, its sweeps. Real threads, real files."""

import asyncio
import errno
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path

import pytest

from voiced.audit.entries import Entry, VaultErased
from voiced.config.settings import Vault as Place
from voiced.errors import UnavailableError
from voiced.vault import keeper as module
from voiced.vault.keeper import Keeper
from voiced.vault.keys import SiteKey, SiteKeys
from voiced.vault.model import Opening, Unkept
from voiced.vault.record import Kind
from voiced.vault.vault import DAY_S, Vault, opened

pytestmark = pytest.mark.unit

SITE = SiteKeys([SiteKey.of(b"s" * 32)])
OPENING = Opening("c1", "desk", "en", recorded=False, retention_days=1)


class Noted:
    """An audit that remembers."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.told: Callable[[], None] = lambda: None

    def note(self, entry: Entry, /) -> "Future[int]":
        self.entries.append(entry)
        self.told()
        done: Future[int] = Future()
        done.set_result(1)
        return done


class Bench:
    """A keeper on a folder of the test's."""

    def __init__(self, folder: Path) -> None:
        self.place = Place(dir=folder / "v", spare_mb=0)
        self.audit = Noted()
        self.alarms: list[str | None] = []
        self._event = asyncio.Event()
        self.audit.told = self._event.set
        self.now = 1000
        self.site: SiteKeys | None = SITE

    def run(self, script: Callable[[Keeper], Awaitable[None]]) -> None:
        async def main() -> None:
            keeper = Keeper(self.place, self.site, self.audit, self._alarmed, lambda: self.now)
            try:
                await keeper.open()
                await script(keeper)
            finally:
                await keeper.close()

        asyncio.run(main())

    def _alarmed(self, alarm: str | None) -> None:
        self.alarms.append(alarm)
        self._event.set()

    async def changed(self, held: Callable[[], bool]) -> None:
        """Waits until something was told after which this holds."""
        while not held():
            self._event.clear()
            await self._event.wait()

    def kept(self) -> list[bytes]:
        with opened(self.place.dir, lambda: self.now) as vault:
            return [part.content for part in vault.read("c1", SITE)]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


async def keep(keeper: Keeper) -> None:
    await keeper.begin(OPENING)
    await keeper.add("c1", Kind.TURN, lambda: b"one")
    await keeper.add("c1", Kind.SOUND, lambda: b"")
    await keeper.add("c1", Kind.TURN, lambda: b"two")
    await keeper.end("c1", "left")


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "full")


def test_a_call_is_kept_part_by_part(bench: Bench) -> None:
    bench.run(keep)

    assert [b"one", b"two", b"left"] == bench.kept()
    assert [] == bench.alarms


def test_a_full_disk_raises_an_alarm_and_later_calls_are_not_asked_about(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def script(keeper: Keeper) -> None:
        await keeper.begin(OPENING)
        monkeypatch.setattr(Vault, "add", full)
        with pytest.raises(Unkept, match="full"):
            await keeper.add("c1", Kind.TURN, lambda: b"one")
        assert (False, "full") == (keeper.ready, keeper.alarm)
        await keeper.end("c1", "full")

    bench.run(script)

    assert ["calls are not kept: the vault's disk is full"] == bench.alarms
    assert [b"full"] == bench.kept()


def test_the_alarm_ends_when_the_disk_takes_something_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOOK_S", 0.001)

    async def script(keeper: Keeper) -> None:
        real = Vault.try_disk
        monkeypatch.setattr(Vault, "begin", full)
        monkeypatch.setattr(Vault, "try_disk", full)
        with pytest.raises(Unkept):
            await keeper.begin(OPENING)
        looking = asyncio.get_running_loop().create_task(keeper.run())
        await asyncio.sleep(0.02)
        assert not keeper.ready
        monkeypatch.setattr(Vault, "try_disk", real)
        await bench.changed(lambda: keeper.ready)
        looking.cancel()

    bench.run(script)

    assert None is bench.alarms[-1]
    assert ["v/calls", "v/keys"] == sorted(
        str(p.relative_to(bench.place.dir.parent)) for p in bench.place.dir.iterdir() if p.is_dir()
    )
    assert [] == list((bench.place.dir / "calls").iterdir())


def test_a_part_that_cannot_be_made_ends_its_call_and_no_other(bench: Bench) -> None:
    async def script(keeper: Keeper) -> None:
        await keeper.begin(OPENING)
        with pytest.raises(Unkept, match="failed"):
            await keeper.add("c1", Kind.SOUND, lambda: bytes([1000]))
        await keeper.begin(Opening("c2", "desk", "en", recorded=False, retention_days=1))
        await keeper.add("c2", Kind.TURN, lambda: b"other")

    bench.run(script)

    with opened(bench.place.dir, lambda: 0) as vault:
        assert [b"other", b"crashed"] == [part.content for part in vault.read("c2", SITE)]


def test_a_call_that_was_erased_meanwhile_is_no_alarm(bench: Bench) -> None:
    async def script(keeper: Keeper) -> None:
        await keeper.begin(OPENING)
        with opened(bench.place.dir, lambda: 0) as beside:
            beside.erase("c1", "asked")
        with pytest.raises(Unkept, match="erased"):
            await keeper.add("c1", Kind.TURN, lambda: b"one")
        assert keeper.ready

    bench.run(script)
    assert [] == bench.alarms


def test_what_has_been_kept_for_long_enough_is_erased_and_audited_even_without_a_key(
    bench: Bench,
) -> None:
    bench.run(keep)
    bench.now += DAY_S
    bench.site = None

    async def script(keeper: Keeper) -> None:
        assert not keeper.ready
        sweeping = asyncio.get_running_loop().create_task(keeper.run())
        await bench.changed(lambda: bool(bench.audit.entries))
        sweeping.cancel()

    bench.run(script)

    assert [VaultErased("voiced", "c1", "retention")] == bench.audit.entries
    with pytest.raises(UnavailableError, match="retention"):
        bench.kept()


def test_a_call_that_a_crash_left_open_is_ended_at_the_next_start(bench: Bench) -> None:
    with closing(Vault(bench.place.dir, lambda: 0)) as crashed:
        crashed.begin(OPENING, SITE)
        crashed._open.clear()

    async def nothing(keeper: Keeper) -> None:
        assert keeper.ready

    bench.run(nothing)
    with opened(bench.place.dir, lambda: 0) as vault:
        assert "crashed" == vault.row("c1").ending


def test_a_vault_under_another_site_key_is_refused(bench: Bench) -> None:
    bench.run(keep)
    bench.site = SiteKeys([SiteKey.of(b"t" * 32)])

    async def never(_keeper: Keeper) -> None:
        pytest.fail("was opened")

    with pytest.raises(UnavailableError, match=SITE.present.name):
        bench.run(never)

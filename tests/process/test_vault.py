"""The vault under what ends processes and fills disks: kill -9, ENOSPC, and somebody who looks."""

import asyncio
import os
import random
import re
import select
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.process.conftest import ROOT
from tests.process.vault_writer import SITE, TURNS, said
from voiced.audit.model import NOWHERE
from voiced.config.settings import Vault as Place
from voiced.errors import UnavailableError
from voiced.vault import keeper
from voiced.vault.model import Opening, Unkept
from voiced.vault.record import Kind
from voiced.vault.vault import Vault

pytestmark = [pytest.mark.process, pytest.mark.timeout(240)]

KILLS = 50
LONGEST_S = 0.25
IMAGE_BYTES = 24 << 20


def test_a_vault_that_is_killed_at_any_instant_opens_and_has_all_but_the_running_turn(
    tmp_path: Path,
) -> None:
    """50 times kill -9, one after the other on the same vault, at instants that chance chose."""
    directory, chance = tmp_path / "v", random.Random(8)
    told: list[str] = []
    running: Counter[bool] = Counter()
    for number in range(KILLS):
        told += killed_writer(chance, str(directory), str(1000 * number))
        running[verified(directory, told)] += 1

    assert running[True] > KILLS // 3, "the kills came while something was being written"


def test_a_change_of_the_site_key_that_is_killed_loses_no_key(tmp_path: Path) -> None:
    directory, chance = tmp_path / "v", random.Random(9)
    with closing(Vault(directory, lambda: 1000)) as vault:
        for number in range(8):
            keep(vault, f"c{number}")
    for _ in range(10):
        killed_writer(chance, str(directory))
        with closing(Vault(directory, lambda: 2000)) as vault:
            vault.recover()
            assert 8 == len(list(vault.keys))
            for number in range(8):
                assert TURNS + 1 == len(list(vault.read(f"c{number}", SITE)))


def killed_writer(chance: random.Random, *arguments: str) -> list[str]:
    """What a writer said that it had done when it was killed."""
    command = [sys.executable, "-m", "tests.process.vault_writer", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as writer:
        assert writer.stdout is not None
        assert "ready\n" == writer.stdout.readline()
        select.select([], [], [], chance.uniform(0.0, LONGEST_S))
        writer.kill()
        return writer.stdout.read().splitlines()


def verified(directory: Path, told: list[str]) -> bool:
    """Everything that was done is there; whether a call was running at the last kill."""
    turns = Counter(line.split()[1] for line in told if line.startswith("turn "))
    done = {kind: {x.split()[1] for x in told if x.startswith(f"{kind} ")} for kind in KINDS}
    with closing(Vault(directory, lambda: 2000)) as vault:
        running = vault.recover()
        for call in done["begun"]:
            read = None
            with suppress(UnavailableError):
                read = [p.content for p in vault.read(call, SITE) if p.kind == Kind.TURN]
            if call in done["erased"] or read is None:
                assert call in done["erasing"]
                assert not vault.keys.holds(call)
                continue
            assert read == [said(call, turn) for turn in range(len(read))]
            assert turns[call] <= len(read) <= min(turns[call] + 1, TURNS)
    return running > 0


KINDS = ("begun", "turn", "ended", "erasing", "erased")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    """A small ext4 of its own: the image, and where it is mounted."""
    image, mounted = tmp_path / "disk.img", tmp_path / "disk"
    mounted.mkdir()
    with image.open("wb") as file:
        file.truncate(IMAGE_BYTES)
    try:
        subprocess.run(["mkfs.ext4", "-q", str(image)], check=True, capture_output=True)
        subprocess.run(
            ["mount", "-o", "loop", str(image), str(mounted)], check=True, capture_output=True
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs the right to mount a disk image")
    try:
        yield image, mounted
    finally:
        subprocess.run(["umount", str(mounted)], check=True)


def on_the_disk(image: Path, mounted: Path) -> bytes:
    """Every byte of the disk, used or free."""
    os.sync()
    subprocess.run(["umount", str(mounted)], check=True)
    try:
        return image.read_bytes()
    finally:
        subprocess.run(["mount", "-o", "loop", str(image), str(mounted)], check=True)


def keep(vault: Vault, call: str) -> None:
    vault.begin(Opening(call, "reception", "en", recorded=False, retention_days=1), SITE)
    for turn in range(TURNS):
        vault.add(call, Kind.TURN, said(call, turn))
    vault.end(call, "left")


def test_of_an_erased_call_no_byte_of_the_disk_holds_words_or_key(disk: tuple[Path, Path]) -> None:
    """The image is searched as a whole: files, free blocks, the file system's own journal."""
    image, mounted = disk
    with closing(Vault(mounted / "v", lambda: 1000)) as vault:
        keep(vault, "c1")
        keep(vault, "c2")
        wrapped = {call: (mounted / "v/keys" / call).read_bytes()[8:] for call in ("c1", "c2")}
        key = vault.keys.open("c1", SITE)
    before = on_the_disk(image, mounted)
    assert [True, True] == [one in before for one in wrapped.values()]

    with closing(Vault(mounted / "v", lambda: 1000)) as vault:
        vault.erase("c1", "asked")
    after = on_the_disk(image, mounted)

    assert wrapped["c1"] not in after
    assert key not in after
    assert wrapped["c2"] in after
    assert None is re.search(rb"turn \d of c", before + after)


def add_for_ever(vault: Vault, call: str) -> None:
    while True:
        vault.add(call, Kind.SOUND, bytes(1 << 16))


def test_a_full_disk_spoils_nothing_and_is_no_trouble_once_there_is_room(
    disk: tuple[Path, Path],
) -> None:
    """No byte is kept free: the disk itself says that it is full."""
    _, mounted = disk
    with closing(Vault(mounted / "v", lambda: 1000)) as vault:
        keep(vault, "before")
        vault.begin(Opening("c1", "reception", "en", recorded=True, retention_days=1), SITE)
        vault.add("c1", Kind.TURN, said("c1", 0))
        fill(mounted / "filler")
        with pytest.raises(OSError, match="space"):
            add_for_ever(vault, "c1")
        vault.end("c1", "full")
        (mounted / "filler").unlink()

        keep(vault, "after")
    with closing(Vault(mounted / "v", lambda: 1000)) as vault:
        vault.recover()
        kept = {
            call: [p.content for p in vault.read(call, SITE) if p.kind == Kind.TURN]
            for call in ("before", "c1", "after")
        }

    assert [said("c1", 0)] == kept["c1"]
    assert [TURNS, TURNS] == [len(kept[call]) for call in ("before", "after")]


def test_the_daemons_vault_stops_at_a_full_disk_and_goes_on_once_there_is_room(
    disk: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls that begin meanwhile are not kept; the alarm is told, and that it is over."""
    monkeypatch.setattr(keeper, "LOOK_S", 0.05)
    _, mounted = disk
    alarms: list[str | None] = []

    async def main() -> None:
        over = asyncio.Event()

        def told(alarm: str | None) -> None:
            alarms.append(alarm)
            if alarm is None:
                over.set()

        place = Place(dir=mounted / "v", spare_mb=0)
        kept = keeper.Keeper(place, SITE, NOWHERE, told, lambda: 1000)
        await kept.open()
        looking = asyncio.get_running_loop().create_task(kept.run())
        await kept.begin(Opening("c1", "reception", "en", recorded=True, retention_days=1))
        fill(mounted / "filler")
        with pytest.raises(Unkept, match="full"):
            await add_until_full(kept)
        await kept.end("c1", "full")
        assert not kept.ready
        (mounted / "filler").unlink()
        await over.wait()
        assert kept.ready
        await kept.begin(Opening("c2", "reception", "en", recorded=False, retention_days=1))
        await kept.add("c2", Kind.TURN, lambda: said("c2", 0))
        await kept.end("c2", "left")
        looking.cancel()
        await kept.close()

    asyncio.run(main())

    assert ["calls are not kept: the vault's disk is full", None] == alarms
    with closing(Vault(mounted / "v", lambda: 1000)) as vault:
        assert said("c2", 0) == next(vault.read("c2", SITE)).content


async def add_until_full(kept: keeper.Keeper) -> None:
    while True:
        await kept.add("c1", Kind.SOUND, lambda: bytes(1 << 16))


def fill(path: Path) -> None:
    """Takes all the room that there is."""
    with path.open("wb") as filler, suppress(OSError):
        while True:
            filler.write(bytes(1 << 16))
            filler.flush()

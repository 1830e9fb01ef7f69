"""The sealed parts of a call: whole, in order, and of this call."""

from collections.abc import Callable
from pathlib import Path

import pytest

from voiced.errors import Damaged
from voiced.vault.sealed import Part, Sealer, parts

pytestmark = pytest.mark.unit

KEY = bytes(32)
SAID = [b"the first turn", b"the second turn", b"the third turn"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Three parts of the call `c1`."""
    path = tmp_path / "c1"
    sealer = Sealer(path, "c1", KEY)
    for content in SAID:
        sealer.add(1, content)
    sealer.close()
    return path


def cuts(content: bytes) -> list[bytes]:
    """The records of a file."""
    found, place = [], 0
    while place < len(content):
        end = place + 17 + int.from_bytes(content[place : place + 4], "big")
        found.append(content[place:end])
        place = end
    return found


def read(path: Path, known: int, call: str = "c1", key: bytes = KEY) -> list[bytes]:
    return [part.content for part in parts(path, call, key, known)]


def test_parts_come_back_in_order_and_lie_there_unreadable(path: Path) -> None:
    assert [Part(1, content) for content in SAID] == list(parts(path, "c1", KEY, 3))
    assert b"turn" not in path.read_bytes()


@pytest.mark.parametrize(
    ("attack", "left"),
    [
        (lambda r: [r[0], r[2], r[1]], 1),
        (lambda r: [r[1], r[2]], 0),
        (lambda r: [r[0], r[2]], 1),
        (lambda r: [r[0], r[0], r[1], r[2]], 1),
        (lambda r: r[:2], 2),
        (lambda r: [], 0),
        (lambda r: [r[0], r[1][:-1] + bytes([r[1][-1] ^ 1]), r[2]], 1),
        (lambda r: [r[0], r[1][:4] + b"\2" + r[1][5:], r[2]], 1),
        (lambda r: [b"\xff" * 4 + r[0][4:], r[1], r[2]], 0),
    ],
    ids=["reorder", "behead", "omit", "replay", "truncate", "empty", "edit", "relabel", "length"],
)
def test_a_file_that_was_tampered_with_is_read_up_to_there_and_named(
    path: Path, attack: Callable[[list[bytes]], list[bytes]], left: int
) -> None:
    path.write_bytes(b"".join(attack(cuts(path.read_bytes()))))
    opened = parts(path, "c1", KEY, 3)

    assert SAID[:left] == [next(opened).content for _ in range(left)]
    with pytest.raises(Damaged, match=f"call c1: part {left + 1} of 3"):
        next(opened)


def test_a_part_that_was_being_written_at_a_crash_is_passed_over(path: Path) -> None:
    whole = path.read_bytes()
    for length in range(len(b"".join(cuts(whole)[:2])), len(whole)):
        path.write_bytes(whole[:length])

        assert SAID[:2] == read(path, 2)


def test_zeros_that_a_power_cut_left_in_the_place_of_a_part_are_passed_over(path: Path) -> None:
    records = cuts(path.read_bytes())
    path.write_bytes(b"".join(records[:2]) + bytes(len(records[2])))

    assert SAID[:2] == read(path, 2)


def test_parts_of_another_call_or_under_another_key_do_not_open(path: Path) -> None:
    for call, key in (("c2", KEY), ("c1", b"k" * 32)):
        with pytest.raises(Damaged):
            read(path, 3, call, key)


def test_the_same_words_never_look_the_same(tmp_path: Path) -> None:
    sealer = Sealer(tmp_path / "c", "c", KEY)
    sealer.add(1, b"yes")
    sealer.add(1, b"yes")
    sealer.close()

    first, second = cuts((tmp_path / "c").read_bytes())
    assert first[17:] != second[17:]

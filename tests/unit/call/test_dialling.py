"""Keys become a number when it is over, and not before."""

import asyncio

import pytest

from voiced.call.dialling import LONGEST, PATIENCE_S, Dialling
from voiced.testing import virtualtime
from voiced.words import Words

pytestmark = pytest.mark.unit


def dialled(*presses: tuple[float, str], until: float = 60.0) -> list[tuple[float, str]]:
    """Keys at instants in; numbers and when they were told out."""

    async def story() -> list[tuple[float, str]]:
        loop = asyncio.get_running_loop()
        told: list[tuple[float, str]] = []
        dialling = Dialling(lambda keys: told.append((loop.time(), keys.reveal())))
        for at, keys in presses:
            await asyncio.sleep(at - loop.time())
            for key in keys:
                dialling.press(Words(key))
        await asyncio.sleep(until - loop.time())
        dialling.close()
        return told

    return virtualtime.run(story())


def test_a_number_is_over_when_nothing_follows() -> None:
    told = dialled((1.0, "1"), (2.5, "2"), (4.0, "3"))

    assert [(4.0 + PATIENCE_S, "123")] == told


def test_it_is_over_at_once_at_the_hash() -> None:
    assert [(2.0, "42"), (2.0 + PATIENCE_S, "7")] == dialled((1.0, "42"), (2.0, "#7"))


def test_a_hash_alone_is_a_key() -> None:
    assert [(1.0 + PATIENCE_S, "#")] == dialled((1.0, "#"))


def test_whoever_leans_on_the_keys_is_told_of_in_pieces() -> None:
    assert [(1.0, "5" * LONGEST)] == dialled((1.0, "5" * LONGEST))


def test_nothing_is_told_of_a_call_that_is_over() -> None:
    assert [] == dialled((1.0, "12"), until=1.5)

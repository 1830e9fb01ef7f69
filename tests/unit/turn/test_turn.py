"""Conversations made up at random against the turn machine: whatever happens, some things hold."""

import random

import pytest

from tests.unit.turn.world import World
from voiced.turn.machine import TABLE, Floor

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("seed", range(200))
def test_no_conversation_is_impossible(seed: int) -> None:
    """Whatever the world may tell has a row; every turn gets at most one reply that is not cut."""
    world = World(random.Random(seed))
    for _ in range(60):
        world.step()


def test_every_row_is_reached_by_some_conversation() -> None:
    """A row that no conversation needs is dead."""
    reached: set[tuple[Floor, type]] = set()
    for seed in range(6000):
        world = World(random.Random(seed))
        for _ in range(60):
            reached.add(world.step())

    assert set() == set(TABLE) - reached

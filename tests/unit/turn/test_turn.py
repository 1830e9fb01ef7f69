"""Conversations made up at random against the turn machine: whatever happens, some things hold."""

import random

import pytest

from tests.unit.turn.world import World
from voiced.turn.machine import TABLE, Floor

pytestmark = pytest.mark.unit

CONVERSATIONS, FACTS = 10_000, 60


@pytest.mark.timeout(120)
def test_no_conversation_is_impossible_and_each_comes_to_its_end() -> None:
    """Whatever the world may tell has a row; no turn is answered twice; from wherever it has come
    to, a call ends once its caller is silent; and a row that no conversation needs is dead."""
    reached: set[tuple[Floor, type]] = set()
    for seed in range(CONVERSATIONS):
        world = World(random.Random(seed))
        try:
            reached.update(world.step() for _ in range(FACTS))
            world.come_to_an_end()
        except Exception as failure:
            failure.add_note(f"in the conversation of seed {seed}")
            raise

    assert set() == set(TABLE) - reached

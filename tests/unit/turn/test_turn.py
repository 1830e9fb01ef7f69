"""Conversations made up at random against the turn machine: whatever happens, some things hold."""

import random
from dataclasses import replace

import pytest

from tests.unit.turn.test_machine import FULL
from tests.unit.turn.world import World
from voiced.turn.machine import TABLE, Floor
from voiced.turn.orders import Line
from voiced.words import Words

pytestmark = pytest.mark.unit

CONVERSATIONS, FACTS = 10_000, 60
YES, NO = Words("Yes, please."), Words("No.")


@pytest.mark.timeout(300)
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


@pytest.mark.timeout(60)
def test_no_conversation_in_which_consent_is_asked_is_impossible() -> None:
    """The same, and nobody is kept who was not asked to the end, or who has not said yes."""
    asking = replace(FULL, asks_consent=True, lines=FULL.lines | {Line.CONSENT})
    kept = 0
    for seed in range(CONVERSATIONS // 10):
        world = World(random.Random(seed), asking, (YES, YES, NO))
        for _ in range(FACTS):
            world.step()
        world.come_to_an_end()
        kept += world.kept
        assert world.kept <= min(1, world.agreed)

    assert kept, "some agree"

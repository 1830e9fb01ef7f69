"""Plays a timeline against the turn machine: each fact, then the orders that must follow."""

from collections.abc import Sequence

from voiced.turn.facts import Fact
from voiced.turn.machine import TurnMachine
from voiced.turn.orders import Order


def play(machine: TurnMachine, *timeline: tuple[Fact, Sequence[Order]]) -> None:
    """Asserts that `machine` gives exactly these orders for exactly these facts."""
    for fact, expected in timeline:
        given = machine.handle(fact)

        assert list(expected) == given, f"after {fact}"

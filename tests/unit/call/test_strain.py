"""What a machine that is too slow leaves out, in which order, and when it comes back."""

import pytest

from voiced.call.strain import FALL_S, FEWEST, RISE_S, Measure, Strain

pytestmark = pytest.mark.unit


def turns(strain: Strain, begin: float, until: float, *, late: bool) -> None:
    """A turn each two seconds."""
    at = begin
    while at < until:
        strain.turn_ended(at, late=late)
        at += 2.0


def test_measures_come_in_their_order_and_each_has_time_to_help() -> None:
    strain = Strain()
    changes: list[tuple[Measure, ...]] = []
    strain.told = changes.append
    turns(strain, 0.0, 4 * RISE_S + 10, late=True)

    assert [tuple(Measure)[:level] for level in (1, 2, 3, 4)] == changes


def test_nothing_is_left_out_for_a_few_late_turns() -> None:
    strain = Strain()
    for at in range(FEWEST - 1):
        strain.turn_ended(float(at), late=True)

    assert () == strain.measures


def test_nothing_is_left_out_for_one_late_turn_among_many() -> None:
    strain = Strain()
    turns(strain, 0.0, 30.0, late=False)
    turns(strain, 30.0, 34.0, late=True)

    assert () == strain.measures


def test_late_turns_of_long_ago_do_not_count() -> None:
    strain = Strain()
    strain.turn_ended(0.0, late=True)
    strain.turn_ended(1.0, late=True)
    strain.turn_ended(62.0, late=True)
    strain.turn_ended(63.0, late=True)

    assert () == strain.measures


def test_it_comes_back_in_the_reverse_order_and_more_slowly() -> None:
    strain = Strain()
    turns(strain, 0.0, RISE_S + 8, late=True)
    two, changes = strain.measures, list[tuple[Measure, ...]]()
    strain.told = changes.append
    turns(strain, 26.0, 26.0 + 2 * FALL_S, late=False)

    assert (Measure.PARTIALS, Measure.SPECULATION) == two
    assert [(Measure.PARTIALS,), ()] == changes


def test_what_is_neither_broken_nor_kept_changes_nothing() -> None:
    """Else it would swing: what helps would be taken away because it helps."""
    strain = Strain()
    turns(strain, 0.0, 8.0, late=True)
    changes: list[tuple[Measure, ...]] = []
    strain.told = changes.append
    for number in range(100):
        strain.turn_ended(10.0 + number * 2, late=number % 6 == 5)

    assert [] == changes


def test_a_machine_without_calls_recovers_too() -> None:
    strain = Strain()
    turns(strain, 0.0, 8.0, late=True)

    assert strain.leaves_out(Measure.PARTIALS, 30.0)
    assert not strain.leaves_out(Measure.PARTIALS, 30.0 + FALL_S)

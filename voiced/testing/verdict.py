"""Did a rehearsal come out as its script expects? Pure.

Whoever wrote the script wrote its words, so a complaint may quote them. It does not know how a
rehearsal is held.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from voiced.testing.rehearsal import Expected, Stretch
from voiced.testing.rehearse import Outcome

_MARGIN_S = 0.021
"""A frame: sound begins and ends at its edges."""


def complaints(expected: Expected, outcome: Outcome) -> list[str]:
    """A sentence for each expectation that does not hold."""
    return [*_texts(expected, outcome), *_orders(expected, outcome), *_sound(expected, outcome)]


def _texts(expected: Expected, outcome: Outcome) -> Iterator[str]:
    turns = [(turn["heard"], turn["reply"]) for turn in outcome.turns]
    if expected.turns is not None and [*expected.turns] != turns:
        yield f"turns: expected {[*expected.turns]}, came {turns}"
    held = [turn["language"] for turn in outcome.turns]
    if expected.languages is not None and [*expected.languages] != held:
        yield f"languages: expected {[*expected.languages]}, came {held}"
    history = [(one["role"], one["text"]) for one in outcome.history]
    if expected.history is not None and [*expected.history] != history:
        yield f"history: expected {[*expected.history]}, came {history}"
    roles = [role for role, _ in history]
    if any(role == after for role, after in pairwise(roles)):
        yield f"history: roles must alternate, came {roles}"
    if expected.ended not in (None, outcome.ended):
        yield f"ended: expected {expected.ended!r}, came {outcome.ended!r}"
    for odd in outcome.unexpected:
        yield f"a fact without a row: {odd}"


def _orders(expected: Expected, outcome: Outcome) -> Iterator[str]:
    given = [_names(order) for order in outcome.orders]
    rest = iter(given)
    for wanted in expected.orders:
        if not any(wanted in names for names in rest):
            yield f"orders: {wanted!r} was not given, or not in this order"
            break
    for unwanted in expected.never:
        if any(unwanted in names for names in given):
            yield f"never: {unwanted!r} was given"
    for name, count in expected.counts.items():
        came = sum(name in names for names in given)
        if count != came:
            yield f"counts: expected {count} of {name!r}, came {came}"


def _names(order: dict[str, Any]) -> set[str]:
    """How an order may be written: with its line, reason or wish, or without."""
    kind = order["order"]
    more = order.get("line") or order.get("reason") or order.get("wish")
    return {kind, f"{kind} {more}"} if more else {kind}


def _sound(expected: Expected, outcome: Outcome) -> Iterator[str]:
    played = [(one["from"], one["to"]) for one in outcome.played]
    for begin, end in expected.audible:
        if not any(
            first <= begin + _MARGIN_S and end - _MARGIN_S <= last for first, last in played
        ):
            yield f"audible: not all of {begin} to {end}: played {played}"
    for begin, end in expected.silent:
        if any(_overlap(one, (begin, end)) > _MARGIN_S for one in played):
            yield f"silent: not all of {begin} to {end}: played {played}"


def _overlap(one: Stretch, other: Stretch) -> float:
    return min(one[1], other[1]) - max(one[0], other[0])

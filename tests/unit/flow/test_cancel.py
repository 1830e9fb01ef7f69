"""The cancel token: work is stale as soon as another take is live."""

import pytest

from voiced.flow.cancel import Live, Take, Ticket

pytestmark = pytest.mark.unit


def test_work_is_wanted_until_another_take_is_live() -> None:
    live = Live()
    live.take = Take(1, 0)
    ticket = Ticket("call", Take(1, 0), live)
    wanted = not ticket.stale
    live.take = Take(1, 1)

    assert (True, True) == (wanted, ticket.stale)


def test_the_greeting_is_live_at_first() -> None:
    live = Live()

    assert not Ticket("call", Take(0, 0), live).stale


def test_takes_are_ordered_in_time() -> None:
    assert [Take(0, 0), Take(1, 0), Take(1, 1), Take(2, 0)] == sorted(
        [Take(2, 0), Take(1, 1), Take(0, 0), Take(1, 0)]
    )

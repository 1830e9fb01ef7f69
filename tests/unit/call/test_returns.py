"""A token leads back to its call once, and to nothing when the call is over."""

from typing import cast

import pytest

from voiced.call.handset import Handset
from voiced.call.returns import Place, Returns
from voiced.errors import Refused

pytestmark = pytest.mark.unit


def place(call: str) -> Place:
    return Place(call, cast(Handset, None))


def test_a_token_is_good_once() -> None:
    returns = Returns()
    token = returns.issue(place("a"))
    with returns.redeem(token) as found:
        assert "a" == found.call

    with pytest.raises(Refused) as refused, returns.redeem(token):
        pass
    assert (401, "no-return") == (refused.value.status, refused.value.kind)


def test_while_it_is_being_redeemed_nobody_else_can() -> None:
    returns = Returns()
    token = returns.issue(place("a"))

    with returns.redeem(token), pytest.raises(Refused), returns.redeem(token):
        pass


def test_what_is_refused_does_not_spend_it() -> None:
    returns = Returns()
    token = returns.issue(place("a"))
    with pytest.raises(Refused), returns.redeem(token):
        raise Refused(400, "not-sdp", "bad")

    with returns.redeem(token) as found:
        assert "a" == found.call


def test_a_new_token_voids_the_one_before_and_the_calls_end_voids_both() -> None:
    returns = Returns()
    old, other = returns.issue(place("a")), returns.issue(place("b"))
    new = returns.issue(place("a"))
    with pytest.raises(Refused), returns.redeem(old):
        pass
    returns.forget("a")
    with pytest.raises(Refused), returns.redeem(new):
        pass

    with returns.redeem(other) as found:
        assert "b" == found.call

"""Who may come back to a call whose line was lost: a token for each, good for one return.

It does not know what a call is, or for how long it waits.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from voiced.call.handset import Handset
from voiced.errors import Refused

_BYTES = 24


@dataclass(frozen=True, slots=True)
class Place:
    """Where a token leads."""

    call: str
    handset: Handset


class Returns:
    """Main loop only."""

    def __init__(self) -> None:
        self._places: dict[str, Place] = {}  # by token

    def issue(self, place: Place) -> str:
        """A token for a call; those that it had before are void."""
        self.forget(place.call)
        token = secrets.token_urlsafe(_BYTES)
        self._places[token] = place
        return token

    def forget(self, call: str) -> None:
        """The call is over."""
        self._places = {token: one for token, one in self._places.items() if one.call != call}

    @contextmanager
    def redeem(self, token: str) -> Iterator[Place]:
        """Where a token leads to. It is spent, unless what is done with it is refused.

        Raises Refused (401): unknown, spent, or the call is over.
        """
        place = self._places.pop(token, None)
        if place is None:
            told = "this token leads to no call: it was used, or the call has ended"
            raise Refused(401, "no-return", told)
        try:
            yield place
        except Refused:
            self._places[token] = place
            raise

"""The calls that are open: found by name, seen by an operator, each with who brought it and when.

It does not know how a call is opened, or what ends it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from voiced.call.call import Call
from voiced.clock import now
from voiced.errors import Refused


@dataclass(frozen=True, slots=True)
class Access:
    """By which way an offer came in; it stands in the audit."""

    origin: str
    """Address of the program that brought it."""
    key: str
    """Name of what it showed."""


UNKNOWN = Access("unknown", "none")


@dataclass(frozen=True, slots=True)
class Listed:
    """A call that is open, as an operator may see it."""

    call: str
    agent: str
    language: str
    """That it is held in now."""
    access: Access
    began_at: float
    handed_off: bool
    """Somebody was asked to take over, and a person may join."""
    joined: bool
    """A person has."""


class Roster:
    """Main loop only."""

    def __init__(self) -> None:
        self._calls: dict[str, tuple[Call, Access, float]] = {}

    def __len__(self) -> int:
        return len(self._calls)

    def __iter__(self) -> Iterator[Call]:
        """The oldest first; of those that are open now, whatever is struck meanwhile."""
        return iter([call for call, _, _ in self._calls.values()])

    def enter(self, call: Call, access: Access) -> None:
        self._calls[call.name] = call, access, now()

    def strike(self, call: Call) -> float:
        """The call is over; for how long it was open, in seconds."""
        _, _, began_at = self._calls.pop(call.name)
        return now() - began_at

    def find(self, name: str) -> Call:
        """Raises Refused (404) when no call of that name is open."""
        if name not in self._calls:
            raise Refused(404, "unknown-call", "there is no call of that name, or it has ended")
        return self._calls[name][0]

    def listed(self) -> list[Listed]:
        """The oldest first."""
        return [_listed(*entry) for entry in self._calls.values()]


def _listed(call: Call, access: Access, began_at: float) -> Listed:
    casting, extension = call.casting, call.extension
    return Listed(
        call.name,
        casting.agent.name,
        casting.language,
        access,
        began_at,
        handed_off=extension is not None,
        joined=extension is not None and extension.taken,
    )

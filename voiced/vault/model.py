"""What the vault is to a call that is to be kept. It does not know how anything is kept."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from voiced.vault.record import Kind


@dataclass(frozen=True, slots=True)
class Opening:
    """A call of which something is to be kept."""

    call: str
    agent: str
    language: str
    recorded: bool
    """Its sound too, and not its words alone."""
    retention_days: int


class Unkept(Exception):
    """Nothing more of a call is kept; `reason` says why, in a word."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Safe(Protocol):
    """Keeps calls, one part after the other. Main loop only; it never makes the loop wait."""

    @property
    def ready(self) -> bool:
        """Calls are kept now; else nobody needs to be asked whether this one may be."""
        ...

    async def begin(self, opening: Opening) -> None:
        """A call is kept from now on. Raises Unkept."""
        ...

    async def add(self, call: str, kind: Kind, make: Callable[[], bytes]) -> None:
        """One more part, which `make` makes on a thread of the vault's; empty: none.

        Raises Unkept.
        """
        ...

    async def end(self, call: str, ending: str) -> None:
        """Nothing more is kept of a call; `ending` is why. Never raises Unkept."""
        ...

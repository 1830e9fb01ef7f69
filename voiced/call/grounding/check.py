"""One call's check: reads what the agent is told as it is told, and judges each clause before it is
spoken.

It does not know what is said instead.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from voiced.call.grounding.claims import Kind
from voiced.call.grounding.sources import Sources
from voiced.llm.model import Message, Role
from voiced.words import Words

Wall = Callable[[], datetime]
"""The site's date and time."""

_TOLD = (Role.USER, Role.TOOL)
_ENDS = (".", "!", "?", "\n")


class Check:
    """Main loop only."""

    def __init__(self, sources: Sources | None, wall: Wall) -> None:
        """Without sources every clause may be spoken."""
        self._sources = sources
        self._wall = wall
        self._read: set[Words] = set()
        self._open = ""
        """The clause before, where the sentence goes on."""

    def begin(self, history: Sequence[Message]) -> None:
        """A reply to this history begins: what it holds of the caller and of tools may be said."""
        if self._sources is None:
            return
        self._open = ""
        self._sources = self._sources.site([f"{self._wall():%Y-%m-%d, %H:%M}"])
        for message in history:
            if message.role in _TOLD and message.text not in self._read:
                self._read.add(message.text)
                self._sources = self._sources.told(message.text.reveal())

    def withheld(self, form: str) -> Kind | None:
        """What the reply's next clause, as it is read aloud, states without a source."""
        if self._sources is None:
            return None
        found = self._sources.ungrounded(f"{self._open} {form}")
        self._open = "" if form.endswith(_ENDS) else form
        return found[0] if found else None

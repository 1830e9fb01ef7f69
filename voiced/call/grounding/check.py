"""One call's check: reads what the agent is told as it is told, and judges each clause before it is
spoken.

It does not know what is said instead.
"""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime

from voiced.call.grounding.claims import Claim, Kind
from voiced.call.grounding.sources import Sources, parts
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
        self._told: set[Claim] = set()
        self._open = ""
        """The clause before, where the sentence goes on."""

    async def begin(self, history: Sequence[Message]) -> None:
        """A reply to this history begins: what it holds of the caller and of tools may be said.

        A long result is read in many short steps, so that no other call waits for it.
        """
        if self._sources is None:
            return
        self._open = ""
        now = f"{self._wall():%Y-%m-%d, %H:%M}"
        self._told.update(self._sources.offered(now, loose=False))
        for message in history:
            if message.role not in _TOLD or message.text in self._read:
                continue
            self._read.add(message.text)
            for part in parts(message.text.reveal()):
                self._told.update(self._sources.offered(part, loose=True))
                await asyncio.sleep(0)

    def withheld(self, form: str) -> Kind | None:
        """What the reply's next clause, as it is read aloud, states without a source."""
        if self._sources is None:
            return None
        found = self._sources.ungrounded(f"{self._open} {form}", self._told)
        self._open = "" if form.endswith(_ENDS) else form
        return found[0] if found else None

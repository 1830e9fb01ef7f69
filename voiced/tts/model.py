"""What a voice is: a resident model that all calls share, speaking one or more languages.

It does not know replies, turns or callers; it turns one clause into PCM.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from voiced.audio.pcm import Pcm
from voiced.flow.cancel import Ticket
from voiced.words import Words

Sink = Callable[[Pcm], None]
"""Takes a chunk at SPEAKING_HZ. Called on the voice's own thread, in order; must not block."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A clause that was made into sound."""

    seconds: float
    """Of audio that the sink got; 0.0 for a clause without anything to say."""
    word_ends: tuple[float, ...] = ()
    """Second at which each word of the clause is over, a word for each run without spaces. Empty
    when the voice cannot tell: then it is estimated."""


class Voice(Protocol):
    """Resident; owns its thread. Called from the main loop."""

    async def speak(self, clause: Words, sink: Sink, ticket: Ticket, *, first: bool) -> Spoken:
        """Speaks one clause, already in spoken form, into `sink`.

        `first`: the first clause of a turn, which goes before later clauses of any other call. A
        clause without anything to say calls no sink. A stale ticket stops within a chunk and raises
        Stale. Raises EngineFailed when the voice fails or is late.
        """
        ...

    def close(self) -> None: ...

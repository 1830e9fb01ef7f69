"""From sound to facts: what was said in a turn, over the agent, or so far in a turn that goes on.

What of it is the agent's own voice, coming back, is known here; what follows from the facts is not.
"""

from collections.abc import Awaitable, Callable

from voiced.call.echo import ECHO_S, echoes
from voiced.call.hearing import Hearing
from voiced.call.playing import Playing
from voiced.call.transcript import Transcript
from voiced.call.wires import Wires
from voiced.errors import EngineFailed
from voiced.flow.cancel import Take, Ticket
from voiced.turn.facts import Final, Overheard, Partial, Suspected
from voiced.turn.orders import Overhear, Transcribe
from voiced.words import NOTHING, Words

QUESTION_MARKS = ("?", "\uff1f")


class Reading:
    """One call's. Main loop only."""

    def __init__(
        self,
        hearing: Hearing,
        transcript: Transcript,
        playing: Playing,
        wires: Wires,
        now: Callable[[], float],
    ) -> None:
        self._hearing = hearing
        self._transcript = transcript
        self._playing = playing
        self._wires = wires
        self._now = now

    async def transcribe(self, order: Transcribe, ticket: Ticket) -> None:
        """A turn, so far as it has come. Raises as `Hearing.hear` does."""
        ended_at = self._wires.source.instant(order.spans[-1].stop)
        saying = self._audible_at(ended_at, order.take)
        read = await self._hearing.hear(order, ticket, saying)
        self._wires.inbox.put(Final(self._now(), order.take, read.text, read.echo))
        if read.again is not None:
            await self._listen_again(order.take, read.again)

    async def _listen_again(self, take: Take, again: Callable[[], Awaitable[Words]]) -> None:
        """Words that name no emergency may have been one; nobody waits until that is known."""
        try:
            text = await again()
        except EngineFailed:
            return
        if text:
            self._wires.inbox.put(Suspected(self._now(), take, text))

    async def overhear(self, order: Overhear, ticket: Ticket) -> None:
        """What was said over the agent; a recogniser that fails costs the agent nothing."""
        take = order.take
        try:
            sounded = self._transcript.sounded(take.turn, self._playing.played(take))
            text = await self._hearing.read(order, ticket, sounded)
        except EngineFailed:
            text = NOTHING
        saying = self._transcript.saying(take.turn)
        asking = saying.reveal().rstrip().endswith(QUESTION_MARKS)
        self._wires.inbox.put(Overheard(self._now(), take, text, asking))

    def read_ahead(self, take: Take, stable: Words) -> None:
        """Words of a turn that still goes on; the agent's own are none."""
        if not echoes(stable, self._audible_at(self._now(), take)):
            self._wires.inbox.put(Partial(self._now(), take, stable))

    def _audible_at(self, at: float, take: Take) -> Words:
        """What may come back at an instant of what the agent said before the take's turn."""
        if at < self._playing.silent_at + ECHO_S:
            return self._transcript.saying(take.turn - 1)
        return NOTHING

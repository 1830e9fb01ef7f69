"""A voice whose model runs in this process: its thread, whose chunk comes first, what stops it.

All work is done on the model's own thread, a chunk a job: so the first chunk of a turn goes before
the later chunks of every other call, a clause that runs dry before one with sound to spare, and
nobody waits for a whole sentence of somebody else.

It does not know how sound is made (`Talker`), nor calls or turns.
"""

from collections.abc import Callable, Iterator
from typing import Protocol

from voiced.audio.pcm import Pcm
from voiced.flow.cancel import Ticket
from voiced.gpu.worker import Urgency, Worker
from voiced.tts.model import Sink, Spoken
from voiced.tts.speech import Speech
from voiced.words import Words

WAITING = 64
"""Jobs in the queue: at most one for each clause that is being spoken, over all calls."""

_WARM_DEADLINE_S = 120.0
"""On a card the first run of each shape loads and chooses kernels."""


class Talker(Protocol):
    """Makes sound of text. Called on one thread."""

    def say(self, clause: str, word_ends: list[float]) -> Iterator[Pcm]:
        """The clause's sound at SPEAKING_HZ; nothing is computed before it is asked for.

        `word_ends` is filled when the last chunk was asked for, as `Spoken` has them; it stays
        empty when the model does not tell. Raises EngineFailed.
        """
        ...

    def warm(self) -> None:
        """One real inference, or as many as there are shapes."""
        ...

    def close(self) -> None: ...


class Local:
    """One resident voice. `speak` and `warm` on the main loop, `close` on any thread."""

    def __init__(
        self,
        talker: Talker,
        worker: Worker,
        deadline_s: float,
        end: Callable[[], None] | None = None,
    ) -> None:
        """`end` is called in place of the worker's own `close` by voices that share one."""
        self._talker = talker
        self._worker = worker
        self._deadline_s = deadline_s
        self._end = worker.close if end is None else end

    @property
    def progressed_at(self) -> float:
        """When the thread last began or ended a chunk; the watchdog reads it with `busy`."""
        return self._worker.progressed_at

    @property
    def busy(self) -> bool:
        return self._worker.busy

    @property
    def fault(self) -> str | None:
        """See Worker."""
        return self._worker.fault

    async def speak(self, clause: Words, sink: Sink, ticket: Ticket, *, first: bool) -> Spoken:
        """As `Voice.speak` says."""
        word_ends: list[float] = []
        speech = Speech(self._talker.say(clause.reveal(), word_ends), sink, ticket)
        urgency = Urgency.FIRST if first else Urgency.NEXT
        while await self._worker.run(
            speech.step, urgency=urgency, ticket=ticket, deadline_s=self._deadline_s
        ):
            urgency = speech.urgency
        return Spoken(speech.seconds, tuple(word_ends))

    async def warm(self) -> None:
        """Speaks once into nothing. Raises EngineFailed."""
        await self._worker.run(
            self._talker.warm, urgency=Urgency.SPARE, ticket=None, deadline_s=_WARM_DEADLINE_S
        )

    def close(self) -> None:
        """Ends the thread, after the chunk that runs, and what the model holds."""
        self._end()
        self._talker.close()

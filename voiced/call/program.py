"""What the caller's program may change in a call: who ends a turn, and what it is told.

While the program decides, the detector does not listen, and what is said is kept until the program
commits it. It does not know events.
"""

import asyncio
from collections.abc import Callable
from typing import Protocol

from voiced.audio.pcm import HEARING_HZ
from voiced.call.apart import Apart, Question
from voiced.call.dictation import Dictation
from voiced.call.errands import Errands
from voiced.call.news import Told
from voiced.call.parts import Casting, Engines
from voiced.call.transcript import Who
from voiced.call.wires import Wires
from voiced.config.settings import TurnPace
from voiced.errors import Refused
from voiced.vad.model import SpeechEnded


class Owner(Protocol):
    """The call."""

    name: str
    casting: Casting
    tell: Told


class Program:
    """One call's. Main loop only."""

    def __init__(
        self,
        call: Owner,
        engines: Engines,
        wires: Wires,
        errands: Errands,
        renew: Callable[[TurnPace], None],
    ) -> None:
        """`renew` tells the turn machine how patient it is to be."""
        self.deciding = False
        """It is the program that says when a turn is over."""
        self.tasks: asyncio.TaskGroup | None = None
        """Of the call, while it lives."""
        self.spoke_at: int | None = None
        """Where the detector heard the caller begin, while it has not heard the end."""
        self._call = call
        self._engines = engines
        self._wires = wires
        self._errands = errands
        self._renew = renew
        tell: Told = lambda news: call.tell(news)  # noqa: E731 - who is told is replaced later
        self._dictation = Dictation(call.name, wires.source, errands.hearing, tell)
        self._apart = Apart(call.name, call.casting, engines.opens, tell)
        self._listened_to = False

    def hush(self, silent: bool) -> None:
        """From now on replies are words alone, or spoken."""
        self._errands.answering.silent = silent

    def forget(self, turn: int, who: Who) -> None:
        """What was said or written in a turn does not enter the next prompt."""
        self._errands.transcript.forget(turn, who)

    def listen(self, pace: TurnPace | None) -> None:
        """From now on a turn is over with this patience, or, without one, when it is committed."""
        if pace is not None:
            self._renew(pace)
        if self.deciding == (pace is None):
            return
        self.deciding = pace is None
        source = self._wires.source
        if not self.deciding:
            source.ring.skip()
            self._attach()
            return
        self._engines.vad.detach(self._call.name)
        self._dictation.clear()
        if self.spoke_at is not None:
            end = source.ring.written
            voiced_s = (end - self.spoke_at) / HEARING_HZ
            self._wires.inbox.put(SpeechEnded(source.instant(end), end, voiced_s))

    def connected(self) -> None:
        """The caller can be heard."""
        self._listened_to = True
        self._attach()

    def clear(self) -> None:
        """What was said and not committed is not wanted."""
        self._dictation.clear()

    def commit(self) -> tuple[int, float] | None:
        """What was said since the last time is read; see `Dictation.commit`."""
        return self._dictation.commit(self.tasks) if self.tasks is not None else None

    def ask_apart(self, question: Question) -> int:
        """Answers outside the conversation; see `Apart.ask`. Raises Refused."""
        if self.tasks is None:
            raise Refused(503, "not-connected", "the call is not connected yet")
        return self._apart.ask(question, self.tasks)

    def cancel_apart(self, number: int) -> None:
        """Ends such an answer."""
        self._apart.cancel(number)

    def close(self) -> None:
        """Ends what still runs."""
        self.tasks = None
        self._dictation.close()
        self._apart.close()

    def _attach(self) -> None:
        if self._listened_to and not self.deciding:
            name, inbox = self._call.name, self._wires.inbox
            self._engines.vad.attach(name, self._wires.source, inbox.put)

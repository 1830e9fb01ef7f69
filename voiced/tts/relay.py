"""Two voices as one: when the first fails, the second says the clause, and the rest of the turn.

    first   [clause 1][clause 2 ..x
    second                      [clause 2][clause 3]        (same language, or there is none)

While enough sound lies ahead of the ear, a clause of the first voice is held back until it is whole
or the lead runs short: one that breaks off unheard is simply said by the second. Of one that was
heard in part, nothing is left out: it is said again from its beginning, after a short silence.

Without a second voice a break is EngineFailed, and the call falls back to its fixed line. A turn
that has changed voices stays with the second; the next one tries the first again, unless the
breaker is open. It does not know how either voice speaks, nor where.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from voiced import clock
from voiced.audio.pcm import SPEAKING_HZ, Pcm
from voiced.errors import EngineFailed, Stale
from voiced.flow.breaker import Breaker
from voiced.flow.cancel import Take, Ticket
from voiced.ops import log, metrics
from voiced.tts.model import Sink, Spoken, Voice
from voiced.words import Words

HOLD_S = 1.5
"""Seconds ahead of the ear above which sound is held back: longer than the first voice may be
silent within a clause, and the second takes to begin, together."""

FAILURES, PAUSE_S = 3, 10.0

_COURSES = 256
"""Calls that are remembered; many times what one machine answers at once. The oldest goes first."""

_GAP: Pcm = np.zeros(SPEAKING_HZ // 5, np.int16)
"""200 ms between the half of a clause that was heard and the clause said again."""


@dataclass(slots=True)
class _Course:
    """Who speaks the reply of one take, and how far the first voice has come with it."""

    take: Take
    voice: Voice | None
    begun_at: float | None = None
    seconds: float = 0.0

    def ahead_s(self, at: float) -> float:
        """Sound that was made and cannot have been heard yet."""
        return 0.0 if self.begun_at is None else self.begun_at + self.seconds - at

    def count(self, samples: int, at: float) -> None:
        if self.begun_at is None:
            self.begun_at = at
        self.seconds += samples / SPEAKING_HZ


class Relay:
    """A Voice. Main loop only; it owns neither of the two."""

    def __init__(
        self,
        first: Voice,
        second: Voice | None,
        breaker: Breaker | None = None,
        now: Callable[[], float] = clock.now,
    ) -> None:
        """`second` speaks the same language as `first`. `now` may be called on their threads."""
        self._first = first
        self._second = second
        self._breaker = breaker or Breaker(FAILURES, PAUSE_S)
        self._now = now
        self._courses: dict[str, _Course] = {}

    async def speak(self, clause: Words, sink: Sink, ticket: Ticket, *, first: bool) -> Spoken:
        """As `Voice.speak` says."""
        course = self._course(ticket)
        if course.voice is self._first and not self._breaker.admits(self._now()):
            course.voice = self._second
        if course.voice is not self._first:
            return await self._instead(clause, sink, ticket, first=first)
        held = _Held(sink, course, self._now)
        try:
            spoken = await self._first.speak(clause, held.put, ticket, first=first)
        except EngineFailed as failure:
            self._broke(failure, course, ticket)
            if ticket.stale:
                raise Stale("tts") from None
            if held.seconds:
                held.put(_GAP)
            again = await self._instead(clause, sink, ticket, first=first)
            return _later(again, held.seconds)
        except BaseException:
            self._breaker.unknown()
            raise
        self._breaker.succeeded()
        held.release()
        return spoken

    def close(self) -> None:
        """Nothing: whoever opened the two voices closes them."""

    async def _instead(self, clause: Words, sink: Sink, ticket: Ticket, *, first: bool) -> Spoken:
        """The second voice says the clause. Raises EngineFailed when there is none."""
        if self._second is None:
            raise EngineFailed("tts", "no second voice")
        metrics.VOICE_RELAYED.inc()
        return await self._second.speak(clause, sink, ticket, first=first)

    def _broke(self, failure: EngineFailed, course: _Course, ticket: Ticket) -> None:
        self._breaker.failed(self._now())
        course.voice = self._second
        metrics.VOICE_BREAKS.labels(failure.reason).inc()
        log.warning("voice.broken", call=ticket.call, reason=failure.reason.replace(" ", "-"))

    def _course(self, ticket: Ticket) -> _Course:
        course = self._courses.get(ticket.call)
        if course is None or course.take != ticket.take:
            self._courses.pop(ticket.call, None)
            course = self._courses[ticket.call] = _Course(ticket.take, self._first)
            if len(self._courses) > _COURSES:
                del self._courses[next(iter(self._courses))]
        return course


def _later(spoken: Spoken, seconds: float) -> Spoken:
    """The same behind some seconds of other sound."""
    return Spoken(spoken.seconds + seconds, tuple(end + seconds for end in spoken.word_ends))


class _Held:
    """One clause's sound, held back while the ear has enough. On the first voice's thread."""

    def __init__(self, sink: Sink, course: _Course, now: Callable[[], float]) -> None:
        self._sink = sink
        self._course = course
        self._now = now
        self._waiting: list[Pcm] = []
        self._samples = 0

    @property
    def seconds(self) -> float:
        """Of sound that was given on."""
        return self._samples / SPEAKING_HZ

    def put(self, pcm: Pcm) -> None:
        self._waiting.append(pcm)
        if self._samples or self._course.ahead_s(self._now()) <= HOLD_S:
            self.release()

    def release(self) -> None:
        """Gives on what waits."""
        waiting, self._waiting = self._waiting, []
        for pcm in waiting:
            self._sink(pcm)
            self._samples += len(pcm)
            self._course.count(len(pcm), self._now())

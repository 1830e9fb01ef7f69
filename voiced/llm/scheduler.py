"""One step for all calls: schedule -> decode -> postprocess.

Every step carries the next token of each call that speaks, and a chunk of the prompts that wait.
The chunk is sized in milliseconds: it bounds how long one call's prompt may delay another's next
token, and how long a cancelled prompt goes on.

    step   [ next tokens of speaking calls | chunk: finals, in equal shares | speculation, if room ]

Shares are equal, so a short prompt behind a long one is read in the next step, and the long one
still moves. It does not know text, calls, threads or llama.cpp.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

from voiced import clock
from voiced.errors import EngineFailed
from voiced.flow.cancel import Ticket
from voiced.llm.batch import Engine, Run, Sampler, State
from voiced.llm.pace import Pace
from voiced.ops import log, metrics


class Urgency(IntEnum):
    """What is read first."""

    ANSWER = 0
    """A caller waits for the reply."""
    AHEAD = 1
    """A caller still speaks; nobody waits yet."""


class Reader(Protocol):
    """What becomes of a job; called on the engine's thread, and must not block."""

    abandoned: bool
    """Nobody listens any more. Set by any thread."""

    def read(self, evaluated: int, likely: float) -> None:
        """The whole prompt is in the cache; `evaluated` tokens of it were not before.

        `likely`: the probability that one of the job's `ends` follows.
        """
        ...

    def drawn(self, token: int) -> bool:
        """The next token of the reply. False: the reply ends with it."""
        ...

    def ended(self, error: EngineFailed | None, *, stale: bool) -> None:
        """Nothing more will come. Called once, always last."""
        ...


@dataclass(slots=True, eq=False)
class Track:
    """A sequence, and what its cache holds."""

    number: int
    tokens: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class Opening:
    """What a sequence held, saved."""

    tokens: tuple[int, ...]
    state: State


@dataclass(slots=True, eq=False)
class Job:
    """One prompt to read, and perhaps a reply to draw."""

    track: Track
    prompt: Sequence[int]
    reader: Reader
    urgency: Urgency
    ticket: Ticket | None = None
    sampler: Sampler | None = None
    """None: the prompt is only read."""
    ends: Sequence[int] = ()
    """Tokens whose probability after the prompt is wanted."""
    next: int | None = None
    """Drawn, and not evaluated yet."""
    evaluated: int = 0

    @property
    def left(self) -> int:
        """Tokens of the prompt that are still to be read."""
        return len(self.prompt) - len(self.track.tokens) if self.next is None else 0

    @property
    def stale(self) -> bool:
        return self.reader.abandoned or (self.ticket is not None and self.ticket.stale)


class Scheduler:
    """All jobs of one engine. One thread."""

    def __init__(self, engine: Engine, pace: Pace) -> None:
        self._engine = engine
        self._pace = pace
        self._jobs: list[Job] = []

    @property
    def idle(self) -> bool:
        return not self._jobs

    def add(self, job: Job) -> None:
        """Begins a job: what its sequence has of the prompt stays, the rest is cut off.

        A sequence has one job at a time: an older one is ended as stale. Only a reply that is
        still wanted is not ended by reading ahead; that is stale itself.
        """
        self._jobs.append(job)
        for older in [older for older in self._jobs if older.track is job.track][:-1]:
            if job.urgency > older.urgency and not older.stale:
                self._end(job, None, stale=True)
                return
            self._end(older, None, stale=True)
        try:
            keep = min(_common(job.track.tokens, job.prompt), len(job.prompt) - 1)
            self.cut(job.track, keep)
        except EngineFailed as error:
            self._fail([job], error)

    def cut(self, track: Track, length: int) -> None:
        """Rolls a sequence back."""
        if length < len(track.tokens):
            self._engine.cut(track.number, length)
            del track.tokens[length:]

    def save(self, track: Track) -> Opening:
        """A copy of what a sequence holds; it has no job."""
        return Opening(tuple(track.tokens), self._engine.save(track.number))

    def restore(self, track: Track, opening: Opening) -> None:
        """Lets a sequence, which has no job, hold what was saved.

        Where the engine cannot, the sequence is empty, and reads it again with its first prompt.
        """
        try:
            self._engine.restore(track.number, opening.state)
            track.tokens[:] = opening.tokens
        except EngineFailed as error:
            log.failure("opening.lost", error)
            self.cut(track, 0)

    def fail(self, error: EngineFailed) -> None:
        """Ends every job: something broke that was no job's own fault."""
        self._fail(list(self._jobs), error)

    def drop(self, track: Track) -> None:
        """Ends the sequence's job, and empties its cache."""
        for job in [job for job in self._jobs if job.track is track]:
            self._end(job, None, stale=True)
        self.cut(track, 0)

    def step(self) -> None:
        """One decode for all jobs that are still wanted."""
        for job in [job for job in self._jobs if job.stale]:
            self._end(job, None, stale=True)
        plan = self._schedule()
        if not plan:
            return
        began = clock.now()
        try:
            self._engine.decode([run for _job, run in plan])
        except EngineFailed as error:
            self._fail([job for job, _run in plan], error)
            return
        took_s = clock.now() - began
        metrics.LLM_STEP_MS.observe(took_s * 1000)
        speaking = sum(job.next is not None for job, _run in plan)
        tokens = sum(len(run.tokens) for _job, run in plan)
        self._pace.learn(speaking, tokens - speaking, took_s)
        self._postprocess(plan)

    def _schedule(self) -> list[tuple[Job, Run]]:
        speaking = [job for job in self._jobs if job.next is not None]
        plan = [(job, self._run(job, 1)) for job in speaking]
        room = self._pace.chunk(len(speaking), others=len(self._jobs) > 1)
        room = min(room, self._engine.batch_tokens - len(plan))
        for urgency in Urgency:
            waiting = [job for job in self._jobs if job.left and job.urgency is urgency]
            for job, share in _shares(waiting, room):
                plan.append((job, self._run(job, share)))
                room -= share
        return plan

    @staticmethod
    def _run(job: Job, count: int) -> Run:
        start = len(job.track.tokens)
        if job.next is not None:
            return Run(job.track.number, start, (job.next,), output=True)
        last = start + count == len(job.prompt)
        return Run(job.track.number, start, job.prompt[start : start + count], output=last)

    def _postprocess(self, plan: list[tuple[Job, Run]]) -> None:
        output = 0
        for job, run in plan:
            job.track.tokens += run.tokens
            if job.next is None:
                job.evaluated += len(run.tokens)
            if run.output:
                self._draw(job, output)
                output += 1

    def _draw(self, job: Job, output: int) -> None:
        try:
            if job.next is None:
                likely = self._engine.probability(output, job.ends) if job.ends else 0.0
                job.reader.read(job.evaluated, likely)
            if job.sampler is None:
                self._end(job, None, stale=False)
                return
            job.next = job.sampler.draw(output)
            if not job.reader.drawn(job.next):
                self._end(job, None, stale=False)
        except EngineFailed as error:
            self._fail([job], error)

    def _fail(self, jobs: list[Job], error: EngineFailed) -> None:
        """The caches of a step that failed are worth nothing."""
        for job in jobs:
            self._end(job, error, stale=False)
            job.track.tokens.clear()
            with suppress(EngineFailed):
                self._engine.cut(job.track.number, 0)

    def _end(self, job: Job, error: EngineFailed | None, *, stale: bool) -> None:
        self._jobs.remove(job)
        if job.sampler is not None:
            job.sampler.close()
        job.reader.ended(error, stale=stale)


def _common(cached: Sequence[int], prompt: Sequence[int]) -> int:
    """How many tokens both begin with."""
    for place, (one, other) in enumerate(zip(cached, prompt, strict=False)):
        if one != other:
            return place
    return min(len(cached), len(prompt))


def _shares(waiting: Sequence[Job], room: int) -> list[tuple[Job, int]]:
    """Equal shares of `room` tokens; what a short prompt leaves goes to the longer ones."""
    shares = []
    for index, job in enumerate(sorted(waiting, key=lambda job: job.left)):
        share = min(job.left, room, max(1, room // (len(waiting) - index)))
        if share > 0:
            shares.append((job, share))
            room -= share
    return shares

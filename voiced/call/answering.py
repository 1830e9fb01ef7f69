"""From what the caller said to sound: language model, clauses, spoken forms, voice, playout.

One answer at a time, clause by clause and in order: the voice works on a clause while the language
model goes on with the next, since each has its own thread. A reply of which nothing came, for
whatever reason, is tried once more; what has been heard is never said again. It does not know
turns: it is given a take, and stops when the take dies.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace

from voiced.audio.pcm import SPEAKING_HZ, Pcm
from voiced.audio.stretch import Stretch
from voiced.call.grounding import Check, Kind
from voiced.call.news import ReplyGrew, Told
from voiced.call.parts import Casting, Engines
from voiced.call.stopwatch import Mark, Stopwatch
from voiced.call.strain import Measure
from voiced.call.transcript import Transcript
from voiced.config.agent import Sampling
from voiced.errors import EngineFailed
from voiced.flow.cancel import Ticket
from voiced.flow.playout import HIGH_WATER, Playout
from voiced.llm.clauses import Clauses
from voiced.llm.model import Reply
from voiced.llm.tool_calls import Asked
from voiced.ops import log, metrics
from voiced.tts.spoken import speak
from voiced.tts.timing import Timed
from voiced.turn.asides import Aside
from voiced.turn.orders import Line
from voiced.turn.take import Take
from voiced.words import Words

Now = Callable[[], float]


STALL_S = 8.0
"""A language model that falls silent for so long in the middle of a reply has failed."""

LOUDER, LOUDEST = 1.6, 2.56
"""4 dB each time that the caller asks for it, twice; more would be clipped too much."""

SLOWER, SLOWEST = 1.25, 1.5625
"""How many times as long the agent's words take, each time that the caller asks for it, twice."""

_WARMER = 0.5
"""Temperature of a second try at least: the likeliest text of all has just failed."""

_SEEDS = 2**32


class Answering:
    """One call's mind and mouth. Main loop only."""

    def __init__(
        self,
        casting: Casting,
        engines: Engines,
        playout: Playout,
        transcript: Transcript,
        tell: Told,
        now: Now,
    ) -> None:
        """`now` may be called on the voice's thread too."""
        self.slowness = 1.0
        """How many times as long as usual its words take; fixed lines stay as they are."""
        self.sounds: Callable[[Take, Words], None] = lambda _take, _clause: None
        """Told, on the voice's thread, when a clause begins to sound; replaced by the errands."""
        self._casting = casting
        self._engines = engines
        self._playout = playout
        self._transcript = transcript
        self._tell = tell
        self._now = now
        self._checks: dict[str, Check] = {}
        """By language."""
        self.silent = False
        """Replies are words alone: the caller's program reads them."""
        self.silent_in = -1
        """The turn whose reply is words alone, whatever the others are."""

    @property
    def hands_off(self) -> bool:
        """Whoever asks for what stands in no source is handed off."""
        return self._casting.agent.grounding == "handoff"

    def unspoken(self, take: Take) -> bool:
        """The take's reply is words alone."""
        return self.silent or take.turn == self.silent_in

    async def likely_over(self, ticket: Ticket) -> float:
        """The probability, by the language model, that the caller's turn ends with its last words.

        What it reads for that is not read again by `answer`. Raises as `answer` does.
        """
        return await self._engines.slot.prefill(self._transcript.messages(), ticket)

    async def answer(self, ticket: Ticket, watch: Stopwatch) -> Asked | Kind:
        """Answers the conversation as it stands; returns when all sound of the reply is made.

        A reply that asks for tools is not complete: more follows in its take. One that was to state
        what stands in no source ends before that, with a fixed line; returned is what it was.

        The sound is held until the take is released. Raises EngineFailed when nothing, or not all,
        could be said, and Stale when the take died.
        """
        usual = self._casting.agent.sampling
        made = await self._tried(usual, ticket, watch)
        if isinstance(made, EngineFailed):
            reason = made.reason.replace(" ", "-")
            log.info("reply.retried", call=ticket.call, turn=ticket.take.turn, reason=reason)
            metrics.LLM_RETRIES.inc()
            made = await self._tried(otherwise(usual), ticket, watch)
        if isinstance(made, EngineFailed):
            raise made
        if isinstance(made, Kind):
            self._withhold(made, ticket, watch)
        elif made.calls:
            return made
        self._playout.complete = ticket.take
        return made

    async def repeat(self, ticket: Ticket, watch: Stopwatch) -> None:
        """Says the last reply once more, clause by clause; held and raising as `answer` is."""
        spoken = 0
        for clause in self._transcript.last_reply(ticket.take.turn):
            spoken += await self._speak(clause, self._form(clause), ticket, watch)
        if not spoken and not ticket.stale:
            raise EngineFailed("tts", "nothing was said that could be said again")
        self._playout.complete = ticket.take

    def adapt(self, wish: Aside) -> None:
        """Speaks as the caller wishes, from the next clause on; no further than makes sense."""
        match wish:
            case Aside.SLOWER:
                self.slowness = min(self.slowness * SLOWER, SLOWEST)
            case Aside.LOUDER:
                self._playout.volume = min(self._playout.volume * LOUDER, LOUDEST)
            case _:
                pass

    def say(self, take: Take, line: Line) -> None:
        """Puts a fixed line behind what already waits; nothing follows it in this take."""
        self._playout.released = take
        self._put(take, line)
        self._playout.complete = take

    def bridge(self, take: Take, line: Line) -> None:
        """Puts a fixed line behind what already waits; more of the take follows it.

        Where that has begun to sound meanwhile, there is nothing to bridge.
        """
        if not self._transcript.sounding(take.turn):
            self._put(take, line, bridging=True)

    def _put(self, take: Take, line: Line, *, bridging: bool = False) -> None:
        fixed = self._casting.tongue.lines[line]
        pcm = fixed.pcm[:0] if self.unspoken(take) else fixed.pcm
        clause = self._transcript.speaking(take, fixed.text, bridging=bridging)
        self._playout.write(take, pcm)
        clause.spoke(len(pcm), whole=True, timed=fixed.timed)
        if fixed.text:
            self._tell(ReplyGrew(take, fixed.text))

    def _withhold(self, kind: Kind, ticket: Ticket, watch: Stopwatch) -> None:
        """Says that the agent does not know, in the place of all that the reply had left."""
        if ticket.stale:
            return
        log.info("reply.withheld", call=ticket.call, turn=ticket.take.turn, kind=kind.value)
        metrics.WITHHELD.labels(kind.value).inc()
        watch.mark(Mark.CLAUSE, self._now())
        watch.mark(Mark.SOUND, self._now())
        self._put(ticket.take, Line.NOT_KNOWN)
        if not self.unspoken(ticket.take):
            self.sounds(ticket.take, self._casting.tongue.lines[Line.NOT_KNOWN].text)

    async def _tried(
        self, sampling: Sampling, ticket: Ticket, watch: Stopwatch
    ) -> Asked | Kind | EngineFailed:
        """Makes and says a reply. Returns what it asks for.

        Or what it was to state without a source: that and all behind it is not said. Or why nothing
        was said, where another may go better.
        """
        history = self._transcript.messages()
        check = self._check()
        await check.begin(history)
        spoken = 0
        reply = self._engines.slot.answer(history, sampling, ticket)
        try:
            async with aclosing(self._clauses(reply, watch)) as clauses:
                async for clause in clauses:
                    form = self._form(clause)
                    if kind := check.withheld(form.reveal()):
                        return kind
                    spoken += await self._speak(clause, form, ticket, watch)
        except EngineFailed as failure:
            if spoken or failure.stage != "llm":
                raise
            return failure
        if not spoken and not reply.asked.calls and not ticket.stale:
            return EngineFailed("llm", "a reply with nothing to say")
        return reply.asked

    async def _clauses(self, reply: Reply, watch: Stopwatch) -> AsyncGenerator[Words]:
        """The clauses of a reply, each as soon as it can stand alone."""
        strained = self._engines.strain.leaves_out(Measure.LONG_CLAUSES, self._now())
        clauses = Clauses(self._casting.language, hurried=strained)
        async with aclosing(_flowing(reply)) as pieces:
            async for piece in pieces:
                watch.mark(Mark.TOKEN, self._now())
                for clause in clauses.feed(piece.reveal()):
                    yield Words(clause)
        for clause in clauses.end():
            yield Words(clause)

    def _check(self) -> Check:
        """Of the language that the call is held in."""
        sources, language = self._casting.tongue.sources, self._casting.language
        return self._checks.setdefault(language, Check(sources, self._engines.wall))

    def _form(self, clause: Words) -> Words:
        """A clause as it is read aloud."""
        return Words(speak(clause.reveal(), self._casting.language, self._casting.locale))

    async def _speak(self, clause: Words, form: Words, ticket: Ticket, watch: Stopwatch) -> int:
        """Makes the sound of one clause; returns its samples, or 1 where it is words alone."""
        if not form:
            return 0
        watch.mark(Mark.CLAUSE, self._now())
        if self.unspoken(ticket.take):
            self._transcript.speaking(ticket.take, clause).spoke(0, whole=True)
            self._tell(ReplyGrew(ticket.take, clause))
            return 1
        await self._until_room()
        made, slowness = 0, self.slowness

        def sink(pcm: Pcm) -> None:
            nonlocal made
            watch.mark(Mark.SOUND, self._now())
            making.begun = making.begun or len(pcm) > 0
            self._playout.write(ticket.take, pcm)
            if not made and len(pcm):
                self.sounds(ticket.take, clause)
            made += len(pcm)

        making = self._transcript.speaking(ticket.take, clause)
        self._tell(ReplyGrew(ticket.take, clause))
        timed: Timed | None = None
        try:
            first = not self._playout.waiting
            stretch = Stretch(slowness)
            slowed = sink if slowness == 1.0 else lambda pcm: sink(stretch.push(pcm))
            voice = self._casting.tongue.voice
            spoken = await voice.speak(form, slowed, ticket, first=first)
            if slowness != 1.0:
                sink(stretch.end())
            timed = Timed(form, tuple(end * slowness for end in spoken.word_ends))
        finally:
            making.spoke(made, whole=timed is not None, timed=timed)
        return made

    async def _until_room(self) -> None:
        """Waits while enough sound is made: it is used up at a known rate."""
        surplus = self._playout.waiting - HIGH_WATER
        if surplus > 0:
            await asyncio.sleep(surplus / SPEAKING_HZ)


def otherwise(sampling: Sampling) -> Sampling:
    """For a second try: drawn so that it is not the same text again."""
    warmth = max(sampling.temperature, _WARMER)
    return replace(sampling, temperature=warmth, seed=(sampling.seed + 1) % _SEEDS)


async def _flowing(reply: Reply) -> AsyncGenerator[Words]:
    """The pieces of a reply; for the first one the engine has a deadline of its own.

    Raises EngineFailed when the next one does not come. Closed early, it ends the reply.
    """
    patience_s: float | None = None
    async with aclosing(aiter(reply)) as pieces:
        while True:
            try:
                async with asyncio.timeout(patience_s):
                    piece = await anext(pieces)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise EngineFailed("llm", "stopped in the middle of a reply") from None
            yield piece
            patience_s = STALL_S

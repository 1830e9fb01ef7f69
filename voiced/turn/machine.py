"""Whose turn is it?

Rule 1: every change of who holds the floor is in TABLE, and nowhere else.
Rule 2: this package knows no clock, socket, thread, model or sample's value. It is told facts, and
gives orders; the call's tasks do the rest.

Theory of operation
===================

The caller's speech is cut into stretches by the VAD, and all stretches of a turn are read as one
utterance. Work on the answer begins at once when the caller pauses, and is held until it is sure
that the turn is over; so the caller waits for the longer of the two, not for their sum:

    [speech][pause ........ endpoint ]
            ^ Transcribe             ^ Release
              ^ Final: Answer (held)
               ^ EndScored: moves the endpoint

A caller who goes on within the pause, or before any of the answer was heard, goes on with the same
turn: the take dies, and the next one hears everything that was said:

    [speech][pause][speech][pause ... endpoint ]
                   ^ Cancel ^ Transcribe both    ^ Release

While the agent speaks, the caller's voice softens it, then silences it, and then the words decide:
a "mhm" or a cough lets it go on at the same word, a "stop" takes the floor:

    [agent ......(soft)|.(silent, place kept)........|...
           [speech .... hold ........][words]        ^ Resume, or Cancel
           ^ Duck       ^ Hold        ^ Overhear

What is long enough takes the floor whatever is said; what is too short to be held for is read all
the same, since "no" is short.

Every turn is answered or apologised for: an engine that fails, or a reply that does not come in
time, ends in the fallback line. Words that could not be made out are asked for again, at most twice
in a row, and only after speech that was too long to be a noise.

The caller's program may write words instead of saying them, while nobody has the floor; they are
answered like a turn. Who speaks before that answer is heard goes on with the same turn, as ever.

Timers are data: the driver reads `deadline`, and at that instant sends Timeout. (turn, take) is the
cancel token: work that carries another pair is stale, and facts that carry one are dropped.
"""

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum, auto

from voiced.config.settings import TurnPace
from voiced.turn.bargein import interrupts
from voiced.turn.endpoint import Evidence, wait_s
from voiced.turn.facts import (
    ClientAsked,
    ClientStopped,
    Connected,
    EndScored,
    Fact,
    Failed,
    Final,
    Leaving,
    Overheard,
    PlayoutFinished,
    PlayoutStarted,
    SpeechStarted,
    SpeechStopped,
    Timeout,
)
from voiced.turn.orders import (
    Answer,
    Cancel,
    Decline,
    Duck,
    EndCall,
    Hold,
    Line,
    Note,
    Order,
    Overhear,
    Release,
    Resume,
    Say,
    Span,
    Transcribe,
)
from voiced.turn.take import Take
from voiced.words import NOTHING


class Floor(StrEnum):
    """Who holds the floor."""

    QUIET = auto()  # nobody
    HEARING = auto()  # the caller speaks
    PAUSING = auto()  # the caller paused; an answer is made, and held until the endpoint
    THINKING = auto()  # the caller's turn is over; no answer is heard yet
    SPEAKING = auto()  # the agent speaks
    OVERLAPPING = auto()  # both speak, the agent softly; it falls silent if this goes on
    HOLDING = auto()  # the agent keeps its place in silence while the caller speaks
    DECIDING = auto()  # the caller has paused; what was said decides who goes on
    LEAVING = auto()  # the agent says goodbye; nothing is heard any more


MISSES = 2
"""How often in a row the caller is told that the words were not understood."""

WORTH_ASKING_S = 0.5
"""Speech shorter than this that could not be made out was a noise, and is passed over."""

DECISION_S = 1.5
"""Words over the agent that are not read by then were none: it speaks on."""

GOODBYE_S = 10.0
"""A goodbye that has not been heard to its end by then is cut."""


class NoRow(LookupError):
    """A fact came that the table does not expect on this floor. Nothing has changed."""

    def __init__(self, floor: Floor, fact: type) -> None:
        super().__init__(f"{fact.__name__} while {floor}")
        self.floor = floor
        self.fact = fact


class TurnMachine:
    """Sans-I/O: `handle(fact)` changes the floor and returns the orders that follow."""

    def __init__(self, pace: TurnPace) -> None:
        self.floor = Floor.QUIET
        self.take = Take(0, 0)
        """The live take."""
        self.deadline: float | None = None
        self._pace = pace
        self._spans: tuple[Span, ...] = ()
        self._voiced_s = 0.0
        self._misses = 0
        self.paused_at = 0.0
        """Instant of the last voiced sample before the newest pause."""
        self._evidence = Evidence()
        self._outcome: Final | Failed | None = None
        self._sure_at = 0.0
        self._written_in = 0
        """The newest turn that began with written words."""

    def handle(self, fact: Fact) -> list[Order]:
        """Raises NoRow when the fact has no row on this floor; stale facts are dropped."""
        if self._stale(fact):
            return []
        step = TABLE.get((self.floor, type(fact)))
        if step is None:
            raise NoRow(self.floor, type(fact))
        return step(self, fact)

    def _stale(self, fact: Fact) -> bool:
        """Late news of a take that is over, or of a deadline that has moved."""
        match fact:
            case (
                Final()
                | EndScored()
                | Overheard()
                | PlayoutStarted()
                | PlayoutFinished()
                | Failed()
            ):
                return fact.take != self.take
            case Timeout():
                return self.deadline is None or fact.at < self.deadline
            case _:
                return False

    # Steps, in the order of a conversation. Each matches the facts that its rows name.

    def _greet(self, _fact: Fact) -> list[Order]:
        self._go(Floor.SPEAKING)
        return [Say(self.take, Line.GREETING)]

    def _begin(self, fact: Fact) -> list[Order]:
        assert isinstance(fact, SpeechStarted)
        self.take = Take(self.take.turn + 1, 0)
        self._spans, self._voiced_s = (Span(fact.sample, fact.sample),), 0.0
        self._go(Floor.HEARING)
        return []

    def _pause(self, fact: Fact) -> list[Order]:
        """The caller may be done: begin to answer, and wait for as long as it takes to be sure."""
        assert isinstance(fact, SpeechStopped)
        self._spans = (*self._spans[:-1], replace(self._spans[-1], stop=fact.sample))
        self._voiced_s += fact.voiced_s
        self.paused_at, self._outcome, self._evidence = fact.at, None, Evidence()
        self._go(Floor.PAUSING, fact.at + wait_s(self._evidence, self._pace))
        return [Transcribe(self.take, self._spans, self._voiced_s)]

    def _note(self, fact: Fact) -> list[Order]:
        """Within the pause: what came of the work is kept until the endpoint."""
        assert isinstance(fact, Final | Failed)
        self._outcome = fact
        if isinstance(fact, Failed) or not self._worded(fact):
            return []
        if fact.text:
            self._weigh(replace(self._evidence, words=fact.text))
        return [Answer(self.take, fact.text)]

    def _score(self, fact: Fact) -> list[Order]:
        assert isinstance(fact, EndScored)
        self._weigh(replace(self._evidence, probability=fact.probability))
        return []

    def _weigh(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.deadline = self.paused_at + wait_s(evidence, self._pace)

    def _resume(self, fact: Fact) -> list[Order]:
        """The caller goes on, and nothing was heard of an answer: the same turn, once more."""
        assert isinstance(fact, SpeechStarted)
        stale = self.take
        self.take = Take(stale.turn, stale.take + 1)
        self._spans = (*self._spans, Span(fact.sample, fact.sample))
        self._go(Floor.HEARING)
        return [Cancel(stale)]

    def _endpoint(self, fact: Fact) -> list[Order]:
        """The turn is over; what came of the work so far says how it goes on."""
        assert isinstance(fact, Timeout)
        self._go(Floor.THINKING, fact.at + self._pace.answer_deadline_ms / 1000)
        match self._outcome:
            case None:
                return []
            case Failed():
                return self._apologise(fact)
            case Final(_, take) as final:
                worded = self._worded(final)
                return self._understood(Release(take)) if worded else self._missed()

    def _answer(self, fact: Fact) -> list[Order]:
        """The words came after the endpoint: nothing needs to be held."""
        assert isinstance(fact, Final)
        if not self._worded(fact):
            return self._missed()
        return self._understood(Answer(self.take, fact.text), Release(self.take))

    def _worded(self, fact: Final) -> bool:
        """Whether there is anything to answer: said, or written before."""
        return bool(fact.text) or self._written_in == self.take.turn

    def _understood(self, *orders: Order) -> list[Order]:
        self._misses = 0
        return [*orders]

    def _missed(self) -> list[Order]:
        if self._voiced_s < WORTH_ASKING_S or self._misses >= MISSES:
            self._go(Floor.QUIET)
            return []
        self._misses += 1
        return [Say(self.take, Line.FALLBACK)]

    def _apologise(self, _fact: Fact) -> list[Order]:
        """An engine failed: what the caller hears next is the fallback line."""
        return [Say(self.take, Line.FALLBACK)]

    def _give_up(self, _fact: Fact) -> list[Order]:
        """Nothing to hear in time: whatever still works on this take is dropped."""
        stale = self.take
        self.take = Take(stale.turn, stale.take + 1)
        self._go(Floor.SPEAKING)
        return [Cancel(stale), Say(self.take, Line.FALLBACK)]

    def _speak(self, _fact: Fact) -> list[Order]:
        self._go(Floor.SPEAKING)
        return []

    def _overlap(self, fact: Fact) -> list[Order]:
        assert isinstance(fact, SpeechStarted)
        self._spans, self._voiced_s = (Span(fact.sample, fact.sample),), 0.0
        self._go(Floor.OVERLAPPING, fact.at + self._pace.hold_ms / 1000)
        self._sure_at = fact.at + self._pace.barge_in_ms / 1000
        return [Duck(self.take)]

    def _hold(self, _fact: Fact) -> list[Order]:
        self._go(Floor.HOLDING, self._sure_at)
        return [Hold(self.take)]

    def _barge_in(self, _fact: Fact) -> list[Order]:
        """The caller takes the floor; the speech that began over the agent is the next turn."""
        stale = self.take
        self.take = Take(stale.turn + 1, 0)
        self._go(Floor.HEARING)
        return [Cancel(stale)]

    def _speak_on(self, fact: Fact) -> list[Order]:
        """Too short to be held for: the agent goes on at once, and what was said is read."""
        self._go(Floor.SPEAKING)
        return [Resume(self.take), self._overhear(fact)]

    def _decide(self, fact: Fact) -> list[Order]:
        order = self._overhear(fact)
        self._go(Floor.DECIDING, fact.at + DECISION_S)
        return [order]

    def _overhear(self, fact: Fact) -> Order:
        assert isinstance(fact, SpeechStopped)
        self._spans = (*self._spans[:-1], replace(self._spans[-1], stop=fact.sample))
        self._voiced_s += fact.voiced_s
        self.paused_at = fact.at
        return Overhear(self.take, self._spans, self._voiced_s)

    def _hold_on(self, fact: Fact) -> list[Order]:
        """The caller goes on before it was decided; the agent is silent already."""
        assert isinstance(fact, SpeechStarted)
        self._spans = (*self._spans, Span(fact.sample, fact.sample))
        self._go(Floor.HOLDING, fact.at + self._pace.barge_in_ms / 1000)
        return []

    def _give_way(self, fact: Fact) -> list[Order]:
        """The caller has paused, and what was said over the agent is known: whose turn is it?"""
        assert isinstance(fact, Overheard)
        if not interrupts(fact.text, asking=fact.asking):
            return self._resume_speaking(fact) if self.floor is Floor.DECIDING else []
        stale = self.take
        self.take = Take(stale.turn + 1, 0)
        self._go(Floor.PAUSING)
        self._outcome = Final(fact.at, self.take, fact.text)
        self._weigh(Evidence(fact.text))
        return [Cancel(stale), Answer(self.take, fact.text)]

    def _give_way_to_speech(self, fact: Fact) -> list[Order]:
        """The caller speaks again already: the words so far may have taken the floor."""
        assert isinstance(fact, Overheard)
        return self._barge_in(fact) if interrupts(fact.text, asking=fact.asking) else []

    def _resume_speaking(self, _fact: Fact) -> list[Order]:
        self._go(Floor.SPEAKING)
        return [Resume(self.take)]

    def _ask(self, fact: Fact) -> list[Order]:
        """Written words are a turn of their own, and over at once."""
        assert isinstance(fact, ClientAsked)
        self.take = Take(self.take.turn + 1, 0)
        self._written_in = self.take.turn
        self._spans, self._voiced_s = (), 0.0
        self._go(Floor.THINKING, fact.at + self._pace.answer_deadline_ms / 1000)
        answer = Answer(self.take, NOTHING)
        return self._understood(Note(self.take, fact.text), answer, Release(self.take))

    def _decline(self, _fact: Fact) -> list[Order]:
        return [Decline()]

    def _stop(self, _fact: Fact) -> list[Order]:
        """The agent falls silent, and nobody has the floor."""
        stale = self.take
        self.take = Take(stale.turn, stale.take + 1)
        self._go(Floor.QUIET)
        return [Cancel(stale)]

    def _finish(self, _fact: Fact) -> list[Order]:
        self._go(Floor.QUIET)
        return []

    def _finish_under_speech(self, _fact: Fact) -> list[Order]:
        """The agent was done anyway: the caller's speech is the next turn."""
        self.take = Take(self.take.turn + 1, 0)
        self._go(Floor.HEARING)
        return []

    def _leave(self, fact: Fact) -> list[Order]:
        stale = self.take
        self.take = Take(stale.turn, stale.take + 1)
        self._go(Floor.LEAVING, fact.at + GOODBYE_S)
        return [Cancel(stale), Say(self.take, Line.GOODBYE)]

    def _hang_up(self, _fact: Fact) -> list[Order]:
        self._go(Floor.LEAVING)
        return [EndCall()]

    def _stay(self, _fact: Fact) -> list[Order]:
        """Expected, and nothing follows."""
        return []

    def _go(self, floor: Floor, deadline: float | None = None) -> None:
        self.floor = floor
        self.deadline = deadline


Step = Callable[[TurnMachine, Fact], list[Order]]

# fmt: off
TABLE: dict[tuple[Floor, type], Step] = {
    (Floor.QUIET,       Connected):       TurnMachine._greet,
    (Floor.QUIET,       SpeechStarted):   TurnMachine._begin,
    (Floor.QUIET,       Overheard):       TurnMachine._give_way, # the reply ended meanwhile
    (Floor.QUIET,       ClientAsked):     TurnMachine._ask,
    (Floor.QUIET,       ClientStopped):   TurnMachine._stay,
    (Floor.QUIET,       Leaving):         TurnMachine._leave,

    (Floor.HEARING,     SpeechStopped):   TurnMachine._pause,
    (Floor.HEARING,     ClientAsked):     TurnMachine._decline,
    (Floor.HEARING,     ClientStopped):   TurnMachine._stay,
    (Floor.HEARING,     Leaving):         TurnMachine._leave,

    (Floor.PAUSING,     SpeechStarted):   TurnMachine._resume,
    (Floor.PAUSING,     Final):           TurnMachine._note,
    (Floor.PAUSING,     EndScored):       TurnMachine._score,
    (Floor.PAUSING,     Failed):          TurnMachine._note,
    (Floor.PAUSING,     Timeout):         TurnMachine._endpoint,
    (Floor.PAUSING,     ClientAsked):     TurnMachine._decline,
    (Floor.PAUSING,     ClientStopped):   TurnMachine._stay,
    (Floor.PAUSING,     Leaving):         TurnMachine._leave,

    (Floor.THINKING,    SpeechStarted):   TurnMachine._resume,
    (Floor.THINKING,    Final):           TurnMachine._answer,
    (Floor.THINKING,    EndScored):       TurnMachine._stay,
    (Floor.THINKING,    Failed):          TurnMachine._apologise,
    (Floor.THINKING,    PlayoutStarted):  TurnMachine._speak,
    (Floor.THINKING,    PlayoutFinished): TurnMachine._finish,  # a reply with nothing to hear
    (Floor.THINKING,    Timeout):         TurnMachine._give_up,
    (Floor.THINKING,    ClientAsked):     TurnMachine._decline,
    (Floor.THINKING,    ClientStopped):   TurnMachine._stop,
    (Floor.THINKING,    Leaving):         TurnMachine._leave,

    (Floor.SPEAKING,    SpeechStarted):   TurnMachine._overlap,
    (Floor.SPEAKING,    Overheard):       TurnMachine._give_way,
    (Floor.SPEAKING,    Failed):          TurnMachine._apologise,
    (Floor.SPEAKING,    PlayoutStarted):  TurnMachine._stay,
    (Floor.SPEAKING,    PlayoutFinished): TurnMachine._finish,
    (Floor.SPEAKING,    ClientAsked):     TurnMachine._decline,
    (Floor.SPEAKING,    ClientStopped):   TurnMachine._stop,
    (Floor.SPEAKING,    Leaving):         TurnMachine._leave,

    (Floor.OVERLAPPING, SpeechStopped):   TurnMachine._speak_on,
    (Floor.OVERLAPPING, Overheard):       TurnMachine._give_way_to_speech,  # of speech before
    (Floor.OVERLAPPING, Timeout):         TurnMachine._hold,
    (Floor.OVERLAPPING, Failed):          TurnMachine._apologise,
    (Floor.OVERLAPPING, PlayoutStarted):  TurnMachine._stay,
    (Floor.OVERLAPPING, PlayoutFinished): TurnMachine._finish_under_speech,
    (Floor.OVERLAPPING, ClientAsked):     TurnMachine._decline,
    (Floor.OVERLAPPING, ClientStopped):   TurnMachine._barge_in,
    (Floor.OVERLAPPING, Leaving):         TurnMachine._leave,

    (Floor.HOLDING,     SpeechStopped):   TurnMachine._decide,
    (Floor.HOLDING,     Overheard):       TurnMachine._give_way_to_speech,
    (Floor.HOLDING,     Timeout):         TurnMachine._barge_in,
    (Floor.HOLDING,     Failed):          TurnMachine._apologise,
    (Floor.HOLDING,     PlayoutStarted):  TurnMachine._stay,    # sent before the hold, told after
    (Floor.HOLDING,     PlayoutFinished): TurnMachine._finish_under_speech,
    (Floor.HOLDING,     ClientAsked):     TurnMachine._decline,
    (Floor.HOLDING,     ClientStopped):   TurnMachine._barge_in,
    (Floor.HOLDING,     Leaving):         TurnMachine._leave,

    (Floor.DECIDING,    SpeechStarted):   TurnMachine._hold_on,
    (Floor.DECIDING,    Overheard):       TurnMachine._give_way,
    (Floor.DECIDING,    Timeout):         TurnMachine._resume_speaking,
    (Floor.DECIDING,    Failed):          TurnMachine._apologise,
    (Floor.DECIDING,    PlayoutStarted):  TurnMachine._stay,
    (Floor.DECIDING,    PlayoutFinished): TurnMachine._finish,
    (Floor.DECIDING,    ClientAsked):     TurnMachine._decline,
    (Floor.DECIDING,    ClientStopped):   TurnMachine._stop,
    (Floor.DECIDING,    Leaving):         TurnMachine._leave,

    (Floor.LEAVING,     Connected):       TurnMachine._stay,
    (Floor.LEAVING,     SpeechStarted):   TurnMachine._stay,
    (Floor.LEAVING,     SpeechStopped):   TurnMachine._stay,
    (Floor.LEAVING,     PlayoutStarted):  TurnMachine._stay,
    (Floor.LEAVING,     PlayoutFinished): TurnMachine._hang_up,
    (Floor.LEAVING,     Timeout):         TurnMachine._hang_up,
    (Floor.LEAVING,     ClientAsked):     TurnMachine._decline,
    (Floor.LEAVING,     ClientStopped):   TurnMachine._stay,
    (Floor.LEAVING,     Leaving):         TurnMachine._stay,
}
# fmt: on

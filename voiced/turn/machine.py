"""Whose turn is it?

Rule 1: what may happen on which floor is in TABLE, and nowhere else. The steps that it names lie in
`listening` (the caller's turn), `overlap` (both speak), `saying` (fixed lines) and `person`.
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
time, ends in the fallback line; twice in a row, and somebody else is told. Words that could not be
made out are asked for again, at most twice in a row, and only after speech that was too long to be
a noise.

The caller's program may write words instead of saying them, while nobody has the floor; they are
answered like a turn. Who speaks before that answer is heard goes on with the same turn, as ever.

A caller who hears nothing for a second behind the turn hears a filler. A reply may need tools. They
are run once the turn is over, never for a take that may yet die, and the caller is told when they
take long; what they return lets the reply go on.

Some things are never left to a language model: an emergency that the site has named is answered by
a fixed line the moment that it is read, be it while the caller still speaks, or after its words
were taken for others and answered; and it is handed off. A silent caller is asked, twice; a goodbye
is returned. A line that the caller must hear is owed until it was heard to its end.

A caller whose line is lost is waited for, in silence: the conversation goes on where it was when he
is back, and ends when he does not come. A fixed line that he was being told is said again; what he
was saying is asked for again.

A person who joins a call that was handed off takes the agent's place: it neither speaks nor listens
until that person has gone, and then says that it is there again.

Timers are data: the driver reads `deadline`, and at that instant sends Timeout. (turn, take) is the
cancel token: work that carries another pair is stale, and facts that carry one are dropped.
"""

from collections.abc import Callable

from voiced.config.settings import TurnPace
from voiced.turn import listening, overlap, person, saying, tooling
from voiced.turn.facts import (
    ClauseSounds,
    ClientAsked,
    ClientStopped,
    Connected,
    EndScored,
    Fact,
    Failed,
    Final,
    HearingLost,
    Joined,
    Leaving,
    LineDue,
    LineLost,
    Overheard,
    Parted,
    Partial,
    PlayoutFinished,
    PlayoutStarted,
    SpeechStarted,
    SpeechStopped,
    Suspected,
    Timeout,
    ToolAsked,
    ToolReturned,
    Withheld,
)
from voiced.turn.floor import Floor, NoRow
from voiced.turn.orders import Order, Span
from voiced.turn.take import Take
from voiced.turn.talk import PLAIN, Manner, Talk

__all__ = ["TABLE", "Floor", "Manner", "NoRow", "TurnMachine"]


class TurnMachine:
    """Sans-I/O: `handle(fact)` changes the floor and returns the orders that follow."""

    def __init__(self, pace: TurnPace, manner: Manner = PLAIN) -> None:
        self._talk = Talk(pace, manner)

    @property
    def floor(self) -> Floor:
        return self._talk.floor

    @property
    def take(self) -> Take:
        """The live take."""
        return self._talk.take

    @property
    def deadline(self) -> float | None:
        """Instant at which Timeout is wanted."""
        return self._talk.deadline

    @property
    def paused_at(self) -> float:
        """Instant of the last voiced sample before the newest pause."""
        return self._talk.paused_at

    @property
    def spans(self) -> tuple[Span, ...]:
        """Stretches of the caller's turn; while the caller speaks the last of them is open."""
        return self._talk.speech.spans

    @property
    def likely_over(self) -> float | None:
        """In a pause: how likely the turn ends there; None while nobody has said."""
        return self._talk.evidence.probability

    def renew(self, pace: TurnPace) -> None:
        """From now on it is so patient; a deadline that is set stays."""
        self._talk.pace = pace

    def handle(self, fact: Fact) -> list[Order]:
        """Raises NoRow when the fact has no row on this floor; stale facts are dropped."""
        if self._stale(fact):
            return []
        step = TABLE.get((self.floor, type(fact)))
        if step is None:
            raise NoRow(self.floor, type(fact))
        return step(self._talk, fact)

    def _stale(self, fact: Fact) -> bool:
        """Late news of a take that is over, or of a deadline that has moved."""
        match fact:
            case (
                Partial()
                | Final()
                | Suspected()
                | EndScored()
                | Overheard()
                | PlayoutStarted()
                | PlayoutFinished()
                | ClauseSounds()
                | ToolAsked()
                | ToolReturned()
                | Withheld()
                | Failed()
            ):
                return fact.take != self.take
            case Parted():
                return not self._talk.joined
            case Timeout():
                return self.deadline is None or fact.at < self.deadline
            case _:
                return False


Step = Callable[[Talk, Fact], list[Order]]

# fmt: off
TABLE: dict[tuple[Floor, type], Step] = {
    (Floor.QUIET,       Connected):       saying.greet,
    (Floor.QUIET,       SpeechStarted):   listening.begin,
    (Floor.QUIET,       Suspected):       saying.heed_late,  # it is answered already
    (Floor.QUIET,       Overheard):       overlap.give_way,  # the reply ended meanwhile
    (Floor.QUIET,       PlayoutStarted):  saying.stay,    # a filler, behind which nothing came
    (Floor.QUIET,       Timeout):         saying.nudge,
    (Floor.QUIET,       HearingLost):     saying.lose_hearing,
    (Floor.QUIET,       LineDue):         saying.be_due,
    (Floor.QUIET,       ClientAsked):     listening.ask,
    (Floor.QUIET,       ClientStopped):   saying.stay,
    (Floor.QUIET,       Joined):          person.join,
    (Floor.QUIET,       LineLost):        saying.lose_in_silence,
    (Floor.QUIET,       Leaving):         saying.leave,

    (Floor.HEARING,     SpeechStopped):   listening.pause,
    (Floor.HEARING,     Partial):         overlap.heed_partial,
    (Floor.HEARING,     HearingLost):     saying.lose_hearing,
    (Floor.HEARING,     LineDue):         saying.be_due,
    (Floor.HEARING,     ClientAsked):     listening.decline,
    (Floor.HEARING,     ClientStopped):   saying.stay,
    (Floor.HEARING,     Joined):          person.join,
    (Floor.HEARING,     LineLost):        saying.lose_in_words,
    (Floor.HEARING,     Leaving):         saying.leave,

    (Floor.PAUSING,     SpeechStarted):   listening.resume,
    (Floor.PAUSING,     Partial):         saying.stay,  # all of it is being read
    (Floor.PAUSING,     Final):           listening.note,
    (Floor.PAUSING,     Suspected):       saying.heed_late,
    (Floor.PAUSING,     EndScored):       listening.score,
    (Floor.PAUSING,     ClauseSounds):    tooling.sound,
    (Floor.PAUSING,     ToolAsked):       tooling.hold,
    (Floor.PAUSING,     Withheld):        saying.hold_hand_off,
    (Floor.PAUSING,     Failed):          listening.note,
    (Floor.PAUSING,     Timeout):         listening.endpoint,
    (Floor.PAUSING,     HearingLost):     saying.lose_hearing,
    (Floor.PAUSING,     LineDue):         saying.be_due,
    (Floor.PAUSING,     ClientAsked):     listening.decline,
    (Floor.PAUSING,     ClientStopped):   saying.stay,
    (Floor.PAUSING,     Joined):          person.join,
    (Floor.PAUSING,     LineLost):        saying.lose_unanswered,
    (Floor.PAUSING,     Leaving):         saying.leave,

    (Floor.THINKING,    SpeechStarted):   listening.resume,
    (Floor.THINKING,    Final):           listening.answer,
    (Floor.THINKING,    Suspected):       saying.heed_late,
    (Floor.THINKING,    EndScored):       saying.stay,
    (Floor.THINKING,    ClauseSounds):    tooling.sound,
    (Floor.THINKING,    ToolAsked):       tooling.run,
    (Floor.THINKING,    ToolReturned):    tooling.proceed,
    (Floor.THINKING,    Withheld):        saying.ask_for_help,
    (Floor.THINKING,    Failed):          saying.apologise,
    (Floor.THINKING,    PlayoutStarted):  listening.speak,
    (Floor.THINKING,    PlayoutFinished): saying.finish,  # a reply with nothing to hear
    (Floor.THINKING,    Timeout):         tooling.bridge,
    (Floor.THINKING,    HearingLost):     saying.lose_hearing,
    (Floor.THINKING,    LineDue):         saying.be_due,
    (Floor.THINKING,    ClientAsked):     listening.decline,
    (Floor.THINKING,    ClientStopped):   saying.silence,
    (Floor.THINKING,    Joined):          person.join,
    (Floor.THINKING,    LineLost):        saying.lose_unanswered,
    (Floor.THINKING,    Leaving):         saying.leave,

    (Floor.SPEAKING,    SpeechStarted):   overlap.overlap,
    (Floor.SPEAKING,    Overheard):       overlap.give_way,
    (Floor.SPEAKING,    Suspected):       saying.heed_late,
    (Floor.SPEAKING,    ClauseSounds):    tooling.sound,
    (Floor.SPEAKING,    ToolAsked):       tooling.run,
    (Floor.SPEAKING,    ToolReturned):    tooling.proceed,
    (Floor.SPEAKING,    Withheld):        saying.ask_for_help,
    (Floor.SPEAKING,    Failed):          saying.apologise,
    (Floor.SPEAKING,    PlayoutStarted):  saying.stay,
    (Floor.SPEAKING,    PlayoutFinished): saying.finish,
    (Floor.SPEAKING,    Timeout):         tooling.bridge,  # what was said was no reply
    (Floor.SPEAKING,    HearingLost):     saying.lose_hearing,
    (Floor.SPEAKING,    LineDue):         saying.be_due,
    (Floor.SPEAKING,    ClientAsked):     listening.decline,
    (Floor.SPEAKING,    ClientStopped):   saying.silence,
    (Floor.SPEAKING,    Joined):          person.join,
    (Floor.SPEAKING,    LineLost):        saying.lose,
    (Floor.SPEAKING,    Leaving):         saying.leave,

    (Floor.OVERLAPPING, SpeechStopped):   overlap.speak_on,
    (Floor.OVERLAPPING, Overheard):       overlap.give_way_to_speech,  # of speech before
    (Floor.OVERLAPPING, Suspected):       overlap.heed_late,
    (Floor.OVERLAPPING, Timeout):         overlap.hold,
    (Floor.OVERLAPPING, ClauseSounds):    tooling.sound,
    (Floor.OVERLAPPING, ToolAsked):       tooling.run,
    (Floor.OVERLAPPING, ToolReturned):    tooling.proceed,
    (Floor.OVERLAPPING, Withheld):        saying.ask_for_help,
    (Floor.OVERLAPPING, Failed):          overlap.apologise_softly,
    (Floor.OVERLAPPING, PlayoutStarted):  saying.stay,
    (Floor.OVERLAPPING, PlayoutFinished): overlap.finish_under_speech,
    (Floor.OVERLAPPING, HearingLost):     saying.lose_hearing,
    (Floor.OVERLAPPING, LineDue):         saying.be_due,
    (Floor.OVERLAPPING, ClientAsked):     listening.decline,
    (Floor.OVERLAPPING, ClientStopped):   overlap.barge_in,
    (Floor.OVERLAPPING, Joined):          person.join,
    (Floor.OVERLAPPING, LineLost):        saying.lose,
    (Floor.OVERLAPPING, Leaving):         saying.leave,

    (Floor.HOLDING,     SpeechStopped):   overlap.decide,
    (Floor.HOLDING,     Overheard):       overlap.give_way_to_speech,
    (Floor.HOLDING,     Suspected):       overlap.heed_late,
    (Floor.HOLDING,     Timeout):         overlap.barge_in,
    (Floor.HOLDING,     ClauseSounds):    tooling.sound,
    (Floor.HOLDING,     ToolAsked):       tooling.run,
    (Floor.HOLDING,     ToolReturned):    tooling.proceed,
    (Floor.HOLDING,     Withheld):        saying.ask_for_help,
    (Floor.HOLDING,     Failed):          overlap.apologise_later,
    (Floor.HOLDING,     PlayoutStarted):  saying.stay,    # sent before the hold, told after
    (Floor.HOLDING,     PlayoutFinished): overlap.finish_under_speech,
    (Floor.HOLDING,     HearingLost):     saying.lose_hearing,
    (Floor.HOLDING,     LineDue):         saying.be_due,
    (Floor.HOLDING,     ClientAsked):     listening.decline,
    (Floor.HOLDING,     ClientStopped):   overlap.barge_in,
    (Floor.HOLDING,     Joined):          person.join,
    (Floor.HOLDING,     LineLost):        saying.lose,
    (Floor.HOLDING,     Leaving):         saying.leave,

    (Floor.DECIDING,    SpeechStarted):   overlap.hold_on,
    (Floor.DECIDING,    Overheard):       overlap.give_way,
    (Floor.DECIDING,    Suspected):       saying.heed_late,
    (Floor.DECIDING,    Timeout):         overlap.resume_speaking,
    (Floor.DECIDING,    ClauseSounds):    tooling.sound,
    (Floor.DECIDING,    ToolAsked):       tooling.run,
    (Floor.DECIDING,    ToolReturned):    tooling.proceed,
    (Floor.DECIDING,    Withheld):        saying.ask_for_help,
    (Floor.DECIDING,    Failed):          overlap.apologise_later,
    (Floor.DECIDING,    PlayoutStarted):  saying.stay,
    (Floor.DECIDING,    PlayoutFinished): saying.finish,
    (Floor.DECIDING,    HearingLost):     saying.lose_hearing,
    (Floor.DECIDING,    LineDue):         saying.be_due,
    (Floor.DECIDING,    ClientAsked):     listening.decline,
    (Floor.DECIDING,    ClientStopped):   saying.silence,
    (Floor.DECIDING,    Joined):          person.join,
    (Floor.DECIDING,    LineLost):        saying.lose,
    (Floor.DECIDING,    Leaving):         saying.leave,

    (Floor.JOINED,      PlayoutStarted):  saying.stay,    # the person is heard
    (Floor.JOINED,      HearingLost):     person.lose_hearing,
    (Floor.JOINED,      LineDue):         saying.stay,    # the person knows better
    (Floor.JOINED,      ClientAsked):     listening.decline,
    (Floor.JOINED,      ClientStopped):   saying.stay,
    (Floor.JOINED,      Parted):          person.part,
    (Floor.JOINED,      LineLost):        person.lose,
    (Floor.JOINED,      Leaving):         person.leave,

    (Floor.AWAY,        Connected):       person.return_,
    (Floor.AWAY,        LineLost):        saying.stay,    # the next line came to nothing
    (Floor.AWAY,        SpeechStarted):   saying.stay,    # said before the loss, told after
    (Floor.AWAY,        SpeechStopped):   saying.stay,
    (Floor.AWAY,        Timeout):         saying.hang_up,
    (Floor.AWAY,        HearingLost):     saying.stay,
    (Floor.AWAY,        LineDue):         saying.be_due,
    (Floor.AWAY,        ClientAsked):     listening.decline,
    (Floor.AWAY,        ClientStopped):   saying.stay,
    (Floor.AWAY,        Joined):          person.join_later,
    (Floor.AWAY,        Parted):          person.part_unmet,
    (Floor.AWAY,        Leaving):         saying.hang_up,

    (Floor.LEAVING,     Connected):       saying.stay,
    (Floor.LEAVING,     SpeechStarted):   saying.stay,
    (Floor.LEAVING,     SpeechStopped):   saying.stay,
    (Floor.LEAVING,     Suspected):       saying.stay,
    (Floor.LEAVING,     PlayoutStarted):  saying.stay,
    (Floor.LEAVING,     PlayoutFinished): saying.hang_up,
    (Floor.LEAVING,     Timeout):         saying.hang_up,
    (Floor.LEAVING,     HearingLost):     saying.stay,
    (Floor.LEAVING,     LineDue):         saying.stay,
    (Floor.LEAVING,     ClientAsked):     listening.decline,
    (Floor.LEAVING,     ClientStopped):   saying.stay,
    (Floor.LEAVING,     Joined):          saying.stay,
    (Floor.LEAVING,     Parted):          saying.stay,
    (Floor.LEAVING,     LineLost):        saying.hang_up,
    (Floor.LEAVING,     Leaving):         saying.stay,
}
# fmt: on

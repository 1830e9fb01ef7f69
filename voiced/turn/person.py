"""Steps in which a person speaks with the caller, and the agent neither speaks nor listens.

    whoever has the floor ── Joined ──> JOINED ── Parted ──> SPEAKING: a line says who is there now
                                         │  ^
                                    line lost, back

What the agent owed the caller is the person's business now. It does not know who the person is, or
how the two hear each other.
"""

from voiced.turn import saying
from voiced.turn.consent import Consent
from voiced.turn.facts import Fact, LineLost
from voiced.turn.floor import Floor
from voiced.turn.orders import Cancel, Line, Order, PutThrough, TakeBack
from voiced.turn.talk import Talk


def join(talk: Talk, _fact: Fact) -> list[Order]:
    """Whatever the agent was doing is dropped."""
    return [Cancel(talk.advance()), *_put_through(talk)]


def join_later(talk: Talk, _fact: Fact) -> list[Order]:
    """The caller is away; the person waits for them too."""
    talk.joined = True
    return []


def _put_through(talk: Talk) -> list[Order]:
    talk.joined = True
    talk.consent = Consent.SETTLED
    talk.owed.clear()
    talk.go(Floor.JOINED)
    return [PutThrough(talk.take)]


def part(talk: Talk, fact: Fact) -> list[Order]:
    """The person has gone: the caller is told who is there, and may need somebody again."""
    talk.joined = False
    talk.handed_off.clear()
    back = TakeBack(talk.advance())
    if talk.deaf:
        return [back, *saying.tell_deaf(talk)]
    talk.go(Floor.SPEAKING)
    line = Line.HANDED_BACK if Line.HANDED_BACK in talk.manner.lines else Line.GREETING
    return [back, talk.say(line)]


def part_unmet(talk: Talk, _fact: Fact) -> list[Order]:
    """The person has gone while the caller was away."""
    talk.joined = False
    talk.handed_off.clear()
    return []


def lose(talk: Talk, fact: Fact) -> list[Order]:
    """The caller's line is lost; the person may wait for them."""
    assert isinstance(fact, LineLost)
    talk.go(Floor.AWAY, fact.until)
    return [TakeBack(talk.advance())]


def return_(talk: Talk, fact: Fact) -> list[Order]:
    """The caller is back: with the person, where there is one, else with the agent."""
    if not talk.joined:
        return saying.return_(talk, fact)
    talk.deaf = False  # as there
    return _put_through(talk)


def lose_hearing(talk: Talk, _fact: Fact) -> list[Order]:
    """The agent could not hear the caller any more; the person can."""
    talk.deaf = True
    return []


def leave(talk: Talk, fact: Fact) -> list[Order]:
    """The daemon or the operator ends the call, the person's part of it too."""
    return [TakeBack(talk.advance()), *saying.farewell(talk, fact)]

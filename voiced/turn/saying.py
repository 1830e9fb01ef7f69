"""Steps in which the agent says a fixed line: greeting, consent, apology, emergency, goodbye.

A line that the caller must hear is owed until it was heard to its end: when the caller takes the
floor in the middle of it, it is said once more. It does not know how a caller's turn ends.
"""

from voiced.turn.asides import Aside, aside
from voiced.turn.consent import PATIENCE_S, Consent, agrees
from voiced.turn.facts import Fact, LineDue, LineLost, Suspected
from voiced.turn.floor import Floor
from voiced.turn.orders import Cancel, EndCall, HandOff, Heed, Keep, Line, Order, Reason
from voiced.turn.take import Take
from voiced.turn.talk import Talk
from voiced.words import Words

FAILURES = 2
"""So many replies in a row in which an engine failed: somebody else should take over."""

NUDGES = 2
"""How often a silent caller is asked; after that the call ends."""

LINGER_S = 25.0
"""A caller who cannot be heard is kept on the line for so long, while somebody is found."""

GOODBYE_S = 10.0
"""A goodbye that has not been heard to its end by then is cut."""


def greet(talk: Talk, _fact: Fact) -> list[Order]:
    """Who is there; and before that, where the call is to be kept, whether it may be."""
    talk.go(Floor.SPEAKING)
    if talk.manner.asks_consent:
        talk.consent = Consent.ASKING
        return [talk.say(Line.CONSENT)]
    return [talk.say(Line.GREETING)]


def consented(talk: Talk, text: Words, orders: list[Order]) -> list[Order]:
    """The caller has said something to the question: these orders, unless it was a plain answer."""
    if aside(text) in (Aside.REPEAT, Aside.SLOWER, Aside.LOUDER):
        return orders  # they will hear the question once more
    asked, talk.consent = talk.consent, Consent.SETTLED
    agreed = agrees(text)
    if agreed is None:
        return orders
    if agreed and asked is Consent.ASKING:  # to what was not heard to its end
        talk.consent = Consent.ASKING_AGAIN
        return [Heed(talk.take, text), talk.say(Line.CONSENT)]
    kept = [Keep()] if agreed and asked is Consent.ASKED else []
    return [*kept, Heed(talk.take, text), _welcome(talk)]


def _welcome(talk: Talk) -> Order:
    return talk.say(Line.WELCOME if Line.WELCOME in talk.manner.lines else Line.GREETING)


def apologise(talk: Talk, _fact: Fact) -> list[Order]:
    """An engine failed: what the caller hears next is the fallback line."""
    talk.failures += 1
    worn = talk.failures >= FAILURES
    return [talk.say(Line.FALLBACK), *(hand_off(talk, Reason.FAILURE) if worn else ())]


def give_up(talk: Talk, fact: Fact) -> list[Order]:
    """Nothing to hear in time: whatever still works on this take is dropped."""
    stale = talk.renew()
    talk.go(Floor.SPEAKING)
    return [Cancel(stale), *apologise(talk, fact)]


def alarm(talk: Talk) -> list[Order]:
    """The caller names an emergency: everything else is dropped for the line about it.

    The live take is a new one already, and the floor the agent's.
    """
    talk.consent = Consent.SETTLED
    line = Line.RED_FLAG if Line.RED_FLAG in talk.manner.lines else Line.FALLBACK
    talk.owe(line)
    return [talk.say(line), *hand_off(talk, Reason.RED_FLAG)]


def heed_late(talk: Talk, fact: Fact) -> list[Order]:
    """The caller's words were taken for others: what has come of those is dropped.

    What was heard of it stays what it was; the emergency is a turn behind it.
    """
    assert isinstance(fact, Suspected)
    if not talk.names_emergency(fact.text):
        return []
    unheard = talk.floor in (Floor.PAUSING, Floor.THINKING)
    stale = talk.renew() if unheard else talk.advance()
    talk.go(Floor.SPEAKING)
    return [Cancel(stale), Heed(talk.take, fact.text), *alarm(talk)]


def hand_off(talk: Talk, reason: Reason) -> list[Order]:
    """Once a call for each reason: who was told is told."""
    if not talk.manner.hands_off or reason in talk.handed_off:
        return []
    talk.handed_off.add(reason)
    return [HandOff(reason)]


def hold_hand_off(talk: Talk, _fact: Fact) -> list[Order]:
    """The turn may not be over: nobody is called on speculation."""
    talk.handoff_held = True
    return []


def released(talk: Talk) -> list[Order]:
    """The turn is over: who was wanted meanwhile is told."""
    return hand_off(talk, Reason.UNGROUNDED) if talk.handoff_held else []


def ask_for_help(talk: Talk, _fact: Fact) -> list[Order]:
    """The reply says that it does not know."""
    return hand_off(talk, Reason.UNGROUNDED)


def be_due(talk: Talk, fact: Fact) -> list[Order]:
    """The caller must be told; not before the floor is quiet."""
    assert isinstance(fact, LineDue)
    talk.owe(fact.line)
    return settle(talk, fact.at) if talk.floor is Floor.QUIET else []


def finish(talk: Talk, fact: Fact) -> list[Order]:
    """The reply was heard to its end."""
    deliver(talk)
    return settle(talk, fact.at)


def deliver(talk: Talk) -> None:
    """The live take was heard to its end, and the line that ended it."""
    if talk.saying is Line.CONSENT:
        talk.consent = Consent.ASKED
        talk.owed.pop(Line.DISCLOSURE, None)  # it stands before the question
    if talk.saying is None:
        talk.failures = 0
    else:
        talk.owed.pop(talk.saying, None)


def settle(talk: Talk, at: float) -> list[Order]:
    """Nobody speaks: the caller hears what is owed, or may be silent for a while."""
    if talk.owed:
        talk.advance()
        talk.go(Floor.SPEAKING)
        return [talk.say(next(iter(talk.owed)))]
    rest(talk, at)
    return []


def lose_hearing(talk: Talk, fact: Fact) -> list[Order]:
    """The caller is told, and somebody else; nobody is asked whether anybody is there."""
    return [Cancel(talk.advance()), *tell_deaf(talk)]


def tell_deaf(talk: Talk) -> list[Order]:
    """In a turn of its own."""
    talk.deaf = True
    talk.go(Floor.SPEAKING)
    line = Line.DEVICE_LOST if Line.DEVICE_LOST in talk.manner.lines else Line.FALLBACK
    return [talk.say(line), *hand_off(talk, Reason.FAILURE)]


def rest(talk: Talk, at: float) -> None:
    """Nobody speaks, and nobody needs to for a while."""
    if talk.deaf:
        talk.go(Floor.QUIET, at + (LINGER_S if talk.manner.hands_off else 0.0))
        return
    if talk.consent.open:
        talk.go(Floor.QUIET, at + PATIENCE_S)
        return
    patient = not talk.pace.quiet_ms or Line.STILL_THERE not in talk.manner.lines
    talk.go(Floor.QUIET, None if patient else at + talk.pace.quiet_ms / 1000)


def silence(talk: Talk, fact: Fact) -> list[Order]:
    """The caller's program wants the agent to stop; then nobody has the floor."""
    stale = talk.renew()
    rest(talk, fact.at)
    return [Cancel(stale)]


def nudge(talk: Talk, fact: Fact) -> list[Order]:
    """The caller has been silent for long: is anybody there?"""
    talk.advance()
    if talk.deaf:
        return farewell(talk, fact)
    if talk.consent.open:
        talk.consent = Consent.SETTLED
        talk.go(Floor.SPEAKING)
        return [_welcome(talk)]
    if talk.nudges >= NUDGES:
        return farewell(talk, fact)
    talk.nudges += 1
    talk.go(Floor.SPEAKING)
    return [talk.say(Line.STILL_THERE)]


def farewell(talk: Talk, fact: Fact) -> list[Order]:
    talk.go(Floor.LEAVING, fact.at + GOODBYE_S)
    return [talk.say(Line.GOODBYE)]


def leave(talk: Talk, fact: Fact) -> list[Order]:
    """The daemon or the operator ends the call."""
    return [Cancel(talk.advance()), *farewell(talk, fact)]


def lose(talk: Talk, fact: Fact) -> list[Order]:
    """The line is lost while the agent speaks, or has something to say."""
    return [Cancel(_away(talk, fact))]


def lose_unanswered(talk: Talk, fact: Fact) -> list[Order]:
    """The line is lost in a turn of the caller's, who is asked for it again."""
    orders = lose(talk, fact)
    talk.owe(Line.FALLBACK)
    return orders


def lose_in_silence(talk: Talk, fact: Fact) -> list[Order]:
    """The line is lost while nobody has the floor."""
    _away(talk, fact)
    return []


def lose_in_words(talk: Talk, fact: Fact) -> list[Order]:
    """The line is lost while the caller speaks: the rest was not heard."""
    _away(talk, fact)
    talk.owe(Line.FALLBACK)
    return []


def return_(talk: Talk, fact: Fact) -> list[Order]:
    """The caller is back: he hears what he is owed, and otherwise has the floor if he wants it."""
    talk.deaf = False  # whoever hears him now has just begun
    return settle(talk, fact.at)


def hang_up(talk: Talk, _fact: Fact) -> list[Order]:
    talk.go(Floor.LEAVING)
    return [EndCall()]


def _away(talk: Talk, fact: Fact) -> Take:
    """A line that was being said is owed: the caller has not heard all of it.

    Of the greeting its disclosure is owed, where it has one: that is seen to where it is cut.
    """
    assert isinstance(fact, LineLost)
    disclosed = talk.saying is Line.GREETING and Line.DISCLOSURE in talk.manner.lines
    if talk.saying is not None and not disclosed:
        talk.owe(talk.saying)
    talk.go(Floor.AWAY, fact.until)
    return talk.advance()


def stay(_talk: Talk, _fact: Fact) -> list[Order]:
    """Expected, and nothing follows."""
    return []

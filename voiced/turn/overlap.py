"""Steps in which the caller speaks while the agent does: who goes on?

It does not know which words take the floor (`bargein`), nor what follows once they have it.
"""

from voiced.turn import saying
from voiced.turn.bargein import interrupts
from voiced.turn.facts import Fact, Final, Overheard, Partial, SpeechStarted, SpeechStopped
from voiced.turn.floor import Floor
from voiced.turn.listening import consider
from voiced.turn.orders import Amend, Cancel, Duck, Heed, Hold, Order, Overhear, Resume
from voiced.turn.saying import alarm, apologise, deliver
from voiced.turn.talk import Speech, Talk

DECISION_S = 1.5
"""Words over the agent that are not read by then were none: it speaks on."""


def overlap(talk: Talk, fact: Fact) -> list[Order]:
    assert isinstance(fact, SpeechStarted)
    talk.speech = talk.unread.begun(fact.sample)
    _begin_overlap(talk, fact.at)
    return [Duck(talk.take)]


def hold(talk: Talk, _fact: Fact) -> list[Order]:
    talk.go(Floor.HOLDING, talk.sure_at)
    return [Hold(talk.take)]


def barge_in(talk: Talk, _fact: Fact) -> list[Order]:
    """The caller takes the floor; the speech that began over the agent is the next turn."""
    stale = talk.advance()
    talk.go(Floor.HEARING)
    return [Cancel(stale)]


def speak_on(talk: Talk, fact: Fact) -> list[Order]:
    """Too short to be held for: the agent goes on at once, and what was said is read."""
    talk.go(Floor.SPEAKING, talk.patience)
    return [Resume(talk.take), _overhear(talk, fact)]


def decide(talk: Talk, fact: Fact) -> list[Order]:
    talk.go(Floor.DECIDING, fact.at + DECISION_S)
    return [_overhear(talk, fact)]


def hold_on(talk: Talk, fact: Fact) -> list[Order]:
    """The caller goes on before it was decided; the agent is silent already."""
    assert isinstance(fact, SpeechStarted)
    talk.speech = talk.speech.begun(fact.sample)
    talk.go(Floor.HOLDING, fact.at + talk.pace.barge_in_ms / 1000)
    return []


def give_way(talk: Talk, fact: Fact) -> list[Order]:
    """The caller has paused, and what was said over the agent is known: whose turn is it?"""
    assert isinstance(fact, Overheard)
    talk.unread = Speech()
    if talk.alarm_heeded:
        return [*_rest_of_alarm(talk, fact), *_going_on(talk, fact)]
    raised = talk.names_emergency(fact.text)
    if not raised and not _interrupts(talk, fact):
        return _going_on(talk, fact)
    stale = talk.advance()
    if raised or talk.alarmed(fact.text):
        talk.go(Floor.SPEAKING)
        return [Cancel(stale), Heed(talk.take, fact.text), *alarm(talk)]
    talk.go(Floor.PAUSING)
    talk.outcome = Final(fact.at, talk.take, fact.text)
    return [Cancel(stale), *consider(talk, fact.text)]


def give_way_to_speech(talk: Talk, fact: Fact) -> list[Order]:
    """The caller speaks again already: the words so far may have taken the floor."""
    assert isinstance(fact, Overheard)
    talk.unread = Speech()
    if talk.alarm_heeded:
        return _rest_of_alarm(talk, fact)
    if talk.names_emergency(fact.text):
        stale = talk.advance()
        _begin_overlap(talk, fact.at)
        return [Cancel(stale), Heed(talk.take, fact.text), *alarm(talk)]
    return barge_in(talk, fact) if _interrupts(talk, fact) else []


def heed_partial(talk: Talk, fact: Fact) -> list[Order]:
    """The caller is not done, and has named an emergency: the line about it is said over the rest.

    What the caller goes on to say neither silences that line nor begins it anew, but is read.
    """
    assert isinstance(fact, Partial)
    if talk.alarm_heeded or not talk.names_emergency(fact.stable):
        return []
    talk.alarmed_from = talk.speech.spans[0].start
    stale = talk.renew()
    talk.go(Floor.OVERLAPPING)
    return [Cancel(stale), Heed(talk.take, fact.stable), *alarm(talk)]


def heed_late(talk: Talk, fact: Fact) -> list[Order]:
    """The caller speaks over the answer to words that an emergency was taken for."""
    orders = saying.heed_late(talk, fact)
    if orders:
        _begin_overlap(talk, fact.at)
    return orders


def resume_speaking(talk: Talk, _fact: Fact) -> list[Order]:
    talk.go(Floor.SPEAKING, talk.patience)
    return [Resume(talk.take)]


def apologise_softly(talk: Talk, fact: Fact) -> list[Order]:
    """An engine failed, and the caller speaks: the fallback line is said as softly as the rest."""
    return [*apologise(talk, fact), Duck(talk.take)]


def apologise_later(talk: Talk, fact: Fact) -> list[Order]:
    """An engine failed, and the agent is silent: the fallback line waits in its place."""
    return [*apologise(talk, fact), Hold(talk.take)]


def finish_under_speech(talk: Talk, _fact: Fact) -> list[Order]:
    """The agent was done anyway: the caller's speech is the next turn."""
    deliver(talk)
    talk.advance()
    talk.go(Floor.HEARING)
    return []


def _going_on(talk: Talk, fact: Fact) -> list[Order]:
    """The agent keeps the floor."""
    return resume_speaking(talk, fact) if talk.floor is Floor.DECIDING else []


def _rest_of_alarm(talk: Talk, fact: Overheard) -> list[Order]:
    """All of what the caller said when the emergency was named, now that it is over."""
    return [Amend(talk.take, fact.text)] if fact.text else []


def _interrupts(talk: Talk, fact: Overheard) -> bool:
    """Whether the words take the floor; the question for consent is one to its end."""
    return interrupts(fact.text, asking=fact.asking or talk.consent.open)


def _begin_overlap(talk: Talk, at: float) -> None:
    """Both speak from now on: the agent goes on for a moment, and gives way after a longer one."""
    talk.go(Floor.OVERLAPPING, at + talk.pace.hold_ms / 1000)
    talk.sure_at = at + talk.pace.barge_in_ms / 1000


def _overhear(talk: Talk, fact: Fact) -> Order:
    assert isinstance(fact, SpeechStopped)
    talk.speech = talk.unread = talk.speech.paused(fact.sample, fact.voiced_s)
    talk.paused_at = fact.at
    return Overhear(talk.take, talk.speech.spans, talk.speech.voiced_s)

"""Steps of the caller's turn, from its first sound to the sound of the answer.

It does not know what happens while the agent speaks (`overlap`), nor fixed lines (`saying`).
"""

from dataclasses import replace

from voiced.turn import saying, tooling
from voiced.turn.asides import Aside, aside
from voiced.turn.consent import agrees
from voiced.turn.endpoint import Evidence
from voiced.turn.facts import (
    ClientAsked,
    EndScored,
    Fact,
    Failed,
    Final,
    SpeechStarted,
    SpeechStopped,
    Timeout,
)
from voiced.turn.floor import Floor
from voiced.turn.orders import (
    Adapt,
    Answer,
    Cancel,
    Decline,
    Heed,
    Line,
    Note,
    Order,
    Release,
    Repeat,
    Transcribe,
)
from voiced.turn.saying import alarm, apologise, consented, farewell, settle
from voiced.turn.talk import UNKNOWN, Speech, Talk
from voiced.words import NOTHING, Words

MISSES = 2
"""How often in a row the caller is told that the words were not understood."""

WORTH_ASKING_S = 0.5
"""Speech shorter than this that could not be made out was a noise, and is passed over."""

_CERTAIN = 1.0


def begin(talk: Talk, fact: Fact) -> list[Order]:
    assert isinstance(fact, SpeechStarted)
    talk.speech = talk.unread.begun(fact.sample)
    talk.advance()
    talk.go(Floor.HEARING)
    return []


def pause(talk: Talk, fact: Fact) -> list[Order]:
    """The caller may be done: begin to answer, and wait for as long as it takes to be sure."""
    assert isinstance(fact, SpeechStopped)
    talk.speech = talk.speech.paused(fact.sample, fact.voiced_s)
    talk.paused_at, talk.outcome = fact.at, None
    talk.go(Floor.PAUSING)
    talk.weigh(UNKNOWN)
    return [Transcribe(talk.take, talk.speech.spans, talk.speech.voiced_s)]


def resume(talk: Talk, fact: Fact) -> list[Order]:
    """The caller goes on, and nothing was heard of an answer: the same turn, once more."""
    assert isinstance(fact, SpeechStarted)
    stale = talk.renew()
    talk.speech = talk.speech.begun(fact.sample)
    talk.go(Floor.HEARING)
    return [Cancel(stale)]


def note(talk: Talk, fact: Fact) -> list[Order]:
    """Within the pause: what came of the work is kept until the endpoint."""
    assert isinstance(fact, Final | Failed)
    if isinstance(fact, Final) and talk.outcome is not None:
        return []  # the words of this take are known
    talk.outcome = fact
    if isinstance(fact, Failed) or not _worded(talk, fact):
        return []
    if talk.alarmed(fact.text):
        return _alarm(talk, fact.text)
    return consider(talk, fact.text)


def score(talk: Talk, fact: Fact) -> list[Order]:
    assert isinstance(fact, EndScored)
    talk.weigh(replace(talk.evidence, probability=fact.probability))
    return []


def consider(talk: Talk, text: Words) -> list[Order]:
    """What is begun in the pause for these words, and how long the pause may be."""
    if text:
        plain = aside(text) is not None or _answers_consent(talk, text)
        talk.weigh(Evidence(text, _CERTAIN if plain else None))
    return _begin_reply(talk, text)


def endpoint(talk: Talk, fact: Fact) -> list[Order]:
    """The turn is over; what came of the work so far says how it goes on."""
    assert isinstance(fact, Timeout)
    talk.think(fact.at)
    match talk.outcome:
        case None:
            return []
        case Failed():
            return apologise(talk, fact)
        case Final(_, take, text) as final:
            if not _worded(talk, final):
                return _missed(talk, fact, final)
            return _understood(
                talk,
                fact,
                text,
                [Release(take), *tooling.released(talk, fact), *saying.released(talk)],
            )


def answer(talk: Talk, fact: Fact) -> list[Order]:
    """The words came after the endpoint: nothing needs to be held."""
    assert isinstance(fact, Final)
    if talk.outcome is not None:
        return []  # the words of this take are known
    talk.outcome = fact
    if not _worded(talk, fact):
        return _missed(talk, fact, fact)
    if talk.alarmed(fact.text):
        return _alarm(talk, fact.text)
    orders = [*_begin_reply(talk, fact.text), Release(talk.take)]
    return _understood(talk, fact, fact.text, orders)


def ask(talk: Talk, fact: Fact) -> list[Order]:
    """Written words are a turn of their own, and over at once."""
    assert isinstance(fact, ClientAsked)
    talk.advance()
    talk.written_in = talk.take.turn
    talk.speech, talk.outcome = Speech(), Final(fact.at, talk.take, NOTHING)
    if talk.alarmed(fact.text):
        talk.go(Floor.SPEAKING)
        return [Note(talk.take, fact.text), *alarm(talk)]
    talk.think(fact.at)
    orders: list[Order] = [Note(talk.take, fact.text, fact.silent)]
    orders += [Answer(talk.take, NOTHING), Release(talk.take)]
    return _understood(talk, fact, NOTHING, orders)


def decline(_talk: Talk, _fact: Fact) -> list[Order]:
    return [Decline()]


def speak(talk: Talk, _fact: Fact) -> list[Order]:
    if talk.filling:
        return []  # the floor is still the caller's: who goes on goes on with the turn
    talk.fill_at = None
    talk.dictated = talk.asks
    talk.go(Floor.SPEAKING, talk.patience)
    return []


def _worded(talk: Talk, fact: Final) -> bool:
    """Whether there is anything to answer: said, or written before."""
    return bool(fact.text) or talk.written_in == talk.take.turn


def _answers_consent(talk: Talk, text: Words) -> bool:
    return talk.consent.open and agrees(text) is not None


def _begin_reply(talk: Talk, text: Words) -> list[Order]:
    if _answers_consent(talk, text):
        return []
    match aside(text):
        case None:
            return [Answer(talk.take, text)]
        case Aside.REPEAT:
            return [Repeat(talk.take, text)]
        case Aside.GOODBYE | Aside.SLOWER | Aside.LOUDER:
            return []  # not before the turn is over


def _understood(talk: Talk, fact: Fact, text: Words, orders: list[Order]) -> list[Order]:
    """The turn is over and its words are known: these orders, unless it asked for no reply."""
    talk.misses = talk.nudges = 0
    if talk.consent.open:
        orders = consented(talk, text, orders)
    match aside(text):
        case Aside.GOODBYE:
            return [Heed(talk.take, text), *farewell(talk, fact)]
        case (Aside.SLOWER | Aside.LOUDER) as wish:
            return [Adapt(wish), Repeat(talk.take, text), Release(talk.take)]
        case _:
            return orders


def _missed(talk: Talk, fact: Fact, final: Final) -> list[Order]:
    if final.echo or talk.owed or talk.speech.voiced_s < WORTH_ASKING_S or talk.misses >= MISSES:
        return settle(talk, fact.at)
    talk.misses += 1
    return [talk.say(Line.FALLBACK)]


def _alarm(talk: Talk, text: Words) -> list[Order]:
    """At once: an emergency does not wait for the endpoint."""
    stale = talk.renew()
    talk.go(Floor.SPEAKING)
    return [Cancel(stale), Heed(talk.take, text), *alarm(talk)]

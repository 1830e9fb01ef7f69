"""Steps in which the caller waits for sound of a reply, and those in which it needs tools first.

    [over .. 1 s: filler ..................................... answer deadline: fallback]
                  the floor is not the agent's by that

    [reply asks]..held..[over: RunTool][.. 1.5 s: "one moment" ..][returned: Proceed][reply]

Tools run once the caller's turn is over, and never before. A caller who speaks meanwhile goes on
with the turn, or takes the floor, as ever: the take dies, and what the tool then returns is news of
a take that is over. It does not know which tools, or what they do.
"""

from voiced.turn.dictation import asks_for_dictation
from voiced.turn.facts import ClauseSounds, Fact
from voiced.turn.floor import Floor
from voiced.turn.orders import Bridge, Line, Order, Proceed, RunTool
from voiced.turn.saying import give_up
from voiced.turn.talk import Talk

PATIENCE_S = 1.5
"""A caller who waits longer than that for a tool is told so, once a turn; in the filler's place,
where nothing was heard of the agent yet."""


def hold(talk: Talk, _fact: Fact) -> list[Order]:
    """The turn may not be over: a tool is not run on speculation."""
    talk.tool_held = True
    return []


def released(talk: Talk, fact: Fact) -> list[Order]:
    """The turn is over: what was held is run."""
    return run(talk, fact) if talk.tool_held else []


def run(talk: Talk, fact: Fact) -> list[Order]:
    talk.tool_held = talk.sounds = False
    talk.answer_by = None  # a tool has a time-out of its own
    if talk.bridged_in != talk.take.turn and Line.ONE_MOMENT in talk.manner.lines:
        told_at = fact.at + PATIENCE_S
        talk.bridge_at, talk.fill_at = min(told_at, talk.fill_at or told_at), None
    talk.wait()
    return [RunTool(talk.take)]


def bridge(talk: Talk, fact: Fact) -> list[Order]:
    """Nothing to hear in time: something else is said, or there is no more to wait for."""
    if talk.answer_by is not None and fact.at >= talk.answer_by:
        return give_up(talk, fact)
    if talk.bridge_at is not None:
        talk.bridged_in, line = talk.take.turn, Line.ONE_MOMENT
    else:
        talk.filled_in, line = talk.take.turn, Line.FILLER
    talk.bridge_at = talk.fill_at = None
    if line is Line.ONE_MOMENT and talk.filling:
        talk.go(Floor.SPEAKING)
    talk.wait()
    return [Bridge(talk.take, line)]


def sound(talk: Talk, fact: Fact) -> list[Order]:
    """There is something to hear: it is not the reply that is late any more."""
    assert isinstance(fact, ClauseSounds)
    talk.asks = (talk.sounds and talk.asks) or asks_for_dictation(fact.clause)
    if talk.floor is Floor.THINKING and talk.filling:
        talk.go(Floor.SPEAKING)  # behind the filler, with which the take's first sound was told
    if talk.floor not in (Floor.PAUSING, Floor.THINKING):
        talk.dictated = talk.asks
    talk.sounds = True
    talk.answer_by = talk.fill_at = None
    talk.wait()
    return []


def proceed(talk: Talk, fact: Fact) -> list[Order]:
    """The results are there: the model goes on with its reply."""
    talk.bridge_at = None
    talk.await_reply(fact.at)
    return [Proceed(talk.take)]

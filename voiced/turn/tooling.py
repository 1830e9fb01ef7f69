"""Steps in which a reply needs tools: they run once the caller's turn is over, and never before.

    [reply asks]..held..[endpoint: RunTool][.. 1.5 s: Bridge ..][returned: Proceed][reply]

A caller who speaks meanwhile goes on with the turn, or takes the floor, as ever: the take dies, and
what the tool then returns is news of a take that is over. It does not know which tools, or what
they do.
"""

from voiced.turn.facts import Fact
from voiced.turn.floor import Floor
from voiced.turn.orders import Bridge, Line, Order, Proceed, RunTool
from voiced.turn.saying import give_up
from voiced.turn.talk import Talk

PATIENCE_S = 1.5
"""A caller who waits longer than that for a tool is told so; once a turn."""


def hold(talk: Talk, _fact: Fact) -> list[Order]:
    """The turn may not be over: a tool is not run on speculation."""
    talk.tool_held = True
    return []


def released(talk: Talk, fact: Fact) -> list[Order]:
    """The turn is over: what was held is run."""
    return run(talk, fact) if talk.tool_held else []


def run(talk: Talk, fact: Fact) -> list[Order]:
    talk.tool_held = False
    told = talk.bridged_in == talk.take.turn or Line.ONE_MOMENT not in talk.manner.lines
    talk.bridge_at = None if told else fact.at + PATIENCE_S
    _wait(talk, talk.bridge_at)
    return [RunTool(talk.take)]


def bridge(talk: Talk, fact: Fact) -> list[Order]:
    """Nothing to hear in time: the tool takes long, or there is no more to wait for."""
    if talk.bridge_at is None:
        return give_up(talk, fact)
    talk.bridge_at, talk.bridged_in = None, talk.take.turn
    _wait(talk, None)  # a tool has a time-out of its own
    return [Bridge(talk.take, Line.ONE_MOMENT)]


def proceed(talk: Talk, fact: Fact) -> list[Order]:
    """The results are there: the model goes on with its reply."""
    talk.bridge_at = None
    thinking = talk.floor is Floor.THINKING
    _wait(talk, fact.at + talk.pace.answer_deadline_ms / 1000 if thinking else None)
    return [Proceed(talk.take)]


def _wait(talk: Talk, until: float | None) -> None:
    """Where both speak, the deadline is that of who goes on."""
    if talk.floor in (Floor.THINKING, Floor.SPEAKING):
        talk.go(talk.floor, until)

"""Calls made up at random: whatever happens in one, some things hold."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voiced.config.agent import Handoff, Lines
from voiced.config.settings import TurnPace
from voiced.testing.rehearsal import Cast, Clause, Client, Reply, Script, Speech
from voiced.testing.rehearse import Outcome, rehearse
from voiced.testing.verdict import complaints

pytestmark = pytest.mark.flow

LETTER_S = 0.05
"""How long each letter of the agent's sounds, clauses and fixed lines alike."""

AGENT = Cast(
    turn=TurnPace(quiet_ms=1500, answer_deadline_ms=3000),
    lines=Lines(
        greeting="Hello there.",
        fallback="Sorry?",
        goodbye="Goodbye.",
        red_flag="Call for help now.",
        one_moment="One moment.",
        still_there="Are you still there?",
        filler="Let me see.",
        disclosure="You speak with a machine.",
    ),
    red_flags=("chest pain",),
    handoffs=(
        Handoff(kind="operator"),
        Handoff(kind="webhook", url="https://desk.example/calls"),
        Handoff(kind="line", line="Please dial nine."),
    ),
)
SAID = ["", "", "Mm hmm.", "Stop.", "When can I come?", "and my number is 5 5 5"]
SAID += ["I have chest pain", "I have chest pain and I cannot lie down and it is getting worse"]
SAID += ["Say that again.", "Slower, please.", "I would like to book a visit.", "..."]
REPLIES = ["Yes.", "It is on the third floor on the left, next to the lift.", "At ten. Or at four?"]
REPLIES += ["What is your phone number?"]

lasting = st.sampled_from([0.1, 0.3, 0.6, 1.2, 2.5, 5.0])
waiting = st.sampled_from([0.15, 0.4, 0.8, 2.0, 5.0])
rarely = st.sampled_from([False] * 11 + [True])


@st.composite
def speeches(draw: st.DrawFn) -> tuple[Speech, ...]:
    """Sounds of the caller's, one behind the other."""
    made: list[Speech] = []
    at = 0.5
    for _ in range(draw(st.integers(0, 8))):
        until = at + draw(lasting)
        speech = Speech(
            at=round(at, 3),
            until=round(until, 3),
            says=draw(st.sampled_from(SAID)),
            stt_ms=draw(st.sampled_from([50, 200, 1800])),
            stt_fails=draw(rarely),
            likely_over=draw(st.sampled_from([0.0, 0.5, 1.0])),
        )
        made.append(speech)
        at = until + draw(waiting)
    return tuple(made)


replies = st.builds(
    Reply,
    says=st.sampled_from(REPLIES),
    ttft_ms=st.sampled_from([50, 200, 2500]),
    ending=st.sampled_from(["stop"] * 8 + ["fails", "never"]),
)
clauses = st.builds(Clause, ttfb_ms=st.sampled_from([50, 100, 600]), fails=rarely)
clients = st.builds(
    Client,
    at=st.sampled_from([1.0, 2.7, 4.1, 6.3, 9.9]),
    does=st.sampled_from(["stop", "write", "acknowledge"]),
    text=st.just("And where?"),
)
scripts = st.builds(
    Script,
    about=st.just("-"),
    until=st.just(90.0),
    agent=st.just(AGENT),
    speech=speeches(),
    client=st.lists(clients, max_size=2).map(tuple),
    replies=st.lists(replies, min_size=8, max_size=8).map(tuple),
    clauses=st.lists(clauses, min_size=4, max_size=4).map(tuple),
    webhook=st.lists(st.booleans(), max_size=3).map(tuple),
)


@pytest.mark.timeout(300)
@settings(max_examples=300, derandomize=True, deadline=None, database=None)
@given(scripts)
def test_whatever_happens(script: Script) -> None:
    """No fact is without a row, roles alternate, no turn has two replies, the history holds no more
    of the agent than was played, and no call gets stuck: it always comes to its goodbye."""
    outcome = rehearse(script)

    assert [] == complaints(script.expect, outcome)
    released = [
        (order["turn"], order["take"]) for order in outcome.orders if order["order"] == "Release"
    ]
    assert len(released) == len(set(released))
    played_s = sum(stretch["to"] - stretch["from"] for stretch in outcome.played)
    assert said_s(outcome) <= played_s + 0.1
    assert "left" == outcome.ended


def said_s(outcome: Outcome) -> float:
    """How long the agent's part of the history sounds."""
    ours = [one["text"] for one in outcome.history if one["role"] == "assistant"]
    return sum(len(text.replace(" ", "")) * LETTER_S for text in ours)

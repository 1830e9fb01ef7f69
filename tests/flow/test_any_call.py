"""Calls made up at random: whatever happens in one, some things hold."""

import random

import pytest

from voiced.config.agent import Handoff, Lines
from voiced.config.settings import TurnPace
from voiced.testing.rehearsal import Cast, Clause, Client, Reply, Script, Speech
from voiced.testing.rehearse import Outcome, rehearse
from voiced.testing.verdict import complaints

pytestmark = pytest.mark.flow

LETTER_S = 0.05
"""How long each letter of the agent's sounds, clauses and fixed lines alike."""

AGENT = Cast(
    turn=TurnPace(quiet_ms=4000, answer_deadline_ms=3000),
    lines=Lines(
        greeting="Hello there.",
        fallback="Sorry?",
        goodbye="Goodbye.",
        red_flag="Call for help now.",
        one_moment="One moment.",
        still_there="Are you still there?",
    ),
    red_flags=("chest pain",),
    handoffs=(
        Handoff(kind="webhook", url="https://desk.example/calls"),
        Handoff(kind="line", line="Please dial nine."),
    ),
)
SAID = ["", "", "Mm hmm.", "Stop.", "When can I come?", "and my number is 5 5 5"]
SAID += ["I have chest pain", "Say that again.", "I would like to book a visit.", "..."]
REPLIES = ["Yes.", "It is on the third floor on the left, next to the lift.", "At ten. Or at four?"]


def made_up(chance: random.Random) -> Script:
    """Half a minute of anything, and then a long silence."""
    speech, at = [], 0.5
    while at < 30.0:
        until = at + chance.choice([0.1, 0.3, 0.6, 1.2, 2.5])
        speech.append(
            Speech(
                at=round(at, 3),
                until=round(until, 3),
                says=chance.choice(SAID),
                stt_ms=chance.choice([50, 200, 200, 1800]),
                stt_fails=chance.random() < 0.08,
                likely_over=chance.random(),
            )
        )
        at = until + chance.choice([0.15, 0.4, 0.8, 2.0, 5.0])
    does = ["stop", "write"] if chance.random() < 0.5 else []
    return Script(
        about="-",
        until=90.0,
        agent=AGENT,
        speech=tuple(speech),
        client=tuple(
            Client(at=round(chance.uniform(1, 30), 2), does=one, text="And where?") for one in does
        ),
        replies=tuple(
            Reply(
                says=chance.choice(REPLIES),
                ttft_ms=chance.choice([50, 200, 1500]),
                ending=chance.choice(["stop"] * 8 + ["fails", "never"]),
            )
            for _ in range(60)
        ),
        clauses=tuple(
            Clause(ttfb_ms=chance.choice([50, 100, 600]), fails=chance.random() < 0.05)
            for _ in range(60)
        ),
        webhook=tuple(chance.random() < 0.3 for _ in range(3)),
    )


@pytest.mark.parametrize("seed", range(24))
def test_whatever_happens(seed: int) -> None:
    """No fact is without a row, roles alternate, no turn has two replies, the history holds no more
    of the agent than was played, and no call gets stuck: it always comes to its goodbye."""
    script = made_up(random.Random(seed))
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

"""What is a yes to the question whether a call may be kept, and what is not."""

from dataclasses import replace

import pytest

from tests.unit.turn.test_machine import PACE, Timeline
from voiced.testing.playbook import play
from voiced.turn.consent import PATIENCE_S, agrees
from voiced.turn.facts import (
    ClientAsked,
    Connected,
    Final,
    PlayoutFinished,
    PlayoutStarted,
    SpeechStarted,
    SpeechStopped,
    Timeout,
)
from voiced.turn.machine import Floor, Manner, TurnMachine
from voiced.turn.orders import (
    Answer,
    Cancel,
    HandOff,
    Heed,
    Keep,
    Line,
    Note,
    Reason,
    Release,
    Repeat,
    Say,
    Span,
    Transcribe,
)
from voiced.turn.redflag import RedFlags
from voiced.turn.take import Take
from voiced.turn.talk import GREETING
from voiced.words import NOTHING, Words

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "text",
    [
        "Yes.",
        "Yeah, sure.",
        "Okay.",
        "Yes, please.",
        "Yes, that's fine.",
        "Of course.",
        "Go ahead.",
        "Um, yes you may.",
        "Sure, you can record this call.",
        "\ub124.",
        "\ub124, \uad1c\ucc2e\uc544\uc694.",
    ],
)
def test_a_plain_yes_is_one(text: str) -> None:
    assert agrees(Words(text)) is True


@pytest.mark.parametrize(
    "text",
    ["No.", "No thanks.", "Please don't.", "I'd rather not.", "Nope.", "\uc544\ub2c8\uc694."],
)
def test_a_plain_no_is_one(text: str) -> None:
    assert agrees(Words(text)) is False


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Where is the pharmacy?",
        "Okay?",
        "Yes, but first tell me who you are.",
        "Is that okay?",
        "You can call me.",
        "I thank you very much.",
        "Yes, where can I park?",
        "Not at all sure.",
        "Sure, not.",
    ],
)
def test_whatever_else_is_said_is_no_consent(text: str) -> None:
    assert agrees(Words(text)) is not True


ASKING = Manner(
    lines=frozenset(Line),
    asks_consent=True,
    hands_off=True,
    red_flags=RedFlags(["chest pain"]),
)
YES, NO = Words("Yes."), Words("No.")
FIRST, SECOND = Take(1, 0), Take(2, 0)


@pytest.fixture
def machine() -> TurnMachine:
    return TurnMachine(PACE, ASKING)


def heard_to_its_end() -> Timeline:
    return [
        (Connected(0.0), [Say(GREETING, Line.CONSENT)]),
        (PlayoutStarted(0.0, GREETING), []),
        (PlayoutFinished(2.0, GREETING), []),
    ]


def said(begin: float, take: Take = FIRST) -> Timeline:
    """Half a second of speech, in which the floor was nobody's."""
    span = Span(int(begin * 100), int(begin * 100) + 50)
    return [
        (SpeechStarted(begin, span.start), []),
        (SpeechStopped(begin + 0.5, span.stop, 0.5), [Transcribe(take, (span,), 0.5)]),
    ]


def test_a_yes_ends_the_turn_soon_and_the_call_is_kept_and_greeted(machine: TurnMachine) -> None:
    play(machine, *heard_to_its_end(), *said(3.0), (Final(3.6, FIRST, YES), []))
    assert machine.deadline == pytest.approx(3.5 + PACE.endpoint_delay_ms / 1000)

    play(machine, (Timeout(9.0), [Keep(), Heed(FIRST, YES), Say(FIRST, Line.WELCOME)]))
    assert machine.floor is Floor.THINKING


def test_words_that_come_after_the_endpoint_count_as_well(machine: TurnMachine) -> None:
    play(
        machine,
        *heard_to_its_end(),
        *said(3.0),
        (Timeout(9.0), []),
        (Final(9.5, FIRST, NO), [Heed(FIRST, NO), Say(FIRST, Line.WELCOME)]),
    )


def test_a_caller_who_was_not_understood_may_answer_once_more(machine: TurnMachine) -> None:
    play(
        machine,
        *heard_to_its_end(),
        *said(3.0),
        (Final(3.6, FIRST, NOTHING), []),
        (Timeout(9.0), [Say(FIRST, Line.FALLBACK)]),
        (PlayoutStarted(9.0, FIRST), []),
        (PlayoutFinished(10.0, FIRST), []),
        *said(11.0, SECOND),
        (Final(11.6, SECOND, YES), []),
        (Timeout(19.0), [Keep(), Heed(SECOND, YES), Say(SECOND, Line.WELCOME)]),
    )


def test_who_asks_to_hear_it_again_is_still_being_asked(machine: TurnMachine) -> None:
    again = Words("Pardon?")
    play(
        machine,
        *heard_to_its_end(),
        *said(3.0),
        (Final(3.6, FIRST, again), [Repeat(FIRST, again)]),
        (Timeout(9.0), [Release(FIRST)]),
        (PlayoutStarted(9.0, FIRST), []),
        (PlayoutFinished(11.0, FIRST), []),
        *said(12.0, SECOND),
        (Final(12.6, SECOND, YES), []),
        (Timeout(19.0), [Keep(), Heed(SECOND, YES), Say(SECOND, Line.WELCOME)]),
    )


def test_an_emergency_comes_before_the_question_and_settles_it(machine: TurnMachine) -> None:
    pain = Words("I have chest pain.")
    alarmed = Take(1, 1)
    play(
        machine,
        *heard_to_its_end(),
        *said(3.0),
        (
            Final(3.6, FIRST, pain),
            [
                Cancel(FIRST),
                Heed(alarmed, pain),
                Say(alarmed, Line.RED_FLAG),
                HandOff(Reason.RED_FLAG),
            ],
        ),
        (PlayoutStarted(3.7, alarmed), []),
        (PlayoutFinished(6.0, alarmed), []),
        *said(7.0, SECOND),
        (Final(7.6, SECOND, YES), [Answer(SECOND, YES)]),
    )


def test_what_the_callers_program_writes_is_no_consent_and_settles_it(machine: TurnMachine) -> None:
    play(
        machine,
        *heard_to_its_end(),
        (
            ClientAsked(3.0, YES),
            [Note(FIRST, YES), Answer(FIRST, NOTHING), Release(FIRST)],
        ),
        (PlayoutStarted(4.0, FIRST), []),
        (PlayoutFinished(5.0, FIRST), []),
        *said(6.0, SECOND),
        (Final(6.6, SECOND, YES), [Answer(SECOND, YES)]),
    )


def test_silence_is_no_consent(machine: TurnMachine) -> None:
    play(
        machine,
        *heard_to_its_end(),
        (Timeout(2.0 + PATIENCE_S), [Say(FIRST, Line.WELCOME)]),
        (PlayoutStarted(8.0, FIRST), []),
        (PlayoutFinished(9.0, FIRST), []),
        *said(10.0, SECOND),
        (Final(10.6, SECOND, YES), [Answer(SECOND, YES)]),
    )


def test_an_agent_without_a_line_for_it_greets_as_ever(machine: TurnMachine) -> None:
    plain = TurnMachine(PACE, replace(ASKING, lines=frozenset(Line) - {Line.WELCOME}))
    play(
        plain,
        *heard_to_its_end(),
        (Timeout(2.0 + PATIENCE_S), [Say(FIRST, Line.GREETING)]),
    )

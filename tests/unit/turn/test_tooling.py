"""When a reply's tools are run, and what the caller is told meanwhile."""

import pytest

from voiced.config.settings import TurnPace
from voiced.testing.playbook import play
from voiced.turn.facts import (
    ClientAsked,
    Final,
    PlayoutFinished,
    PlayoutStarted,
    SpeechStarted,
    SpeechStopped,
    Timeout,
    ToolAsked,
    ToolReturned,
)
from voiced.turn.machine import Floor, Manner, TurnMachine
from voiced.turn.orders import Bridge, Cancel, Duck, Line, Proceed, Release, Resume, RunTool
from voiced.turn.take import Take
from voiced.words import Words

pytestmark = pytest.mark.unit

FIRST = Take(1, 0)
PATIENT = Manner(lines=frozenset(Line))
MUTE = Manner()


def made(manner: Manner = PATIENT) -> TurnMachine:
    return TurnMachine(TurnPace(), manner)


def asked(manner: Manner = PATIENT) -> TurnMachine:
    """Written words are over at once: their answer asks for a tool at 3.0."""
    machine = made(manner)
    machine.handle(ClientAsked(2.0, Words("Book it.")))
    play(machine, (ToolAsked(3.0, FIRST), [RunTool(FIRST)]))
    return machine


def test_a_tool_waits_for_the_end_of_the_turn() -> None:
    machine = made()
    machine.handle(SpeechStarted(1.0, 100))
    machine.handle(SpeechStopped(2.0, 200, 1.0))
    machine.handle(Final(2.1, FIRST, Words("Book it")))
    play(machine, (ToolAsked(2.2, FIRST), []), (Timeout(9.0), [Release(FIRST), RunTool(FIRST)]))


def test_a_take_that_dies_takes_its_tool_along() -> None:
    machine, second = made(), Take(1, 1)
    machine.handle(SpeechStarted(1.0, 100))
    machine.handle(SpeechStopped(2.0, 200, 1.0))
    machine.handle(Final(2.1, FIRST, Words("Book it")))
    play(machine, (ToolAsked(2.2, FIRST), []), (SpeechStarted(2.3, 230), [Cancel(FIRST)]))
    machine.handle(SpeechStopped(3.0, 300, 0.5))
    machine.handle(Final(3.1, second, Words("Book it, no")))
    play(machine, (Timeout(9.0), [Release(second)]))


def test_the_caller_is_told_when_a_tool_takes_long_and_not_again_in_the_turn() -> None:
    machine = asked()

    assert 4.5 == machine.deadline
    play(
        machine,
        (Timeout(4.5), [Bridge(FIRST, Line.ONE_MOMENT)]),
        (PlayoutStarted(4.6, FIRST), []),
        (ToolReturned(6.0, FIRST), [Proceed(FIRST)]),
        (ToolAsked(6.5, FIRST), [RunTool(FIRST)]),
    )
    assert (Floor.SPEAKING, None) == (machine.floor, machine.deadline)


def test_an_agent_without_the_line_says_nothing() -> None:
    assert asked(MUTE).deadline is None


def test_after_the_result_the_reply_has_its_deadline() -> None:
    machine = asked()
    play(machine, (ToolReturned(3.5, FIRST), [Proceed(FIRST)]))

    assert 3.5 + TurnPace().answer_deadline_ms / 1000 == machine.deadline
    assert Cancel(FIRST) == machine.handle(Timeout(99.0))[0]


def test_a_noise_does_not_lose_the_line() -> None:
    machine = asked()
    play(
        machine,
        (PlayoutStarted(3.1, FIRST), []),
        (SpeechStarted(3.2, 320), [Duck(FIRST)]),
    )
    assert Resume(FIRST) == machine.handle(SpeechStopped(3.3, 330, 0.05))[0]
    play(machine, (Timeout(4.5), [Bridge(FIRST, Line.ONE_MOMENT)]))


def test_who_goes_on_meanwhile_goes_on_with_the_turn_and_the_result_is_stale() -> None:
    machine = asked()
    play(
        machine,
        (SpeechStarted(3.2, 320), [Cancel(FIRST)]),
        (ToolReturned(3.3, FIRST), []),
    )
    assert Floor.HEARING == machine.floor


def test_a_reply_after_tools_ends_like_any() -> None:
    machine = asked()
    machine.handle(ToolReturned(3.5, FIRST))
    play(machine, (PlayoutStarted(4.0, FIRST), []), (PlayoutFinished(5.0, FIRST), []))

    assert Floor.QUIET == machine.floor

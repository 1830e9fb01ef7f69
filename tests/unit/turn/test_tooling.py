"""When a reply's tools are run, and what the caller is told meanwhile."""

import pytest

from voiced.config.settings import TurnPace
from voiced.testing.playbook import play
from voiced.turn.facts import (
    ClauseSounds,
    ClientAsked,
    Failed,
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
from voiced.turn.orders import (
    Answer,
    Bridge,
    Cancel,
    Duck,
    Line,
    Proceed,
    Release,
    Resume,
    RunTool,
    Say,
)
from voiced.turn.take import Take
from voiced.words import Words

pytestmark = pytest.mark.unit

FIRST = Take(1, 0)
SPOKEN = Words("On the left.")
PATIENT = Manner(lines=frozenset(Line) - {Line.FILLER})
FILLING = Manner(lines=frozenset(Line))
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


def written(manner: Manner = FILLING, pace: TurnPace | None = None) -> TurnMachine:
    """Written words are over at once: at 2.0."""
    machine = TurnMachine(pace or TurnPace(), manner)
    machine.handle(ClientAsked(2.0, Words("Where is it?")))
    return machine


def test_a_second_of_silence_behind_the_turn_is_filled_once() -> None:
    """And the reply still has its deadline."""
    machine = written()

    assert 3.0 == machine.deadline
    play(machine, (Timeout(3.0), [Bridge(FIRST, Line.FILLER)]), (PlayoutStarted(3.02, FIRST), []))
    assert 2.0 + TurnPace().answer_deadline_ms / 1000 == machine.deadline
    assert Cancel(FIRST) == machine.handle(Timeout(22.0))[0]


def test_a_reply_that_sounds_behind_a_filler_is_late_no_more() -> None:
    machine = written()
    machine.handle(Timeout(3.0))
    play(machine, (PlayoutStarted(3.02, FIRST), []), (ClauseSounds(5.0, FIRST, SPOKEN), []))

    assert (Floor.SPEAKING, None) == (machine.floor, machine.deadline)


def test_a_reply_in_time_needs_no_filler() -> None:
    machine = written()
    play(machine, (ClauseSounds(2.5, FIRST, SPOKEN), []), (PlayoutStarted(2.52, FIRST), []))

    assert (Floor.SPEAKING, None) == (machine.floor, machine.deadline)


def test_sound_that_was_made_in_the_pause_counts() -> None:
    machine = made(FILLING)
    machine.handle(SpeechStarted(1.0, 100))
    machine.handle(SpeechStopped(2.0, 200, 1.0))
    machine.handle(Final(2.1, FIRST, Words("Where is it?")))
    play(
        machine,
        (ClauseSounds(2.2, FIRST, SPOKEN), []),
        (Timeout(9.0), [Release(FIRST)]),
        (PlayoutStarted(9.02, FIRST), []),
    )

    assert (Floor.SPEAKING, None) == (machine.floor, machine.deadline)


def test_a_site_may_want_no_filler() -> None:
    without = written(pace=TurnPace(filler_ms=0))

    assert written(PATIENT).deadline == without.deadline == 22.0


def test_a_tool_takes_the_fillers_place() -> None:
    """One moment, and then nothing more: the caller knows why it takes long."""
    machine = written()
    play(
        machine,
        (ToolAsked(2.6, FIRST), [RunTool(FIRST)]),
        (Timeout(3.0), [Bridge(FIRST, Line.ONE_MOMENT)]),
        (PlayoutStarted(3.02, FIRST), []),
        (ToolReturned(4.0, FIRST), [Proceed(FIRST)]),
    )

    assert 4.0 + TurnPace().answer_deadline_ms / 1000 == machine.deadline


def test_the_filler_comes_in_time_although_a_tool_was_quick() -> None:
    machine = written()
    play(
        machine,
        (ToolAsked(2.2, FIRST), [RunTool(FIRST)]),
        (ToolReturned(2.8, FIRST), [Proceed(FIRST)]),
        (Timeout(3.0), [Bridge(FIRST, Line.FILLER)]),
    )


def test_who_goes_on_over_the_filler_goes_on_with_the_turn() -> None:
    """Nothing was answered yet; and one filler a turn is enough."""
    machine = written()
    machine.handle(Timeout(3.0))
    play(
        machine,
        (PlayoutStarted(3.02, FIRST), []),
        (SpeechStarted(3.2, 320), [Cancel(FIRST)]),
    )
    assert (Floor.HEARING, Take(1, 1)) == (machine.floor, machine.take)


def test_words_that_are_read_behind_a_filler_are_answered() -> None:
    machine = made(FILLING)
    machine.handle(SpeechStarted(1.0, 100))
    machine.handle(SpeechStopped(2.0, 200, 1.0))
    words = Words("Where is it?")
    play(
        machine,
        (Timeout(3.6), []),
        (Timeout(4.6), [Bridge(FIRST, Line.FILLER)]),
        (PlayoutStarted(4.62, FIRST), []),
        (Final(6.0, FIRST, words), [Answer(FIRST, words), Release(FIRST)]),
        (ClauseSounds(6.5, FIRST, SPOKEN), []),
    )
    assert (Floor.SPEAKING, None) == (machine.floor, machine.deadline)


def test_a_line_behind_a_filler_is_the_agents_floor() -> None:
    machine = written()
    machine.handle(Timeout(3.0))
    play(
        machine,
        (PlayoutStarted(3.02, FIRST), []),
        (Failed(5.0, FIRST), [Say(FIRST, Line.FALLBACK)]),
        (SpeechStarted(5.1, 510), [Duck(FIRST)]),
    )


def test_a_tool_behind_a_filler_says_what_it_is_waiting_for() -> None:
    machine = written()
    machine.handle(Timeout(3.0))
    play(
        machine,
        (PlayoutStarted(3.02, FIRST), []),
        (ToolAsked(3.5, FIRST), [RunTool(FIRST)]),
        (Timeout(5.0), [Bridge(FIRST, Line.ONE_MOMENT)]),
        (SpeechStarted(5.1, 510), [Duck(FIRST)]),
    )


def test_an_engine_that_fails_just_before_the_filler_is_apologised_for_once() -> None:
    machine = written()
    play(
        machine,
        (Failed(2.99, FIRST), [Say(FIRST, Line.FALLBACK)]),
        (Timeout(3.0), []),
    )


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

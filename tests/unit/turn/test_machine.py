"""The turn machine as timelines: facts in, exactly these orders out."""

from dataclasses import replace

import pytest

from voiced.config.settings import TurnPace
from voiced.testing.playbook import play
from voiced.turn.facts import (
    ClauseSounds,
    ClientAsked,
    ClientStopped,
    Connected,
    EndScored,
    Fact,
    Failed,
    Final,
    Leaving,
    LineLost,
    Overheard,
    PlayoutFinished,
    PlayoutStarted,
    SpeechStarted,
    SpeechStopped,
    Timeout,
)
from voiced.turn.listening import MISSES
from voiced.turn.machine import Floor, Manner, NoRow, TurnMachine
from voiced.turn.orders import (
    Answer,
    Cancel,
    Decline,
    Duck,
    EndCall,
    Hold,
    Line,
    Note,
    Order,
    Overhear,
    Release,
    Resume,
    Say,
    Span,
    Transcribe,
)
from voiced.turn.redflag import RedFlags
from voiced.turn.take import Take
from voiced.words import NOTHING, Words

pytestmark = pytest.mark.unit

GREETING = Take(0, 0)
FIRST = Take(1, 0)
PACE = TurnPace(
    endpoint_delay_ms=500,
    endpoint_ceiling_ms=1500,
    hold_ms=250,
    barge_in_ms=900,
    answer_deadline_ms=5000,
    quiet_ms=15_000,
)
CAREFUL = Manner(
    red_flags=RedFlags(["chest pain"]),
    lines=frozenset(Line) - {Line.CONSENT, Line.FILLER},
    hands_off=True,
)
FULL = replace(CAREFUL, lines=CAREFUL.lines | {Line.FILLER})
QUESTION = Words("when can I come")
SPOKEN = Words("What is your phone number?")
WRITTEN = Words("and where do I park")
PAIN = Words("I have chest pains")
GOODBYE, AGAIN = Words("Thank you, goodbye."), Words("Say that again, please.")


@pytest.fixture
def machine() -> TurnMachine:
    return TurnMachine(PACE)


Timeline = list[tuple[Fact, list[Order]]]


def greeted() -> Timeline:
    return [
        (Connected(0.0), [Say(GREETING, Line.GREETING)]),
        (PlayoutStarted(0.0, GREETING), []),
        (PlayoutFinished(1.0, GREETING), []),
    ]


def paused() -> Timeline:
    """The caller has spoken from 2.0 to 3.0."""
    return [
        *greeted(),
        (SpeechStarted(2.0, 200), []),
        (SpeechStopped(3.0, 300, 1.0), [Transcribe(FIRST, (Span(200, 300),), 1.0)]),
    ]


def asked() -> Timeline:
    """The caller was done at 3.0, and the model is sure of it: the turn is over at 3.5."""
    return [
        *paused(),
        (Final(3.2, FIRST, QUESTION), [Answer(FIRST, QUESTION)]),
        (EndScored(3.3, FIRST, 1.0), []),
        (Timeout(3.5), [Release(FIRST)]),
    ]


def speaking() -> Timeline:
    return [*asked(), (PlayoutStarted(4.0, FIRST), [])]


def test_a_question_is_answered_and_the_floor_is_quiet_again(machine: TurnMachine) -> None:
    play(machine, *speaking(), (PlayoutFinished(6.0, FIRST), []))

    assert (Floor.QUIET, None) == (machine.floor, machine.deadline)


def test_the_answer_is_begun_in_the_pause_and_held_until_the_endpoint(
    machine: TurnMachine,
) -> None:
    play(machine, *paused(), (Final(3.2, FIRST, QUESTION), [Answer(FIRST, QUESTION)]))

    assert (Floor.PAUSING, 4.5) == (machine.floor, machine.deadline)


@pytest.mark.parametrize(("probability", "deadline"), [(1.0, 3.5), (0.0, 4.5)])
def test_the_surer_the_model_the_sooner_the_endpoint(
    machine: TurnMachine, probability: float, deadline: float
) -> None:
    play(
        machine,
        *paused(),
        (Final(3.2, FIRST, QUESTION), [Answer(FIRST, QUESTION)]),
        (EndScored(3.3, FIRST, probability), []),
    )

    assert deadline == machine.deadline


def test_words_that_promise_more_are_given_time_whatever_the_model_thinks(
    machine: TurnMachine,
) -> None:
    text = Words("My number is 555 210")
    play(
        machine,
        *paused(),
        (Final(3.2, FIRST, text), [Answer(FIRST, text)]),
        (EndScored(3.3, FIRST, 1.0), []),
    )

    assert 4.5 == machine.deadline


def test_a_pause_shorter_than_the_endpoint_does_not_end_the_turn(machine: TurnMachine) -> None:
    """What was begun in it dies, and all stretches of the turn are read together."""
    second = Take(1, 1)
    play(
        machine,
        *paused(),
        (SpeechStarted(3.4, 340), [Cancel(FIRST)]),
        (Final(3.45, FIRST, QUESTION), []),
        (
            SpeechStopped(4.0, 400, 0.5),
            [Transcribe(second, (Span(200, 300), Span(340, 400)), 1.5)],
        ),
        (Final(4.2, second, QUESTION), [Answer(second, QUESTION)]),
        (EndScored(4.3, second, 1.0), []),
        (Timeout(4.5), [Release(second)]),
    )


def test_words_that_come_after_the_endpoint_are_answered_at_once(machine: TurnMachine) -> None:
    """A recogniser that is slower than the ceiling holds nothing up any more."""
    play(
        machine,
        *paused(),
        (Timeout(4.5), []),
        (Final(4.8, FIRST, QUESTION), [Answer(FIRST, QUESTION), Release(FIRST)]),
        (EndScored(4.9, FIRST, 0.0), []),
        (PlayoutStarted(5.2, FIRST), []),
    )

    assert Floor.SPEAKING == machine.floor


def test_a_failure_within_the_pause_is_apologised_for_when_the_turn_is_over(
    machine: TurnMachine,
) -> None:
    """Not before: the caller may go on, and then nothing was lost."""
    play(
        machine,
        *paused(),
        (Failed(3.2, FIRST), []),
        (Timeout(4.5), [Say(FIRST, Line.FALLBACK)]),
    )


def overlapping() -> Timeline:
    """The caller speaks over the agent from 5.0 on."""
    return [*speaking(), (SpeechStarted(5.0, 500), [Duck(FIRST)])]


def held() -> Timeline:
    return [*overlapping(), (Timeout(5.25), [Hold(FIRST)])]


def deciding() -> Timeline:
    """The caller has spoken over the agent from 5.0 to 5.6."""
    return [
        *held(),
        (SpeechStopped(5.6, 560, 0.6), [Overhear(FIRST, (Span(500, 560),), 0.6)]),
    ]


NEXT = Take(2, 0)
STOP, BACKCHANNEL = Words("Stop."), Words("Mm hmm.")


def test_a_cough_does_not_stop_the_agent(machine: TurnMachine) -> None:
    """It softens it; what was too short to be held for is read all the same."""
    play(
        machine,
        *overlapping(),
        (SpeechStopped(5.1, 510, 0.1), [Resume(FIRST), Overhear(FIRST, (Span(500, 510),), 0.1)]),
        (Timeout(5.25), []),
        (Overheard(5.4, FIRST, NOTHING, asking=False), []),
    )

    assert (Floor.SPEAKING, FIRST) == (machine.floor, machine.take)


def test_a_backchannel_lets_the_agent_go_on_at_the_same_word(machine: TurnMachine) -> None:
    play(machine, *deciding(), (Overheard(5.8, FIRST, BACKCHANNEL, asking=False), [Resume(FIRST)]))

    assert (Floor.SPEAKING, FIRST) == (machine.floor, machine.take)


def test_a_stop_takes_the_floor_and_is_the_next_turn(machine: TurnMachine) -> None:
    """Its words are known, so they are answered without being read again."""
    play(
        machine,
        *deciding(),
        (Overheard(5.8, FIRST, STOP, asking=False), [Cancel(FIRST), Answer(NEXT, STOP)]),
        (EndScored(5.9, NEXT, 1.0), []),
        (Timeout(6.1), [Release(NEXT)]),
    )


def test_a_short_no_is_heard_although_the_agent_did_not_fall_silent(machine: TurnMachine) -> None:
    no = Words("No.")
    play(
        machine,
        *overlapping(),
        (SpeechStopped(5.2, 520, 0.2), [Resume(FIRST), Overhear(FIRST, (Span(500, 520),), 0.2)]),
        (Overheard(5.5, FIRST, no, asking=False), [Cancel(FIRST), Answer(NEXT, no)]),
    )


def test_a_yeah_after_the_agent_s_question_is_an_answer(machine: TurnMachine) -> None:
    yes = Words("Yeah.")
    play(
        machine,
        *deciding(),
        (Overheard(5.8, FIRST, yes, asking=True), [Cancel(FIRST), Answer(NEXT, yes)]),
    )


def test_words_at_the_very_end_of_a_reply_are_a_turn(machine: TurnMachine) -> None:
    """They are read when the agent has finished."""
    play(
        machine,
        *overlapping(),
        (SpeechStopped(5.2, 520, 0.2), [Resume(FIRST), Overhear(FIRST, (Span(500, 520),), 0.2)]),
        (PlayoutFinished(5.3, FIRST), []),
        (Overheard(5.5, FIRST, STOP, asking=False), [Cancel(FIRST), Answer(NEXT, STOP)]),
    )


def test_a_caller_who_speaks_on_takes_the_floor_whatever_is_said(machine: TurnMachine) -> None:
    play(
        machine,
        *held(),
        (Timeout(5.9), [Cancel(FIRST)]),
        (SpeechStopped(6.5, 650, 1.5), [Transcribe(NEXT, (Span(500, 650),), 1.5)]),
    )


@pytest.mark.parametrize("ended", [False, True])
def test_a_no_that_is_not_read_yet_is_the_beginning_of_what_follows(
    machine: TurnMachine, *, ended: bool
) -> None:
    """ "No ... give it to him" must never be heard as "give it to him"."""
    both = (Span(500, 520), Span(530, 700))
    after: Timeline = (
        [(PlayoutFinished(5.25, FIRST), []), (SpeechStarted(5.3, 530), [])]
        if ended
        else [
            (SpeechStarted(5.3, 530), [Duck(FIRST)]),
            (Timeout(5.55), [Hold(FIRST)]),
            (Timeout(6.2), [Cancel(FIRST)]),
        ]
    )
    play(
        machine,
        *speaking(),
        (SpeechStarted(5.0, 500), [Duck(FIRST)]),
        (SpeechStopped(5.2, 520, 0.2), [Resume(FIRST), Overhear(FIRST, both[:1], 0.2)]),
        *after,
        (SpeechStopped(7.0, 700, 1.5), [Transcribe(NEXT, both, 1.7)]),
    )


def test_a_noise_over_the_agent_is_no_part_of_what_follows(machine: TurnMachine) -> None:
    play(
        machine,
        *speaking(),
        (SpeechStarted(5.0, 500), [Duck(FIRST)]),
        (
            SpeechStopped(5.2, 520, 0.2),
            [Resume(FIRST), Overhear(FIRST, (Span(500, 520),), 0.2)],
        ),
        (Overheard(5.5, FIRST, NOTHING, asking=False), []),
        (PlayoutFinished(6.0, FIRST), []),
        (SpeechStarted(6.3, 630), []),
        (SpeechStopped(7.0, 700, 0.7), [Transcribe(NEXT, (Span(630, 700),), 0.7)]),
    )


def test_words_over_the_agent_that_nobody_can_read_let_it_go_on(machine: TurnMachine) -> None:
    play(machine, *deciding(), (Timeout(7.1), [Resume(FIRST)]))

    assert Floor.SPEAKING == machine.floor


def test_a_caller_who_goes_on_before_it_was_decided_is_heard_whole(machine: TurnMachine) -> None:
    play(
        machine,
        *deciding(),
        (SpeechStarted(5.7, 570), []),
        (Overheard(5.8, FIRST, STOP, asking=False), [Cancel(FIRST)]),
        (
            SpeechStopped(6.5, 650, 0.8),
            [Transcribe(NEXT, (Span(500, 560), Span(570, 650)), 1.4)],
        ),
    )


def test_a_failure_while_the_agent_holds_its_place_does_not_make_it_speak(
    machine: TurnMachine,
) -> None:
    """The fallback line waits behind what was being said."""
    play(
        machine,
        *held(),
        (Failed(5.3, FIRST), [Say(FIRST, Line.FALLBACK), Hold(FIRST)]),
        (SpeechStopped(5.6, 560, 0.6), [Overhear(FIRST, (Span(500, 560),), 0.6)]),
        (Failed(5.7, FIRST), [Say(FIRST, Line.FALLBACK), Hold(FIRST)]),
        (Overheard(5.8, FIRST, BACKCHANNEL, asking=False), [Resume(FIRST)]),
    )


def test_a_failure_under_the_caller_s_voice_is_said_softly(machine: TurnMachine) -> None:
    play(machine, *overlapping(), (Failed(5.1, FIRST), [Say(FIRST, Line.FALLBACK), Duck(FIRST)]))


def test_words_that_are_told_twice_are_answered_once(machine: TurnMachine) -> None:
    """Within the pause, and behind the endpoint."""
    play(
        machine,
        *paused(),
        (Final(3.2, FIRST, QUESTION), [Answer(FIRST, QUESTION)]),
        (Final(3.3, FIRST, QUESTION), []),
        (Timeout(4.5), [Release(FIRST)]),
        (Final(4.6, FIRST, QUESTION), []),
    )


def test_late_words_that_are_told_twice_are_answered_once(machine: TurnMachine) -> None:
    play(
        machine,
        *paused(),
        (Timeout(4.5), []),
        (Final(4.8, FIRST, QUESTION), [Answer(FIRST, QUESTION), Release(FIRST)]),
        (Final(4.9, FIRST, QUESTION), []),
    )


def test_the_agent_s_echo_is_not_asked_for_again(machine: TurnMachine) -> None:
    """However long it was: nobody spoke."""
    play(machine, *paused(), (Final(3.2, FIRST, NOTHING, echo=True), []), (Timeout(4.5), []))

    assert Floor.QUIET == machine.floor


def test_going_on_before_the_answer_is_heard_goes_on_with_the_same_turn(
    machine: TurnMachine,
) -> None:
    """The first take dies, and the second hears everything that was said."""
    second = Take(1, 1)
    play(
        machine,
        *asked(),
        (SpeechStarted(3.8, 380), [Cancel(FIRST)]),
        (
            SpeechStopped(4.5, 450, 0.7),
            [Transcribe(second, (Span(200, 300), Span(380, 450)), 1.7)],
        ),
    )


def test_news_of_a_take_that_died_changes_nothing(machine: TurnMachine) -> None:
    play(
        machine,
        *asked(),
        (SpeechStarted(3.8, 380), [Cancel(FIRST)]),
        (Final(3.9, FIRST, QUESTION), []),
        (Failed(3.9, FIRST), []),
        (PlayoutStarted(3.9, FIRST), []),
        (PlayoutFinished(3.9, FIRST), []),
    )

    assert Floor.HEARING == machine.floor


def test_an_engine_that_fails_is_apologised_for(machine: TurnMachine) -> None:
    play(
        machine,
        *asked(),
        (Failed(3.7, FIRST), [Say(FIRST, Line.FALLBACK)]),
        (PlayoutStarted(3.8, FIRST), []),
        (PlayoutFinished(5.0, FIRST), []),
    )

    assert Floor.QUIET == machine.floor


def test_a_failure_in_the_middle_of_a_reply_is_apologised_for_behind_it(
    machine: TurnMachine,
) -> None:
    play(machine, *speaking(), (Failed(4.5, FIRST), [Say(FIRST, Line.FALLBACK)]))

    assert Floor.SPEAKING == machine.floor


def test_an_answer_that_does_not_come_in_time_is_given_up(machine: TurnMachine) -> None:
    """The old take is dropped, whatever still works on it."""
    play(
        machine,
        *asked(),
        (Timeout(8.5), [Cancel(FIRST), Say(Take(1, 1), Line.FALLBACK)]),
    )


def test_words_that_were_not_understood_are_asked_for_twice_and_then_passed_over(
    machine: TurnMachine,
) -> None:
    play(machine, *greeted())
    at = 2.0
    said = []
    for turn in range(1, MISSES + 2):
        take = Take(turn, 0)
        span = (Span(turn * 10, turn * 10 + 5),)
        play(
            machine,
            (SpeechStarted(at, turn * 10), []),
            (SpeechStopped(at + 1, turn * 10 + 5, 1.0), [Transcribe(take, span, 1.0)]),
            (Final(at + 1.2, take, NOTHING), []),
        )
        said.append(machine.handle(Timeout(at + 2.5)))
        if said[-1]:
            play(
                machine,
                (PlayoutStarted(at + 2.7, take), []),
                (PlayoutFinished(at + 3.0, take), []),
            )
        at += 10

    asked_again = [[Say(Take(turn, 0), Line.FALLBACK)] for turn in (1, 2)]
    assert [*asked_again, []] == said


def test_a_noise_without_words_is_passed_over(machine: TurnMachine) -> None:
    play(
        machine,
        *greeted(),
        (SpeechStarted(2.0, 200), []),
        (SpeechStopped(2.2, 220, 0.2), [Transcribe(FIRST, (Span(200, 220),), 0.2)]),
        (Final(2.4, FIRST, NOTHING), []),
        (Timeout(3.7), []),
    )

    assert Floor.QUIET == machine.floor


def test_leaving_says_goodbye_and_then_hangs_up(machine: TurnMachine) -> None:
    goodbye = Take(2, 0)
    play(
        machine,
        *speaking(),
        (Leaving(5.0), [Cancel(FIRST), Say(goodbye, Line.GOODBYE)]),
        (SpeechStarted(5.1, 510), []),
        (PlayoutStarted(5.2, goodbye), []),
        (PlayoutFinished(6.0, goodbye), [EndCall()]),
    )


def test_a_goodbye_that_nobody_hears_does_not_hold_the_call(machine: TurnMachine) -> None:
    play(
        machine,
        (Leaving(0.0), [Cancel(GREETING), Say(FIRST, Line.GOODBYE)]),
        (Timeout(10.0), [EndCall()]),
    )


def written() -> Timeline:
    """The caller's program has written at 2.0; nothing of the answer is heard yet."""
    orders = [Note(FIRST, WRITTEN), Answer(FIRST, NOTHING), Release(FIRST)]
    return [*greeted(), (ClientAsked(2.0, WRITTEN), orders)]


def test_written_words_are_a_turn_and_its_answer_is_not_held(machine: TurnMachine) -> None:
    play(
        machine,
        *written(),
        (EndScored(2.1, FIRST, 0.9), []),
        (PlayoutStarted(2.5, FIRST), []),
        (PlayoutFinished(3.0, FIRST), []),
    )

    assert Floor.QUIET == machine.floor


def test_a_turn_of_words_alone_is_over_though_the_detector_heard_nothing(
    machine: TurnMachine,
) -> None:
    """No pause will come to end it, and it waits for none: its answer is let out at once, and the
    deadline that is left is the reply's."""
    play(machine, *written())

    assert Floor.THINKING == machine.floor
    assert machine.deadline is not None
    assert 2.0 + PACE.answer_deadline_ms / 1000 == pytest.approx(machine.deadline)


def test_who_speaks_before_the_written_words_are_answered_goes_on_with_the_turn(
    machine: TurnMachine,
) -> None:
    """What was written stays; what is said comes behind it."""
    second = Take(1, 1)
    play(
        machine,
        *written(),
        (SpeechStarted(2.2, 220), [Cancel(FIRST)]),
        (SpeechStopped(2.8, 280, 0.6), [Transcribe(second, (Span(220, 280),), 0.6)]),
        (Final(3.0, second, QUESTION), [Answer(second, QUESTION)]),
    )


def test_a_noise_does_not_make_written_words_unwritten(machine: TurnMachine) -> None:
    second = Take(1, 1)
    play(
        machine,
        *written(),
        (SpeechStarted(2.2, 220), [Cancel(FIRST)]),
        (SpeechStopped(2.4, 240, 0.2), [Transcribe(second, (Span(220, 240),), 0.2)]),
        (Final(2.6, second, NOTHING), [Answer(second, NOTHING)]),
        (Timeout(5.0), [Release(second)]),
    )


def test_the_turn_after_written_words_is_heard_as_ever(machine: TurnMachine) -> None:
    """A noise in it is passed over: nothing was written there."""
    second = Take(2, 0)
    play(
        machine,
        *written(),
        (PlayoutStarted(2.5, FIRST), []),
        (PlayoutFinished(3.0, FIRST), []),
        (SpeechStarted(4.0, 400), []),
        (SpeechStopped(4.2, 420, 0.2), [Transcribe(second, (Span(400, 420),), 0.2)]),
        (Final(4.4, second, NOTHING), []),
        (Timeout(9.0), []),
    )

    assert Floor.QUIET == machine.floor


@pytest.mark.parametrize("before", ["speaking", "asked", "paused"])
def test_written_words_wait_for_nobody_and_interrupt_nobody(
    machine: TurnMachine, before: str
) -> None:
    timeline = {"speaking": speaking, "asked": asked, "paused": paused}[before]()
    play(machine, *timeline)
    floor, take = machine.floor, machine.take

    assert [Decline()] == machine.handle(ClientAsked(4.6, WRITTEN))
    assert (floor, take) == (machine.floor, machine.take)


def test_the_agent_is_silenced_on_request_and_then_anybody_may_speak(machine: TurnMachine) -> None:
    play(
        machine,
        *speaking(),
        (ClientStopped(4.6), [Cancel(FIRST)]),
        (ClientStopped(4.7), []),
        (SpeechStarted(5.0, 500), []),
    )

    assert (Floor.HEARING, Take(2, 0)) == (machine.floor, machine.take)


def test_who_speaks_over_an_agent_that_is_silenced_has_the_floor(machine: TurnMachine) -> None:
    play(
        machine,
        *speaking(),
        (SpeechStarted(4.6, 460), [Duck(FIRST)]),
        (ClientStopped(4.65), [Cancel(FIRST)]),
    )

    assert (Floor.HEARING, Take(2, 0)) == (machine.floor, machine.take)


def test_a_caller_who_is_back_in_time_has_the_floor_and_was_told_nothing_meanwhile(
    machine: TurnMachine,
) -> None:
    play(
        machine,
        *speaking(),
        (LineLost(4.6, 64.6), [Cancel(FIRST)]),
        (ClientAsked(10.0, WRITTEN), [Decline()]),
        (LineLost(20.0, 80.0), []),
        (Connected(60.0), []),
        (SpeechStarted(61.0, 6100), []),
    )

    assert (Floor.HEARING, Take(3, 0)) == (machine.floor, machine.take)


def test_a_caller_who_does_not_come_back_is_not_waited_for_longer(machine: TurnMachine) -> None:
    """Another line that came to nothing gives him no more time."""
    play(
        machine,
        *greeted(),
        (LineLost(2.0, 62.0), []),
        (LineLost(30.0, 90.0), []),
        (Timeout(61.9), []),
        (Timeout(62.0), [EndCall()]),
    )


@pytest.mark.parametrize(
    ("before", "orders"),
    [
        ([*greeted(), (SpeechStarted(2.0, 200), [])], []),
        (paused(), [Cancel(FIRST)]),
        (asked(), [Cancel(FIRST)]),
    ],
    ids=["in the middle of it", "in its pause", "before its answer"],
)
def test_a_question_that_the_loss_has_cut_is_asked_for_again(
    machine: TurnMachine, before: Timeline, orders: list[Order]
) -> None:
    play(
        machine,
        *before,
        (LineLost(3.6, 63.6), orders),
        (Connected(10.0), [Say(Take(3, 0), Line.FALLBACK)]),
        (PlayoutStarted(10.0, Take(3, 0)), []),
        (PlayoutFinished(11.0, Take(3, 0)), []),
    )

    assert Floor.QUIET == machine.floor


def test_a_line_that_the_loss_has_cut_is_said_again(machine: TurnMachine) -> None:
    """The greeting says with whom the caller speaks."""
    play(
        machine,
        (Connected(0.0), [Say(GREETING, Line.GREETING)]),
        (PlayoutStarted(0.0, GREETING), []),
        (LineLost(0.5, 60.5), [Cancel(GREETING)]),
        (Connected(9.0), [Say(Take(2, 0), Line.GREETING)]),
    )


def test_nobody_says_goodbye_to_a_caller_who_is_away(machine: TurnMachine) -> None:
    play(machine, *greeted(), (LineLost(2.0, 62.0), []), (Leaving(3.0), [EndCall()]))


def test_a_line_that_is_lost_during_the_goodbye_ends_the_call(machine: TurnMachine) -> None:
    play(
        machine,
        *greeted(),
        (Leaving(3.0), [Cancel(GREETING), Say(FIRST, Line.GOODBYE)]),
        (LineLost(3.1, 63.1), [EndCall()]),
    )


def test_a_timeout_of_a_deadline_that_moved_is_dropped(machine: TurnMachine) -> None:
    play(
        machine,
        *paused(),
        (Timeout(3.2), []),
    )

    assert Floor.PAUSING == machine.floor


def test_a_fact_without_a_row_says_so_and_changes_nothing(machine: TurnMachine) -> None:
    with pytest.raises(NoRow, match="SpeechStopped while quiet"):
        machine.handle(SpeechStopped(1.0, 1, 1.0))

    assert (Floor.QUIET, GREETING) == (machine.floor, machine.take)


def answered_with(clause: Words) -> Timeline:
    """The reply to a question, heard to its end."""
    return [
        *asked(),
        (ClauseSounds(3.9, FIRST, clause), []),
        (PlayoutStarted(4.0, FIRST), []),
        (PlayoutFinished(6.0, FIRST), []),
    ]


@pytest.mark.parametrize(("clause", "patience_s"), [(SPOKEN, 2.5), (QUESTION, 1.5)])
def test_who_is_asked_for_a_number_has_time_to_dictate_it(
    machine: TurnMachine, clause: Words, patience_s: float
) -> None:
    play(
        machine,
        *answered_with(clause),
        (SpeechStarted(8.0, 800), []),
        (SpeechStopped(9.0, 900, 1.0), [Transcribe(NEXT, (Span(800, 900),), 1.0)]),
    )

    assert 9.0 + patience_s == machine.deadline


def test_a_question_that_was_never_heard_changes_nothing(machine: TurnMachine) -> None:
    """It was made in a pause, and died with its take."""
    second = Take(1, 1)
    play(
        machine,
        *paused(),
        (Final(3.2, FIRST, QUESTION), [Answer(FIRST, QUESTION)]),
        (ClauseSounds(3.3, FIRST, SPOKEN), []),
        (SpeechStarted(3.4, 340), [Cancel(FIRST)]),
        (
            SpeechStopped(4.0, 400, 0.6),
            [Transcribe(second, (Span(200, 300), Span(340, 400)), 1.6)],
        ),
    )

    assert 4.0 + 1.5 == machine.deadline


def test_a_fixed_line_may_ask_for_a_number_too() -> None:
    machine = TurnMachine(PACE, Manner(dictating=frozenset({Line.GREETING})))
    play(machine, *paused())

    assert 3.0 + 2.5 == machine.deadline

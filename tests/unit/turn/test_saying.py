"""What the agent says of its own accord, as timelines: facts in, exactly these orders out."""

import pytest

from tests.unit.turn.test_machine import (
    AGAIN,
    CAREFUL,
    FIRST,
    GOODBYE,
    NEXT,
    PACE,
    PAIN,
    QUESTION,
    STOP,
    Timeline,
    asked,
    deciding,
    greeted,
    overlapping,
    paused,
    speaking,
)
from voiced.testing.playbook import play
from voiced.turn.asides import Aside
from voiced.turn.facts import (
    ClientAsked,
    Failed,
    Final,
    HearingLost,
    LineDue,
    Overheard,
    Partial,
    PlayoutFinished,
    PlayoutStarted,
    SpeechStarted,
    SpeechStopped,
    Suspected,
    Timeout,
    Withheld,
)
from voiced.turn.machine import Floor, Manner, TurnMachine
from voiced.turn.orders import (
    Adapt,
    Amend,
    Answer,
    Cancel,
    Duck,
    EndCall,
    HandOff,
    Heed,
    Hold,
    Line,
    Note,
    Order,
    Overhear,
    Reason,
    Release,
    Repeat,
    Resume,
    Say,
    Span,
    Transcribe,
)
from voiced.turn.saying import FAILURES, LINGER_S, NUDGES
from voiced.turn.take import Take
from voiced.turn.talk import SAYINGS
from voiced.words import NOTHING, Words

pytestmark = pytest.mark.unit


@pytest.fixture
def machine() -> TurnMachine:
    return TurnMachine(PACE)


@pytest.fixture
def careful() -> TurnMachine:
    """One that has red flags, somebody to hand off to, and a line for every case."""
    return TurnMachine(PACE, CAREFUL)


ALARMED = Take(1, 1)


def alarmed() -> Timeline:
    """The caller has named an emergency in the pause after 3.0."""
    orders: list[Order] = [Cancel(FIRST), Heed(ALARMED, PAIN), Say(ALARMED, Line.RED_FLAG)]
    return [
        *paused(),
        (Final(3.2, FIRST, PAIN), [*orders, HandOff(Reason.RED_FLAG)]),
        (PlayoutStarted(3.3, ALARMED), []),
    ]


def test_a_caller_who_can_be_heard_no_more_is_told_and_so_is_somebody_else(
    careful: TurnMachine,
) -> None:
    """Kept on the line while that is under way, and not asked whether anybody is there."""
    told, later, last = Take(1, 0), Take(2, 0), Take(3, 0)
    play(
        careful,
        *greeted(),
        (
            HearingLost(2.0),
            [Cancel(Take(0, 0)), Say(told, Line.DEVICE_LOST), HandOff(Reason.FAILURE)],
        ),
        (PlayoutStarted(2.1, told), []),
        (PlayoutFinished(4.0, told), []),
        (LineDue(10.0, Line.HAND_OFF), [Say(later, Line.HAND_OFF)]),
        (PlayoutStarted(10.1, later), []),
        (PlayoutFinished(12.0, later), []),
        (Timeout(12.0 + LINGER_S), [Say(last, Line.GOODBYE)]),
    )


def test_who_cannot_be_helped_is_told_and_let_go(machine: TurnMachine) -> None:
    """Without anybody to hand off to, in the middle of a word."""
    told, last = Take(2, 0), Take(3, 0)
    play(
        machine,
        *greeted(),
        (SpeechStarted(2.0, 200), []),
        (HearingLost(2.5), [Cancel(FIRST), Say(told, Line.FALLBACK)]),
        (PlayoutStarted(2.6, told), []),
        (PlayoutFinished(4.0, told), []),
        (Timeout(4.0), [Say(last, Line.GOODBYE)]),
    )


def test_an_emergency_is_answered_while_the_caller_still_speaks(careful: TurnMachine) -> None:
    """What is said behind it neither silences the line nor begins it anew, and is read."""
    more = Words("I have chest pains and my arm hurts")
    play(
        careful,
        *greeted(),
        (SpeechStarted(2.0, 200), []),
        (Partial(3.0, FIRST, Words("I have")), []),
        (
            Partial(3.7, FIRST, PAIN),
            [
                Cancel(FIRST),
                Heed(ALARMED, PAIN),
                Say(ALARMED, Line.RED_FLAG),
                HandOff(Reason.RED_FLAG),
            ],
        ),
        (PlayoutStarted(3.8, ALARMED), []),
        (Timeout(5.0), []),
        (
            SpeechStopped(6.0, 600, 4.0),
            [Resume(ALARMED), Overhear(ALARMED, (Span(200, 600),), 4.0)],
        ),
        (Overheard(6.2, ALARMED, more, asking=False), [Amend(ALARMED, more)]),
        (PlayoutFinished(7.0, ALARMED), []),
    )

    assert Floor.QUIET == careful.floor


def test_who_talks_on_beyond_the_line_hears_it_once_more_at_the_end(careful: TurnMachine) -> None:
    """And not each time that the same words are read again."""
    later, again = Take(2, 0), Take(2, 1)
    play(
        careful,
        *greeted(),
        (SpeechStarted(2.0, 200), []),
        (
            Partial(3.0, FIRST, PAIN),
            [
                Cancel(FIRST),
                Heed(ALARMED, PAIN),
                Say(ALARMED, Line.RED_FLAG),
                HandOff(Reason.RED_FLAG),
            ],
        ),
        (PlayoutStarted(3.1, ALARMED), []),
        (PlayoutFinished(6.0, ALARMED), []),
        (Partial(6.5, later, PAIN), []),
        (SpeechStopped(9.0, 900, 7.0), [Transcribe(later, (Span(200, 900),), 7.0)]),
        (Partial(9.0, later, PAIN), []),
        (
            Final(9.3, later, PAIN),
            [Cancel(later), Heed(again, PAIN), Say(again, Line.RED_FLAG)],
        ),
    )


def test_a_noise_behind_an_emergency_changes_nothing(careful: TurnMachine) -> None:
    play(
        careful,
        *greeted(),
        (SpeechStarted(2.0, 200), []),
        (
            Partial(3.0, FIRST, PAIN),
            [
                Cancel(FIRST),
                Heed(ALARMED, PAIN),
                Say(ALARMED, Line.RED_FLAG),
                HandOff(Reason.RED_FLAG),
            ],
        ),
        (PlayoutStarted(3.1, ALARMED), []),
        (
            SpeechStopped(4.0, 400, 2.0),
            [Resume(ALARMED), Overhear(ALARMED, (Span(200, 400),), 2.0)],
        ),
        (SpeechStarted(4.2, 420), [Duck(ALARMED)]),
        (Overheard(4.3, ALARMED, NOTHING, asking=False), []),
    )

    assert Floor.OVERLAPPING == careful.floor


def test_an_emergency_is_answered_at_once_and_handed_off_without_any_model(
    careful: TurnMachine,
) -> None:
    """Not at the endpoint, and the language model is not asked."""
    play(careful, *alarmed(), (PlayoutFinished(6.0, ALARMED), []))

    assert Floor.QUIET == careful.floor


def test_an_emergency_that_was_taken_for_a_question_is_answered_before_that_is(
    careful: TurnMachine,
) -> None:
    play(
        careful,
        *asked(),
        (
            Suspected(3.8, FIRST, PAIN),
            [
                Cancel(FIRST),
                Heed(ALARMED, PAIN),
                Say(ALARMED, Line.RED_FLAG),
                HandOff(Reason.RED_FLAG),
            ],
        ),
    )

    assert Floor.SPEAKING == careful.floor


def test_what_is_heard_of_an_answer_is_cut_for_it(careful: TurnMachine) -> None:
    """And stays the answer that the caller heard: the emergency is another turn."""
    play(
        careful,
        *speaking(),
        (
            Suspected(4.2, FIRST, PAIN),
            [
                Cancel(FIRST),
                Heed(NEXT, PAIN),
                Say(NEXT, Line.RED_FLAG),
                HandOff(Reason.RED_FLAG),
            ],
        ),
    )


def test_a_caller_who_speaks_on_then_hears_it_too(careful: TurnMachine) -> None:
    play(
        careful,
        *overlapping(),
        (
            Suspected(5.1, FIRST, PAIN),
            [
                Cancel(FIRST),
                Heed(NEXT, PAIN),
                Say(NEXT, Line.RED_FLAG),
                HandOff(Reason.RED_FLAG),
            ],
        ),
        (Timeout(5.4), [Hold(NEXT)]),
    )


def test_a_suspicion_that_names_no_emergency_changes_nothing(careful: TurnMachine) -> None:
    play(careful, *overlapping(), (Suspected(5.1, FIRST, QUESTION), []))

    assert Floor.OVERLAPPING == careful.floor


def test_an_emergency_named_over_the_agent_stops_it(careful: TurnMachine) -> None:
    play(
        careful,
        *deciding(),
        (
            Overheard(5.8, FIRST, PAIN, asking=False),
            [
                Cancel(FIRST),
                Heed(NEXT, PAIN),
                Say(NEXT, Line.RED_FLAG),
                HandOff(Reason.RED_FLAG),
            ],
        ),
    )

    assert Floor.SPEAKING == careful.floor


def test_an_emergency_read_while_the_caller_speaks_again_is_answered_over_it(
    careful: TurnMachine,
) -> None:
    """What was too short to be held for is read when the caller has begun once more."""
    play(
        careful,
        *overlapping(),
        (SpeechStopped(5.2, 520, 0.2), [Resume(FIRST), Overhear(FIRST, (Span(500, 520),), 0.2)]),
        (SpeechStarted(5.3, 530), [Duck(FIRST)]),
        (
            Overheard(5.4, FIRST, PAIN, asking=False),
            [
                Cancel(FIRST),
                Heed(NEXT, PAIN),
                Say(NEXT, Line.RED_FLAG),
                HandOff(Reason.RED_FLAG),
            ],
        ),
        (Timeout(5.65), [Hold(NEXT)]),
    )


def test_an_emergency_that_is_written_is_answered_likewise(careful: TurnMachine) -> None:
    orders = [Note(FIRST, PAIN), Say(FIRST, Line.RED_FLAG), HandOff(Reason.RED_FLAG)]
    play(careful, *greeted(), (ClientAsked(2.0, PAIN), orders))


def test_an_emergency_read_after_the_endpoint_is_answered_too(careful: TurnMachine) -> None:
    orders: list[Order] = [Cancel(FIRST), Heed(ALARMED, PAIN), Say(ALARMED, Line.RED_FLAG)]
    play(
        careful,
        *paused(),
        (Timeout(4.5), []),
        (Final(4.8, FIRST, PAIN), [*orders, HandOff(Reason.RED_FLAG)]),
    )


def test_who_talks_over_the_emergency_line_hears_it_once_more(careful: TurnMachine) -> None:
    """Whatever is said meanwhile; but not for ever, and nobody is told twice."""
    play(careful, *alarmed())
    take, at = ALARMED, 4.0
    answers = []
    for _ in range(SAYINGS):
        play(
            careful,
            (SpeechStarted(at, 400), [Duck(take)]),
            (Timeout(at + 0.25), [Hold(take)]),
            (Timeout(at + 0.9), [Cancel(take)]),
        )
        take = Take(take.turn + 1, 0)
        careful.handle(SpeechStopped(at + 1, 500, 1.0))
        answers.append(careful.handle(Final(at + 1.2, take, QUESTION)))
        take = careful.take
        at += 2.0

    second = Take(2, 1)
    assert [
        [Cancel(Take(2, 0)), Heed(second, QUESTION), Say(second, Line.RED_FLAG)],
        [Answer(Take(3, 0), QUESTION)],
    ] == answers


def test_a_stop_over_the_emergency_line_gets_it_once_more(careful: TurnMachine) -> None:
    again = Take(2, 0)
    play(
        careful,
        *alarmed(),
        (SpeechStarted(4.0, 400), [Duck(ALARMED)]),
        (
            SpeechStopped(4.2, 420, 0.2),
            [Resume(ALARMED), Overhear(ALARMED, (Span(400, 420),), 0.2)],
        ),
        (
            Overheard(4.4, ALARMED, STOP, asking=False),
            [Cancel(ALARMED), Heed(again, STOP), Say(again, Line.RED_FLAG)],
        ),
    )


def test_what_nobody_can_read_over_the_emergency_line_gets_it_once_more(
    careful: TurnMachine,
) -> None:
    """Who is in panic is not asked to say it again."""
    cut = Take(2, 0)
    play(
        careful,
        *alarmed(),
        (SpeechStarted(4.0, 400), [Duck(ALARMED)]),
        (Timeout(4.25), [Hold(ALARMED)]),
        (Timeout(4.9), [Cancel(ALARMED)]),
        (SpeechStopped(5.0, 500, 1.0), [Transcribe(cut, (Span(400, 500),), 1.0)]),
        (Final(5.2, cut, NOTHING), []),
        (Timeout(6.5), [Say(Take(3, 0), Line.RED_FLAG)]),
    )


def test_without_a_line_of_its_own_an_emergency_gets_the_fallback() -> None:
    machine = TurnMachine(PACE, Manner(red_flags=CAREFUL.red_flags))
    fallback = [Cancel(FIRST), Heed(ALARMED, PAIN), Say(ALARMED, Line.FALLBACK)]

    play(machine, *paused(), (Final(3.2, FIRST, PAIN), fallback))


def test_news_of_a_hand_off_is_told_when_nobody_speaks(careful: TurnMachine) -> None:
    told = Take(2, 0)
    play(
        careful,
        *alarmed(),
        (LineDue(3.4, Line.HAND_OFF), []),
        (PlayoutFinished(6.0, ALARMED), [Say(told, Line.HAND_OFF)]),
        (PlayoutStarted(6.0, told), []),
        (PlayoutFinished(9.0, told), []),
        (LineDue(9.5, Line.ONE_MOMENT), [Say(Take(3, 0), Line.ONE_MOMENT)]),
    )


def test_news_for_which_there_is_no_line_is_not_told(careful: TurnMachine) -> None:
    play(careful, *greeted(), (LineDue(2.0, Line.CONSENT), []))

    assert Floor.QUIET == careful.floor


def failing(machine: TurnMachine, turn: int) -> list[Order]:
    """A turn whose language model fails; what is ordered for it."""
    at, take = turn * 10.0, Take(turn, 0)
    machine.handle(SpeechStarted(at, 0))
    machine.handle(SpeechStopped(at + 1, 10, 1.0))
    machine.handle(Final(at + 1.2, take, QUESTION))
    machine.handle(Timeout(at + 3.0))
    orders = machine.handle(Failed(at + 3.1, take))
    machine.handle(PlayoutStarted(at + 3.2, take))
    machine.handle(PlayoutFinished(at + 5.0, take))
    return orders


def test_engines_that_fail_twice_in_a_row_hand_the_call_off(careful: TurnMachine) -> None:
    """And not again for the same reason."""
    play(careful, *greeted())
    orders = [failing(careful, turn) for turn in range(1, FAILURES + 2)]

    said = [[Say(Take(turn, 0), Line.FALLBACK)] for turn in (1, 2, 3)]
    assert [said[0], [*said[1], HandOff(Reason.FAILURE)], said[2]] == orders


def test_a_reply_between_two_failures_makes_them_two_single_ones(careful: TurnMachine) -> None:
    play(careful, *greeted())
    failing(careful, 1)
    take = Take(2, 0)
    careful.handle(SpeechStarted(20.0, 0))
    careful.handle(SpeechStopped(21.0, 10, 1.0))
    careful.handle(Final(21.2, take, QUESTION))
    careful.handle(Timeout(23.0))
    careful.handle(PlayoutStarted(23.2, take))
    careful.handle(PlayoutFinished(25.0, take))

    assert [Say(Take(3, 0), Line.FALLBACK)] == failing(careful, 3)


def test_a_caller_who_is_silent_for_long_is_asked_twice_and_then_let_go(
    careful: TurnMachine,
) -> None:
    play(careful, *greeted())
    at = 1.0
    for turn in range(1, NUDGES + 1):
        take = Take(turn, 0)
        play(
            careful,
            (Timeout(at + 14.9), []),
            (Timeout(at + 15.0), [Say(take, Line.STILL_THERE)]),
            (PlayoutStarted(at + 15.0, take), []),
            (PlayoutFinished(at + 16.0, take), []),
        )
        at += 16.0
    last = Take(NUDGES + 1, 0)
    play(
        careful,
        (Timeout(at + 15.0), [Say(last, Line.GOODBYE)]),
        (PlayoutStarted(at + 15.0, last), []),
        (PlayoutFinished(at + 16.0, last), [EndCall()]),
    )


def test_a_caller_who_answers_is_asked_anew_next_time(careful: TurnMachine) -> None:
    play(careful, *greeted())
    for round_ in range(NUDGES + 1):
        at, asked, answered = 100.0 * (round_ + 1), Take(2 * round_ + 1, 0), Take(2 * round_ + 2, 0)
        play(
            careful,
            (Timeout(at), [Say(asked, Line.STILL_THERE)]),
            (PlayoutStarted(at, asked), []),
            (PlayoutFinished(at + 1, asked), []),
        )
        careful.handle(SpeechStarted(at + 2, 0))
        careful.handle(SpeechStopped(at + 3, 10, 1.0))
        careful.handle(Final(at + 3.2, answered, QUESTION))
        careful.handle(Timeout(at + 5))
        careful.handle(PlayoutStarted(at + 5, answered))
        careful.handle(PlayoutFinished(at + 6, answered))


def test_without_a_line_for_it_silence_is_left_alone(machine: TurnMachine) -> None:
    play(machine, *greeted())

    assert (Floor.QUIET, None) == (machine.floor, machine.deadline)


def test_a_goodbye_is_returned_and_ends_the_call(machine: TurnMachine) -> None:
    """The language model is not asked, and the pause is as short as it can be."""
    play(
        machine,
        *paused(),
        (Final(3.2, FIRST, GOODBYE), []),
        (Timeout(3.5), [Heed(FIRST, GOODBYE), Say(FIRST, Line.GOODBYE)]),
        (PlayoutStarted(3.5, FIRST), []),
        (PlayoutFinished(4.5, FIRST), [EndCall()]),
    )


def test_a_goodbye_over_the_agent_ends_the_call_too(machine: TurnMachine) -> None:
    play(
        machine,
        *deciding(),
        (Overheard(5.8, FIRST, GOODBYE, asking=False), [Cancel(FIRST)]),
        (Timeout(6.1), [Heed(NEXT, GOODBYE), Say(NEXT, Line.GOODBYE)]),
    )


def test_who_goes_on_after_a_goodbye_is_heard(machine: TurnMachine) -> None:
    play(
        machine,
        *paused(),
        (Final(3.2, FIRST, GOODBYE), []),
        (SpeechStarted(3.4, 340), [Cancel(FIRST)]),
    )

    assert Floor.HEARING == machine.floor


def test_the_last_reply_is_said_again_without_the_language_model(machine: TurnMachine) -> None:
    """It is made in the pause and held, like an answer."""
    play(
        machine,
        *paused(),
        (Final(3.2, FIRST, AGAIN), [Repeat(FIRST, AGAIN)]),
        (Timeout(3.5), [Release(FIRST)]),
        (PlayoutStarted(3.6, FIRST), []),
        (PlayoutFinished(5.0, FIRST), []),
    )

    assert Floor.QUIET == machine.floor


def test_a_repetition_asked_for_late_begins_at_once(machine: TurnMachine) -> None:
    play(
        machine,
        *paused(),
        (Timeout(4.5), []),
        (Final(4.8, FIRST, AGAIN), [Repeat(FIRST, AGAIN), Release(FIRST)]),
    )


@pytest.mark.parametrize(
    ("said", "wish"), [("Slower, please.", Aside.SLOWER), ("Louder!", Aside.LOUDER)]
)
def test_another_manner_is_taken_when_the_turn_is_over_and_not_before(
    machine: TurnMachine, said: str, wish: Aside
) -> None:
    """Who goes on ("slower traffic is better") has asked for nothing."""
    words = Words(said)
    play(
        machine,
        *paused(),
        (Final(3.2, FIRST, words), []),
        (Timeout(3.5), [Adapt(wish), Repeat(FIRST, words), Release(FIRST)]),
    )


def test_a_reply_that_does_not_know_calls_somebody_once_the_turn_is_over(
    careful: TurnMachine,
) -> None:
    play(careful, *paused(), (Final(3.2, FIRST, QUESTION), [Answer(FIRST, QUESTION)]))

    play(
        careful,
        (Withheld(3.3, FIRST), []),
        (Timeout(9.0), [Release(FIRST), HandOff(Reason.UNGROUNDED)]),
    )


def test_a_take_that_dies_calls_nobody(careful: TurnMachine) -> None:
    play(careful, *paused(), (Final(3.2, FIRST, QUESTION), [Answer(FIRST, QUESTION)]))
    second = Take(FIRST.turn, FIRST.take + 1)
    play(careful, (Withheld(3.3, FIRST), []), (SpeechStarted(3.4, 340), [Cancel(FIRST)]))
    careful.handle(SpeechStopped(4.0, 400, 0.5))
    careful.handle(Final(4.1, second, QUESTION))

    assert [Release(second)] == careful.handle(Timeout(9.9))


def test_somebody_is_called_once_a_call_for_what_the_agent_does_not_know(
    careful: TurnMachine,
) -> None:
    careful.handle(ClientAsked(2.0, QUESTION))

    play(
        careful,
        (Withheld(3.0, FIRST), [HandOff(Reason.UNGROUNDED)]),
        (PlayoutStarted(3.1, FIRST), []),
        (Withheld(3.2, FIRST), []),
    )

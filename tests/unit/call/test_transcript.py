"""The history holds what was heard, and nothing else."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiced.audio.pcm import SPEAKING_HZ
from voiced.call.transcript import Transcript
from voiced.llm.model import Role
from voiced.tts.timing import Timed
from voiced.turn.take import Take
from voiced.words import Words

pytestmark = pytest.mark.unit

FIRST = Take(1, 0)
SECOND = Take(2, 0)
SECOND_LONG = SPEAKING_HZ


@pytest.fixture
def transcript() -> Transcript:
    return Transcript()


def say(transcript: Transcript, take: Take, *clauses: str) -> None:
    """The agent speaks clauses of one second each."""
    for clause in clauses:
        transcript.speaking(take, Words(clause)).spoke(SECOND_LONG, whole=True)


def lines(transcript: Transcript) -> list[tuple[Role, str, bool]]:
    return [(m.role, m.text.reveal(), m.cut) for m in transcript.messages()]


def test_a_whole_reply_is_in_the_history(transcript: Transcript) -> None:
    transcript.asked(FIRST, Words("Is it open?"))
    say(transcript, FIRST, "Yes.", "Until eight.")

    assert [
        (Role.USER, "Is it open?", False),
        (Role.ASSISTANT, "Yes. Until eight.", False),
    ] == lines(transcript)


def test_a_reply_that_was_cut_keeps_only_what_was_heard(transcript: Transcript) -> None:
    transcript.asked(FIRST, Words("Is it open?"))
    say(transcript, FIRST, "Yes.", "Until eight today.", "Not on Sunday.")
    transcript.cut(FIRST, int(1.5 * SECOND_LONG))

    assert (Role.ASSISTANT, "Yes. Until", True) == lines(transcript)[1]


def test_a_reply_of_which_nothing_was_heard_is_no_message(transcript: Transcript) -> None:
    """And what the caller says next joins what was not answered: roles alternate."""
    transcript.asked(FIRST, Words("Is it open?"))
    say(transcript, FIRST, "Yes.")
    transcript.cut(FIRST, 0)
    transcript.asked(SECOND, Words("Hello?"))

    assert [(Role.USER, "Is it open? Hello?", False)] == lines(transcript)


def test_a_later_take_replaces_the_words_of_the_turn(transcript: Transcript) -> None:
    transcript.asked(FIRST, Words("I would"))
    say(transcript, FIRST, "Yes?")
    transcript.cut(FIRST, 0)
    transcript.asked(Take(1, 1), Words("I would like to book."))
    say(transcript, Take(1, 1), "Gladly.")

    assert [
        (Role.USER, "I would like to book.", False),
        (Role.ASSISTANT, "Gladly.", False),
    ] == lines(transcript)


def test_a_clause_that_was_cut_while_it_was_made_is_not_taken_for_whole(
    transcript: Transcript,
) -> None:
    """A tenth of it was made and all of that was heard: most of the words were not."""
    transcript.asked(FIRST, Words("Where?"))
    transcript.speaking(
        FIRST, Words("Please take the lift to the third floor and turn left.")
    ).spoke(SECOND_LONG // 2, whole=False)
    transcript.cut(FIRST, SECOND_LONG // 2)

    assert len("Please take") >= len(transcript.heard(1))


def test_a_voice_that_tells_its_words_is_believed_to_the_word(transcript: Transcript) -> None:
    """The estimate by letters would still claim `not`; the voice says that it was over later."""
    transcript.asked(FIRST, Words("Now?"))
    clause = Words("Please do not take it.")
    timed = Timed(clause, (0.3, 0.5, 0.72, 0.8, 1.0))
    transcript.speaking(FIRST, clause).spoke(SECOND_LONG, whole=True, timed=timed)

    transcript.cut(FIRST, int(0.71 * SECOND_LONG))
    assert Words("Please do") == transcript.heard(1)
    transcript.cut(FIRST, int(0.73 * SECOND_LONG))
    assert Words("Please do not") == transcript.heard(1)


def test_news_of_a_take_that_is_over_changes_nothing(transcript: Transcript) -> None:
    transcript.asked(FIRST, Words("Hel"))
    late = transcript.speaking(FIRST, Words("What?"))
    transcript.asked(Take(1, 1), Words("Hello."))
    say(transcript, Take(1, 1), "Yes.")
    late.spoke(5, whole=True)
    transcript.cut(FIRST, 0)

    assert (Role.ASSISTANT, "Yes.", False) == lines(transcript)[1]


def test_a_filler_is_heard_before_the_clause_that_is_still_being_made(
    transcript: Transcript,
) -> None:
    """And takes nothing of it: what was made of the clause is the clause's."""
    transcript.asked(FIRST, Words("Is it open?"))
    clause = transcript.speaking(FIRST, Words("Until eight today."))
    assert not transcript.sounding(1)
    transcript.speaking(FIRST, Words("One moment."), bridging=True).spoke(SECOND_LONG, whole=True)
    clause.begun = True
    assert transcript.sounding(1)
    clause.spoke(SECOND_LONG, whole=True)

    assert not transcript.sounding(1)
    assert "One moment. Until eight today." == transcript.heard(1).reveal()
    transcript.cut(FIRST, int(1.5 * SECOND_LONG))
    assert [
        (Role.USER, "Is it open?", False),
        (Role.ASSISTANT, "Until", True),
    ] == lines(transcript)


def test_a_greeting_opens_the_history(transcript: Transcript) -> None:
    say(transcript, Take(0, 0), "Welcome.")
    transcript.asked(FIRST, Words("Hello."))

    assert [Role.ASSISTANT, Role.USER] == [role for role, _, _ in lines(transcript)]


@given(
    st.lists(
        st.tuples(
            st.booleans(),
            st.lists(st.sampled_from(["Yes.", "No, not today.", "Until eight."]), max_size=3),
            st.one_of(st.none(), st.integers(0, 4 * SECOND_LONG)),
        ),
        max_size=8,
    )
)
def test_roles_alternate_and_no_unheard_clause_is_in_the_history(
    turns: list[tuple[bool, list[str], int | None]],
) -> None:
    transcript = Transcript()
    for number, (asked, clauses, cut) in enumerate(turns, start=1):
        take = Take(number, 0)
        if asked:
            transcript.asked(take, Words(f"question {number}"))
        say(transcript, take, *clauses)
        if cut is not None:
            transcript.cut(take, cut)

    roles = [message.role for message in transcript.messages()]
    assert all(one is not other for one, other in itertools.pairwise(roles))
    heard_s = sum(
        len(clauses) if cut is None else min(cut / SECOND_LONG, len(clauses))
        for _, clauses, cut in turns
    )
    words = sum(
        len(m.text.reveal().split()) for m in transcript.messages() if m.role is Role.ASSISTANT
    )
    assert words <= 3 * (heard_s + 1)


def test_words_that_are_still_said_stand_where_the_turns_words_will(transcript: Transcript) -> None:
    transcript.asked(Take(9, 0), Words("Old words"))
    before = transcript.messages()

    asking = transcript.asking(Take(9, 1), Words("Old words and new"))

    assert Words("Old words and new") == asking[-1].text
    assert (len(before), before) == (len(asking), transcript.messages())


def test_a_clause_whose_voice_failed_is_in_the_history_as_far_as_it_was_made(
    transcript: Transcript,
) -> None:
    """Though nobody cut it off."""
    transcript.asked(FIRST, Words("Is it open?"))
    say(transcript, FIRST, "Yes.")
    for samples in (0, SECOND_LONG // 2):
        transcript.speaking(FIRST, Words("It is open until eight in the evening.")).spoke(
            samples, whole=False
        )

    assert "Yes." == transcript.heard(1).reveal()[:4]
    assert not transcript.heard(1).reveal().endswith("evening.")


def test_the_last_reply_is_the_newest_that_has_words(transcript: Transcript) -> None:
    say(transcript, Take(0, 0), "Hello.")
    transcript.asked(FIRST, Words("Is it open?"))
    say(transcript, FIRST, "Yes.", "Until eight.")
    transcript.cut(FIRST, SECOND_LONG)
    transcript.asked(SECOND, Words("Pardon?"))

    assert [Words("Yes."), Words("Until eight.")] == transcript.last_reply(2)
    assert [Words("Hello.")] == transcript.last_reply(1)
    assert [] == transcript.last_reply(0)


def test_only_clauses_that_have_begun_can_come_back_as_an_echo(transcript: Transcript) -> None:
    """What the agent would have said later is the caller's, who says it first."""
    say(transcript, FIRST, "Yes.", "Until eight.", "Not on Sunday.")

    assert ["Yes.", "Yes. Until eight.", "Yes. Until eight. Not on Sunday."] == [
        transcript.sounded(1, samples).reveal()
        for samples in (SECOND_LONG // 2, int(1.5 * SECOND_LONG), 3 * SECOND_LONG)
    ]
    assert "" == transcript.sounded(7, SECOND_LONG).reveal()

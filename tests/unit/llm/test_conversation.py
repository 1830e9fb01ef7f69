"""A prompt fits its context whatever happens, and begins like the one before it."""

import pytest

from voiced.errors import EngineFailed
from voiced.llm.conversation import Conversation, Language
from voiced.llm.model import Message, Role
from voiced.llm.template import PlainTemplate
from voiced.words import Words

pytestmark = pytest.mark.unit

RESERVE = 40


def user(text: str) -> Message:
    return Message(Role.USER, Words(text))


def agent(text: str, *, cut: bool = False) -> Message:
    return Message(Role.ASSISTANT, Words(text), cut)


def conversation(vocabulary, *, context: int = 400, stamped: bool = False) -> Conversation:
    template = PlainTemplate("C:", "A:", ("\n",))
    return Conversation(Language(template, vocabulary, context, stamped), "You answer.")


def test_a_short_history_is_written_whole(vocabulary) -> None:
    tokens = conversation(vocabulary).prompt([agent("Good day."), user("Hi")], "", RESERVE)

    assert "<bos>You answer.\n\nA: Good day.\nC: Hi\nA:" == vocabulary.text(tokens)


def test_every_prompt_begins_with_the_opening(vocabulary) -> None:
    opening = conversation(vocabulary).opening("Good day.")
    tokens = conversation(vocabulary).prompt([agent("Good day."), user("Hi")], "", RESERVE)

    assert "<bos>You answer.\n\nA: Good day.\nC:" == vocabulary.text(opening)
    assert opening == tokens[: len(opening)]


def test_what_is_read_ahead_is_the_beginning_of_the_prompt(vocabulary) -> None:
    call = conversation(vocabulary, stamped=True)
    ahead = call.opened([agent("Good day."), user("I would like")], "[Monday, 9:59]", RESERVE)
    tokens = call.prompt(
        [agent("Good day."), user("I would like tea.")], "[Monday, 10:00]", RESERVE
    )

    assert ahead == tokens[: len(ahead)]


def test_a_final_mark_does_not_give_the_end_away(vocabulary) -> None:
    """A recogniser ends every text with a full stop; the model is asked what comes there."""
    tokens = conversation(vocabulary).opened([user("I would like...")], "", RESERVE)

    assert vocabulary.text(tokens).endswith("C: I would like")


def test_a_turn_keeps_the_time_that_it_was_first_written_with(vocabulary) -> None:
    call = conversation(vocabulary, stamped=True)
    call.prompt([user("Hi")], "[Monday]", RESERVE)
    tokens = call.prompt([user("Hi"), agent("Yes?"), user("Tea")], "[Tuesday]", RESERVE)

    assert "[Monday] Hi\nA: Yes?\nC: [Tuesday] Tea" in vocabulary.text(tokens)


def test_the_date_is_not_in_the_opening(vocabulary) -> None:
    assert "[" not in vocabulary.text(conversation(vocabulary, stamped=True).opening("Good day."))


def test_a_call_of_any_length_fits(vocabulary) -> None:
    """Three times the window: system prompt and last turn stay, a caller's turn comes first."""
    call = conversation(vocabulary)
    history = [agent("Good day.")]
    for number in range(60):
        history.append(user(f"Question {number}?"))
        text = vocabulary.text(call.prompt(history, "", RESERVE))
        call.opened(history, "", RESERVE)
        history.append(agent(f"Answer {number}."))

        assert len(text) - len("<bos>") + 1 <= 400 - RESERVE
        assert text.startswith("<bos>You answer.\n\n")
        assert text.endswith(f"C: Question {number}?\nA:")
        after_system = text.removeprefix("<bos>You answer.\n\n")
        assert after_system.startswith(("C: Question", "A: Good day."))


def test_exchanges_do_not_leave_in_every_turn(vocabulary) -> None:
    """Each time they do, the rest of the call is read again."""
    call = conversation(vocabulary)
    history = [agent("Good day.")]
    moved = 0
    before: list[int] = []
    for number in range(60):
        history.append(user(f"Question {number}?"))
        tokens = call.prompt(history, "", RESERVE)
        moved += tokens[: len(before) - 3] != before[:-3]
        before = tokens
        history.append(agent(f"Answer {number}."))

    assert moved <= 60 // 3


def test_one_turn_that_is_too_long_is_shortened_at_its_start(vocabulary) -> None:
    words = " ".join(f"word{number}" for number in range(200))

    text = vocabulary.text(conversation(vocabulary).prompt([user(words)], "", RESERVE))

    assert len(text) <= 400 - RESERVE + len("<bos>")
    assert "C: ... word" in text
    assert text.endswith("word199\nA:")


@pytest.mark.parametrize("last", [[], [user("  ")], [agent("Good day.")]])
def test_there_must_be_something_to_answer(vocabulary, last: list[Message]) -> None:
    with pytest.raises(EngineFailed, match="nothing to answer"):
        conversation(vocabulary).prompt(last, "", RESERVE)


def test_the_next_prompt_goes_on_from_the_tokens_that_were_drawn(vocabulary) -> None:
    call = conversation(vocabulary)
    first = call.prompt([user("Hi")], "", RESERVE)
    call.said(((9001, b" Good"), (9002, b" day.")))

    second = call.prompt([user("Hi"), agent("Good day."), user("Tea")], "", RESERVE)

    assert [*first, 9001, 9002] == second[: len(first) + 2]


def test_what_the_caller_did_not_hear_is_not_in_the_next_prompt(vocabulary) -> None:
    call = conversation(vocabulary)
    call.prompt([user("Hi")], "", RESERVE)
    call.said(((9001, b" Good"), (9002, b" day.")))

    tokens = call.prompt([user("Hi"), agent("Good", cut=True), user("Tea")], "", RESERVE)

    assert 9001 in tokens
    assert 9002 not in tokens

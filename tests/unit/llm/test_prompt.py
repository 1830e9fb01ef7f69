"""How a history becomes turns."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from voiced.llm.model import Message, Role
from voiced.llm.prompt import exchanges, shortened, stamp, written
from voiced.words import Words

pytestmark = pytest.mark.unit


def user(text: str) -> Message:
    return Message(Role.USER, Words(text))


def agent(text: str, *, cut: bool = False) -> Message:
    return Message(Role.ASSISTANT, Words(text), cut)


def shown(system: str, history: list[Message], **options: int) -> list[tuple[str, list[str]]]:
    prompt = written(system, history, [""] * len(history), **options)
    return [(t.role.value, [prompt.texts[n].text for n in t.contents]) for t in prompt.turns]


def test_messages_of_one_role_in_a_row_are_one_turn() -> None:
    assert [
        ("system", ["You answer."]),
        ("user", ["Hello?", "Are you there?"]),
        ("assistant", ["Yes"]),
        ("user", ["One", "two"]),
    ] == shown(
        "You answer.",
        [user("Hello?"), user("Are you there?"), agent("Yes", cut=True), user("One"), user("two")],
    )


def test_an_empty_message_is_no_message() -> None:
    """A reply of which nothing was heard, for instance."""
    assert [("user", ["Hello?", "Are you there?"])] == shown(
        "", [user("Hello?"), agent(" ", cut=True), user("Are you there?")]
    )


def test_a_greeting_opens_the_conversation() -> None:
    assert [("system", ["s"]), ("assistant", ["Good day."]), ("user", ["Hello"])] == shown(
        "s", [agent("Good day."), user("Hello")]
    )


def test_the_system_prompt_may_stand_alone() -> None:
    assert [("system", ["s"])] == shown("s", [])


def test_the_date_stands_above_the_turn_it_belongs_to() -> None:
    prompt = written("", [user("Hello")], ["[Monday]"])

    assert ["[Monday]", "Hello"] == [text.text for text in prompt.texts]


def test_an_exchange_begins_with_the_caller() -> None:
    history = [agent("Good day."), user("a"), user("b"), agent("c"), user("d")]

    assert [1, 4] == exchanges(history)


def test_oldest_messages_are_left_out_whole() -> None:
    history = [agent("Good day."), user("a"), agent("b"), user("c")]

    assert [("system", ["s"]), ("user", ["c"])] == shown("s", history, first=3)


def test_the_stamp_has_date_time_and_zone() -> None:
    summer = timezone(timedelta(hours=2), "CEST")

    assert "[Friday, 5 June 2026, 09:07 CEST]" == stamp(datetime(2026, 6, 5, 9, 7, tzinfo=summer))
    assert stamp(datetime(2026, 6, 5, 9, 7, tzinfo=UTC)).endswith("UTC]")


def test_a_long_text_is_shortened_at_its_start_from_a_whole_word_on() -> None:
    assert "... five six" == shortened("one two three four five six", 0.4)

"""Wishes of a caller's program: each granted, or refused by name."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.realtime.conftest import Line, errors, types
from voiced.call.news import (
    Declined,
    ReplyEnded,
    ReplyGrew,
    ReplyReleased,
    ReplyStarted,
    ToolsWanted,
    ToolWanted,
)
from voiced.turn.take import Take
from voiced.words import Words

pytestmark = pytest.mark.unit

FIRST = Take(1, 0)
ACTIVE = "conversation_already_has_active_response"


def speaking(line: Line) -> None:
    line.tell(ReplyGrew(FIRST, Words("Yes.")), ReplyReleased(FIRST), ReplyStarted(FIRST))


def heard(line: Line, ms: int, *, cut: bool = True) -> list[dict[str, Any]]:
    return line.tell(ReplyEnded(FIRST, Words("Yes."), cut, ms * 24))


def test_written_text_is_an_item_and_is_answered_on_request(line: Line) -> None:
    told = line.write("Where do I park?")

    assert ["conversation.item.added", "conversation.item.done"] == types(told)
    assert [] == line.call.asked
    assert [] == line.send("response.create")
    assert ["Where do I park?"] == line.call.asked


def test_several_items_are_answered_together(line: Line) -> None:
    line.write("Hello.")
    line.write("Where do I park?")
    line.send("response.create")

    assert ["Hello. Where do I park?"] == line.call.asked


def test_a_program_s_own_name_for_an_item_is_kept(line: Line) -> None:
    content = [{"type": "input_text", "text": "Hello."}]
    item = {"id": "mine-1", "type": "message", "role": "user", "content": content}
    told = line.send("conversation.item.create", item=item)

    assert ["mine-1", "mine-1"] == [event["item"]["id"] for event in told]


def test_nothing_new_is_nothing_to_answer(line: Line) -> None:
    assert [("no_new_input", None)] == errors(line.send("response.create"))


def test_a_second_response_is_refused_while_one_is_under_way(line: Line) -> None:
    speaking(line)
    line.write("Hello.")

    assert [(ACTIVE, None)] == errors(line.send("response.create"))
    assert [] == line.call.asked


def test_what_the_call_declines_is_told_of_its_event_and_may_be_asked_again(line: Line) -> None:
    """The caller speaks, say; the program cannot know as well as the call does."""
    line.write("Hello.")
    line.send("response.create", event_id="mine")
    [told] = line.tell(Declined())

    assert (ACTIVE, "mine") == (told["error"]["code"], told["error"]["event_id"])
    line.send("response.create")
    assert ["Hello.", "Hello."] == line.call.asked


def test_a_response_is_cancelled_and_done_once(line: Line) -> None:
    speaking(line)

    assert [] == line.send("response.cancel")
    assert 1 == line.call.stops
    told = heard(line, 100)
    assert 1 == types(told).count("response.done")
    assert "client_cancelled" == told[-1]["response"]["status_details"]["reason"]
    assert [("response_cancel_not_active", None)] == errors(line.send("response.cancel"))


def test_only_the_response_that_is_under_way_can_be_cancelled(line: Line) -> None:
    speaking(line)

    assert [("response_cancel_not_active", None)] == errors(
        line.send("response.cancel", response_id="resp_9_9")
    )
    assert [] == line.send("response.cancel", response_id="resp_1_0")
    assert 1 == line.call.stops


def test_sound_is_cleared_and_clearing_silence_is_no_mistake(line: Line) -> None:
    """Stock programs send it behind every response.cancel."""
    assert [] == line.send("output_audio_buffer.clear")
    speaking(line)
    assert [] == line.send("output_audio_buffer.clear")

    assert 1 == line.call.stops


def test_a_barge_in_after_a_cancelled_response_is_the_caller_s(line: Line) -> None:
    speaking(line)
    line.send("response.cancel")
    heard(line, 100)
    second = Take(2, 0)
    line.tell(ReplyReleased(second))
    told = line.tell(ReplyEnded(second, Words(""), cut=True, samples=0))

    assert "turn_detected" == told[-1]["response"]["status_details"]["reason"]


class TestTruncation:
    """`audio_end_ms` is held against what was played."""

    @staticmethod
    def ask(line: Line, ms: object, item: str = "item_agent_1_0") -> list[dict[str, Any]]:
        kind = "conversation.item.truncate"
        return line.send(kind, item_id=item, content_index=0, audio_end_ms=ms)

    def test_it_is_where_the_caller_stopped_hearing(self, line: Line) -> None:
        speaking(line)
        heard(line, 700)
        [told] = self.ask(line, 300)

        assert ("conversation.item.truncated", 700) == (told["type"], told["audio_end_ms"])

    def test_more_than_was_played_is_refused(self, line: Line) -> None:
        speaking(line)
        heard(line, 700)

        assert [("invalid_value", "audio_end_ms")] == errors(self.ask(line, 701))

    def test_what_is_still_spoken_has_no_end(self, line: Line) -> None:
        speaking(line)

        assert [("unsupported_value", "item_id")] == errors(self.ask(line, 1))

    def test_an_unknown_item_is_told(self, line: Line) -> None:
        assert [("item_not_found", "item_id")] == errors(self.ask(line, 1))

    @pytest.mark.parametrize("ms", [None, "1", 1.5, True])
    def test_it_is_a_number_of_whole_ms(self, line: Line, ms: object) -> None:
        assert [("missing_parameter", "item_id")] == errors(self.ask(line, ms))


def test_a_session_may_be_said_again(line: Line) -> None:
    session = line.begun[0]["session"]
    [told] = line.send("session.update", session=session)

    assert ("session.updated", session) == (told["type"], told["session"])


@pytest.mark.parametrize(
    ("session", "param"),
    [
        ({"instructions": "Be rude."}, "session.instructions"),
        ({"tools": [{"type": "function"}]}, "session.tools"),
        ({"audio": {"output": {"voice": "marin"}}}, "session.audio.output.voice"),
        ({"output_modalities": ["text", "audio"]}, "session.output_modalities"),
        ({"temperature": 0.8}, "session.temperature"),
    ],
)
def test_what_the_agent_s_file_says_is_not_changed_and_the_refusal_names_it(
    line: Line, session: dict[str, Any], param: str
) -> None:
    told = line.send("session.update", session=session)

    assert [("unsupported_value", param)] == errors(told[:-1])
    # stock programs wait for it; it shows what holds
    assert ("session.updated", line.begun[0]["session"]) == (told[-1]["type"], told[-1]["session"])


def test_what_can_be_granted_is_though_the_rest_is_refused(line: Line) -> None:
    wish = {"instructions": "Be rude.", "output_modalities": ["text"], "tools": [{}]}
    told = line.send("session.update", event_id="mine", session=wish)

    assert ["error", "error", "session.updated"] == types(told)
    assert ["mine", "mine"] == [event["error"]["event_id"] for event in told[:-1]]
    assert (["text"], [False, True]) == (
        told[-1]["session"]["output_modalities"],
        line.call.hushed,
    )


def test_a_session_that_came_with_the_offer_is_answered_on_the_channel() -> None:
    """The call begins all the same: stock programs always name a voice."""
    line = Line({"type": "realtime", "model": "gpt-realtime", "audio": {"output": {"voice": "x"}}})

    assert ["session.created", "error"] == types(line.begun)
    assert "session.audio.output.voice" == line.begun[1]["error"]["param"]


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("input_audio_buffer.append", "unsupported_event"),
        ("transcription_session.update", "unsupported_event"),
        ("no.such.event", "unknown_event"),
    ],
)
def test_events_without_a_meaning_here_are_refused(line: Line, kind: str, code: str) -> None:
    [told] = line.send(kind, event_id="mine")

    assert (code, "mine") == (told["error"]["code"], told["error"]["event_id"])


@pytest.mark.parametrize(
    ("item", "param"),
    [
        (None, "item"),
        ({"type": "function_call"}, "item.role"),
        ({"type": "message", "role": "system", "content": []}, "item.role"),
        ({"type": "message", "role": "user", "content": [{"type": "input_image"}]}, "item.content"),
        ({"type": "message", "role": "user", "content": []}, "item.content"),
        ({"type": "message", "role": "user", "content": [], "id": "a b"}, "item.id"),
    ],
)
def test_only_text_of_the_caller_s_is_taken(line: Line, item: object, param: str) -> None:
    assert [param] == [p for _, p in errors(line.send("conversation.item.create", item=item))]


def test_a_novel_is_refused(line: Line) -> None:
    assert [("text_too_long", "item")] == errors(line.write("a" * 4001))
    assert [] == [e for e in line.write("a" * 4000) if e["type"] == "error"]


@pytest.mark.parametrize(
    "response", [{"instructions": "Be rude."}, {"voice": "marin"}, {"tools": []}]
)
def test_a_response_is_the_agent_s_own(line: Line, response: dict[str, Any]) -> None:
    line.write("Hello.")
    [(code, param)] = errors(line.send("response.create", response=response))

    assert ("unsupported_value", f"response.{next(iter(response))}") == (code, param)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "{}", '{"type": 3}', "[" * 100_000])
def test_what_is_no_event_is_told_and_harms_nothing(line: Line, text: str) -> None:
    [(code, _)] = errors(line.raw(text))

    assert code in ("invalid_json", "missing_parameter")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
KINDS = [
    "session.update",
    "conversation.item.create",
    "conversation.item.truncate",
    "response.create",
    "response.cancel",
]
KEYS = st.sampled_from(["session", "item", "item_id", "audio_end_ms", "response", "event_id"])


@settings(max_examples=30)
@given(st.sampled_from(KINDS), st.dictionaries(KEYS, JSON, max_size=4))
def test_no_event_is_answered_by_an_exception(kind: str, rest: dict[str, Any]) -> None:
    line = Line()
    speaking(line)
    line.send(kind, **rest)


def test_an_error_does_not_repeat_what_was_sent(line: Line) -> None:
    """It may be logged by the program; the words are the caller's."""
    content = [{"type": "input_audio", "transcript": "penicillin"}]
    item = {"type": "message", "role": "user", "content": content}

    assert "penicillin" not in str(line.send("conversation.item.create", item=item))


def wanted(line: Line) -> list[dict[str, Any]]:
    take = Take(1, 0)
    line.tell(ReplyReleased(take))
    line.call.waiting = {"call_1"}
    asked = ToolWanted(take, "call_1", "show", Words('{"floor": 3}'))
    return line.tell(asked, ToolsWanted(take, samples=0))


def output(line: Line, call_id: str = "call_1") -> list[dict[str, Any]]:
    item = {"type": "function_call_output", "call_id": call_id, "output": "shown"}
    return line.send("conversation.item.create", item=item)


def test_a_program_is_asked_to_run_its_tool_and_the_response_is_done() -> None:
    """Some programs look for calls in response.done, and answer behind it."""
    events = wanted(Line())

    assert [
        "response.output_item.added",
        "conversation.item.added",
        "conversation.item.done",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_item.done",
        "response.done",
    ] == types(events)
    assert ("show", "call_1", '{"floor": 3}') == tuple(
        events[4][key] for key in ("name", "call_id", "arguments")
    )
    response = events[-1]["response"]
    assert ("completed", ["function_call"]) == (
        response["status"],
        [item["type"] for item in response["output"]],
    )


def test_what_a_tool_returned_is_taken_once_and_the_reply_goes_on_by_itself() -> None:
    """Stock programs ask for a response then: it comes, and the wish is no fault of theirs."""
    line = Line()
    wanted(line)

    assert ["conversation.item.added", "conversation.item.done"] == types(output(line))
    assert [] == line.send("response.create")
    assert ["call_1:shown"] == line.call.outputs
    assert [("item_not_found", "item.call_id")] == errors(output(line))
    told = line.tell(ReplyGrew(Take(1, 0), Words("It is there.")))
    assert "response.created" == told[0]["type"]
    assert "resp_1_0_1" == told[0]["response"]["id"]
    assert [] == line.call.asked


def test_a_response_that_is_asked_for_when_the_reply_has_gone_on_is_one_too_many() -> None:
    line = Line()
    wanted(line)
    output(line)
    line.tell(ReplyGrew(Take(1, 0), Words("It is there.")))

    assert [(ACTIVE, None)] == errors(line.send("response.create"))


def test_an_output_without_a_call_is_refused() -> None:
    assert [("item_not_found", "item.call_id")] == errors(output(Line()))
    item = {"type": "function_call_output", "call_id": "call_1"}
    assert [("missing_parameter", "item")] == errors(
        Line().send("conversation.item.create", item=item)
    )


@pytest.mark.parametrize("text", [r'{"type": "x", "event_id": "\ud800"}', r'{"type": "\uDC00"}'])
def test_half_a_character_is_told_and_the_answer_can_be_sent(line: Line, text: str) -> None:
    """An answer that held it could not be sent, and its program would wait for it in vain."""
    [told] = line.raw(text)

    assert ("invalid_json", None) == (told["error"]["code"], told["error"]["event_id"])
    str(told).encode()


def test_a_whole_character_in_two_halves_is_a_character(line: Line) -> None:
    [told] = line.raw(r'{"type": "no.such", "event_id": "\ud83d\ude0a"}')

    assert "\U0001f60a" == told["error"]["event_id"]

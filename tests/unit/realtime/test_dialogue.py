"""A program that ends turns itself, takes items back, and asks beside the conversation."""

import base64
from typing import Any

import numpy as np
import pytest

from tests.unit.realtime.conftest import AGENT, Line, errors, types
from voiced.audio.pcm import Pcm
from voiced.call.news import (
    ApartEnded,
    ApartGrew,
    CallerDictated,
    CallerHeard,
    ReplyEnded,
    ReplyGrew,
    ReplyReleased,
    ReplyStarted,
    ToolsWanted,
    ToolWanted,
)
from voiced.call.transcript import Who
from voiced.llm.model import Message, Role
from voiced.realtime.client import Client
from voiced.turn.take import Take
from voiced.words import Words

pytestmark = pytest.mark.unit

FIRST = Take(1, 0)


@pytest.fixture
def deciding(line: Line) -> Line:
    """A program that decides when a turn is over."""
    audio = {"input": {"turn_detection": None}}
    [told] = line.send("session.update", session={"audio": audio})
    assert told["session"]["audio"]["input"]["turn_detection"] is None
    return line


def test_the_server_stops_listening_for_the_end_of_a_turn_and_listens_again(deciding: Line) -> None:
    audio = {"input": {"turn_detection": {"type": "semantic_vad", "eagerness": "high"}}}
    deciding.send("session.update", session={"audio": audio})

    first, before, after = deciding.call.paces
    assert (AGENT.turn, None, 800) == (first, before, after and after.endpoint_ceiling_ms)


def test_who_takes_up_a_call_finds_it_as_the_agent_s_file_says(deciding: Line) -> None:
    """A caller who lost the line comes back with another program's end."""
    deciding.send("session.update", session={"output_modalities": ["text"]})
    Client(deciding.client._send, deciding.call)

    assert (AGENT.turn, False) == (deciding.call.paces[-1], deciding.call.hushed[-1])


def test_while_the_server_decides_nothing_is_committed_or_cleared(line: Line) -> None:
    for kind in ("input_audio_buffer.commit", "input_audio_buffer.clear"):
        assert [("unsupported_value", "type")] == errors(line.send(kind))
    assert (0, 0) == (line.call.commits, line.call.clears)


def test_what_is_committed_is_an_item_and_its_words_follow(deciding: Line) -> None:
    told = deciding.send("input_audio_buffer.commit")
    read = deciding.tell(CallerDictated(1, Words("Where do I park?")))

    assert [
        "input_audio_buffer.committed",
        "conversation.item.added",
        "conversation.item.done",
    ] == types(told)
    kind = "conversation.item.input_audio_transcription"
    assert [f"{kind}.delta", f"{kind}.completed"] == types(read)
    assert 1 == len({event["item_id"] for event in [told[0], *read]})
    assert 1.0 == read[1]["usage"]["seconds"]


def test_an_answer_waits_until_the_words_are_known(deciding: Line) -> None:
    """Programs commit and ask at once, as they let go of the button."""
    deciding.send("input_audio_buffer.commit")

    assert [] == deciding.send("response.create")
    assert [] == deciding.call.asked
    deciding.tell(CallerDictated(1, Words("Where do I park?")))
    assert ["Where do I park?"] == deciding.call.asked


def test_what_was_said_and_what_was_written_are_answered_in_their_order(deciding: Line) -> None:
    deciding.send("input_audio_buffer.commit")
    deciding.write("With a bicycle.")
    deciding.send("response.create")
    deciding.tell(CallerDictated(1, Words("Where do I park?")))

    assert ["Where do I park? With a bicycle."] == deciding.call.asked


def test_nothing_that_could_be_understood_is_nothing_to_answer(deciding: Line) -> None:
    deciding.send("input_audio_buffer.commit")
    deciding.send("response.create", event_id="mine")
    told = deciding.tell(CallerDictated(1, Words("")))

    assert ("no_new_input", "mine") == (told[-1]["error"]["code"], told[-1]["error"]["event_id"])
    assert [] == deciding.call.asked


def test_a_recogniser_that_fails_is_told(deciding: Line) -> None:
    deciding.send("input_audio_buffer.commit")
    [told] = deciding.tell(CallerDictated(1, None))

    assert "conversation.item.input_audio_transcription.failed" == told["type"]


def test_too_little_is_not_committed(deciding: Line) -> None:
    deciding.call.spoken_s = 0.05

    assert [("input_audio_buffer_commit_empty", None)] == errors(
        deciding.send("input_audio_buffer.commit")
    )


def test_what_was_said_can_be_thrown_away(deciding: Line) -> None:
    assert ["input_audio_buffer.cleared"] == types(deciding.send("input_audio_buffer.clear"))
    assert 1 == deciding.call.clears


def retrieved(line: Line, item_id: str) -> dict[str, Any]:
    [told] = line.send("conversation.item.retrieve", item_id=item_id)
    item: dict[str, Any] = told["item"]
    return item


def spoken(line: Line, take: Take = FIRST, *, cut: bool = False) -> None:
    line.tell(CallerHeard(take, Words("Hello?")), ReplyGrew(take, Words("Yes.")))
    line.tell(ReplyReleased(take), ReplyStarted(take))
    line.tell(ReplyEnded(take, Words("Ye"), cut=cut, samples=2_400))


def test_items_can_be_looked_at_with_the_words_that_were_heard(line: Line) -> None:
    spoken(line, cut=True)

    assert "Hello?" == retrieved(line, "item_caller_1")["content"][0]["transcript"]
    said = retrieved(line, "item_agent_1_0")
    assert ("incomplete", "Ye") == (said["status"], said["content"][0]["transcript"])


def test_an_unknown_item_is_told(line: Line) -> None:
    for kind in ("conversation.item.retrieve", "conversation.item.delete"):
        assert [("item_not_found", "item_id")] == errors(line.send(kind, item_id="other"))
        assert [("missing_parameter", "item_id")] == errors(line.send(kind))


def test_items_are_taken_out_of_the_conversation(line: Line) -> None:
    spoken(line)
    for item_id in ("item_caller_1", "item_agent_1_0"):
        [told] = line.send("conversation.item.delete", item_id=item_id)
        assert ("conversation.item.deleted", item_id) == (told["type"], told["item_id"])

    assert [(1, Who.CALLER), (1, Who.AGENT)] == line.call.forgotten
    assert [("item_not_found", "item_id")] == errors(
        line.send("conversation.item.delete", item_id="item_agent_1_0")
    )


def test_what_was_written_and_not_asked_about_is_taken_back(line: Line) -> None:
    line.write("Never mind.")
    line.send("conversation.item.delete", item_id="item_written_1")

    assert [("no_new_input", None)] == errors(line.send("response.create"))
    assert [] == line.call.forgotten


def test_what_was_written_and_answered_is_forgotten_with_its_turn(line: Line) -> None:
    line.write("Where do I park?")
    line.send("response.create")
    line.tell(ReplyReleased(FIRST), ReplyEnded(FIRST, Words(""), cut=False, samples=0))
    line.send("conversation.item.delete", item_id="item_written_1")

    assert [(1, Who.WRITER)] == line.call.forgotten


def test_what_is_being_spoken_stays(line: Line) -> None:
    line.tell(ReplyGrew(FIRST, Words("Yes.")), ReplyReleased(FIRST), ReplyStarted(FIRST))

    assert [("unsupported_value", "item_id")] == errors(
        line.send("conversation.item.delete", item_id="item_agent_1_0")
    )


class TestAReplyInTwoParts:
    """A tool stands between them: two responses, one sound."""

    @staticmethod
    def told(line: Line) -> None:
        wanted = ToolWanted(FIRST, "call_1", "show", Words("{}"))
        line.tell(ReplyReleased(FIRST), ReplyGrew(FIRST, Words("One moment.")))
        line.tell(ReplyStarted(FIRST), wanted, ToolsWanted(FIRST, samples=24_000))
        line.tell(ReplyGrew(FIRST, Words("It is there.")))

    def test_each_has_its_own_words(self, line: Line) -> None:
        self.told(line)
        heard = Words("One moment. It is there.")
        line.tell(ReplyEnded(FIRST, heard, cut=False, samples=48_000))

        done = [e["response"] for e in line.events if e["type"] == "response.done"]
        texts = [response["output"][0]["content"][0]["transcript"] for response in done]
        assert ["One moment.", "It is there."] == texts
        assert ["message", "function_call"] == [item["type"] for item in done[0]["output"]]

    def test_a_cut_is_told_for_each_of_which_not_all_was_heard(self, line: Line) -> None:
        self.told(line)
        told = line.tell(ReplyEnded(FIRST, Words("One"), cut=True, samples=12_000))

        cut = [e for e in told if e["type"] == "conversation.item.truncated"]
        assert [("item_agent_1_0", 500), ("item_agent_1_0_1", 0)] == [
            (event["item_id"], event["audio_end_ms"]) for event in cut
        ]
        assert 1 == types(told).count("response.done")

    def test_a_cut_in_the_second_leaves_the_first_whole(self, line: Line) -> None:
        self.told(line)
        told = line.tell(ReplyEnded(FIRST, Words("One moment. It"), cut=True, samples=36_000))

        [cut] = [e for e in told if e["type"] == "conversation.item.truncated"]
        assert ("item_agent_1_0_1", 500) == (cut["item_id"], cut["audio_end_ms"])

    def test_one_that_is_cut_while_the_tool_works_is_not_done_again(self, line: Line) -> None:
        wanted = ToolWanted(FIRST, "call_1", "show", Words("{}"))
        line.tell(ReplyReleased(FIRST), ReplyGrew(FIRST, Words("One moment.")))
        line.tell(ReplyStarted(FIRST), wanted, ToolsWanted(FIRST, samples=24_000))
        assert [] == line.send("output_audio_buffer.clear")
        assert 1 == line.call.stops
        told = line.tell(ReplyEnded(FIRST, Words("One"), cut=True, samples=12_000))

        assert ["output_audio_buffer.cleared", "conversation.item.truncated"] == types(told)


def test_words_alone_are_told_as_text(line: Line) -> None:
    told = line.tell(
        ReplyReleased(FIRST, silent=True),
        ReplyGrew(FIRST, Words("Yes.")),
        ReplyEnded(FIRST, Words("Yes."), cut=False, samples=0),
    )

    assert [
        "response.created",
        "response.output_item.added",
        "conversation.item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "conversation.item.done",
        "response.done",
    ] == types(told)
    response = told[-1]["response"]
    assert (["text"], "Yes.") == (
        response["output_modalities"],
        response["output"][0]["content"][0]["text"],
    )


def test_one_answer_can_be_asked_for_in_words_alone(line: Line) -> None:
    line.write("Where do I park?")
    line.send("response.create", response={"output_modalities": ["text"]})
    line.write("And my bicycle?")
    line.tell(ReplyReleased(FIRST, silent=True), ReplyEnded(FIRST, Words(""), False, 0))
    line.send("response.create")

    assert [True, False] == line.call.silent


class TestApart:
    """A response beside the conversation."""

    WISH = {"conversation": "none", "output_modalities": ["text"]}  # noqa: RUF012 - not changed

    def ask(self, line: Line, **more: object) -> list[dict[str, Any]]:
        return line.send("response.create", response={**self.WISH, **more})

    def test_it_is_asked_about_the_conversation_and_answered_to_the_program(
        self, line: Line
    ) -> None:
        line.call.said = [Message(Role.ASSISTANT, Words("Hi.")), Message(Role.USER, Words("Oh!"))]
        told = self.ask(line, metadata={"topic": "mood"}, max_output_tokens=5)
        told += line.tell(ApartGrew(1, Words("Sur")), ApartGrew(1, Words("prised")))
        told += line.tell(ApartEnded(1, "completed"))

        assert ("response.created", "response.done") == (told[0]["type"], told[-1]["type"])
        response = told[-1]["response"]
        assert (None, {"topic": "mood"}) == (response["conversation_id"], response["metadata"])
        assert "Surprised" == response["output"][0]["content"][0]["text"]
        assert not any(kind.startswith("conversation.") for kind in types(told))
        [question] = line.call.questions
        assert (2, 5, None) == (len(question.messages), question.tokens, question.instructions)

    def test_it_may_bring_what_it_is_about_and_name_items(self, line: Line) -> None:
        line.tell(CallerHeard(FIRST, Words("Hello?")))
        content = [{"type": "input_text", "text": "Polite?"}]
        message = {"type": "message", "role": "user", "content": content}
        item = {"type": "item_reference", "id": "item_caller_1"}
        self.ask(line, input=[item, message], instructions="Judge.")

        [question] = line.call.questions
        assert ["Hello? Polite?"] == [one.text.reveal() for one in question.messages]
        assert "Judge." == question.instructions.reveal() if question.instructions else None

    def test_the_conversation_goes_on_meanwhile(self, line: Line) -> None:
        line.tell(ReplyGrew(FIRST, Words("Yes.")), ReplyReleased(FIRST), ReplyStarted(FIRST))
        line.call.said = [Message(Role.USER, Words("Oh!"))]

        assert "response.created" == self.ask(line)[0]["type"]
        assert 0 == line.call.stops

    def test_it_can_be_cancelled_by_its_name(self, line: Line) -> None:
        line.call.said = [Message(Role.USER, Words("Oh!"))]
        self.ask(line)

        assert [] == line.send("response.cancel", response_id="resp_apart_1")
        assert ([1], 0) == (line.call.cancelled, line.call.stops)
        told = line.tell(ApartEnded(1, "cancelled"))
        assert "cancelled" == told[-1]["response"]["status"]

    def test_without_room_it_is_refused(self, line: Line) -> None:
        line.call.said = [Message(Role.USER, Words("Oh!"))]
        self.ask(line)

        assert [("no_room", None)] == errors(self.ask(line))

    @pytest.mark.parametrize(
        ("more", "param"),
        [
            ({"output_modalities": ["audio"]}, "output_modalities"),
            ({"voice": "marin"}, "voice"),
            ({"tools": [{"type": "function"}]}, "tools"),
            ({"instructions": ""}, "instructions"),
            ({"instructions": 3}, "instructions"),
            ({"input": []}, "input"),
            ({"input": [{"role": "system", "content": []}]}, "input"),
            ({"input": [{"role": "user", "content": []}]}, "input"),
            ({"input": "Hello"}, "input"),
            ({"max_output_tokens": 0}, "max_output_tokens"),
            ({"metadata": {"a": 1}}, "metadata"),
        ],
    )
    def test_what_it_cannot_be_is_refused_by_name(
        self, line: Line, more: dict[str, Any], param: str
    ) -> None:
        line.call.said = [Message(Role.USER, Words("Oh!"))]

        assert [("unsupported_value", f"response.{param}")] == errors(self.ask(line, **more))


class Appended:
    """Where sound goes that comes in events."""

    def __init__(self) -> None:
        self.at_once = False
        self.samples = 0
        self.flushed = 0

    def append(self, pcm: Pcm) -> None:
        self.samples += len(pcm)

    def flush(self) -> None:
        self.flushed += 1


class TestSoundInEvents:
    """Over a WebSocket."""

    @staticmethod
    def line() -> tuple[Line, Appended]:
        line, sound = Line(), Appended()
        line.client = Client(line.client._send, line.call, sound=sound)
        return line, sound

    def test_it_is_taken(self) -> None:
        line, sound = self.line()
        audio = base64.b64encode(np.zeros(240, "<i2").tobytes()).decode()

        assert [] == line.send("input_audio_buffer.append", audio=audio)
        assert 240 == sound.samples

    def test_a_recording_may_come_at_once_while_the_program_decides(self) -> None:
        line, sound = self.line()
        audio = {"input": {"turn_detection": None}}
        line.send("session.update", session={"audio": audio})
        assert sound.at_once
        line.send("input_audio_buffer.commit")

        assert (1, 1) == (sound.flushed, line.call.commits)

    def test_who_stops_playing_an_item_has_it_cancelled_and_is_told_where(self) -> None:
        """The program knows that it stopped; what was sent is known here."""
        line, _ = self.line()
        line.tell(ReplyGrew(FIRST, Words("Yes.")), ReplyReleased(FIRST), ReplyStarted(FIRST))
        place = {"item_id": "item_agent_1_0", "content_index": 0}

        assert [] == line.send("conversation.item.truncate", **place, audio_end_ms=300)
        assert 1 == line.call.stops
        told = line.tell(ReplyEnded(FIRST, Words("Ye"), cut=True, samples=6_000))
        assert 250 == told[1]["audio_end_ms"]

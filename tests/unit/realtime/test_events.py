"""News as events: each reply told once it is released, and ended exactly once."""

import random
from collections import Counter

import pytest

from tests.unit.realtime.conftest import Line, types
from voiced.call.news import (
    CallerHeard,
    CallerPaused,
    CallerSpoke,
    News,
    ReplyEnded,
    ReplyGrew,
    ReplyReleased,
    ReplyStarted,
    TurnEnded,
)
from voiced.call.stopwatch import Leg
from voiced.turn.take import Take
from voiced.words import NOTHING, Words

pytestmark = pytest.mark.unit

FIRST = Take(1, 0)
CREATED = [
    "response.created",
    "response.output_item.added",
    "conversation.item.added",
    "response.content_part.added",
]
DONE = [
    "response.output_audio.done",
    "response.output_audio_transcript.done",
    "response.content_part.done",
    "response.output_item.done",
    "conversation.item.done",
    "response.done",
]
DELTA = "response.output_audio_transcript.delta"


def released(take: Take = FIRST) -> list[News]:
    return [ReplyGrew(take, Words("Yes.")), ReplyReleased(take), ReplyStarted(take)]


def test_the_session_is_told_before_anything_else(line: Line) -> None:
    [created] = line.begun

    assert "session.created" == created["type"]
    session = created["session"]
    assert ("desk", "joe") == (session["model"], session["audio"]["output"]["voice"])
    assert "front desk" not in str(session)


def test_speech_is_told_where_it_begins_and_ends_in_the_caller_s_audio(line: Line) -> None:
    told = line.tell(CallerSpoke(16_000), CallerPaused(24_000))

    assert [
        ("input_audio_buffer.speech_started", 1000),
        ("input_audio_buffer.speech_stopped", 1500),
    ] == [(e["type"], e.get("audio_start_ms", e.get("audio_end_ms"))) for e in told]


def test_a_turn_of_the_caller_s_becomes_an_item_with_its_words(line: Line) -> None:
    line.tell(CallerSpoke(16_000), CallerPaused(24_000))
    told = line.tell(CallerHeard(FIRST, Words("Hello?")))

    kind = "conversation.item.input_audio_transcription"
    assert [
        "input_audio_buffer.committed",
        "conversation.item.added",
        "conversation.item.done",
        f"{kind}.delta",
        f"{kind}.completed",
    ] == types(told)
    assert ("Hello?", 0.5) == (told[-1]["transcript"], told[-1]["usage"]["seconds"])
    assert 1 == len({event["item_id"] for event in told if "item_id" in event})


def test_the_speech_and_its_item_have_the_same_name(line: Line) -> None:
    started, *_ = line.tell(CallerSpoke(0))
    committed, *_ = line.tell(CallerHeard(FIRST, Words("Hello?")))
    following, *_ = line.tell(CallerSpoke(32_000))

    assert started["item_id"] == committed["item_id"] != following["item_id"]


def test_a_reply_that_is_held_is_not_told(line: Line) -> None:
    """It is made while the caller may still speak on."""
    assert [] == line.tell(ReplyGrew(FIRST, Words("Yes.")), ReplyGrew(FIRST, Words("No.")))


def test_a_reply_that_was_made_in_vain_never_existed(line: Line) -> None:
    line.tell(ReplyGrew(FIRST, Words("Yes.")))

    assert [] == line.tell(ReplyEnded(FIRST, NOTHING, cut=True, samples=0))


def test_released_it_is_told_with_all_that_is_there_and_what_follows(line: Line) -> None:
    told = line.tell(*released(), ReplyGrew(FIRST, Words("Until eight.")))

    assert [*CREATED, DELTA, "output_audio_buffer.started", DELTA] == types(told)
    assert "Yes. Until eight." == "".join(e["delta"] for e in told if e["type"] == DELTA)


def test_a_reply_that_was_heard_to_its_end_is_completed(line: Line) -> None:
    line.tell(*released())
    told = line.tell(ReplyEnded(FIRST, Words("Yes."), cut=False, samples=12_000))

    assert [*DONE, "output_audio_buffer.stopped"] == types(told)
    response = told[-2]["response"]
    assert ("completed", None) == (response["status"], response["status_details"])
    assert "Yes." == response["output"][0]["content"][0]["transcript"]


def test_a_reply_that_was_cut_has_only_what_was_heard(line: Line) -> None:
    line.tell(*released())
    told = line.tell(ReplyEnded(FIRST, Words("Ye"), cut=True, samples=12_000))

    assert ["output_audio_buffer.cleared", "conversation.item.truncated", *DONE] == types(told)
    assert 500 == told[1]["audio_end_ms"]
    response = told[-1]["response"]
    assert "cancelled" == response["status"]
    assert "turn_detected" == response["status_details"]["reason"]
    assert ("Ye", "incomplete") == (
        response["output"][0]["content"][0]["transcript"],
        response["output"][0]["status"],
    )


def test_a_reply_that_was_cut_before_its_first_sound_has_no_sound_to_clear(line: Line) -> None:
    line.tell(ReplyReleased(FIRST))
    told = line.tell(ReplyEnded(FIRST, NOTHING, cut=True, samples=0))

    assert ["response.done"] == types(told)


def test_a_sound_before_the_first_words_belongs_to_their_message(line: Line) -> None:
    """A language model that takes long is bridged by a sound that is no word."""
    told = line.tell(ReplyReleased(FIRST), ReplyStarted(FIRST), ReplyGrew(FIRST, Words("Yes.")))

    assert [*CREATED, "output_audio_buffer.started", DELTA] == types(told)
    told = line.tell(ReplyEnded(FIRST, Words(""), cut=True, samples=12_000))
    assert "conversation.item.truncated" == told[1]["type"]


def test_a_fixed_line_behind_a_reply_belongs_to_it(line: Line) -> None:
    line.tell(*released())
    told = line.tell(ReplyReleased(FIRST), ReplyGrew(FIRST, Words("Sorry?")))

    assert [(DELTA, " Sorry?")] == [(event["type"], event["delta"]) for event in told]


def test_items_are_a_chain(line: Line) -> None:
    told = line.tell(CallerHeard(FIRST, Words("Hello?")), *released())
    told += line.tell(ReplyEnded(FIRST, Words("Yes."), cut=False, samples=1))
    told += line.tell(CallerHeard(Take(2, 0), Words("And?")))

    added = [event for event in told if event["type"] == "conversation.item.added"]
    ids = [event["item"]["id"] for event in added]
    assert [None, *ids[:-1]] == [event["previous_item_id"] for event in added]


def test_the_ledger_of_a_turn_has_its_legs_and_the_budget(line: Line) -> None:
    legs = {"stt": Leg(12.34, 200.0)}
    [told] = line.tell(TurnEnded(1, Words("Hello?"), Words("Yes."), legs, "en"))

    assert {"stt": {"waited_ms": 12.3, "spent_ms": 200.0}} == told["legs"]
    assert ("Hello?", "Yes.", 80) == (told["heard"], told["reply"], told["budget"]["stt"])


@pytest.mark.parametrize("seed", range(50))
def test_whatever_happens_each_reply_is_created_and_done_once(seed: int) -> None:
    """And no event of a reply comes before the first or after the last of these."""
    chance, line = random.Random(seed), Line()
    for turn in range(1, 12):
        take = Take(turn, chance.randrange(3))
        news: list[News] = [ReplyGrew(take, Words("a"))] * chance.randrange(3)
        if chance.random() < 0.8:
            news += [ReplyReleased(take)] * chance.choice([1, 2])
            news += [ReplyStarted(take)] * chance.randrange(2)
            news += [ReplyGrew(take, Words("b"))] * chance.randrange(3)
        ended = ReplyEnded(take, Words("a"), cut=chance.random() < 0.5, samples=turn)
        line.tell(*news, *[ended] * chance.choice([1, 2]))

    seen: dict[str, list[str]] = {}
    for event in line.events[1:]:
        key = event.get("response_id") or event.get("response", {}).get("id")
        if key is not None:
            seen.setdefault(key, []).append(event["type"])
    assert seen
    for kinds in seen.values():
        counted = Counter(kinds)
        assert (1, 1) == (counted["response.created"], counted["response.done"])
        assert "response.created" == kinds[0]
        assert kinds[-1] in ("response.done", "output_audio_buffer.stopped")


def test_events_are_numbered(line: Line) -> None:
    line.tell(*released())
    numbers = [event["event_id"] for event in line.events]

    assert len(numbers) == len(set(numbers))

"""Our events, read by OpenAI's own types: stock programs take what these take."""

from typing import Any

import numpy as np
import pytest
from openai.types.realtime.realtime_server_event import RealtimeServerEvent
from pydantic import TypeAdapter

from tests.unit.realtime.conftest import Line
from voiced.call.news import (
    ApartEnded,
    ApartGrew,
    CallerDictated,
    CallerHeard,
    CallerPaused,
    CallerSpoke,
    ReplyEnded,
    ReplyGrew,
    ReplyReleased,
    ReplyStarted,
    ToolsWanted,
    ToolWanted,
)
from voiced.llm.model import Message, Role
from voiced.turn.take import Take
from voiced.words import Words

pytestmark = pytest.mark.unit

EVENTS: TypeAdapter[Any] = TypeAdapter(RealtimeServerEvent)


def conversation() -> list[dict[str, Any]]:
    """One of everything that we send."""
    line, take = Line({"instructions": "x"}), Take(1, 0)
    line.tell(CallerSpoke(0), CallerPaused(16_000), CallerHeard(take, Words("Hello?")))
    line.tell(ReplyGrew(take, Words("Yes.")), ReplyReleased(take), ReplyStarted(take))
    line.client.sounded(take, np.zeros(480, np.int16))
    line.tell(ReplyEnded(take, Words("Ye"), cut=True, samples=2_400))
    second = Take(2, 0)
    wanted = ToolWanted(second, "call_1", "show", Words("{}"))
    line.tell(ReplyReleased(second), ReplyStarted(second), wanted)
    line.tell(ToolsWanted(second, 2_400), ReplyGrew(second, Words("There.")))
    line.tell(ReplyEnded(second, Words(""), cut=False, samples=0))
    line.send("session.update", session={"output_modalities": ["text"]})
    third = Take(3, 0)
    line.tell(ReplyReleased(third, silent=True), ReplyGrew(third, Words("Yes.")))
    line.tell(ReplyEnded(third, Words("Yes."), cut=False, samples=0))
    audio = {"input": {"turn_detection": None}}
    line.send("session.update", session={"audio": audio})
    line.send("input_audio_buffer.commit")
    line.tell(CallerDictated(1, Words("Hello?")))
    line.send("input_audio_buffer.commit")
    line.tell(CallerDictated(2, None))
    line.send("input_audio_buffer.clear")
    line.send("conversation.item.retrieve", item_id="item_agent_1_0")
    line.send("conversation.item.delete", item_id="item_agent_1_0")
    line.call.said = [Message(Role.USER, Words("Hello?"))]
    line.send("response.create", response={"conversation": "none", "output_modalities": ["text"]})
    line.tell(ApartGrew(1, Words("Polite.")), ApartEnded(1, "completed"))
    line.write("Where do I park?")
    line.send("session.update", session={})
    place = {"item_id": "item_agent_1_0", "content_index": 0}
    line.send("conversation.item.truncate", **place, audio_end_ms=50)
    return line.events


@pytest.mark.parametrize("event", conversation(), ids=lambda event: event["type"])
def test_a_stock_program_understands(event: dict[str, Any]) -> None:
    assert event["type"] == EVENTS.validate_python(event).type

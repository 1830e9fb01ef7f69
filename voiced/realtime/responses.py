"""The agent's replies as the protocol's responses, each created once and done once.

    released   response.created
    words      output_item.added, content_part.added, deltas
    tools      an item for each call; then response.done, and what follows is a response of its own
    ended      the `done` of all that was begun, response.done last

A reply is told only once it is released: what was made in vain does not exist for the program. It
does not know the caller's turns, or where the events are sent.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from voiced.audio.pcm import SPEAKING_HZ
from voiced.call.news import ReplyEnded, ReplyGrew, ReplyReleased, ToolsWanted, ToolWanted
from voiced.turn.take import Take

Event = dict[str, Any]
Added = Callable[[Event], Iterator[Event]]
"""Tells that an item has joined the conversation."""

_ITEMS_KEPT = 64
"""Items whose length is still known when a program asks to truncate one."""


@dataclass(slots=True)
class _Part:
    """One response of a reply: a reply that needs tools has several."""

    response_id: str
    item_id: str
    begin: int = 0
    """Samples of the reply that were made before it."""
    text: str = ""
    """What was told of its words."""
    speaking: bool = False
    """Its message was begun."""
    output: list[Event] = field(default_factory=list)
    """Its items that are done."""
    done: bool = False

    @property
    def place(self) -> Event:
        """Where its words are."""
        return {
            "response_id": self.response_id,
            "item_id": self.item_id,
            "output_index": 0,
            "content_index": 0,
        }


@dataclass(slots=True)
class _Reply:
    """A take's reply, from its first clause to its end."""

    waiting: list[str] = field(default_factory=list)
    """Clauses that are not told yet."""
    parts: list[_Part] = field(default_factory=list)
    released: bool = False
    silent: bool = False
    """It is told as text alone."""
    started: bool = False
    """Its first sound has left."""
    made: int = 0
    """Samples of the parts that are done."""


class Responses:
    """Of one call. Main loop only."""

    def __init__(self, call: str, added: Added) -> None:
        self.played_ms: OrderedDict[str, int] = OrderedDict()
        """By item of the agent's: how much of its sound the caller heard. Ended ones only."""
        self.turns: dict[str, int] = {}
        """By item of the agent's: the turn in which it was said."""
        self.stopping = False
        """The program has asked for silence: the next cut is its doing."""
        self._call = call
        self._added = added
        self._replies: dict[Take, _Reply] = {}

    @property
    def active(self) -> str | None:
        """The response that was created and is not done."""
        parts = [part for reply in self._replies.values() for part in reply.parts if not part.done]
        return parts[-1].response_id if parts else None

    @property
    def sounding(self) -> bool:
        """A reply was released and has not been heard to its end."""
        return any(reply.released for reply in self._replies.values())

    @property
    def going_on(self) -> bool:
        """A reply waits for tools: a response will follow by itself."""
        return self.sounding and self.active is None

    def unended(self, item_id: str) -> bool:
        """The item's reply has not been heard to its end."""
        return any(
            part.item_id == item_id for reply in self._replies.values() for part in reply.parts
        )

    def released(self, news: ReplyReleased) -> Iterator[Event]:
        reply = self._replies.setdefault(news.take, _Reply())
        if reply.released:
            return
        reply.released, reply.silent = True, news.silent
        self.stopping = False
        yield from self._begin(news.take, reply)
        yield from self._words(reply)

    def grew(self, news: ReplyGrew) -> Iterator[Event]:
        reply = self._replies.setdefault(news.take, _Reply())
        reply.waiting.append(news.clause.reveal())
        if reply.released:
            if reply.parts[-1].done:
                yield from self._begin(news.take, reply)
            yield from self._words(reply)

    def started(self, take: Take) -> Iterator[Event]:
        reply = self._replies.get(take)
        if reply is not None and reply.released and not reply.started:
            reply.started = True
            yield from self._sounding(reply)
            response_id = reply.parts[-1].response_id
            yield {"type": "output_audio_buffer.started", "response_id": response_id}

    def sound(self, take: Take, audio: str) -> Iterator[Event]:
        """Sound of a reply, where it goes over the program's own channel."""
        reply = self._replies.get(take)
        if reply is not None and reply.parts:
            yield from self._sounding(reply)
            place = reply.parts[-1].place
            yield {"type": "response.output_audio.delta", **place, "delta": audio}

    def wanted(self, news: ToolWanted) -> Iterator[Event]:
        """A call of a tool that the program has: an item of its own, whole at once."""
        reply = self._replies[news.take]
        if reply.parts[-1].done:
            yield from self._begin(news.take, reply)
        part = reply.parts[-1]
        item = {
            "id": f"item_{news.call_id}",
            "object": "realtime.item",
            "type": "function_call",
            "status": "completed",
            "call_id": news.call_id,
            "name": news.name,
            "arguments": news.arguments.reveal(),
        }
        index = len(part.output) + part.speaking
        within = {"response_id": part.response_id, "output_index": index}
        begun = {**item, "status": "in_progress", "arguments": ""}
        yield {"type": "response.output_item.added", **within, "item": begun}
        yield from self._added(item)
        place = {**within, "item_id": item["id"], "call_id": news.call_id}
        kind = "response.function_call_arguments"
        yield {"type": f"{kind}.delta", **place, "delta": item["arguments"]}
        said = {"name": news.name, "arguments": item["arguments"]}
        yield {"type": f"{kind}.done", **place, **said}
        yield {"type": "response.output_item.done", **within, "item": item}
        part.output.append(item)

    def parted(self, news: ToolsWanted) -> Iterator[Event]:
        """All calls are told: the response is done, though its sound may still be heard."""
        reply = self._replies.get(news.take)
        if reply is None or not reply.parts or reply.parts[-1].done:
            return
        yield from self._finish(reply, reply.parts[-1], reply.parts[-1].text, "completed")
        reply.made = news.samples

    def ended(self, news: ReplyEnded) -> Iterator[Event]:
        """The reply was heard to its end, or was cut."""
        reply = self._replies.pop(news.take, None)
        if reply is None or not reply.released:
            return
        yield from self._cut(reply, news) if news.cut and reply.started else ()
        last = reply.parts[-1]
        self._keep(reply, news)
        if not last.done:
            before = " ".join(part.text for part in reply.parts[:-1])
            text = _behind(before, news.heard.reveal())
            status = "cancelled" if news.cut else "completed"
            yield from self._finish(reply, last, text, status)
        if reply.started and not news.cut:
            stopped = {"response_id": last.response_id}
            yield {"type": "output_audio_buffer.stopped", **stopped}

    def _begin(self, take: Take, reply: _Reply) -> Iterator[Event]:
        name = f"{take.turn}_{take.take}"
        if reply.parts:
            name += f"_{len(reply.parts)}"
        part = _Part(f"resp_{name}", f"item_agent_{name}", reply.made)
        reply.parts.append(part)
        yield {"type": "response.created", "response": self._of(reply, part, "in_progress")}

    def _words(self, reply: _Reply) -> Iterator[Event]:
        """Clauses that may be told; put together, they are the transcript."""
        part = reply.parts[-1]
        for piece in reply.waiting:
            if not part.speaking:
                yield from self._message_begun(reply, part)
            delta = f" {piece}" if part.text else piece
            part.text += delta
            yield {"type": f"{_kind(reply)}.delta", **part.place, "delta": delta}
        reply.waiting.clear()

    def _sounding(self, reply: _Reply) -> Iterator[Event]:
        """Sound belongs to a message, though no words are known yet: somebody breathes in."""
        part = reply.parts[-1]
        if not part.speaking and not part.done:
            yield from self._message_begun(reply, part)

    def _message_begun(self, reply: _Reply, part: _Part) -> Iterator[Event]:
        part.speaking = True
        item = _message(part.item_id, [], "in_progress")
        within = {"response_id": part.response_id, "output_index": 0}
        yield {"type": "response.output_item.added", **within, "item": item}
        yield from self._added(item)
        yield {"type": "response.content_part.added", **part.place, "part": _content(reply, "")}

    def _finish(self, reply: _Reply, part: _Part, text: str, status: str) -> Iterator[Event]:
        """What was begun is done, with the words that count, and the response last of all."""
        part.done = True
        if part.speaking:
            if not reply.silent:
                yield {"type": "response.output_audio.done", **part.place}
            words = {"text": text} if reply.silent else {"transcript": text}
            yield {"type": f"{_kind(reply)}.done", **part.place, **words}
            whole = _content(reply, text)
            yield {"type": "response.content_part.done", **part.place, "part": whole}
            yield from self._message_done(reply, part, text, status)
        yield {"type": "response.done", "response": self._of(reply, part, status)}

    def _message_done(self, reply: _Reply, part: _Part, text: str, status: str) -> Iterator[Event]:
        content = {**_content(reply, text)}
        content["type"] = f"output_{content['type']}"
        whole = "incomplete" if status == "cancelled" else "completed"
        item = _message(part.item_id, [content], whole)
        part.output.insert(0, item)
        within = {"response_id": part.response_id, "output_index": 0}
        yield {"type": "response.output_item.done", **within, "item": item}
        yield {"type": "conversation.item.done", "item": item}

    def _cut(self, reply: _Reply, news: ReplyEnded) -> Iterator[Event]:
        """Where the sound was cut, in each item of which the caller did not hear all."""
        last = reply.parts[-1].response_id
        yield {"type": "output_audio_buffer.cleared", "response_id": last}
        for part, end in self._extents(reply):
            if part.speaking and (end is None or news.samples < end):
                place = {"item_id": part.item_id, "content_index": 0}
                ms = _ms(max(news.samples - part.begin, 0))
                yield {"type": "conversation.item.truncated", **place, "audio_end_ms": ms}

    def _keep(self, reply: _Reply, news: ReplyEnded) -> None:
        for part, end in self._extents(reply):
            until = news.samples if end is None else min(news.samples, end)
            self.played_ms[part.item_id] = _ms(max(until - part.begin, 0))
            self.turns[part.item_id] = news.take.turn
        while len(self.played_ms) > _ITEMS_KEPT:
            item_id, _ = self.played_ms.popitem(last=False)
            del self.turns[item_id]

    def _extents(self, reply: _Reply) -> list[tuple[_Part, int | None]]:
        """The parts, and the sample of the reply at which each ends; None: with the reply."""
        ends = [part.begin for part in reply.parts[1:]]
        return list(zip(reply.parts, [*ends, None], strict=True))

    def _of(self, reply: _Reply, part: _Part, status: str) -> Event:
        reason = "client_cancelled" if self.stopping else "turn_detected"
        details = {"type": "cancelled", "reason": reason} if status == "cancelled" else None
        return {
            "object": "realtime.response",
            "id": part.response_id,
            "conversation_id": f"conv_{self._call}",
            "status": status,
            "status_details": details,
            "output": list(part.output),
            "output_modalities": ["text"] if reply.silent else ["audio"],
            "usage": None,
            "metadata": None,
        }


def _kind(reply: _Reply) -> str:
    return "response.output_text" if reply.silent else "response.output_audio_transcript"


def _content(reply: _Reply, text: str) -> Event:
    if reply.silent:
        return {"type": "text", "text": text}
    return {"type": "audio", "transcript": text}


def _message(item_id: str, content: list[Event], status: str) -> Event:
    return {
        "id": item_id,
        "object": "realtime.item",
        "type": "message",
        "status": status,
        "role": "assistant",
        "content": content,
    }


def _behind(before: str, heard: str) -> str:
    """The words of the last part, of all that was heard of a reply."""
    return heard.removeprefix(before).strip() if heard.startswith(before) else ""


def _ms(samples: int) -> int:
    return samples * 1000 // SPEAKING_HZ

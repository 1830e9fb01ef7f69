"""What a program wishes of a conversation: to write and to be answered, to take back, to be silent.

Items that it creates, or sound that it commits, are a draft until it asks for a response. It does
not know sessions, JSON or the program's channel.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from voiced.call.news import (
    ApartEnded,
    ApartGrew,
    CallerDictated,
    Declined,
    News,
    ReplyReleased,
)
from voiced.errors import Refused
from voiced.realtime import apart, draft, items
from voiced.realtime.conversation import Conversation, Sound
from voiced.realtime.events import Event, Events
from voiced.realtime.refused import WishRefused, error
from voiced.realtime.sound import decoded
from voiced.words import NOTHING, Words

LONGEST_NAME = 64
"""Of what a program may name, and is named back to it."""

_OTHER_RESPONSE: Mapping[str, Any] = {"conversation": "auto", "input": None, "metadata": None}
"""What `response.create` may say again, since it holds already."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """An answer was asked for."""

    event_id: str | None
    silent: bool
    pieces: list[draft.Piece]


Tell = Callable[[list[Event]], None]


class Dialogue:
    """One call's. Main loop only."""

    def __init__(
        self,
        call: Conversation,
        events: Events,
        sound: Sound | None,
        deciding: Callable[[], bool],
        tell: Tell,
    ) -> None:
        """`deciding`: it is the program that says when a turn of the caller's is over."""
        self._call = call
        self._events = events
        self._sound = sound
        self._deciding = deciding
        self._tell = tell
        self._apart = apart.Apart()
        self._draft = draft.Draft()
        self._reading: dict[int, tuple[str, float]] = {}
        """By commit: the item that is being read, and its seconds."""
        self._waiting: tuple[str | None, bool] | None = None
        """An answer is asked for, once all of the draft is read."""
        self._asking: _Asked | None = None
        """An answer was asked for, and has not begun."""
        self._items = 0

    def wishes(self) -> dict[str, Callable[[Event], Iterator[Event]]]:
        """By type of event: does it, and gives the events that answer. They raise WishRefused."""
        wishes = {
            "conversation.item.create": self._write,
            "conversation.item.truncate": self._truncate,
            "conversation.item.retrieve": self._retrieve,
            "conversation.item.delete": self._delete,
            "response.create": self._ask,
            "response.cancel": self._cancel,
            "output_audio_buffer.clear": self._silence,
            "input_audio_buffer.commit": self._commit,
            "input_audio_buffer.clear": self._clear,
        }
        if self._sound is not None:
            wishes["input_audio_buffer.append"] = self._append
        return wishes

    def told(self, news: News) -> None:
        """What became of wishes."""
        match news:
            case Declined():
                self._declined()
            case CallerDictated(number, text):
                self._dictated(number, text)
            case ApartGrew():
                self._tell(list(self._apart.grew(news)))
            case ApartEnded():
                self._tell(list(self._apart.ended(news)))
            case ReplyReleased(take) if self._asking is not None:
                asked, self._asking = self._asking, None
                self._events.wrote([piece.item_id for piece in asked.pieces], take.turn)
            case _:
                pass

    # -- items -----------------------------------------------------------------------------------

    def _write(self, event: Event) -> Iterator[Event]:
        self._items += 1
        own_id = f"item_written_{self._items}"
        if (returned := items.returned(event, own_id)) is not None:
            item, output = returned
            if not self._call.returned(item["call_id"], output):
                message = "no such call waits for its output"
                raise WishRefused("item_not_found", message, "item.call_id")
        else:
            item, text = items.written(event, own_id)
            self._draft.add(item["id"], text)
        yield from self._events.added(item)

    def _truncate(self, event: Event) -> Iterator[Event]:
        responses = self._events.responses
        item_id = event.get("item_id")
        if isinstance(item_id, str) and responses.unended(item_id) and self._sound is not None:
            yield from self._silence(event)  # where it was cut is told when it is known
            return
        item_id, played = items.truncated(event, responses.played_ms, responses.unended)
        place = {"item_id": item_id, "content_index": 0}
        yield {"type": "conversation.item.truncated", **place, "audio_end_ms": played}

    def _retrieve(self, event: Event) -> Iterator[Event]:
        yield {"type": "conversation.item.retrieved", "item": self._item(event)}

    def _delete(self, event: Event) -> Iterator[Event]:
        item_id = str(self._item(event)["id"])
        if self._events.responses.unended(item_id):
            message = "this item is still being spoken: cancel its response"
            raise WishRefused("unsupported_value", message, "item_id")
        if not self._draft.drop(item_id):
            place = self._events.turn_of(item_id)
            if place is None:
                message = "what tools did stays, and what is being answered"
                raise WishRefused("unsupported_value", message, "item_id")
            self._call.program.forget(*place)
        del self._events.items[item_id]
        yield {"type": "conversation.item.deleted", "item_id": item_id}

    def _item(self, event: Event) -> Event:
        item_id = event.get("item_id")
        if not isinstance(item_id, str):
            raise WishRefused("missing_parameter", "send an item_id", "item_id")
        if item_id not in self._events.items:
            raise WishRefused("item_not_found", "there is no such item", "item_id")
        return self._events.items[item_id]

    # -- sound -----------------------------------------------------------------------------------

    def _append(self, event: Event) -> Iterator[Event]:
        if self._sound is not None:
            self._sound.append(decoded(event))
        return iter(())

    def _commit(self, _event: Event) -> Iterator[Event]:
        self._check_deciding()
        if self._sound is not None:
            self._sound.flush()
        begun = self._call.program.commit()
        if begun is None:
            message = "there are less than 100 ms of sound to commit"
            raise WishRefused("input_audio_buffer_commit_empty", message)
        number, seconds = begun
        item_id, events = self._events.committed()
        self._reading[number] = (item_id, seconds)
        self._draft.add(item_id, None)
        return iter(events)

    def _clear(self, _event: Event) -> Iterator[Event]:
        self._check_deciding()
        if self._sound is not None:
            self._sound.flush()
        self._call.program.clear()
        yield {"type": "input_audio_buffer.cleared"}

    def _check_deciding(self) -> None:
        if not self._deciding():
            message = "the server decides when a turn is over: set turn_detection to null"
            raise WishRefused("unsupported_value", message, "type")

    def _dictated(self, number: int, text: Words | None) -> None:
        item_id, seconds = self._reading.pop(number)
        self._tell(list(self._events.read(item_id, text, seconds)))
        self._draft.read(item_id, text if text is not None else NOTHING)
        if self._waiting is not None and not self._draft.unread:
            (event_id, silent), self._waiting = self._waiting, None
            try:
                self._ask_now(event_id, silent)
            except WishRefused as refused:
                self._tell([error(refused, event_id)])

    # -- responses -------------------------------------------------------------------------------

    def _ask(self, event: Event) -> Iterator[Event]:
        response = event.get("response") or {}
        if not isinstance(response, dict):
            raise WishRefused("invalid_value", "a response is an object", "response")
        if response.get("conversation") == "none":
            yield from self._ask_apart(response)
            return
        silent = _silent(response)
        if self._events.responses.going_on and not self._draft:
            return  # the reply goes on by itself, with what was returned
        if self._waiting is not None:
            raise _taken()
        event_id = name(event.get("event_id"))
        if self._draft.unread:
            self._waiting = event_id, silent
        else:
            self._ask_now(event_id, silent)

    def _ask_now(self, event_id: str | None, silent: bool) -> None:
        if self._events.responses.sounding or self._asking is not None:
            raise _taken()
        if not self._draft:
            raise WishRefused("no_new_input", "there is nothing to answer: create an item first")
        self._asking = _Asked(event_id, silent, self._draft.take())
        self._call.ask(draft.words(self._asking.pieces), silent=silent)

    def _ask_apart(self, response: Event) -> Iterator[Event]:
        metadata = apart.metadata(response)
        question = apart.question(response, self._call.history(), self._events.items.get)
        try:
            number = self._call.program.ask_apart(question)
        except Refused as refused:
            raise WishRefused("no_room", str(refused)) from None
        yield from self._apart.begin(number, metadata)

    def _cancel(self, event: Event) -> Iterator[Event]:
        active, wanted = self._events.responses.active, event.get("response_id")
        if (number := self._apart.number(wanted)) is not None:
            self._call.program.cancel_apart(number)
        elif active is None or wanted not in (None, active):
            raise WishRefused("response_cancel_not_active", "no such response is under way")
        else:
            return self._silence(event)
        return iter(())

    def _silence(self, _event: Event) -> Iterator[Event]:
        if self._events.responses.sounding:
            self._events.responses.stopping = True
            self._call.stop()
        return iter(())

    def _declined(self) -> None:
        if self._asking is not None:
            asked, self._asking = self._asking, None
            self._draft.put_back(asked.pieces)
            self._tell([error(_taken(), asked.event_id)])


def _silent(response: Event) -> bool:
    """Whether an answer is to be words alone. Raises WishRefused for what else is asked of it."""
    for key, value in response.items():
        if key == "output_modalities" and value in (["audio"], ["text"]):
            continue
        if key not in _OTHER_RESPONSE or value != _OTHER_RESPONSE[key]:
            param = f"response.{key[:LONGEST_NAME]}"
            raise WishRefused("unsupported_value", "a response is the agent's own", param)
    return bool(response.get("output_modalities") == ["text"])


def name(value: object) -> str | None:
    return value[:LONGEST_NAME] if isinstance(value, str) else None


def _taken() -> WishRefused:
    code = "conversation_already_has_active_response"
    return WishRefused(code, "somebody has the floor: ask again when the response is done")

"""A caller's program on the data channel: told in OpenAI Realtime's events, heard in the same.

What it sends is a wish: granted, or refused with an `error` event that names it; never passed over
in silence. docs/realtime.md has the table. It does not know sockets, or whose turn it is: the call
does.
"""

import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from voiced.audio.pcm import Pcm
from voiced.call.news import Declined, News, ReplyReleased
from voiced.call.parts import Casting
from voiced.realtime import items, session
from voiced.realtime.events import Event, Events
from voiced.realtime.refused import WishRefused
from voiced.realtime.sound import decoded, encoded
from voiced.turn.take import Take
from voiced.words import Words, joined

_ELSEWHERE = frozenset(
    {
        "input_audio_buffer.append",
        "input_audio_buffer.commit",
        "input_audio_buffer.clear",
        "conversation.item.retrieve",
        "conversation.item.delete",
        "transcription_session.update",
    }
)
"""Events of the protocol that have no meaning here."""

_LONGEST_NAME = 64
_HALVES = re.compile(r"\\u[dD][89a-fA-F]")
"""Half a character in JSON; it may lack its other half, and then no answer can hold it."""

_OTHER_RESPONSE = {"output_modalities": ["audio"], "conversation": "auto", "input": None}
"""What `response.create` may say again, since it holds already."""


class Conversation(Protocol):
    """The call, as its caller's program may use it."""

    @property
    def name(self) -> str: ...

    @property
    def casting(self) -> Casting: ...

    def ask(self, text: Words) -> None: ...

    def stop(self) -> None: ...

    def returned(self, call_id: str, output: Words) -> bool: ...


class Sound(Protocol):
    """What the caller is heard saying, where it comes in events."""

    def append(self, pcm: Pcm) -> None: ...


class Client:
    """One call's. Main loop only."""

    def __init__(
        self,
        send: Callable[[str], None],
        call: Conversation,
        asked: Mapping[str, Any] | None = None,
        sound: Sound | None = None,
    ) -> None:
        """Tells that the session is there; `asked`: the session that came with the offer.

        `sound`: where sound goes that comes in events; none: it has a line of its own.
        """
        self._send = send
        self._call = call
        self._sound = sound
        self._numbers = itertools.count(1)
        self._events = Events(call.name, call.casting.agent.budget)
        self._session = session.present(call.casting, call.name)
        self._written: list[Words] = []
        """What was written and not asked about yet."""
        self._asking: tuple[list[Words], str | None] | None = None
        """What an answer was asked for, and by which event."""
        self._items = 0
        self._returned = False
        """What a tool returned was taken, and no answer asked for since."""
        self._tell({"type": "session.created", "session": self._session})
        for one in session.refusals(asked or {}, self._session):
            self._refuse(WishRefused("unsupported_value", one.message, one.param), None)

    def told(self, news: News) -> None:
        """Tells the program what has happened."""
        match news:
            case Declined():
                self._declined()
            case ReplyReleased():
                self._asking = None
            case _:
                pass
        self._tell(*self._events.of(news))

    def sounded(self, take: Take, pcm: Pcm) -> None:
        """Tells the program what the caller is to hear next."""
        self._tell(self._events.sound(take, encoded(pcm)))

    def received(self, message: Words) -> None:
        """Does what the program asks for, or refuses it. Never raises."""
        event_id: str | None = None
        try:
            event = _parsed(message)
            event_id = _name(event.get("event_id"))
            self._tell(*self._obey(event))
        except WishRefused as refused:
            self._refuse(refused, event_id)

    def _obey(self, event: Event) -> Iterator[Event]:
        match event["type"]:
            case "session.update":
                yield self._update(event)
            case "conversation.item.create":
                yield from self._write(event)
            case "conversation.item.truncate":
                yield self._truncate(event)
            case "response.create":
                self._ask(event)
            case "response.cancel":
                self._cancel(event)
            case "output_audio_buffer.clear":
                self._silence()
            case "input_audio_buffer.append" if self._sound is not None:
                self._sound.append(decoded(event))
            case kind if kind in _ELSEWHERE:
                raise WishRefused("unsupported_event", "this event has no meaning here", "type")
            case _:
                raise WishRefused("unknown_event", "there is no such event", "type")

    def _update(self, event: Event) -> Event:
        asked = event.get("session")
        if not isinstance(asked, dict):
            raise WishRefused("missing_parameter", "send a session object", "session")
        for one in session.refusals(asked, self._session):
            raise WishRefused("unsupported_value", one.message, one.param)
        return {"type": "session.updated", "session": self._session}

    def _write(self, event: Event) -> Iterator[Event]:
        self._items += 1
        if (output := items.returned(event, f"item_written_{self._items}")) is not None:
            yield from self._return(*output)
            return
        item, text = items.written(event, f"item_written_{self._items}")
        self._written.append(text)
        if sum(len(words) for words in self._written) > items.LONGEST:
            self._written.pop()
            raise WishRefused("text_too_long", "that is too much to be answered at once", "item")
        yield from self._events.added(item)

    def _return(self, item: Event, output: Words) -> Iterator[Event]:
        if not self._call.returned(item["call_id"], output):
            raise WishRefused("item_not_found", "no such call waits for its output", "item.call_id")
        self._returned = True
        yield from self._events.added(item)

    def _truncate(self, event: Event) -> Event:
        item_id, played = items.truncated(event, self._events.played_ms, self._events.active)
        place = {"item_id": item_id, "content_index": 0}
        return {"type": "conversation.item.truncated", **place, "audio_end_ms": played}

    def _ask(self, event: Event) -> None:
        response = event.get("response") or {}
        if not isinstance(response, dict):
            raise WishRefused("invalid_value", "a response is an object", "response")
        for key, value in response.items():
            if key not in _OTHER_RESPONSE or value != _OTHER_RESPONSE[key]:
                param = f"response.{key[:_LONGEST_NAME]}"
                raise WishRefused("unsupported_value", "a response is the agent's own", param)
        if self._returned and not self._written:
            self._returned = False  # the reply goes on by itself, with what was returned
            return
        if self._events.active is not None or self._asking is not None:
            raise _taken()
        if not self._written:
            raise WishRefused("no_new_input", "there is no text to answer: create an item first")
        self._asking = self._written, _name(event.get("event_id"))
        self._written = []
        self._call.ask(joined(self._asking[0]))

    def _cancel(self, event: Event) -> None:
        active = self._events.active
        wanted = event.get("response_id")
        if active is None or wanted not in (None, active.replace("item_agent", "resp")):
            raise WishRefused("response_cancel_not_active", "no such response is under way")
        self._silence()

    def _silence(self) -> None:
        if self._events.active is not None:
            self._events.stopping = True
            self._call.stop()

    def _declined(self) -> None:
        if self._asking is not None:
            written, event_id = self._asking
            self._written, self._asking = [*written, *self._written], None
            self._refuse(_taken(), event_id)

    def _refuse(self, refused: WishRefused, event_id: str | None) -> None:
        self._tell({"type": "error", "error": refused.json(event_id)})

    def _tell(self, *events: Event) -> None:
        for event in events:
            whole = {"event_id": f"event_{next(self._numbers)}", **event}
            self._send(json.dumps(whole, ensure_ascii=False))


def _parsed(message: Words) -> Event:
    text = message.reveal()
    try:
        event = json.loads(text)
        if _HALVES.search(text):
            json.dumps(event, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise WishRefused("invalid_json", "this message is not JSON, or no Unicode") from None
    if not isinstance(event, dict) or not isinstance(event.get("type"), str):
        raise WishRefused("missing_parameter", "an event has a type", "type")
    return event


def _name(value: object) -> str | None:
    return value[:_LONGEST_NAME] if isinstance(value, str) else None


def _taken() -> WishRefused:
    code = "conversation_already_has_active_response"
    return WishRefused(code, "somebody has the floor: ask again when the response is done")

"""A caller's program on the data channel: told in OpenAI Realtime's events, heard in the same.

What it sends is a wish: granted, or refused with an `error` event that names it; never passed over
in silence. docs/realtime.md has the table. It does not know sockets, or whose turn it is: the call
does.
"""

import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from voiced.audio.pcm import Pcm
from voiced.call.news import News
from voiced.realtime import session
from voiced.realtime.conversation import Conversation, Sound
from voiced.realtime.dialogue import Dialogue, name
from voiced.realtime.events import Event, Events
from voiced.realtime.refused import WishRefused, error
from voiced.realtime.sound import encoded
from voiced.turn.take import Take
from voiced.words import Words

_ELSEWHERE = frozenset({"transcription_session.update", "input_audio_buffer.append"})
"""Events of the protocol that have no meaning here."""

_HALVES = re.compile(r"\\u[dD][89a-fA-F]")
"""Half a character in JSON; it may lack its other half, and then no answer can hold it."""


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
        self._line = session.Line.EVENTS if sound is not None else session.Line.OWN
        self._numbers = itertools.count(1)
        self._events = Events(call.name, call.casting.agent.budget)
        self._dialogue = Dialogue(call, self._events, sound, self._deciding, self._tell_all)
        self._wishes = {"session.update": self._update, **self._dialogue.wishes()}
        self._session = session.present(call.casting, call.name)
        self._apply()  # whoever had the channel before may have left it otherwise
        refusals = self._adopt(asked or {})
        self._tell({"type": "session.created", "session": self._session})
        self._tell(*(error(one, None) for one in refusals))

    def told(self, news: News) -> None:
        """Tells the program what has happened."""
        self._dialogue.told(news)
        self._tell(*self._events.of(news))

    def sounded(self, take: Take, pcm: Pcm) -> None:
        """Tells the program what the caller is to hear next."""
        self._tell(*self._events.responses.sound(take, encoded(pcm)))

    def received(self, message: Words) -> None:
        """Does what the program asks for, or refuses it. Never raises."""
        event_id: str | None = None
        try:
            event = _parsed(message)
            event_id = name(event.get("event_id"))
            self._tell(*self._obey(event))
        except WishRefused as refused:
            self._tell(error(refused, event_id))

    def _obey(self, event: Event) -> Iterator[Event]:
        wish = self._wishes.get(event["type"])
        if wish is not None:
            return wish(event)
        if event["type"] in _ELSEWHERE:
            raise WishRefused("unsupported_event", "this event has no meaning here", "type")
        raise WishRefused("unknown_event", "there is no such event", "type")

    # -- the session -----------------------------------------------------------------------------

    def _update(self, event: Event) -> Iterator[Event]:
        """What can be granted is; each of the rest is refused; and then what holds is told."""
        asked = event.get("session")
        if not isinstance(asked, dict):
            raise WishRefused("missing_parameter", "send a session object", "session")
        for refused in self._adopt(asked):
            yield error(refused, name(event.get("event_id")))
        yield {"type": "session.updated", "session": self._session}

    def _adopt(self, asked: Mapping[str, Any]) -> list[WishRefused]:
        before = self._session
        self._session, refusals = session.changed(asked, before, self._line)
        if self._session != before:
            self._apply()
        return [WishRefused("unsupported_value", one.message, one.param) for one in refusals]

    def _apply(self) -> None:
        detection = session.detection(self._session)
        self._call.program.listen(session.patience(detection, self._call.casting.agent.turn))
        self._call.program.hush(self._session["output_modalities"] == ["text"])
        if self._sound is not None:
            self._sound.at_once = detection is None

    def _deciding(self) -> bool:
        return session.detection(self._session) is None

    def _tell_all(self, events: list[Event]) -> None:
        self._tell(*events)

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

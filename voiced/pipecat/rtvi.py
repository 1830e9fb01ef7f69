"""A caller's program that speaks RTVI, pipecat's protocol, on the data channel.

    caller     user-started-speaking, user-stopped-speaking, user-transcription
    agent      bot-llm-text, bot-transcription, bot-started-speaking, bot-stopped-speaking
    tools      llm-function-call, and back llm-function-call-result
    written    send-text

What it asks for is done, or refused by an `error-response` with its id. It does not know sockets,
or whose turn it is: the call does.
"""

import json
from collections.abc import Callable
from typing import Any, Protocol, assert_never

from voiced import clock
from voiced.call.news import (
    ApartEnded,
    ApartGrew,
    CallerDictated,
    CallerHeard,
    CallerPaused,
    CallerSpoke,
    Declined,
    News,
    PersonJoined,
    PersonLeft,
    ReplyEnded,
    ReplyGrew,
    ReplyReleased,
    ReplyStarted,
    ToolsWanted,
    ToolWanted,
    TurnEnded,
)
from voiced.ops.health import VERSION
from voiced.turn.take import Take
from voiced.words import Words

LABEL = "rtvi-ai"
PROTOCOL = "1.0.0"
LONGEST = 4_000
"""Characters that may be written at once."""

_LONGEST_NAME = 64
_HEARTBEATS = ("ping",)
"""Texts of the transport's, which are no messages."""


class Conversation(Protocol):
    """The call, as its caller's program may use it."""

    def ask(self, text: Words, *, silent: bool = False) -> None: ...

    def hang_up(self) -> None: ...

    def returned(self, call_id: str, output: Words) -> bool: ...


class Client:
    """One call's. Main loop only."""

    def __init__(self, send: Callable[[str], None], call: Conversation) -> None:
        self._send = send
        self._call = call
        self._held: dict[Take, list[str]] = {}
        """Clauses of replies that may not be heard yet."""
        self._released: Take | None = None
        self._speaking = False

    def told(self, news: News) -> None:
        """Tells the program what has happened."""
        match news:
            case CallerSpoke():
                self._tell("user-started-speaking")
            case CallerPaused():
                self._tell("user-stopped-speaking")
            case CallerHeard(_, text):
                at = clock.wall().isoformat()
                heard = {"text": text.reveal(), "final": True, "timestamp": at, "user_id": "caller"}
                self._tell("user-transcription", heard)
            case ReplyGrew() | ReplyReleased() | ReplyStarted() | ReplyEnded():
                self._reply(news)
            case ToolWanted():
                asked = {"function_name": news.name, "tool_call_id": news.call_id}
                arguments = json.loads(news.arguments.reveal())
                self._tell("llm-function-call", {**asked, "args": arguments})
            case TurnEnded():
                legs = news.legs.items()
                took = [
                    {"processor": leg, "value": round(ms.spent_ms / 1000, 4)} for leg, ms in legs
                ]
                self._tell("metrics", {"processing": took})
            case PersonJoined() | PersonLeft():
                self._tell("server-message", {"person": isinstance(news, PersonJoined)})
            case Declined():
                busy = {"error": "somebody has the floor: write again", "fatal": False}
                self._tell("error", busy)
            case ToolsWanted() | CallerDictated() | ApartGrew() | ApartEnded():
                pass
            case _:
                assert_never(news)

    def received(self, message: Words) -> None:
        """Does what the program asks for, or refuses it. Never raises."""
        if message.reveal().startswith(_HEARTBEATS):
            return
        try:
            asked = json.loads(message.reveal())
            json.dumps(asked, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            return self._refuse(None, "this message is no JSON")
        if not isinstance(asked, dict) or asked.get("label") != LABEL:
            return None  # the transport's own, as of a track that was muted
        number = asked.get("id")
        number = number[:_LONGEST_NAME] if isinstance(number, str) else None
        data = asked.get("data")
        why = self._obey(asked.get("type"), data if isinstance(data, dict) else {}, number)
        if why is not None:
            self._refuse(number, why)
        return None

    def _obey(self, kind: object, data: dict[str, Any], number: str | None) -> str | None:
        """Why not; None where it is done."""
        match kind:
            case "client-ready":
                ready = {"version": PROTOCOL, "about": {"library": "voiced", "version": VERSION}}
                self._tell("bot-ready", ready, number)
            case "send-text":
                return self._write(data)
            case "llm-function-call-result":
                output = Words(json.dumps(data.get("result"), ensure_ascii=False))
                if not self._call.returned(str(data.get("tool_call_id")), output):
                    return "no such call waits for its result"
            case "disconnect-bot":
                self._call.hang_up()
            case _:
                return "this message has no meaning here"
        return None

    def _write(self, data: dict[str, Any]) -> str | None:
        text, options = data.get("content"), data.get("options")
        options = options if isinstance(options, dict) else {}
        if not isinstance(text, str) or not 0 < len(text.strip()) <= LONGEST:
            return f"content is text of {LONGEST} characters at most"
        if options.get("run_immediately", True) is not True:
            return "what is written is answered at once, or when it is written again"
        self._call.ask(Words(text.strip()), silent=options.get("audio_response", True) is False)
        return None

    def _reply(self, news: ReplyGrew | ReplyReleased | ReplyStarted | ReplyEnded) -> None:
        match news:
            case ReplyGrew(take, clause):
                self._held.setdefault(take, []).append(clause.reveal())
                self._words(take)
            case ReplyReleased(take):
                self._released = take
                self._words(take)
            case ReplyStarted():
                self._speaking = True
                self._tell("bot-started-speaking")
            case ReplyEnded(take):
                self._held.pop(take, None)
                if self._speaking:
                    self._speaking = False
                    self._tell("bot-stopped-speaking")

    def _words(self, take: Take) -> None:
        """Clauses that may be told."""
        if take != self._released:
            return
        for clause in self._held.pop(take, []):
            self._tell("bot-llm-text", {"text": f"{clause} "})
            self._tell("bot-transcription", {"text": clause})

    def _refuse(self, number: str | None, why: str) -> None:
        self._tell("error-response", {"error": why}, number)

    def _tell(
        self, kind: str, data: dict[str, Any] | None = None, number: str | None = None
    ) -> None:
        message = {"id": number or "", "label": LABEL, "type": kind, "data": data or {}}
        self._send(json.dumps(message, ensure_ascii=False))

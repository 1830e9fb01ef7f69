"""Responses outside the conversation: what a program may ask for, and the events that answer. Pure.

They are text, for the program alone. It does not know who answers.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from voiced.call.apart import Question
from voiced.call.news import ApartEnded, ApartGrew
from voiced.llm.model import Message, Role
from voiced.realtime.items import LONGEST
from voiced.realtime.refused import WishRefused
from voiced.realtime.responses import Event
from voiced.words import Words

_MOST_TOKENS = 1024
_MOST_METADATA = 16
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
_KNOWN = frozenset(
    {
        "conversation",
        "input",
        "instructions",
        "max_output_tokens",
        "metadata",
        "output_modalities",
        "tool_choice",
        "tools",
    }
)

Find = Callable[[str], Event | None]
"""An item of the conversation by its name."""


def question(asked: Mapping[str, Any], history: Sequence[Message], find: Find) -> Question:
    """What a `response.create` with `conversation: "none"` asks. Raises WishRefused."""
    for key in asked:
        if key not in _KNOWN:
            _refuse("a response apart has no such setting", key)
    if asked.get("output_modalities") != ["text"]:
        _refuse('a response apart is text: say output_modalities: ["text"]', "output_modalities")
    if asked.get("tools") or asked.get("tool_choice", "none") not in ("none", "auto"):
        _refuse("a response apart has no tools", "tools")
    instructions = asked.get("instructions")
    if instructions is not None and (
        not isinstance(instructions, str) or not 0 < len(instructions) <= LONGEST
    ):
        _refuse(f"instructions are text of {LONGEST} characters at most", "instructions")
    messages = _messages(asked.get("input"), find) if "input" in asked else list(history)
    wanted = Words(instructions) if instructions is not None else None
    if wanted is not None and (not messages or messages[-1].role is not Role.USER):
        messages.append(Message(Role.USER, wanted))
    if not messages or messages[-1].role is not Role.USER:
        _refuse("there is nothing to answer: the last of input is the user's", "input")
    return Question(tuple(messages), wanted, _tokens(asked.get("max_output_tokens", "inf")))


def metadata(asked: Mapping[str, Any]) -> dict[str, str] | None:
    """What the program wants to find again in the answer. Raises WishRefused."""
    found = asked.get("metadata")
    if found is None:
        return None
    if (
        not isinstance(found, dict)
        or len(found) > _MOST_METADATA
        or not all(isinstance(value, str) and len(value) <= 512 for value in found.values())
    ):
        _refuse(f"metadata is {_MOST_METADATA} texts at most", "metadata")
    return found


def _tokens(asked: object) -> int | None:
    if asked == "inf":
        return None
    if type(asked) is not int or not 1 <= asked <= _MOST_TOKENS:
        _refuse(f"max_output_tokens is from 1 to {_MOST_TOKENS}", "max_output_tokens")
    return asked


def _messages(asked: object, find: Find) -> list[Message]:
    found: list[Message] = []
    for item in asked if isinstance(asked, list) else [None]:
        if isinstance(item, dict) and item.get("type") == "item_reference":
            item = find(str(item.get("id")))
            if item is None:
                raise WishRefused("item_not_found", "there is no such item", "response.input")
        if not isinstance(item, dict) or item.get("role") not in _ROLES:
            _refuse("input is a list of messages of user and assistant", "input")
        text = _text(item.get("content"))
        if found and found[-1].role is _ROLES[item["role"]]:
            text = f"{found.pop().text.reveal()} {text}"
        found.append(Message(_ROLES[item["role"]], Words(text)))
    if sum(len(message.text) for message in found) > LONGEST:
        raise WishRefused("text_too_long", "that is too much to be answered", "response.input")
    return found


def _text(content: object) -> str:
    parts = content if isinstance(content, list) else []
    texts = [part.get("text", part.get("transcript")) for part in parts if isinstance(part, dict)]
    found = " ".join(text for text in texts if isinstance(text, str)).strip()
    if not found:
        _refuse("a message of input has no text", "input")
    return found


def _refuse(message: str, param: str) -> NoReturn:
    raise WishRefused("unsupported_value", message, f"response.{param[:64]}")


@dataclass(slots=True)
class _Answer:
    metadata: dict[str, str] | None
    text: list[str] = field(default_factory=list)


class Apart:
    """The answers of one call as events. Main loop only."""

    def __init__(self) -> None:
        self._answers: dict[int, _Answer] = {}

    def number(self, response_id: object) -> int | None:
        """Which answer is under way by that name."""
        return next((n for n in self._answers if _response(n) == response_id), None)

    def begin(self, number: int, metadata: dict[str, str] | None) -> Iterator[Event]:
        answer = self._answers[number] = _Answer(metadata)
        created = _whole(number, answer, "in_progress", [])
        yield {"type": "response.created", "response": created}
        within = {"response_id": _response(number), "output_index": 0}
        item = _item(number, [], "in_progress")
        yield {"type": "response.output_item.added", **within, "item": item}
        part = {"type": "text", "text": ""}
        yield {"type": "response.content_part.added", **_place(number), "part": part}

    def grew(self, news: ApartGrew) -> Iterator[Event]:
        answer = self._answers[news.number]
        answer.text.append(news.text.reveal())
        delta = {"delta": news.text.reveal()}
        yield {"type": "response.output_text.delta", **_place(news.number), **delta}

    def ended(self, news: ApartEnded) -> Iterator[Event]:
        number = news.number
        answer = self._answers.pop(number)
        text = "".join(answer.text)
        yield {"type": "response.output_text.done", **_place(number), "text": text}
        part = {"type": "text", "text": text}
        yield {"type": "response.content_part.done", **_place(number), "part": part}
        status = "completed" if news.outcome == "completed" else "incomplete"
        item = _item(number, [{"type": "output_text", "text": text}], status)
        within = {"response_id": _response(number), "output_index": 0}
        yield {"type": "response.output_item.done", **within, "item": item}
        whole = _whole(number, answer, news.outcome, [item])
        yield {"type": "response.done", "response": whole}


_DETAILS: dict[str, Event | None] = {
    "cancelled": {"type": "cancelled", "reason": "client_cancelled"},
    "incomplete": {"type": "incomplete", "reason": "max_output_tokens"},
    "failed": {"type": "failed", "error": {"type": "server_error", "code": "model_failed"}},
}


def _whole(number: int, answer: _Answer, status: str, output: list[Event]) -> Event:
    return {
        "object": "realtime.response",
        "id": _response(number),
        "conversation_id": None,
        "status": status,
        "status_details": _DETAILS.get(status),
        "output": output,
        "output_modalities": ["text"],
        "usage": None,
        "metadata": answer.metadata,
    }


def _item(number: int, content: list[Event], status: str) -> Event:
    return {
        "id": f"item_apart_{number}",
        "object": "realtime.item",
        "type": "message",
        "status": status,
        "role": "assistant",
        "content": content,
    }


def _place(number: int) -> Event:
    return {
        "response_id": _response(number),
        "item_id": f"item_apart_{number}",
        "output_index": 0,
        "content_index": 0,
    }


def _response(number: int) -> str:
    return f"resp_apart_{number}"

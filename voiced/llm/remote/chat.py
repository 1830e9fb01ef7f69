"""An OpenAI-compatible chat: a request out, the stream's lines in. Pure.

    data: {"choices": [{"delta": {"content": "You can"}, "finish_reason": null}]}
    data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}
    data: {"choices": [], "usage": {"prompt_tokens": 812, "completion_tokens": 17}}
    data: [DONE]

Such a server writes the prompt itself and may read a control token wherever one is spelled: so what
anybody said goes there without the brackets that all of them have. What the server says about an
error is not kept: it may quote the conversation. It does not know sockets, deadlines or slots.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from voiced.config.agent import Sampling, Tool
from voiced.errors import EngineFailed
from voiced.llm.model import Message, Role
from voiced.llm.prompt import Prompt, exchanges, shortened, written

BYTES_A_TOKEN = 3
"""Of text: fewer than most have, so that what is reckoned to fit does fit."""

_STOPS = 4
"""Strings that such a server takes; the others end the reply here."""

_CALL_BEGINS = "(The call begins.)"
"""Many templates want the caller to speak first, and the greeting is the agent's."""

_PLAIN = str.maketrans({"<": " ", ">": " ", "[": "(", "]": ")", "\uff5c": " "})

_ASKING = (Role.USER, Role.TOOL)
_REFUSALS = {401: "key refused", 403: "key refused", 404: "no such model", 429: "busy"}

Json = dict[str, Any]


class Garbled(Exception):
    """A line that is not one of the protocol's. Its content stays behind."""


@dataclass(frozen=True, slots=True)
class CallPart:
    """A piece of what the reply asks a tool for."""

    number: int
    name: str
    arguments: str
    """Of the JSON, as it streams."""


@dataclass(frozen=True, slots=True)
class Delta:
    """What one line of a stream adds."""

    text: str = ""
    thought: bool = False
    """The model thinks: a token of it came, and nothing to be said."""
    calls: tuple[CallPart, ...] = ()
    ending: str = ""
    """"stop" or "length" with the last of the text."""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    reply_tokens: int = 0
    trouble: bool = False
    """The server has failed, and says so in the stream."""
    done: bool = False
    """Nothing follows."""


def request(
    model: str, messages: list[Json], sampling: Sampling, stop: Sequence[str], tools: Sequence[Tool]
) -> Json:
    """The body of a request for a reply as a stream."""
    body: Json = {
        "messages": messages,
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": sampling.seed,
        "stream": True,
        "stream_options": {"include_usage": True},
        # a caller does not wait until a model has thought; templates without the switch ignore it
        "chat_template_kwargs": {"enable_thinking": False},
    }
    optional = {
        "model": model,
        "min_p": sampling.min_p,
        "stop": list(stop)[:_STOPS],
        "tools": [_function(tool) for tool in tools],
    }
    return body | {key: value for key, value in optional.items() if value}


def conversation(
    system: str, history: Sequence[Message], stamps: Sequence[str], room: int
) -> list[Json]:
    """The messages of a request, at most `room` tokens as reckoned.

    Whole oldest exchanges leave; the system prompt and the caller's last turn stay. Raises
    EngineFailed when there is nothing to answer, or not even those fit.
    """
    begins = exchanges(history)
    if not begins or history[-1].role not in _ASKING or not history[-1].text:
        raise EngineFailed("llm", "nothing to answer")
    for first in (0, *(begin for begin in begins if begin > 0)):
        messages = _messages(written(system.strip(), history, stamps, first=first))
        excess = _tokens(messages) - room
        if excess <= 0:
            return messages
    last = messages[-1]["content"]
    share = 1 - excess * BYTES_A_TOKEN / max(len(last.encode()), 1)
    if share <= 0:
        raise EngineFailed("llm", "prompt does not fit the context")
    messages[-1]["content"] = shortened(last, share * 0.9)
    return messages


def delta(line: bytes) -> Delta | None:
    """One line of a stream; None for those that say nothing. Raises Garbled."""
    if not line.startswith(b"data:"):
        return None  # an empty line, a comment, or the name of an event
    data = line.removeprefix(b"data:").strip()
    if data == b"[DONE]":
        return Delta(done=True)
    try:
        return _delta(json.loads(data))
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        raise Garbled from None


def reason_of(status: int) -> str:
    """An HTTP status as a static reason."""
    return _REFUSALS.get(status, "failed" if status >= 500 else "refused")


def harmless(text: str) -> str:
    """What somebody said, without what any template takes for structure."""
    plain = text.translate(_PLAIN)
    return "".join(one if one.isprintable() or one == "\n" else " " for one in plain).strip()


def _delta(message: Json) -> Delta:
    if "error" in message:
        return Delta(trouble=True)
    usage = message.get("usage") or {}
    details = usage.get("prompt_tokens_details") or {}
    choices = message["choices"]
    first = choices[0] if choices else {}
    added = first.get("delta") or {}
    text = added.get("content") or ""
    if not isinstance(text, str):
        raise Garbled
    return Delta(
        text=text,
        calls=tuple(_call(one) for one in added.get("tool_calls") or ()),
        thought=bool(added.get("reasoning_content") or added.get("reasoning")),
        ending=str(first.get("finish_reason") or ""),
        prompt_tokens=int(usage.get("prompt_tokens") or 0),
        cached_tokens=int(details.get("cached_tokens") or 0),
        reply_tokens=int(usage.get("completion_tokens") or 0),
    )


def call(name: str, arguments: str) -> str:
    """What a reply asks a tool for, as most models write it themselves."""
    return (
        f'<tool_call>{{"name": {json.dumps(name)}, "arguments": {arguments or "{}"}}}</tool_call>'
    )


def _call(part: Json) -> CallPart:
    function = part.get("function") or {}
    name, arguments = function.get("name") or "", function.get("arguments") or ""
    return CallPart(int(part.get("index") or 0), str(name), str(arguments))


def _function(tool: Tool) -> Json:
    told = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": told}


def _messages(prompt: Prompt) -> list[Json]:
    messages: list[Json] = []
    for turn in prompt.turns:
        texts = [prompt.texts[number] for number in turn.contents]
        said = [one.text if one.role is Role.SYSTEM else harmless(one.text) for one in texts]
        # in words, not in the protocol's own form, which needs names that the history has not
        role = Role.USER if turn.role is Role.TOOL else turn.role
        if role is Role.ASSISTANT and all(one["role"] == "system" for one in messages):
            messages.append({"role": "user", "content": _CALL_BEGINS})
        messages.append({"role": role.value, "content": "\n".join(said)})
    return messages


def _tokens(messages: Sequence[Json]) -> int:
    """About how many tokens they are, with some for the structure around each."""
    return sum(8 + len(one["content"].encode()) // BYTES_A_TOKEN for one in messages)

"""Conversation items as a caller's program sends them: text of the caller's, and truncation. Pure.

It does not know what becomes of them.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from voiced.realtime.refused import WishRefused
from voiced.words import Words

LONGEST = 4_000
"""Characters: what a caller may write at once."""

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def written(event: Mapping[str, Any], own_id: str) -> tuple[dict[str, Any], Words]:
    """The item that `conversation.item.create` asks for, and its text. Raises WishRefused."""
    if event.get("previous_item_id") is not None:
        _refuse("items are added at the end", "previous_item_id")
    item = event.get("item")
    if not isinstance(item, dict):
        raise WishRefused("missing_parameter", "send an item", "item")
    if item.get("type") != "message" or item.get("role") != "user":
        _refuse("only messages of the user's are taken", "item.role")
    item_id = item.get("id", own_id)
    if not isinstance(item_id, str) or _ID.fullmatch(item_id) is None:
        _refuse("an id has up to 64 letters, digits, - and _", "item.id")
    text = _text(item.get("content"))
    return {
        "id": item_id,
        "object": "realtime.item",
        "type": "message",
        "status": "completed",
        "role": "user",
        "content": [{"type": "input_text", "text": text}],
    }, Words(text)


def returned(event: Mapping[str, Any], own_id: str) -> tuple[dict[str, Any], Words] | None:
    """The item that holds what a tool returned, and its output; None for an item of another kind.

    Raises WishRefused.
    """
    item = event.get("item")
    if not isinstance(item, dict) or item.get("type") != "function_call_output":
        return None
    call_id, output = item.get("call_id"), item.get("output")
    if not isinstance(call_id, str) or not isinstance(output, str):
        raise WishRefused("missing_parameter", "send call_id and output", "item")
    item_id = item.get("id", own_id)
    if not isinstance(item_id, str) or _ID.fullmatch(item_id) is None:
        _refuse("an id has up to 64 letters, digits, - and _", "item.id")
    return {
        "id": item_id,
        "object": "realtime.item",
        "type": "function_call_output",
        "status": "completed",
        "call_id": call_id,
        "output": output,
    }, Words(output)


def truncated(
    event: Mapping[str, Any], played_ms: Mapping[str, int], unended: Callable[[str], bool]
) -> tuple[str, int]:
    """The item that was cut, and where it really was: what was played is known better here.

    Raises WishRefused: for an item that nobody knows, that is still being spoken, or of which less
    was played than the program says.
    """
    item_id, asked = event.get("item_id"), event.get("audio_end_ms")
    if not isinstance(item_id, str) or not isinstance(asked, int) or isinstance(asked, bool):
        raise WishRefused("missing_parameter", "send item_id and audio_end_ms", "item_id")
    if unended(item_id):
        _refuse("this item is still being spoken: cancel its response", "item_id")
    if item_id not in played_ms:
        raise WishRefused("item_not_found", "there is no such item of the agent's", "item_id")
    if not 0 <= asked <= played_ms[item_id]:
        message = f"{played_ms[item_id]} ms of this item were played"
        raise WishRefused("invalid_value", message, "audio_end_ms")
    return item_id, played_ms[item_id]


def _text(content: object) -> str:
    parts = content if isinstance(content, list) else []
    texts = []
    for part in parts:
        if not isinstance(part, dict) or part.get("type") != "input_text":
            _refuse("only input_text is taken: speech comes over the line", "item.content")
        texts.append(part.get("text"))
    found = " ".join(text.strip() for text in texts if isinstance(text, str)).strip()
    if not found:
        raise WishRefused("missing_parameter", "the item has no text", "item.content")
    return found


def _refuse(message: str, param: str) -> None:
    raise WishRefused("unsupported_value", message, param)

"""What of a model's output asks for a tool: found as it streams, read once it has ended. Pure.

Once a call has begun, nothing of the reply is spoken. A call that cannot be run is one all the
same: its fault becomes its result, so that the model can do better. It does not know tokens,
templates, how a call is written or how a tool is run.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema
from jsonschema.validators import validator_for
from referencing import Registry

from voiced.config.agent import Tool
from voiced.llm.cleaning import Decoder
from voiced.llm.tool_forms import FIRM, MARKS, Found, beginning, begun_mark, found, maybe_bare
from voiced.words import NOTHING, Words

CALLS = 8
"""More calls in one reply than that are a model that has lost its way."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that the model asks for."""

    name: str
    """As the model wrote it: where there is a fault, there may be no such tool."""
    arguments: Words
    """A JSON object, its keys sorted."""
    fault: Words = NOTHING
    """Why it cannot be run; told to the model."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What one reply asks for."""

    text: Words = NOTHING
    """The calls as the model wrote them, for the history."""
    calls: tuple[ToolCall, ...] = ()


NOTHING_ASKED = Asked()


class Sieve:
    """Parts what is spoken from what asks for tools, for one reply; fed by one thread."""

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        """Without tools everything is passed on."""
        self._tools = tools
        self._decoder = Decoder()
        self._held = ""
        self._begun = False
        self._call: list[str] = []
        """What was written since the call began, control tokens by their names."""
        self._shown: list[str] = []
        """The same without control tokens."""
        self._calling = False

    def feed(self, piece: bytes, control: str = "") -> str:
        """The text that this piece makes certain not to be a call.

        `control`: the name of a control token, which has no bytes.
        """
        if not self._tools:
            return self._decoder.feed(piece)
        if control and (self._calling or control in MARKS):
            return self._take_control(control)
        text = self._decoder.feed(piece)
        if self._calling:
            self._call.append(text)
            self._shown.append(text)
            return ""
        self._held += text
        return self._certain()

    def end(self) -> tuple[str, Asked]:
        """What was held back and is no call, and what the reply asks for."""
        held, self._held = self._held, ""
        if not self._calling:
            return held, NOTHING_ASKED
        written = "".join(self._call)
        calls = tuple(_checked(call, self._tools) for call in found(written))[:CALLS]
        if not calls and not written.startswith(FIRM):
            return held + written, NOTHING_ASKED  # a brace or a fence that was an ordinary one
        if not calls:
            fault = Words("this call cannot be read: write JSON with a name and arguments")
            calls = (ToolCall("", Words("{}"), fault),)
        return held, Asked(Words("".join(self._shown).strip()), calls)

    def _take_control(self, name: str) -> str:
        spoken, self._held = self._held, ""
        self._calling = True
        self._call.append(name)
        return spoken

    def _certain(self) -> str:
        if not self._begun and maybe_bare(self._held):
            return ""
        opened = beginning(self._held, first=not self._begun)
        if opened is not None:
            spoken, call = self._held[: opened.start()], self._held[opened.start() :]
            self._held, self._calling = "", True
            self._call.append(call.lstrip())
            self._shown.append(call)
            return spoken
        self._begun = True
        keep = begun_mark(self._held)
        spoken, self._held = self._held[: len(self._held) - keep], self._held[-keep:] * (keep > 0)
        return spoken


def _checked(call: Found, tools: Mapping[str, Tool]) -> ToolCall:
    name, arguments = call
    tool = tools.get(name)
    if tool is None:
        known = ", ".join(tools)
        return ToolCall(name, Words("{}"), Words(f"there is no such tool; there are: {known}"))
    if not isinstance(arguments, dict):
        return ToolCall(name, Words("{}"), Words("the arguments are not a JSON object"))
    try:
        written = Words(json.dumps(arguments, sort_keys=True, ensure_ascii=False, allow_nan=False))
        fault = _fault(arguments, tool)
    except (TypeError, ValueError, RecursionError):
        return ToolCall(name, Words("{}"), Words("the arguments are not JSON"))
    return ToolCall(name, written, fault)


def _fault(arguments: Mapping[str, Any], tool: Tool) -> Words:
    """What is wrong with the arguments, by the tool's schema; the schema reaches for no address."""
    schema = dict(tool.parameters)
    kind = validator_for(schema, default=jsonschema.Draft202012Validator)
    try:
        error = next(kind(schema, registry=Registry()).iter_errors(arguments), None)
    except Exception:  # noqa: BLE001 - border: a site's schema may fail in any way, and only its call may
        return Words("the arguments cannot be checked")
    return (
        NOTHING if error is None else Words(f"wrong arguments: {error.json_path}: {error.message}")
    )

"""What of a model's output asks for a tool: found as it streams, read once it has ended. Pure.

    Qwen, Hermes   <tool_call>{"name": ..., "arguments": {...}}</tool_call>
    Llama 3        <|python_tag|>{"name": ..., "parameters": {...}}, or the same without the mark
    Mistral        [TOOL_CALLS][{"name": ..., "arguments": {...}}], or [TOOL_CALLS]name[ARGS]{...}
    Gemma          call:name{key:<escape>text<escape>}, or JSON or Python inside a fence

Once a call has begun, nothing of the reply is spoken. A call that cannot be run is one all the
same: its fault becomes its result, so that the model can do better. It does not know tokens,
templates or how a tool is run.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema
from jsonschema.validators import validator_for
from referencing import Registry

from voiced.config.agent import Tool
from voiced.llm.cleaning import Decoder
from voiced.words import NOTHING, Words

CALLS = 8
"""More calls in one reply than that are a model that has lost its way."""

_FIRM = ("<tool_call>", "<|python_tag|>", "[TOOL_CALLS]", "<start_function_call>", "<|tool_call>")
_FENCES = ("```json", "```tool_code", "```tool_call")
MARKS = _FIRM + _FENCES
"""What opens a call."""
LONGEST_MARK = max(len(mark) for mark in MARKS)
_OPENED = re.compile("|".join(re.escape(mark) for mark in MARKS))
_BARE = re.compile(r"\s*(?:\{|\[\s*\{)")
_MAYBE_BARE = re.compile(r"\s*(?:\[\s*)?")


def beginning(text: str, *, first: bool) -> re.Match[str] | None:
    """The mark that opens a call in a text; `first`: a brace that a reply begins with is one."""
    return (_BARE.match(text) if first else None) or _OPENED.search(text)


def maybe_bare(text: str) -> bool:
    """A reply that begins so may still become a bare call: it has white space and a bracket."""
    return bool(_MAYBE_BARE.fullmatch(text))


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
        calls = tuple(_checked(found, self._tools) for found in _found(written))[:CALLS]
        if not calls and not written.startswith(_FIRM):
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
        keep = _begun_mark(self._held)
        spoken, self._held = self._held[: len(self._held) - keep], self._held[-keep:] * (keep > 0)
        return spoken


def _begun_mark(text: str) -> int:
    """Characters at the end that may be the beginning of a mark."""
    for length in range(min(LONGEST_MARK - 1, len(text)), 0, -1):
        if any(mark.startswith(text[-length:]) for mark in MARKS):
            return length
    return 0


Found = tuple[str, Any]
"""A name and what was written as its arguments."""

_LED = re.compile(r"(?:\[TOOL_CALLS\]|<start_function_call>|<\|tool_call>)\s*\w")
"""A call whose name stands in front of its arguments."""
_NAMED = re.compile(
    r"(?:\[TOOL_CALLS\]|call:)\s*([\w.-]+)\s*(?:\[CALL_ID\]\s*\w+)?(?:\[ARGS\])?\s*\{"
)
_PYTHON = re.compile(r"```tool_c(?:ode|all)\s*(.*?)(?:```|\Z)", re.DOTALL)
_GEMMA = re.compile(
    r"""
    (?P<quote> <escape> | <\|"\|> ) (?P<string> .*? ) (?P=quote)
    | (?P<key> [A-Za-z_]\w* ) (?= \s* : )
    | .
    """,
    re.VERBOSE | re.DOTALL,
)
_JSON = json.JSONDecoder()


def _found(written: str) -> Iterator[Found]:
    """The calls in a text, in order."""
    named = list(_named(written)) if _LED.match(written) else []
    if named:
        yield from named
        return
    values = [one for value in _values(written) for one in _listed(value)]
    if values:
        for value in values:
            yield from _call_of(value)
        return
    for fence in _PYTHON.finditer(written):
        yield from _python(fence.group(1).strip())


def _named(written: str) -> Iterator[Found]:
    """Calls that begin with a name; what stands inside their arguments is none."""
    at = 0
    while call := _NAMED.search(written, at):
        begin = call.end() - 1
        value, length = _value(written[begin:]) or _gemma(written[begin:]) or (None, 1)
        at = begin + length
        yield call.group(1), value


def _gemma(text: str) -> tuple[Any, int] | None:
    """The object at the beginning of a text as Gemma writes it, and its length."""
    written, depth = "", 0
    for part in _GEMMA.finditer(text):
        string, key = part.group("string"), part.group("key")
        word = key if string is None else string
        written += part.group() if word is None else json.dumps(word)
        depth += (word is None) * ((part.group() in "{[") - (part.group() in "}]"))
        if depth == 0:
            value = _value(written)
            return None if value is None else (value[0], part.end())
    return None


def _value(text: str) -> tuple[Any, int] | None:
    try:
        return _JSON.raw_decode(text)
    except (ValueError, RecursionError):
        return None


def _values(text: str) -> Iterator[Any]:
    """The JSON objects and lists of a text, outermost ones; nothing behind one that is too deep."""
    at = 0
    while opener := _BRACES.search(text, at):
        try:
            value, at = _JSON.raw_decode(text, opener.start())
        except ValueError:
            at = opener.end()
        except RecursionError:
            return
        else:
            yield value


_BRACES = re.compile(r"[{\[]")


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _call_of(value: Any) -> Iterator[Found]:
    if isinstance(value, dict) and isinstance(value.get("function"), dict):
        value = value["function"]
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return
    arguments = value.get("arguments", value.get("parameters", {}))
    if isinstance(arguments, str):
        read = _value(arguments)
        arguments = None if read is None else read[0]
    yield value["name"], arguments


def _python(source: str) -> Iterator[Found]:
    """A call as Python writes it, with literal arguments by name: nothing is evaluated."""
    try:
        node: ast.AST = ast.parse(source, mode="eval").body
        if _is_print(node):
            node = node.args[0]  # type: ignore[attr-defined]
        if not isinstance(node, ast.Call) or node.args:
            return
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        yield name, {one.arg: ast.literal_eval(one.value) for one in node.keywords if one.arg}
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return


def _is_print(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
        and len(node.args) == 1
    )


def _checked(found: Found, tools: Mapping[str, Tool]) -> ToolCall:
    name, arguments = found
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


def declared(tools: Mapping[str, Tool]) -> list[dict[str, Any]]:
    """The tools as chat templates and programs take them."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.parameters) or {"type": "object", "properties": {}},
            },
        }
        for tool in tools.values()
    ]


def described(tools: Mapping[str, Tool]) -> str:
    """The tools in words, for models whose template has no place for them."""
    lines = [json.dumps(one["function"], ensure_ascii=False) for one in declared(tools)]
    return "\n".join(
        (
            "You can use these functions:",
            *lines,
            "To use one, write only the following, and its result will be told to you:",
            '<tool_call>{"name": "the function", "arguments": {}}</tool_call>',
        )
    )

"""How models write that they want a tool: marks that open a call, and the forms behind them. Pure.

    Qwen, Hermes   <tool_call>{"name": ..., "arguments": {...}}</tool_call>
    Llama 3        <|python_tag|>{"name": ..., "parameters": {...}}, or the same without the mark
    Mistral        [TOOL_CALLS][{"name": ..., "arguments": {...}}], or [TOOL_CALLS]name[ARGS]{...}
    Gemma          call:name{key:<escape>text<escape>}, or JSON or Python inside a fence

It does not know which tools there are.
"""

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

FIRM = ("<tool_call>", "<|python_tag|>", "[TOOL_CALLS]", "<start_function_call>", "<|tool_call>")
"""Marks that no ordinary text holds."""
_FENCES = ("```json", "```tool_code", "```tool_call")
MARKS = FIRM + _FENCES
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


def begun_mark(text: str) -> int:
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
_BRACES = re.compile(r"[{\[]")
_JSON = json.JSONDecoder()


def found(written: str) -> Iterator[Found]:
    """The calls in a text, in order; what is no call is passed over."""
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

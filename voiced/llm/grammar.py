"""What a call of a tool may look like, as grammars that its tokens are drawn by.

For each mark that opens a call (see `tool_calls`) there is one grammar of all that may stand behind
it: a name of the agent's tools, and arguments that fit the schema of that one. llguidance reads the
schemas, and says which tokens may come next. It does not know how one of them is drawn, nor where
a call begins.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper

from voiced.config.agent import Agent, Tool
from voiced.errors import ConfigError, EngineFailed
from voiced.llm.batch import Mask, Vocabulary

_BEHIND = {
    "<tool_call>": "w call w close (w open w call w close)* w",
    "<|python_tag|>": 'w call (w ";" w call)* w',
    "[TOOL_CALLS]": "w list | w by_name (w open w by_name)* w",
    "<start_function_call>": 'w "call:" by_name close (w open w "call:" by_name close)* w',
    "<|tool_call>": 'w "call:" by_name close (w open w "call:" by_name close)* w',
    "```json": "w (call | list) w close",
    "```tool_code": "w (call | list) w close",
    "```tool_call": "w (call | list) w close",
    "{": "w called",
    "[{": 'w called (w "," w call)* w "]"',
}
"""What may follow each mark; the last two are calls without one."""

_CLOSE = {
    "<tool_call>": "</tool_call>",
    "<start_function_call>": "<end_function_call>",
    "<|tool_call>": "<tool_call|>",
}

_RULES = r"""
list: "[" w call (w "," w call)* w "]"
call: "{" w called
called: "\"name\"" w ":" w named w "}"
key: "\"arguments\"" | "\"parameters\""
w: /[ \n]{0,2}/
"""


class Spelling:
    """How the tokens of a vocabulary are spelled; takes a second to make, once for a model."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        spelled = _Spelled(vocabulary)
        self.ending = spelled.eos_token_id
        """A token that ends a reply."""
        self.tokenizer = LLTokenizer(TokenizerWrapper(spelled), eos_token=spelled.ending)

    def sign(self, text: str) -> str:
        """A piece of a format as grammars have it: the control token of that name, or text."""
        tokens = self.vocabulary.tokens(text, special=True)
        if len(tokens) == 1 and not self.vocabulary.piece(tokens[0]):
            return f"<[{tokens[0]}]>"
        return json.dumps(text)


class _Spelled:
    """A vocabulary as llguidance takes it."""

    bos_token_id = None

    def __init__(self, vocabulary: Vocabulary) -> None:
        every = range(vocabulary.size)
        pieces = [vocabulary.piece(token) for token in every]
        self.special_token_ids = [token for token in every if not pieces[token]]
        self.ending = [token for token in every if vocabulary.ends(token)]
        self.eos_token_id = self.ending[0]
        for token in self.special_token_ids:
            pieces[token] = vocabulary.name(token).encode()
        self.tokens = pieces
        self._vocabulary = vocabulary

    def __call__(self, text: str) -> list[int]:
        return self._vocabulary.tokens(text, special=False)


class Grammar:
    """Every call that the model of one agent may write."""

    def __init__(self, spelling: Spelling, agent: Agent) -> None:
        """Raises ConfigError that names the agent, and the tool whose schema cannot be kept."""
        self.tools = agent.tools
        self.vocabulary = spelling.vocabulary
        self.ending = spelling.ending
        for tool in agent.tools:
            wrong = LLMatcher.validate_grammar(f"start: {_arguments(tool)}", spelling.tokenizer)
            if wrong:
                raise ConfigError(
                    f"agent {agent.name!r}: tools: {tool.name!r}: parameters: {_reason(wrong)}: "
                    "write a schema that calls can be drawn by (docs/tools.md)"
                )
        self._matchers = {
            mark: LLMatcher(spelling.tokenizer, _lark(mark, agent.tools, spelling), log_level=0)
            for mark in _BEHIND
        }
        for matcher in self._matchers.values():
            if matcher.is_error():
                raise ConfigError(f"agent {agent.name!r}: tools: {_reason(matcher.get_error())}")

    def behind(self, mark: str) -> "Bounds":
        """What may follow a mark, which is one of `tool_calls`; of a bare call, its braces."""
        return Bounds(self._matchers["".join(mark.split())].deep_copy(), self.vocabulary)


class Bounds:
    """What may come next in a call that has begun."""

    def __init__(self, matcher: LLMatcher, vocabulary: Vocabulary) -> None:
        self._matcher = matcher
        self._vocabulary = vocabulary

    @property
    def complete(self) -> bool:
        """The reply may end here: all calls are whole."""
        return self._matcher.is_accepting()

    def allowed(self) -> Mask:
        """The tokens that may come next. Raises EngineFailed when that cannot be told."""
        bits = np.frombuffer(self._matcher.compute_bitmask(), np.uint8)
        if self._matcher.is_error():
            raise EngineFailed("llm", "a tool's schema is too much for its grammar")
        return np.unpackbits(bits, count=self._vocabulary.size, bitorder="little").view(np.bool_)

    def take(self, tokens: Sequence[int]) -> bool:
        """Goes on behind them; False, and nowhere, when they are not all allowed."""
        every = list(tokens)
        fit = self._matcher.validate_tokens(every) == len(every)
        return fit and self._matcher.consume_tokens(every)


def _lark(mark: str, tools: Sequence[Tool], spelling: Spelling) -> str:
    """The grammar of all that may follow a mark."""
    names = [(f"arguments_{number}", json.dumps(tool.name)) for number, tool in enumerate(tools)]
    named = [f'{json.dumps(name)} w "," w key w ":" w {rule}' for rule, name in names]
    between = spelling.sign("[ARGS]") + "?" if mark == "[TOOL_CALLS]" else ""
    return "\n".join(
        (
            f"start: {_BEHIND[mark]}",
            f"open: {spelling.sign(mark)}",
            f"close: {spelling.sign(_CLOSE.get(mark, '```'))}",
            _RULES,
            "named: " + " | ".join(named),
            "by_name: " + " | ".join(f"{name} {between} {rule}" for rule, name in names),
            *(f"arguments_{number}: {_arguments(tool)}" for number, tool in enumerate(tools)),
        )
    )


def _arguments(tool: Tool) -> str:
    """An object that fits the tool's schema, as a part of a grammar; little white space in it."""
    schema: Mapping[str, Any] = dict(tool.parameters) or {"additionalProperties": False}
    spaced = {"whitespace_pattern": " ?"}
    return "%json " + json.dumps({"type": "object", **schema, "x-guidance": spaced})


def _reason(error: str) -> str:
    """The error without the place in a grammar that the site has not written."""
    what = error.rpartition("failed to compile JSON schema: ")[2].splitlines()
    return " ".join(line.strip() for line in what if not _SHOWN.match(line))


_SHOWN = re.compile(r"\s*(?:\d+ \||\^)")
"""A line of the grammar, and the mark below it."""

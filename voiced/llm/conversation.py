"""One call's history as the tokens of a prompt that fits; knows what left, and when it was said.

It does not know caches or schedules. Used by the engine's thread only.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from voiced.config.agent import Tool
from voiced.errors import EngineFailed
from voiced.llm.batch import Vocabulary
from voiced.llm.model import Message, Role
from voiced.llm.prompt import Prompt, exchanges, shortened, written
from voiced.llm.spans import Drawn, Spans
from voiced.llm.template import Content, Declared, Piece, Template
from voiced.llm.tool_prompt import declared, described
from voiced.words import Words

_REFILL = 0.75
"""Share of the context that stays when exchanges leave: leaving one at a time would make every turn
from then on read the whole rest again."""

_ASKING = (Role.USER, Role.TOOL)
"""Whose message a reply can follow."""

_MARKS = " .,;:?!\u2026\u3002\uff1f\uff01\uff0c"


@dataclass(frozen=True, slots=True)
class Language:
    """What all conversations of a model share."""

    template: Template
    vocabulary: Vocabulary
    context_tokens: int
    """Tokens of one conversation, reply included."""
    stamped: bool
    """Date and time stand above each caller turn."""


class Conversation:
    """Turns histories into tokens; remembers what the model said, and when the caller spoke."""

    def __init__(self, language: Language, system: str, tools: Sequence[Tool] = ()) -> None:
        self._language = language
        self._tools: Sequence[Declared] = ()
        self._described = ""
        known = {tool.name: tool for tool in tools}
        if known and language.template.declares:
            self._tools = declared(known)
        elif known:
            self._described = "\n\n" + described(known)
        self.instruct(system)
        self._first = 0
        self._stamps: list[str] = []
        template, vocabulary = language.template, language.vocabulary
        self._spans = Spans(vocabulary, single_line=template.single_line)

    def instruct(self, system: str) -> None:
        """From now on the prompt begins with this."""
        self._system = system.strip() + self._described

    def opening(self, greeting: str) -> list[int]:
        """What every prompt with this greeting begins with."""
        messages = [Message(Role.ASSISTANT, Words(greeting)), Message(Role.USER, Words("-"))]
        prompt = written(self._system, messages, ["", ""])
        pieces = self._pieces(prompt)
        last = max(i for i, piece in enumerate(pieces) if isinstance(piece, Content))
        return self._spans.tokens(pieces[:last], prompt.texts)

    def prompt(self, history: Sequence[Message], stamp: str, reserve: int) -> list[int]:
        """The prompt that a reply to `history` follows, at most context - `reserve` tokens."""
        return self._fitting(history, stamp, reserve, opened=False)

    def opened(self, history: Sequence[Message], stamp: str, reserve: int) -> list[int]:
        """The same, up to the caller's last word, without a mark behind it: the turn may go on."""
        words = history[-1].text.reveal() if history else ""
        if bare := words.rstrip(_MARKS):
            history = [*history[:-1], Message(history[-1].role, Words(bare))]
        return self._fitting(history, stamp, reserve, opened=True)

    def said(self, drawn: Drawn) -> None:
        """Takes note of a reply that was made: the next prompts may hold it, or a part of it."""
        self._spans.said(drawn)

    def _fitting(
        self, history: Sequence[Message], stamp: str, reserve: int, *, opened: bool
    ) -> list[int]:
        begins = exchanges(history)
        if not begins or history[-1].role not in _ASKING or not history[-1].text:
            raise EngineFailed("llm", "nothing to answer")
        stamps = self._stamped(history, stamp)
        room = self._language.context_tokens - reserve
        if self._first not in (0, *begins):
            self._first = 0
        tokens = self._tokens(written(self._system, history, stamps, first=self._first), opened)
        limit = room
        while len(tokens) > limit:
            later = [begin for begin in begins if begin > self._first]
            if not later:
                break
            limit = int(room * _REFILL)
            self._first = later[0]
            tokens = self._tokens(written(self._system, history, stamps, first=self._first), opened)
        return tokens if len(tokens) <= room else self._squeezed(history, stamps, room, opened)

    def _squeezed(
        self, history: Sequence[Message], stamps: Sequence[str], room: int, opened: bool
    ) -> list[int]:
        """The last exchange alone is too long: its beginning goes."""
        history = list(history)
        last = history[-1]
        text = last.text.reveal()
        # a tool's result stands behind the words that led to it
        first = len(history) - 1 if last.role is Role.USER else exchanges(history)[-1]
        share = 1.0
        while share > 0.01:
            share *= 0.8
            history[-1] = Message(last.role, Words(shortened(text, share)))
            tokens = self._tokens(written(self._system, history, stamps, first=first), opened)
            if len(tokens) <= room:
                return tokens
        raise EngineFailed("llm", "prompt does not fit the context")

    def _stamped(self, history: Sequence[Message], stamp: str) -> list[str]:
        """The stamps of a history; a message keeps the one that it was first written with."""
        for message in history[len(self._stamps) :]:
            ours = self._language.stamped and message.role is Role.USER
            self._stamps.append(stamp if ours else "")
        return self._stamps[: len(history)]

    def _pieces(self, prompt: Prompt) -> list[Piece]:
        return self._language.template.render(prompt.turns, self._tools)

    def _tokens(self, prompt: Prompt, opened: bool) -> list[int]:
        pieces = self._pieces(prompt)
        if opened:
            pieces = pieces[: 1 + max(i for i, p in enumerate(pieces) if isinstance(p, Content))]
        return self._spans.tokens(pieces, prompt.texts)

"""Chat templates: turns in, pieces of text out, each known to be the template's or a content.

A template is rendered over place-holders and cut at them, so no content ever passes through it, and
what a caller said cannot become part of its structure. It does not know tokens, files or models.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn, Protocol

from jinja2 import TemplateError
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

from voiced.errors import ConfigError
from voiced.llm.model import Role


@dataclass(frozen=True, slots=True)
class Turn:
    """Consecutive messages of one role, as the template sees them: one."""

    role: Role
    contents: tuple[int, ...]
    """Numbers of the contents that stand in it, one behind the other."""


@dataclass(frozen=True, slots=True)
class Literal:
    """The template's own text; may name control tokens."""

    text: str


@dataclass(frozen=True, slots=True)
class Content:
    """Where a content stands."""

    number: int
    spaced: bool
    """The template wrote a space before it: most vocabularies join that to the word behind it."""


Piece = Literal | Content

Declared = Mapping[str, Any]
"""A tool as templates take it; nothing of it is a caller's."""


class Template(Protocol):
    """How a model wants a conversation written. Pure; any thread."""

    stop: tuple[str, ...]
    """Strings that end a reply, for models that have no token for it."""
    thinking: bool
    """The template opens a thinking block itself: a reply begins inside it."""
    single_line: bool
    """A line end means something to the template: contents must have none."""

    declares: bool
    """It has a place for the declarations of tools, which later turns do not move."""

    def render(self, turns: Sequence[Turn], tools: Sequence[Declared] = ()) -> list[Piece]:
        """The prompt up to where the reply begins. The last turn is the caller's, or a tool's."""
        ...


class PlainTemplate:
    """For base models: a dialogue as one would write it down."""

    thinking = False
    single_line = True
    declares = False

    def __init__(self, caller: str, agent: str, stop: tuple[str, ...]) -> None:
        """`caller` and `agent` begin a line each, such as "Caller:"."""
        self.stop = stop
        self._names = {Role.USER: caller, Role.ASSISTANT: agent, Role.TOOL: caller}

    def render(self, turns: Sequence[Turn], tools: Sequence[Declared] = ()) -> list[Piece]:
        pieces: list[Piece] = []
        for turn in turns:
            if turn.role is Role.SYSTEM:
                pieces += [Content(number, spaced=False) for number in turn.contents]
                pieces.append(Literal("\n\n"))
            else:
                pieces.append(Literal(self._names[turn.role]))
                pieces += [Content(number, spaced=True) for number in turn.contents]
                pieces.append(Literal("\n"))
        return _merged([*pieces, Literal(self._names[Role.ASSISTANT])])


class ChatTemplate:
    """A model's own Jinja template, in a sandbox.

    Which of its quirks have to be met is found out once, by trying: templates without a system role
    get the system's text in front of the first caller turn; templates that want the caller to begin
    get a caller turn in front of a greeting.
    """

    single_line = False

    def __init__(self, source: str, names: Mapping[str, str], stop: tuple[str, ...] = ()) -> None:
        """`names`: bos_token and eos_token as the template writes them. Raises ConfigError."""
        self.stop = stop
        sandbox = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols], autoescape=False
        )
        sandbox.filters["tojson"] = _to_json
        sandbox.globals["raise_exception"] = _refuse
        try:
            self._template = sandbox.from_string(source)
        except TemplateError as error:
            raise ConfigError(f"chat template: {error}") from None
        self._names = dict(names)
        self._layout = self._probed()
        self._layout = replace(self._layout, told=not self._takes_results())
        self.declares = self._declaring()
        self.thinking, self._opener = self._probed_reply()

    def render(self, turns: Sequence[Turn], tools: Sequence[Declared] = ()) -> list[Piece]:
        pieces = _cut(self._written(self._layout.applied(turns), tools, reply=True))
        if not self._opener:
            return pieces
        agents = {turn.contents[0] for turn in turns if turn.role is Role.ASSISTANT}
        opened: list[Piece] = []
        for piece in pieces:
            if isinstance(piece, Content) and piece.number in agents:
                # what stood before a reply when it was made stays there: else it is read again
                opened.append(Literal(self._opener))
            opened.append(piece)
        return _merged(opened)

    def _written(
        self, turns: Sequence[Turn], tools: Sequence[Declared] = (), *, reply: bool
    ) -> str:
        messages = [{"role": turn.role.value, "content": _place_holders(turn)} for turn in turns]
        return self._template.render(
            messages=messages,
            tools=list(tools) or None,
            tools_in_user_message=False,
            add_generation_prompt=reply,
            enable_thinking=False,
            date_string="see the turns",  # the prompt's beginning is made once, and stays
            **self._names,
        )

    def _probed(self) -> "_Layout":
        system = Turn(Role.SYSTEM, (0,))
        first, greeting, second = (
            Turn(Role.USER, (1,)),
            Turn(Role.ASSISTANT, (2,)),
            Turn(Role.USER, (3,)),
        )
        for layout in _LAYOUTS:
            if all(
                self._holds(layout, turns)
                for turns in (
                    [system, first],
                    [system, greeting, second],
                    [system, first, greeting, second],
                )
            ):
                return layout
        raise ConfigError("chat template: cannot write a system prompt, a greeting and a question")

    def _takes_results(self) -> bool:
        """Whether it writes a tool's results; else they are told in a turn like the caller's."""
        opened = [Turn(role, (number,)) for number, role in enumerate(_TOOL_TURNS)]
        later = [Turn(Role.ASSISTANT, (5,)), Turn(Role.USER, (6,))]
        return all(self._holds(self._layout, turns) for turns in (opened, [*opened, *later]))

    def _declaring(self) -> bool:
        """Whether it writes declarations, in front of everything that is said."""
        if self._layout.told:
            return False
        turns = [Turn(role, (number,)) for number, role in enumerate(_TOOL_TURNS)]
        try:
            written = self._written(self._layout.applied(turns), (_PROBE,), reply=True)
        except (TemplateError, TypeError, ValueError, KeyError):
            return False
        pieces = _cut(written)
        said = next((i for i, p in enumerate(pieces) if isinstance(p, Content) and p.number), 0)
        return any(_PROBE_NAME in _literal(pieces, i) for i in range(said)) and self._holds(
            self._layout, turns, (_PROBE,)
        )

    def _holds(self, layout: "_Layout", turns: list[Turn], tools: Sequence[Declared] = ()) -> bool:
        try:
            pieces = _cut(self._written(layout.applied(turns), tools, reply=True))
        except (TemplateError, TypeError, ValueError, KeyError):
            return False
        wanted = [number for turn in turns for number in turn.contents]
        return wanted == [piece.number for piece in pieces if isinstance(piece, Content)]

    def _probed_reply(self) -> tuple[bool, str]:
        """Whether a reply begins inside a thinking block, and what else stands before it only
        while it is made."""
        turns = [Turn(Role.SYSTEM, (0,)), Turn(Role.USER, (1,)), Turn(Role.ASSISTANT, (2,))]
        asked = _cut(self._written(self._layout.applied(turns[:2]), reply=True))
        told = _cut(
            self._written(self._layout.applied([*turns, Turn(Role.USER, (3,))]), reply=True)
        )
        at = next(i for i, p in enumerate(told) if isinstance(p, Content) and p.number == 2)
        before, prompt = _literal(told, at - 1), _literal(asked, len(asked) - 1)
        opener = prompt[len(before) :] if prompt.startswith(before) else ""
        thinking = bool(re.search(r"<think(ing)?>\s*$", prompt))
        return thinking, "" if thinking else opener


@dataclass(frozen=True, slots=True)
class _Layout:
    """How turns are bent for a template."""

    folded: bool
    """The system's text goes in front of the first caller turn."""
    answered: bool
    """A greeting gets a caller turn in front of it."""
    told: bool = False
    """A tool's results are told in a turn like the caller's."""

    def applied(self, turns: Sequence[Turn]) -> list[Turn]:
        turns = _told(turns) if self.told else turns
        system = [turn for turn in turns if turn.role is Role.SYSTEM]
        others = [turn for turn in turns if turn.role is not Role.SYSTEM]
        if self.folded:
            contents = tuple(number for turn in system for number in turn.contents)
            if others and others[0].role is Role.USER:
                first = Turn(Role.USER, (*contents, *others[0].contents))
                return [first, *others[1:]]
            return [Turn(Role.USER, contents), *others]
        if self.answered and others and others[0].role is Role.ASSISTANT:
            others.insert(0, Turn(Role.USER, ()))
        return [*system, *others]


def _told(turns: Sequence[Turn]) -> list[Turn]:
    """Results become the caller's turns, one with those beside them."""
    found: list[Turn] = []
    for turn in turns:
        role = Role.USER if turn.role is Role.TOOL else turn.role
        if found and found[-1].role is role:
            turn = Turn(role, (*found.pop().contents, *turn.contents))
        found.append(Turn(role, turn.contents))
    return found


_TOOL_TURNS = (Role.SYSTEM, Role.ASSISTANT, Role.USER, Role.ASSISTANT, Role.TOOL)

_PROBE_NAME = "zq7tool"
_PROBE = {
    "type": "function",
    "function": {
        "name": _PROBE_NAME,
        "description": "A tool.",
        "parameters": {"type": "object", "properties": {"key": {"type": "string"}}},
    },
}

_LAYOUTS = (
    _Layout(folded=False, answered=False),
    _Layout(folded=False, answered=True),
    _Layout(folded=True, answered=False),
)

_MARK = re.compile(r"( ?)zq7content([0-9]+)qz")
"""Letters and digits only: it passes through every filter of a template as it is."""

_NOBODY = "(The call begins.)"
"""What a caller who has not spoken yet is written to have said, where a template insists."""


def _place_holders(turn: Turn) -> str:
    marks = [f"zq7content{number}qz" for number in turn.contents]
    return "\n".join(marks) if marks else _NOBODY


def _cut(written: str) -> list[Piece]:
    pieces: list[Piece] = []
    end = 0
    for mark in _MARK.finditer(written):
        pieces.append(Literal(written[end : mark.start()]))
        pieces.append(Content(int(mark.group(2)), spaced=bool(mark.group(1))))
        end = mark.end()
    return _merged([*pieces, Literal(written[end:])])


def _merged(pieces: Sequence[Piece]) -> list[Piece]:
    """Neighbouring literals as one, so that they are tokenised as one."""
    merged: list[Piece] = []
    for piece in pieces:
        last = merged[-1] if merged else None
        if isinstance(piece, Literal) and isinstance(last, Literal):
            merged[-1] = Literal(last.text + piece.text)
        elif not isinstance(piece, Literal) or piece.text:
            merged.append(piece)
    return merged


def _literal(pieces: Sequence[Piece], index: int) -> str:
    piece = pieces[index] if 0 <= index < len(pieces) else None
    return piece.text if isinstance(piece, Literal) else ""


def _to_json(value: Any, indent: int | None = None, **_options: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _refuse(message: str) -> NoReturn:
    raise TemplateError(message)

"""A call's history as the turns of a prompt that fits the context: pure, and without tokens.

Empty messages vanish, messages of one role in a row become one turn, and when the context is full
whole oldest exchanges leave. The system prompt and the caller's last turn always stay.

    system  [greeting]  caller agent  caller agent  caller
                        '--exchange-' '--exchange-' '-- the turn to be answered
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from voiced.llm.model import Message, Role
from voiced.llm.template import Turn

SHORTENED = "... "
"""Stands where the beginning of an over-long turn was left out."""


@dataclass(frozen=True, slots=True)
class Text:
    """One content of a prompt."""

    role: Role
    text: str
    cut: bool = False
    """The agent was interrupted there."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """Turns over numbered contents."""

    turns: tuple[Turn, ...]
    texts: tuple[Text, ...]


def written(
    system: str, history: Sequence[Message], stamps: Sequence[str], *, first: int = 0
) -> Prompt:
    """The prompt for `history`, without its messages before number `first`.

    `stamps`: for each message of the history what is written above it; empty for nothing.
    """
    texts = [Text(Role.SYSTEM, system)] if system else []
    groups: list[tuple[Role, list[int]]] = [(Role.SYSTEM, [0])] if system else []
    for message, stamp in list(zip(history, stamps, strict=True))[first:]:
        if not message.text:
            continue
        if not groups or groups[-1][0] is not message.role:
            groups.append((message.role, []))
        if stamp:
            groups[-1][1].append(len(texts))
            texts.append(Text(message.role, stamp))
        groups[-1][1].append(len(texts))
        texts.append(Text(message.role, message.text.reveal(), message.cut))
    turns = tuple(Turn(role, tuple(numbers)) for role, numbers in groups)
    return Prompt(turns, tuple(texts))


def exchanges(history: Sequence[Message]) -> list[int]:
    """Numbers of the messages at which an exchange begins: a caller's after another's."""
    begins = []
    before: Role | None = None
    for number, message in enumerate(history):
        if not message.text:
            continue
        if message.role is Role.USER and before is not Role.USER:
            begins.append(number)
        before = message.role
    return begins


def stamp(at: datetime) -> str:
    """The site's date, time and zone, as they stand above a caller's turn."""
    zone = at.tzname() or "UTC"
    return f"[{at:%A}, {at.day} {at:%B %Y}, {at:%H:%M} {zone}]"


def shortened(text: str, share: float) -> str:
    """The end of a text, about `share` of it, from a whole word on."""
    tail = text[len(text) - int(len(text) * share) :]
    _partial, _space, whole = tail.partition(" ")
    return SHORTENED + (whole or tail)

"""What the catalogue says of a language model, checked.

It does not know the catalogue's other entries, nor the model's file.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from voiced.errors import ConfigError
from voiced.llm.template import ChatTemplate, PlainTemplate, Template


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """[models.facts] of a model whose role is `llm`."""

    template: Literal["own", "plain"] = "own"
    """`own`: the chat template inside the GGUF; `plain`: lines that begin with a name."""
    caller: str = "Caller:"
    """For `plain`: what a line of the caller begins with."""
    agent: str = "Receptionist:"
    """For `plain`: what a line of the agent begins with."""
    stop: tuple[str, ...] = ()
    """Strings that end a reply."""
    dated: bool = True
    """The model is told date and time with each caller turn; it confuses small base models."""
    turn_ends: tuple[str, ...] = ("\n", ".", "?", "!", "\u3002", "\uff1f", "\uff01")
    """What follows the caller's last word; the model's own end of a turn is known anyway."""


def checked(facts: Mapping[str, Any]) -> Facts:
    """Raises ConfigError that names the key."""
    try:
        return TypeAdapter(Facts).validate_python(dict(facts), extra="forbid")
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in wrong["loc"])
        raise ConfigError(f"catalog.toml: facts.{key}: {wrong['msg']}") from None


def template(facts: Facts, own: str | None, names: Mapping[str, str]) -> Template:
    """The template that the facts ask for. `own`: the one in the model's file."""
    if facts.template == "plain":
        return PlainTemplate(facts.caller, facts.agent, facts.stop)
    if own is None:
        raise ConfigError(
            "catalog.toml: facts.template = 'own': the model's file has no chat template: "
            "write template = 'plain'"
        )
    return ChatTemplate(own, names, facts.stop)

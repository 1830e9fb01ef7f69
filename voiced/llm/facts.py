"""What the catalogue says of a language model, checked.

It does not know the catalogue's other entries, nor the model's file.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from voiced.errors import ConfigError
from voiced.llm.template import ChatTemplate, PlainTemplate, Template


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnd:
    """What the model's own probability that a caller's turn ends is worth: models differ widely."""

    unsure: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.05
    """At or below it the caller surely goes on."""
    sure: Annotated[float, Field(gt=0.0, le=1.0)] = 0.98
    """At or above it the turn is surely over; the rest is spread over many continuations."""

    def likely(self, probability: float) -> float:
        """The same on the scale of all models, 0 to 1: by the logarithm, in between."""
        if probability <= self.unsure:
            return 0.0
        return min(math.log(probability / self.unsure) / math.log(self.sure / self.unsure), 1.0)


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
    turn_end: TurnEnd = field(default_factory=TurnEnd)
    """Measured with `voiced bench turn`; a model without it answers late rather than too soon."""


def checked(facts: Mapping[str, Any]) -> Facts:
    """Raises ConfigError that names the key."""
    try:
        known = TypeAdapter(Facts).validate_python(dict(facts), extra="forbid")
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in wrong["loc"])
        raise ConfigError(f"catalog.toml: facts.{key}: {wrong['msg']}") from None
    ends = known.turn_end
    if ends.sure <= ends.unsure:
        raise ConfigError(f"catalog.toml: facts.turn_end: sure = {ends.sure}: above {ends.unsure}")
    return known


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

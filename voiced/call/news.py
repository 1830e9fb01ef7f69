"""What a call tells whoever watches it: its caller's own channel, and nobody else.

These hold words. They go to the caller over the encrypted channel of the call; the log and the
metrics get numbers from elsewhere. It does not know JSON or event names.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from voiced.call.stopwatch import Leg
from voiced.turn.take import Take
from voiced.words import Words


@dataclass(frozen=True, slots=True)
class CallerSpoke:
    """The VAD heard the caller begin."""

    sample: int


@dataclass(frozen=True, slots=True)
class CallerPaused:
    """The VAD heard the caller fall silent."""

    sample: int


@dataclass(frozen=True, slots=True)
class CallerHeard:
    """The final transcript of the caller's turn."""

    take: Take
    text: Words


@dataclass(frozen=True, slots=True)
class ReplyReleased:
    """From now on the agent's reply may be heard. Told once more where a fixed line follows it."""

    take: Take
    silent: bool = False
    """It is told as words alone."""


@dataclass(frozen=True, slots=True)
class ReplyStarted:
    """The first sound of the agent's reply leaves."""

    take: Take


@dataclass(frozen=True, slots=True)
class Declined:
    """What the caller's program wrote is not answered: somebody has the floor."""


@dataclass(frozen=True, slots=True)
class ReplyGrew:
    """One more clause of the agent's reply is being made; it may never be released."""

    take: Take
    clause: Words


@dataclass(frozen=True, slots=True)
class ReplyEnded:
    """The agent has spoken its reply, or was cut off; `heard` is what the caller heard of it."""

    take: Take
    heard: Words
    cut: bool
    samples: int
    """Of the reply's sound, as far as it was heard; at SPEAKING_HZ."""


@dataclass(frozen=True, slots=True)
class ToolWanted:
    """The caller's program is to run a tool, and to return what came of it."""

    take: Take
    call_id: str
    name: str
    arguments: Words
    """A JSON object."""


@dataclass(frozen=True, slots=True)
class ToolsWanted:
    """All that the caller's program is to run for this part of the reply was told."""

    take: Take
    samples: int
    """Of the reply's sound, as it was made before; at SPEAKING_HZ."""


@dataclass(frozen=True, slots=True)
class CallerDictated:
    """What the program committed was read."""

    number: int
    text: Words | None
    """None: the recogniser failed."""


@dataclass(frozen=True, slots=True)
class ApartGrew:
    """Words of an answer that stands outside the conversation."""

    number: int
    text: Words


@dataclass(frozen=True, slots=True)
class ApartEnded:
    """There are no more of them."""

    number: int
    outcome: str
    """`completed`, `incomplete`, `cancelled` or `failed`."""


@dataclass(frozen=True, slots=True)
class PersonJoined:
    """A person speaks with the caller, in the agent's place."""


@dataclass(frozen=True, slots=True)
class PersonLeft:
    """The agent is there again."""


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The ledger of one turn."""

    turn: int
    heard: Words
    """What was heard of the caller."""
    reply: Words
    """What the caller heard."""
    legs: Mapping[str, Leg]
    language: str
    """In which it was held."""


News = (
    CallerSpoke
    | CallerPaused
    | CallerHeard
    | ReplyReleased
    | ReplyStarted
    | ReplyGrew
    | ReplyEnded
    | ToolWanted
    | ToolsWanted
    | CallerDictated
    | ApartGrew
    | ApartEnded
    | PersonJoined
    | PersonLeft
    | TurnEnded
    | Declined
)

Told = Callable[[News], None]
"""Called on the main loop; must not block."""

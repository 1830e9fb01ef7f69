"""Facts that the turn machine is told, each with the instant at which it became true.

Instants are seconds of the call's clock; positions are samples of the caller's audio at 16 kHz. The
machine compares instants and hands positions on; it computes with neither.
"""

from dataclasses import dataclass

from voiced.turn.orders import Line
from voiced.turn.take import Take
from voiced.words import Words


@dataclass(frozen=True, slots=True)
class Connected:
    """The caller can hear and be heard."""

    at: float


@dataclass(frozen=True, slots=True)
class LineLost:
    """The caller can neither hear nor be heard; Connected says that he is back."""

    at: float
    until: float
    """Instant up to which he is waited for."""


@dataclass(frozen=True, slots=True)
class SpeechStarted:
    """The VAD heard the caller begin; `at` and `sample` are the first voiced sample's."""

    at: float
    sample: int


@dataclass(frozen=True, slots=True)
class SpeechStopped:
    """The VAD heard the caller fall silent; `at` and `sample` end the last voiced window."""

    at: float
    sample: int
    voiced_s: float
    """Seconds of speech since SpeechStarted."""


@dataclass(frozen=True, slots=True)
class Partial:
    """The caller still speaks, and these words of it will hardly be read otherwise any more."""

    at: float
    take: Take
    stable: Words


@dataclass(frozen=True, slots=True)
class Final:
    """The recogniser has read the caller's turn so far; no words when the gate refused them."""

    at: float
    take: Take
    text: Words
    echo: bool = False
    """It was the agent's own voice: no words, and nobody to be asked for them."""


@dataclass(frozen=True, slots=True)
class Suspected:
    """What the turn was read as may have been this: it was listened to again for an emergency."""

    at: float
    take: Take
    text: Words


@dataclass(frozen=True, slots=True)
class EndScored:
    """The language model has said how likely the caller's turn ends with these words."""

    at: float
    take: Take
    probability: float


@dataclass(frozen=True, slots=True)
class Overheard:
    """What the caller said over the agent has been read; no words for a noise or an echo."""

    at: float
    take: Take
    """The agent's, which the caller spoke over."""
    text: Words
    asking: bool
    """What the agent says in it is a question."""


@dataclass(frozen=True, slots=True)
class PlayoutStarted:
    """The first frame of a take's sound left for the caller."""

    at: float
    take: Take


@dataclass(frozen=True, slots=True)
class PlayoutFinished:
    """The last frame of a take's sound left for the caller."""

    at: float
    take: Take


@dataclass(frozen=True, slots=True)
class ClauseSounds:
    """The first sound of one more clause of the reply is made; held, or soon heard."""

    at: float
    take: Take
    clause: Words


@dataclass(frozen=True, slots=True)
class ToolAsked:
    """The reply needs tools before it can go on; its sound so far is made."""

    at: float
    take: Take


@dataclass(frozen=True, slots=True)
class ToolReturned:
    """All tools that were asked for have answered, or failed."""

    at: float
    take: Take


@dataclass(frozen=True, slots=True)
class Withheld:
    """The reply was to state what nobody has told the agent; it says so, and somebody is wanted."""

    at: float
    take: Take


@dataclass(frozen=True, slots=True)
class Failed:
    """An engine could not do its part of a take."""

    at: float
    take: Take


@dataclass(frozen=True, slots=True)
class HearingLost:
    """The caller can be heard no more, though the line is there."""

    at: float


@dataclass(frozen=True, slots=True)
class LineDue:
    """Something beside the conversation must be told to the caller, once nobody speaks.

    How a hand-off goes on, that the call will end soon, or a disclosure that was cut off.
    """

    at: float
    line: Line


@dataclass(frozen=True, slots=True)
class Joined:
    """A person can hear the caller, and can be heard."""

    at: float


@dataclass(frozen=True, slots=True)
class Parted:
    """That person has gone, or their line is lost."""

    at: float


@dataclass(frozen=True, slots=True)
class Timeout:
    """The instant that `TurnMachine.deadline` named has come."""

    at: float


@dataclass(frozen=True, slots=True)
class Leaving:
    """The daemon or the operator wants the call to end, politely."""

    at: float


@dataclass(frozen=True, slots=True)
class ClientAsked:
    """The caller's program wrote words of the caller's, and wants them answered."""

    at: float
    text: Words
    silent: bool = False
    """In words alone."""


@dataclass(frozen=True, slots=True)
class ClientStopped:
    """The caller's program wants the agent to stop speaking."""

    at: float


Fact = (
    Connected
    | LineLost
    | SpeechStarted
    | SpeechStopped
    | Partial
    | Final
    | Suspected
    | EndScored
    | Overheard
    | PlayoutStarted
    | PlayoutFinished
    | ClauseSounds
    | ToolAsked
    | ToolReturned
    | Withheld
    | Failed
    | HearingLost
    | LineDue
    | Joined
    | Parted
    | Timeout
    | Leaving
    | ClientAsked
    | ClientStopped
)

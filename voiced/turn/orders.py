"""Orders that the turn machine gives. The call carries them out; the machine never does."""

from dataclasses import dataclass
from enum import StrEnum, auto

from voiced.turn.asides import Aside
from voiced.turn.take import Take
from voiced.words import Words


class Line(StrEnum):
    """What is said word for word; the agent's file has the words, and must have the first three."""

    GREETING = auto()
    DISCLOSURE = auto()
    FALLBACK = auto()
    GOODBYE = auto()
    ONE_MOMENT = auto()
    RED_FLAG = auto()
    HAND_OFF = auto()
    TAKEN_OVER = auto()
    HANDED_BACK = auto()
    STILL_THERE = auto()
    CLOSING_SOON = auto()
    FILLER = auto()
    NOT_KNOWN = auto()
    DEVICE_LOST = auto()
    CONSENT = auto()
    """The disclosure, and the question whether the call may be kept."""
    WELCOME = auto()
    """The greeting, where the disclosure was heard before it."""


class Reason(StrEnum):
    """Why somebody else should take over."""

    RED_FLAG = auto()
    """The caller named an emergency."""
    FAILURE = auto()
    """Engines fail, turn after turn."""
    UNGROUNDED = auto()
    """A reply was to state what nobody has told the agent."""


@dataclass(frozen=True, slots=True)
class Span:
    """One stretch of the caller's speech, in samples at 16 kHz."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Transcribe:
    """The caller paused: read these stretches as one utterance."""

    take: Take
    spans: tuple[Span, ...]
    voiced_s: float


@dataclass(frozen=True, slots=True)
class Answer:
    """Ask the language model, and make its reply into sound that is held until Release."""

    take: Take
    text: Words


@dataclass(frozen=True, slots=True)
class Repeat:
    """Say the last reply once more, without the language model; held until Release."""

    take: Take
    text: Words
    """What the caller said to ask for it."""


@dataclass(frozen=True, slots=True)
class Adapt:
    """Speak in another manner from now on."""

    wish: Aside
    """SLOWER or LOUDER."""


@dataclass(frozen=True, slots=True)
class Heed:
    """The caller's turn was these words, and a fixed line answers them."""

    take: Take
    text: Words


@dataclass(frozen=True, slots=True)
class Amend:
    """The caller's turn, of which a part was heeded before it was over, was all of these words."""

    take: Take
    text: Words


@dataclass(frozen=True, slots=True)
class Release:
    """The caller's turn is over: let the answer be heard."""

    take: Take


@dataclass(frozen=True, slots=True)
class Overhear:
    """The caller spoke over the agent: read these stretches, while the take lives on."""

    take: Take
    spans: tuple[Span, ...]
    voiced_s: float


@dataclass(frozen=True, slots=True)
class Duck:
    """Speak more softly: the caller makes a sound."""

    take: Take


@dataclass(frozen=True, slots=True)
class Hold:
    """Fall silent, and keep the place: the caller may be taking the floor."""

    take: Take


@dataclass(frozen=True, slots=True)
class Resume:
    """Speak on at the same word, as loud as before."""

    take: Take


@dataclass(frozen=True, slots=True)
class Say:
    """Speak a fixed line, behind what already waits to be heard; it is the last of its take."""

    take: Take
    line: Line


@dataclass(frozen=True, slots=True)
class RunTool:
    """Run the tools that the take's reply asked for; what has an effect has it once a turn."""

    take: Take


@dataclass(frozen=True, slots=True)
class Bridge:
    """Speak a fixed line while the take's work goes on; more follows it."""

    take: Take
    line: Line


@dataclass(frozen=True, slots=True)
class Proceed:
    """Ask the language model once more, now that the tools have answered."""

    take: Take


@dataclass(frozen=True, slots=True)
class Cancel:
    """Drop all work of this take, and silence the agent within one frame."""

    take: Take


@dataclass(frozen=True, slots=True)
class Note:
    """These words were written, and stand before what is said in the take's turn."""

    take: Take
    text: Words
    silent: bool = False
    """They are to be answered in words alone."""


@dataclass(frozen=True, slots=True)
class Decline:
    """What was written cannot be answered now: somebody has the floor."""


@dataclass(frozen=True, slots=True)
class Keep:
    """The caller has agreed: from now on the call may be kept."""


@dataclass(frozen=True, slots=True)
class HandOff:
    """Tell somebody who can take over. It outlives takes, turns and the call."""

    reason: Reason


@dataclass(frozen=True, slots=True)
class PutThrough:
    """A person is on the line: the caller hears them in this take, and they hear the caller."""

    take: Take


@dataclass(frozen=True, slots=True)
class TakeBack:
    """The caller hears the person no more."""

    take: Take


@dataclass(frozen=True, slots=True)
class EndCall:
    """Hang up."""


Order = (
    Transcribe
    | Answer
    | Repeat
    | Adapt
    | Heed
    | Amend
    | Release
    | Overhear
    | Duck
    | Hold
    | Resume
    | Say
    | RunTool
    | Bridge
    | Proceed
    | Cancel
    | Note
    | Decline
    | Keep
    | HandOff
    | PutThrough
    | TakeBack
    | EndCall
)

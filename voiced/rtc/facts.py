"""What the network edge tells a call: facts about its peer, in the order in which they happened.

Instants are those of `voiced.clock`. It does not know who listens.
"""

from dataclasses import dataclass
from typing import Literal

from voiced.words import Words

Reason = Literal["hangup", "deadline", "lost", "closed"]
"""Why a peer is gone: the caller hung up; never connected; no longer heard from; closed by us."""


@dataclass(frozen=True, slots=True)
class Connected:
    """Media can flow."""

    at: float


@dataclass(frozen=True, slots=True)
class ChannelOpened:
    """The caller's data channel is open; what was sent before is on its way."""

    at: float


@dataclass(frozen=True, slots=True)
class Received:
    """A text message of the caller's program."""

    at: float
    text: Words


@dataclass(frozen=True, slots=True)
class Pressed:
    """The caller has pressed a key of a telephone."""

    at: float
    key: Words
    """One of 0-9, *, #, A-D."""


@dataclass(frozen=True, slots=True)
class Closed:
    """The peer is gone. Told exactly once, and last."""

    at: float
    reason: Reason


@dataclass(frozen=True, slots=True)
class Lost:
    """The line is gone, and the caller may come back on another one."""

    at: float


PeerFact = Connected | ChannelOpened | Received | Pressed | Closed


@dataclass(frozen=True, slots=True)
class Network:
    """The line's quality, from RTCP; zeros until the first report."""

    rtt_ms: float
    jitter_ms: float
    """Of what we receive (RFC 3550)."""
    lost_fraction: float
    """Of what we should have received, 0..1, since the call began."""
    ahead_ms: float = 0.0
    """Sound that was sent before its time, and lies at the caller's unheard."""

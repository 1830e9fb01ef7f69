"""What connects a call to its caller, and the messages that come into it.

It does not know what a call makes of them.
"""

from dataclasses import dataclass

from voiced.call.extension import Extension
from voiced.call.handoff import HandOffs
from voiced.call.keeping import Keeping
from voiced.call.parts import Source
from voiced.flow.cancel import Live
from voiced.flow.lane import Lane
from voiced.flow.playout import Played, Playout
from voiced.ops.traces import Trace, nowhere
from voiced.rtc import facts as peer_facts
from voiced.turn.facts import (
    ClauseSounds,
    ClientAsked,
    ClientStopped,
    EndScored,
    Failed,
    Final,
    Joined,
    Leaving,
    LineDue,
    Overheard,
    Parted,
    Partial,
    Suspected,
    ToolAsked,
    ToolReturned,
    Withheld,
)
from voiced.vad.model import Hearsay

INBOX = 256
"""Messages. A call makes some ten a second; a quarter of a minute's worth means a stuck loop."""

Message = (
    Hearsay
    | Played
    | peer_facts.PeerFact
    | peer_facts.Lost
    | Partial
    | Final
    | EndScored
    | Overheard
    | ClauseSounds
    | ToolAsked
    | ToolReturned
    | Withheld
    | Suspected
    | Failed
    | LineDue
    | Joined
    | Parted
    | Leaving
    | ClientAsked
    | ClientStopped
)


_SPARE = (peer_facts.Received, peer_facts.ChannelOpened, Partial, EndScored)
"""What a caller's program sends, which may be a flood; and what a call can do without: the words of
a turn that goes on, and how sure its end is. Of all else there is little, and each must arrive."""


def needed(message: Message) -> bool:
    """A call that misses this one would go wrong."""
    return not isinstance(message, _SPARE)


@dataclass(frozen=True, slots=True)
class Wires:
    """What connects a call to its caller; made before the caller's offer is answered."""

    inbox: Lane[Message]
    source: Source
    playout: Playout
    live: Live
    hand_offs: HandOffs
    extension: Extension
    keeping: Keeping | None = None
    """None: nothing of the call is kept, and nobody needs to be asked."""
    trace: Trace = nowhere
    """Takes each turn's trace."""

"""What the caller hears of a take, and what of it they have heard when it is cut.

It steers the playout by single tuples and tells the caller's program; no sound passes here. It does
not know why.
"""

from collections.abc import Callable

from voiced.audio.pcm import SPEAKING_HZ
from voiced.call.ledger import Ledger
from voiced.call.news import PersonJoined, PersonLeft, ReplyEnded, ReplyReleased, Told
from voiced.call.parts import Peer
from voiced.call.transcript import Transcript
from voiced.call.wires import Wires
from voiced.flow.cancel import Take
from voiced.ops import metrics
from voiced.words import NOTHING

PLAYOUT_DELAY_MS = 60.0
"""What a caller's jitter buffer and loudspeaker add, behind the network, before sound is heard."""

DUCKED = 0.25
"""How loud the agent is while the caller makes a sound: 12 dB down."""


class Playing:
    """One call's. Main loop only."""

    def __init__(
        self,
        wires: Wires,
        transcript: Transcript,
        ledger: Ledger,
        tell: Told,
        now: Callable[[], float],
    ) -> None:
        self.silent_at = float("-inf")
        """When the last of the agent's sound was sent: its echo may come back for a while."""
        self._playout = wires.playout
        self._extension = wires.extension
        self._transcript = transcript
        self._ledger = ledger
        self._tell = tell
        self._now = now

    def release(self, take: Take, *, silent: bool) -> None:
        """`silent`: the reply is words alone."""
        self._tell(ReplyReleased(take, silent))
        self._playout.released = take

    def duck(self) -> None:
        self._playout.gain = DUCKED

    def hold(self) -> None:
        self._playout.released = None

    def resume(self, take: Take) -> None:
        self.loud()
        self._playout.released = take

    def loud(self) -> None:
        """As loud as ever."""
        self._playout.gain = 1.0

    def put_through(self, take: Take) -> None:
        """For the caller's program it is a reply without words."""
        self._extension.put_through(take)
        self._playout.released = take
        self._tell(PersonJoined())
        self._tell(ReplyReleased(take))

    def take_back(self, take: Take) -> None:
        """The person has gone."""
        self._tell(ReplyEnded(take, NOTHING, cut=False, samples=self.played(take)))
        self._tell(PersonLeft())

    def cut(self, take: Take, peer: Peer) -> int:
        """The tick skips the take's sound by now. What of it the caller has heard, in samples."""
        self.loud()
        played = self.played(take)
        if played:
            self.silent_at = self._now()
        if not played or self._transcript.bridged(take.turn):
            self._transcript.cut(take, 0)
            metrics.SPECULATION.labels("wasted").inc()
            self._tell(ReplyEnded(take, NOTHING, cut=True, samples=0))
            return 0
        network = peer.network()
        late_ms = PLAYOUT_DELAY_MS + network.rtt_ms / 2 + network.ahead_ms
        heard = max(played - int(late_ms * SPEAKING_HZ / 1000), 0)
        self._transcript.cut(take, heard)
        self._ledger.close(take, network, heard, cut=True)
        return heard

    def end(self, take: Take) -> None:
        """The call is over in this take: of what was made for it the caller has heard no more."""
        self._transcript.cut(take, self.played(take))

    def played(self, take: Take) -> int:
        """Samples of the take that were sent."""
        cursor = self._playout.cursor
        return cursor.samples if cursor.take == take else 0

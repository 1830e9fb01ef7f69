"""From RTP time to positions in the hearing ring, and from positions to instants.

A packet's place follows from its timestamp alone, so that silence which was not sent still takes
its time, and sound that comes late is put where it belongs. Where the ring already has silence for
that time, the late sound takes its place:

    ring     |voice|voice|silence|silence|             filled while nothing came
    late                 |voice  |voice  |voice  |     two replace the silence, one is appended

It does not know sequence numbers, codecs or the ring's memory.
"""

from voiced.audio.pcm import HEARING_HZ

RTP_HZ = 48_000

_FARTHEST_AHEAD = HEARING_HZ
"""The ring follows the wall clock within 60 ms: a second ahead of it is a timestamp that jumped."""

_FARTHEST_BEHIND = 2 * HEARING_HZ
_BEHIND = HEARING_HZ * 40 // 1000
_CATCH_UP_S = 0.3
"""A network that stalled delivers what it held in a burst. Who is behind for longer has a clock
that stood still, and his time is set to ours."""

_BUCKET_S = 5.0
_SLEW_S = 0.005
"""Per packet; less than any packet's length, so that instants never run backwards."""

_JUMP_S = 0.25


class Timeline:
    """One stream's timestamps as ring positions."""

    def __init__(self, rtp_hz: int = RTP_HZ) -> None:
        self.end: int | None = None
        """Position one past the newest packet."""
        self._rtp_hz = rtp_hz
        self._timestamp = 0
        self._position = 0
        self._behind_since: float | None = None

    def where(self, timestamp: int) -> int | None:
        """The position of a timestamp, as far as can be told without looking at the ring."""
        if self.end is None:
            return None
        ahead = (timestamp - self._timestamp) & 0xFFFFFFFF
        if ahead >= 0x80000000:
            ahead -= 0x100000000
        return self._position + ahead * HEARING_HZ // self._rtp_hz

    def place(self, timestamp: int, written: int, at: float) -> tuple[int, bool]:
        """Where a packet that arrived `at` belongs, and whether time was set anew for it."""
        position = self.where(timestamp)
        anew = position is None or self._astray(position - written, at)
        if position is None or anew:
            position, self._behind_since = written, None
        self._timestamp, self._position = timestamp, position
        return position, anew

    def _astray(self, ahead: int, at: float) -> bool:
        if ahead > _FARTHEST_AHEAD or ahead < -_FARTHEST_BEHIND:
            return True
        if ahead >= -_BEHIND:
            self._behind_since = None
            return False
        if self._behind_since is None:
            self._behind_since = at
        return at - self._behind_since > _CATCH_UP_S


class CaptureClock:
    """Which instant a sample was captured at, by the packets that were least delayed.

    One-way delay cannot be known; the quickest packets of the last seconds count as not delayed.
    """

    def __init__(self) -> None:
        self._offset: float | None = None
        self._older = self._newer = float("inf")
        self._turned_at = 0.0

    def instant(self, sample: int) -> float:
        """Seconds of `voiced.clock`; any thread. Before any arrival, as if the call began at 0."""
        return (self._offset or 0.0) + sample / HEARING_HZ

    def begin(self, end: int, at: float) -> None:
        """The sample at `end` is captured now, until a packet shows better."""
        if self._offset is None:
            self._offset = at - end / HEARING_HZ

    def arrived(self, end: int, at: float, anew: bool) -> None:
        """A packet whose last sample lies before `end` has just arrived."""
        offset = at - end / HEARING_HZ
        if anew:
            self._older = self._newer = offset
            self._turned_at = at
        elif at - self._turned_at > _BUCKET_S:
            self._older, self._newer, self._turned_at = self._newer, offset, at
        else:
            self._newer = min(self._newer, offset)
        goal = min(self._older, self._newer)
        if self._offset is None or abs(goal - self._offset) > _JUMP_S:
            self._offset = goal
        else:
            step = min(max(goal - self._offset, -_SLEW_S), _SLEW_S)
            self._offset += step

"""From RTP time to positions in the hearing ring, and from positions to instants.

A packet's place follows from its timestamp alone, so that silence which was not sent still takes
its time, and sound that comes late is put where it belongs. Where the ring already has silence for
that time, the late sound takes its place:

    ring     |voice|voice|silence|silence|             filled while nothing came
    late                 |voice  |voice  |voice  |     two replace the silence, one is appended

It does not know sequence numbers, codecs or the ring's memory.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice

from voiced.audio.pcm import HEARING_HZ

RTP_HZ = 48_000

_FARTHEST_AHEAD = HEARING_HZ
"""The ring follows the wall clock within 60 ms: a second ahead of it is a timestamp that jumped."""

_FARTHEST_BEHIND = 2 * HEARING_HZ
_BEHIND = HEARING_HZ * 40 // 1000
_CATCH_UP_S = 0.3
"""A network that stalled delivers what it held in a burst. Who is behind for longer has a clock
that stood still, and his time is set to ours."""

_BUCKET_S = 2.0
_BUCKETS = 30
"""A minute: long enough that the network's jitter does not tilt the line."""

_COUNTED = 3
"""Buckets whose quickest packet says where the line lies now: a way that became longer is noticed
after eight seconds."""

_ENOUGH = 5
_MOST_DRIFT = 500e-6 / HEARING_HZ
"""Seconds for each sample: 500 ppm. Crystals of telephones keep within 100."""

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

    One-way delay cannot be known; the quickest packets of a while count as not delayed. A line is
    laid through the quickest of each bucket: its slope is how far the caller's clock and ours run
    apart, and no packet of them lies below it.

        offset |  .   : .  .  :   .  : .      each packet: arrival - position
               |.___.__:_.____:__.___:___     the line
    """

    def __init__(self) -> None:
        self._line: tuple[float, int, float] | None = None
        """Offset at a sample, that sample, and seconds of drift for each sample. Replaced whole."""
        self._quickest: deque[tuple[int, float]] = deque(maxlen=_BUCKETS)
        """Of each bucket that is over: sample and offset."""
        self._newest: tuple[int, float] | None = None
        self._turned_at = 0.0
        self._drift = 0.0

    def instant(self, sample: int) -> float:
        """Seconds of `voiced.clock`; any thread. Before any arrival, as if the call began at 0."""
        offset, at, drift = self._line or (0.0, 0, 0.0)
        return offset + (sample - at) * drift + sample / HEARING_HZ

    def begin(self, end: int, at: float) -> None:
        """The sample at `end` is captured now, until a packet shows better."""
        if self._line is None:
            self._line = (at - end / HEARING_HZ, end, 0.0)

    def arrived(self, end: int, at: float, anew: bool) -> None:
        """A packet whose last sample lies before `end` has just arrived."""
        offset = at - end / HEARING_HZ
        if anew or self._newest is None:
            self._quickest.clear()
            self._drift, self._newest, self._turned_at = 0.0, (end, offset), at
        elif at - self._turned_at > _BUCKET_S:
            self._quickest.append(self._newest)
            self._drift = _slope(self._quickest)
            self._newest, self._turned_at = (end, offset), at
        elif offset - self._newest[1] < self._drift * (end - self._newest[0]):
            self._newest = (end, offset)
        goal = min(one + self._drift * (end - at_) for at_, one in self._known())
        now = goal if self._line is None else self.instant(end) - end / HEARING_HZ
        if abs(goal - now) <= _JUMP_S:
            goal = now + min(max(goal - now, -_SLEW_S), _SLEW_S)
        self._line = (goal, end, self._drift)

    def _known(self) -> Iterator[tuple[int, float]]:
        """The quickest packets that still count."""
        assert self._newest is not None
        yield self._newest
        yield from islice(reversed(self._quickest), _COUNTED)


def _slope(points: Sequence[tuple[int, float]]) -> float:
    """Of the line of least squares; 0 for too few points, and never more than clocks run apart."""
    if len(points) < _ENOUGH:
        return 0.0
    mid_x = sum(x for x, _ in points) / len(points)
    mid_y = sum(y for _, y in points) / len(points)
    spread = sum((x - mid_x) ** 2 for x, _ in points)
    slope = sum((x - mid_x) * (y - mid_y) for x, y in points) / spread if spread else 0.0
    return min(max(slope, -_MOST_DRIFT), _MOST_DRIFT)

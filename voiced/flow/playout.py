"""Where outgoing speech waits: one ring of PCM, and a cursor that says what the caller heard.

Sound lies in it in segments, each a run of one take. Voices write at the end, the rtc tick alone
reads, and the main loop steers the tick by three takes that it replaces as a whole:

    live      whose work still counts; segments of any other take are skipped, so barge-in is O(1)
    released  what may be heard; a live take that is not released is held, cursor and all
              (None: nothing)
    complete  to what nothing will be added; when it has been sent, it is finished

    written  [ take 1.0 ][ take 2.0 .................
               skipped       ^cursor

A segment is made and made longer by writers alone, under their lock, and dropped by the tick alone,
which takes no lock: so the tick never waits for a voice, and may look at the ends of the queue.

It does not know clauses, words, Opus or the network.
"""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from voiced.audio.pcm import SPEAKING_FRAME, SPEAKING_HZ, Pcm
from voiced.flow.cancel import Live, Take
from voiced.flow.memory import Locked
from voiced.flow.tap import Tap
from voiced.flow.through import Frames
from voiced.ops import metrics

CAPACITY = 60 * SPEAKING_HZ
"""Samples. No clause is asked for while more than HIGH_WATER wait, and one clause is far shorter
than the rest; so the ring is full only when something is broken."""

HIGH_WATER = 20 * SPEAKING_HZ

_FADE = SPEAKING_HZ // 100
"""10 ms: a cut without a fade is a click."""

_RAMP = np.linspace(1.0, 0.0, _FADE, dtype=np.float32)
_SILENCE: Pcm = np.zeros(SPEAKING_FRAME, np.int16)
_NO_TAKE = Take(-1, 0)


@dataclass(slots=True)
class _Segment:
    take: Take
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Played:
    """Told by the tick when a take's first sample leaves, and when its last one has."""

    take: Take
    at: float
    """Instant of the tick."""
    samples: int
    """Samples of the take that have left."""
    finished: bool


class Cursor(NamedTuple):
    """How far the caller has heard a take."""

    take: Take
    samples: int


class Playout:
    """One call's outgoing speech."""

    def __init__(self, live: Live, told: Callable[[Played], None]) -> None:
        """`told` is called on the rtc thread and must not block: a lane's `put`."""
        self.released: Take | None = None
        """Written by the main loop."""
        self.complete = _NO_TAKE
        """Written by the main loop."""
        self.gain = 1.0
        """How loud the agent is, 0 to 1; the next frame gets there within 10 ms. Main loop."""
        self.volume = 1.0
        """How loud 1 is; above 1.0 what gets too loud is clipped. Main loop."""
        self.cursor = Cursor(_NO_TAKE, 0)
        """Written by the tick; any thread may read it."""
        self.person: tuple[Take, Frames] | None = None
        """A person who speaks, and the take that is theirs: while it lives, the agent has no sound.
        Replaced as a whole by the main loop."""
        self.tap: Tap | None = None
        """Gets a copy of each frame; set before the first tick."""
        self._live = live
        self._told = told
        self._memory = Locked(CAPACITY)
        self._writing = threading.Lock()  # among voices and the main loop; the tick never takes it
        self._segments: deque[_Segment] = deque()
        self._newest: _Segment | None = None  # the writers' own: the tick may have dropped it
        self._written = 0
        self._read = 0
        self._sounding = False  # the last frame was the live take's
        self._level = 1.0  # the gain of the frame that left last
        self._dry = 0  # frames of silence since the live take's last sample
        self._finished = _NO_TAKE

    @property
    def waiting(self) -> int:
        """Samples that were written and have not left. Any thread."""
        return self._written - self._read

    def write(self, take: Take, pcm: Pcm) -> None:
        """Adds sound at SPEAKING_HZ behind all other. Any thread but the tick's.

        Sound of a take that is no longer live is dropped; so is what does not fit, and counted.
        """
        with self._writing:
            if take != self._live.take:
                return
            room = CAPACITY - self.waiting
            if len(pcm) > room:
                metrics.OVERRUNS.labels("playout").inc(len(pcm) - room)
                pcm = pcm[:room]
            start = self._written % CAPACITY
            head = min(len(pcm), CAPACITY - start)
            self._memory.samples[start : start + head] = pcm[:head]
            self._memory.samples[: len(pcm) - head] = pcm[head:]
            begin, self._written = self._written, self._written + len(pcm)
            if self._newest is not None and self._newest.take == take:
                self._newest.end = self._written
            else:
                self._newest = _Segment(take, begin, self._written)
                self._segments.append(self._newest)
            if take != self._live.take:
                # It died meanwhile, and the tick may have dropped its segment before it grew: an
                # empty one behind it makes the tick skip the rest.
                self._segments.append(_Segment(take, self._written, self._written))

    def tick(self, at: float) -> Pcm:
        """The next 20 ms that the caller hears. Called by the rtc tick alone, once a frame."""
        frame = self._frame(at)
        if self.tap is not None:
            self.tap.write(frame, at)
        return frame

    def _frame(self, at: float) -> Pcm:
        live = self._live.take
        sounding, self._sounding = self._sounding, False
        cut = self._skip_all_but(live)
        if live != self.released:
            # of a take that is held; it is said again when the hold ends
            cut = self._ahead(live, _FADE) if cut is None else cut
            return _faded(cut, self._level) if sounding else _SILENCE
        level = self._level
        frame = self._at_gain(self._next(live, at))
        self._finish(live, at)
        if sounding and cut is not None:
            return _over(frame, _faded(cut, level))
        return frame

    def close(self) -> None:
        """Erases and frees the memory. Any thread; a tick that comes later is silent."""
        with self._writing:
            self._live.take = _NO_TAKE  # a voice that is still at work finds its take stale
            self._memory.close()

    def _skip_all_but(self, live: Take) -> Pcm | None:
        """Drops segments of other takes; returns what was about to be heard, to fade out."""
        cut: Pcm | None = None
        while self._segments and self._segments[0].take != live:
            segment = self._segments.popleft()
            if cut is None:
                cut = self._peek(segment, _FADE)
            self._read = max(self._read, segment.end)
            self._dry = 0
        return cut

    def _ahead(self, live: Take, samples: int) -> Pcm:
        """What the live take would say next.

        A voice that was about to write when its take died adds a segment behind the tick's back:
        the next tick skips it.
        """
        if not self._segments or self._segments[0].take != live:
            return _SILENCE[:0]
        return self._peek(self._segments[0], samples)

    def _next(self, live: Take, at: float) -> Pcm:
        before = self.cursor.samples if self.cursor.take == live else 0
        frame = self._ready(live, at)
        if not len(frame):
            self._dry += before > 0
            return _SILENCE
        self.cursor = Cursor(live, before + len(frame))
        self._sounding = True
        metrics.UNDERRUNS.inc(self._dry)
        self._dry = 0
        if before == 0:
            self._told(Played(live, at, len(frame), finished=False))
        return np.concatenate([frame, _SILENCE[len(frame) :]])

    def _ready(self, live: Take, at: float) -> Pcm:
        """What there is of a frame: the person's, where the take is theirs, else the ring's."""
        person = self.person
        if person is not None and person[0] == live:
            return person[1].tick(at)
        frame = self._ahead(live, SPEAKING_FRAME)
        if len(frame):
            self._read = max(self._read, self._segments[0].start) + len(frame)
        return frame

    def _at_gain(self, frame: Pcm) -> Pcm:
        """The frame as loud as it is to be, without a step from the one before."""
        before, self._level = self._level, self.gain * self.volume
        if before == self._level == 1.0:
            return frame
        gain = np.full(len(frame), self._level, np.float32)
        gain[:_FADE] = np.linspace(before, self._level, _FADE, dtype=np.float32)
        return _clipped(frame * gain)

    def _finish(self, live: Take, at: float) -> None:
        """Nothing of a complete take is left: say so, once."""
        if live != self.complete or live == self._finished:
            return
        if self._segments and self._segments[-1].end > self._read:
            return
        self._finished = live
        samples = self.cursor.samples if self.cursor.take == live else 0
        self._told(Played(live, at, samples, finished=True))

    def _peek(self, segment: _Segment, samples: int) -> Pcm:
        """The next samples of a segment that have not left; they are not yet free to be written."""
        begin = max(self._read, segment.start)
        return self._copy(begin, min(begin + samples, segment.end))

    def _copy(self, begin: int, end: int) -> Pcm:
        first, last = begin % CAPACITY, end % CAPACITY
        samples = self._memory.samples  # held, so that a close on another thread does no harm
        if begin == end or first < last:
            return samples[first:last].copy()
        return np.concatenate([samples[first:], samples[:last]])


def _faded(cut: Pcm, level: float) -> Pcm:
    """A frame in which speech that is cut off dies away from the level that it had."""
    frame = _SILENCE.copy()
    frame[: len(cut)] = _clipped(cut * (_RAMP[: len(cut)] * level))
    return frame


def _over(frame: Pcm, fading: Pcm) -> Pcm:
    """Both at once, clipped."""
    return _clipped(frame.astype(np.int32) + fading)


def _clipped(samples: npt.NDArray[np.float32] | npt.NDArray[np.int32]) -> Pcm:
    clipped: Pcm = np.clip(samples, -32768, 32767).astype(np.int16)
    return clipped

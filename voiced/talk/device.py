"""Microphone and loudspeaker of this machine, through PortAudio (sounddevice).

A device that refuses the rate that we hear at, or one channel, is opened as it likes, resampled and
mixed. What it misses is counted, and never stops the stream. It does not know what is said in the
room.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from types import ModuleType
from typing import Any

import numpy as np

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.audio.resample import Resampler
from voiced.errors import UnavailableError
from voiced.talk.room import BLOCK
from voiced.talk.store import Store

RATES = (HEARING_HZ, 48_000, 44_100, 8_000, 32_000, 96_000)
"""Tried in this order; nearly every device takes the second, headsets by radio may have 8000 only.
"""

CHANNELS = ((1, 1), (1, 2), (2, 2), (2, 1))
"""Of the microphone and the loudspeaker: a card without software in front refuses what it has not.
"""

Turn = Callable[[Pcm], Pcm]
"""What a block of the microphone's is exchanged for."""


class Bridge:
    """Between a device's blocks, of its rate and any length, and ours. The device's thread."""

    def __init__(self, turn: Turn, hz: int) -> None:
        self.underruns = 0
        """Blocks that the device played without us, or that it dropped of the microphone's."""
        self._turn = turn
        self._in, self._out = Resampler(hz, HEARING_HZ), Resampler(HEARING_HZ, hz)
        self._heard: Pcm = np.zeros(0, np.int16)
        self._ready = Store(hz, wanted=_cushion(hz))

    def exchange(self, heard: Pcm, *, missed: bool) -> Pcm:
        """As many samples for the loudspeaker as the microphone has given."""
        self.underruns += missed
        self._heard = np.concatenate([self._heard, self._in.push(heard)])
        while len(self._heard) >= BLOCK:
            block, self._heard = self._heard[:BLOCK], self._heard[BLOCK:]
            self._ready.put(self._out.push(self._turn(block)))
        return self._ready.take(len(heard))


def _cushion(hz: int) -> int:
    """Samples. The resamplers keep some 20 ms each way, and give them in lumps: larger ones, the
    farther the rate is from ours."""
    if hz == HEARING_HZ:
        return 0
    return hz // 16 if hz in (48_000, 44_100) else hz // 8


def library() -> ModuleType:
    """sounddevice. Raises UnavailableError where PortAudio is not installed."""
    try:
        import sounddevice
    except OSError:
        raise UnavailableError(
            "talk: PortAudio is not installed: apt-get install libportaudio2"
        ) from None
    found: ModuleType = sounddevice
    return found


@contextmanager
def opened(
    turn: Turn, microphone: str | None, speaker: str | None, sound: Any = None
) -> Iterator[Bridge]:
    """The two devices, by name or the usual ones, as long as it lasts; `sound`: sounddevice.

    Raises UnavailableError where there are none.
    """
    sound = sound or library()
    stream, bridge = _opened(turn, (microphone, speaker), sound)
    with stream:
        yield bridge


def _opened(turn: Turn, devices: tuple[str | None, str | None], sound: Any) -> tuple[Any, Bridge]:
    refused = "none is there"
    for channels, hz in product(CHANNELS, RATES):
        bridge = Bridge(turn, hz)
        try:
            stream = sound.RawStream(
                samplerate=hz,
                blocksize=hz // 100,
                device=devices,
                channels=channels,
                dtype="int16",
                latency="low",
                callback=_callback(bridge, *channels),
            )
        except (sound.PortAudioError, ValueError) as error:
            refused = str(error).partition("\n")[0]
        else:
            return stream, bridge
    raise UnavailableError(
        f"talk: no microphone and loudspeaker can be opened ({refused}): plug a sound card in, or "
        "name the devices with --microphone and --speaker; `python -m sounddevice` lists them"
    )


def _callback(bridge: Bridge, heard_on: int, played_on: int) -> Callable[..., None]:
    """What the device calls: its channels become one, and the one all of them."""

    def block(heard: Any, played: Any, _frames: int, _time: Any, status: Any) -> None:
        missed = bool(status.output_underflow or status.input_overflow)
        channels = np.frombuffer(heard, np.int16).reshape(-1, heard_on)
        pcm = bridge.exchange(channels.mean(axis=1).astype(np.int16), missed=missed)
        played[:] = pcm.repeat(played_on).tobytes()

    return block

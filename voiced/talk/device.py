"""Microphone and loudspeaker of this machine, through PortAudio (sounddevice).

A device that refuses the rate that we hear at is opened at one that it takes, and resampled. What
it misses is counted, and never stops the stream. It does not know what is said in the room.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.audio.resample import Resampler
from voiced.errors import UnavailableError
from voiced.talk.room import BLOCK
from voiced.talk.store import Store

RATES = (HEARING_HZ, 48_000, 44_100)
"""Tried in this order; nearly every device takes the second."""

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
        # the resamplers keep some 20 ms each way, and give them in lumps
        self._ready = Store(hz, wanted=0 if hz == HEARING_HZ else hz // 16)

    def exchange(self, heard: Pcm, *, missed: bool) -> Pcm:
        """As many samples for the loudspeaker as the microphone has given."""
        self.underruns += missed
        self._heard = np.concatenate([self._heard, self._in.push(heard)])
        while len(self._heard) >= BLOCK:
            block, self._heard = self._heard[:BLOCK], self._heard[BLOCK:]
            self._ready.put(self._out.push(self._turn(block)))
        return self._ready.take(len(heard))


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
    for hz in RATES:
        bridge = Bridge(turn, hz)
        try:
            stream = sound.RawStream(
                samplerate=hz,
                blocksize=hz // 100,
                device=devices,
                channels=1,
                dtype="int16",
                latency="low",
                callback=_callback(bridge),
            )
        except (sound.PortAudioError, ValueError) as error:
            refused = str(error).partition("\n")[0]
        else:
            return stream, bridge
    raise UnavailableError(
        f"talk: no microphone and loudspeaker can be opened ({refused}): plug a sound card in, or "
        "name the devices with --microphone and --speaker; `python -m sounddevice` lists them"
    )


def _callback(bridge: Bridge) -> Callable[[Any, Any, int, Any, Any], None]:
    def block(heard: Any, played: Any, _frames: int, _time: Any, status: Any) -> None:
        missed = bool(status.output_underflow or status.input_overflow)
        played[:] = bridge.exchange(np.frombuffer(heard, np.int16), missed=missed).tobytes()

    return block

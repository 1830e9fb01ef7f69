"""The sound of a kept call: the caller on the left, the agent on the right, as Opus in Ogg.

One encoder for the whole call, so that parts join without a seam. It does not know where sound
comes from, nor how it is sealed.
"""

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

from voiced.audio.pcm import HEARING_HZ, SPEAKING_FRAME, SPEAKING_HZ, Pcm
from voiced.audio.resample import Resampler

BITS_PER_S = 48_000
"""Of both channels: 6 kB a second, 20 MB an hour."""

_CODEC = "libopus"
_OPTIONS = {"application": "voip", "frame_duration": "20", "compression_level": "2"}
"""Speech at this rate sounds no better with more work."""

_GRANULE_HZ = 48_000
"""Ogg counts Opus at this rate, whatever was encoded."""

_NOTHING: Pcm = np.zeros(0, np.int16)


class Encoder:
    """Of one call. One thread at a time."""

    def __init__(self) -> None:
        codec = av.AudioCodecContext.create(_CODEC, "w")
        assert isinstance(codec, av.AudioCodecContext)
        codec.sample_rate, codec.bit_rate = SPEAKING_HZ, BITS_PER_S
        codec.format, codec.layout = av.AudioFormat("s16"), av.AudioLayout("stereo")
        codec.options = _OPTIONS
        self._codec = codec
        self._upsampler = Resampler(HEARING_HZ, SPEAKING_HZ)
        self._caller, self._agent = _NOTHING, _NOTHING
        self._sent = 0

    def push(self, caller: Pcm, agent: Pcm) -> list[bytes]:
        """Packets of 20 ms of what both have said so far; the rest waits for more.

        `caller` at HEARING_HZ, `agent` at SPEAKING_HZ, of the same stretch of time.
        """
        self._caller = np.concatenate([self._caller, self._upsampler.push(caller)])
        self._agent = np.concatenate([self._agent, agent])
        whole = min(len(self._caller), len(self._agent)) // SPEAKING_FRAME * SPEAKING_FRAME
        return self._encoded(whole)

    def end(self) -> list[bytes]:
        """What still waited, with silence where one had said less."""
        self._caller = np.concatenate([self._caller, self._upsampler.end()])
        length = -(-max(len(self._caller), len(self._agent)) // SPEAKING_FRAME) * SPEAKING_FRAME
        self._caller = np.pad(self._caller, (0, length - len(self._caller)))
        self._agent = np.pad(self._agent, (0, length - len(self._agent)))
        packets = self._encoded(length)
        return packets + [bytes(packet) for packet in self._codec.encode(None)]

    def _encoded(self, samples: int) -> list[bytes]:
        pair = np.stack([self._caller[:samples], self._agent[:samples]], axis=1)
        self._caller, self._agent = self._caller[samples:], self._agent[samples:]
        packets: list[bytes] = []
        for begin in range(0, samples, SPEAKING_FRAME):
            interleaved = pair[begin : begin + SPEAKING_FRAME].reshape(1, -1)
            frame = av.AudioFrame.from_ndarray(interleaved, format="s16", layout="stereo")
            frame.sample_rate, frame.pts = SPEAKING_HZ, self._sent
            frame.time_base = Fraction(1, SPEAKING_HZ)
            self._sent += SPEAKING_FRAME
            packets += [bytes(packet) for packet in self._codec.encode(frame)]
        return packets


def write_ogg(packets: Iterable[bytes], path: Path) -> None:
    """The packets of a call as a file that any player plays. Raises OSError."""
    with av.open(str(path), "w", format="ogg") as container:
        stream: Any = container.add_stream(_CODEC, rate=SPEAKING_HZ, layout="stereo")
        stream.codec_context.options = _OPTIONS
        container.start_encoding()
        step = _GRANULE_HZ // 50
        for number, content in enumerate(packets):
            packet = av.Packet(content)
            packet.pts = packet.dts = number * step
            packet.duration, packet.time_base = step, Fraction(1, _GRANULE_HZ)
            packet.stream = stream
            container.mux(packet)

"""The two ways in which a call's sound may be coded, and what each needs to be known of.

It does not know how one is agreed on (`sdp`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from voiced.audio.pcm import Pcm
from voiced.rtc import opus, pcmu


class Decoder(Protocol):
    """One stream's, with the state of all packets before."""

    def decode(self, packet: bytes) -> Pcm: ...

    def recover(self, following: bytes, count: int) -> Pcm: ...

    def conceal(self, count: int) -> Pcm: ...


class Encoder(Protocol):
    """One stream's."""

    def encode(self, pcm: Pcm) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Codec:
    """How sound is coded."""

    mime: str
    rtp_hz: int
    """Of RTP's timestamps."""
    samples: Callable[[bytes], int]
    """How many samples of the hearing rate a packet holds; may raise OpusError."""
    decoder: Callable[[], Decoder]
    encoder: Callable[[], Encoder]


OPUS = Codec("audio/opus", 48_000, opus.samples, opus.Decoder, opus.Encoder)
PCMU = Codec("audio/pcmu", pcmu.HZ, pcmu.samples, pcmu.Decoder, pcmu.Encoder)

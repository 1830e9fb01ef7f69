"""Keys that a caller presses, out of the stream of his packets (RFC 4733, telephone-event).

    packets ── telephone-event ──> a key, once for each press
            └─ anything else ────> on to the sound

A press is sent many times over, under one timestamp. What it takes of the sequence numbers is
passed on as empty packets, so that nothing seems lost. It does not know what a key means.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from voiced.words import Words

KEYS = "0123456789*#ABCD"

_NEWER = 0x80000000


class Sound(Protocol):
    """Where everything else goes."""

    def add(self, packet: Any) -> tuple[bool, None]: ...


@dataclass(frozen=True, slots=True)
class _Empty:
    ssrc: int
    sequence_number: int
    timestamp: int
    payload: bytes = b""


class Keypad:
    """One connection's. On the rtc thread."""

    def __init__(self, sound: Sound, payload_type: int, pressed: Callable[[Words], None]) -> None:
        self._sound = sound
        self._payload_type = payload_type
        self._pressed = pressed
        self._newest: int | None = None

    def add(self, packet: Any) -> tuple[bool, None]:
        """Takes a packet. Never raises."""
        if packet.payload_type != self._payload_type:
            return self._sound.add(packet)
        if len(packet.payload) >= 4 and packet.payload[0] < len(KEYS) and self._new(packet):
            self._newest = packet.timestamp
            self._pressed(Words(KEYS[packet.payload[0]]))
        return self._sound.add(_Empty(packet.ssrc, packet.sequence_number, packet.timestamp))

    def _new(self, packet: Any) -> bool:
        """Whether it is of a press that is not known; late packets are of one that was."""
        if self._newest is None:
            return True
        return bool(0 < (packet.timestamp - self._newest) & 0xFFFFFFFF < _NEWER)

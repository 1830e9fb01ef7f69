"""The parts of a kept call, as they are before they are sealed: turns, sound, and the end.

It does not know ciphers or files.
"""

import json
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from voiced.words import Words

_LENGTH = struct.Struct(">H")


class Kind(IntEnum):
    """What a part is."""

    TURN = 1
    SOUND = 2
    END = 3


@dataclass(frozen=True, slots=True)
class Turn:
    """What was said in a turn, and what the caller heard of the reply."""

    turn: int
    at_ms: int
    """When the reply ended, since the call was kept."""
    caller: Words
    agent: Words
    cut: bool
    """The caller took the floor before the end of the reply."""

    def packed(self) -> bytes:
        fields = {
            "turn": self.turn,
            "at_ms": self.at_ms,
            "caller": self.caller.reveal(),  # on its way into the cipher
            "agent": self.agent.reveal(),
            "cut": self.cut,
        }
        return json.dumps(fields, ensure_ascii=False).encode()


def turn_of(content: bytes) -> Turn:
    fields = json.loads(content)
    return Turn(
        fields["turn"],
        fields["at_ms"],
        Words(fields["caller"]),
        Words(fields["agent"]),
        fields["cut"],
    )


def packed_sound(packets: Sequence[bytes]) -> bytes:
    """Opus packets of 20 ms, two channels; a part goes on where the one before it ended."""
    return b"".join(_LENGTH.pack(len(packet)) + packet for packet in packets)


def packets_of(content: bytes) -> Iterator[bytes]:
    place = 0
    while place < len(content):
        (length,) = _LENGTH.unpack_from(content, place)
        place += _LENGTH.size
        yield content[place : place + length]
        place += length

"""Input that nobody meant: texts, events and datagrams, each a little wrong, from a seed.

It does not know what they are sent to.
"""

import json
import random
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

_ODD_TEXTS = ("", "0", "-1", "65536", "4294967296", "1e309", "\u2028", "\x00", "é", "%s", "a" * 300)
_ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    2**63,
    1e308,
    "",
    "x" * 5000,
    "\ud800",
    "<|im_start|>system",
    [],
    {},
    [[[[[[[[]]]]]]]],
    {"type": "x"},
)
_MOST_LINES = 600


class Mutator:
    """The same seed gives the same input."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def text(self, text: str) -> str:
        """A text of lines, such as an offer."""
        lines = text.splitlines()
        for _ in range(self.chance.choice((1, 1, 2, 5))):
            if lines:
                lines = self._line(lines)
        end = self.chance.choice(("\r\n", "\r\n", "\r\n", "\n", "\r"))
        return end.join(lines[:_MOST_LINES]) + end

    def event(self, events: Sequence[dict[str, Any]]) -> str:
        """A message of a caller's program."""
        event = json.loads(json.dumps(self.chance.choice(events)))
        for _ in range(self.chance.choice((0, 1, 1, 2))):
            self._spoil(event)
        text = json.dumps(event)
        return self._characters(text) if self.chance.random() < 0.1 else text

    def datagram(self, seeds: Sequence[bytes]) -> bytes:
        """Bytes for a UDP port."""
        if self.chance.random() < 0.2:
            return self.chance.randbytes(self.chance.choice((0, 1, 3, 12, 20, 100, 1400)))
        data = bytearray(self.chance.choice(seeds))
        for _ in range(self.chance.choice((0, 1, 4))):
            if data:
                data[self.chance.randrange(len(data))] = self.chance.randrange(256)
        if self.chance.random() < 0.2:
            del data[self.chance.randrange(len(data) + 1) :]
        return bytes(data)

    def _line(self, lines: list[str]) -> list[str]:
        at = self.chance.randrange(len(lines))
        match self.chance.randrange(7):
            case 0:
                return lines[:at] + lines[at + 1 :]
            case 1:
                return lines[:at] + [lines[at]] * self.chance.choice((2, 50)) + lines[at + 1 :]
            case 2:
                other = self.chance.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            case 3:
                words = lines[at].split(" ")
                words[self.chance.randrange(len(words))] = self.chance.choice(_ODD_TEXTS)
                lines[at] = " ".join(words)
            case 4:
                name, _, _ = lines[at].partition(":")
                lines[at] = f"{name}:{self.chance.choice(_ODD_TEXTS)}"
            case 5:
                lines[at] = self._characters(lines[at])
            case _:
                return lines[: at + 1] + lines[self.chance.randrange(len(lines)) :]
        return lines

    def _characters(self, text: str) -> str:
        letters = list(text)
        for _ in range(3):
            if letters:
                letters[self.chance.randrange(len(letters))] = chr(self.chance.randrange(1, 0x250))
        return "".join(letters)

    def _spoil(self, event: dict[str, Any]) -> None:
        """One value somewhere in it is gone, or another."""
        place: Any = event
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                return
            key = self.chance.choice(keys)
            if isinstance(place[key], dict | list) and self.chance.random() < 0.7:
                place = place[key]
                continue
            if self.chance.random() < 0.2:
                del place[key]
            else:
                place[key] = deepcopy(self.chance.choice(_ODD_VALUES))
            return

"""What a program put into the conversation and has not asked about: written, or being read. Pure.

It does not know events, or who answers.
"""

from dataclasses import dataclass

from voiced.realtime.items import LONGEST
from voiced.realtime.refused import WishRefused
from voiced.words import Words, joined


@dataclass(slots=True)
class Piece:
    """One item."""

    item_id: str
    text: Words | None
    """None: it was said, and is being read."""


class Draft:
    """One program's."""

    def __init__(self) -> None:
        self._pieces: list[Piece] = []

    def __bool__(self) -> bool:
        return bool(self._pieces)

    @property
    def unread(self) -> bool:
        """Something of it is still being read."""
        return any(piece.text is None for piece in self._pieces)

    def add(self, item_id: str, text: Words | None) -> None:
        """Raises WishRefused when it becomes too much to be answered at once."""
        length = sum(len(piece.text) for piece in self._pieces if piece.text is not None)
        if length + len(text or ()) > LONGEST:
            raise WishRefused("text_too_long", "that is too much to be answered at once", "item")
        self._pieces.append(Piece(item_id, text))

    def read(self, item_id: str, text: Words) -> None:
        """What was said in an item that was being read; without words it is none."""
        for piece in self._pieces:
            if piece.item_id == item_id:
                piece.text = text
        self._pieces = [piece for piece in self._pieces if piece.text is None or piece.text]

    def drop(self, item_id: str) -> bool:
        """The program has taken an item back. False: it is not here."""
        before = len(self._pieces)
        self._pieces = [piece for piece in self._pieces if piece.item_id != item_id]
        return len(self._pieces) < before

    def take(self) -> list[Piece]:
        """All of it, which is now asked about."""
        taken, self._pieces = self._pieces, []
        return taken

    def put_back(self, pieces: list[Piece]) -> None:
        """It was not answered after all."""
        self._pieces = [*pieces, *self._pieces]


def words(pieces: list[Piece]) -> Words:
    """What is to be answered."""
    return joined([piece.text for piece in pieces if piece.text is not None])

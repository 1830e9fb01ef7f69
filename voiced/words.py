"""Words that belong to a caller, in a wrapper that refuses to be shown.

Everything that a caller said, and everything that was said to one, is `Words` from the moment it
becomes text. It cannot be formatted, printed, logged, concatenated to a string or pickled; an
exception that holds it shows nothing; a copy of it, deep or not, is the same object. The one way
out is `reveal()`, so that every place where words leave can be found by searching for that name.

It does not know what is done with the text: models, prompts and the caller's own channel reveal it.
"""

from typing import NoReturn, final


class WordsShown(TypeError):
    """Somebody tried to format, print or store a caller's words."""


@final
class Words:
    """Immutable text of a call. Equality and hash are the text's; `len` counts characters."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        object.__setattr__(self, "_text", text)

    def reveal(self) -> str:
        """The text itself: for a model, a prompt, or the caller's own channel. Never for a log."""
        text: str = object.__getattribute__(self, "_text")
        return text

    def __setattr__(self, _name: str, _value: object) -> NoReturn:
        raise AttributeError("Words cannot be changed")

    def __delattr__(self, _name: str) -> NoReturn:
        raise AttributeError("Words cannot be changed")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Words) and self.reveal() == other.reveal()

    def __hash__(self) -> int:
        return hash(self.reveal())

    def __len__(self) -> int:
        return len(self.reveal())

    def __bool__(self) -> bool:
        return bool(self.reveal().strip())

    def __add__(self, other: "Words") -> "Words":
        return Words(self.reveal() + other.reveal()) if isinstance(other, Words) else NotImplemented

    def __repr__(self) -> str:
        return "<words>"

    def __str__(self) -> NoReturn:
        raise WordsShown("a caller's words cannot be turned into a string: use reveal(), with care")

    def __format__(self, _spec: str) -> NoReturn:
        raise WordsShown("a caller's words cannot be formatted: use reveal(), with care")

    def __copy__(self) -> "Words":
        return self

    def __deepcopy__(self, _copied: object) -> "Words":
        return self

    def __reduce__(self) -> NoReturn:
        raise WordsShown("a caller's words cannot be pickled")

    def __getstate__(self) -> NoReturn:
        raise WordsShown("a caller's words cannot be pickled")


NOTHING = Words("")
"""No words at all."""


def joined(pieces: "list[Words] | tuple[Words, ...]", separator: str = " ") -> Words:
    """The pieces as one text; empty ones are left out."""
    return Words(separator.join(piece.reveal() for piece in pieces if piece))

"""A clause as the voice's symbols: cut into pieces and phrases, phonemes and marks as numbers.

    clause   Take one tablet, twice a day. Not more!
    pieces   [Take one tablet|,  twice a day|.]  [Not more|!]
    symbols  teɪk wʌn tæblɪt, twaɪs ɐ deɪ.       nɑːt moːɹ!

espeak-ng drops the marks that the voice was trained to hear, so the text is cut at them here and
they are put back between the phonemes. A piece is a sentence, or less: the voice speaks one as a
whole, so a long one would be late. Pure; it does not know who makes the phonemes.
"""

# ruff: noqa: RUF001, RUF002 - phonemes and marks of other scripts look like ASCII

import re
import unicodedata
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from voiced.ops import metrics

PIECE_CHARACTERS = 200
"""Longest piece: beyond it the encoder alone takes longer than the first sound may."""

_MARKS = {"…": ".", "。": ".", "、": ",", "，": ",", "！": "!", "？": "?", "：": ":", "；": ";"}
_ENDS = frozenset(".!?")
_PAUSES = frozenset(",;:")

_BREAK = re.compile(
    r"""
      [.,!?;:…]+ (?=["'”’)\]]*(?:\s|$))     # a mark that ends a word, not one inside 3.5 or 10:30
    | [。、，！？：；]+                       # scripts without spaces
    | (?<=\s)[—–-]+(?=\s) | —+                # a dash between words
    | [\r\n]+
    """,
    re.VERBOSE,
)

_ABBREVIATION = re.compile(r"\.[A-Za-z]\. [a-z]")
"""In `3 p.m. on Monday` nothing ends."""

_SILENT = frozenset('*_#`~<>|\\^{}[]"“”()')
"""Read aloud by espeak-ng, or taken for its own notation; said by nobody."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words up to a mark."""

    text: str
    mark: str
    """One of `. , ! ? ; :`, or empty."""


Piece = tuple[Phrase, ...]
"""What the voice speaks in one breath; never empty, and each phrase has a letter or digit."""


class Phonemiser(Protocol):
    """Who turns words into phonemes, as `Espeak` does. Called on the voice's thread."""

    def phonemes(self, text: str) -> str:
        """IPA with spaces between tokens, of a text without clause marks. Raises EngineFailed."""
        ...

    def close(self) -> None: ...


def pieces(text: str, most: int = PIECE_CHARACTERS) -> list[Piece]:
    """The clause in pieces; none when nobody could say anything.

    Phrases go into one piece up to `most` characters; none has more than PIECE_CHARACTERS.
    """
    found: list[Piece] = []
    piece: list[Phrase] = []
    for phrase in _phrases(_sayable(text)):
        if piece and _length(piece) + len(phrase.text) > most:
            found.append(tuple(piece))
            piece = []
        piece.append(phrase)
        if phrase.mark in _ENDS and phrase.mark:
            found.append(tuple(piece))
            piece = []
    return [*found, tuple(piece)] if piece else found


def said(piece: Piece, speak: Callable[[str], str]) -> list[tuple[Phrase, str]]:
    """The piece's phrases with their phonemes, less those that nobody can say.

    `speak` gives those of a phrase's words, with spaces between tokens.
    """
    found = [(phrase, speak(phrase.text)) for phrase in piece]
    return [(phrase, phonemes) for phrase, phonemes in found if phonemes]


def symbols(said: Sequence[tuple[Phrase, str]]) -> str:
    """Phonemes and marks in one line; empty where nothing is said."""
    marked = [phonemes + phrase.mark for phrase, phonemes in said]
    return " ".join(marked) + (" " if marked and marked[-1][-1] in _PAUSES else "")


def ends_sentence(piece: Piece) -> bool:
    """Behind it a speaker pauses for longer than at a comma."""
    return piece[-1].mark in _ENDS and bool(piece[-1].mark)


def known(symbols: str, id_map: Container[str]) -> str:
    """The symbols that the voice has heard, accents apart; the others are left out, and counted."""
    found = ""
    for symbol in unicodedata.normalize("NFD", symbols):
        if symbol in id_map:
            found += symbol
        else:
            metrics.SYMBOLS_SKIPPED.inc()
    return found


def unknown(symbols: str, id_map: Container[str]) -> str:
    """Those that the voice has never heard, each once."""
    apart = unicodedata.normalize("NFD", symbols)
    return "".join(sorted({symbol for symbol in apart if symbol not in id_map}))


def numbers(symbols: str, id_map: Mapping[str, Sequence[int]]) -> list[int]:
    """Known symbols as a Piper graph takes them: begin, between, end."""
    between = id_map["_"]
    found = [*id_map["^"], *between]
    for symbol in symbols:
        found += [*id_map[symbol], *between]
    return [*found, *id_map["$"]]


def _sayable(text: str) -> str:
    """The text without signs that are no speech: markdown, emoji, brackets, controls."""
    return "".join(" " if _unsayable(sign) else sign for sign in text)


def _unsayable(sign: str) -> bool:
    if sign in _SILENT:
        return True
    kind = unicodedata.category(sign)
    return (kind == "So" and sign != "°") or (kind[0] == "C" and not sign.isspace()) or kind == "Sk"


def _phrases(text: str) -> Iterator[Phrase]:
    start = 0
    for found in _BREAK.finditer(text):
        if _ABBREVIATION.fullmatch(text, found.start() - 2, found.end() + 2):
            continue
        yield from _words(text[start : found.start()], _mark(found.group()))
        start = found.end()
    yield from _words(text[start:], "")


def _mark(found: str) -> str:
    sign = _MARKS.get(found[0], found[0])
    if sign in "—–-":
        return ";"
    return "" if sign.isspace() else sign


def _words(text: str, mark: str) -> Iterator[Phrase]:
    """The phrase, in parts where it is too long for one piece; the mark belongs to the last."""
    if not any(sign.isalnum() for sign in text):
        return
    line = ""
    for word in _short(text.split()):
        if line and len(line) + 1 + len(word) > PIECE_CHARACTERS:
            yield Phrase(line, "")
            line = ""
        line = f"{line} {word}" if line else word
    yield Phrase(line, mark)


def _short(words: list[str]) -> Iterator[str]:
    for word in words:
        for start in range(0, len(word), PIECE_CHARACTERS):
            yield word[start : start + PIECE_CHARACTERS]


def _length(piece: list[Phrase]) -> int:
    return sum(len(phrase.text) for phrase in piece)

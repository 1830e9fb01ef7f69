"""How the site's own words are said: drugs, doctors, departments; one table for each language.

    [en]
    Xarelto = "zuh rell toe"                        # read as if it were written so
    acetaminophen = { ipa = "əˌsiːtəˈmɪnəfən" }     # these phonemes
    Nguyen = { ipa = "wɪn", say = "win" }           # `say` for voices that take no phonemes

A word is matched whole and in any case; one in capitals only as it stands, so that `US` is not
`us`. Phonemes that a voice has never heard are an error when it is loaded, and not a silence in a
call. It does not know who makes the phonemes of all other words.
"""

# ruff: noqa: RUF001, RUF002 - letters of the phonetic alphabet look like others

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from voiced.errors import ConfigError
from voiced.tts.clarity import clear
from voiced.tts.phonemes import Phonemiser

_JOINED = {"ko", "ja", "zh"}
"""Particles are written onto the word, so it may go on behind the entry."""

_POSSESSIVE = {"en": "(?P<own>['’]s)?"}
_HISSING = frozenset("szʃʒ")
_VOICELESS = frozenset("ptkfθ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """How one word is said; at least one of the two."""

    ipa: str = ""
    say: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A word of the lexicon, and where it stands."""

    word: str
    said: Said
    origin: str
    """File and line, for whoever has to put it right."""


class Lexicon:
    """The words of one language. Immutable; any thread."""

    def __init__(self, language: str, entries: tuple[Entry, ...] = ()) -> None:
        self._entries = entries
        self._by_word = {key_of(entry.word): entry for entry in entries}
        self._pattern = _pattern(language, [entry.word for entry in entries])

    def __len__(self) -> int:
        return len(self._entries)

    def check(self, unknown: Callable[[str], str], voice: str) -> None:
        """Raises ConfigError for every entry with phonemes that `unknown` finds."""
        wrong = [
            f"{entry.origin}: {entry.word!r}: ipa = {entry.said.ipa!r}: the voice {voice!r} does "
            f"not know {strange!r}: write its phonemes as espeak-ng --ipa does"
            for entry in self._entries
            if entry.said.ipa and (strange := unknown(entry.said.ipa))
        ]
        if wrong:
            raise ConfigError("\n".join(wrong))

    def respelled(self, text: str) -> str:
        """The text as a voice that takes no phonemes should read it."""
        return self.rewritten(text, lambda said: said.say)

    def rewritten(self, text: str, write: Callable[[Said], str]) -> str:
        """The text with what `write` makes of each entry; "" of it leaves the word as it is."""
        return "".join(
            piece if entry is None else (write(entry.said) or piece) + own
            for piece, entry, own in self._parts(text)
        )

    def phonemes(self, text: str, speak: Callable[[str], str]) -> str:
        """Those of the text, with spaces between tokens; `speak` gives those of ordinary words."""
        found: list[str] = []
        ordinary = ""
        for piece, entry, own in self._parts(text):
            if entry is None:
                ordinary += piece
            elif entry.said.ipa:
                found += [
                    speak(ordinary) if ordinary.strip() else "",
                    entry.said.ipa + _s(entry, own),
                ]
                ordinary = ""
            else:
                ordinary += entry.said.say + own
        found.append(speak(ordinary) if ordinary.strip() else "")
        return " ".join(filter(None, found))

    def _parts(self, text: str) -> Iterator[tuple[str, Entry | None, str]]:
        """The text in pieces; those that are an entry, with it and the possessive behind it."""
        start = 0
        for match in self._pattern.finditer(text) if self._entries else ():
            word = match["word"]
            entry = self._by_word.get(word) or self._by_word.get(word.casefold())
            yield text[start : match.start()], None, ""
            yield word, entry, match.groupdict().get("own") or ""
            start = match.end()
        yield text[start:], None, ""


class Pronouncing:
    """A `Phonemiser` that asks the lexicon first, and says numbers so that none is another."""

    def __init__(self, inner: Phonemiser, lexicon: Lexicon) -> None:
        self._inner = inner
        self._lexicon = lexicon

    def phonemes(self, text: str) -> str:
        return self._lexicon.phonemes(text, lambda words: clear(self._inner.phonemes(words)))

    def close(self) -> None:
        """Ends the phonemiser."""
        self._inner.close()


def key_of(word: str) -> str:
    """What two spellings of one word share; a word in capitals has no other spelling."""
    return word if word.isupper() and len(word) > 1 else word.casefold()


def _pattern(language: str, words: list[str]) -> re.Pattern[str]:
    """Any of the words, whole; the longest first, since one may begin with another."""
    ordered = sorted(words, key=len, reverse=True)
    each = "|".join(
        re.escape(word) if key_of(word) == word != word.casefold() else f"(?i:{re.escape(word)})"
        for word in ordered
    )
    begin = "" if language in ("ja", "zh") else r"(?<![\w'’])"
    end = "" if language in _JOINED else r"(?!\w)"
    return re.compile(f"{begin}(?P<word>{each}){_POSSESSIVE.get(language, '')}{end}")


def _s(entry: Entry, own: str) -> str:
    """The possessive's sound, behind the entry's last phoneme."""
    last = entry.said.ipa.rstrip()[-1]
    if not own:
        return ""
    return "ɪz" if last in _HISSING else "s" if last in _VOICELESS else "z"


NO_WORDS = Lexicon("")

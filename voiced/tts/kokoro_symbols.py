"""From espeak-ng's phonemes to the symbols that Kokoro was trained with.

They differ where Kokoro has one letter for two of espeak-ng's: diphthongs and affricates. After the
tables of its own front end (misaki, Apache-2.0). Pure; it does not know voices.
"""

# ruff: noqa: RUF001 - letters of the phonetic alphabet look like others

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

_Table = Sequence[tuple[str, str]]

_ENGLISH: _Table = (
    ("ʔˌn\u0329", "tᵊn"),
    ("ʔn\u0329", "tᵊn"),
    ("ʔn", "tᵊn"),
    ("ʔ", "t"),
    ("aɪ", "I"),
    ("aʊ", "W"),
    ("dʒ", "ʤ"),
    ("eɪ", "A"),
    ("tʃ", "ʧ"),
    ("ɔɪ", "Y"),
    ("əl", "ᵊl"),
    ("ʲ", ""),
    ("ɚ", "əɹ"),
    ("r", "ɹ"),
    ("x", "k"),
    ("ç", "k"),
    ("ɐ", "ə"),
    ("ɬ", "l"),
    ("\u0303", ""),
)
_AMERICAN: _Table = (
    *_ENGLISH,
    ("oʊ", "O"),
    ("ɜːɹ", "ɜɹ"),
    ("ɜː", "ɜɹ"),
    ("ɪə", "iə"),
    ("ː", ""),
    ("o", "ɔ"),
    ("e", "A"),
    ("ɾ", "T"),
)
_BRITISH: _Table = (
    *_ENGLISH,
    ("eə", "ɛː"),
    ("iə", "ɪə"),
    ("əʊ", "Q"),
    ("o", "ɔ"),
    ("e", "A"),
)
_OTHERS: _Table = (("tʃ", "ʧ"), ("dʒ", "ʤ"), ("ts", "ʦ"), ("dz", "ʣ"), ("-", ""))

_SYLLABIC = re.compile("(.)\u0329")
"""A consonant that is a syllable by itself."""


@dataclass(frozen=True, slots=True)
class Accent:
    """A way of speaking a language."""

    language: str
    espeak: str
    """Name of the espeak-ng voice that has it."""
    table: _Table

    def symbols(self, phonemes: str) -> str:
        """Kokoro's for espeak-ng's; spaces and stress marks stay where they are."""
        found = unicodedata.normalize("NFD", phonemes)
        for theirs, ours in self.table:
            found = found.replace(theirs, ours)
        return _SYLLABIC.sub(r"ᵊ\1", found)


ACCENTS = {
    "a": Accent("en", "en-us", _AMERICAN),
    "b": Accent("en", "en-gb", _BRITISH),
    "e": Accent("es", "es", _OTHERS),
    "f": Accent("fr", "fr-fr", _OTHERS),
    "i": Accent("it", "it", _OTHERS),
    "p": Accent("pt", "pt-br", _OTHERS),
}
"""By the first letter of a speaker's name, as Kokoro names them: af_heart, bm_george."""

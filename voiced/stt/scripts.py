"""Which letters a language is written in, and what is a word in them.

Pure. It does not know sound or models. Latin letters are at home everywhere: every language borrows
them ("MRI", "OK").
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

_LATIN = {
    "af", "ca", "cs", "cy", "da", "de", "en", "es", "et", "eu", "fi", "fr", "ga", "gl", "hr",
    "hu", "id", "is", "it", "lt", "lv", "ms", "mt", "nl", "no", "pl", "pt", "ro", "sk", "sl",
    "sq", "sv", "sw", "tl", "tr", "vi"
}  # fmt: skip
_OTHER = {
    "ar": {"ARABIC"},
    "be": {"CYRILLIC"},
    "bg": {"CYRILLIC"},
    "el": {"GREEK"},
    "fa": {"ARABIC"},
    "he": {"HEBREW"},
    "hi": {"DEVANAGARI"},
    "ja": {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"},
    "ko": {"HANGUL", "CJK"},
    "mk": {"CYRILLIC"},
    "mr": {"DEVANAGARI"},
    "ru": {"CYRILLIC"},
    "sr": {"CYRILLIC"},
    "th": {"THAI"},
    "uk": {"CYRILLIC"},
    "ur": {"ARABIC"},
    "zh": {"CJK", "BOPOMOFO"},
}

# A sign of a script that writes no spaces, or a run of other letters and digits, ' and - within.
_WORD = re.compile(
    r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
    r"|(?:(?![\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])\w)+(?:['\u2019-]\w+)*"
)


def fit(text: str, languages: Sequence[str]) -> bool:
    """Whether at least half of the letters are at home in one of the languages.

    A language that is not known here may be written in anything.
    """
    if any(language not in _LATIN and language not in _OTHER for language in languages):
        return True
    home = {"LATIN"}.union(*(_OTHER.get(language, set()) for language in languages))
    scripts = list(_scripts(text))
    return 2 * sum(script in home for script in scripts) >= len(scripts)


def words(text: str) -> list[str]:
    """The words, without case or punctuation; signs of scripts without spaces are one each."""
    return _WORD.findall(text.casefold())


def _scripts(text: str) -> Iterator[str]:
    for sign in text:
        if unicodedata.category(sign)[0] == "L":
            yield unicodedata.name(sign, "UNKNOWN").split(" ")[0]

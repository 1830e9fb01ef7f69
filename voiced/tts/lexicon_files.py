"""Reads the site's lexicons: TOML in, one lexicon for each language or one ConfigError out.

A ConfigError has everything that is wrong in any file, each with file, line and word. It does not
know which phonemes a voice has (`Lexicon.check`).
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from voiced.config.agent import Language
from voiced.errors import ConfigError
from voiced.tts.lexicon import Entry, Lexicon, Said, key_of

STANDARD = Path("/etc/voiced/lexicon.d")
"""Need not exist; any other folder that the settings name must."""


def read_lexicons(directory: Path) -> Mapping[str, Lexicon]:
    """The lexicon of each language, from every `*.toml` of the folder. Raises ConfigError."""
    if not directory.is_dir() and directory != STANDARD:
        raise ConfigError(f"tts.lexicon_dir = '{directory}': there is no such directory")
    entries: dict[str, dict[str, Entry]] = {}
    wrong: list[str] = []
    for path in sorted(directory.glob("*.toml")):
        try:
            for language, entry in _read(path):
                known = entries.setdefault(language, {})
                other = known.setdefault(key_of(entry.word), entry)
                if other is not entry:
                    wrong.append(
                        f"{entry.origin}: {entry.word!r} stands at {other.origin} too: remove one"
                    )
        except ConfigError as error:
            wrong.append(str(error))
    if wrong:
        raise ConfigError("\n".join(wrong))
    return {
        language: Lexicon(language, tuple(found.values())) for language, found in entries.items()
    }


def _read(path: Path) -> Iterator[tuple[str, Entry]]:
    try:
        text = path.read_text(encoding="utf-8")
        table = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read as TOML: {error}") from None
    places = _places(text)
    wrong: list[str] = []
    for language, words in table.items():
        origin = f"{path}:{places.get((language, ''), 1)}"
        if not _is(Language, language) or not isinstance(words, dict):
            wrong.append(f"{origin}: {language}: write words under a language, such as [en]")
            continue
        for word, value in words.items():
            place = f"{path}:{places.get((language, word), places.get((language, ''), 1))}"
            entry = _entry(word, value, place)
            if isinstance(entry, str):
                wrong.append(entry)
            else:
                yield language, entry
    if wrong:
        raise ConfigError("\n".join(wrong))


def _entry(word: str, value: Any, origin: str) -> Entry | str:
    """The entry, or what is wrong with it."""
    table = {"say": value} if isinstance(value, str) else value
    try:
        said = TypeAdapter(Said).validate_python(table, strict=False, extra="forbid")
    except ValidationError:
        said = Said()
    if not any(sign.isalnum() for sign in word):
        return f"{origin}: {word!r}: has no letter: write the word as the agent writes it"
    if not said.ipa.strip() and not any(sign.isalnum() for sign in said.say):
        return (
            f"{origin}: {word!r}: write how it is said, a respelling as text or a table with "
            "ipa, say or both"
        )
    return Entry(word, replace(said, say=_plain(said.say)), origin)


def _plain(say: str) -> str:
    """A respelling by syllables, "zuh-REL-toe", as words: capitals would be spelt out."""
    syllables = say.split("-")
    if len(syllables) == 1 or not any(part.isupper() and len(part) > 1 for part in syllables):
        return say
    return " ".join(part.lower() for part in syllables)


def _is(kind: Any, value: object) -> bool:
    try:
        TypeAdapter(kind).validate_python(value)
    except ValidationError:
        return False
    return True


def _places(text: str) -> dict[tuple[str, str], int]:
    """The line of each language's table and of each word in it, as people write such files."""
    found: dict[tuple[str, str], int] = {}
    language = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[\s*\"?([^\]\"]+?)\"?\s*\]", line):
            language = header[1]
            found[language, ""] = number
        elif key := re.match(r"""\s*(?:"([^"]+)"|'([^']+)'|([A-Za-z0-9_-]+))\s*=""", line):
            found[language, key[1] or key[2] or key[3]] = number
    return found

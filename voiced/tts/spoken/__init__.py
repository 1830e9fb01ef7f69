"""Written forms become spoken ones, so that a voice says what a careful nurse would read out.

    clause ── markdown ── characters ── the language's own rules ── tidy ──> words and pauses

`english` and `korean` read numbers, doses, dates, shorthand and the like; the clauses of any other
language lose their markup and decoration, and the voice reads their numbers itself. A form that may
mean two things is read literally, never guessed. It does not know voices, phonemes or turns.
"""

from voiced.tts.spoken import english, korean
from voiced.tts.spoken.characters import even, plain_marks
from voiced.tts.spoken.markdown import plain
from voiced.tts.spoken.tidy import tidy


def speak(clause: str, language: str, locale: str | None = None) -> str:
    """The clause as words to say; "" when nothing of it can be said. Pure; linear; never raises.

    `language` is a tag, "en" or "en-US". `locale` is the caller's place where it differs, "en-GB":
    it decides how 12/03 is read; without a region such a form is read digit by digit.
    """
    tag = language.replace("_", "-")
    place = _region(locale) or _region(tag)
    text = plain(clause)
    match tag.partition("-")[0].lower():
        case "en":
            return tidy(english.read(even(text), place))
        case "ko":
            return tidy(korean.read(even(text), place))
        case _:
            return tidy(plain_marks(text))


def _region(tag: str | None) -> str | None:
    """ "US" of "en-US"."""
    parts = (tag or "").replace("_", "-").split("-")
    return parts[-1].upper() if len(parts) > 1 else None

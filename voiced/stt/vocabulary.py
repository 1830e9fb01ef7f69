"""Whisper's tokens: the prompt that asks for a transcript, and the text of what comes back.

It does not know sound or the model's weights.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from tokenizers import Tokenizer

from voiced.errors import EngineFailed, UnavailableError

_MOST_HINT = 100
"""Tokens of the hint: a longer one pulls the model away from the sound."""

LONGEST_HINT = 200
"""Tokens of what is listened for, where the sound has the last word: the model takes no more before
a text. Some sixty phrases in English, twenty in Korean."""


class Vocabulary:
    """The tokenizer of one model. Any thread."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise UnavailableError(f"{path}: there is no such file: run `voiced models pull`")
        self._tokenizer = Tokenizer.from_file(str(path))

    @cached_property
    def end(self) -> int:
        """The token that ends a text; every token from it on is a mark and no text."""
        return self._id("<|endoftext|>")

    def prompt(self, language: str, hotwords: Sequence[str], most: int = _MOST_HINT) -> list[int]:
        """Asks for a transcript without timestamps. Raises EngineFailed: an unknown language.

        The hotwords stand where the model expects what was said before, `most` tokens of them.
        """
        asked = [
            self._id("<|startoftranscript|>"),
            self._id(f"<|{language}|>"),
            self._id("<|transcribe|>"),
            self._id("<|notimestamps|>"),
        ]
        if not hotwords:
            return asked
        hint = self._encode(" " + ", ".join(hotwords))[:most]
        return [self._id("<|startofprev|>"), *hint, *asked]

    def text(self, tokens: Sequence[int]) -> str:
        """The text, without marks."""
        text: str = self._tokenizer.decode([token for token in tokens if token < self.end])
        return text.strip()

    def _encode(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def _id(self, mark: str) -> int:
        found: int | None = self._tokenizer.token_to_id(mark)
        if found is None:
            raise EngineFailed("stt", f"the model does not know {mark}")
        return found

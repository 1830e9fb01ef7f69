"""What one decode of one window gave, and whether it can be believed.

Pure. It does not know the model, nor what is done with a decode that cannot be believed.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from voiced.stt import loops
from voiced.stt.model import Heard
from voiced.words import Words

LOOP_RATIO = 2.4
"""zlib ratio above which a text repeats itself; plain sentences stay under 1.7."""


@dataclass(frozen=True, slots=True, repr=False)
class Decoded:
    """One window, read once. Holds a caller's words: it shows none of them."""

    tokens: tuple[int, ...]
    text: str
    logprob: float
    """Of all tokens and the end mark, summed."""
    no_speech: float
    cut: bool
    """It was stopped at its limit of tokens; it had not come to an end by itself."""

    @property
    def astray(self) -> bool:
        """It lost the thread: it did not end, or it repeats itself as no one speaks."""
        return self.cut or (
            compression(self.text) > LOOP_RATIO and loops.longest(self.tokens) is not None
        )

    @property
    def kept(self) -> int:
        """Tokens up to the end of the first phrase of a loop that never ended; else all of them.

        What stands before a loop was mostly said. A text that ended by itself is left alone:
        people do repeat themselves.
        """
        run = loops.longest(self.tokens) if self.cut else None
        return len(self.tokens) if run is None else run.start + run.length


def compression(text: str) -> float:
    """Bytes of the text over those of its zlib form; 0 for no text."""
    raw = text.encode()
    return len(raw) / len(zlib.compress(raw)) if raw else 0.0


def joined(decodes: Sequence[Decoded], texts: Sequence[str], language: str) -> Heard:
    """The pieces of one utterance as one; `texts` are what is kept of each.

    Repetition is that of the worst piece, before anything was taken from it.
    """
    tokens = sum(len(decoded.tokens) for decoded in decodes)
    marks = tokens + len(decodes)
    return Heard(
        text=Words(" ".join(text for text in texts if text)),
        language=language,
        avg_logprob=sum(decoded.logprob for decoded in decodes) / marks if marks else 0.0,
        no_speech=min((decoded.no_speech for decoded in decodes), default=1.0),
        compression=max((compression(decoded.text) for decoded in decodes), default=0.0),
        tokens=tokens,
    )

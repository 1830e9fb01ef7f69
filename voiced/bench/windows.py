"""Reads recordings in the encoder's shorter windows and in the full one (`stt.calibration`).

It does not know which windows are taken, nor where that is written.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from voiced.audio.pcm import HEARING_HZ
from voiced.bench import wer
from voiced.bench.stt import SCORED, Clip, read_clips
from voiced.errors import UnavailableError
from voiced.stt.calibration import TRIED_S, Reading, Recording
from voiced.stt.decoding import Decoded
from voiced.stt.reader import Reader
from voiced.stt.vocabulary import Vocabulary
from voiced.stt.windows import FULL_S, LONGEST_S, MOST_TOKENS, SPARE_S

_SOURCES = SCORED | {"pseudo"}
"""Another recogniser's transcript will do: what counts is the difference between two windows."""


def clips_of(speech: Path, language: str) -> list[Clip]:
    """What a window may be chosen by: of speakers on whom nothing else is tried. Raises
    UnavailableError."""
    clips = [clip for clip in read_clips(speech, language, _SOURCES) if not clip.held_out]
    found = [clip for clip in clips if len(clip.pcm) <= LONGEST_S * HEARING_HZ]
    if not found:
        raise UnavailableError(f"{speech}: no recording in {language!r} to choose windows by")
    return found


def measured(
    reader: Reader, vocabulary: Vocabulary, clips: Sequence[Clip], language: str
) -> Iterator[Recording]:
    """One recording after the other; as long as reading each in all its windows takes."""
    prompt = vocabulary.prompt(language, ())
    for clip in clips:
        seconds = len(clip.pcm) / HEARING_HZ
        full = reader.decode(clip.pcm, FULL_S, prompt, MOST_TOKENS)
        tried = {
            window_s: reader.decode(clip.pcm, window_s, prompt, MOST_TOKENS)
            for window_s in TRIED_S
            if window_s >= seconds + SPARE_S
        }
        yield Recording(
            seconds,
            letters=wer.letters(clip.transcript, "")[1],
            tokens=len(full.tokens),
            by_window={
                window_s: _reading(clip, decoded, full)
                for window_s, decoded in {**tried, FULL_S: full}.items()
            },
        )


def _reading(clip: Clip, decoded: Decoded, full: Decoded) -> Reading:
    kept = full if decoded.astray else decoded
    return Reading(wer.letters(clip.transcript, kept.text)[0], decoded.astray)

"""Was that speech? Decides whether what the recogniser read becomes a turn.

A recogniser that is given silence or noise writes something all the same, and its own confidence is
no help: an invented loop scores better (-0.13) than a patient's real "No." (-0.97). So the text is
weighed against what the detector heard, and against itself. The rule behind the rules: rather an
odd sentence from noise, now and then, than one "Stop." that is lost.

Pure. It does not know turns, or what is done with a rejected text (nothing is).
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum, auto

from voiced.audio.pcm import HEARING_HZ
from voiced.stt import loops, scripts
from voiced.stt.decoding import LOOP_RATIO
from voiced.stt.model import Heard, Utterance
from voiced.words import Words


class Reason(StrEnum):
    """Why a text is no turn; label of the metric."""

    SILENT = auto()  # the detector heard no speech at all
    EMPTY = auto()  # nothing but punctuation
    PLACEHOLDER = auto()  # [BLANK_AUDIO], (coughing), *sighs*
    SCRIPT = auto()  # letters of a language that is not spoken here
    LOOP = auto()  # it repeats itself as no one speaks
    HURRIED = auto()  # more words than fit into the speech that was heard
    HOTWORDS = auto()  # nothing but the hint that it was given
    DOUBTFUL = auto()  # detector and recogniser are both unsure: voices in the background


@dataclass(frozen=True, slots=True)
class Rejection:
    """A text that is no turn."""

    reason: Reason


_LEAST_VOICED_S = 0.06
"""Two windows of speech: the shortest "no" is four times as long."""

_WORD_S = 0.08
"""Voiced time that even the most hurried speaker needs for a word; 0.15 is fast."""

_WORD_LETTERS = 10
"""Letters from which a word counts twice, and so on: loops need no blanks."""

_REPEATED_WORD_S = 0.18
"""The same for a word that is repeated again and again: people who call "help, help" take longer,
a recogniser that has lost the thread writes far more than that."""

_HINT_WORD_S = 0.12
"""The same for a word of the hint, which comes back by itself out of noise."""

_PLACEHOLDER = re.compile(
    r"\[.*?\]|\([^)\d]*\)|\uff08.*?\uff09|\u3010.*?\u3011|\*.*?\*|<\|.*?\|>|\u266a.*?(?:\u266a|$)",
    re.DOTALL,
)
"""What stands in brackets of any kind, between stars, or sung between notes. Round brackets with
digits in them are none: so recognisers write the area code of a telephone number."""


_DOUBT_LOGPROB = -1.3
_DOUBT_NO_SPEECH = 0.5
_DOUBT_VOICED_S = 0.13
"""Speech so short that it is no word by itself: four windows; the shortest "no" has eight."""
_DOUBT_VOICED = 0.5
"""Part of the utterance in which the detector heard speech; a word has no holes."""
_DOUBT_WORD_S = 1.0
"""Voiced time for a word, above which most of what sounded was not understood."""
_MARGIN_S = 0.7
"""Lead-in and tail that an utterance comes with: no speech is expected there."""


def judge(heard: Heard, utterance: Utterance, languages: Sequence[str]) -> Words | Rejection:
    """The words to believe, or why there are none. `languages`: those that the agent speaks."""
    text = heard.text.reveal().strip()
    if utterance.voiced_s < _LEAST_VOICED_S:
        return Rejection(Reason.SILENT)
    spoken = _PLACEHOLDER.sub(" ", text)
    if not _letters(spoken):
        return Rejection(Reason.PLACEHOLDER if _letters(text) else Reason.EMPTY)
    if not scripts.fit(spoken, languages):
        return Rejection(Reason.SCRIPT)
    words = scripts.words(spoken)
    pace_s = utterance.voiced_s / sum(1 + len(word) // _WORD_LETTERS for word in words)
    if _echoes(words, utterance.hotwords) and pace_s < _HINT_WORD_S:
        return Rejection(Reason.HOTWORDS)
    repeated = heard.compression > LOOP_RATIO or loops.longest(words) is not None
    if repeated and pace_s < _REPEATED_WORD_S:
        return Rejection(Reason.LOOP)
    if pace_s < _WORD_S:
        return Rejection(Reason.HURRIED)
    if _doubtful(heard, utterance, pace_s):
        return Rejection(Reason.DOUBTFUL)
    return Words(" ".join(spoken.split()))


def _letters(text: str) -> bool:
    """Whether there is anything in it that can be said: a letter or a digit."""
    return any(unicodedata.category(sign)[0] in "LN" for sign in text)


def _doubtful(heard: Heard, utterance: Utterance, pace_s: float) -> bool:
    """Weak signs of both at once; no sign of the recogniser's would be enough."""
    if heard.no_speech <= _DOUBT_NO_SPEECH:
        return False
    if utterance.voiced_s <= _DOUBT_VOICED_S:
        return True
    span_s = len(utterance.pcm) / HEARING_HZ - _MARGIN_S
    scattered = utterance.voiced_s < _DOUBT_VOICED * span_s
    return heard.avg_logprob < _DOUBT_LOGPROB and (scattered or pace_s > _DOUBT_WORD_S)


def _echoes(words: Sequence[str], hotwords: Sequence[str]) -> bool:
    """Nothing but words of the hint."""
    hint = {word for hotword in hotwords for word in scripts.words(hotword)}
    return bool(hint) and all(word in hint for word in words)

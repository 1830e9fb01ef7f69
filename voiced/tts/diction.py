"""From a clause to sound that a caller may hear: what is the same whoever makes the samples.

    clause -> pieces -> (Breather) samples -> level -> trim -> 24 kHz

The level is the voice's own gain, so that all voices are as loud as each other; silence at the ends
of a piece is cut to what a speaker leaves there. It does not know models, threads or calls.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from voiced.audio.loudness import SILENT_LUFS, integrated_lufs
from voiced.audio.pcm import SPEAKING_HZ, Pcm
from voiced.audio.resample import Resampler
from voiced.catalog.model import Model
from voiced.ops import log
from voiced.tts import alignment, phonemes
from voiced.tts.alignment import Ended
from voiced.tts.loudness import leveled
from voiced.tts.phonemes import Piece
from voiced.tts.quiet import PAUSE_S, STOP_S, Trim
from voiced.tts.windows import Floats

_SAMPLES = {
    "de": "Besuche sind von zehn bis zwanzig Uhr möglich. Die Apotheke ist neben dem Haupteingang.",
    "en": "You can visit from ten until eight. The pharmacy is next to the main entrance.",
    "es": "Puede venir de visita de diez a ocho. La farmacia está junto a la entrada principal.",
    "fr": "Les visites sont possibles de dix à vingt heures. La pharmacie est près de l'entrée.",
    "it": "Le visite sono possibili dalle dieci alle venti. La farmacia è vicino all'ingresso.",
    "ja": "面会時間は午前十時から午後八時までです。薬局は正面玄関の隣にあります。",
    "ko": "면회 시간은 오전 열 시부터 저녁 여덟 시까지입니다. 약국은 일 층 정문 옆에 있습니다.",
    "pt": "As visitas são possíveis das dez às vinte horas. A farmácia fica ao lado da entrada.",
    "zh": "探视时间是上午十点到晚上八点。药房在正门旁边。",
}
"""Long enough for each size of chunk, and to be measured. Another language reads the English."""


def sample(language: str) -> str:
    """Two sentences in a language, made up; English where there are none."""
    return _SAMPLES.get(language, _SAMPLES["en"])


LOUDNESS_LUFS = -22.0
"""Of every voice: the peaks of speech reach some 20 dB above it, so the limiter does little."""


@dataclass(frozen=True, slots=True)
class Breath:
    """One piece as a model says it."""

    samples: Iterator[Floats]
    """In -1..1, a chunk at a time; computed when it is asked for."""
    ended: Sequence[Ended] = ()
    """The piece's words, each with its second in `samples`; empty when the model cannot tell."""


class Breather(Protocol):
    """A voice's model. Called on one thread."""

    @property
    def piece_characters(self) -> int:
        """Most that is said at once, where a mark allows it."""
        ...

    @property
    def hz(self) -> int:
        """Rate of its samples."""
        ...

    def breathe(self, piece: Piece) -> Breath | None:
        """None when there is nothing in the piece that it can say. Raises EngineFailed."""
        ...

    def warm(self) -> None:
        """Runs what saying a sentence does not."""
        ...

    def close(self) -> None: ...


def gain_of(model: Model) -> float | None:
    """The voice's gain as the catalogue has it. Raises ConfigError when it is no number."""
    return model.fact("gain", float) if "gain" in model.facts else None


class Diction:
    """A `Talker` over a model. Everything on one thread."""

    def __init__(self, breather: Breather, gain: float | None, language: str = "en") -> None:
        """`gain` brings the voice to LOUDNESS_LUFS; none: it is measured by `warm`."""
        self._breather = breather
        self._warming = sample(language)
        self._gain = 1.0 if gain is None else gain
        self._measured = gain is not None

    def say(self, clause: str, word_ends: list[float]) -> Iterator[Pcm]:
        """As `Talker.say` says."""
        hz = self._breather.hz
        stream = Resampler(hz, SPEAKING_HZ)
        ended: list[Ended] = []
        made = 0
        for piece in phonemes.pieces(clause, self._breather.piece_characters):
            breath = self._breather.breathe(piece)
            if breath is None:
                continue
            trim = Trim(hz, STOP_S if phonemes.ends_sentence(piece) else PAUSE_S)
            begun = made
            for sound in self._trimmed(breath, trim):
                made += len(sound)
                yield stream.push(sound)
            shift = begun - trim.removed
            ended += [(word, min(shift / hz + end, made / hz)) for word, end in breath.ended]
        yield stream.end()
        if ended:
            word_ends += alignment.word_ends(clause, ended)

    def warm(self) -> None:
        """Speaks once into nothing, and measures how loud that was where nobody has yet."""
        sound = np.concatenate([np.zeros(0, np.int16), *self.say(self._warming, [])])
        if not self._measured:
            lufs = integrated_lufs(sound, SPEAKING_HZ)
            if lufs > SILENT_LUFS:
                self._gain *= 10 ** ((LOUDNESS_LUFS - lufs) / 20)
                self._measured = True
            log.info("voice.measured", lufs=round(lufs, 1), gain=round(self._gain, 3))
        self._breather.warm()

    def close(self) -> None:
        """Ends what the model holds."""
        self._breather.close()

    def _trimmed(self, breath: Breath, trim: Trim) -> Iterator[Pcm]:
        for samples in breath.samples:
            yield trim.push(leveled(samples, self._gain))
        yield trim.end()

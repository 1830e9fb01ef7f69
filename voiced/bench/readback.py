"""`voiced bench tts --readback FILE`: what the voice says, read by the recogniser.

FILE has a line for each sentence: locale, written form, spoken form, apart by tabs. The spoken form
is said and read, and three kinds of words are counted that no patient may miss: negations, numbers
and units. A miss may be the voice's or the recogniser's; the misses are listed, so that somebody
can listen. It does not know how either works.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np

from voiced.audio.pcm import HEARING_HZ, SPEAKING_HZ, Pcm
from voiced.audio.resample import Resampler
from voiced.bench.digits import digits
from voiced.bench.wer import fold
from voiced.catalog.store import Store
from voiced.config.settings import Settings
from voiced.errors import UnavailableError
from voiced.flow.cancel import Live, Ticket
from voiced.stt import whisper
from voiced.stt.model import SpeechToText, Utterance
from voiced.tts.model import Voice
from voiced.tts.spoken import speak
from voiced.tts.voices import Voices
from voiced.words import Words

NEGATIONS = frozenset(
    ("no", "not", "never", "without", "none", "nothing", "nobody", "neither", "nor")
)
UNITS = frozenset(
    (
        *("milligram", "microgram", "gram", "kilogram", "milliliter", "deciliter", "liter", "unit"),
        *("milliequivalent", "millimole", "mole", "millimeter", "centimeter", "meter", "mercury"),
        *("percent", "degree", "beat", "minute", "hour", "day", "week", "month", "year", "second"),
        *("tablet", "drop", "teaspoon", "tablespoon", "pound", "dollar", "cent", "foot", "inch"),
        "mile",
    )
)
_SILENCE = np.zeros(HEARING_HZ // 2, np.int16)
_SHOWN = 40


@dataclass(slots=True)
class Score:
    """How many of a kind were said, and how many of those were read."""

    said: int = 0
    read: int = 0

    def add(self, wanted: Sequence[str], found: Sequence[str]) -> bool:
        """Whether all of one sentence's were read, in order."""
        blocks = SequenceMatcher(None, wanted, found, autojunk=False).get_matching_blocks()
        read = sum(block.size for block in blocks)
        self.said += len(wanted)
        self.read += read
        return read == len(wanted)

    @property
    def rate(self) -> float:
        return round(self.read / self.said, 4) if self.said else 1.0


@dataclass(slots=True)
class Scores:
    """Of all sentences."""

    negations: Score = field(default_factory=Score)
    numbers: Score = field(default_factory=Score)
    units: Score = field(default_factory=Score)
    misses: list[dict[str, str]] = field(default_factory=list)

    def add(self, spoken: str, heard: str) -> None:
        """One sentence: its spoken form, and what the recogniser wrote."""
        read = speak(heard, "en")
        whole = (
            self.negations.add(negations(spoken), negations(read)),
            self.numbers.add(digits(spoken), digits(heard)),
            self.units.add(units(spoken), units(read)),
        )
        if not all(whole):
            self.misses.append({"said": spoken, "read": heard})


def negations(text: str) -> list[str]:
    """Those of a text, in order."""
    return [word for word in fold(text) if word in NEGATIONS]


def units(text: str) -> list[str]:
    """Those of a text, in order and in the singular."""
    found = ("foot" if word == "feet" else word.removesuffix("s") for word in fold(text))
    return ["inch" if word == "inche" else word for word in found if word in {*UNITS, "inche"}]


async def readback(voice: Voice, stt: SpeechToText, sentences: Sequence[str]) -> Scores:
    """Says and reads every sentence. Raises EngineFailed."""
    scores = Scores()
    for sentence in sentences:
        scores.add(sentence, await _read(await _said(sentence, voice), stt))
    return scores


def sentences_of(path: Path) -> list[str]:
    """The spoken forms of the English lines of the file. Raises UnavailableError."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UnavailableError(f"{path}: cannot be read ({error.strerror})") from None
    rows = [line.split("\t") for line in lines if line.startswith("en") and line.count("\t") == 2]
    return [spoken.replace("\\n", " ") for _, _, spoken in rows if any(c.isalpha() for c in spoken)]


def run(settings: Settings, store: Store, name: str, path: Path) -> dict[str, object]:
    """The measures as JSON has them; takes about a second of CPU for each sentence."""
    sentences = sentences_of(path)
    scores = asyncio.run(_measured(settings, store, name, sentences))
    return {
        "voice": name,
        "sentences": len(sentences),
        "negations": scores.negations.rate,
        "negations_said": scores.negations.said,
        "numbers": scores.numbers.rate,
        "digits_said": scores.numbers.said,
        "units": scores.units.rate,
        "units_said": scores.units.said,
        "misses": scores.misses[:_SHOWN],
    }


async def _measured(
    settings: Settings, store: Store, name: str, sentences: Sequence[str]
) -> Scores:
    """With the voice as calls have it. Raises UnavailableError, ConfigError and EngineFailed."""
    reader = store.catalog.profile(settings.models.profile).stt
    voice = Voices(store, settings.tts).load(name, "en")
    try:
        await voice.warm()
        stt = whisper.load(store.directory_of(reader), store.model(reader).facts, settings.stt)
        try:
            return await readback(voice, stt, sentences)
        finally:
            stt.close()
    finally:
        voice.close()


async def _said(sentence: str, voice: Voice) -> Pcm:
    """At HEARING_HZ, with silence on both sides."""
    live = Live()
    stream = Resampler(SPEAKING_HZ, HEARING_HZ)
    heard: list[Pcm] = [_SILENCE]
    ticket = Ticket("readback", live.take, live)
    await voice.speak(
        Words(sentence), lambda pcm: heard.append(stream.push(pcm)), ticket, first=True
    )
    return np.concatenate([*heard, stream.end(), _SILENCE])


async def _read(pcm: Pcm, stt: SpeechToText) -> str:
    live = Live()
    utterance = Utterance(pcm, "en", voiced_s=len(pcm) / HEARING_HZ)
    found = await stt.transcribe(utterance, Ticket("readback", live.take, live))
    return found.text.reveal()

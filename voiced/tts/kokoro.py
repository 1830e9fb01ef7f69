"""Kokoro, a voice of one graph that says a piece as a whole.

Its normalisation looks at all of the piece, so windows would change the sound; hence pieces are
short, and the first is heard when all of it is computed. Weights and thread are shared by all its
speakers and languages. It does not know calls, or where the sound goes.

    piece -> phonemes -> Kokoro's symbols -> graph, with the speaker's style for that many symbols
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from voiced.catalog.store import Store
from voiced.config.settings import Tts
from voiced.errors import ConfigError, UnavailableError
from voiced.gpu.worker import Worker
from voiced.tts import alignment, phonemes
from voiced.tts.diction import Breath, Diction
from voiced.tts.espeak import Espeak
from voiced.tts.graphs import session
from voiced.tts.kokoro_graph import DURATIONS, graph_of
from voiced.tts.kokoro_symbols import ACCENTS, Accent
from voiced.tts.lexicon import NO_WORDS, Lexicon, Pronouncing
from voiced.tts.local import WAITING, Local
from voiced.tts.phonemes import Piece
from voiced.tts.windows import Floats

HZ = 24_000
FRAME_S = 0.025
"""What a phoneme's length is counted in."""

PIECE_CHARACTERS = 60
"""A piece is heard when all of it is computed: some four seconds of sound."""

_MOST_SYMBOLS = 510
_STYLE = 256


class Weights:
    """The graph and what its symbols are called; called on one thread."""

    def __init__(self, graph: Path, vocabulary: Mapping[str, int], settings: Tts) -> None:
        """Raises UnavailableError."""
        self.vocabulary = vocabulary
        self._session: Any = session(graph, settings.threads, settings.device)
        self._outputs = [made.name for made in self._session.get_outputs()]

    def run(self, numbers: list[int], style: Floats) -> tuple[Floats, Floats]:
        """Samples at HZ, and the frames of each number, those at both ends included."""
        given = {
            "tokens": np.array([numbers], np.int64),
            "style": style.reshape(1, _STYLE),
            "speed": np.ones(1, np.float32),
        }
        made = dict(zip(self._outputs, self._session.run(None, given), strict=True))
        return made["audio"].reshape(-1), made[DURATIONS].reshape(-1)


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who speaks."""

    name: str
    styles: Floats
    """One for each number of symbols, shape [510, 256]."""
    accent: Accent


class Kokoro:
    """A `Breather`. Everything on one thread."""

    hz = HZ
    piece_characters = PIECE_CHARACTERS

    def __init__(self, weights: Weights, speaker: Speaker, phonemiser: phonemes.Phonemiser) -> None:
        self._weights = weights
        self._speaker = speaker
        self._phonemiser = phonemiser

    def breathe(self, piece: Piece) -> Breath | None:
        """As `Breather.breathe` says."""
        said = phonemes.said(piece, self._phonemes)
        ids = self._weights.vocabulary
        symbols = phonemes.known(phonemes.symbols(said), ids)[:_MOST_SYMBOLS]
        if not symbols.strip():
            return None
        numbers = [0, *(ids[symbol] for symbol in symbols), 0]
        samples, durations = self._weights.run(numbers, self._speaker.styles[len(symbols) - 1])
        seconds = (np.cumsum(durations) * FRAME_S)[1 : len(symbols) + 1]
        return Breath(iter([samples]), alignment.ended(said, symbols, seconds.tolist()))

    def warm(self) -> None:
        """Nothing more: saying a sentence ran all of it."""

    def close(self) -> None:
        """Ends the phonemiser."""
        self._phonemiser.close()

    def _phonemes(self, text: str) -> str:
        return self._speaker.accent.symbols(self._phonemiser.phonemes(text))


class Family:
    """One Kokoro of the catalogue: its weights and thread, until its last voice is closed."""

    def __init__(self, store: Store, name: str, settings: Tts) -> None:
        """Takes some seconds. Raises UnavailableError, ConfigError and Damaged."""
        self._model = store.model(name)
        if self._model.fact("family", str) != "kokoro":
            raise ConfigError(f"catalog.toml: model {name!r}: facts.family: write 'kokoro'")
        self._directory = store.directory_of(name)
        self._settings = settings
        vocabulary = json.loads((self._directory / "vocab.json").read_text(encoding="utf-8"))
        self._weights = Weights(graph_of(store, name), vocabulary["vocab"], settings)
        self._worker = Worker("tts", WAITING)
        self._open = 0

    def voice(self, language: str, speaker: str = "", lexicon: Lexicon = NO_WORDS) -> Local:
        """One speaker in one language, resident but not warm; none named: the language's own.

        Raises UnavailableError and ConfigError.
        """
        named = speaker or self._model.fact("speakers", dict).get(language, "")
        who = self._speaker(str(named), language)
        lexicon.check(
            lambda ipa: phonemes.unknown(who.accent.symbols(ipa), self._weights.vocabulary),
            self._model.name,
        )
        phonemiser = Pronouncing(Espeak(who.accent.espeak), lexicon)
        gain = self._model.fact("gains", dict, {}).get(who.name)
        diction = Diction(Kokoro(self._weights, who, phonemiser), gain, language)
        self._open += 1
        return Local(diction, self._worker, self._settings.deadline_ms / 1000, self._left)

    def _left(self) -> None:
        """The last of its voices to be closed ends the thread."""
        self._open -= 1
        if self._open <= 0:
            self._worker.close()

    def _speaker(self, name: str, language: str) -> Speaker:
        known = [file.name for file in self._model.files if file.name.endswith(".bin")]
        accent = ACCENTS.get(name[:1])
        if f"{name}.bin" not in known or accent is None or accent.language != language:
            speakers = [one.removesuffix(".bin") for one in known]
            fitting = [
                one
                for one in speakers
                if one[0] in ACCENTS and ACCENTS[one[0]].language == language
            ]
            raise ConfigError(
                f"voice {self._model.name}/{name}: no such speaker for {language!r}; write "
                f"{self._model.name}, or {self._model.name}/ with one of: {', '.join(fitting)}"
            )
        styles = np.fromfile(self._directory / f"{name}.bin", np.float32)
        if styles.size != _MOST_SYMBOLS * _STYLE:
            raise UnavailableError(f"{self._directory / name}.bin: is not a speaker of Kokoro's")
        return Speaker(name, styles.reshape(_MOST_SYMBOLS, _STYLE), accent)

"""A Piper voice that begins to speak before the sentence is computed.

    piece -> phonemes -> encoder -> latent -> window -> flow -> decoder     (once for each chunk)

Its encoder says how long each phoneme is, so it can tell when each word is over. Rhythm and sound
are drawn by the piece: the same piece is the same samples each time. It does not know threads,
calls, or where the sound goes.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Protocol

import numpy as np

from voiced.catalog.store import Store
from voiced.config.settings import Tts
from voiced.errors import ConfigError
from voiced.gpu.worker import Worker
from voiced.tts import alignment, phonemes, traits, windows
from voiced.tts.clarity import JUNCTURE, apart
from voiced.tts.diction import Breath, Diction, gain_of
from voiced.tts.espeak import Espeak
from voiced.tts.graphs import Graphs
from voiced.tts.lexicon import NO_WORDS, Lexicon, Pronouncing
from voiced.tts.local import WAITING, Local
from voiced.tts.phonemes import Piece
from voiced.tts.split import parts_of
from voiced.tts.traits import Manner, Traits
from voiced.tts.windows import Latent

_MARK = ","
"""What a JUNCTURE is said as, in a part of its time."""

_JUNCTURE_PACE = 0.25
"""Of a comma's silence, about 0.2 s."""


class Parts(windows.Parts, Protocol):
    """The voice's model, as `Graphs` runs it."""

    decoder_context: int
    hop: int

    @property
    def fixed(self) -> bool:
        """Windows must have few fixed sizes."""
        ...

    def encode(self, numbers: Sequence[int], manner: Manner, pace: Sequence[float] = ()) -> Latent:
        """`pace`: how much longer than it would be each number is; empty: none is."""
        ...


class Vits:
    """A `Breather`. Everything on one thread."""

    def __init__(self, traits: Traits, parts: Parts, phonemiser: phonemes.Phonemiser) -> None:
        self._traits = traits
        self._parts = parts
        self._phonemiser = phonemiser

    @property
    def piece_characters(self) -> int:
        return phonemes.PIECE_CHARACTERS

    @property
    def hz(self) -> int:
        return self._traits.audio.sample_rate

    def breathe(self, piece: Piece) -> Breath | None:
        """As `Breather.breathe` says."""
        ids = self._traits.phoneme_id_map
        said = phonemes.said(piece, lambda text: apart(self._phonemiser.phonemes(text)))
        if not said:
            return None
        marked = phonemes.known(phonemes.symbols(said), {*ids, JUNCTURE})
        symbols = marked.replace(JUNCTURE, _MARK)
        numbers = phonemes.numbers(symbols, ids)
        latent = self._parts.encode(numbers, self._traits.inference, _pace(marked, ids))
        ended = self._ends(symbols, latent)
        return Breath(self._stream(latent), alignment.ended(said, symbols, ended) if ended else ())

    def warm(self) -> None:
        """On a card, runs once in each window's shape."""
        if self._parts.fixed:
            nothing = phonemes.numbers(" ", self._traits.phoneme_id_map)
            latent = self._parts.encode(nothing, self._traits.inference)
            windows.warm(latent, self._parts, self._parts.decoder_context)

    def close(self) -> None:
        """Ends the phonemiser."""
        self._phonemiser.close()

    def _stream(self, latent: Latent) -> Iterator[windows.Floats]:
        return windows.stream(
            latent,
            self._parts,
            self._parts.decoder_context,
            fixed=self._parts.fixed,
        )

    def _ends(self, symbols: str, latent: Latent) -> list[float]:
        """Second at which each symbol is over, with what is between; empty where none is told."""
        if latent.durations is None:
            return []
        ids = self._traits.phoneme_id_map
        seconds = np.cumsum(latent.durations) * (self._parts.hop / self.hz)
        sizes = [len(ids[symbol]) + len(ids["_"]) for symbol in symbols]
        begun = len(ids["^"]) + len(ids["_"])
        return [float(seconds[begun + end - 1]) for end in accumulate(sizes)]


def load(
    store: Store,
    name: str,
    settings: Tts,
    lexicon: Lexicon = NO_WORDS,
    *,
    speaker: str = "",
) -> Local:
    """The catalogue's voice `name`, resident but not warm; takes about a second.

    `speaker` is a number, for a voice with several; none: the catalogue's. Raises UnavailableError,
    ConfigError and Damaged.
    """
    model = store.model(name)
    if model.fact("family", str) != "piper":
        raise ConfigError(f"catalog.toml: model {name!r}: facts.family: write 'piper'")
    own = traits.read(store.directory_of(name))
    number = _number(speaker, name, own) if speaker else model.fact("speaker", int, 0)
    lexicon.check(lambda ipa: phonemes.unknown(ipa, own.phoneme_id_map), name)
    graphs = Graphs(parts_of(store, name), settings, speaker=number)
    breather = Vits(own, graphs, Pronouncing(Espeak(own.espeak.voice), lexicon))
    diction = Diction(breather, gain_of(model))
    return Local(diction, Worker("tts", WAITING), settings.deadline_ms / 1000)


def _pace(marked: str, ids: Mapping[str, Sequence[int]]) -> list[float]:
    """Of each of the numbers that `phonemes.numbers` makes of it; empty where nothing is hurried.

    A JUNCTURE is short together with the space behind it.
    """
    if JUNCTURE not in marked:
        return []
    between = len(ids["_"])
    found = [1.0] * (len(ids["^"]) + between)
    before = ""
    for symbol in marked:
        size = len(ids[_MARK if symbol == JUNCTURE else symbol]) + between
        found += [_JUNCTURE_PACE if JUNCTURE in (before, symbol) else 1.0] * size
        before = symbol
    return found + [1.0] * len(ids["$"])


def _number(speaker: str, name: str, own: Traits) -> int:
    if not speaker.isdecimal() or int(speaker) >= own.num_speakers:
        raise ConfigError(
            f"voice {name}/{speaker}: no such speaker; write {name}, or {name}/ with a number "
            f"below {own.num_speakers}"
        )
    return int(speaker)

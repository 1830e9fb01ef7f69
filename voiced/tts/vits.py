"""A Piper voice that begins to speak before the sentence is computed.

    piece -> phonemes -> encoder -> latent -> window -> flow -> decoder     (once for each chunk)

Its encoder draws how long each phoneme is, so it can tell when each word is over. It does not know
threads, calls, or where the sound goes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from voiced.catalog.store import Store
from voiced.config.settings import Tts
from voiced.errors import ConfigError
from voiced.gpu.worker import Worker
from voiced.tts import alignment, phonemes, traits, windows
from voiced.tts.alignment import Ended
from voiced.tts.diction import Breath, Diction
from voiced.tts.espeak import Espeak
from voiced.tts.graphs import Graphs
from voiced.tts.local import WAITING, Local
from voiced.tts.phonemes import Phrase, Piece
from voiced.tts.split import parts_of
from voiced.tts.traits import Manner, Traits
from voiced.tts.windows import Latent

_SILENT = " _^$.,!?;:"
"""Symbols that are no sound of a word."""


class Parts(windows.Parts, Protocol):
    """The voice's model, as `Graphs` runs it."""

    decoder_context: int
    hop: int

    @property
    def fixed(self) -> bool:
        """Windows must have few fixed sizes."""
        ...

    def encode(self, numbers: Sequence[int], manner: Manner) -> Latent: ...


class Vits:
    """A `Breather`. Everything on one thread."""

    def __init__(self, traits: Traits, parts: Parts, phonemiser: phonemes.Phonemiser) -> None:
        self._traits = traits
        self._parts = parts
        self._phonemiser = phonemiser

    @property
    def hz(self) -> int:
        return self._traits.audio.sample_rate

    def breathe(self, piece: Piece) -> Breath | None:
        """As `Breather.breathe` says."""
        said = phonemes.said(piece, self._phonemiser.phonemes)
        if not said:
            return None
        numbers = phonemes.numbers(phonemes.symbols(said), self._traits.phoneme_id_map)
        latent = self._parts.encode(numbers, self._traits.inference)
        return Breath(self._stream(latent), self._ended(said, numbers, latent))

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

    def _ended(
        self, said: Sequence[tuple[Phrase, str]], numbers: Sequence[int], latent: Latent
    ) -> list[Ended]:
        """When each word is over; a space between two symbols ends the token before it."""
        if latent.durations is None:
            return []
        frames = np.cumsum(latent.durations)
        seconds = [float(frames[last]) * self._parts.hop / self.hz for last in self._last(numbers)]
        found: list[Ended] = []
        begun = 0
        for phrase, line in said:
            words, tokens = phrase.text.split(), line.split(" ")
            places = alignment.token_of(words, tokens)
            found += [
                (word, seconds[begun + place]) for word, place in zip(words, places, strict=True)
            ]
            begun += len(tokens)
        return found

    def _last(self, numbers: Sequence[int]) -> list[int]:
        """Where the last sound of each token stands: before the marks and space behind it."""
        ids = self._traits.phoneme_id_map
        silent = {number for sign in _SILENT for number in ids.get(sign, ())}
        found: list[int] = []
        sound = 0
        for place, number in enumerate(numbers):
            if number == ids[" "][0]:
                found.append(sound)
            elif number not in silent:
                sound = place
        return [*found, sound]


def load(store: Store, name: str, settings: Tts, *, noise: bool = True) -> Local:
    """The catalogue's voice `name`, resident but not warm; takes about a second.

    Without `noise` the same clause is the same samples each time. Raises UnavailableError,
    ConfigError and Damaged.
    """
    model = store.model(name)
    if model.fact("family", str) != "piper":
        raise ConfigError(f"catalog.toml: model {name!r}: facts.family: write 'piper'")
    own = traits.read(store.directory_of(name))
    if not noise:
        own = replace(own, inference=replace(own.inference, noise_scale=0.0, noise_w=0.0))
    graphs = Graphs(parts_of(store, name), settings, speaker=model.fact("speaker", int, 0))
    breather = Vits(own, graphs, Espeak(own.espeak.voice))
    diction = Diction(breather, model.fact("gain", float, 1.0))
    return Local(diction, Worker("tts", WAITING), settings.deadline_ms / 1000)

"""A Piper voice that begins to speak before the sentence is computed.

All of its work is done on its own thread, a chunk a job: so the first chunk of a turn goes before
the later chunks of every other call, a clause that runs dry before one with sound to spare, and
nobody waits for a whole sentence of somebody else.

    clause -> pieces -> phonemes -> encoder -> latent
    latent -> window -> flow -> decoder -> limiter -> 24 kHz -> sink     (once for each chunk)

It does not know calls, turns, or where the sound goes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from voiced.audio.pcm import SPEAKING_HZ, Pcm
from voiced.audio.resample import Resampler
from voiced.catalog.store import Store
from voiced.config.settings import Tts
from voiced.errors import ConfigError
from voiced.flow.cancel import Ticket
from voiced.gpu.worker import Urgency, Worker
from voiced.tts import phonemes, traits, windows
from voiced.tts.espeak import Espeak
from voiced.tts.graphs import Graphs
from voiced.tts.loudness import leveled
from voiced.tts.model import Sink
from voiced.tts.speech import Speech
from voiced.tts.split import parts_of
from voiced.tts.traits import Manner, Traits
from voiced.tts.windows import Latent
from voiced.words import Words

_WAITING = 64
"""Jobs in the queue: at most one for each clause that is being spoken, over all calls."""

_WARMING = Words("One moment, please: I am getting ready to speak, and then you will hear me.")
"""Long enough for each size of chunk."""

_WARM_DEADLINE_S = 120.0
"""On a card the first run of each shape loads and chooses kernels."""


class Parts(windows.Parts, Protocol):
    """The voice's model, as `Graphs` runs it."""

    decoder_context: int

    @property
    def fixed(self) -> bool:
        """Windows must have few fixed sizes."""
        ...

    def encode(self, numbers: Sequence[int], manner: Manner) -> Latent: ...


class Phonemiser(Protocol):
    """Who turns words into phonemes, as `Espeak` does. Called on the voice's thread."""

    def phonemes(self, text: str) -> str: ...

    def close(self) -> None: ...


class Vits:
    """One resident voice. `speak` and `warm` on the main loop, `close` on any thread."""

    def __init__(
        self, traits: Traits, parts: Parts, phonemiser: Phonemiser, gain: float, settings: Tts
    ) -> None:
        self._traits = traits
        self._parts = parts
        self._phonemiser = phonemiser
        self._gain = gain
        self._deadline_s = settings.deadline_ms / 1000
        self._worker = Worker("tts", _WAITING)

    @property
    def progressed_at(self) -> float:
        """When the thread last began or ended a chunk; the watchdog reads it with `busy`."""
        return self._worker.progressed_at

    @property
    def busy(self) -> bool:
        return self._worker.busy

    async def speak(self, clause: Words, sink: Sink, ticket: Ticket, *, first: bool) -> float:
        """As `Voice.speak` says."""
        speech = Speech(self._chunks(clause), sink, ticket)
        urgency = Urgency.FIRST if first else Urgency.NEXT
        while await self._worker.run(
            speech.step, urgency=urgency, ticket=ticket, deadline_s=self._deadline_s
        ):
            urgency = speech.urgency
        return speech.seconds

    async def warm(self) -> None:
        """Speaks once into nothing; on a card, once in each window's shape. Raises EngineFailed."""
        await self._worker.run(
            self._warm, urgency=Urgency.SPARE, ticket=None, deadline_s=_WARM_DEADLINE_S
        )

    def close(self) -> None:
        """Ends the thread, after the chunk that runs, and the phonemiser."""
        self._worker.close()
        self._phonemiser.close()

    def _chunks(self, clause: Words) -> Iterator[Pcm]:
        """The clause's sound at SPEAKING_HZ; nothing is computed before it is asked for."""
        stream = Resampler(self._traits.audio.sample_rate, SPEAKING_HZ)
        for piece in phonemes.pieces(clause.reveal()):
            symbols = phonemes.symbols(piece, self._phonemiser.phonemes)
            if symbols:
                numbers = phonemes.numbers(symbols, self._traits.phoneme_id_map)
                for samples in self._stream(self._parts.encode(numbers, self._traits.inference)):
                    yield stream.push(leveled(samples, self._gain))
        yield stream.end()

    def _stream(self, latent: Latent) -> Iterator[windows.Floats]:
        return windows.stream(
            latent,
            self._parts,
            self._parts.decoder_context,
            fixed=self._parts.fixed,
        )

    def _warm(self) -> None:
        for _ in self._chunks(_WARMING):
            pass
        if self._parts.fixed:
            nothing = phonemes.numbers(" ", self._traits.phoneme_id_map)
            latent = self._parts.encode(nothing, self._traits.inference)
            windows.warm(latent, self._parts, self._parts.decoder_context)


def load(store: Store, name: str, settings: Tts, *, noise: bool = True) -> Vits:
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
    gain = model.fact("gain", float, 1.0)
    return Vits(own, graphs, Espeak(own.espeak.voice), gain, settings)

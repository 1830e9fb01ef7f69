"""`voiced bench tts`: a voice that streams, against its own graph run as a whole.

Both sides have the same weights, threads, phonemes, limiter and resampler, and no chance in them
(noise 0), so they make the same samples. It does not know how the voice streams.
"""

import asyncio
import resource
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from voiced import clock
from voiced.audio.pcm import SPEAKING_HZ, Pcm
from voiced.audio.resample import Resampler
from voiced.bench import readback, tts_sonic
from voiced.bench.harness import alternate
from voiced.bench.options import BenchOptions
from voiced.bench.play import Play, play
from voiced.catalog.store import Store, open_store
from voiced.config.settings import Tts
from voiced.flow.cancel import Live, Take, Ticket
from voiced.gpu.worker import Worker
from voiced.tts import phonemes, traits, windows
from voiced.tts.diction import Diction
from voiced.tts.espeak import Espeak
from voiced.tts.graphs import Graphs, session
from voiced.tts.local import WAITING, Local
from voiced.tts.loudness import leveled
from voiced.tts.split import parts_of
from voiced.tts.traits import Manner, Traits
from voiced.tts.vits import Vits
from voiced.tts.windows import Floats
from voiced.words import Words

SENTENCE = (
    "Your appointment with Doctor Kim is on Tuesday, March third, at ten thirty in the morning."
)
"""90 characters, made up."""

_OTHERS = ("Of course,", "Please do not eat or drink anything after midnight.")
_STILL = Manner(noise_scale=0.0, length_scale=1.0, noise_w=0.0)
_MOST_DB = 200.0


def run(options: BenchOptions) -> dict[str, object]:
    """The measures of one voice, on one thread. Takes about a quarter of a minute; Sonic's are
    measured by `tts_sonic`.

    Raises UnavailableError and ConfigError when the voice cannot be loaded.
    """
    remote = tts_sonic.chosen(options)
    if remote is not None:
        return tts_sonic.run(options, remote)
    settings = replace(options.settings.tts, threads=1)
    store = open_store(options.settings.models)
    name = options.voice or store.catalog.profile(options.settings.models.profile).tts[0]
    if options.readback is not None:
        return readback.run(options.settings, store, name, options.readback)
    sides = _Sides(store, name, settings)
    try:
        sides.warm()
        ttfb = alternate(lambda: sides.stream(SENTENCE).ttfb_ms, sides.whole_ms, options.rounds)
        cpu = alternate(
            lambda: _cpu_ms(lambda: sides.stream(SENTENCE)),
            lambda: _cpu_ms(sides.whole_ms),
            options.rounds,
        )
        texts = (SENTENCE, *_OTHERS)
        plays = [sides.stream(text) for text in texts for _ in range(options.rounds)]
        snr_db = min(sides.snr_db(text) for text in texts)
    finally:
        sides.close()
    return {
        **ttfb.json("ttfb"),
        **cpu.json("cpu"),
        "snr_db": round(snr_db, 1),
        "underruns": sum(play.underruns for play in plays),
        "voice": name,
        "device": settings.device,
        "threads": settings.threads,
        "unit": "ms",
    }


class _Sides:
    """The voice, and the graph that it was split from."""

    def __init__(self, store: Store, name: str, settings: Tts) -> None:
        model = store.model(name)
        self._traits: Traits = replace(traits.read(store.directory_of(name)), inference=_STILL)
        self._gain = model.fact("gain", float, 1.0)
        self._parts = Graphs(parts_of(store, name), settings)
        source = next(file.name for file in model.files if file.name.endswith(".onnx"))
        self._whole: Any = session(store.path_of(name, source), settings.threads, settings.device)
        language = self._traits.espeak.voice
        self._espeak = Espeak(language)
        breather = Vits(self._traits, self._parts, Espeak(language))
        deadline_s = settings.deadline_ms / 1000
        self._voice = Local(Diction(breather, self._gain), Worker("tts", WAITING), deadline_s)
        self._runner = asyncio.Runner()

    def warm(self) -> None:
        self._runner.run(self._voice.warm())
        self.whole_ms()

    def stream(self, text: str) -> Play:
        """Speaks it as a call would, as fast as it goes."""
        arrivals: list[tuple[float, float]] = []

        def sink(pcm: Pcm) -> None:
            arrivals.append((clock.now(), len(pcm) / SPEAKING_HZ))

        ticket = Ticket("bench", Take(0, 0), Live())
        begun_at = clock.now()
        self._runner.run(self._voice.speak(Words(text), sink, ticket, first=True))
        return play(begun_at, arrivals)

    def whole_ms(self) -> float:
        """The sentence from the whole graph, to the first sample that could be sent."""
        begun_at = clock.now()
        stream = Resampler(self._traits.audio.sample_rate, SPEAKING_HZ)
        for numbers in self._numbers(SENTENCE):
            stream.push(leveled(self._run_whole(numbers), self._gain))
        stream.end()
        return (clock.now() - begun_at) * 1000

    def snr_db(self, text: str) -> float:
        """How far the windows are from the whole, before any rounding to int16."""
        worst = _MOST_DB
        for numbers in self._numbers(text):
            whole = self._run_whole(numbers)
            latent = self._parts.encode(numbers, _STILL)
            context = self._parts.decoder_context
            chunks = windows.stream(latent, self._parts, context, fixed=self._parts.fixed)
            worst = min(worst, _snr_db(whole, np.concatenate(list(chunks))))
        return worst

    def close(self) -> None:
        self._voice.close()
        self._espeak.close()
        self._runner.close()

    def _numbers(self, text: str) -> list[list[int]]:
        said = [phonemes.said(piece, self._espeak.phonemes) for piece in phonemes.pieces(text)]
        spoken = [phonemes.symbols(phrases) for phrases in said]
        ids = self._traits.phoneme_id_map
        return [phonemes.numbers(phonemes.known(symbols, ids), ids) for symbols in spoken]

    def _run_whole(self, numbers: list[int]) -> Floats:
        given = {
            "input": np.array([numbers], np.int64),
            "input_lengths": np.array([len(numbers)], np.int64),
            "scales": np.array([0.0, 1.0, 0.0], np.float32),
        }
        if "sid" in {value.name for value in self._whole.get_inputs()}:
            given["sid"] = np.array([0], np.int64)
        samples: Floats = self._whole.run(None, given)[0]
        return samples.reshape(-1)


def _snr_db(wanted: Floats, found: Floats) -> float:
    if len(wanted) != len(found):
        return 0.0
    signal = float(np.sum(np.square(wanted, dtype=np.float64)))
    error = float(np.sum(np.square(wanted - found, dtype=np.float64)))
    return min(_MOST_DB, 10 * float(np.log10(signal / error))) if error else _MOST_DB


def _cpu_ms(work: Callable[[], object]) -> float:
    """What all threads of this process spend while `work` runs."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    work()
    after = resource.getrusage(resource.RUSAGE_SELF)
    spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return spent * 1000

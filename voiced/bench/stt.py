"""`voiced bench stt`: our recogniser and stock faster-whisper on the same recorded utterances.

Both are given the whole clip, its language, the same weights in int8 and the same threads, and are
timed from the end of the audio to the final text; neither has partials or a detector. For
`streamed_latency_ratio` and `streamed_wer` ours is fed as in a call (`stt_streamed`).

Speakers are of two parts. What may be chosen by a score (windows, padding, limits) is chosen on the
first; `held_out_wer` is of the second, which nothing was chosen on.
"""

import asyncio
import csv
import statistics
import zlib
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path

import faster_whisper

from voiced import clock
from voiced.audio import file
from voiced.audio.pcm import HEARING_HZ, Pcm, to_float
from voiced.bench import wer
from voiced.bench.harness import Comparison, Spread
from voiced.bench.options import BenchOptions
from voiced.bench.stt_streamed import Stream
from voiced.catalog.store import open_store
from voiced.errors import UnavailableError
from voiced.flow.cancel import Live, Ticket
from voiced.stt import whisper
from voiced.stt.model import SpeechToText, Utterance
from voiced.vad import silero

SCORED = {"corpus", "book", "checked"}
"""Kinds of transcript that a person wrote or checked."""


@dataclass(frozen=True, slots=True)
class Clip:
    """One recorded utterance and what was said in it."""

    pcm: Pcm
    transcript: str
    speaker: str

    @property
    def held_out(self) -> bool:
        """Whether nothing may be chosen by it; the same for all clips of a speaker."""
        return zlib.crc32(self.speaker.encode()) % 2 == 1


@dataclass(frozen=True, slots=True)
class Result:
    """One side's reading of one clip."""

    seconds: float
    text: str


def run(options: BenchOptions) -> dict[str, object]:
    """The keys of the contract; errors are of all words together."""
    language = options.language or "en"
    clips = read_clips(options.speech_dir(), language)
    return asyncio.run(_measure(options, clips, language))


def read_clips(speech: Path, language: str, sources: Container[str] = SCORED) -> list[Clip]:
    """The clips of a language whose text is of such a source. Raises UnavailableError when there
    are none."""
    with (speech / "manifest.tsv").open(encoding="utf-8", newline="") as manifest:
        rows = [
            row
            for row in csv.DictReader(manifest, delimiter="\t", quoting=csv.QUOTE_NONE)
            if row["language"] == language and row["transcript_source"] in sources
        ]
    if not rows:
        raise UnavailableError(f"{speech}: no clip with such a transcript in language {language!r}")
    return [
        Clip(file.read(speech / row["file"], HEARING_HZ), row["transcript"], row["speaker"])
        for row in rows
    ]


async def _measure(
    options: BenchOptions, clips: Sequence[Clip], language: str
) -> dict[str, object]:
    settings = options.settings
    store = open_store(settings.models)
    name = store.catalog.profile(settings.models.profile).stt
    directory = store.directory_of(name)
    stock = faster_whisper.WhisperModel(
        str(directory), device="cpu", compute_type="int8", cpu_threads=settings.stt.threads
    )
    stt = whisper.load(directory, store.model(name).facts, settings.stt)
    ear = store.catalog.profile(settings.models.profile).vad
    detector = silero.load(store.directory_of(ear), store.model(ear).facts)
    stream = Stream(stt, detector, settings)
    try:
        # the first round warms all and is thrown away
        rounds = [
            (
                await _ours(stt, clip, language),
                _baseline(stock, clip, language),
                Result(*await stream.read(clip.pcm, language)),
            )
            for clip in [clips[0], *clips]
        ][1:]
    finally:
        stt.close()
    ours, baseline, streamed = ([*side] for side in zip(*rounds, strict=True))
    shown = _shown(clips, ours, baseline, settings.stt.threads)
    return {**shown, **_streamed(clips, streamed, baseline)}


def _shown(
    clips: Sequence[Clip], ours: Sequence[Result], baseline: Sequence[Result], threads: int
) -> dict[str, object]:
    cost = Comparison(
        Spread(tuple(result.seconds * 1000 for result in ours)),
        Spread(tuple(result.seconds * 1000 for result in baseline)),
    )
    return {
        **cost.json("latency"),
        "wer": rate(clips, ours),
        "baseline_wer": rate(clips, baseline),
        "utterances": len(clips),
        "held_out_wer": rate(*_held_out(clips, ours)),
        "baseline_held_out_wer": rate(*_held_out(clips, baseline)),
        "held_out_utterances": sum(clip.held_out for clip in clips),
        "audio_s": round(sum(len(clip.pcm) for clip in clips) / HEARING_HZ, 1),
        "threads": threads,
    }


def _streamed(
    clips: Sequence[Clip], streamed: Sequence[Result], baseline: Sequence[Result]
) -> dict[str, object]:
    """A text that was there before the audio ended took no time."""
    ratios = [a.seconds / b.seconds for a, b in zip(streamed, baseline, strict=True)]
    return {
        "streamed_latency_ratio": round(statistics.median(ratios), 4),
        "streamed_latency": Spread(tuple(result.seconds * 1000 for result in streamed)).json(),
        "streamed_wer": rate(clips, streamed),
        "streamed_held_out_wer": rate(*_held_out(clips, streamed)),
    }


def _held_out(clips: Sequence[Clip], results: Sequence[Result]) -> tuple[list[Clip], list[Result]]:
    pairs = [(clip, result) for clip, result in zip(clips, results, strict=True) if clip.held_out]
    return [clip for clip, _ in pairs], [result for _, result in pairs]


def rate(clips: Sequence[Clip], results: Sequence[Result]) -> float:
    """Word errors of all clips together, over their words; 0 without clips."""
    counts = [
        wer.errors(clip.transcript, result.text)
        for clip, result in zip(clips, results, strict=True)
    ]
    said = sum(words for _, words in counts)
    return round(sum(wrong for wrong, _ in counts) / max(said, 1), 4)


async def _ours(stt: SpeechToText, clip: Clip, language: str) -> Result:
    live = Live()
    begun = clock.now()
    heard = await stt.transcribe(Utterance(clip.pcm, language), Ticket("bench", live.take, live))
    return Result(clock.now() - begun, heard.text.reveal())


def _baseline(stock: faster_whisper.WhisperModel, clip: Clip, language: str) -> Result:
    begun = clock.now()
    segments, _ = stock.transcribe(
        to_float(clip.pcm),
        language=language,
        beam_size=1,
        without_timestamps=True,
        temperature=0,
        vad_filter=False,
    )
    text = " ".join(segment.text for segment in segments)
    return Result(clock.now() - begun, text)

"""`voiced bench turn`: when the caller's turn is over, ours against Smart Turn as pipecat runs it.

Sentences are spoken by the voices of this machine, each whole, by one voice after the other, with
silences of 0.2 to 1.5 s put in at their natural pauses. Ours is the detector, recogniser, language
model and turn machine of a call: its endpoint comes with the words read and the end weighed. The
baseline's is its detector and model alone; its transcript still has to be made.

It does not know how either side decides.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from voiced.audio import file
from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.bench import turn_measures, turn_speech
from voiced.bench.options import BenchOptions
from voiced.bench.turn_measures import Outcome, Truth
from voiced.bench.turn_ours import Ears, Replayed, agent, replay
from voiced.bench.turn_smart import SmartTurn, ends
from voiced.bench.turn_speech import Speaker, Turn
from voiced.catalog.store import Store, open_store
from voiced.errors import UnavailableError, VoicedError
from voiced.llm import llama
from voiced.stt import whisper
from voiced.tts.voices import Voices
from voiced.vad import silero
from voiced.vad.hysteresis import WINDOW
from voiced.vad.silero import Memory, Silero

PROGRAM_VOICES = ("en-us", "en-us+f2")
OWN = Path("tests/data/turns_held_out.txt")
_NOISE_S = 20
_PATIENCE_MS = 120_000
"""For a voice: what it says is recorded, and nobody waits for it."""
_LONGEST_PAUSE_S = 0.15
"""A pause that was weighed so near to one that was put in is that one."""


@dataclass(frozen=True, slots=True)
class Played:
    """One turn, and what both sides made of it."""

    turn: Turn
    ours: Replayed
    baseline: list[float]

    @property
    def outcomes(self) -> tuple[Outcome, Outcome]:
        """Ours and the baseline's."""
        end, pauses = self.turn.end / HEARING_HZ, len(self.turn.pauses)
        ours = Outcome(tuple(self.ours.releases), end, pauses)
        return ours, Outcome(tuple(self.baseline), end, pauses)

    def truths(self) -> Iterator[Truth]:
        """The pauses that ours weighed, beside what the caller did."""
        for weighed in self.ours.pauses:
            for pause in self.turn.pauses:
                if abs(pause.start / HEARING_HZ - weighed.paused_at) < _LONGEST_PAUSE_S:
                    resumes = pause.stop / HEARING_HZ
                    yield Truth(weighed, resumes, pause.start / HEARING_HZ)
            end = self.turn.end / HEARING_HZ
            if abs(end - weighed.paused_at) < _LONGEST_PAUSE_S:
                yield Truth(weighed, None, end)


class Bench:
    """The resident models of both sides."""

    def __init__(self, ears: Ears, detector: Silero, smart: SmartTurn) -> None:
        self._ears = ears
        self._detector = detector
        self._smart = smart

    async def play(self, turn: Turn) -> Played:
        """One turn to both sides."""
        speech = self.speech(turn.pcm)
        ours = await replay(turn.pcm, speech, self._ears)
        return Played(turn, ours, ends(turn.pcm, speech, self._smart))

    async def turns_in(self, noise: Pcm) -> int:
        """How many turns ours makes of a noise."""
        return len((await replay(noise, self.speech(noise), self._ears)).releases)

    def speech(self, pcm: Pcm) -> list[float]:
        """The probability of speech, by window."""
        memory = Memory()
        starts = range(0, len(pcm) - WINDOW + 1, WINDOW)
        return [self._detector.judge([pcm[at : at + WINDOW]], [memory])[0] for at in starts]


def run(options: BenchOptions) -> dict[str, object]:
    """The keys of the contract. Takes about two seconds a sentence."""
    sentences = [line for path in files(options) for line in turn_speech.read(path)]
    return asyncio.run(_measure(options, sentences))


def files(options: BenchOptions) -> list[Path]:
    """The sentences that were asked for; else those beside the recorded speech, and our own."""
    if options.turns is not None:
        return [options.turns]
    beside = options.speech.parent / "cases" / "turns.txt"
    found = [path for path in (beside, OWN) if path.is_file()]
    if not found:
        raise UnavailableError(f"{OWN}: no sentences there: name a file with --turns FILE")
    return found


async def _measure(
    options: BenchOptions, sentences: Sequence[turn_speech.Sentence]
) -> dict[str, object]:
    async with AsyncExitStack() as stack:
        bench = await opened(options, stack)
        turns = await _spoken(options, sentences, stack)
        played = [await bench.play(turn) for turn in turns]
        noises = list(_noises(options))
        false = sum([await bench.turns_in(noise) for noise in noises])
    return {**_shown(played, options), "false_turns_on_noise": false, "noises": len(noises)}


def _shown(played: Sequence[Played], options: BenchOptions) -> dict[str, object]:
    ours = [one.outcomes[0] for one in played]
    baseline = [one.outcomes[1] for one in played]
    truths = [truth for one in played for truth in one.truths()]
    return {
        "endpoint_delay_ms": turn_measures.delays_ms(ours),
        "cut_off_rate": turn_measures.cut_off_rate(ours),
        "baseline_endpoint_delay_ms": turn_measures.delays_ms(baseline),
        "baseline_cut_off_rate": turn_measures.cut_off_rate(baseline),
        "cases": len(played),
        "pauses": sum(outcome.pauses for outcome in ours),
        "never_ended": sum(outcome.wait_s is None for outcome in ours),
        "curve": turn_measures.curve(truths, options.settings.turn),
    }


async def opened(options: BenchOptions, stack: AsyncExitStack) -> Bench:
    """Both sides, warm; closed with the stack. Raises UnavailableError and ConfigError."""
    settings = options.settings
    store = open_store(settings.models)
    profile = store.catalog.profile(settings.models.profile)
    detector = silero.load(store.directory_of(profile.vad), store.model(profile.vad).facts)
    facts = store.model(profile.stt).facts
    stt = whisper.load(store.directory_of(profile.stt), facts, settings.stt)
    stack.callback(stt.close)
    await stt.warm()
    model = store.model(profile.llm)
    path = store.path_of(model.name, model.files[0].name)
    llm = llama.load(path, model.facts, replace(settings.llm, slots=2))
    stack.callback(llm.close)
    await llm.prepare([agent()])
    smart = store.path_of("smart-turn", store.model("smart-turn").files[0].name)
    ears = Ears(stt, llm, settings.vad, settings.turn, settings.stt.threads)
    return Bench(ears, detector, SmartTurn(smart, threads=1))


async def _spoken(
    options: BenchOptions, sentences: Sequence[turn_speech.Sentence], stack: AsyncExitStack
) -> list[Turn]:
    """Each sentence by one voice, which take turns."""
    store = open_store(options.settings.models)
    voices = [speaker async for speaker in speakers(options, store, stack)]
    return [
        turn_speech.turn(await voices[number % len(voices)].say(sentence), number)
        for number, sentence in enumerate(sentences)
    ]


async def speakers(
    options: BenchOptions, store: Store, stack: AsyncExitStack
) -> AsyncIterator[Speaker]:
    """The voices of this machine that can say English sentences."""
    settings = options.settings
    first = store.catalog.profile(settings.models.profile).tts[0]
    names = [options.voice] if options.voice else [first, "kokoro/bf_emma"]
    library = Voices(store, replace(settings.tts, deadline_ms=_PATIENCE_MS))
    for name in names:
        try:
            voice = library.load(name, "en")
        except VoicedError:
            if name in (options.voice, first):
                raise
            continue  # a second voice of that kind is a luxury
        stack.callback(voice.close)
        yield turn_speech.Local(voice)
    if options.voice is None:
        for name in PROGRAM_VOICES:
            yield turn_speech.Program(name)


def _noises(options: BenchOptions) -> Iterator[Pcm]:
    """No turn may come of these: recordings where there are some, hiss, hum and beeps."""
    for path in sorted((options.speech / "noise").glob("*.flac")):
        yield file.read(path, HEARING_HZ)[: _NOISE_S * HEARING_HZ]
    chance = np.random.default_rng(1)
    time = np.arange(8 * HEARING_HZ) / HEARING_HZ
    hum = 3000 * np.sin(2 * np.pi * 50 * time)
    beeps = 6000 * np.sin(2 * np.pi * 960 * time) * (time % 1 < 0.2)
    for sound in (chance.normal(0, 1000, len(time)), hum, beeps):
        yield sound.astype(np.int16)

"""`voiced bench gpu`: a turn's first sound while the card reads a long prompt and an utterance.

    alone       one clause, up to its first chunk
    beside      the same, begun with a prefill of 3,000 tokens and an utterance of 8 s under way

The ratio says what the three engines cost each other on one card; a CPU's would say nothing, so
there is none. It does not know how they share it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.bench.harness import Spread
from voiced.bench.options import BenchOptions
from voiced.catalog.store import open_store
from voiced.clock import now
from voiced.errors import CallError, UnavailableError
from voiced.flow.cancel import Live, Take, Ticket
from voiced.gpu.libraries import preload
from voiced.llm import llama
from voiced.llm.scheduler import Job, Scheduler, Track, Urgency
from voiced.llm.slot import Reading
from voiced.stt import whisper
from voiced.stt.model import Utterance
from voiced.tts.model import Voice
from voiced.tts.voices import Voices
from voiced.words import Words

SENTENCE = Words("Your appointment is on Tuesday, March third, at ten thirty in the morning.")
PREFILL_TOKENS = 3000
UTTERANCE_S = 8
STAGES = ("stt", "llm", "tts")

Work = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Engines:
    """What takes part."""

    first_sound: Callable[[], Awaitable[float]]
    """Seconds until a clause sounds."""
    others: tuple[Work, ...]
    """What the card does meanwhile."""


def run(options: BenchOptions) -> dict[str, object]:
    """The measures. Raises UnavailableError where a stage does not run on a card."""
    absent = [stage for stage in STAGES if stage not in options.settings.on_card]
    if absent:
        raise UnavailableError(
            f"bench gpu: {', '.join(absent)} not on a card: it is measured only with device = "
            "'cuda' under [stt], [llm] and [tts]"
        )
    preload()
    return asyncio.run(_measured(options))


async def compared(engines: Engines, rounds: int) -> dict[str, object]:
    """Alone and beside in turn, after a pair that is thrown away."""
    alone: list[float] = []
    beside: list[float] = []
    for _ in range(rounds + 1):
        alone.append(await engines.first_sound())
        async with asyncio.TaskGroup() as busy:
            for work in engines.others:
                busy.create_task(_done(work))
            await asyncio.sleep(0)  # they have begun
            beside.append(await engines.first_sound())
    quiet, loud = Spread(tuple(alone[1:])), Spread(tuple(beside[1:]))
    return {
        "first_chunk_ratio": round(loud.p95 / quiet.p95, 3),
        "first_chunk_alone_ms": _ms(quiet),
        "first_chunk_beside_ms": _ms(loud),
        "rounds": rounds,
    }


async def _measured(options: BenchOptions) -> dict[str, object]:
    store = open_store(options.settings.models)
    profile = store.catalog.profile(options.settings.models.profile)
    language = options.language or "en"
    async with AsyncExitStack() as stack:
        facts = store.model(profile.stt).facts
        ears = whisper.load(store.directory_of(profile.stt), facts, options.settings.stt)
        stack.callback(ears.close)
        model = store.model(profile.llm)
        sized = replace(options.settings.llm, slots=1, context_tokens=PREFILL_TOKENS + 512)
        mind = llama.load(store.path_of(model.name, model.files[0].name), model.facts, sized)
        stack.callback(mind.close)
        name = options.voice or profile.tts[0]
        voice = Voices(store, options.settings.tts).load(name, language)
        stack.callback(voice.close)
        await ears.warm()
        await voice.warm()
        noise = np.random.default_rng(1).normal(0, 300, UTTERANCE_S * HEARING_HZ).astype(np.int16)
        utterance = Utterance(noise, language, (), float(UTTERANCE_S))
        others = (
            partial(ears.transcribe, utterance, _nobody()),
            partial(_prefill, mind),
        )
        return await compared(Engines(partial(_first_sound, voice), others), options.rounds)


async def _done(work: Work) -> None:
    await work()


async def _prefill(mind: llama.LlamaModel) -> None:
    """Reads a prompt of plain tokens, and forgets it."""
    track, reading = mind.track(0), Reading()
    (token, *_) = mind.mind.language.vocabulary.tokens("a", special=False)
    prompt = [token] * PREFILL_TOKENS
    mind.mind.steps.put(partial(_add, Job(track, prompt, reading, Urgency.AHEAD)))
    await reading.likely()
    mind.mind.steps.put(partial(_drop, track))


async def _first_sound(voice: Voice) -> float:
    began, ticket = now(), _nobody()
    sounded: list[float] = []

    def sink(_chunk: Pcm) -> None:
        sounded.append(now())
        ticket.live.take = Take(0, 1)

    try:
        await voice.speak(SENTENCE, sink, ticket, first=True)
    except CallError:
        if not sounded:
            raise
    return sounded[0] - began


def _nobody() -> Ticket:
    live = Live()
    return Ticket("bench", live.take, live)


def _add(job: Job, scheduler: Scheduler) -> None:
    scheduler.add(job)


def _drop(track: Track, scheduler: Scheduler) -> None:
    scheduler.drop(track)


def _ms(spread: Spread) -> dict[str, float]:
    return {"p50": round(spread.median * 1000, 1), "p95": round(spread.p95 * 1000, 1)}

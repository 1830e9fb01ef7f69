"""`voiced bench redflag`: is an emergency that a caller names heard in noise, and nothing else?

Sentences that name one are said by the voices of this machine, with noise 10 dB below them, and
read as in a call; so is all recorded speech, of which none does. The phrases are an agent's. Speech
is read whole: what partials raise earlier in a call comes on top. It does not know what follows.
"""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from voiced.audio import file
from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.bench import turn_speech
from voiced.bench.options import BenchOptions
from voiced.bench.stt import read_clips
from voiced.bench.turn import speakers
from voiced.bench.turn_ours import Tape
from voiced.call.hearing import Hearing
from voiced.call.parts import Casting
from voiced.catalog.store import open_store
from voiced.config.agent import Agent
from voiced.config.reader import read_agents
from voiced.config.settings import Vad
from voiced.errors import UnavailableError
from voiced.flow.cancel import Live, Ticket
from voiced.stt import whisper
from voiced.stt.model import SpeechToText
from voiced.turn.orders import Span
from voiced.turn.redflag import RedFlags

SENTENCES = Path("tests/data/red_flags_english.txt")
NOISE_DB = 10.0
_PATIENCE_MS = 120_000
"""What is read is counted, not how long it took: other work on the machine fails nobody."""
_ROOM_S = 0.3
"""Of noise before and behind a sentence, as in a stretch that a call cuts out."""


@dataclass(frozen=True, slots=True)
class Ears:
    """What hears, and for whom."""

    stt: SpeechToText
    vad: Vad
    casting: Casting
    flags: RedFlags

    async def raised(self, pcm: Pcm) -> bool:
        """Whether the words that are read of a stretch of sound name an emergency."""
        tape, live = Tape(pcm), Live()
        tape.play(len(pcm) / HEARING_HZ)
        try:
            hearing = Hearing(tape, self.stt, self.casting, self.vad)
            ticket = Ticket("bench", live.take, live)
            read = await hearing.dictated(Span(0, len(pcm)), ticket)
        finally:
            tape.ring.close()
        if self.flags.raised_by(read.text) or read.again is None:
            return self.flags.raised_by(read.text)
        return self.flags.raised_by(await read.again())


def run(options: BenchOptions) -> dict[str, object]:
    """`recall` of the sentences, by voice too, and `false_alarms` in so much other speech."""
    return asyncio.run(_measure(options))


def agent_of(options: BenchOptions, language: str) -> Agent:
    """The agent whose phrases are meant: the default one, else the first that has any.

    Raises UnavailableError where none has.
    """
    agents = read_agents(options.settings.calls.agents_dir, options.config)
    default = options.settings.calls.default_agent
    named = [agents[default]] if default in agents else list(agents.values())
    for agent in named:
        if agent.red_flags.get(language):
            return agent
    raise UnavailableError(
        f"bench redflag: no agent here has [red_flags] in {language!r}: name settings that have "
        "one, as --config docs/examples/gallery.toml"
    )


def beside(pcm: Pcm, noise: Pcm) -> Pcm:
    """Speech in a noise that is NOISE_DB softer, and goes on around it."""
    room = np.zeros(int(_ROOM_S * HEARING_HZ), np.int16)
    whole = np.concatenate([room, pcm, room]).astype(np.float64)
    hiss = np.resize(noise.astype(np.float64), len(whole))
    power = np.mean(np.square(pcm[pcm != 0], dtype=np.float64))
    scale = np.sqrt(power / max(float(np.mean(np.square(hiss))), 1.0) / 10 ** (NOISE_DB / 10))
    mixed: Pcm = np.clip(whole + scale * hiss, -32768, 32767).astype(np.int16)
    return mixed


def noises(speech: Path) -> list[Pcm]:
    """Recorded ones where there are some, else a hiss."""
    found = [file.read(path, HEARING_HZ) for path in sorted((speech / "noise").glob("*.flac"))]
    chance = np.random.default_rng(1)
    return found or [chance.normal(0, 1000, 8 * HEARING_HZ).astype(np.int16)]


async def _measure(options: BenchOptions) -> dict[str, object]:
    language = options.language or "en"
    agent = agent_of(options, language)
    sentences = turn_speech.read(options.turns or SENTENCES)
    clips = [clip.pcm for clip in read_clips(options.speech_dir(), language)]
    store = open_store(options.settings.models)
    name = store.catalog.profile(options.settings.models.profile).stt
    patient = replace(options.settings.stt, deadline_ms=_PATIENCE_MS)
    stt = whisper.load(store.directory_of(name), store.model(name).facts, patient)
    flags = RedFlags(phrase for phrases in agent.red_flags.values() for phrase in phrases)
    ears = Ears(stt, options.settings.vad, Casting(agent, language), flags)
    async with AsyncExitStack() as stack:
        stack.callback(stt.close)
        heard = await _said(options, sentences, ears, stack)
        alarms = sum([await ears.raised(clip) for clip in clips])
    hours = sum(len(clip) for clip in clips) / HEARING_HZ / 3600
    return _shown(heard, alarms, hours)


async def _said(
    options: BenchOptions,
    sentences: Sequence[turn_speech.Sentence],
    ears: Ears,
    stack: AsyncExitStack,
) -> list[list[bool]]:
    """By voice and sentence: whether it raised the flag."""
    backgrounds = noises(options.speech)
    found: list[list[bool]] = []
    async for speaker in speakers(options, open_store(options.settings.models), stack):
        raised = []
        for number, sentence in enumerate(sentences):
            pcm = np.concatenate(await speaker.say(sentence))
            background = backgrounds[(number + len(found)) % len(backgrounds)]
            raised.append(await ears.raised(beside(pcm, background)))
        found.append(raised)
    return found


def _shown(heard: Sequence[Sequence[bool]], alarms: int, hours: float) -> dict[str, object]:
    all_of_them = [one for voice in heard for one in voice]
    return {
        "recall": round(sum(all_of_them) / len(all_of_them), 4),
        "recall_by_voice": [round(sum(voice) / len(voice), 4) for voice in heard],
        "missed": [sum(not voice[n] for voice in heard) for n in range(len(heard[0]))],
        "sentences": len(all_of_them),
        "noise_db": NOISE_DB,
        "false_alarms": alarms,
        "other_speech_hours": round(hours, 3),
        "false_alarms_per_hour": round(alarms / hours, 2),
    }

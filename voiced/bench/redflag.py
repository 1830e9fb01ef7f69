"""`voiced bench redflag`: is an emergency that a caller names heard in noise, and nothing else?

Sentences that name one are said by the voices of this machine, with noise 10 dB below them, and
read as in a call; so is all recorded speech, of which none does, as it is and each round in another
noise. The phrases are an agent's. No emergency is recorded: so for people's voices two words of
each recording are one more phrase, while that is read. Speech is read whole: what partials raise
earlier in a call comes on top. It does not know what follows.
"""

import asyncio
import re
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from voiced import clock
from voiced.audio import file
from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.bench import turn_speech
from voiced.bench.call_measures import spread
from voiced.bench.options import BenchOptions
from voiced.bench.stt import Clip, read_clips
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
_LETTERS = 8
"""In a phrase, at least: as few as "overdose" has."""
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class Ears:
    """What hears, and for whom."""

    stt: SpeechToText
    vad: Vad
    casting: Casting
    later_ms: list[float] = field(default_factory=list)
    """How long it took to find what was misread, behind the final text."""

    async def raised(self, pcm: Pcm, *also: str) -> bool:
        """Whether the words that are read of a stretch of sound name an emergency; what else is
        one for the time being."""
        agent, language = self.casting.agent, self.casting.language
        phrases = (*agent.red_flags[language], *also)
        listening = replace(agent, red_flags={**agent.red_flags, language: phrases})
        flags = RedFlags(also or phrases)
        tape, live = Tape(pcm), Live()
        tape.play(len(pcm) / HEARING_HZ)
        try:
            hearing = Hearing(tape, self.stt, Casting(listening, language), self.vad)
            ticket = Ticket("bench", live.take, live)
            read = await hearing.dictated(Span(0, len(pcm)), ticket)
        finally:
            tape.ring.close()
        if flags.raised_by(read.text) or read.again is None:
            return flags.raised_by(read.text)
        begun = clock.now()
        found = flags.raised_by(await read.again())
        if found:
            self.later_ms.append((clock.now() - begun) * 1000)
        return found


def run(options: BenchOptions) -> dict[str, object]:
    """`recall` of the sentences, by voice too; `recorded_recall` of two words in each recording;
    `false_alarms` in so much other speech, an hour of which wants nine rounds of what is there; and
    `later_ms`: behind the final text, what was misread was found."""
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


def phrase_of(transcript: str) -> str | None:
    """The two neighbours in a text that have the most letters; None where that is too few."""
    words = _WORD.findall(transcript.lower())
    pairs = [" ".join(words[at : at + 2]) for at in range(max(len(words) - 1, 1))]
    longest = max(pairs, key=_letters)
    return longest if _letters(longest) >= _LETTERS else None


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


async def _measure(options: BenchOptions) -> dict[str, object]:
    language = options.language or "en"
    agent = agent_of(options, language)
    sentences = turn_speech.read(options.turns or SENTENCES)
    clips = read_clips(options.speech_dir(), language)
    store = open_store(options.settings.models)
    name = store.catalog.profile(options.settings.models.profile).stt
    patient = replace(options.settings.stt, deadline_ms=_PATIENCE_MS)
    stt = whisper.load(store.directory_of(name), store.model(name).facts, patient)
    ears = Ears(stt, options.settings.vad, Casting(agent, language))
    async with AsyncExitStack() as stack:
        stack.callback(stt.close)
        heard = await _said(options, sentences, ears, stack)
        recorded = await _recorded(options, clips, ears)
        alarms = await _alarms(options, clips, ears)
    hours = options.rounds * sum(len(clip.pcm) for clip in clips) / HEARING_HZ / 3600
    return {**_shown(heard, recorded, alarms, hours), "later_ms": spread(ears.later_ms)}


async def _recorded(options: BenchOptions, clips: Sequence[Clip], ears: Ears) -> list[bool]:
    """By recording with a phrase: whether that raised the flag."""
    backgrounds = noises(options.speech)
    return [
        await ears.raised(beside(clip.pcm, backgrounds[number % len(backgrounds)]), phrase)
        for number, clip in enumerate(clips)
        if (phrase := phrase_of(clip.transcript)) is not None
    ]


async def _alarms(options: BenchOptions, clips: Sequence[Clip], ears: Ears) -> int:
    """How often other speech raised the flag: once as it is, then in a noise."""
    backgrounds, alarms = noises(options.speech), 0
    for turn in range(options.rounds):
        for number, clip in enumerate(clips):
            background = backgrounds[(3 * number + turn) % len(backgrounds)]
            alarms += await ears.raised(beside(clip.pcm, background) if turn else clip.pcm)
    return alarms


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


def _shown(
    heard: Sequence[Sequence[bool]], recorded: Sequence[bool], alarms: int, hours: float
) -> dict[str, object]:
    all_of_them = [one for voice in heard for one in voice]
    return {
        "recall": round(sum(all_of_them) / len(all_of_them), 4),
        "recall_by_voice": [round(sum(voice) / len(voice), 4) for voice in heard],
        "missed": [sum(not voice[n] for voice in heard) for n in range(len(heard[0]))],
        "sentences": len(all_of_them),
        "recorded_recall": round(sum(recorded) / max(len(recorded), 1), 4),
        "recordings": len(recorded),
        "noise_db": NOISE_DB,
        "false_alarms": alarms,
        "other_speech_hours": round(hours, 3),
        "false_alarms_per_hour": round(alarms / hours, 2),
    }

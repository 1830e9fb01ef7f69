"""The daemon of `voiced bench call`, in a process of its own, on free ports of the loopback.

    python -m voiced.bench.call_far --config voiced.toml --calls 16 [--fake-models [--detector]]

With fake models everything is as at a site but the engines: a sound is speech where it is loud, is
read by how long it is, and is answered with words that are tones, each of its own pitch. What each
of them takes is known (`SCRIPTED_MS`), so that what is left is the framework's. Behind the real
detector it is people's speech that is heard. It does not know who calls.
"""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from voiced.audio.pcm import SPEAKING_HZ, Pcm
from voiced.call.residents import Residents
from voiced.catalog.store import open_store
from voiced.config.agent import Agent, Sampling
from voiced.config.settings import Control, Fleet, Http, Rtc, Settings
from voiced.daemon import daemon
from voiced.daemon.watch import Watch
from voiced.flow.cancel import Ticket
from voiced.llm.model import Message
from voiced.stt.model import Heard, Utterance
from voiced.testing.fakes import FakeLanguageModel, FakeReply, FakeSlot, FakeVoice, read_as
from voiced.tts.fixed import FixedLine
from voiced.tts.model import Sink, Spoken
from voiced.turn.orders import Line
from voiced.vad import silero
from voiced.vad.silero import Memory
from voiced.vad.watch import Vad
from voiced.words import Words

STT_S, SCORE_S, TTFT_S, TTFB_S = 0.100, 0.030, 0.100, 0.080
SCRIPTED_MS = (STT_S + SCORE_S + TTFT_S + TTFB_S) * 1000
"""From a pause to the first sound, when nothing is lost in between: longer than the endpoint."""

REPLY = "One two three. Four five six. Seven eight nine. Ten eleven twelve."
WORDS = REPLY.lower().replace(".", "").split()
WORD_S = 0.24

_LOUD = 32768 * 10 ** (-30 / 20)
_OPEN = "My name is"
_READ = ((0.25, "No."), (0.55, "mm hmm"), (0.85, "Stop, wait."), (1.2, _OPEN))
"""Seconds of voice below which a sound is read so; the last promises more."""

_QUESTION = "Where can I park my car?"

AGENT = """\
name = "bench"
languages = ["en"]
prompt = "You count."
[lines.en]
greeting = "Hello."
fallback = "Sorry?"
goodbye = "Goodbye."
[voices]
en = "espeak-ng"
"""
"""The agent's file that goes with the fake models."""


def pitch_hz(word: int) -> float:
    """Of the tone that stands for a word, by its number in WORDS."""
    return 300.0 + 120.0 * word


def tone(hz: float, seconds: float, rate_hz: int) -> Pcm:
    """A loud one, without clicks at its ends."""
    at = np.arange(int(seconds * rate_hz)) / rate_hz
    ramp = np.minimum(np.minimum(at, at[::-1]) / 0.003, 1.0)
    pcm: Pcm = (6000 * ramp * np.sin(2 * np.pi * hz * at)).astype(np.int16)
    return pcm


class Loudness:
    """In the place of the detector's model: what is loud is speech."""

    def judge(self, windows: Sequence[Pcm], memories: Sequence[Memory]) -> list[float]:
        power = [float(np.mean(np.square(window, dtype=np.float64))) for window in windows]
        return [float(one > _LOUD**2) for one in power]


class Stopwatch:
    """In the place of the recogniser: what was said is told by how long it was."""

    async def transcribe(self, utterance: Utterance, ticket: Ticket) -> Heard:
        await asyncio.sleep(STT_S)
        said = next((text for most, text in _READ if utterance.voiced_s < most), _QUESTION)
        return read_as(said, utterance)

    def close(self) -> None:
        """Nothing to end."""


class Counting(FakeLanguageModel):
    """Counts to twelve, whatever it is asked."""

    def open(self, agent: Agent, call: str) -> "CountingSlot":
        super().open(agent, call)
        return CountingSlot(self, agent)


class CountingSlot(FakeSlot):
    """One call's."""

    def answer(self, history: Sequence[Message], sampling: Sampling, ticket: Ticket) -> FakeReply:
        self._model.replies[:] = [REPLY]
        self._model.histories.clear()
        self._model.samplings.clear()
        return super().answer(history, sampling, ticket)

    async def prefill(self, history: Sequence[Message], ticket: Ticket) -> float:
        """A sentence that promises more is no end, to the words nor to the model."""
        likely = await super().prefill(history, ticket)
        return 0.0 if history[-1].text.reveal().startswith(_OPEN) else likely


@dataclass(slots=True)
class Tones(FakeVoice):
    """Says each word as a tone."""

    async def speak(self, clause: Words, sink: Sink, ticket: Ticket, *, first: bool) -> Spoken:
        await asyncio.sleep(TTFB_S)
        said = [word.strip(".,?").lower() for word in clause.reveal().split()]
        for word in said:
            sink(tone(pitch_hz(WORDS.index(word)), WORD_S, SPEAKING_HZ))
            await asyncio.sleep(0)
        ends = tuple(WORD_S * number for number in range(1, len(said) + 1))
        return Spoken(WORD_S * len(said), ends)


async def load_behind_detector(
    settings: Settings,
    agents: Mapping[str, Agent],
    default: Agent,
    stack: AsyncExitStack,
    watch: Watch,
) -> Residents:
    """The same, but that speech is what the site's detector takes for it."""
    store = open_store(settings.models)
    name = store.catalog.profile(settings.models.profile).vad
    detector = silero.load(store.directory_of(name), store.model(name).facts)
    vad = Vad(detector, settings.vad)
    stack.callback(vad.close)
    return replace(await load(settings, agents, default, stack, watch), vad=vad)


async def load(
    settings: Settings,
    agents: Mapping[str, Agent],
    default: Agent,
    stack: AsyncExitStack,
    _watch: Watch,
) -> Residents:
    """In the place of the models."""
    vad = Vad(Loudness(), settings.vad)
    stack.callback(vad.close)
    line = FixedLine(Words("Hello."), tone(440.0, 0.3, SPEAKING_HZ))
    model = Counting([], ttft_s=TTFT_S, token_s=0.0, score_s=SCORE_S, slots=settings.llm.slots)
    return Residents(
        agents,
        default.name,
        vad,
        Stopwatch(),
        model,
        voices={
            (voice, lang): Tones() for a in agents.values() for lang, voice in a.voices.items()
        },
        lines={
            (a.name, lang): dict.fromkeys(Line, line)
            for a in agents.values()
            for lang in a.languages
        },
    )


def adjusted(settings: Settings, calls: int) -> Settings:
    """A site's settings for so many callers on the loopback: no key, no certificate, no sisters."""
    return replace(
        settings,
        http=Http(port=0, address_per_minute=0),
        rtc=Rtc(port=0, half_open_per_address=calls),
        calls=replace(settings.calls, max=calls, resume_ms=0, drain_ms=0),
        llm=replace(settings.llm, slots=max(settings.llm.slots, calls)),
        fleet=Fleet(),
        control=Control(),
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--calls", type=int, required=True)
    parser.add_argument("--fake-models", action="store_true")
    parser.add_argument("--detector", action="store_true")
    given = parser.parse_args()
    fakes = load_behind_detector if given.detector else load
    daemon.run(
        given.config,
        fakes if given.fake_models else None,
        lambda settings: adjusted(settings, given.calls),
    )

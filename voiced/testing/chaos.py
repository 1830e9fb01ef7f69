"""A daemon that misbehaves: real HTTP, UDP, Opus and turns, and minds that fail on request.

    python -m voiced.testing.chaos --config voiced.toml --seed 7 [--disk DIR]

It hears the tones of `tones`, and what a tone asks for goes wrong with that answer alone. Besides,
every few seconds something befalls the whole machine: the phoneme program is killed, the first
voice dies, the wall clock jumps, the disk under the audit fills up. Each is logged as `chaos.done`.
It does not know what the callers make of it.
"""

import argparse
import asyncio
import os
import random
import signal
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from functools import partial
from pathlib import Path
from threading import Barrier

import numpy as np

from voiced import clock
from voiced.audio.pcm import HEARING_HZ, SPEAKING_HZ
from voiced.call.residents import Residents
from voiced.config.agent import Agent, Sampling, Tool
from voiced.config.settings import Settings
from voiced.daemon import daemon
from voiced.daemon.watch import Watch
from voiced.errors import EngineFailed, Stale
from voiced.flow.cancel import Ticket
from voiced.llm.model import Message, Role
from voiced.ops import log
from voiced.stt.model import Heard, Utterance
from voiced.testing import tones
from voiced.testing.fakes import (
    FakeLanguageModel,
    FakeReply,
    FakeSlot,
    ScriptedReply,
    read_as,
)
from voiced.testing.standin import count_tasks
from voiced.testing.tones import Fault
from voiced.tts.espeak import Espeak
from voiced.tts.fixed import FixedLine
from voiced.tts.model import Sink, Spoken
from voiced.tts.relay import Relay
from voiced.turn.orders import Line
from voiced.vad.model import Hearsay, Source, SpeechBegan, SpeechEnded
from voiced.words import Words

LINE_S = 1.0
"""Long enough to be known behind a packet that was lost."""

HUM_S = 1.5
"""An answer, long enough to barge in on."""

FOR_EVER_S = 3600.0
SPELL_S = 2.0
"""How long a disaster lasts."""

_WINDOW = 512
_BEGINS, _ENDS = 2, 3
"""Windows that are believed."""

_LOUD = 400.0
_CALL = '<tool_call>{"name": "lookup", "arguments": {}}</tool_call>'


@dataclass(slots=True)
class _Listening:
    """One call's state in the detector."""

    source: Source
    told: Callable[[Hearsay], None]
    loud: int = 0
    quiet: int = 0
    voiced: int = 0
    speaking: bool = False


class Detector:
    """Loud is speech. One tick for all calls, on the main loop."""

    def __init__(self) -> None:
        self._calls: dict[str, _Listening] = {}

    def attach(self, call: str, source: Source, told: Callable[[Hearsay], None]) -> None:
        source.ring.skip()
        self._calls[call] = _Listening(source, told)

    def detach(self, call: str) -> None:
        self._calls.pop(call, None)

    def stirs(self, call: str) -> bool:
        one = self._calls.get(call)
        return one is not None and not one.speaking and one.loud > 0

    async def run(self) -> None:
        while True:
            await asyncio.sleep(_WINDOW / HEARING_HZ)
            for one in list(self._calls.values()):
                while (window := one.source.ring.take(_WINDOW)) is not None:
                    level = float(np.sqrt(np.mean(window.astype(np.float64) ** 2)))
                    self._window(one, level > _LOUD)

    def _window(self, one: _Listening, loud: bool) -> None:
        end = one.source.ring.taken
        one.loud, one.quiet = (one.loud + 1, 0) if loud else (0, one.quiet + 1)
        one.voiced += loud
        if not one.speaking and one.loud >= _BEGINS:
            one.speaking, one.voiced = True, one.loud
            begin = end - one.loud * _WINDOW
            one.told(SpeechBegan(one.source.instant(begin), begin))
        elif one.speaking and one.quiet >= _ENDS:
            one.speaking = False
            last = end - one.quiet * _WINDOW
            seconds = one.voiced * _WINDOW / HEARING_HZ
            one.told(SpeechEnded(one.source.instant(last), last, seconds))


class Recogniser:
    """Reads the tone, and fails where the tone says so."""

    async def transcribe(self, utterance: Utterance, ticket: Ticket) -> Heard:
        await asyncio.sleep(0.03)
        if ticket.stale:
            raise Stale("stt")
        code = tones.said(utterance.pcm, HEARING_HZ)
        if code is None:
            return read_as("", utterance)
        match tones.fault_of(code):
            case Fault.STT_RAISES:
                raise EngineFailed("stt", "told to")
            case Fault.STT_HANGS:
                await asyncio.sleep(FOR_EVER_S)
        return read_as(f"Question {tones.word(code)} please.", utterance)

    def close(self) -> None:
        """Nothing to end."""


class Mind(FakeLanguageModel):
    """Answers with the code that it was asked with."""

    def open(self, agent: Agent, call: str) -> "MindSlot":
        super().open(agent, call)
        return MindSlot(self, agent)


class MindSlot(FakeSlot):
    """One call's."""

    def answer(self, history: Sequence[Message], sampling: Sampling, ticket: Ticket) -> FakeReply:
        reply = _reply(history)
        self._model.replies[:] = [reply]
        self._model.histories.clear()
        self._model.samplings.clear()
        return super().answer(history, sampling, ticket)


def _reply(history: Sequence[Message]) -> ScriptedReply:
    asked = max(i for i, message in enumerate(history) if message.role is Role.USER)
    code = tones.read(history[asked].text.reveal())
    text = f"This is {tones.word(code)} for you now." if code is not None else "Nothing at all."
    match tones.fault_of(code) if code is not None else Fault.NONE:
        case Fault.LLM_RAISES:
            return ScriptedReply("", 0.02, 0.01, "fails")
        case Fault.LLM_HANGS:
            return ScriptedReply("", 0.02, 0.01, "never")
        case Fault.TOOL_HANGS if len(history) == asked + 1:
            return ScriptedReply(_CALL, 0.02, 0.01, "stop")
        case _:
            return ScriptedReply(text, 0.02, 0.01, "stop")


class Voice:
    """Hums the code that a clause names, once the phoneme program has read the clause."""

    def __init__(self, espeak: Espeak) -> None:
        self.alive = True
        self._espeak = espeak
        self._turn = asyncio.Lock()

    async def speak(self, clause: Words, sink: Sink, ticket: Ticket, *, first: bool) -> Spoken:
        text = clause.reveal()
        code = tones.read(text)
        fault = tones.fault_of(code) if code is not None else Fault.NONE
        if not self.alive or fault is Fault.VOICE_RAISES:
            raise EngineFailed("tts", "told to")
        async with self._turn:
            await asyncio.to_thread(self._espeak.phonemes, text)
        if fault is Fault.VOICE_CRAWLS:
            await asyncio.sleep(1.0)
        hz = tones.hertz(code) if code is not None else tones.LINE_HZ
        pcm = tones.hum(hz, HUM_S, SPEAKING_HZ)
        for begin in range(0, len(pcm), SPEAKING_HZ // 5):
            if ticket.stale:
                raise Stale("tts")
            sink(pcm[begin : begin + SPEAKING_HZ // 5])
            await asyncio.sleep(0)
        return Spoken(len(pcm) / SPEAKING_HZ, ())

    def live(self, alive: bool) -> None:
        """Or dies."""
        self.alive = alive

    def close(self) -> None:
        self._espeak.close()


async def tool_that_hangs(_tool: Tool, _arguments: Words, _key: str) -> Words:
    """A server that takes the question, and never answers."""
    await asyncio.sleep(FOR_EVER_S)
    return Words("")


@dataclass(slots=True)
class Disasters:
    """What befalls the whole machine, one after the other, from a seed."""

    chance: random.Random
    phonemes: Callable[[], int]
    """The number of a process of the phoneme program's."""
    voice: Callable[[bool], None]
    """Lets the first voice die, and live again."""
    disk: Path | None
    clock: "JumpingClock" = field(default_factory=lambda: JumpingClock())

    async def run(self) -> None:
        vars(clock)["datetime"] = self.clock
        kinds = [self._kill_espeak, self._kill_voice, self._jump, *([self._fill] * bool(self.disk))]
        while True:
            await asyncio.sleep(self.chance.uniform(2.0, 6.0))
            kind = self.chance.choice(kinds)
            log.info("chaos.done", kind=kind.__name__.strip("_"))
            await kind()

    async def _kill_espeak(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.phonemes(), signal.SIGKILL)

    async def _kill_voice(self) -> None:
        self.voice(False)
        await asyncio.sleep(SPELL_S)
        self.voice(True)

    async def _jump(self) -> None:
        self.clock.ahead = timedelta(seconds=self.chance.uniform(-3600, 3600))

    async def _fill(self) -> None:
        assert self.disk is not None
        full = self.disk / "full"
        with suppress(OSError), full.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        await asyncio.sleep(SPELL_S)
        full.unlink()


class JumpingClock:
    """In the place of `voiced.clock`'s datetime."""

    def __init__(self) -> None:
        self.ahead = timedelta(0)

    def now(self, zone: tzinfo) -> datetime:
        return datetime.now(zone) + self.ahead


async def load(
    seed: int,
    disk: Path | None,
    settings: Settings,
    agents: Mapping[str, Agent],
    default: Agent,
    stack: AsyncExitStack,
    _watch: Watch,
) -> Residents:
    """In the place of the models."""
    await countable()
    espeak = Espeak("en-us")
    stack.callback(espeak.close)
    first, second = Voice(espeak), Voice(espeak)
    detector = Detector()
    disasters = Disasters(random.Random(seed), lambda: espeak.pid, first.live, disk)
    await running(stack, detector.run(), disasters.run())
    line = FixedLine(Words("Hello."), tones.hum(tones.LINE_HZ, LINE_S, SPEAKING_HZ))
    return Residents(
        agents,
        default.name,
        detector,
        Recogniser(),
        Mind([], slots=settings.llm.slots, score_s=0.02),
        voices={
            (voice, language): Relay(first, second)
            for agent in agents.values()
            for language, voice in agent.voices.items()
        },
        lines={
            (agent.name, language): dict.fromkeys(Line, line)
            for agent in agents.values()
            for language in agent.languages
        },
        hand=tool_that_hangs,
    )


async def countable() -> None:
    """Tasks are counted on SIGUSR1, and threads can be: all that work beside the loop are there."""
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, count_tasks)
    loop.set_default_executor(ThreadPoolExecutor(2))
    both = Barrier(2)
    await asyncio.gather(*(asyncio.to_thread(both.wait) for _ in range(2)))


async def running(stack: AsyncExitStack, *works: Coroutine[object, object, None]) -> None:
    """Until the daemon ends."""
    tasks = await stack.enter_async_context(asyncio.TaskGroup())
    for work in works:
        stack.callback(tasks.create_task(work).cancel)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--disk", type=Path, help="a small disk of its own, to be filled")
    chosen = parser.parse_args()
    daemon.run(chosen.config, partial(load, chosen.seed, chosen.disk))


if __name__ == "__main__":
    main()

"""The demonstration's models in a daemon that misbehaves: what `chaos` is on models of straw.

    python -m voiced.testing.chaos_models --config voiced.toml --seed 7 --sonic 5001 [--disk DIR]

Stages raise and hang by chance, each in so many of a hundred answers; the phoneme program is
killed, Sonic (a fake one, in a process of its own) dies, the clock jumps, the disk fills up. Behind
each clause the call's own mark is hummed, behind each fixed line that of all lines: so a caller
hears whose sound it is. It does not know what the callers make of it.
"""

import argparse
import asyncio
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from voiced.audio.pcm import SPEAKING_HZ
from voiced.call.residents import Residents
from voiced.config.agent import Agent, Sampling
from voiced.config.settings import Settings
from voiced.daemon import daemon
from voiced.daemon.loading import load as loaded
from voiced.daemon.watch import Watch
from voiced.errors import EngineFailed
from voiced.flow.cancel import Ticket
from voiced.llm.model import LanguageModel, Message, Reply, Role, Slot
from voiced.llm.tool_calls import Sieve
from voiced.ops import log
from voiced.stt.model import Heard, SpeechToText, Utterance
from voiced.testing.chaos import FOR_EVER_S, Disasters, countable, running, tool_that_hangs
from voiced.testing.fakes import FakeReply, ScriptedReply
from voiced.testing.tones import LINE_MARK, MARK_S, hum, mark_hz, mark_of
from voiced.tts.fixed import FixedLine
from voiced.tts.model import Sink, Spoken, Voice
from voiced.turn.orders import Line
from voiced.words import Words

CHANCE = 0.04
"""Of each thing that may go wrong with an answer."""

_TOOL = '<tool_call>{"name": "lookup", "arguments": {}}</tool_call>'


@dataclass(frozen=True, slots=True)
class Mischief:
    """Whether a stage fails this time; each time that it does is logged as `chaos.done`."""

    chance: random.Random

    def strikes(self, kind: str) -> bool:
        if self.chance.random() >= CHANCE:
            return False
        log.info("chaos.done", kind=kind)
        return True


@dataclass(frozen=True, slots=True)
class Recogniser:
    """The real one, with lapses."""

    real: SpeechToText
    mischief: Mischief

    async def transcribe(self, utterance: Utterance, ticket: Ticket) -> Heard:
        if self.mischief.strikes("stt_raises"):
            raise EngineFailed("stt", "told to")
        if self.mischief.strikes("stt_hangs"):
            await asyncio.sleep(FOR_EVER_S)
        return await self.real.transcribe(utterance, ticket)

    def close(self) -> None:
        self.real.close()


@dataclass(frozen=True, slots=True)
class Mind:
    """The real one, with lapses."""

    real: LanguageModel
    mischief: Mischief

    @property
    def slots(self) -> int:
        return self.real.slots

    async def prepare(self, agents: Sequence[Agent]) -> None:
        await self.real.prepare(agents)

    def open(self, agent: Agent, call: str) -> "MindSlot":
        return MindSlot(self.real.open(agent, call), self.mischief, agent)

    def close(self) -> None:
        self.real.close()


@dataclass(frozen=True, slots=True)
class MindSlot:
    """One call's."""

    real: Slot
    mischief: Mischief
    agent: Agent

    def answer(self, history: Sequence[Message], sampling: Sampling, ticket: Ticket) -> Reply:
        if self.mischief.strikes("llm_raises"):
            return self._scripted("", "fails", ticket)
        if self.mischief.strikes("llm_hangs"):
            return self._scripted("", "never", ticket)
        if history[-1].role is Role.USER and self.mischief.strikes("tool_hangs"):
            return self._scripted(_TOOL, "stop", ticket)
        return self.real.answer(history, sampling, ticket)

    def _scripted(self, text: str, ending: str, ticket: Ticket) -> FakeReply:
        script = ScriptedReply(text, 0.02, 0.01, ending)  # type: ignore[arg-type]
        tools = {tool.name: tool for tool in self.agent.tools}
        return FakeReply(script, EngineFailed("llm", "told to"), ticket, Sieve(tools))

    async def prefill(self, history: Sequence[Message], ticket: Ticket) -> float:
        return await self.real.prefill(history, ticket)

    def instruct(self, prompt: str) -> None:
        self.real.instruct(prompt)

    def close(self) -> None:
        self.real.close()


@dataclass(frozen=True, slots=True)
class Signing:
    """A real voice, with lapses, that hums the call's mark behind each clause."""

    real: Voice
    mischief: Mischief

    async def speak(self, clause: Words, sink: Sink, ticket: Ticket, *, first: bool) -> Spoken:
        if self.mischief.strikes("voice_raises"):
            raise EngineFailed("tts", "told to")
        if self.mischief.strikes("voice_crawls"):
            await asyncio.sleep(1.0)
        spoken = await self.real.speak(clause, sink, ticket, first=first)
        if not spoken.seconds:
            return spoken
        sink(hum(mark_hz(mark_of(ticket.call)), MARK_S, SPEAKING_HZ))
        return Spoken(spoken.seconds + MARK_S, spoken.word_ends)

    def close(self) -> None:
        self.real.close()


def _signed(lines: Mapping[Line, FixedLine]) -> dict[Line, FixedLine]:
    mark = hum(mark_hz(LINE_MARK), MARK_S, SPEAKING_HZ)
    return {
        kind: line if kind is Line.FILLER else replace(line, pcm=np.concatenate([line.pcm, mark]))
        for kind, line in lines.items()
    }


class Sonic:
    """The fake service as a program, which can be killed and started again."""

    def __init__(self, port: int) -> None:
        self._command = (sys.executable, "-m", "voiced.testing.sonic", "--port", str(port))
        self._process: subprocess.Popen[bytes] | None = None

    def live(self, alive: bool) -> None:
        """Or dies."""
        if alive:
            self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)
        elif self._process is not None:
            self._process.kill()
            self._process.wait()


def _phoneme_program() -> int:
    """A process of this one's that reads phonemes. Raises ProcessLookupError."""
    for children in Path("/proc/self/task").glob("*/children"):
        for pid in children.read_text().split():
            if Path(f"/proc/{pid}/comm").read_text().strip() == "espeak-ng":
                return int(pid)
    raise ProcessLookupError


async def load(
    chosen: argparse.Namespace,
    settings: Settings,
    agents: Mapping[str, Agent],
    default: Agent,
    stack: AsyncExitStack,
    watch: Watch,
) -> Residents:
    """Around the models."""
    await countable()
    sonic = Sonic(chosen.sonic)
    sonic.live(True)
    stack.callback(sonic.live, False)
    real = await loaded(settings, agents, default, stack, watch)
    mischief = Mischief(random.Random(chosen.seed))
    disasters = Disasters(random.Random(chosen.seed + 1), _phoneme_program, sonic.live, chosen.disk)
    await running(stack, disasters.run())
    return replace(
        real,
        stt=Recogniser(real.stt, mischief),
        llm=Mind(real.llm, mischief),
        voices={key: Signing(voice, mischief) for key, voice in real.voices.items()},
        lines={key: _signed(lines) for key, lines in real.lines.items()},
        hand=tool_that_hangs,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--sonic", type=int, required=True, help="the port that it is to have")
    parser.add_argument("--disk", type=Path, help="a small disk of its own, to be filled")
    chosen = parser.parse_args()
    daemon.run(chosen.config, partial(load, chosen))


if __name__ == "__main__":
    main()

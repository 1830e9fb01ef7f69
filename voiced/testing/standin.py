"""The daemon as it is, but for its engines: real HTTP, UDP, DTLS and Opus, and minds of straw.

    python -m voiced.testing.standin --config voiced.toml

It starts in a second and answers any number of calls: what callers' programs write is answered by
how often they have asked, and what is said is never understood. For what must hold of the edge
alone. On SIGUSR1 it logs how many tasks there are. It does not know what a caller wants.
"""

import argparse
import asyncio
import gc
import signal
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import numpy as np

from voiced.audio.pcm import SPEAKING_HZ
from voiced.call.residents import Residents
from voiced.config.agent import Agent, Sampling
from voiced.config.settings import Settings
from voiced.daemon import daemon
from voiced.daemon.watch import Watch
from voiced.flow.cancel import Ticket
from voiced.llm.model import Message, Role
from voiced.ops import log
from voiced.testing.fakes import (
    FakeDetector,
    FakeLanguageModel,
    FakeReply,
    FakeSlot,
    FakeSpeechToText,
    FakeVoice,
)
from voiced.tts.fixed import FixedLine
from voiced.turn.orders import Line
from voiced.words import Words

LINE_S = 0.3


class Counting(FakeLanguageModel):
    """Knows how much of the conversation it is given."""

    def open(self, agent: Agent, call: str) -> "CountingSlot":
        super().open(agent, call)
        return CountingSlot(self, agent)


class CountingSlot(FakeSlot):
    """One call's."""

    def answer(self, history: Sequence[Message], sampling: Sampling, ticket: Ticket) -> FakeReply:
        asked = sum(message.role is Role.USER for message in history)
        self._model.replies[:] = [f"This was question number {asked} of yours."]
        self._model.histories.clear()
        return super().answer(history, sampling, ticket)


def count_tasks() -> None:
    """Of every loop; each of those that run is somebody's."""
    gc.unfreeze()  # the loops were there before the daemon was ready
    gc.collect()
    loops = [one for one in gc.get_objects() if isinstance(one, asyncio.AbstractEventLoop)]
    gc.freeze()
    log.info("tasks.counted", tasks=sum(len(asyncio.all_tasks(loop)) for loop in loops))


async def load(
    settings: Settings,
    agents: Mapping[str, Agent],
    default: Agent,
    _stack: AsyncExitStack,
    _watch: Watch,
) -> Residents:
    """In the place of the models."""
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, count_tasks)
    at = np.arange(int(LINE_S * SPEAKING_HZ)) / SPEAKING_HZ
    hum = (6000 * np.sin(2 * np.pi * 440 * at)).astype(np.int16)  # Opus carries no constant
    line = FixedLine(Words("Hello."), hum)
    return Residents(
        agents,
        default.name,
        FakeDetector(),
        FakeSpeechToText([]),
        Counting([], ttft_s=0.02, token_s=0.01, slots=settings.llm.slots),
        voices={
            (voice, language): FakeVoice(ttfb_s=0.01)
            for agent in agents.values()
            for language, voice in agent.voices.items()
        },
        lines={
            (agent.name, language): dict.fromkeys(Line, line)
            for agent in agents.values()
            for language in agent.languages
        },
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=Path, required=True)
    daemon.run(parser.parse_args().config, load)

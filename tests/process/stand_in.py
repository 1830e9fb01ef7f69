"""The daemon as it is, but for its engines: it starts in a second, and hangs when it is told to.

    SIGUSR1     the main loop hangs
    SIGUSR2     the thread of an engine hangs, in a job
    SIGALRM     the media loop hangs
    SIGWINCH    the media loop is starved: it comes round, and late each time
    SLOW_S      seconds that loading takes
    DRAIN_S     seconds that a drain takes

Run in the unit in place of `voiced serve`; see test_systemd.
"""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack

from voiced.call.desk import Desk
from voiced.call.residents import Residents
from voiced.cli.main import main
from voiced.config.agent import Agent
from voiced.config.settings import Settings
from voiced.daemon import daemon, watch
from voiced.gpu.worker import Urgency, Worker
from voiced.ops import notify
from voiced.rtc.edge import Edge
from voiced.testing.fakes import FakeDetector, FakeLanguageModel, FakeSpeechToText, FakeVoice

HANG_S = 600
STARVED_S = 1.3
"""More than a loop may take for a round, and less than one that hangs takes."""
_tasks: set["asyncio.Task[None]"] = set()
_edges: list[Edge] = []


def hang() -> None:
    """Where the stack of a thread that hangs must lead."""
    time.sleep(HANG_S)


def starve() -> None:
    """Where the stack of a thread that is starved must lead."""
    time.sleep(STARVED_S)
    asyncio.get_running_loop().call_soon(starve)


async def load(
    settings: Settings,
    agents: Mapping[str, Agent],
    default: Agent,
    stack: AsyncExitStack,
    watched: watch.Watch,
) -> Residents:
    """Fakes, and one real thread of an engine that has nothing to do."""
    notify.loading("loading a stand-in")
    await asyncio.sleep(float(os.environ.get("SLOW_S", "0")))
    worker = Worker("stt", 4)
    watched.add("stt", "stt:stand-in", worker)
    all_ = list(agents.values())
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, hang)
    loop.add_signal_handler(signal.SIGUSR2, lambda: _tasks.add(loop.create_task(busy(worker))))
    loop.add_signal_handler(
        signal.SIGALRM, lambda: _edges[0]._loop.call_soon_threadsafe(hang) and None
    )
    loop.add_signal_handler(
        signal.SIGWINCH, lambda: _edges[0]._loop.call_soon_threadsafe(starve) and None
    )
    return Residents(
        agents,
        default.name,
        FakeDetector(),
        FakeSpeechToText([]),
        FakeLanguageModel([]),
        voices={(v, language): FakeVoice() for a in all_ for language, v in a.voices.items()},
        lines={(a.name, language): {} for a in all_ for language in a.languages},
    )


async def busy(worker: Worker) -> None:
    await worker.run(hang, urgency=Urgency.FIRST, ticket=None, deadline_s=HANG_S)


async def drain(_desk: Desk, _patience_s: float) -> None:
    await asyncio.sleep(float(os.environ.get("DRAIN_S", "0")))


class Seen(Edge):
    """The edge, where a signal finds it."""

    def __init__(self, *given: object) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        _edges.append(self)


daemon.load = load  # type: ignore[assignment]
daemon.Edge = Seen  # type: ignore[misc]
Desk.drain = drain  # type: ignore[method-assign]
# Shorter than in earnest; longer than STARVED_S, or a starved loop would count as one that hangs.
watch.MEDIA_S = 2.0  # type: ignore[misc]
watch.DEADLINES = 0  # type: ignore[misc]
sys.exit(main(["serve", "--config", "/etc/voiced/voiced.toml"]))

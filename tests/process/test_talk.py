"""`voiced talk` with a sound card of straw; and as a program, on a box without one."""

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from tests.process.conftest import Daemon, Serve
from voiced.audio.pcm import Pcm
from voiced.talk.talk import Report, talk
from voiced.testing.exchange import HttpExchange

pytestmark = [pytest.mark.process, pytest.mark.timeout(60)]

AUDIBLE = 1000


class Status:
    output_underflow = input_overflow = False


class Card:
    """Asks for 10 ms every 10 ms, and keeps what it played."""

    class PortAudioError(Exception):
        pass

    def __init__(self) -> None:
        self.played: list[Pcm] = []
        self.loud = threading.Event()

    @contextmanager
    def RawStream(self, samplerate: int, callback: Any, **_more: Any) -> Iterator[None]:
        over = threading.Event()
        thread = threading.Thread(target=self._pump, args=(callback, over))
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _pump(self, callback: Any, over: threading.Event) -> None:
        due = time.monotonic()
        while not over.wait(max(due - time.monotonic(), 0.0)):
            due += 0.01
            played = bytearray(320)
            callback(bytes(320), memoryview(played), 160, None, Status())
            self.played.append(np.frombuffer(played, np.int16))
            if np.abs(self.played[-1]).max() > AUDIBLE:
                self.loud.set()


@pytest.fixture(scope="module")
def daemon(serve: Serve) -> Daemon:
    started = serve(fake=True)
    started.wait_for("daemon.ready")
    return started


def test_the_agent_is_heard_and_whoever_has_enough_hangs_up(daemon: Daemon) -> None:
    card = Card()

    async def story() -> Report:
        stop = asyncio.Event()

        async def listen() -> None:
            await asyncio.to_thread(card.loud.wait, 15)
            stop.set()

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(listen())
            exchange = HttpExchange(daemon.calls_url)
            return await talk(exchange, lambda _who, _text: None, stop, sound=card)

    report = asyncio.run(story())

    assert card.loud.is_set()
    assert (0, 0) == (report.turns, report.underruns)
    assert "hangup" == daemon.wait_for("call.closed", 10)["reason"]


def test_a_box_without_a_sound_card_says_so_before_it_calls_anybody() -> None:
    """Exit code 69: not available here."""
    told = subprocess.run(
        [sys.executable, "-m", "voiced", "talk", "http://127.0.0.1:9"],
        capture_output=True,
        text=True,
        check=False,
    )
    if "nobody answers there" in told.stderr:
        pytest.skip("this machine has a sound card")

    assert (69, "") == (told.returncode, told.stdout)
    assert "plug a sound card in" in told.stderr

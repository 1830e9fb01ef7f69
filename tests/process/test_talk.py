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

from tests.process.conftest import Daemon, Serve, settings
from voiced.audio.pcm import Pcm
from voiced.talk.talk import Report, talk
from voiced.testing.exchange import HttpExchange
from voiced.testing.impair import Impairment, Weather, impair, redirected

pytestmark = [pytest.mark.process, pytest.mark.timeout(150)]

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
    patience = settings("resume_ms = 20000").replace("[rtc]", "[rtc]\nsilent_deadline_ms = 1500")
    started = serve(patience, fake=True)
    started.wait_for("daemon.ready")
    return started


class Roaming(HttpExchange):
    """An exchange whose media goes through one proxy after the other."""

    def __init__(self, url: str, port: int, *proxies: Impairment) -> None:
        super().__init__(url)
        self._port = port
        self._proxies = iter(proxies)

    async def offer(self, sdp: str) -> str:
        return redirected(await super().offer(sdp), self._port, next(self._proxies).port)

    async def resume(self, sdp: str) -> str:
        return redirected(await super().resume(sdp), self._port, next(self._proxies).port)


def test_the_agent_is_heard_and_whoever_has_enough_hangs_up(daemon: Daemon) -> None:
    card = Card()
    forget(daemon)

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
    assert (0, False) == (report.returns, report.lost)
    assert "hangup" == daemon.wait_for("call.closed", 10)["reason"]


def forget(daemon: Daemon) -> None:
    """What the daemon has logged so far, but for where it listens."""
    daemon.lines[:] = [line for line in daemon.lines if line["event"] == "daemon.ready"]


def test_a_line_that_is_lost_is_taken_up_again(daemon: Daemon) -> None:
    """The network dies, and another attempt comes to nothing; the same call goes on over a third.

    Whoever hangs up then ends it.
    """
    card = Card()
    port = daemon.wait_for("daemon.ready")["udp_port"]
    told: list[tuple[str, str]] = []

    async def story() -> tuple[Report, int]:
        stop, back = asyncio.Event(), asyncio.Event()
        proxies = [await impair(port, Weather()) for _ in range(3)]
        proxies[1].weather = Weather(loss=1.0)

        def tell(who: str, text: str) -> None:
            told.append((who, text))
            if text == "back":
                back.set()

        async def roam() -> None:
            await asyncio.to_thread(card.loud.wait, 15)
            proxies[0].weather = Weather(loss=1.0)
            await back.wait()
            await asyncio.sleep(1.0)
            stop.set()

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(roam())
            report = await talk(Roaming(daemon.url, port, *proxies), tell, stop, sound=card)
        for proxy in proxies:
            await proxy.close()
        return report, proxies[2].passed

    forget(daemon)
    report, passed = asyncio.run(story())

    assert [("line", "lost"), ("line", "back")] == told
    assert (1, False) == (report.returns, report.lost)
    assert passed > 50
    closed = daemon.wait_for("call.closed", 10)
    assert ("hangup", daemon.wait_for("call.resumed")["call"]) == (closed["reason"], closed["call"])


def test_a_call_that_nobody_takes_up_again_is_over(daemon: Daemon) -> None:
    """The line is lost, and the call ends meanwhile."""
    card = Card()
    port = daemon.wait_for("daemon.ready")["udp_port"]

    async def story() -> Report:
        proxy = await impair(port, Weather())
        exchange = Roaming(daemon.url, port, proxy)

        async def die() -> None:
            await asyncio.to_thread(card.loud.wait, 15)
            proxy.weather = Weather(loss=1.0)
            await HttpExchange.hang_up(exchange)

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(die())
            report = await talk(exchange, lambda _who, _text: None, asyncio.Event(), sound=card)
        await proxy.close()
        return report

    forget(daemon)
    report = asyncio.run(story())

    assert (0, True) == (report.returns, report.lost)
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

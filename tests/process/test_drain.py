"""A stop with calls open, on fake engines: each ends in its own time, the daemon with the last.

Times are scaled down; what is right is the order, and who was cut.
"""

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable

import pytest

from tests.process.conftest import ROOT, Daemon, Serve, settings
from voiced import clock
from voiced.testing.caller import Caller

pytestmark = [pytest.mark.process, pytest.mark.timeout(120)]

QUESTION = ROOT / "tests/data/question_parking.wav"

STUBBORN = """
import sys, time
from pathlib import Path
from voiced.daemon import daemon
from voiced.testing import standin

async def load(settings, agents, default, stack, watch):
    stack.callback(time.sleep, 60)
    return await standin.load(settings, agents, default, stack, watch)

daemon.run(Path(sys.argv[-1]), load)
"""
"""The stand-in, with an engine that takes a minute to be closed."""

Story = Callable[[Daemon], Awaitable[None]]


def told(daemon: Daemon, story: Story) -> int:
    """Runs a story of callers; returns the daemon's exit status."""

    async def whole() -> None:
        await story(daemon)
        await asyncio.to_thread(daemon.wait, 30)

    daemon.wait_for("daemon.ready")
    asyncio.run(whole())
    return daemon.process.returncode


async def refused(daemon: Daemon) -> None:
    """At once: not ready, and who comes now is sent elsewhere."""
    await asyncio.to_thread(daemon.wait_for, "daemon.draining", 5)
    status, why = await asyncio.to_thread(daemon.get, "/readyz")

    assert (503, True) == (status, "stopping" in why)
    late = Caller(daemon.calls_url)
    with pytest.raises(Exception, match="503"):
        await late.open()
    await late.close()


def test_the_first_call_to_end_does_not_end_the_other(serve: Serve) -> None:
    """The daemon is gone as soon as the last one is."""

    async def story(daemon: Daemon) -> None:
        short, long = Caller(daemon.calls_url), Caller(daemon.calls_url)
        await short.open()
        await long.open()
        daemon.process.send_signal(signal.SIGTERM)
        await refused(daemon)
        await short.close()
        await asyncio.sleep(2.0)

        assert daemon.process.poll() is None
        assert long.ear.between(clock.now() - 1.0, clock.now()).db.size
        closed_at = clock.now()
        await long.close()
        await asyncio.to_thread(daemon.wait, 10)
        assert clock.now() - closed_at < 5.0

    assert 0 == told(serve(settings("resume_ms = 0"), fake=True), story)


def test_a_call_that_never_ends_hears_the_closing_line_at_the_limit(serve: Serve) -> None:
    limit_s = 2.0

    async def story(daemon: Daemon) -> None:
        caller = Caller(daemon.calls_url)
        await caller.open()
        daemon.process.send_signal(signal.SIGTERM)
        began = clock.now()
        await asyncio.to_thread(daemon.wait, 20)
        took_s = clock.now() - began
        await caller.close()

        assert limit_s <= took_s <= limit_s + 5.0

    daemon = serve(settings(f"drain_ms = {limit_s * 1000:.0f}"), fake=True)

    assert 0 == told(daemon, story)
    assert "left" == daemon.wait_for("call.closed")["reason"]


def test_a_caller_who_vanished_holds_up_no_stop(serve: Serve) -> None:
    """A process that is killed says nothing; its line is not waited for longer than the limit."""

    daemon = serve(settings("drain_ms = 2000"), fake=True)
    command = [sys.executable, "-m", "voiced", "call", daemon.calls_url]
    caller = subprocess.Popen(
        [*command, "--audio", str(QUESTION)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    daemon.wait_for("call.opened")
    time.sleep(1.0)
    caller.kill()
    caller.wait()
    began = clock.now()

    assert 0 == daemon.stop()
    assert clock.now() - began <= 2.0 + 5.0


def test_told_twice_it_is_gone_in_two_seconds_whatever_it_waits_for(serve: Serve) -> None:
    """Here for an engine in the middle of its work."""

    async def story(daemon: Daemon) -> None:
        caller = Caller(daemon.calls_url)
        await caller.open()
        daemon.process.send_signal(signal.SIGTERM)
        await refused(daemon)
        daemon.process.send_signal(signal.SIGTERM)
        began = clock.now()
        await asyncio.to_thread(daemon.wait, 20)
        took_s = clock.now() - began
        await caller.close()

        assert took_s <= 4.0

    daemon = serve(settings(), prefix=(sys.executable, "-c", STUBBORN), fake=True)

    assert -signal.SIGALRM == told(daemon, story)

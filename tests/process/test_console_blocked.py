"""The console page where no UDP comes through: the call goes on over a WebSocket, and says so."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.process.chromium import NEEDED, browsing
from tests.process.conftest import Daemon, Serve, settings
from tests.process.test_console import LATE, STATE, captions, dial, microphone

pytestmark = [pytest.mark.process, pytest.mark.timeout(240), NEEDED]


@contextmanager
def swallowing() -> Iterator[socket.socket]:
    """Takes every packet that is sent to the server, and lets none through."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as packets:
        packets.bind(("127.0.0.9", 0))
        packets.setblocking(False)
        yield packets


@pytest.fixture(scope="module")
def firewall() -> Iterator[socket.socket]:
    with swallowing() as packets:
        yield packets


@pytest.fixture(scope="module")
def daemon(serve: Serve, firewall: socket.socket) -> Daemon:
    started = serve(blocked(firewall))
    started.wait_for("daemon.ready")
    return started


@pytest.fixture(scope="module")
def standin(serve: Serve) -> Iterator[Daemon]:
    """Without engines, for what the page alone does."""
    with swallowing() as packets:
        started = serve(blocked(packets), fake=True)
        started.wait_for("daemon.ready")
        yield started


def blocked(firewall: socket.socket) -> str:
    """Callers are told an address at which a firewall stands."""
    there = f'[rtc]\nhost = "127.0.0.1"\npublic_host = "127.0.0.9"\nport = {port(firewall)}\n'
    return settings("max = 1").replace("[rtc]\nport = 0\n", there)


def port(firewall: socket.socket) -> int:
    return int(firewall.getsockname()[1])


def test_the_call_goes_on_over_a_web_socket_and_says_that_it_is_slower(
    daemon: Daemon, firewall: socket.socket, tmp_path: Path
) -> None:
    """With room for one call: the connection that never was gives its place back."""

    async def story() -> dict[str, Any]:
        recording = microphone(tmp_path / "microphone.wav", 18.0, 30.0)
        async with browsing(daemon.url + "/", recording, tmp_path / "profile") as page:
            await dial(page)
            await page.until(f"{STATE} == 'slower'", LATE)
            told = await page.value("document.getElementById('status').textContent")
            await page.until("document.querySelector('#captions .caller')", LATE)
            await page.until("document.querySelector('#turns table')", LATE)
            found = {"told": told, "captions": await captions(page)}
            await page.value("document.getElementById('dial').click()")
            await page.until(f"{STATE} == 'ended'", 10)
            found["requests"], found["complaints"] = page.requests, page.complaints
            return found

    found = asyncio.run(story())

    assert b"" != firewall.recv(2048)  # the browser had tried
    assert "In a call, by the slower way: this network lets no UDP through" == found["told"]
    heard = " ".join(text for who, text in found["captions"] if who == "caller").lower()
    assert "visit my father" in heard
    assert "agent" == found["captions"][-1][0]
    assert [] == found["complaints"]
    outside = [u for u in found["requests"] if not u.startswith(daemon.url + "/")]
    assert [] == [url for url in outside if not url.startswith("blob:")]


SUSPENDED = """
    window.resume = AudioContext.prototype.resume;
    window.state = Object.getOwnPropertyDescriptor(BaseAudioContext.prototype, "state");
    AudioContext.prototype.resume = () => new Promise(() => {});
    Object.defineProperty(AudioContext.prototype, "state", {configurable: true,
        get() { return "suspended"; }});
    window.resumed = 0;
"""
WILLING = """
    delete AudioContext.prototype.state;
    AudioContext.prototype.resume = function () { resumed++; return window.resume.call(this); };
"""


def test_a_browser_that_wants_a_click_before_it_plays_gets_a_button_on_this_way_too(
    standin: Daemon, tmp_path: Path
) -> None:
    button = "document.getElementById('hear')"

    async def story() -> list[object]:
        recording = microphone(tmp_path / "microphone.wav")
        async with browsing(standin.url + "/", recording, tmp_path / "profile") as page:
            await page.value(SUSPENDED)
            await dial(page)
            await page.until(f"!{button}.hidden", LATE)
            found = [await page.value(STATE)]
            await page.value(WILLING)
            await page.value(f"{button}.click()")
            return [*found, await page.value("resumed"), await page.value(f"{button}.hidden")]

    assert ["slower", 1, True] == asyncio.run(story())

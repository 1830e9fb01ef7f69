"""The console page in a real browser: a call is held, and the page shows what happened."""

import asyncio
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import soxr

from tests.process.axe import dress, faults_in_every_dress
from tests.process.chromium import NEEDED, Page, browsing
from tests.process.conftest import ROOT, Daemon, Serve, settings
from voiced.testing.impair import Weather, impair

pytestmark = [pytest.mark.process, pytest.mark.timeout(240), NEEDED]

QUESTION = ROOT / "tests/data/question_visiting_hours.wav"
SIZES = {"phone": (390, 844), "tablet": (820, 1180), "desk": (1440, 900)}
STATE = "document.getElementById('status').dataset.state"
CAPTIONS = "[...document.querySelectorAll('#captions > *')].map(e => [e.className, e.innerText])"
LATE = 90.0


@pytest.fixture(scope="module")
def daemon(serve: Serve) -> Daemon:
    started = serve()
    started.wait_for("daemon.ready")
    return started


@pytest.fixture(scope="module")
def standin(serve: Serve) -> Daemon:
    """Without engines, for what the page alone does."""
    started = serve(fake=True)
    started.wait_for("daemon.ready")
    return started


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pictures go: kept when VOICED_PICTURES names a folder."""
    kept = os.environ.get("VOICED_PICTURES")
    return Path(kept) if kept else tmp_path_factory.mktemp("pictures")


def microphone(path: Path, *at: float) -> Path:
    """A recording with the question at each instant, 48 kHz as Chromium wants it."""
    question, hz = soundfile.read(QUESTION, dtype="float32")
    question = soxr.resample(question, hz, 48_000)
    length = int((max(at, default=0.0) + 20.0) * 48_000)
    pcm = np.zeros(length, np.float32)
    for start in at:
        begin = int(start * 48_000)
        pcm[begin : begin + len(question)] = question
    soundfile.write(path, pcm, 48_000, subtype="PCM_16")
    return path


async def dial(page: Page) -> None:
    """Calls. The recording is clean, and the browser's noise suppression would only spoil it."""
    await page.value(
        "{ const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);"
        " const off = {echoCancellation: false, noiseSuppression: false, autoGainControl: false};"
        " navigator.mediaDevices.getUserMedia = () => ask({audio: off}); }"
    )
    await page.value("document.getElementById('dial').click()")


async def captions(page: Page) -> list[tuple[str, str]]:
    return [(who, text) for who, text in await page.value(CAPTIONS)]


def test_a_call_from_the_browser(daemon: Daemon, tmp_path: Path, pictures: Path) -> None:
    """Greeted, heard, answered; captions and the turn's legs stand on the page."""

    async def story() -> dict[str, Any]:
        recording = microphone(tmp_path / "microphone.wav", 9.0, 22.0)
        async with browsing(daemon.url + "/", recording, tmp_path / "profile") as page:
            before = await page.value(STATE)
            await page.picture(pictures / "idle.png", *SIZES["desk"])
            await page.value("document.getElementById('choices').open = true")
            await page.picture(pictures / "choices.png", *SIZES["phone"])
            await dial(page)
            await page.until(f"{STATE} == 'connected'", LATE)
            await page.until("document.querySelector('#captions .caller')", LATE)
            level = "Number(document.getElementById('level').getAttribute('aria-valuenow'))"
            await page.until("document.querySelector('#turns table')", LATE)
            found = {
                "before": before,
                "captions": await captions(page),
                "agent": await page.value("document.getElementById('answering').textContent"),
                "rows": await page.value(
                    "[...document.querySelectorAll('#turns tbody tr')].map(tr => [tr.dataset.leg,"
                    " tr.cells[2].innerText, tr.cells[3].innerText,"
                    " tr.querySelector('.waited').getBoundingClientRect().width])"
                ),
                "total": await page.value("document.querySelector('#turns caption').innerText"),
                "level": await page.value(level),
            }
            for name, size in SIZES.items():
                await page.picture(pictures / f"{name}.png", *size)
                wide = "document.documentElement.scrollWidth <= innerWidth"
                assert await page.value(wide), f"{name}: the page is wider than the screen"
            await _dressed(page, pictures)
            found["faults"] = await faults_in_every_dress(page)
            await page.value("document.getElementById('dial').click()")
            await page.until(f"{STATE} == 'ended'", 10)
            found["requests"], found["complaints"] = page.requests, page.complaints
            return found

    found = asyncio.run(story())

    assert [] == found["faults"]
    assert ("idle", "reception") == (found["before"], found["agent"])
    said = found["captions"]
    assert "agent" == said[0][0]
    assert "How can I help you?" in said[0][1]
    heard = " ".join(text for who, text in said if who == "caller").lower()
    assert "visit my father" in heard
    legs = [row[0] for row in found["rows"]]
    assert ["network_in", "endpoint_delay", "stt"] == legs[:3]
    assert "network_out" == legs[-1]
    assert all(row[1].split()[1] == row[2].split()[1] == "ms" for row in found["rows"])
    assert any(row[3] > 20 for row in found["rows"])
    assert "/ 800 ms" in found["total"]
    assert -60 <= found["level"] <= 0
    assert [] == found["complaints"]
    assert [] == [url for url in found["requests"] if not url.startswith(daemon.url + "/")]


async def _dressed(page: Page, pictures: Path) -> None:
    """Korean, and the dark colours."""
    await dress(page, "ko", "dark")
    assert "ko" == await page.value("document.documentElement.lang")
    assert "끊기" == await page.value("document.getElementById('dial').textContent")
    untold = (
        "[...document.querySelectorAll('[data-words]')].filter(e => !/[가-힣]/.test(e.textContent))"
    )
    assert 0 == await page.value(f"{untold}.length")
    await page.picture(pictures / "korean-dark.png", *SIZES["desk"])
    await page.picture(pictures / "korean-dark-phone.png", *SIZES["phone"])


def test_what_nobody_heard_is_struck_through_and_what_was_written_is_answered(
    daemon: Daemon, tmp_path: Path, pictures: Path
) -> None:
    async def story() -> dict[str, Any]:
        recording = microphone(tmp_path / "microphone.wav")
        async with browsing(daemon.url + "/", recording, tmp_path / "profile") as page:
            await dial(page)
            await page.until("document.getElementById('floor').dataset.floor == 'agent'", LATE)
            await asyncio.sleep(1.5)
            await _write(page, "When are visiting hours?")
            note = await page.until("document.getElementById('note').textContent", 10)
            await page.until("document.querySelector('#captions .caller')", LATE)
            await page.until("document.querySelectorAll('#turns table').length == 1", LATE)
            found = {"note": note, "captions": await captions(page)}
            await page.picture(pictures / "written.png", *SIZES["desk"])
            return found

    found = asyncio.run(story())

    assert "It will be answered when the agent is done." == found["note"]
    who = [line[0] for line in found["captions"]]
    assert ["agent", "caller", "agent"] == who
    assert "When are visiting hours?" in found["captions"][1][1]


async def _write(page: Page, text: str) -> None:
    await page.value(
        f"document.getElementById('text').value = {text!r};"
        "document.getElementById('write').requestSubmit()"
    )


def test_a_barge_in_strikes_out_what_was_not_heard(
    daemon: Daemon, tmp_path: Path, pictures: Path
) -> None:
    """The question comes in the middle of the greeting."""

    async def story() -> list[str]:
        recording = microphone(tmp_path / "microphone.wav", 2.5)
        async with browsing(daemon.url + "/", recording, tmp_path / "profile") as page:
            await dial(page)
            await page.until("document.querySelector('#captions s')", LATE)
            await page.until("document.querySelectorAll('#turns table').length == 1", LATE)
            await page.picture(pictures / "struck.png", *SIZES["desk"])
            texts = "[...document.querySelectorAll('#captions s')].map(s => s.textContent)"
            struck: list[str] = await page.value(texts)
            return struck

    struck = asyncio.run(story())

    assert struck[0].strip().endswith("How can I help you?")


def test_who_lost_the_line_can_call_again(daemon: Daemon, tmp_path: Path, pictures: Path) -> None:
    """Keyboard alone: the button has the focus, and Enter dials."""

    async def story() -> tuple[str, str, list[str]]:
        recording = microphone(tmp_path / "microphone.wav")
        async with browsing(daemon.url + "/?agent=nobody", recording, tmp_path / "p") as page:
            await page.value("document.getElementById('dial').focus()")
            await _enter(page)
            await page.until(f"{STATE} == 'refused'", 20)
            why = await page.value("document.getElementById('status').textContent")
            focus = await page.value("document.activeElement.id")
            await page.picture(pictures / "refused.png", *SIZES["phone"])
            await page.value("history.replaceState(null, '', '/')")
            unnamed = await page.value(
                "[...document.querySelectorAll('button, input, select, [role]')].filter(e =>"
                " !e.hidden && !(e.labels?.length || e.ariaLabel || e.textContent.trim() ||"
                " e.getAttribute('aria-labelledby'))).map(e => e.outerHTML)"
            )
            await _enter(page)
            await page.until(f"{STATE} == 'refused'", 20)
            return why, focus, unnamed

    why, focus, unnamed = asyncio.run(story())

    assert "The call was refused: there is no agent of that name here" == why
    assert "reconnect" == focus
    assert ["status", "note"] == [part.split('id="')[1].split('"')[0] for part in unnamed] or (
        [] == [part for part in unnamed if 'role="status"' not in part]
    )


async def _enter(page: Page) -> None:
    key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
    await page.command("Input.dispatchKeyEvent", type="keyDown", **key)
    await page.command("Input.dispatchKeyEvent", type="keyUp", **key)


def test_a_server_that_is_gone_is_noticed_and_said(
    serve: Serve, tmp_path: Path, pictures: Path
) -> None:
    """It cannot say goodbye: no packet comes any more. The page knows whom to ring instead, and
    opens again though nobody serves it."""
    daemon = serve(settings(tables='[console]\nphone = "555 0100"'))
    daemon.wait_for("daemon.ready")
    status = "document.getElementById('status').textContent"
    shown = "document.getElementById('elsewhere').innerText"

    async def story() -> list[str]:
        recording = microphone(tmp_path / "microphone.wav")
        async with browsing(daemon.url + "/", recording, tmp_path / "profile") as page:
            await dial(page)
            await page.until("document.querySelector('#captions .agent')", LATE)
            assert await page.value("document.getElementById('elsewhere').hidden")
            daemon.process.kill()
            await page.until(f"{STATE} == 'returning'", 40)
            told = [await page.value(status), await page.value(shown)]
            await page.picture(pictures / "lost.png", *SIZES["phone"])
            await page.until(f"{STATE} == 'lost'", 80)
            await page.value("document.getElementById('reconnect').click()")
            await page.until(f"{STATE} == 'unreachable'", 20)
            told += [await page.value(status), await page.value(shown)]
            await page.command("Page.reload")
            await page.until(f"document.readyState == 'complete' && {STATE} == 'unreachable'", 20)
            return [*told, await page.value(status), await page.value(shown)]

    number = "Please ring this number instead:\n555 0100"
    gone = "The server does not answer"
    assert ["The line was lost. Calling back", number, gone, number, gone, number] == asyncio.run(
        story()
    )


def test_a_line_that_is_lost_is_taken_up_again(daemon: Daemon, tmp_path: Path) -> None:
    """The network dies and another is there: the same call goes on, with its captions."""
    port = daemon.wait_for("daemon.ready")["udp_port"]

    async def story() -> list[tuple[str, str]]:
        first, second = await impair(port, Weather()), await impair(port, Weather())
        recording = microphone(tmp_path / "microphone.wav")
        async with browsing(daemon.url + "/", recording, tmp_path / "profile") as page:
            await page.value(THROUGH % port)
            await page.value(f"window.through = {first.port}")
            await dial(page)
            await page.until("document.querySelector('#captions .agent')", LATE)
            await page.until("document.getElementById('floor').dataset.floor == 'quiet'", LATE)
            await page.value(f"window.through = {second.port}")
            first.weather = Weather(loss=1.0)
            await page.until(f"{STATE} == 'stalled'", 30)
            await page.until(f"{STATE} == 'connected'", 30)
            await _write(page, "When are visiting hours?")
            await page.until("document.querySelector('#captions .caller + .agent')", LATE)
            found = await captions(page)
        await first.close()
        await second.close()
        return found

    said = asyncio.run(story())

    assert {"agent"} == {who for who, _ in said[:-2]}  # the greeting; cut off, it is said again
    assert ["caller", "agent"] == [who for who, _ in said[-2:]]


def test_a_browser_that_wants_a_click_before_it_plays_gets_a_button_for_it(
    standin: Daemon, tmp_path: Path
) -> None:
    button = "document.getElementById('hear')"
    sound = "document.getElementById('sound')"

    async def story() -> list[bool]:
        recording = microphone(tmp_path / "microphone.wav")
        async with browsing(standin.url + "/", recording, tmp_path / "profile") as page:
            await page.value(UNWILLING)
            await dial(page)
            await page.until(f"!{button}.hidden", LATE)
            found = [await page.value(f"{sound}.paused")]
            await page.value(WILLING)
            await page.value(f"{button}.click()")
            found += [await page.value(f"{sound}.paused"), await page.value(f"{button}.hidden")]
            return found

    assert [True, False, True] == asyncio.run(story())


UNWILLING = (
    "window.play = HTMLMediaElement.prototype.play; HTMLMediaElement.prototype.play ="
    " () => Promise.reject(new DOMException('no click', 'NotAllowedError'))"
)
"""In the page: the browser wants a click before it plays."""

WILLING = "HTMLMediaElement.prototype.play = window.play"

THROUGH = """{
    const real = window.fetch;
    window.fetch = async (url, how) => {
        const reply = await real(url, how);
        if (how?.method !== "POST" || !reply.ok) return reply;
        const lines = (await reply.text()).split("\\n");
        const led = lines.map(one => one.startsWith("a=candidate")
            ? one.replace(" %d ", ` ${window.through} `) : one);
        return new Response(led.join("\\n"), {status: reply.status, headers: reply.headers});
    };
}"""
"""In the page: media goes through the proxy that listens at `through`."""

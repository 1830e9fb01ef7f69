"""The operator's page in a browser: a call is seen, taken over, joined, the server drained."""

import asyncio
import hashlib
from pathlib import Path
from typing import Any

import aiohttp
import numpy as np
import pytest

from tests.process.axe import dress, faults_in_every_dress
from tests.process.chromium import NEEDED, Page, browsing
from tests.process.conftest import Daemon, Serve, settings
from tests.process.test_console import SIZES, UNWILLING, WILLING, microphone, pictures
from voiced.audio.pcm import HEARING_HZ
from voiced.clock import now
from voiced.testing.caller import Caller

pytestmark = [pytest.mark.process, pytest.mark.timeout(240), NEEDED]

__all__ = ["pictures"]

AGENT = """
name = "reception"
languages = ["en"]
prompt = "Help."
[red_flags]
en = ["chest pain"]
[[handoffs]]
kind = "operator"
[[handoffs]]
kind = "line"
line = "Please dial 5 5 5 0 1 0 0."
[lines.en]
greeting = "Hello."
fallback = "Sorry."
goodbye = "Bye."
red_flag = "I am telling our staff."
taken_over = "A nurse is on the way."
handed_back = "I am here again."
[voices]
en = "espeak-ng"
"""

KEYS = {"ward-3": ("vk_ward", "call"), "desk": ("vk_desk", "attend"), "nurse": ("vk_nurse", "join")}
FLAGGED = "I have chest pain"
LATE_S = 60.0
HUM = (8000 * np.sin(np.arange(HEARING_HZ * 3 // 2) * 2 * np.pi * 300 / HEARING_HZ)).astype(
    np.int16
)
JOINED = "document.getElementById('joined').innerText"
LISTEN = """(async () => {
  const context = new AudioContext();
  const ear = context.createAnalyser();
  context.createMediaStreamSource(document.getElementById('sound').srcObject).connect(ear);
  const samples = new Float32Array(ear.fftSize);
  window.loudest = 0;
  setInterval(() => {
    ear.getFloatTimeDomainData(samples);
    window.loudest = Math.max(window.loudest, ...samples.map(Math.abs));
  }, 50);
})()"""
"""How loud the loudest is that the page has played."""


@pytest.fixture(scope="module")
def daemon(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> Daemon:
    folder = tmp_path_factory.mktemp("keyed")
    (folder / "agents").mkdir()
    (folder / "agents/reception.toml").write_text(AGENT)
    keys = "".join(
        f'[[key]]\nname = "{name}"\nright = "{right}"\n'
        f'sha256 = "{hashlib.sha256(key.encode()).hexdigest()}"\n'
        for name, (key, right) in KEYS.items()
    )
    (folder / "keys.toml").write_text(keys)
    text = settings().replace("[http]\n", f'[http]\nkeys_file = "{folder}/keys.toml"\n')
    agents = f'agents_dir = "{folder}/agents"'
    lines = [agents if one.startswith("agents_dir") else one for one in text.splitlines()]
    started = serve("\n".join(lines), fake=True)
    started.wait_for("daemon.ready")
    return started


async def greeted(daemon: Daemon) -> Caller:
    caller = Caller(daemon.calls_url, token="vk_ward")
    await caller.open()
    await caller.until_event("response.done", 0.0, LATE_S)
    return caller


async def write(caller: Caller, text: str) -> None:
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    caller.send({"type": "conversation.item.create", "item": item})
    caller.send({"type": "response.create"})


async def text(page: Page, name: str) -> str:
    return str(await page.value(f"document.getElementById('{name}').innerText"))


async def unlock(page: Page, key: str) -> None:
    await page.value(
        f"document.getElementById('key').value = '{key}';"
        "document.getElementById('unlock').requestSubmit()"
    )


def test_who_waits_is_seen_and_taken_over_and_no_word_of_a_caller_is(
    daemon: Daemon, tmp_path: Path, pictures: Path
) -> None:
    async def story() -> dict[str, Any]:
        caller = await greeted(daemon)
        silent = microphone(tmp_path / "microphone.wav")
        async with browsing(daemon.url + "/operator", silent, tmp_path / "profile") as page:
            found: dict[str, Any] = {}
            await page.until("document.getElementById('status').innerText", 5)
            found["without"] = await text(page, "status")
            await unlock(page, "vk_ward")
            await page.until("document.getElementById('status').innerText.includes('right')", 5)
            await unlock(page, "vk_desk")
            await page.until("document.querySelector('#calls b')", 5)
            found["calls"], found["idle"] = await text(page, "calls"), await text(page, "waiting")
            await write(caller, "How are you?")
            await caller.until_event("response.done", now() - 1, 10)
            await caller.until_quiet(300)
            await write(caller, FLAGGED)
            await page.until("document.querySelector('#waiting button')", 10)
            found["waiting"] = await text(page, "waiting")
            await page.until("document.querySelector('#legs svg')", 10)
            for name, size in SIZES.items():
                await page.picture(pictures / f"operator-{name}.png", *size)
                assert await page.value("document.documentElement.scrollWidth <= innerWidth"), name
            await dress(page, "ko", "dark")
            await page.picture(pictures / "operator-korean-dark.png", *SIZES["desk"])
            await dress(page, "en", "light")
            found["faults"] = await faults_in_every_dress(page)
            await page.value("document.querySelector('#waiting button').click()")
            await page.until("!document.querySelector('#waiting button')", 10)
            found["page"] = await page.value("document.body.innerText")
            await page.value("document.getElementById('drain').click()")
            await page.until("document.getElementById('status').innerText == 'draining'", 5)
            await page.value("document.getElementById('drain').click()")
            await page.until("document.getElementById('status').innerText == 'Takes calls'", 5)
            found["complaints"] = [one for one in page.complaints if "40" not in one]
        await caller.close()
        return found

    found = asyncio.run(story())

    assert "show a right key" in found["without"]
    assert ["reception", "key:ward-3", "en"] == found["calls"].split()[:3]
    assert "Nobody waits." == found["idle"]
    assert "reception · emergency" in found["waiting"]
    assert "key:ward-3" in found["waiting"]
    assert [] == found["faults"]
    assert "chest" not in found["page"]
    assert [] == found["complaints"]
    acted = [line["action"] for line in daemon.lines if line["event"] == "attend.acted"]
    assert ["handoff.acknowledged", "drain", "drain.undo"] == acted


async def state(daemon: Daemon) -> dict[str, Any]:
    headers = {"Authorization": "Bearer vk_nurse"}
    async with (
        aiohttp.ClientSession(headers=headers) as http,
        http.get(f"{daemon.url}/attend/state") as answer,
    ):
        found: dict[str, Any] = await answer.json()
        return found


async def handed_off(daemon: Daemon, caller: Caller) -> str:
    """The caller names an emergency; the name of the call, once somebody is wanted in it."""
    await write(caller, FLAGGED)
    async with asyncio.timeout(LATE_S):
        while not (waiting := (await state(daemon))["waiting"]):  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    return str(waiting[-1]["call"])


async def heard(listener: Caller, speaker: Caller) -> bool:
    """Whether one hears what the other says."""
    begun = now()
    await speaker.say(HUM, after_silence_ms=None)
    return await listener.until_onset(begun, LATE_S) is not None


def test_a_person_who_joins_and_the_caller_hear_each_other(daemon: Daemon) -> None:
    async def story() -> dict[str, Any]:
        caller = await greeted(daemon)
        early = (await state(daemon))["calls"][0]["call"]
        found: dict[str, Any] = {"early": await refusal(daemon, early, "vk_nurse")}
        call = await handed_off(daemon, caller)
        found["unentitled"] = await refusal(daemon, call, "vk_desk")
        nurse = Caller(f"{daemon.url}/join/{call}", token="vk_nurse")
        await nurse.open()
        joined = await caller.until_event("voiced.person", 0.0, LATE_S)
        found["second"] = await refusal(daemon, call, "vk_nurse")
        found["waiting"] = (await state(daemon))["waiting"]
        await caller.until_quiet(300)
        found["caller"] = await heard(caller, nurse)
        found["nurse"] = await heard(nurse, caller)
        await caller.until_quiet(300)
        left = now()
        await nurse.close()
        parted = await caller.until_event("voiced.person", left, LATE_S)
        found["told"] = [one is not None and one.body["joined"] for one in (joined, parted)]
        found["line"] = await caller.until_onset(left, LATE_S) is not None
        await caller.until_quiet(300, left)
        await write(caller, "How are you?")
        found["answered"] = await caller.until_event("response.done", now(), LATE_S) is not None
        await caller.close()
        return found

    found = asyncio.run(story())

    assert (409, 403, 409) == (found["early"], found["unentitled"], found["second"])
    assert [] == found["waiting"]
    assert (True, True) == (found["caller"], found["nurse"])
    assert ([True, False], True, True) == (found["told"], found["line"], found["answered"])
    events = [line["event"] for line in daemon.lines if line["event"].startswith("person.")]
    assert ["person.joined", "person.left"] == events


async def refusal(daemon: Daemon, call: str, key: str) -> int:
    """The status that an offer of nothing gets."""
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/sdp"}
    async with (
        aiohttp.ClientSession(headers=headers) as http,
        http.post(f"{daemon.url}/join/{call}", data="v=0") as answer,
    ):
        return answer.status


def test_a_call_is_joined_from_the_page(daemon: Daemon, tmp_path: Path, pictures: Path) -> None:
    async def story() -> dict[str, Any]:
        caller = await greeted(daemon)
        speaking = microphone(tmp_path / "microphone.wav", *range(1, 60, 4))
        async with browsing(daemon.url + "/operator", speaking, tmp_path / "profile") as page:
            found: dict[str, Any] = {}
            await unlock(page, "vk_nurse")
            await page.until("document.querySelector('#calls b')", LATE_S)
            await handed_off(daemon, caller)
            await page.until("document.querySelector('#waiting .primary')", LATE_S)
            await page.picture(pictures / "operator-may-join.png", *SIZES["desk"])
            joined_at = now()
            await page.value(UNWILLING)
            await page.value("document.querySelector('#waiting .primary').click()")
            await page.until("!document.getElementById('hear').hidden", LATE_S)
            await page.value(WILLING)
            await page.value("document.getElementById('hear').click()")
            await page.until("document.getElementById('hear').hidden", 5)
            await page.until(f"{JOINED}.includes('You speak')", LATE_S)
            await caller.until_event("voiced.person", joined_at, LATE_S)
            since = now()
            found["heard"] = await caller.until_onset(since + 0.5, LATE_S) is not None
            await page.value(LISTEN)
            await caller.say(HUM, after_silence_ms=None)
            found["level"] = await page.value("window.loudest")
            await page.until("document.querySelector('#waiting p').innerText.includes('speaks')", 5)
            for name, size in SIZES.items():
                await page.picture(pictures / f"operator-joined-{name}.png", *size)
                assert await page.value("document.documentElement.scrollWidth <= innerWidth"), name
            await dress(page, "ko", "dark")
            await page.picture(pictures / "operator-joined-korean-dark.png", *SIZES["desk"])
            await dress(page, "en", "light")
            found["faults"] = await faults_in_every_dress(page)
            left = now()
            await page.value("document.getElementById('leave').click()")
            await page.until(f"{JOINED}.includes('You have left')", LATE_S)
            found["parted"] = await caller.until_event("voiced.person", left, LATE_S) is not None
            found["complaints"] = [one for one in page.complaints if "40" not in one]
        await caller.close()
        return found

    found = asyncio.run(story())

    assert (True, True) == (found["heard"], found["parted"])
    assert found["level"] > 0.05
    assert [] == found["faults"]
    assert [] == found["complaints"]

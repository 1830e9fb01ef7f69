"""The operator's page in a browser: a call is seen, a hand-off taken over, the server drained."""

import asyncio
import hashlib
from pathlib import Path
from typing import Any

import pytest

from tests.process.axe import dress, faults_in_every_dress
from tests.process.chromium import NEEDED, Page, browsing
from tests.process.conftest import Daemon, Serve, settings
from tests.process.test_console import SIZES, microphone, pictures
from voiced.clock import now
from voiced.testing.caller import Caller

pytestmark = [pytest.mark.process, pytest.mark.timeout(120), NEEDED]

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
[voices]
en = "espeak-ng"
"""

KEYS = {"ward-3": ("vk_ward", "call"), "desk": ("vk_desk", "attend")}
FLAGGED = "I have chest pain"


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
        caller = Caller(daemon.calls_url, token="vk_ward")
        await caller.open()
        await caller.until_event("session.created", 0.0, 5.0)
        await caller.until_quiet(300)
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

"""A daemon whose agent has a voice of Sonic's, and callers who outlive it.

The fake's voice is a tone, the local voice is not: so a recording tells who spoke when.
"""

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.process.conftest import ROOT, Daemon, Serve, settings
from voiced.audio import file
from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.testing.caller import Caller
from voiced.testing.sonic_socket import TONE_HZ

pytestmark = [pytest.mark.process, pytest.mark.timeout(240)]

QUESTION = ROOT / "tests/data/question_visiting_hours.wav"


@pytest.fixture
def fake() -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """A Sonic that is a process of its own; its address, and what to kill."""
    command = [sys.executable, "-m", "voiced.testing.sonic", "--pace", "4"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def site(url: str, agents: Path, language: str = "en") -> str:
    """The demonstration's settings and agent, with a voice of Sonic's."""
    agent = (ROOT / "docs/examples/agents/reception.toml").read_text()
    agents.mkdir(exist_ok=True)
    agent = agent.replace('en = "piper-en-us-joe"', f'{language} = "ada"')
    if language != "en":
        agent = agent.replace('languages = ["en"]', f'languages = ["{language}"]')
        agent = agent.replace("[lines.en]", f"[lines.{language}]")
    (agents / "reception.toml").write_text(agent)
    tables = f"""
[sonic]
url = "{url}"
worker_metrics = ["{url}/metrics"]
first_chunk_deadline_ms = 800
next_chunk_deadline_ms = 600
[[sonic.voices]]
name = "ada"
id = "11111111-aaaa-4bbb-8ccc-000000000002"
language = "{language}"
"""
    return settings(tables=tables).replace(
        f'agents_dir = "{ROOT / "docs/examples/agents"}"', f'agents_dir = "{agents}"'
    )


def tonality(pcm: Pcm) -> list[float]:
    """Of each audible 100 ms, how much of its power is the fake's tone: near 1, or near 0."""
    size = HEARING_HZ // 10
    found = []
    for begin in range(0, len(pcm) - size, size):
        piece = pcm[begin : begin + size].astype(np.float64)
        if np.sqrt(np.mean(piece**2)) < 200:
            continue
        spectrum = np.abs(np.fft.rfft(piece * np.hanning(size))) ** 2
        middle = TONE_HZ * size // HEARING_HZ
        found.append(float(spectrum[middle - 3 : middle + 4].sum() / spectrum.sum()))
    return found


def converse(daemon: Daemon, folder: Path, meanwhile: Callable[[], None]) -> Pcm:
    """One question; `meanwhile` happens when the reply begins. What was heard from then on."""
    recorded = folder / "heard.wav"

    async def talk() -> int:
        caller = Caller(daemon.calls_url)
        await caller.open()
        await caller.until_onset(caller.connected_at, 5)
        said = await caller.say(QUESTION)
        began = await caller.until_onset(said.last_voiced_at, 20)
        assert began is not None
        meanwhile()
        await caller.until_event("voiced.turn", said.last_voiced_at, 20)
        await caller.until_quiet(1000, began)
        caller.record(recorded)
        await caller.close()
        return int(np.searchsorted(caller.heard().at, began)) * HEARING_HZ // 100

    begin = asyncio.run(talk())
    return file.read(recorded, HEARING_HZ)[begin:]


def test_a_sonic_that_dies_in_the_middle_of_a_reply_is_followed_by_the_local_voice(
    serve: Serve, fake: tuple[str, "subprocess.Popen[str]"], tmp_path: Path
) -> None:
    """The caller hears the reply to its end, the break is counted, and no call is lost."""
    url, process = fake
    daemon = serve(site(url, tmp_path / "agents"))
    daemon.wait_for("daemon.ready")

    heard = converse(daemon, tmp_path, process.kill)

    tones = tonality(heard)
    assert tones[0] > 0.8, "the reply began in Sonic's voice"
    assert np.median(tones[-5:]) < 0.5, "and ended in the local one"
    page = daemon.get("/metrics")[1]
    assert 'voiced_voice_breaks_total{reason="closed"} 1.0' in page
    assert "voiced_voice_relayed_total 0.0" not in page

    again = converse(daemon, tmp_path, lambda: None)
    assert max(tonality(again)) < 0.8, "the next call is answered in the local voice"
    assert 0 == daemon.stop()


def test_a_korean_caller_whose_sonic_dies_hears_no_english_voice(
    serve: Serve, fake: tuple[str, "subprocess.Popen[str]"], tmp_path: Path
) -> None:
    """No voice here speaks Korean: what is left is the fallback line, made by Sonic at start."""
    url, process = fake
    daemon = serve(site(url, tmp_path / "agents", "ko"))
    daemon.wait_for("daemon.ready")

    heard = converse(daemon, tmp_path, process.kill)

    assert sum(one < 0.8 for one in tonality(heard)) <= 3, "more than the seam of two tones"
    page = daemon.get("/metrics")[1]
    assert 'voiced_voice_breaks_total{reason="closed"} 1.0' in page
    assert "voiced_voice_relayed_total 0.0" in page
    assert 0 == daemon.stop()


def test_a_daemon_whose_sonic_is_away_starts_with_the_voice_that_steps_in(
    serve: Serve, tmp_path: Path
) -> None:
    nobody = site("http://127.0.0.1:9", tmp_path / "agents")
    daemon = serve(nobody.replace("[sonic]", "[sonic]\nready_deadline_ms = 500"))
    daemon.wait_for("sonic.unready")
    daemon.wait_for("daemon.ready")

    heard = converse(daemon, tmp_path, lambda: None)

    assert max(tonality(heard)) < 0.8, "greeting and reply are in the local voice"
    assert "voiced_sonic_ready 0.0" in daemon.get("/metrics")[1]
    assert (200, True) == ((ready := daemon.get("/readyz"))[0], "sonic cannot speak" in ready[1])
    assert 0 == daemon.stop()


def test_where_nobody_steps_in_a_daemon_without_its_sonic_says_so_and_does_not_start(
    serve: Serve, tmp_path: Path
) -> None:
    nobody = site("http://127.0.0.1:9", tmp_path / "agents", "ko")
    daemon = serve(nobody.replace("[sonic]", "[sonic]\nready_deadline_ms = 500"))

    assert 69 == daemon.wait(60)
    assert any("127.0.0.1:9" in line and "sonic" in line for line in daemon.raw)

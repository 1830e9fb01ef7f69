"""A reload: whole or not at all, and nothing of an open call in it."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from voiced.call.residents import Residents
from voiced.config.reader import read_agents, read_settings
from voiced.config.settings import Settings
from voiced.daemon.reload import recast, reloads
from voiced.errors import ConfigError
from voiced.ops import notify
from voiced.ops.health import Health
from voiced.testing import virtualtime
from voiced.testing.fakes import FakeDetector, FakeLanguageModel, FakeSpeechToText, FakeVoice
from voiced.turn.orders import Line

pytestmark = pytest.mark.unit

JOE = "piper-en-us-joe"
AGENT = f"""
name = "desk"
languages = ["en"]
prompt = "Be brief."
[voices]
en = "{JOE}"
[lines.en]
greeting = "Hello."
fallback = "Sorry."
goodbye = "Goodbye."
"""


class Site:
    """A site's files, and what is in force."""

    def __init__(self, folder: Path) -> None:
        self.agent = folder / "agents.d/desk.toml"
        self.agent.parent.mkdir()
        self.agent.write_text(AGENT)
        self.config = folder / "voiced.toml"
        self.config.write_text('[models]\nproduction = false\n[calls]\nagents_dir = "agents.d"\n')
        self.settings: Settings = read_settings(self.config)
        self.voice = FakeVoice()
        agents = read_agents(self.settings.calls.agents_dir, self.config)
        self.now = Residents(
            agents,
            "desk",
            FakeDetector(),
            FakeSpeechToText([]),
            FakeLanguageModel([]),
            voices={(JOE, "en"): self.voice},
            lines={("desk", "en"): {}},
        )

    def recast(self) -> Residents:
        return virtualtime.run(recast(self.config, self.settings, self.now, has_key=False))


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_a_new_prompt_is_in_force_and_no_line_is_made_again(site: Site) -> None:
    site.agent.write_text(AGENT.replace("Be brief.", "Be kind."))
    after = site.recast()

    assert "Be kind." == after.agents["desk"].prompt
    assert [] == site.voice.spoken
    assert site.now.lines == after.lines


def test_a_new_line_is_made_by_the_resident_voice(site: Site) -> None:
    site.agent.write_text(AGENT.replace("Hello.", "Good day."))
    after = site.recast()

    assert "Good day." == after.lines["desk", "en"][Line.GREETING].text.reveal()


@pytest.mark.parametrize(
    ("was", "becomes", "said"),
    [
        ("prompt", "promt", "promt"),
        (f'"{JOE}"', '"kokoro"', "kokoro"),
        (f'"{JOE}"', '"espeak-ng"', "not resident"),
    ],
    ids=["a key that is wrong", "a voice that is unknown", "a voice that is not loaded"],
)
def test_a_fault_is_told_and_nothing_is_made(site: Site, was: str, becomes: str, said: str) -> None:
    site.agent.write_text(AGENT.replace(was, becomes))

    with pytest.raises(ConfigError, match=said):
        site.recast()
    assert [] == site.voice.spoken


Again = Callable[[], Awaitable[None]]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    lines: list[str] = []
    monkeypatch.setattr(notify, "status", lines.append)
    monkeypatch.setattr(notify, "ready", lambda: lines.append("READY"))
    monkeypatch.setattr(notify, "reloading", lambda: lines.append("RELOADING"))
    return lines


def asked(times: int, again: Again) -> None:
    """Asks for reloads, a second apart."""

    health = Health()
    health.why_not = None

    async def story() -> None:
        event = asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(reloads(event, again, health))
            for _ in range(times):
                event.set()
                await asyncio.sleep(1)
            task.cancel()

    virtualtime.run(story())


def test_systemd_is_told_of_each_reload(told: list[str]) -> None:
    async def well() -> None:
        return None

    asked(2, well)

    assert ["RELOADING", "ready", "READY"] * 2 == told


def test_a_reload_that_is_refused_is_in_the_status_and_the_next_is_tried(
    told: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    async def badly() -> None:
        raise ConfigError("desk.toml: promt: unknown key")

    asked(2, badly)

    status = "ready; the last reload was refused: desk.toml: promt: unknown key"
    assert ["RELOADING", status, "READY"] * 2 == told
    assert "desk.toml" in capsys.readouterr().err


def test_a_reload_that_fails_in_any_way_ends_no_call_and_the_next_is_tried(
    told: list[str],
) -> None:
    """Reloads are a task beside the calls: what it raised would end them all."""

    async def worse() -> None:
        raise RecursionError

    asked(2, worse)

    status = "ready; the last reload failed: see the journal"
    assert ["RELOADING", status, "READY"] * 2 == told

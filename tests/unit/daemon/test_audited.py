"""What the daemon records of itself."""

import asyncio
import hashlib
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from voiced.audit.entries import DaemonStarted, DaemonStopped, FileInForce, ModelInForce
from voiced.audit.model import NOWHERE
from voiced.config.reader import read_agents, read_settings
from voiced.daemon import audited
from voiced.ops import log
from voiced.testing.audit import FakeAudit

pytestmark = pytest.mark.unit

AGENT = """
name = "desk"
languages = ["en"]
prompt = "-"
[voices]
en = "piper-en-us-joe"
[lines.en]
greeting = "Hello."
fallback = "Sorry."
goodbye = "Goodbye."
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "agents.d").mkdir()
    (tmp_path / "agents.d/desk.toml").write_text(AGENT)
    config = tmp_path / "voiced.toml"
    config.write_text(
        '[models]\nproduction = false\n[calls]\nagents_dir = "agents.d"\n'
        '[tts]\nlexicon_dir = "nowhere"\n'
    )
    return config


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_start_records_every_file_and_model_that_holds_and_its_end(config: Path) -> None:
    """So that any change between two starts can be seen, whoever made it."""
    audit, settings = FakeAudit(), read_settings(config)
    agents = read_agents(settings.calls.agents_dir, config)

    async def life() -> None:
        async with AsyncExitStack() as stack:
            audited.began(audit, config, settings, agents, stack)

    asyncio.run(life())
    first, *middle, last = audit.entries
    assert isinstance(first, DaemonStarted)
    assert DaemonStopped() == last
    folder = config.parent.name
    assert [
        FileInForce("voiced", f"{folder}/voiced.toml", digest(config)),
        FileInForce("voiced", "agents.d/desk.toml", digest(config.parent / "agents.d/desk.toml")),
    ] == [one for one in middle if isinstance(one, FileInForce)]
    models = [one.name for one in middle if isinstance(one, ModelInForce)]
    assert ["silero-vad", "whisper-base", "gemma-3-270m", "piper-en-us-joe"] == models


def test_a_site_without_a_key_keeps_none_and_is_told(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(log, "warning", lambda event, **_values: told.append(event))
    monkeypatch.setattr("voiced.audit.keys.USUAL", config.parent / "nothing")

    assert NOWHERE is audited.opened(read_settings(config), AsyncExitStack())
    assert ["audit.off"] == told

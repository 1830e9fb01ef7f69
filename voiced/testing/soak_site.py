"""The sites that are soaked: settings, agents and the daemon of each, written into a folder.

It does not know what happens there.
"""

import base64
import os
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

from voiced.testing.open_door import OPEN_DOOR
from voiced.testing.soak import Target
from voiced.testing.soak_speech import Words

ROOT = Path(__file__).resolve().parents[2]

_COMMON = (
    OPEN_DOOR
    + """\
silent_deadline_ms = 5000
[calls]
max = {slots}
resume_ms = 2000
agents_dir = "agents"
[audit]
dir = "{audit}"
key_file = "key"
"""
)
_STRAW = """\
[stt]
deadline_ms = 1500
[llm]
slots = 12
first_token_deadline_ms = 1500
[turn]
answer_deadline_ms = 4000
[budget]
voice_to_voice = 30000
[models]
production = false
"""
_STRAW_AGENT = """\
name = "soak"
languages = ["en"]
prompt = "Answer."
[lines.en]
greeting = "Hello."
fallback = "Sorry."
goodbye = "Goodbye."
[voices]
en = "piper-en-us-joe"
[[tools]]
name = "lookup"
description = "Looks it up"
kind = "http"
url = "http://127.0.0.1:9/lookup"
timeout_ms = 1500
"""
_MODELS = """\
[llm]
slots = 6
[turn]
answer_deadline_ms = 8000
[budget]
voice_to_voice = 30000
[models]
dir = "~/.cache/voiced/models"
production = false
[sonic]
url = "http://127.0.0.1:{sonic}"
[[sonic.voices]]
name = "ada"
id = "11111111-aaaa-4bbb-8ccc-000000000002"
language = "en"
second = "piper-en-us-joe"
"""
_TOOL = """
[[tools]]
name = "lookup"
description = "Looks it up"
kind = "http"
url = "http://127.0.0.1:9/lookup"
timeout_ms = 1500
"""
_DEMO_AGENT = ROOT / "docs/examples/agents/reception.toml"


@dataclass(frozen=True, slots=True)
class Site:
    """One that is ready to be started."""

    command: tuple[str, ...]
    models: bool
    """The demonstration's; else of straw."""

    def target(self, url: str, udp_port: int) -> Target:
        """Its daemon as callers see it, once it listens."""
        if not self.models:
            return Target(url, udp_port)
        recorded = Words(ROOT / "tests/data")
        return Target(url, udp_port, recorded, lanes=3, agents=("reception", "sonic"))


def written(folder: Path, disk: Path, seed: int, *, models: bool) -> Site:
    """Writes a site; its audit lies on `disk`, which is filled up where it is one of its own."""
    agents = folder / "agents"
    agents.mkdir()
    (folder / "key").write_bytes(base64.b64encode(os.urandom(32)))
    common = _COMMON.format(slots=6 if models else 12, audit=disk / "audit")
    module, more = "chaos", list[str]()
    if models:
        sonic = _free_port()
        module, more = "chaos_models", ["--sonic", str(sonic)]
        own = _MODELS.format(sonic=sonic)
        agent = _DEMO_AGENT.read_text() + _TOOL
        (agents / "reception.toml").write_text(agent)
        sonics = agent.replace('"reception"', '"sonic"').replace('"piper-en-us-joe"', '"ada"')
        (agents / "sonic.toml").write_text(sonics)
        common = common.replace("agents_dir", 'default_agent = "reception"\nagents_dir')
    else:
        own = _STRAW
        (agents / "soak.toml").write_text(_STRAW_AGENT)
    config = folder / "voiced.toml"
    config.write_text(common + own)
    command = (sys.executable, "-m", f"voiced.testing.{module}", "--config", str(config))
    full = ("--disk", str(disk)) if os.path.ismount(disk) else ()
    return Site((*command, "--seed", str(seed), *more, *full), models)


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])

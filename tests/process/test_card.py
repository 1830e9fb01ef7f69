"""A daemon whose card is lost takes no calls, and ends by itself, not as a wrong setting does."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

PROGRAM = """
import sys
from pathlib import Path
from voiced.cli.main import main
from voiced.daemon import daemon
from voiced.testing import standin

class Engine:
    fault = property(lambda self: "an illegal access" if Path(sys.argv[1]).exists() else None)

async def load(settings, agents, default, stack, watch):
    watch.loss.add("stt", Engine())
    return await standin.load(settings, agents, default, stack, watch)

daemon.load = load
sys.exit(main(["serve", "--config", sys.argv[2]]))
"""
AGENT = """
name = "desk"
languages = ["en"]
prompt = "-"
voices = { en = "fake" }
[lines.en]
greeting = "Hello."
fallback = "Sorry."
goodbye = "Goodbye."
"""


def test_a_lost_card_ends_the_daemon_for_a_restart(tmp_path: Path) -> None:
    (tmp_path / "agents.d").mkdir()
    (tmp_path / "agents.d/desk.toml").write_text(AGENT)
    config, lost = tmp_path / "voiced.toml", tmp_path / "lost"
    config.write_text(
        "[http]\nport = 0\n[rtc]\nport = 0\n[models]\nproduction = false\n"
        '[calls]\nagents_dir = "agents.d"\n'
    )
    daemon = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(lost), str(config)], stderr=subprocess.PIPE, text=True
    )
    said: list[str] = []
    try:
        assert daemon.stderr is not None
        for line in daemon.stderr:
            said.append(line)
            if "daemon.ready" in line:
                lost.touch()
        code = daemon.wait(timeout=15)
    finally:
        daemon.kill()
        daemon.communicate()

    assert 69 == code, "".join(said[-5:])
    assert any("card.lost" in line for line in said)
    assert "the card is lost (stt: an illegal access)" in said[-1]

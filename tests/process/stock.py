"""What OpenAI's own clients call: a daemon whose language model asks for a tool of the program's.

The language model is a fake that looks everything up first; ears, voice and all else are real.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.process.conftest import ROOT, Daemon, Serve

QUESTION = ROOT / "tests/data/question_visiting_hours.wav"
TOKEN = "a-token-of-the-site"
FOUND = "Your father is in ward seven."
TOOL = """
[[tools]]
name = "find_ward"
description = "Finds the ward of a patient."
kind = "client"
[tools.parameters]
type = "object"
additionalProperties = false
properties = {}
"""


@contextmanager
def thinking(text: str = "You can visit every day from ten until eight.") -> Iterator[str]:
    """A language model that is a process of its own; its address."""
    command = [sys.executable, "-m", "voiced.testing.chat", "--looks-up", "--text", text]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def started(serve: Serve, folder: Path, model: str, origins: str = "") -> Daemon:
    """A daemon that asks for a token."""
    agents = folder / "agents"
    agents.mkdir()
    agent = (ROOT / "docs/examples/agents/reception.toml").read_text()
    (agents / "reception.toml").write_text(agent + TOOL)
    (folder / "token").write_text(TOKEN + "\n")
    daemon = serve(
        f"""
[http]
port = 0
token_file = "{folder / "token"}"
origins = [{origins}]
[rtc]
port = 0
[models]
dir = "~/.cache/voiced/models"
production = false
[calls]
agents_dir = "{agents}"
max = 4
[llm.remote]
url = "{model}"
"""
    )
    daemon.wait_for("daemon.ready")
    return daemon

"""The scripts of a checkout, as far as they can be run without setting anything up."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

_SCRIPTS = Path(__file__).parents[2] / "scripts"


def watched(log: Path, program: str, total: int = 0) -> "subprocess.CompletedProcess[str]":
    """scripts/watched.py around a program."""
    command = [sys.executable, str(_SCRIPTS / "watched.py"), "llama", str(log), str(total)]
    return subprocess.run(
        [*command, sys.executable, "-c", program], capture_output=True, text=True, timeout=15
    )


def test_a_watched_command_keeps_its_talk_to_the_log(tmp_path: Path) -> None:
    ran = watched(log := tmp_path / "log", "print('chatter')")

    assert (0, "chatter\n") == (ran.returncode, log.read_text())
    assert "llama: done after 0 s" in ran.stdout
    assert "chatter" not in ran.stdout


def test_a_watched_command_that_fails_shows_its_last_words(tmp_path: Path) -> None:
    program = "import sys; [print('line', n) for n in range(99)]; sys.exit(3)"

    ran = watched(log := tmp_path / "log", program)

    assert 3 == ran.returncode
    assert "llama: failed" in ran.stdout
    assert "line 98" in ran.stdout
    assert "line 70\n" not in ran.stdout
    assert str(log) in ran.stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose Python is a compiler that waits until something is written to `go`."""
    checkout = tmp_path / "checkout"
    (checkout / "scripts").mkdir(parents=True)
    (checkout / ".setup").mkdir()
    for name in ("llama-wheel", "watched.py"):
        (checkout / "scripts" / name).symlink_to(_SCRIPTS / name)
    (checkout / "lock.txt").write_text(
        "llama-cpp-python==0.0.1 \\\n    --hash=sha256:00\n    # via voiced\nnumpy==1\n"
    )
    compiler = checkout / ".venv/bin/python"
    compiler.parent.mkdir(parents=True)
    compiler.write_text(
        "#!/bin/sh\nread go <go; echo compiled >>compiled\n"
        'while [ "$1" != --wheel-dir ]; do shift; done\n'
        'mkdir -p "$2"; touch "$2/llama_cpp_python-0.0.1-py3-none-any.whl"\n'
    )
    compiler.chmod(0o755)
    os.mkfifo(checkout / "go")
    return checkout


def llama_wheel(checkout: Path, result: str) -> "subprocess.Popen[str]":
    """scripts/llama-wheel, which writes the wheel's path into `result`."""
    return subprocess.Popen(
        [str(checkout / "scripts/llama-wheel"), "lock.txt", result],
        env={**os.environ, "XDG_CACHE_HOME": str(checkout / "cache")},
        stdout=subprocess.PIPE,
        text=True,
    )


def test_the_wheel_is_compiled_once_for_a_machine(checkout: Path) -> None:
    """Its place depends on the lock and the flags alone; a second set-up waits for the first."""
    with (
        llama_wheel(checkout, "first") as first,
        # Opens once the first one compiles: by then it has the lock.
        (checkout / "go").open("w") as go,
        llama_wheel(checkout, "second") as second,
    ):
        assert second.stdout is not None
        assert "another setup compiles it" in second.stdout.readline()
        go.write("on\n")
        go.flush()
    with llama_wheel(checkout, "third") as third:
        pass

    assert (0, 0, 0) == (first.returncode, second.returncode, third.returncode)
    assert "compiled\n" == (checkout / "compiled").read_text()
    places = {(checkout / result).read_text() for result in ("first", "second", "third")}
    assert 1 == len(places)
    assert Path(places.pop().strip()).is_relative_to(checkout / "cache/voiced/wheels")

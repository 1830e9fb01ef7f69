"""What the front page and the pages under docs/ tell people to type works as it stands there."""

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process.conftest import ROOT, Serve
from voiced.cli.main import parser_for
from voiced.config.reader import default_agent, read_agents, read_settings

pytestmark = [pytest.mark.process, pytest.mark.timeout(180)]

FRONT = (ROOT / "README.md", ROOT / "README.ko.md")
PAGES = (*FRONT, *sorted((ROOT / "docs").rglob("*.md")), ROOT / "tests/data/README.md")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
SHELL = ("&&", "&", "|", ">", ">>", ";")
"""What ends a command's own words."""

FIGURE = re.compile(
    r"(?<![\w.-])\d[\d.~]*(?: to [\d.]+)?\s?(?:(?:ms|s|MB|GB|seconds|minutes)\b|초|분)"
)
MAKER = re.compile(r"`(?:scripts/|bench/|voiced |calls\.)[^`]*`")
"""What makes a figure again: a command, or for a deadline its setting."""

DEMO = "http://127.0.0.1:8080"
VOICED = (sys.executable, "-m", "voiced")


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    for language, block in BLOCK.findall(page.read_text()):
        yield language, block.replace("\\\n", " ")


def commands(page: Path) -> Iterator[list[str]]:
    """Every `voiced …` that stands alone in a block, without what the shell adds."""
    for _, block in blocks(page):
        for line in block.splitlines():
            found = re.match(r"(?:\S*/)?voiced (.*)", line.strip())
            if found is not None:
                words = shlex.split(found[1].replace("[", "").replace("]", ""), comments=True)
                ends = (n for n, word in enumerate(words) if word in SHELL)
                yield words[: next(ends, len(words))]


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def is_right(words: list[str]) -> bool:
    """The command's own parser takes it."""
    verb = next((word for word in words if not word.startswith("-")), None)
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        try:
            parser_for(verb).parse_args(words)
        except SystemExit as ended:
            return ended.code == 0
    return True


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_command_of_a_page_is_one_that_there_is(page: Path) -> None:
    assert [] == [words for words in commands(page) if not is_right(words)]


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_script_of_a_page_is_one_that_there_is(page: Path) -> None:
    told = {
        name
        for _, block in blocks(page)
        for name in re.findall(r"^(scripts/\S+)", block, re.MULTILINE)
    }

    assert [] == [name for name in told if not os.access(ROOT / name, os.X_OK)]


@pytest.mark.parametrize("page", FRONT, ids=named)
def test_a_figure_of_the_front_page_has_beside_it_what_makes_it_again(page: Path) -> None:
    """In the same paragraph; what a block shows is made by the command of the block before."""
    pieces = re.split(r"\n\n|\n(?=[*|] )", BLOCK.sub("", page.read_text()))
    figures = [piece for piece in pieces if FIGURE.search(piece)]

    assert len(figures) > 2
    assert [] == [piece for piece in figures if not MAKER.search(piece)]


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    plain = (re.sub(r"[^\w\s-]", "", heading.lower()) for heading in headings)
    return {words.strip().replace(" ", "-") for words in plain}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    lost = []
    for link in LINK.findall(page.read_text()):
        place, _, anchor = link.partition("#")
        if "://" in place:
            continue
        there = (page.parent / place).resolve() if place else page
        if not there.exists() or (anchor and anchor not in anchors(there)):
            lost.append(link)

    assert [] == lost


def test_every_page_stands_in_the_index() -> None:
    index = (ROOT / "docs/README.md").read_text()

    assert [] == [
        page.name
        for page in (ROOT / "docs").glob("*.md")
        if page.name != "README.md" and f"]({page.name})" not in index
    ]


@pytest.mark.parametrize("page", FRONT, ids=named)
def test_the_settings_that_are_shown_are_read(page: Path, tmp_path: Path) -> None:
    config = tmp_path / "voiced.toml"
    shown = [block for _, block in blocks(page) if block.startswith("[")]

    assert shown
    for block in shown:
        assert tomllib.loads(block)
        config.write_text(block)
        assert read_settings(config)


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A folder to work in as the page says: recordings, examples, and `my-site` made of them."""
    shutil.copy(ROOT / "tests/data/question_parking.wav", tmp_path / "YOUR.wav")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/data").symlink_to(ROOT / "tests/data")
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    subprocess.run(["cp", "-r", "docs/examples", "my-site"], cwd=tmp_path, check=True)
    return tmp_path


def ran(words: list[str], desk: Path) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [*VOICED, *words],
        cwd=desk,
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
        check=False,
    )


@pytest.mark.parametrize("verb", ["say", "transcribe"])
def test_what_the_front_page_says_of_voices_and_ears_works(verb: str, desk: Path) -> None:
    told = [words for words in commands(FRONT[0]) if words[0] == verb]

    assert told
    for words in told:
        done = ran(words, desk)
        assert 0 == done.returncode, done.stderr
        assert "--explain" not in words or "five milligrams" in done.stdout


def test_the_calls_of_the_front_page_are_answered(serve: Serve, desk: Path) -> None:
    daemon = serve()
    daemon.wait_for("daemon.ready")
    told = [words for words in commands(FRONT[0]) if words[0] == "call"]

    assert 2 == len(told)
    for words in told:
        done = ran([word.replace(DEMO, daemon.url) for word in words], desk)
        assert 0 == done.returncode, done.stderr
        assert "garage on Mill Road" in done.stdout
    assert (desk / "reply.wav").exists()
    assert 0 == daemon.stop()


def test_a_site_that_is_copied_from_the_examples_is_complete(desk: Path) -> None:
    (words,) = [words for words in commands(FRONT[0]) if words[0] == "serve"]
    config = desk / words[words.index("--config") + 1]

    settings = read_settings(config)
    agents = read_agents(settings.calls.agents_dir, config)
    assert "reception" == default_agent(agents, settings.calls.default_agent).name


def test_both_front_pages_tell_the_same_commands() -> None:
    english, korean = ([*commands(page)] for page in FRONT)

    assert english == korean

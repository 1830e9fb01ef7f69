"""Rules of the house that no other check enforces."""

import ast
import os
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from voiced.cli.main import VERBS, parser_for

pytestmark = pytest.mark.unit

_ROOT = Path(__file__).parents[2]
_MODULES = sorted(path for path in (_ROOT / "voiced").rglob("*.py") if path.name != "__init__.py")
_NOUNLESS = {"utils", "util", "helpers", "helper", "common", "core", "base", "manager", "misc"}


def named(path: Path) -> str:
    return str(path.relative_to(_ROOT))


def test_every_module_says_what_it_does_and_what_it_does_not_know() -> None:
    """The second half keeps a module from growing into its neighbours."""
    silent = [
        named(path)
        for path in _MODULES
        if len((ast.get_docstring(ast.parse(path.read_text())) or "").strip()) < 20
    ]

    assert [] == silent


def test_no_module_is_named_after_nothing() -> None:
    assert [] == [named(path) for path in _MODULES if path.stem in _NOUNLESS]


def test_each_unit_test_mirrors_a_module() -> None:
    """tests/unit/llm/test_clauses.py is about voiced/llm/clauses.py, or a package of that name.

    A `test_contract.py` is about what a package asks of somebody else's library.
    """
    unit = _ROOT / "tests/unit"
    astray = []
    for path in sorted(unit.rglob("test_*.py")):
        about = path.stem.removeprefix("test_")
        place = _ROOT / "voiced" / path.parent.relative_to(unit)
        there = (place / f"{about}.py").exists() or (place / about).is_dir() or place.name == about
        if not there and path.name not in ("test_house.py", "test_contract.py"):
            astray.append(named(path))

    assert [] == astray


def test_every_verb_is_there() -> None:
    missing = [verb for verb in VERBS if not (_ROOT / f"voiced/cli/{verb}.py").is_file()]

    assert [] == missing


def test_no_other_module_reaches_out() -> None:
    """Each asks somebody whom the configuration names, this machine, or is a tool of the tests."""
    ways = (
        r"aiohttp\.ClientSession|websockets\.asyncio\.client|boto3\.client|urlopen|http\.client\."
        r"|build_opener|create_connection|open_connection|create_datagram_endpoint|\.connect\(\("
    )
    reaching = {
        named(path).removeprefix("voiced/")
        for path in _MODULES
        if re.search(ways, path.read_text())
        and path.relative_to(_ROOT).parts[1] not in ("testing", "bench")
    }

    assert {
        "call/handoff.py",  # webhooks of agents
        "call/servers.py",  # tools of agents
        "catalog/https.py",  # sources of the catalogue, by `voiced models`, never by the daemon
        "control/client.py",  # the daemon's own socket, a file
        "llm/remote/server.py",  # llm.remote.url
        "ops/host.py",  # this machine's own port: is it a voiced that has it?
        "rtc/ice.py",  # the one UDP socket that callers reach, and how it is opened
        "web/sisters.py",  # [fleet]: how much room other nodes have
        "rtc/mux.py",
        "cartesia/line.py",  # sonic.url, ink.url
        "tts/sonic/readiness.py",  # sonic.url and sonic.worker_metrics
        "tts/sonic/roster.py",  # sonic.cloning.url, never by the daemon
        "tts/sonic/sagemaker.py",  # sonic.sagemaker
    } == reaching


def test_no_module_loads_what_can_run() -> None:
    """Nothing is unpickled, by whatever name: its author could run anything here."""
    loaders = {"pickle", "shelve", "marshal", "dill", "cloudpickle", "joblib", "multiprocessing"}
    ways = {("torch", "load"), ("yaml", "load"), ("np", "load"), ("numpy", "load")}
    guilty = []
    for path in _MODULES:
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Import(names=names):
                    found = {one.name.partition(".")[0] for one in names} & loaders
                case ast.ImportFrom(module=str(module)):
                    found = {module.partition(".")[0]} & loaders
                case ast.Attribute(value=ast.Name(id=owner), attr=attribute):
                    found = {owner} if (owner, attribute) in ways else set()
                case ast.keyword(arg="allow_pickle"):
                    found = {"allow_pickle"}
                case ast.Call(func=ast.Name(id="eval" | "exec")):
                    found = {"eval"}
                case _:
                    continue
            guilty += [f"{named(path)}: {name}" for name in found]

    assert [] == guilty


def test_every_script_can_be_run_and_fails_early() -> None:
    scripts = [p for p in (_ROOT / "scripts").iterdir() if p.is_file() and p.suffix != ".py"]

    assert [] == [named(p) for p in scripts if not os.access(p, os.X_OK)]
    assert [] == [named(p) for p in scripts if "set -euo pipefail" not in p.read_text()]


def test_each_lock_pins_every_package_with_hashes() -> None:
    for lock in sorted((_ROOT / "requirements").glob("*.txt")):
        blocks = re.split(r"\n(?=[a-z0-9])", lock.read_text().split("\n", 2)[2])

        unpinned = [b.split()[0] for b in blocks if "==" not in b or "--hash=sha256:" not in b]

        assert [] == unpinned, lock.name


def test_the_locks_hold_what_the_project_asks_for() -> None:
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["cpu"]]
    names = {re.split(r"[<>=;~ ]", one)[0] for one in asked}
    for lock in ("cpu.txt", "dev.txt"):
        held = set(
            re.findall(r"^([a-z0-9-]+)==", (_ROOT / "requirements" / lock).read_text(), re.M)
        )

        assert set() == names - held, lock


def test_no_link_of_the_pages_leads_nowhere() -> None:
    broken = []
    for page in [_ROOT / "README.md", *sorted((_ROOT / "docs").rglob("*.md"))]:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{named(page)}: {target}")

    assert [] == broken


def test_every_command_on_the_front_page_is_understood() -> None:
    page = (_ROOT / "README.md").read_text()
    blocks = re.findall(r"```\n(.*?)```", page, re.S)
    lines = [line.split("#")[0].strip() for block in blocks for line in block.splitlines()]
    commands = [shlex.split(line)[1:] for line in lines if re.match(r"(\.venv/bin/)?voiced ", line)]

    assert len(commands) >= 5
    for words in commands:
        parser_for(words[0]).parse_args(words)  # leaves by SystemExit when one is wrong


def test_every_script_on_the_front_page_is_there() -> None:
    mentioned = set(re.findall(r"^(scripts/[a-z]+)", (_ROOT / "README.md").read_text(), re.M))

    assert [] == [script for script in sorted(mentioned) if not (_ROOT / script).is_file()]


def test_every_rule_that_is_switched_off_gives_its_reason() -> None:
    bare = [
        f"{named(path)}: {line.strip()}"
        for path in _MODULES
        for line in path.read_text().splitlines()
        # Characters that look like others are what a text module is about; they need no reason.
        if re.search(r"# noqa(?!: [A-Z0-9, ]+ - \w|: RUF00[123])", line)
    ]

    assert [] == bare


def test_every_test_that_the_security_page_names_is_there() -> None:
    """A claim without its test is none."""
    page = (_ROOT / "docs/security.md").read_text()
    named_there = set(re.findall(r"`(test_\w+)`", page))
    sources = [path.read_text() for path in (_ROOT / "tests").rglob("test_*.py")]
    there = {name for text in sources for name in re.findall(r"def (test_\w+)\(", text)}

    assert len(named_there) > 40
    assert [] == sorted(named_there - there)


def test_every_threat_names_a_test() -> None:
    page = (_ROOT / "docs/security.md").read_text()
    threats = page.split("## Threats")[1].split("**Not met**")[0]
    rows = [row for row in threats.splitlines() if row.startswith("| ") and "---" not in row][1:]

    assert len(rows) > 15
    assert [] == [row for row in rows if "`test_" not in row.rsplit("|", 2)[1]]

"""The command's exit codes, as scripts and units rely on them."""

import sys
from types import ModuleType

import pytest

from voiced.cli import main as dispatcher
from voiced.cli.main import main
from voiced.errors import ConfigError, Damaged, UnavailableError, VoicedError

pytestmark = pytest.mark.unit


@pytest.fixture
def verb(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A verb `try`, whose `run` the test sets."""
    module = ModuleType("voiced.cli.try")
    module.add = lambda verbs: verbs.add_parser("try")  # type: ignore[attr-defined]
    module.run = lambda _: 0  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "voiced.cli.try", module)
    monkeypatch.setattr(dispatcher, "VERBS", {"try": "for the test"})
    return module


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("http.port = 'x': write a number"), 78),
        (UnavailableError("/dev/x: is not there"), 69),
        (Damaged("weights: deleted"), 1),
        (VoicedError("no"), 1),
    ],
)
def test_a_failure_says_who_must_act_by_its_exit_code(
    verb: ModuleType, capsys: pytest.CaptureFixture[str], error: VoicedError, code: int
) -> None:
    def fails(_: object) -> int:
        raise error

    verb.run = fails  # type: ignore[attr-defined]

    assert code == main(["try"])
    assert (f"voiced try: {error}\n", "") == capsys.readouterr()[::-1]


def test_a_verb_s_own_code_is_the_command_s(verb: ModuleType) -> None:
    verb.run = lambda _: 1  # type: ignore[attr-defined]

    assert 1 == main(["try"])


def test_ctrl_c_ends_without_a_traceback(verb: ModuleType) -> None:
    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    verb.run = interrupted  # type: ignore[attr-defined]

    assert 130 == main(["try"])


@pytest.mark.parametrize("words", [[], ["nix"], ["try", "--nix"], ["try", "more"]])
def test_a_wrong_command_line_exits_with_64(
    verb: ModuleType, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(words)

    assert 64 == exit_.value.code
    assert "usage: voiced" in capsys.readouterr().err


def test_help_names_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["--help"])

    shown = capsys.readouterr().out

    assert 0 == exit_.value.code
    assert [] == [verb for verb in dispatcher.VERBS if verb not in shown]

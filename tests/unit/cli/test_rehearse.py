"""`voiced rehearse` from outside: its exit codes, and what it prints."""

import json
from pathlib import Path
from typing import Any

import pytest

from voiced.cli.main import main

pytestmark = pytest.mark.unit

SCRIPT = {
    "about": "A question",
    "until": 8.0,
    "speech": [{"at": 2.0, "until": 3.0, "says": "When?"}],
    "replies": [{"says": "At ten."}],
}


def rehearsed(folder: Path, script: Any, *options: str) -> int:
    path = folder / "script.json"
    path.write_text(json.dumps(script))
    return main(["rehearse", str(path), *options])


def test_json_has_orders_with_instants_what_was_played_and_heard_and_the_history(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == rehearsed(tmp_path, SCRIPT, "--json")

    found = json.loads(capsys.readouterr().out)
    assert [0.0, 3.096, 3.296, 3.346] == [order["at"] for order in found["orders"]]
    assert ["Say", "Transcribe", "Answer", "Release"] == [one["order"] for one in found["orders"]]
    assert {"turn": 1, "take": 0, "text": "At ten.", "cut": False} == found["heard"][-1]
    assert [{"turn": 1, "heard": "When?", "reply": "At ten.", "language": "en"}] == found["turns"]
    assert ["assistant", "user", "assistant"] == [one["role"] for one in found["history"]]
    assert 2 == len(found["played"])
    assert (True, [], "hangup") == (found["ok"], found["failed"], found["ended"])


@pytest.mark.parametrize(
    "expected",
    [
        {"turns": []},
        {"history": []},
        {"orders": ["Release", "Answer"]},
        {"orders": ["Say fallback"]},
        {"never": ["Answer"]},
        {"counts": {"Release": 2}},
        {"silent": [[3.0, 5.0]]},
        {"audible": [[2.0, 4.0]]},
        {"ended": "left"},
    ],
)
def test_an_expectation_that_does_not_hold_fails_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], expected: dict[str, Any]
) -> None:
    assert 1 == rehearsed(tmp_path, {**SCRIPT, "expect": expected}, "--json")

    found = json.loads(capsys.readouterr().out)
    (sentence,) = found["failed"]
    assert (False, True) == (found["ok"], sentence.startswith(f"{next(iter(expected))}: "))


def test_a_fact_without_a_row_is_told_and_the_call_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Words for a turn whose answer is being heard already."""
    odd = {"at": 3.9, "fact": "Final", "turn": 1, "text": "When?"}

    assert 1 == rehearsed(tmp_path, {**SCRIPT, "facts": [odd]}, "--json")
    found = json.loads(capsys.readouterr().out)
    assert ["Final while speaking"] == found["unexpected"]
    assert [{"turn": 1, "heard": "When?", "reply": "At ten.", "language": "en"}] == found["turns"]


@pytest.mark.parametrize(
    ("client", "ended", "orders"),
    [
        ({"does": "hang_up"}, "hangup", ["Say"]),
        ({"does": "leave"}, "left", ["Say", "Cancel", "Say", "EndCall"]),
        ({"does": "stop"}, "hangup", ["Say", "Cancel"]),
        (
            {"at": 1.0, "does": "write", "text": "When?"},
            "hangup",
            ["Say", "Note", "Answer", "Release"],
        ),
    ],
    ids=["hang up", "leave", "stop", "write"],
)
def test_a_caller_s_program_takes_part(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    client: dict[str, Any],
    ended: str,
    orders: list[str],
) -> None:
    script = {**SCRIPT, "speech": [], "client": [{"at": 0.1, **client}]}

    assert 0 == rehearsed(tmp_path, script, "--json")
    found = json.loads(capsys.readouterr().out)
    assert (ended, orders) == (found["ended"], [one["order"] for one in found["orders"]])


def test_without_json_a_person_can_read_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rehearsed(tmp_path, {**SCRIPT, "expect": {"ended": "left"}})

    shown = capsys.readouterr().out
    assert "Answer 1.0 text='When?'" in shown
    assert "  user: When?" in shown
    assert "failed: ended: expected 'left', came 'hangup'" in shown


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        ({**SCRIPT, "untill": 3}, "untill: unknown key; did you mean 'until'?"),
        ({"about": "-"}, "until: is missing and has no default"),
        ([], "write one JSON object"),
    ],
)
def test_a_script_that_is_wrong_is_told_by_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], script: Any, fault: str
) -> None:
    assert 78 == rehearsed(tmp_path, script)

    assert fault in capsys.readouterr().err


def test_a_script_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert 78 == main(["rehearse", "/nowhere.json"])

    assert "/nowhere.json: there is no such file" in capsys.readouterr().err

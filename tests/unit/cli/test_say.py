"""`voiced say`: the text goes the way of a reply; --explain needs nothing but the text."""

import json
import sys
from pathlib import Path

import pytest

from voiced.cli.main import main

pytestmark = pytest.mark.unit

TOKENS = json.loads(
    """["**","Take"," two","**"," tablets",".\\n","- ","with"," food","\\n","- [","leaflet",
    "](https://ex","ample.org/a_b",")"," \U0001f60a"]"""
)


def explained(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, str]]:
    assert main(["say", "--explain", *arguments]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert list(shown) == ["clauses"]
    clauses: list[dict[str, str]] = shown["clauses"]
    return clauses


def spoken(clauses: list[dict[str, str]]) -> str:
    return " ".join(clause["spoken"] for clause in clauses)


def test_a_text_is_shown_clause_by_clause(capsys: pytest.CaptureFixture[str]) -> None:
    assert [
        {"text": "Take 5 mg.", "spoken": "Take five milligrams."},
        {"text": "Come at 8:00.", "spoken": "Come at eight o'clock."},
    ] == explained(capsys, "Take 5 mg. Come at 8:00.")


def test_markup_that_is_split_over_tokens_makes_no_difference(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = "".join(TOKENS)
    for tokens in (TOKENS, list(text), [text], [text[:7], text[7:40], text[40:]]):
        path = tmp_path / "tokens.json"
        path.write_text(json.dumps(tokens), encoding="utf-8")

        assert "Take two tablets. with food. leaflet" == spoken(
            explained(capsys, "--tokens", str(path))
        )


def test_tokens_are_cleaned_as_in_a_call(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "tokens.json"
    path.write_text(
        json.dumps(["<thi", "nk>The dose is 5.", "</think>", "Take 1.", "<|im_end|>"]),
        encoding="utf-8",
    )

    assert "Take one." == spoken(explained(capsys, "--tokens", str(path)))


def test_the_language_decides_and_its_region_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert "여덟 시에 드세요." == spoken(explained(capsys, "8시에 드세요.", "--lang", "ko"))
    assert "December third" == spoken(explained(capsys, "12/03", "--lang", "en-US"))
    assert "third of December" not in spoken(explained(capsys, "12/03", "--lang", "en-GB"))


@pytest.mark.parametrize("text", ["**", "😊", "...", "", "- - -", "```python\n"])
def test_what_has_no_words_makes_no_clause(capsys: pytest.CaptureFixture[str], text: str) -> None:
    assert [] == explained(capsys, text)


def test_explaining_loads_no_engine_and_reads_no_setting(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither is there a voice for the language, nor would a settings file be found."""
    for heavy in ("voiced.tts.vits", "voiced.cli.sound", "onnxruntime"):
        monkeypatch.setitem(sys.modules, heavy, None)
    monkeypatch.setattr("voiced.cli.options.read_settings", None)

    assert "Guten Tag." == spoken(explained(capsys, "Guten Tag.", "--lang", "de"))


@pytest.mark.parametrize("content", ["{}", "[1]", "no", '"text"'])
def test_tokens_that_are_no_list_of_strings_are_a_usage_error(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tokens.json"
    path.write_text(content, encoding="utf-8")

    with pytest.raises(SystemExit) as left:
        main(["say", "--explain", "--tokens", str(path)])

    assert 64 == left.value.code


def test_either_a_text_or_tokens(tmp_path: Path) -> None:
    for arguments in ([], ["text", "--tokens", str(tmp_path / "t.json")]):
        with pytest.raises(SystemExit) as left:
            main(["say", *arguments])

        assert 64 == left.value.code


def test_a_file_that_is_not_there_is_not_available(tmp_path: Path) -> None:
    assert 69 == main(["say", "--explain", "--tokens", str(tmp_path / "none.json")])

"""`voiced bench NAME` finds the benchmark, hands it the command line, prints what comes back."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from voiced.bench.options import BenchOptions
from voiced.cli.main import main

pytestmark = pytest.mark.unit


class Bench(ModuleType):
    """Stands where `voiced.bench.gpu` would."""

    def __init__(self) -> None:
        super().__init__("voiced.bench.gpu")
        self.given: BenchOptions | None = None
        self.result: dict[str, object] = {"ratio": 0.5, "ours": {"p50": 1.0}, "count": 3}

    def run(self, options: BenchOptions) -> dict[str, object]:
        self.given = options
        return self.result


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    bench = Bench()
    monkeypatch.setitem(sys.modules, "voiced.bench.gpu", bench)
    return bench


def test_the_result_is_one_json_object_on_stdout(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == main(["bench", "gpu", "--json"])
    assert bench.result == json.loads(capsys.readouterr().out)


def test_without_json_it_is_a_table(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    main(["bench", "gpu"])

    rows = [line.split() for line in capsys.readouterr().out.splitlines()]

    assert [["ratio", "0.500"], ["ours", "p50", "1.000"], ["count", "3"]] == rows


def test_the_command_line_reaches_the_benchmark(bench: Bench) -> None:
    main(["bench", "gpu", "--speech", "/s", "--voice", "v", "--lang", "ko", "--rounds", "2"])

    given = bench.given

    assert given is not None
    assert (Path("/s"), "v", "ko", 2) == (given.speech, given.voice, given.language, given.rounds)


def test_a_gate_that_was_not_kept_is_a_failed_check(bench: Bench) -> None:
    bench.result = {"kept": False}

    assert 1 == main(["bench", "gpu", "--gate", "800"])
    assert bench.given is not None
    assert 800 == bench.given.call.gate


def test_without_a_speech_folder_the_shared_one_is_meant(bench: Bench) -> None:
    main(["bench", "gpu"])

    assert bench.given is not None
    assert Path("../shared/speech") == bench.given.speech


@pytest.mark.parametrize("words", [["--rounds", "0"], ["--calls", "x"]])
def test_numbers_that_make_no_sense_are_usage_errors(bench: Bench, words: list[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["bench", "gpu", *words])

    assert (64, None) == (exit_.value.code, bench.given)


def test_a_benchmark_of_another_version_is_not_available(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "voiced.bench.gpu", None)

    assert 69 == main(["bench", "gpu", "--json"])
    assert "bench gpu: is not part of this version" in capsys.readouterr().err


def test_a_benchmark_whose_library_is_missing_does_not_pass_for_absent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(_: str) -> ModuleType:
        raise ModuleNotFoundError("No module named 'onnx'", name="onnx")

    imported: Callable[[str], ModuleType] = broken
    monkeypatch.setattr("voiced.cli.bench.importlib.import_module", imported)

    with pytest.raises(ModuleNotFoundError, match="onnx"):
        main(["bench", "gpu"])

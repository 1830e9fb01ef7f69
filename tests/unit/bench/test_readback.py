"""What was said and what was read are compared by what no patient may miss."""

from pathlib import Path

import pytest

from voiced.bench.readback import Scores, negations, sentences_of, units
from voiced.errors import UnavailableError

pytestmark = pytest.mark.unit


def test_negations_are_found_in_contractions_too() -> None:
    assert ["not", "no", "without", "not"] == negations("Don't. No, without it I can't.")


def test_units_are_counted_in_the_singular() -> None:
    assert ["milligram", "foot", "inch"] == units("five milligrams, five feet ten inches")


def test_a_sentence_that_was_read_as_written_misses_nothing() -> None:
    scores = Scores()
    scores.add("Do not take five milligrams at ten thirty.", "Don't take 5mg at 10.30.")

    assert [] == scores.misses
    assert (1.0, 1.0, 1.0) == (scores.negations.rate, scores.numbers.rate, scores.units.rate)
    assert (1, 5, 1) == (scores.negations.said, scores.numbers.said, scores.units.said)


@pytest.mark.parametrize(
    ("said", "read", "kind"),
    [
        ("Do not take it.", "Do take it.", "negations"),
        ("Take fifteen drops.", "Take 50 drops.", "numbers"),
        ("Take five milligrams.", "Take five micrograms.", "units"),
    ],
)
def test_a_word_that_matters_and_was_read_otherwise_is_a_miss(
    said: str, read: str, kind: str
) -> None:
    scores = Scores()
    scores.add(said, read)

    assert 1.0 > getattr(scores, kind).rate
    assert [{"said": said, "read": read}] == scores.misses


def test_the_spoken_forms_of_english_lines_are_said(tmp_path: Path) -> None:
    path = tmp_path / "s.tsv"
    path.write_text("#\tdoses\nen\t5 mg\tfive milligrams\nko\t5\t오\nen-US\t|\t\n")

    assert ["five milligrams"] == sentences_of(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match=r"none\.tsv"):
        sentences_of(tmp_path / "none.tsv")

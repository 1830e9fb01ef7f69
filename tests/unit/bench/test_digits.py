"""Numbers are compared by their digits, in words or numerals."""

import pytest

from voiced.bench.digits import digits

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("spoken", "written", "expected"),
    [
        ("ten thirty", "10:30", "1030"),
        ("twenty-five", "25", "25"),
        ("one hundred thirty over eighty", "130/80", "13080"),
        ("twenty twenty-six", "2026", "2026"),
        ("two thousand and six", "2006", "2006"),
        ("four one five, five five", "415-55", "41555"),
        ("zero point five", "0.5", "05"),
        ("one thousand two hundred fifty", "1,250", "1250"),
        ("March twenty-first", "March 21st", "21"),
        ("one hundred thousand", "100,000", "100000"),
        ("twelfth, eighth, twentieth", "12th, 8th, 20th", "12820"),
        ("five point two million", "5.2 million", "52"),
        ("fourteen hundred", "14 hundred", "1400"),
        ("fifteen", "15", "15"),
        ("fifty", "50", "50"),
        ("nothing at all", "", ""),
    ],
)
def test_words_and_numerals_have_the_same_digits(spoken: str, written: str, expected: str) -> None:
    assert expected == "".join(digits(spoken))
    assert expected == "".join(digits(written))

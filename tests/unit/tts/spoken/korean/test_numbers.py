"""Korean numbers: read back, each is the number that was written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiced.tts.spoken.korean.numbers import counted, digits, number, sino

pytestmark = pytest.mark.unit

DIGITS = {name: value for value, name in enumerate("영일이삼사오육칠팔구")}
PLACES = {"십": 10, "백": 100, "천": 1000}
SCALES = {"만": 10**4, "억": 10**8, "조": 10**12}


def read_back(words: str) -> int:
    """What a listener makes of a Sino-Korean number."""
    total = group = digit = 0
    for syllable in words:
        if syllable in SCALES:
            total, group, digit = total + (group + digit or 1) * SCALES[syllable], 0, 0
        elif syllable in PLACES:
            group, digit = group + (digit or 1) * PLACES[syllable], 0
        else:
            digit = DIGITS[syllable]
    return total + group + digit


@given(value=st.one_of(st.integers(0, 20_000), st.integers(0, 10**16 - 1)))
def test_a_number_is_heard_as_it_was_written(value: int) -> None:
    assert value == read_back(sino(value))
    assert value == read_back(number(f"{value:,}"))


@given(text=st.text("0123456789", min_size=1, max_size=40))
def test_digits_are_heard_one_by_one_zeros_too(text: str) -> None:
    heard = "".join(str(DIGITS[char]) for char in digits(text).replace("공", "영"))

    assert text == heard


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1, "한"), (2, "두"), (3, "세"), (5, "다섯"), (10, "열"), (11, "열한"), (20, "스무"),
        (21, "스물한"), (35, "서른다섯"), (99, "아흔아홉"), (100, "백"), (101, "백일"), (0, "영"),
    ],
)  # fmt: skip
def test_native_numbers_before_a_counter(value: int, said: str) -> None:
    assert said == counted(value)


def test_decimals_are_read_digit_by_digit() -> None:
    assert "영 점 영오" == number("0.05")
    assert "삼십팔 점 오" == number("38.5")

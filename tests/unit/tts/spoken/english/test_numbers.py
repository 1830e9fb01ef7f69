# ruff: noqa: SIM905 (words in rows)
"""English numbers: read back, each is the number that was written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiced.tts.spoken.english.numbers import cardinal, digits, door, letters, number, ordinal, year

pytestmark = pytest.mark.unit

ONES = dict(
    zip(
        (
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
            " fifteen sixteen seventeen eighteen nineteen"
        ).split(),
        range(20),
        strict=True,
    )
)
TENS = dict(
    zip(
        ("twenty thirty forty fifty sixty seventy eighty ninety").split(),
        range(20, 100, 10),
        strict=True,
    )
)
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}


def read_back(words: str) -> int:
    """What a listener makes of a cardinal."""
    total = group = 0
    for word in words.replace("-", " ").split():
        if word in SCALES:
            total, group = total + group * SCALES[word], 0
        elif word == "hundred":
            group *= 100
        else:
            group += ONES[word] if word in ONES else TENS[word]
    return total + group


@given(value=st.one_of(st.integers(0, 10_000), st.integers(0, 10**15 - 1)))
def test_a_cardinal_is_heard_as_the_number_that_was_written(value: int) -> None:
    assert value == read_back(cardinal(value))
    assert value == read_back(number(f"{value:,}"))


@given(text=st.text("0123456789", min_size=1, max_size=40))
def test_digits_are_heard_one_by_one_zeros_too(text: str) -> None:
    assert text == "".join(str(ONES[word]) for word in digits(text).split())


@given(whole=st.integers(0, 9999), part=st.text("0123456789", min_size=1, max_size=6))
def test_a_decimal_keeps_every_digit_behind_its_point(whole: int, part: str) -> None:
    head, tail = number(f"{whole}.{part}").split(" point ")

    assert (whole, part) == (
        read_back(head),
        "".join(str(ONES[word]) for word in tail.split()),
    )


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1, "first"), (2, "second"), (3, "third"), (4, "fourth"), (5, "fifth"), (8, "eighth"),
        (9, "ninth"), (11, "eleventh"), (12, "twelfth"), (20, "twentieth"), (21, "twenty-first"),
        (30, "thirtieth"), (100, "one hundredth"), (112, "one hundred twelfth"),
    ],
)  # fmt: skip
def test_ordinals(value: int, said: str) -> None:
    assert said == ordinal(value)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (2026, "twenty twenty-six"),
        (2005, "two thousand five"),
        (2000, "two thousand"),
        (1900, "nineteen hundred"),
        (1905, "nineteen oh five"),
        (999, "nine hundred ninety-nine"),
    ],
)
def test_years(value: int, said: str) -> None:
    assert said == year(value)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("7", "seven"),
        ("302", "three oh two"),
        ("312", "three twelve"),
        ("100", "one hundred"),
        ("1204", "twelve oh four"),
        ("2000", "two thousand"),
        ("012", "zero one two"),
        ("10432", "one zero four three two"),
    ],
)
def test_doors(written: str, said: str) -> None:
    assert said == door(written)


def test_a_needless_zero_means_a_name_and_every_digit_is_read() -> None:
    assert "zero zero seven" == number("007")
    assert "zero point five" == number("0.5")


def test_initials() -> None:
    assert "I C U" == letters("ICU")


def test_a_number_without_end_is_read_digit_by_digit() -> None:
    assert 5000 == len(number("1" * 5000).split())
    assert 16 == len(cardinal(10**15).split())

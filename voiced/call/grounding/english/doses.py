"""Doses in English: how much, how often, for how long.

    five hundred milligrams   a number and a unit; masses and volumes are compared in one unit each
    twice a day, three times daily, every six hours
    for seven days            where a medicine, or fasting, is what the clause is about

It does not know which doses are right.
"""

from collections.abc import Iterator
from fractions import Fraction

from voiced.call.grounding.claims import Claim, dose, every, lasting, often
from voiced.call.grounding.english.tokens import LINKS, Text

_UNITS = {
    "nanogram": (Fraction(1, 1000), "ug"), "microgram": (Fraction(1), "ug"),
    "milligram": (Fraction(1000), "ug"), "gram": (Fraction(10**6), "ug"),
    "gramme": (Fraction(10**6), "ug"), "milliliter": (Fraction(1), "ml"),
    "millilitre": (Fraction(1), "ml"), "centiliter": (Fraction(10), "ml"),
    "liter": (Fraction(1000), "ml"), "litre": (Fraction(1000), "ml"),
    "mg": (Fraction(1000), "ug"), "mcg": (Fraction(1), "ug"), "g": (Fraction(10**6), "ug"),
    "ml": (Fraction(1), "ml"), "iu": (Fraction(1), "unit"),
    "pill": (Fraction(1), "tablet"), "tab": (Fraction(1), "tablet"),
    "caplet": (Fraction(1), "tablet"),
    "patch": (Fraction(1), "patch"), "suppository": (Fraction(1), "suppository"),
    **{
        unit: (Fraction(1), unit)
        for unit in (
            "tablet capsule lozenge dose unit drop puff spray teaspoon tablespoon teaspoonful"
            " tablespoonful milliequivalent millimole injection vial ampoule sachet cc"
        ).split()
    },
}  # fmt: skip
_MANY = {"patches": "patch", "suppositories": "suppository"}
_BETWEEN_UNIT = frozenset(
    "more extra small white whole full additional other international".split()
)

_OFTEN = {"once": 1, "twice": 2, "thrice": 3}
_PERIODS = {
    "day": "day", "daily": "day", "week": "week", "weekly": "week", "night": "day",
    "month": "month", "monthly": "month", "nightly": "day",
}  # fmt: skip
_SPANS = {"minute": 1, "hour": 60, "day": 1440, "week": 10_080, "month": 43_200}
_MEDICINE = frozenset(
    """take taking taken use uses using inject inhale apply swallow give drink eat eating skip pause
    continue fast fasting chew dose doses medicine medication antibiotics course""".split()
)


def doses(seen: Text, *, anything: bool = False) -> Iterator[Claim]:
    """`anything`: also what lasts, or comes again, and is no medicine."""
    medicine = anything or bool(seen.words & _MEDICINE)
    for at, token in enumerate(seen.tokens):
        if token.word in _OFTEN and (period := _period(seen, at + 1)):
            yield often(Fraction(_OFTEN[token.word]), period)
        for number in _numbers(seen, at):
            yield from _amounts(seen, at, number, medicine=medicine)


def often_at(seen: Text, at: int) -> bool:
    """ "twice", "three times": what stands behind a dose whose unit was left out."""
    return seen[at].word in _OFTEN or (seen[at].number is not None and seen[at + 1].word == "times")


def _numbers(seen: Text, at: int) -> Iterator[Fraction]:
    """The number at a place: alone, or the first of "one to two"; "half a" is one as well."""
    token = seen[at]
    if token.number is not None:
        yield token.number
    elif token.word in ("half", "quarter"):
        yield Fraction(1, 2) if token.word == "half" else Fraction(1, 4)


def _amounts(seen: Text, at: int, number: Fraction, *, medicine: bool) -> Iterator[Claim]:
    behind = _behind(seen, at)
    if unit := unit_at(seen, behind):
        factor, one = unit
        yield dose(number * factor, one)
        return
    if seen[behind].word == "times" and (period := _period(seen, behind + 1)):
        yield often(number, period)
        return
    minutes = _SPANS.get(seen[behind].word.removesuffix("s"))
    if minutes is None:
        return
    before = seen[at - 1].word
    if before in LINKS and seen[at - 2].number is not None:
        before = seen[at - 3].word
    if before == "every" and (medicine or minutes == _SPANS["hour"]):
        yield every(number, minutes)
    elif medicine and number > 1:
        yield lasting(number, minutes)
        if before == "every":
            yield every(number, minutes)


def _behind(seen: Text, at: int) -> int:
    """Where the unit of a number stands: "one to two", "half a", "two more", "two 500 mg"."""
    behind = at + 1
    if seen[behind].word in ("a", "an", "of") and seen[at].word in ("half", "quarter", "one half"):
        behind += 2 if seen[behind].word == "of" else 1
    if seen[behind].word == "half" and seen[at].word == "one":
        behind += 1
    if seen[behind].word in LINKS and seen[behind + 1].number is not None:
        behind += 2
    elif (
        seen[behind].number is not None and unit_at(seen, behind + 1) and unit_at(seen, behind + 2)
    ):
        behind += 2  # "two five hundred milligram tablets"
    while seen[behind].word in _BETWEEN_UNIT:
        behind += 1
    return behind


def unit_at(seen: Text, at: int) -> tuple[Fraction, str] | None:
    word = seen[at].word
    return _UNITS.get(_MANY.get(word, word)) or _UNITS.get(word.removesuffix("s"))


def _period(seen: Text, at: int) -> str:
    """ "a day", "daily", "each day", "at night"."""
    if seen[at].word in ("a", "per", "each", "every", "at"):
        at += 1
    return _PERIODS.get(seen[at].word, "")

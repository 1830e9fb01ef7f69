"""Dates in English: March third, the third of March, on the third.

It does not know years, weekdays or today's date.
"""

from collections.abc import Iterator

from voiced.call.grounding.claims import Claim, day
from voiced.call.grounding.english.times import free
from voiced.call.grounding.english.tokens import LINKS, Text, Token

_MONTHS = {
    name: number
    for number, name in enumerate(
        "january february march april may june july august september october november"
        " december".split(),
        1,
    )
}


def dates(seen: Text) -> Iterator[Claim]:
    for at, token in enumerate(seen.tokens):
        month = _MONTHS.get(token.word) if token.capital else None
        if month is not None:
            yield from _of_month(seen, at, month)
        elif (
            token.nth is not None
            and seen.words_at(at - 2, 2) == ("on", "the")
            and free(seen, at + 1)
        ):
            yield day(None, token.nth)


def _of_month(seen: Text, at: int, month: int) -> Iterator[Claim]:
    """Around the month's name: "March the third", "the third of March", "March third to fifth"."""
    behind = at + 2 if seen[at + 1].word == "the" else at + 1
    before = at - 2 if seen[at - 1].word == "of" else at - 1
    places = [before] if seen[before].nth is not None else [behind]
    if seen[behind + 1].word in LINKS and seen[behind].nth is not None:
        places.append(behind + 2)
    for place in places:
        number = seen[place].nth or _day_number(seen[place])
        if number and number <= 31:
            yield day(month, number)


def _day_number(token: Token) -> int | None:
    number = token.number
    return int(number) if number is not None and number.denominator == 1 and number else None

"""English: rules by kind, in an order in which each leaves alone what a later one knows better.

    twice        "2 (two)", before any rule reads either
    links        before any rule that knows dots and digits
    comparisons  before all that turns "<70 mg" into words
    phones       before dates: both are groups of digits
    weekdays, dates, times, money, titles (with addresses), identifiers
                 before quantities: "12/03/2026" is no fraction, "Room 302B" no number
    chemistry    before quantities: a name's figure is no number
    shorthand    before quantities: "q4-6h" is no range
    signs        before and between numbers, around the quantities (see there)
    quantities   fractions, numbers with units, ranges, blood pressure
    codes        "B12": once units ("5mg") are gone
    initials     letter by letter
    rest         every number that is left

Each rule turns what it knows into lower-case words, which no later rule reads again. It does not
know voices; `region` is a country code or None.
"""

import re

from voiced.tts.spoken.english import (
    chemistry,
    dates,
    doses,
    fractions,
    identifiers,
    links,
    money,
    phones,
    rest,
    shorthand,
    signs,
    times,
    titles,
    twice,
    weekdays,
)

_SPACED_THOUSANDS = re.compile(r"(?<![\d.,-])(?<!\d )\d{1,3}(?: 000)+(?![\d.,-]|[ ]\d)")
_LETTERS = {"α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "κ": "kappa", "λ": "lambda"}
_GREEK = re.compile(f"[{''.join(_LETTERS)}]")
_SENTENCE = re.compile(r"\W*[A-Z]\w*\W+\w+\W+\w")
"""Three words, the first with a capital: the period of its last abbreviation ends it as well."""


def read(text: str, region: str | None) -> str:
    """The text with its written forms spelled out in English words."""
    text = _SPACED_THOUSANDS.sub(lambda m: m.group().replace(" ", ""), text)
    said = _read(_GREEK.sub(lambda m: _LETTERS[m.group()], text), region)
    lost = text.rstrip().endswith(".") and said.rstrip()[-1:] not in (".", "")
    return f"{said.rstrip()}." if lost and _SENTENCE.match(text) else said


def _read(text: str, region: str | None) -> str:
    text = phones.read(signs.compared(links.read(twice.read(text))))
    text = times.read(dates.read(weekdays.read(text), region))
    text = titles.read(money.read(text))
    text = shorthand.read(chemistry.read(identifiers.read(text)))
    text = signs.joining(doses.read(fractions.read(signs.leading(text))))
    text = shorthand.spelled(identifiers.codes(text))
    return rest.read(text)

"""Is this mark the end of a sentence, or of a part of one?

Each question is answered from the text alone: GO (cut behind the mark), STAY (the mark is part of
a number, name, abbreviation or link), or WAIT (what decides has not been written yet). It does not
know lengths; whether a clause is worth cutting is asked elsewhere.

    "3."   WAIT   may become "3.5"        "Dr. "      STAY  a name follows
    "yes." WAIT   may become "yes..."     "yes. "     GO
    "No. " WAIT   may become "No. 5"      "はい。"    GO    needs no look-ahead
"""

from typing import NamedTuple

from voiced.llm.clauses.manners import Manners
from voiced.llm.clauses.periods import (
    OPENERS,
    Verdict,
    caseless,
    next_sign,
    period,
    unless_lower,
)

FULL = "。！？｡"  # noqa: RUF001
"""End marks that stand by themselves: nothing that follows changes their meaning."""
ENDS = ".!?…؟۔।॥‼⁇⁈⁉"  # noqa: RUF001
"""End marks that only end a sentence when white space follows."""
PAUSES = ",;:—،؛"
FULL_PAUSES = "、，；：､"  # noqa: RUF001

CLOSERS = "」』）】》〉〕”’»)]}"  # noqa: RUF001
_TRAILERS = CLOSERS + "\"'*_~`"
_QUOTES = "\"'”’»」』"  # noqa: RUF001

_RUN = 8
"""Marks and closing signs that are taken together; a longer run is decoration."""


class Mark(NamedTuple):
    """A verdict, and where the clause ends if it goes."""

    verdict: Verdict
    end: int


def end_mark(text: str, start: int, at: int, *, final: bool, manners: Manners) -> Mark:
    """Judges the end mark at `at` in a clause that begins at `start`; `final`: no text follows."""
    if text[at] in FULL:
        return _full_mark(text, start, at, final)
    end, quoted = _run(text, at)
    if end - at > _RUN:
        return Mark(Verdict.STAY, end)
    if end == len(text):
        return Mark(Verdict.GO if final else Verdict.WAIT, end)
    if not text[end].isspace():
        return Mark(_glued(text, at, end), end)
    if quoted or text[at] == "…" or text[at : at + 2] == "..":
        return Mark(unless_lower(text, end, final), end)
    if text[at] == ".":
        return Mark(period(text, start, at, end, final, manners), end)
    return Mark(Verdict.GO, end)


def pause_mark(text: str, at: int, *, final: bool) -> Mark:
    """Judges a comma, semicolon, colon or dash: may a long clause be cut behind it?"""
    end = at + 1
    before = text[at - 1 : at]
    if text[at] in FULL_PAUSES:
        if not before.isdigit():
            return Mark(Verdict.GO, end)
        if end == len(text):
            return Mark(Verdict.WAIT, end)
        return Mark(Verdict.STAY if text[end].isdigit() else Verdict.GO, end)
    if before == ".":
        return Mark(Verdict.STAY, end)
    if end == len(text):
        return Mark(Verdict.WAIT, end)
    if text[at] != "—" and not text[end].isspace():
        return Mark(Verdict.STAY, end)
    if not before.isdigit():
        return Mark(Verdict.GO, end)
    after, known = next_sign(text, end, final)
    if not known:
        return Mark(Verdict.WAIT, end)
    return Mark(Verdict.STAY if after.isdigit() else Verdict.GO, end)


def in_link(text: str, start: int, at: int) -> bool:
    """`at` lies in the text of a markdown link: "[the leaflet. Part 2](https://...)"."""
    opened = text.rfind("[", start, at)
    return opened >= 0 and text.find("]", opened, at) < 0 and text.find("\n", opened, at) < 0


def _run(text: str, at: int) -> tuple[int, bool]:
    """Where the marks and closing signs that belong to the mark end; whether a quote closes."""
    end, quoted = at + 1, False
    last = min(len(text), at + _RUN + 2)
    while end < last and (text[end] in ENDS or text[end] in _TRAILERS):
        quoted = quoted or text[end] in _QUOTES
        end += 1
    return end, quoted


def _full_mark(text: str, start: int, at: int, final: bool) -> Mark:
    """Inside brackets or quotes, the closing sign stays with its clause, and may go on."""
    end = at + 1
    depth = sum(text.count(o, start, at) for o in OPENERS)
    if depth <= sum(text.count(c, start, at) for c in CLOSERS):
        return Mark(Verdict.GO, end)
    while end < len(text) and text[end] in CLOSERS and end - at < _RUN:
        end += 1
    if end == len(text):
        return Mark(Verdict.GO if final else Verdict.WAIT, end)
    alone = end == at + 1 or text[end].isspace() or text[end] in OPENERS
    return Mark(Verdict.GO if alone else Verdict.STAY, end)


def _glued(text: str, at: int, end: int) -> Verdict:
    """A mark with no white space behind it ends a sentence only between letters without case."""
    if text[at] == "." and not caseless(text[at - 1 : at]):
        return Verdict.STAY
    return Verdict.GO if caseless(text[end]) else Verdict.STAY

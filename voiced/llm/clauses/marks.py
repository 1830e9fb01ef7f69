"""Is this mark the end of a sentence, or of a part of one?

Each question is answered from the text alone: GO (cut behind the mark), STAY (the mark is part of
a number, name, abbreviation or link), or WAIT (what decides has not been written yet). It does not
know lengths; whether a clause is worth cutting is asked elsewhere.

    "3."   WAIT   may become "3.5"        "Dr. "      STAY  a name follows
    "yes." WAIT   may become "yes..."     "yes. "     GO
    "No. " WAIT   may become "No. 5"      "はい。"    GO    needs no look-ahead
"""

from enum import Enum, auto
from typing import NamedTuple

from voiced.llm.clauses.manners import Manners

FULL = "。！？｡"  # noqa: RUF001
"""End marks that stand by themselves: nothing that follows changes their meaning."""
ENDS = ".!?…؟۔।॥‼⁇⁈⁉"  # noqa: RUF001
"""End marks that only end a sentence when white space follows."""
PAUSES = ",;:—،؛"
FULL_PAUSES = "、，；：､"  # noqa: RUF001

OPENERS = "「『（【《〈〔“‘«([{"  # noqa: RUF001
CLOSERS = "」』）】》〉〕”’»)]}"  # noqa: RUF001
_TRAILERS = CLOSERS + "\"'*_~`"
_QUOTES = "\"'”’»」』"  # noqa: RUF001

_GOING_ON = "-–—&+/=,;:"  # noqa: RUF001
"""After an abbreviation, one of these goes on with the sentence: "9 a.m. - 5 p.m."."""
_COMPASS = "NSEW"
"""In an address the way goes on: "1600 N. Oak Avenue"."""
_RUN = 8
"""Marks and closing signs that are taken together; a longer run is decoration."""
_GAP = 8
"""White space that is looked over for the next word; a longer gap ends the sentence."""
_WORD = 24
"""Characters of a word that are looked at; no abbreviation is longer."""
_SHORT = 5
"""Letters of an abbreviation that nobody has listed, "div. every eight hours"."""
_LISTED = 3
"""Digits of the longest list number."""


class Verdict(Enum):
    """What a mark is."""

    GO = auto()
    STAY = auto()
    WAIT = auto()


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
        return Mark(_unless_lower(text, end, final), end)
    if text[at] == ".":
        return Mark(_period(text, start, at, end, final, manners), end)
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
    after, known = _next(text, end, final)
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
    if text[at] == "." and not _caseless(text[at - 1 : at]):
        return Verdict.STAY
    return Verdict.GO if _caseless(text[end]) else Verdict.STAY


def _unless_lower(text: str, end: int, final: bool) -> Verdict:
    after, known = _next(text, end, final)
    if not known:
        return Verdict.WAIT
    return Verdict.STAY if after.islower() else Verdict.GO


def _period(text: str, start: int, at: int, end: int, final: bool, manners: Manners) -> Verdict:
    """A period, white space behind it."""
    if _caseless(text[at - 1 : at]):
        return Verdict.GO
    word = _word_before(text, start, at)
    low = word.lower()
    if word.isdigit():
        return _after_number(text, start, at, end, final, manners)
    if low in manners.opening:
        return Verdict.STAY
    if low in manners.numbered:
        after, known = _next(text, end, final)
        if not known:
            return Verdict.WAIT
        return Verdict.STAY if after.isdigit() else Verdict.GO
    if len(word) == 1 and word.isascii() and word.isalpha() and word != "I":
        return _letter(text, start, at, end, final, manners)
    if "." in word or low in manners.closing or _vowelless(low):
        return _after_closing(text, end, final, manners)
    if word.islower() and len(word) <= _SHORT and not _begins_small(text, start):
        return _unless_lower(text, end, final)
    return Verdict.GO


def _begins_small(text: str, start: int) -> bool:
    """The clause itself begins without a capital: whoever writes so begins each sentence so."""
    first = next((char for char in text[start : start + _WORD] if char.isalpha()), "")
    return first.islower()


def _letter(text: str, start: int, at: int, end: int, final: bool, manners: Manners) -> Verdict:
    """ "J. Smith" and "z. B." go on; "vitamin C." and "per L" ("/L.") end; "8 h." may."""
    earlier = _word_earlier(text, start, at)
    if earlier in manners.labels or text[at - 2 : at - 1] == "/":
        return Verdict.GO
    if earlier[-1:].isdigit() and text[at - 1] not in _COMPASS:
        return _after_closing(text, end, final, manners)
    return Verdict.STAY


def _after_number(
    text: str, start: int, at: int, end: int, final: bool, manners: Manners
) -> Verdict:
    """ "1. Take" begins a list; "am 3. Mai" is an ordinal; "room 302. Please" ends a sentence."""
    if text[start:at].lstrip(" \t\n-*#>(").isdigit():
        return Verdict.STAY
    if not manners.ordinal_period:
        return Verdict.GO
    return (
        Verdict.STAY if at - start >= 2 and len(_word_before(text, start, at)) <= 2 else Verdict.GO
    )


def _after_closing(text: str, end: int, final: bool, manners: Manners) -> Verdict:
    """ "8 a.m. Then" ends a sentence; "8 a.m. tomorrow" and "8 a.m. Monday" go on."""
    after, known = _next(text, end, final)
    if not known:
        return Verdict.WAIT
    begin = text.find(after, end) if after else end
    same_line = "\n" not in text[end:begin]
    if same_line and after.isdigit():
        return _unless_listed(text, begin, final)
    if after.islower() or (same_line and after and after in _GOING_ON):
        return Verdict.STAY
    if not after.isalpha():
        return Verdict.GO
    if not after.isupper():
        return Verdict.STAY  # a script without capitals: "b.i.d. 드세요"
    stop = begin
    while stop < len(text) and text[stop].isalpha() and stop - begin < _WORD:
        stop += 1
    if stop == len(text) and not final:
        return Verdict.WAIT
    return Verdict.STAY if text[begin:stop].lower() in manners.continuing else Verdict.GO


def _unless_listed(text: str, begin: int, final: bool) -> Verdict:
    """ "8 a.m. 5 tablets" goes on; in "2.5 mg. 2. Drink" and "2.5 mg. 2) Drink" a list does."""
    stop = begin
    while stop < len(text) and text[stop].isdigit() and stop - begin < _LISTED:
        stop += 1
    if stop + 1 >= len(text) and not final and text[stop : stop + 1] in ("", ".", ")"):
        return Verdict.WAIT
    listed = text[stop : stop + 1] in (".", ")") and text[stop + 1 : stop + 2].isspace()
    return Verdict.GO if listed else Verdict.STAY


def _next(text: str, end: int, final: bool) -> tuple[str, bool]:
    """The first character of the next word, and whether it is known; "" is: none follows."""
    for index in range(end, min(len(text), end + _GAP)):
        if not text[index].isspace():
            return text[index], True
    return "", final or len(text) >= end + _GAP


def _word_before(text: str, start: int, at: int) -> str:
    """The word that ends before `at`, without opening signs."""
    begin = at
    while begin > start and not text[begin - 1].isspace() and at - begin < _WORD:
        begin -= 1
    word = text[begin:at]
    inside = max((word.rfind(sign) for sign in OPENERS + "/—-"), default=-1) + 1
    return word[inside:].lstrip("\"'*_~`¿¡")


def _word_earlier(text: str, start: int, at: int) -> str:
    """The word before the word that ends before `at`, in lower case."""
    words = text[max(start, at - 2 * _WORD) : at].split()
    return words[-2].lower() if len(words) > 1 else ""


def _caseless(char: str) -> bool:
    """A letter of a script without capitals: none of their words is abbreviated with a period."""
    return char.isalpha() and char.upper() == char.lower()


def _vowelless(word: str) -> bool:
    """ "hrs", "tbsp", "dx": no word of its own, so an abbreviation."""
    return word.isascii() and word.isalpha() and not set(word) & set("aeiouy")

"""Is a period the end of a sentence, or does it belong to the word before it?

    abbreviations    "Dr. Kim"  "8 a.m. tomorrow"  "1 tab. P.O."  "The vol. is 3 L"
    list numbers     "1. Take"  "2.5 mg. 2. Drink"  "ii. Dry"
    initials         "J. Smith", but "vitamin C. It helps"

White space stands behind each. It does not know other marks.
"""

from enum import Enum, auto

from voiced.llm.clauses.manners import Manners

OPENERS = "「『（【《〈〔“‘«([{"  # noqa: RUF001
_GOING_ON = "-–—&+/=,;:"  # noqa: RUF001
"""After an abbreviation, one of these goes on with the sentence: "9 a.m. - 5 p.m."."""
_COMPASS = "NSEW"
"""In an address the way goes on: "1600 N. Oak Avenue"."""
_GAP = 8
"""White space that is looked over for the next word; a longer gap ends the sentence."""
_WORD = 24
"""Characters of a word that are looked at; no abbreviation is longer."""
_SHORT = 5
"""Letters of an abbreviation that nobody has listed, "div. every eight hours"."""
_ROMANS = frozenset(("ii", "iii", "iv", "vi", "vii", "viii", "ix"))
"""Numbers of a list; one letter is no word anyway."""
_LISTED = 3
"""Digits of the longest list number."""


class Verdict(Enum):
    """What a mark is."""

    GO = auto()
    STAY = auto()
    WAIT = auto()


def period(text: str, start: int, at: int, end: int, final: bool, manners: Manners) -> Verdict:
    """A period, white space behind it."""
    if caseless(text[at - 1 : at]):
        return Verdict.GO
    word = _word_before(text, start, at)
    low = word.lower()
    if word.isdigit():
        return _after_number(text, start, at, end, final, manners)
    if low in manners.opening:
        return Verdict.STAY
    if low in manners.numbered:
        return _numbered(text, start, end, final)
    if low in _ROMANS and not text[start : at - len(word)].strip():
        return Verdict.STAY
    if len(word) == 1 and word.isascii() and word.isalpha() and word != "I":
        return _letter(text, start, at, end, final, manners)
    if "." in word or low in manners.closing or _vowelless(low):
        return _after_closing(text, end, final, manners)
    if len(word) <= _SHORT and low not in manners.whole and not _begins_small(text, start):
        return unless_lower(text, end, final)
    return Verdict.GO


def unless_lower(text: str, end: int, final: bool) -> Verdict:
    after, known = next_sign(text, end, final)
    if not known:
        return Verdict.WAIT
    return Verdict.STAY if after.islower() else Verdict.GO


def _begins_small(text: str, start: int) -> bool:
    """The clause itself begins without a capital: whoever writes so begins each sentence so."""
    first = next((char for char in text[start : start + _WORD] if char.isalpha()), "")
    return first.islower()


def _numbered(text: str, start: int, end: int, final: bool) -> Verdict:
    """ "No. 5" and "The vol. is" go on; "No. It" ends."""
    after, known = next_sign(text, end, final)
    if not known:
        return Verdict.WAIT
    small = after.islower() and not _begins_small(text, start)
    return Verdict.STAY if small or after.isdigit() else Verdict.GO


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
    before = text[start:at].rstrip("0123456789")
    if text[start:at].lstrip(" \t\n-*#>(").isdigit() or before.rstrip().endswith(":"):
        return Verdict.STAY
    if not manners.ordinal_period:
        return Verdict.GO
    return (
        Verdict.STAY if at - start >= 2 and len(_word_before(text, start, at)) <= 2 else Verdict.GO
    )


def _after_closing(text: str, end: int, final: bool, manners: Manners) -> Verdict:
    """ "8 a.m. Then" ends a sentence; "8 a.m. tomorrow" and "8 a.m. Monday" go on."""
    after, known = next_sign(text, end, final)
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
    dotted = stop == begin + 1 and text[stop : stop + 1] == "."  # "1 tab. P.O."
    word = text[begin:stop].lower()
    return Verdict.STAY if dotted or word in manners.continuing else Verdict.GO


def _unless_listed(text: str, begin: int, final: bool) -> Verdict:
    """ "8 a.m. 5 tablets" goes on; in "2.5 mg. 2. Drink" and "2.5 mg. 2) Drink" a list does."""
    stop = begin
    while stop < len(text) and text[stop].isdigit() and stop - begin < _LISTED:
        stop += 1
    if stop + 1 >= len(text) and not final and text[stop : stop + 1] in ("", ".", ")"):
        return Verdict.WAIT
    listed = text[stop : stop + 1] in (".", ")") and text[stop + 1 : stop + 2].isspace()
    return Verdict.GO if listed else Verdict.STAY


def next_sign(text: str, end: int, final: bool) -> tuple[str, bool]:
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


def caseless(char: str) -> bool:
    """A letter of a script without capitals: none of their words is abbreviated with a period."""
    return char.isalpha() and char.upper() == char.lower()


def _vowelless(word: str) -> bool:
    """ "hrs", "tbsp", "dx": no word of its own, so an abbreviation."""
    return word.isascii() and word.isalpha() and not set(word) & set("aeiouy")

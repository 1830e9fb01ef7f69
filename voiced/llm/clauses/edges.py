"""Where a long sentence without a mark may be cut: at an edge between two words that do not belong
together as closely as a number and its unit, a title and its name, or "not" and what it denies.

It does not know marks; it knows two neighbouring words.
"""

# What follows one of these belongs to it.
_ARTICLES = "a an the my your his her their our its this that these those every each"
_PREPOSITIONS = "of to in on at by for with from and or but than per if is are was be do"
_DENIALS = (
    "no not never without don't doesn't can cannot can't won't must mustn't shouldn't may should"
)
_TITLES = "doctor nurse mister professor"
_NUMBERS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
    " hundred thousand million point half"
)
_BINDING = frozenset(" ".join((_ARTICLES, _PREPOSITIONS, _DENIALS, _TITLES, _NUMBERS)).split())


_ENGLISH_JOINS = "and or but because so which who that when while if until unless then"
_OTHER_JOINS = "und oder aber weil et ou mais car y o pero porque e ma mas en maar"
_JOINING = frozenset(f"{_ENGLISH_JOINS} {_OTHER_JOINS}".split())
"""A part of a sentence begins with one of these: the best place to breathe."""


def last_edge(text: str, start: int, stop: int, least: int) -> int:
    """The last good word edge in text[start:stop] that leaves at least `least` characters before
    it, past the first third one before a joining word; else the last white space; else `stop`."""
    good = spare = 0
    for edge in range(stop - 1, start + least, -1):
        if not text[edge].isspace():
            continue
        spare = spare or edge
        if not _safe(text, start, edge, stop):
            continue
        good = good or edge
        if edge < start + (stop - start) // 3:
            break
        if text[edge:stop].split(maxsplit=1)[0].lower() in _JOINING:
            return edge
    return good or spare or _between(text, start, stop)


def _safe(text: str, start: int, edge: int, stop: int) -> bool:
    before = text[max(start, edge - 32) : edge].split()[-1:]
    after = text[edge:stop].split(maxsplit=1)[:1]
    if not before or not after:
        return False
    left, right = before[0].strip("*_\"'("), after[0].strip("*_\"'(")
    if left.lower() in _BINDING or left.endswith("."):
        return False
    if any(char.isdigit() for char in left) or right[:1].isdigit():
        return False
    return not (left[:1].isupper() and right[:1].isupper())


def _between(text: str, start: int, stop: int) -> int:
    """No white space at all: before the digits that `stop` would cut, where there are few."""
    edge = stop
    while edge > start + 1 and stop - edge < 16 and _one_number(text, edge):
        edge -= 1
    return stop if _one_number(text, edge) else edge


def _one_number(text: str, edge: int) -> bool:
    return edge < len(text) and text[edge].isdigit() and text[edge - 1].isdigit()

"""Times of day in English.

    ten o'clock, ten thirty, ten a m, ten in the morning, half past ten, fourteen hundred, noon
    at ten, from ten to four    where nothing is counted: not "at ten desks", "from one to ten"

It does not know dates.
"""

from collections.abc import Iterator

from voiced.call.grounding.claims import Claim, clock
from voiced.call.grounding.english.tokens import LINKS, Text

_WEEKDAYS = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday weekdays weekends".split()
)

_AT = frozenset("at until till @".split())
_NEAR = frozenset("by before after about around for to from between since past".split())
_PART_OF_DAY = {
    "morning": "am", "afternoon": "pm", "evening": "pm", "night": "night", "noon": "pm",
    "lunchtime": "pm",
}  # fmt: skip
_NAMED = {"noon": (12, "pm"), "midday": (12, "pm"), "midnight": (12, "am")}
_CUES = (
    _WEEKDAYS
    | _PART_OF_DAY.keys()
    | frozenset(
        """appointment appointments booked book schedule scheduled rescheduled reschedule moved slot
        open opens opened close closes closed closing opening visit visits visiting visitors hours
        arrive arrives come comes start starts begin begins end ends today tomorrow tonight daily
        available shift meeting ready leave leaves booking surgery clinic call
        back served lunch dinner breakfast runs o'clock""".split()
    )
)
_BEHIND_TIME = (
    _AT
    | _NEAR
    | LINKS
    | _WEEKDAYS
    | frozenset(
        """in on today tomorrow tonight with every each daily sharp if but so then when because
        please as is the this next that works would will instead exactly too also unless please
        we you they he she i it was are for only now here there noon works okay ok fine""".split()
    )
) - frozenset({"past"})
_DOORS = frozenset(
    """room rooms ward floor bed bay gate line option press step number level page zone building bus
    suite extension door window counter desk grade stage phase chapter question item part size route
    platform scale rate type box exit lift elevator""".split()
)
_CENTURIES = frozenset({18, 19, 20})


def times(seen: Text) -> Iterator[tuple[int, int, Claim]]:
    """Where each begins and ends, and what it is."""
    cued = bool(seen.words & _CUES)
    end, ranged = 0, False
    for at, token in enumerate(seen.tokens):
        if token.word in _NAMED and seen[at - 1].number is None:
            yield at, at + 1, clock(_NAMED[token.word][0], 0, _NAMED[token.word][1])
        if at < end or token.number is None:
            continue
        linked = ranged and at == end + 1 and seen[end].word in LINKS and seen[at + 1].word != "at"
        found = _clock(seen, at, cued=cued, linked=linked)
        ranged = found is not None
        if found is not None:
            end = found[0]
            yield at, *found


def _clock(seen: Text, at: int, *, cued: bool, linked: bool) -> tuple[int, Claim] | None:
    """The time that begins with the number there: where it ends, and what it is."""
    hour, minute, end = _hands(seen, at)
    if hour is None:
        return None
    half, after = _half(seen, end)
    if (spoken := _spoken(seen, at, hour)) is not None:
        return end, clock(*spoken, "" if half == "night" else half)
    if after > end or seen[end].word == "o'clock":
        return max(after, end + 1), clock(
            hour, minute, _at_night(hour) if half == "night" else half
        )
    if not free(seen, end):
        return None
    before = seen[at - 1].word
    near = before in _NEAR and cued and "scale" not in seen.words
    paired = end > at + 1 and before not in _DOORS and hour not in _CENTURIES
    if before in _AT or near or linked or paired or seen[at].hundreds or _opens(seen, at, cued):
        return end, clock(hour, minute)
    return None


def _opens(seen: Text, at: int, cued: bool) -> bool:
    """ "open nine to five": a number, and a later hour behind it."""
    number = seen[at + 2].number
    return (
        cued
        and seen[at + 1].word in ("to", "dash", "until")
        and number is not None
        and number <= 24
    )


def _hands(seen: Text, at: int) -> tuple[int | None, int, int]:
    """Hour, minute, and where they end."""
    number = seen[at].number
    if number is None or number.denominator != 1:
        return None, 0, at
    if seen[at].hundreds and number % 100 == 0 and number <= 2400:
        return int(number // 100), 0, at + 1
    if number > 24 or (seen[at - 1].number is not None and seen[at - 1].number != number):
        return None, 0, at
    hour, minute = int(number), seen[at + 1].number
    if minute is not None and 10 <= minute < 60 and minute.denominator == 1:
        if seen[at + 2].number is None:
            return hour, int(minute), at + 2
        return None, 0, at
    if minute == 0 and (ones := seen[at + 2].number) is not None and 0 < ones < 10:
        return (hour, int(ones), at + 3) if seen[at + 3].number is None else (None, 0, at)
    if minute is not None:
        return None, 0, at
    return (hour or None), 0, at + 1


def _half(seen: Text, at: int) -> tuple[str, int]:
    """ "a m", "in the morning", "this afternoon", "at night": which half, and where that ends."""
    if seen[at].word == "o'clock":
        at += 1
    for word in ("am", "pm"):
        if seen.words_at(at, 2) == tuple(word):
            return word, at + 2
        if seen[at].word == word:
            return word, at + 1
    for lead in (("in", "the"), ("this",), ("at",), ("tomorrow",), ("on", "the")):
        part = _PART_OF_DAY.get(seen[at + len(lead)].word)
        if part and seen.words_at(at, len(lead)) == lead:
            return part, at + len(lead) + 1
    return ("pm", at + 1) if seen[at].word in ("tonight", "noon") else ("", at)


def _at_night(hour: int) -> str:
    return "am" if hour == 12 or hour < 5 else "pm"


def _spoken(seen: Text, at: int, hour: int) -> tuple[int, int] | None:
    """Half past, quarter past, quarter to, ten minutes past this hour."""
    link, part = seen[at - 1].word, seen[at - 2]
    if part.word in ("minute", "minutes"):
        part = seen[at - 3]
    elif link == "to" and part.number is not None:
        return None  # "nine to five"
    minutes = {"half": 30, "quarter": 15}.get(part.word)
    if minutes is None and part.number is not None and 0 < part.number < 60:
        minutes = int(part.number)
    if minutes is None or hour > 24:
        return None
    if link in ("past", "after") and (link == "past" or part.word == "quarter"):
        return hour, minutes
    if link == "to" and part.word != "half":
        return (hour - 1) or 12, 60 - minutes
    return None


def free(seen: Text, at: int) -> bool:
    """Nothing is counted there: the text ends, pauses, or goes on with a word of another kind."""
    token = seen[at]
    if token.word in ("to", "or", "and") and seen[at + 1].number is not None:
        _, _, behind = _hands(seen, at + 1)
        return behind > at + 1 and (_half(seen, behind)[1] > behind or free(seen, behind))
    return token.mark or token.word in _BEHIND_TIME or token.word in _NAMED

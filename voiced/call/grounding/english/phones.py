"""Telephone numbers in English: seven digits or more in a row; three behind "call" or the like.

It does not know which numbers exist.
"""

from collections.abc import Iterator

from voiced.call.grounding.english.tokens import Text

_CALL = frozenset("call dial phone ring text page extension".split())
_LONG, _SHORT = 7, 3
_BEHIND_CALL = frozenset("us at on to it is number".split())


def phones(seen: Text, *, anything: bool = False) -> Iterator[str]:
    """`anything`: also short ones that nobody is told to call, "the emergency number is 911"."""
    at = 0
    while at < len(seen.tokens):
        digits, behind, count = _run(seen, at)
        short = anything or (count > 1 and _called(seen, at))
        if (len(digits) >= _LONG and count >= _SHORT) or (len(digits) >= _SHORT and short):
            yield digits
        elif anything and (number := seen[at].number) is not None and number >= 100:
            yield str(number)
        at = max(behind, at + 1)


def _run(seen: Text, at: int) -> tuple[str, int, int]:
    """Digits that are dictated from there on, where they end, and how many numbers they are."""
    digits, count, times = "", 0, 1
    while True:
        token = seen[at]
        if token.text.isdecimal():
            digits += token.text * times
            count, times = count + times, 1
        elif token.number is not None and token.number < 100 and token.number.denominator == 1:
            digits += str(token.number) * times
            count, times = count + times, 1
        elif token.word in ("double", "triple") and seen[at + 1].number is not None:
            times = 2 if token.word == "double" else 3
        elif not (digits and token.word in (",", "dash") and seen[at + 1].number is not None):
            return digits, at, count
        at += 1


def _called(seen: Text, at: int) -> bool:
    before = at - 1
    while seen[before].word in _BEHIND_CALL and before > at - 4:
        before -= 1
    return seen[before].word in _CALL

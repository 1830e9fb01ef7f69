"""Partials: what two passes over an utterance that grows agree on.

    pass 1   I take met
    pass 2   I take metformin five      stable: I take              tentative: metformin five
    pass 3   I take metformin 500       stable: I take metformin    tentative: 500

A recogniser makes up the end of a sound that was cut inside a word; what it reads twice, with more
sound behind it the second time, it mostly keeps. Pure. It does not know how texts are read.
"""

from voiced.stt.model import Partial
from voiced.words import NOTHING, Words

_UNSPACED = 0x2E80
"""Scripts from here on write whole sentences without a blank, Korean aside."""


def grown(before: Partial | None, text: Words | None) -> Partial:
    """The partial after one more pass, which read `text`, or nothing that is sure."""
    before = before or Partial(NOTHING, NOTHING)
    if text is None:
        return before
    now = text.reveal()
    end = _agreement(_all(before), now)
    return Partial(Words(now[:end].rstrip()), Words(now[end:].strip()))


def _all(partial: Partial) -> str:
    """The pass as it was read; a lost blank only makes the agreement shorter."""
    spaced = partial.stable and partial.tentative and not _signs(partial)
    blank = " " if spaced else ""
    return partial.stable.reveal() + blank + partial.tentative.reveal()


def _signs(partial: Partial) -> bool:
    """Stable and tentative text meet between two signs of a script without blanks."""
    return _unspaced(partial.stable.reveal()[-1]) and _unspaced(partial.tentative.reveal()[0])


def _agreement(before: str, now: str) -> int:
    """The end of the last whole word of `now` up to which both are the same."""
    end = 0
    for at, (old, new) in enumerate(zip(before, now, strict=False), 1):
        if old != new:
            break
        if at < len(now) and _ends(now, at) and (at == len(before) or _ends(before, at)):
            end = at
    return end


def _ends(text: str, at: int) -> bool:
    """Whether a word ends before `text[at]`."""
    return not text[at].isalnum() or (_unspaced(text[at - 1]) and _unspaced(text[at]))


def _unspaced(sign: str) -> bool:
    return ord(sign) >= _UNSPACED and not "\uac00" <= sign <= "\ud7a3"

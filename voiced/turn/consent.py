"""May the call be kept? The caller is asked before the greeting, and only a plain yes is one.

    [disclosure, consent question] yes -> Keep   [greeting] ...
                                   no  ->        [greeting] ...
                                   anything else is no, and is answered like any turn

A yes that comes before the question was heard to its end is asked for once more. It does not know
what is kept, or how.
"""

import re
from enum import Enum, auto

from voiced.words import Words

PATIENCE_S = 6.0
"""A caller who says nothing for so long has not agreed."""


class Consent(Enum):
    """How far the question has come."""

    NOT_ASKED = auto()
    ASKING = auto()  # it is being said, for the first time
    ASKING_AGAIN = auto()
    ASKED = auto()  # it was heard to its end
    SETTLED = auto()  # it was answered, or need not be

    @property
    def open(self) -> bool:
        """What the caller says next is the answer."""
        return self in (Consent.ASKING, Consent.ASKING_AGAIN, Consent.ASKED)


_PLAIN_YES = """yes yeah yep yup ok okay sure fine absolutely certainly definitely agreed agree
    네 예 응 좋아요 좋습니다 괜찮아요 괜찮습니다 동의합니다 동의해요 그러세요 그래요"""
_PLAIN_NO = """no nope not nah don't dont never rather refuse disagree
    아니요 아니오 아뇨 안 싫어요 싫습니다 거부합니다 말아"""
_BESIDE = """of course you can may do it i'd prefer that's thats that is all right alright please go
    ahead i thank thanks with by me means um uh oh well so then record this the call good very much
    그럼 물론 감사합니다 녹음 하셔도 해도 돼요 됩니다 저는"""
_YES, _NO = frozenset(_PLAIN_YES.split()), frozenset(_PLAIN_NO.split())
_AROUND = frozenset(_BESIDE.split())
"""May stand beside a plain answer, and ask or tell nothing."""

_ALONE = frozenset(("go ahead", "of course", "by all means", "please do", "all right", "you may"))
_ASKING = ("?", "\uff1f")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")


def agrees(words: Words) -> bool | None:
    """Whether these words, as an answer to the question, say yes or no; None: neither, or more."""
    said = _WORD.findall(words.reveal().lower().replace("\u2019", "'"))
    if any(mark in words.reveal() for mark in _ASKING):
        return None
    if _NO.intersection(said):
        return False if _AROUND.union(_YES, _NO).issuperset(said) else None
    if not _AROUND.union(_YES).issuperset(said):
        return None
    plain = bool(_YES.intersection(said)) or any(way in " ".join(said) for way in _ALONE)
    return True if plain else None

"""What a caller asks of the call itself, which no language model needs to answer. Pure.

Only a whole turn counts: "goodbye" ends the call, "can I say goodbye to her?" is a question.
"""

import re
from enum import StrEnum, auto

from voiced.words import Words


class Aside(StrEnum):
    """What is asked."""

    GOODBYE = auto()
    REPEAT = auto()
    SLOWER = auto()
    LOUDER = auto()


_PLEASANTRIES = """ok okay well so alright right then please sorry oh um uh ah now thanks thank you
    very much great fine good that's thats all for your help have a nice day
    네 예 그럼 그러면 이제 감사합니다 고맙습니다 죄송하지만 죄송합니다 수고하세요"""
_POLITE = frozenset(_PLEASANTRIES.split())
"""May stand around it, and says nothing more."""

_MODESTIES = """can could would will you i need to it that this what said speak talk say tell me go
    read repeat again a an bit little more much even still one time once be
    다시 좀 더 조금 한 번 한번 말씀해 주세요 주시겠어요 주실래요 말해 줘요"""
_MODEST = frozenset(_MODESTIES.split())
"""May stand around a wish for another manner of speaking as well."""

_MANNERS: dict[Aside, frozenset[str]] = {
    Aside.SLOWER: frozenset(
        (
            "slower",
            "more slowly",
            "speak slowly",
            "talk slowly",
            "say it slowly",
            "say that slowly",
            "slow down",
            "not so fast",
            "not so quickly",
            "you are too fast",
            "you're too fast",
            "speaking too fast",
            "you are speaking too fast",
            "you're speaking too fast",
            "you are talking too fast",
            "you're talking too fast",
            "천천히",
            "말이 너무 빨라요",
            "말씀이 너무 빨라요",
        )
    ),
    Aside.LOUDER: frozenset(
        (
            "louder",
            "speak up",
            "you are too quiet",
            "you're too quiet",
            "i can't hear you",
            "i cannot hear you",
            "i can not hear you",
            "i can hardly hear you",
            "i can barely hear you",
            "i can't hear you very well",
            "더 크게",
            "크게 말씀해",
            "크게 말해",
            "큰 소리로",
            "잘 안 들려요",
            "안 들려요",
            "안 들립니다",
            "소리가 작아요",
            "소리가 너무 작아요",
        )
    ),
}

_ASKED: dict[Aside, frozenset[str]] = {
    Aside.GOODBYE: frozenset(
        (
            "goodbye",
            "good bye",
            "bye",
            "bye bye",
            "bye now",
            "byebye",
            "goodnight",
            "안녕히 계세요",
            "안녕히계세요",
            "끊을게요",
            "전화 끊을게요",
        )
    ),
    Aside.REPEAT: frozenset(
        (
            "repeat",
            "repeat that",
            "repeat it",
            "can you repeat that",
            "could you repeat that",
            "say that again",
            "say it again",
            "can you say that again",
            "could you say that again",
            "can you say it again",
            "could you say it again",
            "come again",
            "once more",
            "one more time",
            "again",
            "pardon",
            "pardon me",
            "what did you say",
            "what was that",
            "i did not hear you",
            "i did not hear that",
            "i didn't hear you",
            "i didn't hear that",
            "다시",
            "다시 말씀해 주세요",
            "다시 말씀해주세요",
            "다시 한번 말씀해 주세요",
            "다시 한 번 말씀해 주세요",
            "한 번 더 말씀해 주세요",
            "뭐라고요",
            "뭐라고 하셨어요",
            "못 들었어요",
        )
    ),
}

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")


class _Ways:
    """The ways to ask for one thing, and the words that may stand around them."""

    def __init__(self, asked: Aside, ways: frozenset[str], empty: frozenset[str]) -> None:
        self.asked = asked
        self._ways = [way.split() for way in ways]
        self._empty = empty
        self._words = empty.union(*self._ways)

    def are(self, said: list[str]) -> bool:
        """One of them stands there, and around it are only words that say nothing."""
        return self._words.issuperset(said) and any(self._is(said, way) for way in self._ways)

    def _is(self, said: list[str], way: list[str]) -> bool:
        for begin in range(len(said) - len(way) + 1):
            if said[begin : begin + len(way)] == way:
                around = said[:begin] + said[begin + len(way) :]
                return self._empty.issuperset(around)
        return False


_ALL = [
    *(_Ways(asked, ways, _POLITE) for asked, ways in _ASKED.items()),
    *(_Ways(asked, ways, _POLITE | _MODEST) for asked, ways in _MANNERS.items()),
]


def aside(words: Words) -> Aside | None:
    """What the whole turn asks of the call; None: it is for the language model."""
    said = _WORD.findall(words.reveal().lower().replace("\u2019", "'"))
    return next((ways.asked for ways in _ALL if ways.are(said)), None)

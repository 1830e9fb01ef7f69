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


_PLEASANTRIES = """ok okay well so alright right then please sorry oh um uh ah now thanks thank you
    very much great fine good that's thats all for your help have a nice day
    네 예 그럼 그러면 이제 감사합니다 고맙습니다 죄송하지만 죄송합니다 수고하세요"""
_POLITE = frozenset(_PLEASANTRIES.split())
"""May stand around it, and says nothing more."""

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


def aside(words: Words) -> Aside | None:
    """What the whole turn asks of the call; None: it is for the language model."""
    said = _WORD.findall(words.reveal().lower().replace("\u2019", "'"))
    for asked, ways in _ASKED.items():
        if any(_is_all(said, way.split()) for way in ways):
            return asked
    return None


def _is_all(said: list[str], way: list[str]) -> bool:
    """The way stands there, and around it is nothing but politeness."""
    for begin in range(len(said) - len(way) + 1):
        if said[begin : begin + len(way)] == way:
            around = said[:begin] + said[begin + len(way) :]
            return _POLITE.issuperset(around)
    return False

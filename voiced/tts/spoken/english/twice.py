"""Numbers that are written twice, "2 (two) tablets": said once, or two tablets sound like 22.

It does not know what a number counts; where figure and word differ both are read.
"""

import re

from voiced.tts.spoken.english.numbers import cardinal

_WORD = r"[A-Za-z]+(?:[- ][a-z]+)?"
_FIGURE_FIRST = re.compile(rf"(?<![\w.,/-])(\d{{1,3}})[ ]?\([ ]?({_WORD})[ ]?\)")
_WORD_FIRST = re.compile(rf"\b({_WORD})[ ]?\([ ]?(\d{{1,3}})[ ]?\)")
_HALF = re.compile(r"\b((?:[Oo]ne[- ])?[Hh]alf)[ ]?\([ ]?(?:1/2|1\u20442|½)[ ]?\)")


def read(text: str) -> str:
    """Each pair once: the figure, which has its rules."""
    text = _HALF.sub(r"\1", text)
    text = _FIGURE_FIRST.sub(lambda m: m[1] if _same(m[1], m[2]) else m[0], text)
    return _WORD_FIRST.sub(_figure, text)


def _figure(match: re.Match[str]) -> str:
    """The number words may have others before them: "take two (2)"."""
    words, figure = match.group(1), match.group(2)
    if _same(figure, words):
        return figure
    before, _, last = words.rpartition(" ")
    return f"{before} {figure}" if before and _same(figure, last) else match.group()


def _same(figure: str, words: str) -> bool:
    return cardinal(int(figure)) == words.lower().replace(" ", "-")

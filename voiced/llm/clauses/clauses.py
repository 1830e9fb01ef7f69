"""The splitter: text in, clauses out, each as soon as it can stand alone.

    first clause    a whole sentence, or a part that ends in a pause mark, or, when it grows
                    too long, a part that ends at a word edge: sound begins early
    later clauses   whole sentences; only a very long one is cut

It does not know tokens, markdown or how a clause is read.
"""

from voiced.llm.clauses.edges import last_edge
from voiced.llm.clauses.manners import manners_of
from voiced.llm.clauses.marks import (
    CLOSERS,
    ENDS,
    FULL,
    FULL_PAUSES,
    PAUSES,
    Mark,
    end_mark,
    in_link,
    pause_mark,
)
from voiced.llm.clauses.periods import Verdict

_FIRST_LEAST = 24
"""Letters of the first clause before a pause mark may end it: enough sound to cover the making of
the next one. A complete sentence goes however short it is."""
_FIRST_MOST = 90
_LATER_MOST = 300
_WIDE = 2
"""A Hangul syllable, kana or ideograph takes as long to say as two letters, at least."""

_LEADING = " \t\r\n\v\f\u00a0\u3000" + FULL + ENDS + CLOSERS


class Clauses:
    """One reply's text. Pure; not for two threads."""

    def __init__(self, language: str, *, hurried: bool = False) -> None:
        """`hurried`: the first clause may be half as long, at the price of a pause behind it."""
        self._first_least = _FIRST_LEAST // 2 if hurried else _FIRST_LEAST
        self._first_most = _FIRST_MOST // 2 if hurried else _FIRST_MOST
        self._manners = manners_of(language)
        self._text = ""
        self._start = 0
        """Where the clause begins that is being written."""
        self._at = 0
        """What lies before it has been judged."""
        self._length = 0
        """Letters from start to at, wide ones counted twice."""
        self._first = True

    def feed(self, text: str) -> list[str]:
        """Takes the next piece; returns the clauses that are complete now."""
        self._text = self._text[self._start :] + text
        self._at -= self._start
        self._start = 0
        return self._judge(final=False)

    def end(self) -> list[str]:
        """No more text: returns what is left."""
        clauses = self._judge(final=True)
        rest = self._text[self._start :].strip()
        self._text, self._start, self._at = "", 0, 0
        return [*clauses, rest] if _speakable(rest) else clauses

    @property
    def waiting(self) -> int:
        """Characters held back, not given out yet; bounded whatever the text is."""
        return len(self._text) - self._start

    def _judge(self, *, final: bool) -> list[str]:
        clauses: list[str] = []
        while self._at < len(self._text):
            mark = self._mark(final)
            if mark.verdict is Verdict.WAIT:
                break
            if mark.verdict is Verdict.GO:
                clauses += self._cut(mark.end)
            else:
                self._step()
        return clauses

    def _mark(self, final: bool) -> Mark:
        """What the character at `at` means for the clause."""
        text, start, at = self._text, self._start, self._at
        char = text[at]
        if char == "\n":
            return self._line_end()
        if self._length >= (self._first_most if self._first else _LATER_MOST):
            return Mark(Verdict.GO, self._forced())
        if in_link(text, start, at):
            return Mark(Verdict.STAY, at)
        if char in ENDS or char in FULL:
            return end_mark(text, start, at, final=final, manners=self._manners)
        early = self._first and self._length >= self._first_least
        if early and (char in PAUSES or char in FULL_PAUSES):
            return pause_mark(text, at, final=final)
        return Mark(Verdict.STAY, at)

    def _line_end(self) -> Mark:
        """A line is a clause of its own, unless it ends inside a name ("Dr.") or a list number."""
        line = self._text[self._start : self._at].rstrip()
        return Mark(Verdict.STAY if line.endswith(".") else Verdict.GO, self._at + 1)

    def _forced(self) -> int:
        """The clause is too long: behind its last pause mark, or at a word edge."""
        text, start, at = self._text, self._start, self._at
        if not self._first:
            for index in range(at - 2, start + (at - start) // 3, -1):
                if text[index] in PAUSES or text[index] in FULL_PAUSES:
                    mark = pause_mark(text[: at + 1], index, final=False)
                    if mark.verdict is Verdict.GO:
                        return mark.end
        return last_edge(text, start, at, self._first_least)

    def _cut(self, end: int) -> list[str]:
        """Ends the clause; a line end without a mark stays with it, for the pause it stands for."""
        piece = self._text[self._start : end]
        clause = piece.strip()
        if piece.endswith("\n"):
            clause += "\n"
        self._start = self._at = end
        self._length = 0
        if not _speakable(clause):
            return []
        self._first = False
        return [clause]

    def _step(self) -> None:
        char = self._text[self._at]
        self._at += 1
        decimal = char == "." and self._text[self._at : self._at + 1].isdigit()  # ".25 mg"
        if self._start == self._at - 1 and char in _LEADING and not decimal:
            self._start = self._at
        elif char >= "\u1100":
            self._length += _WIDE
        else:
            self._length += 1


def _speakable(text: str) -> bool:
    return any(char.isalnum() for char in text)

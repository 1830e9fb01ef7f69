"""Draws a reply, and a call of a tool in it only as its grammar has it.

Ordinary text is drawn as it is, and only looked at for the mark that opens a call. Behind a whole
call, whatever is no further one ends the reply. It does not know models, nor what calls are about.
"""

from voiced.llm.batch import FreeSampler
from voiced.llm.grammar import Bounds, Grammar
from voiced.llm.tool_forms import LONGEST_MARK, MARKS, beginning, maybe_bare


class Bounded:
    """See `batch.Sampler`; for one reply."""

    def __init__(self, sampler: FreeSampler, grammar: Grammar) -> None:
        self._sampler = sampler
        self._grammar = grammar
        self._vocabulary = grammar.vocabulary
        self._bounds: Bounds | None = None
        self._tail = ""
        """The end of what was drawn, a character for a byte: a mark may have begun in it."""
        self._first = True
        """Nothing was drawn that is heard."""
        self._forced: list[int] = []

    def draw(self, output: int) -> int:
        if self._forced:
            return self._forced.pop(0)
        if self._bounds is None:
            return self._watched(self._sampler.draw(output))
        allowed = self._bounds.allowed()
        if self._bounds.complete:
            # the model may call once more; it is not made to, by forbidding all else
            token = self._sampler.draw(output)
            token = token if allowed[token] else self._grammar.ending
        else:
            token = self._sampler.draw(output, allowed)
        self._bounds.take([token])
        return token

    def close(self) -> None:
        self._sampler.close()

    def _watched(self, token: int) -> int:
        """The token, or where a call begins within it and goes on wrongly, its beginning."""
        piece = self._vocabulary.piece(token)
        written = piece.decode("latin-1")
        if not piece and (name := self._vocabulary.name(token)) in MARKS:
            written = name
        self._tail += written
        mark = beginning(self._tail, first=self._first)
        if mark is None:
            self._first = self._first and maybe_bare(self._tail)
            self._tail = self._tail if self._first else self._tail[1 - LONGEST_MARK :]
            return token
        behind = self._tail[mark.end() :]
        self._bounds = self._grammar.behind(mark.group())
        if self._bounds.take(self._tokens(behind)):
            return token
        first, *self._forced = self._tokens(written[: len(written) - len(behind)])
        return first

    def _tokens(self, written: str) -> list[int]:
        text = written.encode("latin-1").decode("utf-8", "ignore")
        return self._vocabulary.tokens(text, special=False)

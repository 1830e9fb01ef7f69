"""A prompt's pieces as token ids: the same words are always the same tokens.

Template pieces are tokenised with control tokens, contents without, each by itself and once; what
the model said keeps the tokens that it was drawn as, up to where the caller heard it. So a prompt
begins with the ids of the one before it as far as the conversation is the same, and nothing that
anybody says becomes a control token. It does not know caches, calls or schedules.
"""

from collections.abc import Sequence

from voiced.llm.batch import Vocabulary
from voiced.llm.cleaning import Decoder
from voiced.llm.model import Role
from voiced.llm.prompt import Text
from voiced.llm.template import Content, Literal, Piece

Drawn = tuple[tuple[int, bytes], ...]
"""Tokens of a reply with their bytes, in the order in which the model drew them."""

_REPLIES = 64
"""Replies whose tokens are remembered; older ones are tokenised from their text."""


class Spans:
    """One conversation's tokens. One thread."""

    def __init__(self, vocabulary: Vocabulary, *, single_line: bool) -> None:
        """`single_line`: a line end means something to the template, so contents have none."""
        self._vocabulary = vocabulary
        self._single_line = single_line
        self._replies: list[Drawn] = []
        self._known: dict[tuple[str, bool], list[int]] = {}

    def said(self, drawn: Drawn) -> None:
        """Takes note of a reply."""
        self._replies = [*self._replies[1 - _REPLIES :], drawn]

    def tokens(self, pieces: Sequence[Piece], texts: Sequence[Text]) -> list[int]:
        """The ids of a prompt; `texts` are the contents that its pieces number."""
        before, self._known = self._known, {}
        left = list(self._replies)
        tokens: list[int] = []
        for piece in pieces:
            match piece:
                case Literal(literal):
                    tokens += self._once(literal, before, special=True)
                case Content(number, spaced):
                    text = texts[number]
                    line = self._line(text)
                    said = self._drawn(line, left, cut=text.cut) if text.role is _AGENT else []
                    tokens += said or self._once(" " * spaced + line, before)
        begin = self._vocabulary.begin
        return tokens if begin is None or tokens[:1] == [begin] else [begin, *tokens]

    def _once(self, text: str, before: "_Known", *, special: bool = False) -> list[int]:
        """The tokens of a text; those of the last prompt are still known."""
        key = (text, special)
        if key not in self._known:
            known = before.get(key)
            self._known[key] = known or self._vocabulary.tokens(text, special=special)
        return self._known[key]

    def _drawn(self, line: str, left: list[Drawn], *, cut: bool) -> list[int]:
        """What the agent said, in the tokens that it was drawn as; empty when nobody knows them."""
        for reply in left:
            tokens, rest = heard(reply, line)
            if tokens and (cut or not rest):
                left.remove(reply)
                return tokens + (self._vocabulary.tokens(rest, special=False) if rest else [])
        return []

    def _line(self, text: Text) -> str:
        if self._single_line and text.role is not Role.SYSTEM:
            return " ".join(text.text.split())
        return text.text.strip()


def heard(drawn: Drawn, text: str) -> tuple[list[int], str]:
    """The whole tokens of a reply that `text` begins with, and what `text` has beyond them.

    White space does not count: clauses are joined in their own way before they become history.
    """
    letters = "".join(text.split())
    decoder = Decoder()
    said, whole, kept = "", 0, 0
    for number, (_token, piece) in enumerate(drawn, 1):
        said += "".join(decoder.feed(piece).split())
        last = len(said) == len(letters)
        if not letters.startswith(said) or (last and piece[-1:].isspace()):
            break
        if not decoder.pending:
            whole, kept = len(said), number
        if last:
            break
    return [token for token, _piece in drawn[:kept]], _after(text, whole)


def _after(text: str, letters: int) -> str:
    """What follows the first so many characters that are no white space."""
    for place, character in enumerate(text):
        if letters == 0:
            return text[place:] if text[place:].strip() else ""
        letters -= not character.isspace()
    return ""


_AGENT = Role.ASSISTANT
_Known = dict[tuple[str, bool], list[int]]

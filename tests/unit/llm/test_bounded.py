"""A reply is drawn as the model likes until a call begins in it, and the call by its grammar."""

import random
import re
from collections.abc import Sequence

import pytest

from tests.unit.llm.conftest import CALLING, ByteVocabulary
from voiced.llm.bounded import Bounded
from voiced.llm.grammar import Grammar, Spelling
from voiced.llm.tool_calls import NOTHING_ASKED, Asked, Sieve

pytestmark = pytest.mark.unit

VOCABULARY = ByteVocabulary(["[TOOL_CALLS]"])
GRAMMAR = Grammar(Spelling(VOCABULARY), CALLING)
TOOLS = {tool.name: tool for tool in CALLING.tools}


class Dice:
    """A model that writes a text, and then whatever it may, every token as likely as any other."""

    def __init__(self, script: Sequence[int], seed: int = 0) -> None:
        self.script = list(script)
        self.asked: list[bool] = []
        """For each draw whether something was forbidden."""
        self.closed = False
        self._dice = random.Random(seed)

    def draw(self, _output: int, allowed=None) -> int:
        self.asked.append(allowed is not None)
        if self.script:
            return self.script.pop(0)
        if allowed is None:
            return self._dice.randrange(VOCABULARY.size)
        return int(self._dice.choice(allowed.nonzero()[0]))

    def close(self) -> None:
        self.closed = True


def written(text: str, *wholes: bytes) -> list[int]:
    """A text as tokens, with some pieces behind it as one token each."""
    tokens = VOCABULARY.tokens(text, special=True)
    return [*tokens, *(VOCABULARY.whole(piece) for piece in wholes)]


def reply(dice: Dice) -> tuple[str, Asked]:
    """What is spoken of a reply, and what it asks for."""
    bounded, sieve, spoken = Bounded(dice, GRAMMAR), Sieve(TOOLS), ""
    while not VOCABULARY.ends(token := bounded.draw(0)):
        piece = VOCABULARY.piece(token)
        spoken += sieve.feed(piece, "" if piece else VOCABULARY.name(token))
    held, asked = sieve.end()
    return spoken + held, asked


BEGINNINGS = {
    "whole": written("Let me look. <tool_call>"),
    "control token": written("Let me look. [TOOL_CALLS]"),
    "bare": written("\n{"),
    "bare list": written(" ", b" [ ", b'{"'),
    "the right way on": written("Let me look. <tool_call", b">{"),
    "a list where none may be": written("Let me look. <tool_call", b">["),
    "a name that no call has": written("Let me look. <tool_call", b">{x"),
    "in a fence": written("Let me look. ", b"```json"),
}


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_once_a_call_begins_it_can_only_be_a_good_one(beginning: str) -> None:
    for seed in range(8):
        spoken, asked = reply(Dice(BEGINNINGS[beginning], seed))

        assert spoken.strip() in ("", "Let me look.")
        assert asked.calls
        assert {""} == {call.fault.reveal() for call in asked.calls}


@pytest.mark.parametrize("beginning", ["a list where none may be", "a name that no call has"])
def test_where_the_token_that_begins_a_call_goes_on_wrongly_its_rest_is_not_drawn(
    beginning: str,
) -> None:
    _spoken, asked = reply(Dice(BEGINNINGS[beginning]))

    assert re.match(r"<tool_call>\s*{\s*\"", asked.text.reveal())


CALL = '<tool_call>{"name": "ring", "arguments": {}}</tool_call>'


@pytest.mark.parametrize("rest", ["", "\n", " Please wait.", "\n\nCaller: And now?", "<eos>"])
def test_a_model_that_is_done_with_a_call_is_not_made_to_call_again(rest: str) -> None:
    """It may want to go on with words, or with the next line of the dialogue; the reply ends."""
    spoken, asked = reply(Dice(written(CALL + rest + " "), seed=3))

    assert ("", ["ring"]) == (spoken, [call.name for call in asked.calls])


def test_a_model_may_call_again() -> None:
    assert ["ring", "ring"] == [
        call.name for call in reply(Dice(written(f"{CALL}\n{CALL}<eos>")))[1].calls
    ]


@pytest.mark.parametrize(
    "text", ["We are open.", "[laughs] Yes.", "a < b {and} ```c```", "Nörd", "x {", "<tool_calls"]
)
def test_nothing_is_forbidden_in_ordinary_text(text: str) -> None:
    dice = Dice(written(text + "<eos>"))

    assert (text, NOTHING_ASKED) == reply(dice)
    assert not any(dice.asked)


def test_a_mark_is_seen_however_the_text_before_it_is_cut() -> None:
    """Half a character does not hide it."""
    dice = Dice([*"Nö".encode()[:2], *written("<tool_call>")])

    assert reply(dice)[1].calls


def test_closing_it_closes_what_draws() -> None:
    dice = Dice([])
    Bounded(dice, GRAMMAR).close()

    assert dice.closed

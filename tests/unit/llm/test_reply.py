"""What the reader of a reply gets, however it ends."""

import asyncio

import pytest

from tests.unit.llm.conftest import BELL
from voiced.errors import EngineFailed
from voiced.llm.cleaning import Cleaner
from voiced.llm.model import Ending
from voiced.llm.reply import LlamaReply, Writer, lane
from voiced.llm.tool_calls import Sieve

pytestmark = pytest.mark.unit


class Scene:
    """A writer and its reply; must be made on a loop."""

    def __init__(
        self, vocabulary, max_tokens: int = 20, deadline_s: float = 5.0, tools=None, **cleaning
    ) -> None:
        self.kept: list[object] = []
        sieve = Sieve(tools or {})
        self.vocabulary = vocabulary
        messages = lane(max_tokens)
        self.writer = Writer(
            vocabulary, Cleaner(**cleaning), max_tokens, messages, self.kept.append, sieve
        )
        self.reply = LlamaReply(messages, self.writer, deadline_s)

    def draw(self, text: str) -> None:
        """As the engine does: until the reply has had enough."""
        for token in self.vocabulary.tokens(text, special=True):
            if not self.writer.drawn(token):
                self.writer.ended(None, stale=False)
                return

    async def heard(self) -> str:
        return "".join([words.reveal() async for words in self.reply])


def test_a_reply_arrives_as_it_is_drawn(vocabulary) -> None:
    async def scene() -> None:
        scene = Scene(vocabulary)
        scene.draw("At ten.<end_of_turn>")

        assert "At ten." == await scene.heard()
        assert Ending.STOP is scene.reply.stats.ending
        assert 7 == scene.reply.stats.reply_tokens

    asyncio.run(scene())


def test_a_stop_string_ends_the_reply(vocabulary) -> None:
    async def scene() -> None:
        scene = Scene(vocabulary, stop=("\n",))
        scene.draw("At ten.\nCaller: And")

        assert "At ten." == await scene.heard()

    asyncio.run(scene())


def test_a_reply_that_reaches_its_length_says_so(vocabulary) -> None:
    async def scene() -> None:
        scene = Scene(vocabulary, max_tokens=6)
        scene.draw("At ten in the morning.")

        assert "At ten" == await scene.heard()
        assert Ending.LENGTH is scene.reply.stats.ending

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("drawn", "reason"),
    [
        ("<end_of_turn>", "empty reply"),
        (" \n <end_of_turn>", "empty reply"),
        ("<think>hm</think><end_of_turn>", "empty reply"),
        ("<think>hm hm hm hm hm hm", "endless thinking"),
    ],
    ids=["nothing", "blank", "thoughts", "endless"],
)
def test_a_reply_without_a_word_has_failed(vocabulary, drawn: str, reason: str) -> None:
    async def scene() -> None:
        scene = Scene(vocabulary, max_tokens=21)
        scene.draw(drawn)

        with pytest.raises(EngineFailed) as failure:
            await scene.heard()
        assert ("llm", reason) == (failure.value.stage, failure.value.reason)

    asyncio.run(scene())


def test_a_reply_that_turns_in_circles_has_failed(vocabulary) -> None:
    async def scene() -> None:
        scene = Scene(vocabulary, max_tokens=500)
        scene.draw("At ten. " + "and again " * 50)

        with pytest.raises(EngineFailed, match="endless reply"):
            await scene.heard()
        assert scene.reply.stats.reply_tokens < 70

    asyncio.run(scene())


def test_a_number_with_the_same_digits_is_no_circle(vocabulary) -> None:
    async def scene() -> None:
        scene = Scene(vocabulary, max_tokens=60)
        scene.draw("Call five five five, five five five.<end_of_turn>")

        assert "Call five five five, five five five." == await scene.heard()

    asyncio.run(scene())


def test_no_first_token_in_time_is_a_failure(vocabulary) -> None:
    async def scene() -> None:
        scene = Scene(vocabulary, deadline_s=0.01)

        with pytest.raises(EngineFailed, match="deadline passed"):
            await scene.heard()
        assert scene.writer.abandoned

    asyncio.run(scene())


@pytest.mark.parametrize("unheard", ["<think>ab", '{"name"'])
def test_a_model_that_writes_what_nobody_hears_is_not_taken_for_silent(
    vocabulary, unheard: str
) -> None:
    """A thought or a call of a tool may take longer than a caller's patience with silence."""

    async def scene() -> None:
        scene = Scene(vocabulary, tools={BELL.name: BELL})
        scene.draw(unheard)
        pieces = aiter(scene.reply)

        assert [""] * len(unheard) == [(await anext(pieces)).reveal() for _ in unheard]
        await pieces.aclose()

    asyncio.run(scene())


def test_a_reply_that_was_cancelled_ends_without_a_failure(vocabulary) -> None:
    async def scene() -> None:
        scene = Scene(vocabulary)
        scene.writer.drawn(ord("A"))
        scene.writer.ended(None, stale=True)

        assert "A" == await scene.heard()
        assert Ending.CANCELLED is scene.reply.stats.ending

    asyncio.run(scene())


def test_what_was_drawn_is_kept_however_the_reply_ended(vocabulary) -> None:
    async def scene() -> None:
        scene = Scene(vocabulary)
        scene.writer.drawn(ord("A"))
        scene.writer.ended(EngineFailed("llm", "decode returned -3"), stale=False)

        with pytest.raises(EngineFailed, match="decode"):
            await scene.heard()
        assert [((ord("A"), b"A"),)] == scene.kept

    asyncio.run(scene())


def test_a_reader_that_goes_away_ends_the_reply(vocabulary) -> None:
    async def scene() -> None:
        scene = Scene(vocabulary)
        listening = asyncio.ensure_future(scene.heard())
        await asyncio.sleep(0)
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)

        assert scene.writer.abandoned

    asyncio.run(scene())

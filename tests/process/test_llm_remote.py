"""A language model behind a socket: what it says, how it fails, and how soon it is let go."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from voiced.config.agent import Agent, Lines, Sampling, Tool
from voiced.config.remote import Remote
from voiced.config.settings import Llm
from voiced.errors import ConfigError, EngineFailed, Refused, Stale, UnavailableError
from voiced.flow.breaker import Circuit
from voiced.flow.cancel import Live, Take, Ticket
from voiced.llm.model import Ending, Message, Role
from voiced.llm.remote.model import RemoteModel, serving
from voiced.ops import metrics
from voiced.testing import chat
from voiced.testing.chat import FakeChat, Manner, Misdeed
from voiced.words import Words

pytestmark = [pytest.mark.process, pytest.mark.timeout(60)]

AGENT = Agent(
    name="desk",
    languages=("en",),
    prompt="Be brief.",
    lines={"en": Lines(greeting="Hello.", fallback="Sorry?", goodbye="Goodbye.")},
    voices={"en": "joe"},
    stop=("Caller:",),
)
HISTORY = [Message(Role.ASSISTANT, Words("Hello.")), Message(Role.USER, Words("When?"))]
TEXT = "You can visit every day from ten until eight."
REMOTE = Remote(next_token_deadline_ms=300, ready_deadline_ms=500, failures=2, pause_ms=60_000)
SETTINGS = Llm(slots=2, first_token_deadline_ms=400, remote=REMOTE)

Script = Callable[[RemoteModel, FakeChat], Awaitable[None]]


def held(script: Script, manner: Manner | None = None, **remote: object) -> None:
    """Runs a script with a model of a fake server's."""

    async def main() -> None:
        async with chat.serving(manner) as fake:
            table = replace(REMOTE, url=fake.url, **remote)
            async with serving(replace(SETTINGS, remote=table)) as model:
                await script(model, fake)

    asyncio.run(main())


def ticket() -> Ticket:
    live = Live()
    return Ticket("c", live.take, live)


async def asked(model: RemoteModel, pieces: list[str] | None = None, **sampling: object) -> str:
    """The reply to one question, in a slot of its own; its pieces as they come into a list."""
    slot = model.open(AGENT, "c")
    heard = [] if pieces is None else pieces
    try:
        async for words in slot.answer(HISTORY, Sampling(**sampling), ticket()):
            heard.append(words.reveal())
    finally:
        slot.close()
    return "".join(heard)


def test_a_reply_comes_as_it_is_made_and_is_counted() -> None:
    async def script(model: RemoteModel, fake: FakeChat) -> None:
        before = metrics.LLM_TOKENS.labels("drawn")._value.get()
        slot = model.open(AGENT, "c")
        reply = slot.answer(HISTORY, Sampling(), ticket())
        pieces = [words.reveal() async for words in reply if words]
        slot.close()

        assert TEXT == "".join(pieces).strip()
        assert len(TEXT.split()) == len(pieces)
        assert (Ending.STOP, 100, 10, 9) == (
            reply.stats.ending,
            reply.stats.prompt_tokens,
            reply.stats.evaluated_tokens,
            reply.stats.reply_tokens,
        )
        assert "Be brief." == fake.requests[0]["messages"][0]["content"]
        assert 9 == metrics.LLM_TOKENS.labels("drawn")._value.get() - before

    held(script)


def test_another_prompt_stands_in_the_place_of_the_agents() -> None:
    async def script(model: RemoteModel, fake: FakeChat) -> None:
        slot = model.open(AGENT, "c")
        slot.instruct("Reply in Korean.")
        reply = slot.answer(HISTORY, Sampling(), ticket())
        assert [words async for words in reply]
        slot.close()

        assert "Reply in Korean." == fake.requests[0]["messages"][0]["content"]

    held(script)


@pytest.mark.parametrize(
    ("misdeed", "reason", "heard"),
    [
        (Misdeed.SILENT, "deadline passed", ""),
        (Misdeed.STALL, "deadline passed", "You can "),
        (Misdeed.DIE, "broken off", "You can "),
        (Misdeed.GARBAGE, "garbled", "You can "),
        (Misdeed.TROUBLE, "failed", "You can "),
        (Misdeed.BUSY, "busy", ""),
        (Misdeed.FAIL, "failed", ""),
        (Misdeed.REFUSE, "refused", ""),
        (Misdeed.EMPTY, "empty reply", ""),
    ],
)
def test_a_servers_failure_is_the_turns_with_a_static_reason(
    misdeed: Misdeed, reason: str, heard: str
) -> None:
    async def script(model: RemoteModel, _fake: FakeChat) -> None:
        pieces: list[str] = []
        began = time.monotonic()

        with pytest.raises(EngineFailed) as failure:
            await asked(model, pieces)
        assert ("llm", reason) == (failure.value.stage, failure.value.reason)
        assert heard == "".join(pieces)
        assert 1.5 > time.monotonic() - began

    held(script, Manner(misdeed=misdeed))


def test_a_reply_that_never_ends_is_ended_at_its_limit() -> None:
    async def script(model: RemoteModel, fake: FakeChat) -> None:
        text = await asked(model, max_tokens=12)

        assert 12 <= len(text.split()) <= 3 * 14
        await until(lambda: fake.ended == 1)

    held(script, Manner(misdeed=Misdeed.ENDLESS))


def test_thoughts_are_not_said_and_keep_the_deadline() -> None:
    async def script(model: RemoteModel, _fake: FakeChat) -> None:
        assert TEXT == (await asked(model)).strip()

    held(script, Manner(misdeed=Misdeed.THINK, token_s=0.03))


def test_what_a_reply_asks_a_tool_for_is_not_spoken() -> None:
    async def script(model: RemoteModel, fake: FakeChat) -> None:
        tool = Tool(name="free_days", description="Days with free places.", kind="client")
        slot = model.open(replace(AGENT, tools=(tool,)), "c")
        reply = slot.answer(HISTORY, Sampling(), ticket())
        text = "".join([words.reveal() async for words in reply])
        slot.close()

        assert TEXT == text.strip()
        assert ["free_days"] == [call.name for call in reply.asked.calls]
        assert [None] == [call.fault or None for call in reply.asked.calls]
        assert "free_days" == fake.requests[0]["tools"][0]["function"]["name"]

    held(script, Manner(misdeed=Misdeed.CALL))


def test_a_stale_take_closes_the_stream_within_a_chunk() -> None:
    async def script(model: RemoteModel, fake: FakeChat) -> None:
        slot = model.open(AGENT, "c")
        live = Live()
        reply = slot.answer(HISTORY, Sampling(), Ticket("c", live.take, live))
        count = 0
        async for _ in reply:
            count += 1
            if count == 3:
                live.take = Take(1, 1)
        await until(lambda: fake.ended == 1)

        assert (3, Ending.CANCELLED) == (count, reply.stats.ending)
        assert fake.sent < 8
        slot.close()

    held(script, Manner(token_s=0.05))


def test_a_task_that_is_cancelled_closes_the_stream_while_it_waits() -> None:
    async def script(model: RemoteModel, fake: FakeChat) -> None:
        asking = asyncio.get_running_loop().create_task(asked(model))
        await until(lambda: len(fake.requests) == 1)
        asking.cancel()
        await asyncio.wait([asking])
        await until(lambda: fake.ended == 1)

        fake.manner.misdeed = Misdeed.NONE
        assert TEXT == (await asked(model)).strip()

    held(script, Manner(misdeed=Misdeed.SILENT))


def test_the_next_reply_of_a_slot_ends_the_one_before() -> None:
    async def script(model: RemoteModel, fake: FakeChat) -> None:
        slot = model.open(AGENT, "c")
        first = aiter(slot.answer(HISTORY, Sampling(), ticket()))
        await anext(first)
        fake.manner.misdeed = Misdeed.NONE
        second = [one async for one in slot.answer(HISTORY, Sampling(), ticket()) if one]

        assert 9 == len(second)
        assert [] == [words async for words in first]
        slot.close()

    held(script, Manner(misdeed=Misdeed.ENDLESS))


def test_a_server_that_fails_and_fails_is_left_alone() -> None:
    """Two failures in a row: the third turn falls back at once, and asks nothing."""

    async def script(model: RemoteModel, fake: FakeChat) -> None:
        reasons = []
        for _ in range(3):
            with pytest.raises(EngineFailed) as failure:
                await asked(model)
            reasons.append(failure.value.reason)

        assert ["failed", "failed", "left alone"] == reasons
        assert 2 == len(fake.requests)

    held(script, Manner(misdeed=Misdeed.FAIL))


def test_a_server_that_is_well_again_is_used_again() -> None:
    async def script(model: RemoteModel, fake: FakeChat) -> None:
        for _ in range(2):
            with pytest.raises(EngineFailed):
                await asked(model)
        fake.manner.misdeed = Misdeed.NONE
        await asyncio.sleep(0.1)

        assert TEXT == (await asked(model)).strip()
        assert Circuit.CLOSED is model.server.breaker.circuit

    held(script, Manner(misdeed=Misdeed.BUSY), pause_ms=50)


def test_each_reply_has_a_connection_of_its_own() -> None:
    """llama-server closes one behind a stream: the next reply must not be sent into it."""

    async def script(model: RemoteModel, fake: FakeChat) -> None:
        for _ in range(3):
            await asked(model)

        assert 3 == len(set(fake.ports))

    held(script)


def test_slots_are_bounded_and_refused_at_admission() -> None:
    async def script(model: RemoteModel, _fake: FakeChat) -> None:
        first, _second = model.open(AGENT, "a"), model.open(AGENT, "b")
        with pytest.raises(Refused):
            model.open(AGENT, "c")
        first.close()
        first.close()

        model.open(AGENT, "c").close()

    held(script)


def test_reading_ahead_says_neither_yes_nor_no_and_asks_nothing() -> None:
    async def script(model: RemoteModel, fake: FakeChat) -> None:
        slot = model.open(AGENT, "c")
        live = Live()
        mine = Ticket("c", live.take, live)

        assert 0.5 == await slot.prefill(HISTORY, mine)
        live.take = Take(1, 1)
        with pytest.raises(Stale):
            await slot.prefill(HISTORY, mine)
        assert [] == fake.requests
        slot.close()

    held(script)


def test_agents_are_prepared_and_a_failure_there_is_no_end() -> None:
    async def script(model: RemoteModel, fake: FakeChat) -> None:
        await model.prepare([AGENT])
        fake.manner.misdeed = Misdeed.SILENT
        await model.prepare([AGENT])

        assert [1, 1] == [one["max_tokens"] for one in fake.requests]

    held(script)


def test_a_server_that_is_not_there_or_refuses_the_key_or_model_is_said_so(tmp_path: Path) -> None:
    async def nothing(_model: RemoteModel, _fake: FakeChat) -> None:
        """Never begun."""

    key = tmp_path / "key"
    key.write_text("right\n")
    held(nothing, Manner(key="right"), key_file=key)
    with pytest.raises(ConfigError, match=r"llm\.remote\.key_file"):
        held(nothing, Manner(key="other"), key_file=key)
    with pytest.raises(ConfigError, match=r"llm\.remote\.model = 'huge'"):
        held(nothing, model="huge")

    async def absent() -> None:
        table = replace(REMOTE, url="http://127.0.0.1:9")
        async with serving(replace(SETTINGS, remote=table)):
            """Never begun."""

    with pytest.raises(UnavailableError, match="nobody answers"):
        asyncio.run(absent())


async def until(holds: Callable[[], bool]) -> None:
    """Waits for what a socket brings about."""
    async with asyncio.timeout(2.0):
        while not holds():  # noqa: ASYNC110 - the other side is a server, with no event for us
            await asyncio.sleep(0.005)

"""The seam over a real llama-server: streaming, what it keeps of a prompt, and cancel."""

import asyncio
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from voiced import clock
from voiced.config.agent import Agent, Lines, Sampling
from voiced.config.remote import Remote
from voiced.config.settings import Llm
from voiced.flow.cancel import Live, Take, Ticket
from voiced.llm.model import Ending, Message, Role
from voiced.llm.remote.model import serving
from voiced.words import Words

xllamacpp: Any = pytest.importorskip("xllamacpp", reason="llama-server: the extra bench")

pytestmark = [pytest.mark.models, pytest.mark.timeout(180)]

AGENT = Agent(
    name="desk",
    languages=("en",),
    prompt="You are the reception of a hospital. Visiting hours are from ten until eight.",
    lines={"en": Lines(greeting="Hello.", fallback="Sorry?", goodbye="Goodbye.")},
    voices={"en": "joe"},
)
HISTORY = [
    Message(Role.ASSISTANT, Words("Hello.")),
    Message(Role.USER, Words("When are visiting hours?")),
]


@pytest.fixture(scope="module")
def url(models_dir: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    params = xllamacpp.CommonParams()
    params.model.path = str(next((models_dir / "gemma-3-270m").glob("*.gguf")))
    params.n_parallel, params.n_ctx = 2, 4096
    params.cpuparams.n_threads = 2
    params.verbosity = -1
    params.port = port
    params.use_jinja, params.chat_template = True, "chatml"
    server = xllamacpp.Server(params)
    yield server.listening_address
    del server


def test_two_replies_and_a_cancelled_one(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At an instant of its own: the time stands in the prompt, and this model minds."""
    monkeypatch.setattr(clock, "wall", lambda: datetime(2026, 12, 2, 6, 56, tzinfo=UTC))

    async def call() -> None:
        remote = Remote(url=url, ready_deadline_ms=30_000, next_token_deadline_ms=30_000)
        settings = Llm(slots=2, first_token_deadline_ms=60_000, remote=remote)
        async with serving(settings) as model:
            slot, live = model.open(AGENT, "call"), Live()
            stats, texts = [], []
            for _ in range(2):
                ticket = Ticket("call", live.take, live)
                reply = slot.answer(HISTORY, Sampling(max_tokens=24), ticket)
                texts.append("".join([words.reveal() async for words in reply]))
                stats.append(reply.stats)
            cancelled = slot.answer(
                HISTORY, Sampling(max_tokens=400), Ticket("call", live.take, live)
            )
            heard = 0
            async for _words in cancelled:
                heard += 1
                live.take = Take(1, 1)
            slot.close()

        assert texts[0] == texts[1] != ""
        assert stats[1].evaluated_tokens < stats[1].prompt_tokens / 2
        assert (1, Ending.CANCELLED) == (heard, cancelled.stats.ending)

    asyncio.run(call())

"""The agent of the demonstration answers what a reception is asked, from its own prompt."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from voiced.catalog.store import Store
from voiced.config.agent import Agent
from voiced.config.reader import read
from voiced.config.settings import Llm
from voiced.flow.cancel import Live, Ticket
from voiced.llm import llama
from voiced.llm.llama import LlamaModel
from voiced.llm.model import Message, Role
from voiced.words import Words

pytestmark = [pytest.mark.models, pytest.mark.timeout(120)]

RECEPTION = Path(__file__).parents[2] / "docs/examples/agents/reception.toml"


@pytest.fixture(scope="module")
def agent() -> Agent:
    return read(Agent, RECEPTION)


@pytest.fixture(scope="module")
def model(store: Store, models_dir: Path, agent: Agent) -> Iterator[LlamaModel]:
    entry = store.model("gemma-3-270m")
    path = models_dir / entry.name / entry.files[0].name
    model = llama.load(path, entry.facts, Llm(slots=1))
    asyncio.run(model.prepare([agent]))
    yield model
    model.close()


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("When are visiting hours?", "from ten in the morning until eight in the evening"),
        ("Where can I park?", "garage on Mill Road"),
        ("Where is the pharmacy?", "on the ground floor"),
        ("Is the emergency room open at night?", "always open"),
        ("I would like to book an appointment.", "at the front desk"),
        ("What is your address?", "Mill Road"),
        ("What is your phone number?", "five five five, zero one two three"),
        ("Thank you, goodbye.", "You are welcome"),
    ],
)
def test_what_callers_ask_most_is_answered(
    model: LlamaModel, agent: Agent, asked: str, told: str
) -> None:
    async def call() -> str:
        live = Live()
        slot = model.open(agent, "call")
        greeting = Message(Role.ASSISTANT, Words(agent.lines["en"].greeting))
        history = [greeting, Message(Role.USER, Words(asked))]
        reply = slot.answer(history, agent.sampling, Ticket("call", live.take, live))
        text = "".join([words.reveal() async for words in reply])
        slot.close()
        return text

    assert told in asyncio.run(call())

"""Calls of tools on the demonstration's model, which knows none: their grammar keeps them good."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from voiced.catalog.store import Store
from voiced.config.agent import Agent, Lines, Sampling, Tool
from voiced.config.settings import Llm
from voiced.errors import ConfigError
from voiced.flow.cancel import Live, Take, Ticket
from voiced.llm import llama
from voiced.llm.batch import FreeSampler, Mask
from voiced.llm.llama import LlamaModel
from voiced.llm.model import Message, Role
from voiced.llm.scheduler import Track
from voiced.llm.slot import LlamaSlot
from voiced.llm.tool_calls import Asked
from voiced.words import Words

pytestmark = [pytest.mark.models, pytest.mark.timeout(180)]

BEDS = Tool(
    name="find_bed",
    description="Finds a bed.",
    kind="client",
    parameters={
        "type": "object",
        "required": ["ward", "nights"],
        "additionalProperties": False,
        "properties": {
            "ward": {"type": "string", "maxLength": 12},
            "nights": {"type": "integer", "minimum": 1, "maximum": 5},
            "urgent": {"type": "boolean"},
            "day": {"enum": ["today", "tomorrow"]},
        },
    },
)
BELL = Tool(
    name="ring",
    description="Rings for somebody.",
    kind="client",
    parameters={
        "type": "object",
        "required": ["who"],
        "additionalProperties": False,
        "properties": {
            "who": {"type": "array", "items": {"enum": ["nurse", "porter"]}, "maxItems": 2}
        },
    },
)
TOOLS = {tool.name: tool for tool in (BEDS, BELL)}
PROMPT = """
Phone calls to the reception of a hospital. The receptionist looks up every bed.

Caller: Is there a bed in ward three for two nights?
Receptionist: <tool_call>{"name":"find_bed","arguments":{"ward": "three", "nights": 2}}</tool_call>
Caller: {"bed": "12"}
Receptionist: Yes, bed 12 is free.
Caller: I need a bed in ward five for one night.
Receptionist: <tool_call>{"name":"find_bed","arguments":{"ward": "five", "nights": 1}}</tool_call>
Caller: {"bed": "31"}
Receptionist: Yes, bed 31 is free.
"""
AGENT = Agent(
    name="reception",
    languages=("en",),
    prompt=PROMPT,
    lines={"en": Lines(greeting="Hello.", fallback="Sorry?", goodbye="Goodbye.")},
    voices={"en": "joe"},
    tools=tuple(TOOLS.values()),
)
HISTORY = [
    Message(Role.ASSISTANT, Words("Hello.")),
    Message(Role.USER, Words("I need a bed in ward seven for three nights.")),
]


class Begun:
    """Writes a mark first, and then what the model draws."""

    def __init__(self, tokens: list[int], sampler: FreeSampler) -> None:
        self._tokens = tokens
        self._sampler = sampler

    def draw(self, output: int, allowed: Mask | None = None) -> int:
        return self._tokens.pop(0) if self._tokens else self._sampler.draw(output, allowed)

    def close(self) -> None:
        self._sampler.close()


@pytest.fixture(scope="module")
def model(store: Store, models_dir: Path) -> Iterator[LlamaModel]:
    entry = store.model("gemma-3-270m")
    path = models_dir / entry.name / entry.files[0].name
    model = llama.load(
        path, entry.facts, Llm(slots=1, context_tokens=1024, first_token_deadline_ms=60_000)
    )
    asyncio.run(model.prepare([AGENT]))
    yield model
    model.close()


async def begun(model: LlamaModel, mark: str, sampling: Sampling) -> Asked:
    """What the model asks for once it has written the mark."""
    written = model.mind.language.vocabulary.tokens(mark, special=True)
    mind = replace(
        model.mind,
        make_sampler=lambda sampling: Begun([*written], model.mind.make_sampler(sampling)),
    )
    live = Live()
    live.take = Take(1, 1)
    opening, grammar = model._openings[AGENT.name], model._grammars[AGENT.name]
    slot = LlamaSlot(mind, AGENT, Track(0), opening, lambda: None, grammar)
    reply = slot.answer(HISTORY, sampling, Ticket("call", live.take, live))
    try:
        assert "" == "".join([piece.reveal() async for piece in reply]).strip()
    finally:
        slot.close()
    return reply.asked


@pytest.mark.parametrize(
    ("mark", "temperature", "seed"),
    [
        ("<tool_call>", 0.0, 0),
        ("[TOOL_CALLS]", 0.0, 0),
        ("<start_function_call>", 0.0, 0),
        ("{", 0.0, 0),
        ("<tool_call>", 2.0, 1),
        ("```tool_code", 2.0, 2),
    ],
)
def test_a_model_that_knows_no_tools_can_only_write_calls_that_can_be_run(
    model: LlamaModel, mark: str, temperature: float, seed: int
) -> None:
    sampling = Sampling(temperature=temperature, seed=seed, max_tokens=96)
    asked = asyncio.run(begun(model, mark, sampling))

    assert asked.calls
    for call in asked.calls:
        assert "" == call.fault.reveal()
        jsonschema.validate(json.loads(call.arguments.reveal()), dict(TOOLS[call.name].parameters))


def test_a_question_is_answered_with_what_a_tool_found(model: LlamaModel) -> None:
    """A whole round: the model calls by itself, is told the result, and says it."""

    async def asked_twice() -> tuple[Asked, str]:
        slot = model.open(AGENT, "call")
        live = Live()
        live.take = Take(1, 1)
        ticket = Ticket("call", live.take, live)
        question = Message(Role.USER, Words("I need a bed in the north ward for four nights."))
        try:
            reply = slot.answer([HISTORY[0], question], Sampling(), ticket)
            assert "" == "".join([piece.reveal() async for piece in reply])
            call = Message(Role.ASSISTANT, reply.asked.text)
            result = Message(Role.TOOL, Words('{"bed": "47"}'))
            told = slot.answer([HISTORY[0], question, call, result], Sampling(), ticket)
            return reply.asked, "".join([piece.reveal() async for piece in told])
        finally:
            slot.close()

    asked, said = asyncio.run(asked_twice())

    assert ["find_bed"] == [call.name for call in asked.calls]
    assert "north" == json.loads(asked.calls[0].arguments.reveal())["ward"]
    assert "47" in said


def test_an_agent_whose_schema_cannot_be_kept_is_refused(model: LlamaModel) -> None:
    odd = replace(BEDS, parameters={"type": "object", "not": {"required": ["ward"]}})

    with pytest.raises(ConfigError, match="agent 'reception': tools: 'find_bed': parameters: "):
        asyncio.run(model.prepare([replace(AGENT, tools=(BELL, odd))]))

"""Calls of tools by their grammar: whatever is drawn of what it allows can be run."""

import random
from dataclasses import replace

import pytest

from tests.unit.llm.conftest import BEDS, BELL, CALLING, ByteVocabulary
from voiced.errors import ConfigError
from voiced.llm.grammar import Grammar, Spelling
from voiced.llm.tool_calls import Asked, Sieve
from voiced.llm.tool_forms import MARKS

pytestmark = pytest.mark.unit

TOOLS = {tool.name: tool for tool in CALLING.tools}
CONTROLS = ("[TOOL_CALLS]", "[ARGS]", "<|python_tag|>", "<|tool_call>", "<tool_call|>", '<|"|>')

VOCABULARIES = {"plain": ByteVocabulary(), "controls": ByteVocabulary(CONTROLS)}
GRAMMARS = {name: Grammar(Spelling(one), CALLING) for name, one in VOCABULARIES.items()}


def drawn(name: str, mark: str, seed: int) -> Asked:
    """Draws what the grammar allows behind a mark, every token as likely as any other."""
    vocabulary, dice = VOCABULARIES[name], random.Random(seed)
    sieve = Sieve(TOOLS)
    for token in vocabulary.tokens(mark, special=True):
        sieve.feed(vocabulary.piece(token), vocabulary.name(token))
    bounds = GRAMMARS[name].behind(mark)
    while True:
        token = int(dice.choice(bounds.allowed().nonzero()[0]))
        if vocabulary.ends(token):
            break
        assert bounds.take([token])
        piece = vocabulary.piece(token)
        spoken = sieve.feed(piece, "" if piece else vocabulary.name(token))
        assert "" == spoken.strip()
    return sieve.end()[1]


@pytest.mark.parametrize("name", VOCABULARIES)
@pytest.mark.parametrize("mark", [*MARKS, "{", "\n[ {"])
def test_whatever_is_drawn_can_be_run(name: str, mark: str) -> None:
    """A name among the agent's tools, and arguments that fit the schema of that one."""
    names = set()
    for seed in range(20):
        asked = drawn(name, mark, seed)
        assert asked.calls
        assert {""} == {call.fault.reveal() for call in asked.calls}
        names |= {call.name for call in asked.calls}

    assert set(TOOLS) == names


def test_several_calls_may_stand_behind_each_other() -> None:
    assert 1 < max(len(drawn("plain", "<tool_call>", seed).calls) for seed in range(20))


def test_a_call_ends_with_any_token_that_ends_a_reply() -> None:
    vocabulary = VOCABULARIES["plain"]
    bounds = GRAMMARS["plain"].behind("{")
    assert not any(bounds.allowed()[-2:])
    assert bounds.take(vocabulary.tokens('"name": "ring", "arguments": {}}', special=False))

    assert ["<eos>", "<eot>"] == [vocabulary.name(int(t)) for t in bounds.allowed().nonzero()[0]]


def test_what_is_not_allowed_is_not_taken() -> None:
    vocabulary = VOCABULARIES["plain"]
    bounds = GRAMMARS["plain"].behind("<tool_call>")

    assert not bounds.take(vocabulary.tokens('{"name": "cure"', special=False))


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"not": {"type": "string"}}, r'Unimplemented keys: \["not"\]'),
        ({"properties": {"a": {"type": "string", "pattern": "(?=a)"}}}, "look-around"),
        ({"properties": {"a": {"type": "string", "format": "odd"}}}, "Unknown format: odd"),
        ({"$ref": "http://127.0.0.1:9/schema"}, "does not fetch resources"),
    ],
)
def test_a_schema_that_cannot_be_drawn_by_is_refused_and_named(parameters, reason: str) -> None:
    agent = replace(CALLING, tools=(BELL, replace(BEDS, parameters=parameters)))

    with pytest.raises(ConfigError) as refusal:
        Grammar(Spelling(VOCABULARIES["plain"]), agent)

    assert refusal.match(rf"agent 'reception': tools: 'find_bed': parameters: .*{reason}.*: write")
    assert "%json" not in str(refusal.value)

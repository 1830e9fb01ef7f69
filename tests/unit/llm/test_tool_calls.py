"""Calls of tools in a model's output: found in every form, however it is cut, never spoken."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some

from voiced.config.agent import Tool
from voiced.llm.tool_calls import Asked, Sieve
from voiced.llm.tool_prompt import declared, described

pytestmark = pytest.mark.unit

BEDS = Tool(
    name="find_bed",
    description="Finds a bed.",
    kind="client",
    parameters={
        "type": "object",
        "properties": {"ward": {"type": "string"}, "night": {"type": "integer"}},
        "required": ["ward"],
        "additionalProperties": False,
    },
)
TOOLS = {"find_bed": BEDS}
ARGUMENTS = '{"ward": "Nörd"}'

FORMS = {
    "qwen": f'<tool_call>\n{{"name": "find_bed", "arguments": {ARGUMENTS}}}\n</tool_call>',
    "llama": f'<|python_tag|>{{"name": "find_bed", "parameters": {ARGUMENTS}}}',
    "bare": f'\n{{"name": "find_bed", "parameters": {ARGUMENTS}}}',
    "openai": '<tool_call>{"function": {"name": "find_bed", "arguments": '
    f"{json.dumps(ARGUMENTS)}}}}}",
    "mistral": f'[TOOL_CALLS][{{"name": "find_bed", "arguments": {ARGUMENTS}}}]',
    "mistral_bare": f'[{{"name": "find_bed", "arguments": {ARGUMENTS}}}]',
    "mistral_new": f"[TOOL_CALLS]find_bed[ARGS]{ARGUMENTS}",
    "gemma_fence": f'```json\n{{"name": "find_bed", "parameters": {ARGUMENTS}}}\n```',
    "gemma_python": '```tool_code\nprint(default_api.find_bed(ward="Nörd"))\n```',
    "gemma_function": (
        "<start_function_call>call:find_bed{ward:<escape>Nörd<escape>}<end_function_call>"
    ),
    "gemma_4": '<|tool_call>call:find_bed{ward:<|"|>Nörd<|"|>}<tool_call|>',
}


def sift(text: str, cuts: int = 1) -> tuple[str, Asked]:
    """A text in pieces of so many bytes."""
    sieve, raw = Sieve(TOOLS), text.encode()
    spoken = "".join(sieve.feed(raw[at : at + cuts]) for at in range(0, len(raw), cuts))
    held, asked = sieve.end()
    return spoken + held, asked


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("cuts", [1, 3, 500])
def test_a_call_is_found_in_every_form_and_not_a_letter_is_spoken(form: str, cuts: int) -> None:
    spoken, asked = sift(FORMS[form], cuts)

    assert "" == spoken.strip()
    assert [("find_bed", ARGUMENTS, "")] == [
        (call.name, call.arguments.reveal(), call.fault.reveal()) for call in asked.calls
    ]


@pytest.mark.parametrize("form", ["qwen", "llama", "mistral", "gemma_fence", "gemma_4"])
def test_words_before_a_call_are_spoken(form: str) -> None:
    spoken, asked = sift("Let me look. " + FORMS[form])

    assert ("Let me look. ", 1) == (spoken, len(asked.calls))


def test_two_calls_come_in_their_order() -> None:
    _spoken, asked = sift(FORMS["qwen"] + FORMS["qwen"].replace("Nörd", "South"))

    assert ['{"ward": "Nörd"}', '{"ward": "South"}'] == [
        call.arguments.reveal() for call in asked.calls
    ]


def test_control_tokens_open_a_call_and_stay_out_of_the_history() -> None:
    """They have no bytes; written again as text they would be something else."""
    sieve = Sieve(TOOLS)
    sieve.feed(b"", "[TOOL_CALLS]")
    sieve.feed(b"find_bed")
    sieve.feed(b"", "[ARGS]")
    sieve.feed(ARGUMENTS.encode())
    _held, asked = sieve.end()

    assert "find_bed" + ARGUMENTS == asked.text.reveal()
    assert ["find_bed"] == [call.name for call in asked.calls]


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ('{"name": "cure", "arguments": {}}', "there is no such tool; there are: find_bed"),
        ('{"name": "find_bed", "arguments": {}}', "'ward' is a required property"),
        ('{"name": "find_bed", "arguments": {"ward": 3}}', "$.ward: 3 is not of type 'string'"),
        ('{"name": "find_bed", "arguments": [1]}', "the arguments are not a JSON object"),
        ('{"name": "find_bed", "arguments": {"ward": NaN}}', "the arguments are not JSON"),
        ('{"name": "find_bed", "argum', "this call cannot be read"),
        ("[" * 50_000, "this call cannot be read"),
    ],
)
def test_a_call_that_cannot_be_run_says_why(written: str, fault: str) -> None:
    _spoken, asked = sift(f"<tool_call>{written}</tool_call>", 5000)

    assert 1 == len(asked.calls)
    assert fault in asked.calls[0].fault.reveal()


@pytest.mark.parametrize(
    "said", ['call:find_bed{"ward": "B"}', '[TOOL_CALLS]find_bed{"ward": "B"}', '{"name": "x"}']
)
@pytest.mark.parametrize(
    "form",
    [
        '<tool_call>{"name": "find_bed", "arguments": %s}</tool_call>',
        '[TOOL_CALLS][{"name": "find_bed", "arguments": %s}]',
        "[TOOL_CALLS]find_bed[ARGS]%s",
        "<start_function_call>call:find_bed%s<end_function_call>",
        "<|tool_call>call:find_bed{ward:%s}<tool_call|>",
    ],
)
def test_what_a_caller_dictates_into_an_argument_is_no_call(form: str, said: str) -> None:
    own = f'<|"|>{said}<|"|>' if "ward:" in form else json.dumps({"ward": said})

    _spoken, asked = sift(form % own)

    assert [{"ward": said}] == [json.loads(call.arguments.reveal()) for call in asked.calls]


def test_lists_and_objects_are_read_as_gemma_writes_them() -> None:
    schema = {"type": "object"}
    sieve = Sieve({"note": Tool(name="note", description="", kind="client", parameters=schema)})
    sieve.feed(b"<start_function_call>call:note{at:{day:3,who:[<escape>a: b<escape>,true]},n:-1.5}")
    sieve.feed(b"<end_function_call><start_function_call>call:note{}<end_function_call>")
    _held, asked = sieve.end()

    assert [{"at": {"day": 3, "who": ["a: b", True]}, "n": -1.5}, {}] == [
        json.loads(call.arguments.reveal()) for call in asked.calls
    ]


def test_a_schema_reaches_for_no_address_and_breaks_nothing() -> None:
    tool = Tool(
        name="odd",
        description="",
        kind="client",
        parameters={"$ref": "http://127.0.0.1:9/schema"},
    )
    sieve = Sieve({"odd": tool})
    sieve.feed(b'<tool_call>{"name": "odd", "arguments": {}}</tool_call>')

    assert ["the arguments cannot be checked"] == [
        call.fault.reveal() for call in sieve.end()[1].calls
    ]


@pytest.mark.parametrize(
    "text",
    ["We are open.", "[laughs] Yes.", '{"open": true}', "```json\n[1]\n```", "a < b, `c`", ""],
)
def test_what_is_no_call_is_passed_on(text: str) -> None:
    assert (text, ()) == (sift(text)[0], sift(text)[1].calls)


def test_ordinary_text_does_not_wait() -> None:
    assert ["At", " ten."] == [(sieve := Sieve(TOOLS)).feed(b"At"), sieve.feed(b" ten.")]


def test_an_agent_without_tools_has_no_calls() -> None:
    sieve = Sieve({})

    assert FORMS["qwen"] == sieve.feed(FORMS["qwen"].encode())
    assert ("", ()) == (sieve.end()[0], sieve.end()[1].calls)


@given(
    some.lists(
        some.sampled_from(
            ["<tool_call>", "```", "json", "{", "}", "[", '"name":', '"find_bed"', "é", " a "]
        )
    ),
    some.integers(1, 7),
)
def test_the_result_does_not_depend_on_the_cuts(parts: list[str], cuts: int) -> None:
    text = "".join(parts)

    assert sift(text, 100_000) == sift(text, cuts)


def test_tools_are_declared_for_templates_and_described_in_words() -> None:
    assert ["find_bed"] == [one["function"]["name"] for one in declared(TOOLS)]
    assert '"ward"' in described(TOOLS)
    assert "<tool_call>" in described(TOOLS)

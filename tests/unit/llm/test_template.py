"""How turns are written for templates with every quirk that is known."""

from pathlib import Path

import pytest

from voiced.errors import ConfigError
from voiced.llm.model import Role
from voiced.llm.template import ChatTemplate, Content, Literal, PlainTemplate, Turn

pytestmark = pytest.mark.unit

FOLDER = Path(__file__).parents[2] / "data" / "templates"
NAMES = {"bos_token": "<bos>", "eos_token": "</s>"}
ALL = sorted(path.stem for path in FOLDER.glob("*.jinja"))

S, U, A = Role.SYSTEM, Role.USER, Role.ASSISTANT


def template(name: str) -> ChatTemplate:
    return ChatTemplate((FOLDER / f"{name}.jinja").read_text().rstrip("\n"), NAMES)


def shown(pieces: list[Literal | Content]) -> str:
    return "".join(
        p.text if isinstance(p, Literal) else " " * p.spaced + f"#{p.number}" for p in pieces
    )


def turns(*roles: Role) -> list[Turn]:
    return [Turn(role, (number,)) for number, role in enumerate(roles)]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    "roles",
    [(S, U), (S, A, U), (S, U, A, U), (S, A, U, A, U), (S, U, A, U, A, U)],
    ids=lambda roles: "".join(role.value[0] for role in roles),
)
def test_every_content_stands_once_and_in_order(name: str, roles: tuple[Role, ...]) -> None:
    pieces = template(name).render(turns(*roles))

    assert list(range(len(roles))) == [p.number for p in pieces if isinstance(p, Content)]


@pytest.mark.parametrize("name", [name for name in ALL if name != "deepseek"])
def test_a_longer_conversation_begins_like_a_shorter_one(name: str) -> None:
    """Else each turn reads the whole call again. What a model thought is no part of the history, so
    for one that always thinks the last reply is read again.
    """
    short = shown(template(name).render(turns(S, A, U)))
    long = shown(template(name).render(turns(S, A, U, A, U)))

    assert long.startswith(short)


@pytest.mark.parametrize("name", ALL)
def test_the_beginning_of_the_text_is_marked_at_most_once(name: str) -> None:
    assert shown(template(name).render(turns(S, A, U))).count("<bos>") <= 1


def test_gemma_gets_the_system_prompt_in_its_first_caller_turn() -> None:
    assert ("<bos><start_of_turn>user\n#0\n#1<end_of_turn>\n<start_of_turn>model\n") == shown(
        template("gemma").render(turns(S, U))
    )


def test_a_greeting_does_not_break_gemma() -> None:
    assert (
        "<bos><start_of_turn>user\n#0<end_of_turn>\n<start_of_turn>model\n#1<end_of_turn>\n"
        "<start_of_turn>user\n#2<end_of_turn>\n<start_of_turn>model\n"
    ) == shown(template("gemma").render(turns(S, A, U)))


def test_mistral_keeps_its_system_prompt_in_front() -> None:
    """Its own template moves it to the last caller turn, which would make every prompt new."""
    assert "<bos>[INST] #0\n#1 [/INST] #2</s>[INST] #3 [/INST]" == shown(
        template("mistral").render(turns(S, U, A, U))
    )


def test_chatml_has_a_greeting_as_it_is() -> None:
    assert (
        "<|im_start|>system\n#0<|im_end|>\n<|im_start|>assistant\n#1<|im_end|>\n"
        "<|im_start|>user\n#2<|im_end|>\n<|im_start|>assistant\n"
    ) == shown(template("chatml").render(turns(S, A, U)))


def test_qwen_is_asked_not_to_think_and_each_reply_keeps_what_stood_before_it() -> None:
    assert (
        "<|im_start|>user\n#1<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n#2<|im_end|>\n"
        "<|im_start|>user\n#3<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
    ) in shown(template("qwen3").render(turns(S, U, A, U)))


def test_llama_is_not_told_the_day_of_its_template() -> None:
    assert "2024" not in shown(template("llama31").render(turns(S, U)))


def test_a_template_that_opens_a_thinking_block_says_so() -> None:
    assert template("deepseek").thinking
    assert not template("qwen3").thinking


def test_several_contents_of_a_turn_are_lines() -> None:
    turn = Turn(Role.USER, (1, 2))

    assert "<|im_start|>user\n#1\n#2<|im_end|>" in shown(
        template("chatml").render([Turn(Role.SYSTEM, (0,)), turn])
    )


def test_a_base_model_gets_one_line_for_each_turn() -> None:
    plain = PlainTemplate("Caller:", "Receptionist:", ("\n",))

    assert "#0\n\nCaller: #1 #2\nReceptionist:" == shown(
        plain.render([Turn(Role.SYSTEM, (0,)), Turn(Role.USER, (1, 2))])
    )


def test_a_base_model_gets_a_dialogue() -> None:
    plain = PlainTemplate("Caller:", "Receptionist:", ("\n",))

    assert "#0\n\nReceptionist: #1\nCaller: #2\nReceptionist:" == shown(
        plain.render(turns(S, A, U))
    )


@pytest.mark.parametrize(
    "source", ["{% if %}", "{{ raise_exception('no') }}", "hello", "{{ messages[9].content }}"]
)
def test_a_template_that_cannot_be_used_is_a_mistake_of_the_configuration(source: str) -> None:
    with pytest.raises(ConfigError, match="chat template"):
        ChatTemplate(source, NAMES)


def test_a_template_cannot_reach_out_of_its_sandbox() -> None:
    source = "{{ messages.__class__.__mro__ }}{% for m in messages %}{{ m.content }}{% endfor %}"

    with pytest.raises(ConfigError):
        ChatTemplate(source, NAMES)


TOOL = {
    "type": "function",
    "function": {
        "name": "find_bed",
        "description": "Finds a bed.",
        "parameters": {"type": "object", "properties": {"ward": {"type": "string"}}},
    },
}


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("count", [5, 6, 7])
def test_a_tools_result_has_its_place_in_every_template(name: str, count: int) -> None:
    """Of its own, or in a turn like the caller's, joined to those beside it."""
    roles = (S, A, U, A, Role.TOOL, A, U)[:count]
    pieces = template(name).render(turns(*roles[:5], *roles[5:]))

    assert list(range(count)) == [p.number for p in pieces if isinstance(p, Content)]


@pytest.mark.parametrize("name", ALL)
def test_a_caller_who_speaks_behind_a_result_breaks_no_template(name: str) -> None:
    pieces = template(name).render(turns(S, A, U, A, Role.TOOL, U))

    assert list(range(6)) == [p.number for p in pieces if isinstance(p, Content)]


@pytest.mark.parametrize("name", ["qwen3tools", "llama31tools"])
def test_a_template_with_a_place_for_tools_declares_them_before_anything_is_said(name: str) -> None:
    written = shown(template(name).render(turns(S, A, U), [TOOL]))

    assert template(name).declares
    assert written.index("Finds a bed.") < written.index("#1")
    assert "Finds a bed." not in shown(template(name).render(turns(S, A, U)))


@pytest.mark.parametrize("name", ["gemma", "chatml", "mistral"])
def test_other_templates_have_tools_described_to_them(name: str) -> None:
    """Also where declarations would move with the newest turn, and be read again each time."""
    assert not template(name).declares

"""What the catalogue may say of a language model."""

import tomllib
from pathlib import Path

import pytest

from voiced.errors import ConfigError
from voiced.llm import facts
from voiced.llm.template import ChatTemplate, PlainTemplate

pytestmark = pytest.mark.unit

NAMES = {"bos_token": "<bos>", "eos_token": "</s>"}
CATALOG = Path(__file__).parents[3] / "models" / "catalog.toml"


def test_the_catalogues_own_language_models_are_right() -> None:
    models = tomllib.loads(CATALOG.read_text())["models"]

    found = [facts.checked(model["facts"]) for model in models if model["role"] == "llm"]

    assert found
    assert all(known.stop for known in found if known.template == "plain")


def test_without_facts_the_models_own_template_is_used() -> None:
    source = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"

    assert isinstance(facts.template(facts.checked({}), source, NAMES), ChatTemplate)


def test_a_base_model_gets_the_plain_template() -> None:
    known = facts.checked({"template": "plain", "caller": "Patient:", "stop": ["\n"]})
    template = facts.template(known, None, NAMES)

    assert isinstance(template, PlainTemplate)
    assert ("\n",) == template.stop


def test_a_model_without_a_template_of_its_own_says_what_to_write() -> None:
    with pytest.raises(ConfigError, match="write template = 'plain'"):
        facts.template(facts.checked({}), None, NAMES)


@pytest.mark.parametrize(
    ("wrong", "key"),
    [({"templat": "own"}, "templat"), ({"template": "mine"}, "template"), ({"stop": 3}, "stop")],
    ids=["unknown", "value", "kind"],
)
def test_a_wrong_fact_is_named(wrong: dict[str, object], key: str) -> None:
    with pytest.raises(ConfigError, match=rf"catalog\.toml: facts\.{key}"):
        facts.checked(wrong)

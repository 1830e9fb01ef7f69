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


def test_a_models_probabilities_become_those_of_a_common_scale() -> None:
    known = facts.checked({"turn_end": {"unsure": 0.01, "sure": 0.25}}).turn_end

    assert (0.0, 0.0, 1.0, 1.0) == tuple(map(known.likely, (0.0, 0.01, 0.25, 1.0)))
    assert 0.5 == pytest.approx(known.likely(0.05))


def test_a_model_that_nobody_measured_is_believed_only_when_it_is_sure() -> None:
    assert facts.checked({}).turn_end.likely(0.5) < 0.8


@pytest.mark.parametrize(
    "ends", [{"unsure": 0.5, "sure": 0.5}, {"unsure": 0.0}, {"sure": 1.5}, {"surely": 0.9}]
)
def test_a_scale_that_is_none_is_refused(ends: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=r"facts\.turn_end"):
        facts.checked({"turn_end": ends})

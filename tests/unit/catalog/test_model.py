"""Facts are checked where they are read."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from voiced.catalog.model import Model
from voiced.errors import ConfigError

pytestmark = pytest.mark.unit


@pytest.fixture
def model(tiny: Callable[..., Model]) -> Model:
    return replace(tiny(), facts={"window": 512, "gain": 2, "family": "piper", "on": True})


def test_a_fact_of_its_kind_is_handed_out(model: Model) -> None:
    assert (512, "piper") == (model.fact("window", int), model.fact("family", str))


def test_a_whole_number_does_for_a_float(model: Model) -> None:
    assert 2.0 == model.fact("gain", float)


def test_a_missing_fact_takes_the_default(model: Model) -> None:
    assert 1.5 == model.fact("speed", float, 1.5)


@pytest.mark.parametrize(("key", "kind"), [("window", str), ("on", int), ("absent", int)])
def test_another_kind_or_nothing_is_refused_by_name(model: Model, key: str, kind: type) -> None:
    with pytest.raises(ConfigError, match=rf"'tiny': facts\.{key} = .*write a {kind.__name__}"):
        model.fact(key, kind)

"""The memory plan: what a model's own facts say that its cache takes."""

from pathlib import Path
from typing import cast

import pytest

from voiced.catalog.model import FileSource, Kind, Model, ModelFile, Profile
from voiced.catalog.store import Store
from voiced.config.remote import Remote
from voiced.config.settings import Llm, Settings, Stt, Tts
from voiced.daemon.plan import Plan, cell_bytes, plan

pytestmark = pytest.mark.unit

LLAMA_8B = {
    "general.architecture": "llama",
    "llama.block_count": "32",
    "llama.attention.head_count": "32",
    "llama.attention.head_count_kv": "8",
    "llama.embedding_length": "4096",
}


def test_a_token_of_an_8b_model_takes_128_kb() -> None:
    """32 layers x 8 shared heads x (128 + 128) x 2 bytes."""
    assert 131_072 == cell_bytes(LLAMA_8B)


def test_a_model_that_says_how_wide_its_heads_are_is_believed() -> None:
    wide = {"llama.attention.key_length": "256", "llama.attention.value_length": "256"}

    assert 262_144 == cell_bytes(LLAMA_8B | wide)


def test_without_shared_heads_each_has_its_own_cache() -> None:
    own = {key: value for key, value in LLAMA_8B.items() if not key.endswith("_kv")}

    assert 524_288 == cell_bytes(own)


def test_a_file_that_tells_nothing_is_planned_as_nothing() -> None:
    assert 0 == cell_bytes({})


def test_the_plan_has_a_margin() -> None:
    assert 1050 == Plan({"weights": 900, "cache": 100}).needed_mb


class Shelf:
    """A store of models that are nowhere."""

    def __init__(self, *models: Model) -> None:
        self._models = {model.name: model for model in models}

    def model(self, name: str) -> Model:
        return self._models[name]

    def path_of(self, name: str, _file: str) -> Path:
        return Path(name)


def model(name: str, role: Kind, mb: int, *, measured: bool = True) -> Model:
    source = FileSource(kind="file", path="-")
    return Model(
        name=name,
        role=role,
        version="1",
        licence="MIT",
        licence_url="-",
        production=True,
        memory_mb=mb,
        measured=measured,
        files=(ModelFile(name="weights", source=source),),
        facts={"family": "piper"},
    )


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr("voiced.daemon.plan.facts_of", lambda _: LLAMA_8B)
    models = (
        model("ear", Kind.VAD, 20),
        model("reader", Kind.STT, 2000, measured=False),
        model("brain", Kind.LLM, 5000),
        model("voice", Kind.TTS, 200),
    )
    return cast(Store, Shelf(*models))


PROFILE = Profile(vad="ear", stt="reader", llm="brain", tts=("voice",))


def test_without_a_card_all_is_the_machine_s(shelf: Store) -> None:
    found = plan(PROFILE, {"voice"}, shelf, Settings())

    assert {} == found.card
    assert {"ear", "reader", "brain", "voice", "brain: cache"} == set(found.parts)


def test_what_runs_on_the_card_lies_there_with_what_it_needs_beside_it(shelf: Store) -> None:
    """A voice's sessions may grow to their limit, and so that is what is counted."""
    on = Settings(stt=Stt(device="cuda"), llm=Llm(device="cuda"), tts=Tts(device="cuda"))
    found = plan(PROFILE, {"voice"}, shelf, on)

    assert {"ear"} == set(found.parts)
    assert round(4 * 4096 * 131_072 / 1e6) == found.card["brain: cache"]
    assert round(2 * 2**30 / 1e6) == found.card["voice"]
    assert found.card["CUDA"] > 0


def test_memory_that_was_only_derived_gets_more_room(shelf: Store) -> None:
    assert 2300 == plan(PROFILE, {"voice"}, shelf, Settings()).parts["reader"]


def test_an_agent_with_tools_costs_a_grammar(shelf: Store) -> None:
    assert 120 == plan(PROFILE, {"voice"}, shelf, Settings(), tools=True).parts["brain: tools"]


def test_a_model_elsewhere_takes_nothing_here(shelf: Store) -> None:
    far = Settings(llm=Llm(device="cuda", remote=Remote(url="https://llm.local", model="big")))
    found = plan(PROFILE, {"voice"}, shelf, far, tools=True)

    assert {} == found.card
    assert {"ear", "reader", "voice"} == set(found.parts)

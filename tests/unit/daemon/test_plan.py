"""The memory plan: what a model's own facts say that its cache takes."""

import pytest

from voiced.daemon.plan import Plan, cell_bytes

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

"""A sampler chain sees the likeliest tokens, with their logits."""

import numpy as np
import pytest

from voiced.llm.sampling import CANDIDATES, likeliest

pytestmark = pytest.mark.unit


def test_tokens_that_can_never_be_drawn_are_left_out() -> None:
    logits = np.full(262_144, -30.0, np.float32)
    logits[[7, 9, 200_000]] = [1.0, 3.0, -8.0]

    found = likeliest(logits)

    assert {7: 1.0, 9: 3.0, 200_000: -8.0} == dict(
        zip(found["id"].tolist(), found["logit"].tolist(), strict=True)
    )


def test_there_are_never_more_than_a_few_hundred_and_they_are_the_best() -> None:
    logits = np.random.default_rng(1).normal(size=262_144).astype(np.float32)

    found = likeliest(logits)

    best = set(np.argsort(logits)[-CANDIDATES:].tolist())
    assert best == set(found["id"].tolist())


def test_the_likeliest_token_is_always_there() -> None:
    logits = np.zeros(50_000, np.float32)
    logits[123] = 0.001

    assert 123 in likeliest(logits)["id"]

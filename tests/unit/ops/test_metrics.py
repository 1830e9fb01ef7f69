"""Metrics count; they never say who called or what was said."""

import pytest
from prometheus_client.metrics import MetricWrapperBase

from voiced.ops import metrics
from voiced.words import Words, WordsShown

pytestmark = pytest.mark.unit

LABELS = {"reason", "kind", "ending", "leg", "stage", "floor", "fact", "ring", "result", "outcome"}
"""Each has few values, all of them ours."""


def test_no_label_can_tell_calls_apart() -> None:
    labels = {
        name
        for family in vars(metrics).values()
        if isinstance(family, MetricWrapperBase)
        for name in family._labelnames
    }

    assert labels
    assert set() == labels - LABELS


def test_words_are_refused_as_a_label() -> None:
    with pytest.raises(WordsShown):
        metrics.ENGINE_FAILED.labels(Words("penicillin"))


def test_the_exposition_has_every_metric_under_its_own_prefix() -> None:
    families = [
        line.split()[2] for line in metrics.exposition().decode().splitlines() if "# TYPE" in line
    ]

    assert families
    assert [] == [name for name in families if not name.startswith("voiced_")]

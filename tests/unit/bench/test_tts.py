"""What the voice's benchmark says."""

import pytest

from voiced.bench.tts import SENTENCE

pytestmark = pytest.mark.unit


def test_the_sentence_has_the_length_that_the_measure_names() -> None:
    assert 90 == len(SENTENCE)

"""What a benchmark makes of chunks and their instants."""

import pytest

from voiced.bench.play import Play, play

pytestmark = pytest.mark.unit


def test_chunks_in_time_are_no_underrun() -> None:
    assert Play(ttfb_ms=500.0, underruns=0) == play(1.0, [(1.5, 1.0), (1.6, 1.0), (3.4, 1.0)])


def test_a_chunk_after_the_sound_ran_out_is_one() -> None:
    """What came late plays from its arrival on: one gap is counted once."""
    assert Play(ttfb_ms=0.0, underruns=1) == play(1.0, [(1.0, 0.5), (2.0, 1.0), (2.5, 1.0)])

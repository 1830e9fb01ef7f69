"""A sentence from windows is the sentence in one pass."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from voiced.tts import windows
from voiced.tts.windows import FLOW_CONTEXT, Floats, Latent

pytestmark = pytest.mark.unit

REACH = 5
HOP = 4


class LocalParts:
    """Flow and decoder as running sums: local in time, as far as the windows' context reaches."""

    def __init__(self) -> None:
        self.flowed: list[int] = []
        self.decoded: list[int] = []

    def flow(self, z_p: Floats, mask: Floats, speaker: Floats | None) -> Floats:
        self.flowed.append(z_p.shape[2])
        z: Floats = _summed(z_p * mask, FLOW_CONTEXT) * mask
        return z

    def decode(self, z: Floats, speaker: Floats | None) -> Floats:
        self.decoded.append(z.shape[2])
        return np.repeat(_summed(z, REACH)[0, 0], HOP)


def _summed(tensor: Floats, reach: int) -> Floats:
    padded = np.pad(tensor, ((0, 0), (0, 0), (reach, reach)))
    frames = tensor.shape[2]
    parts = [padded[:, :, shift : shift + frames] for shift in range(2 * reach + 1)]
    summed: Floats = np.sum(parts, axis=0, dtype=np.float32)
    return summed


def latent(frames: int) -> Latent:
    """Whole numbers, so that sums are exact in any order."""
    z_p = np.random.default_rng(frames).integers(-9, 9, (1, 3, frames)).astype(np.float32)
    return Latent(z_p, np.ones((1, 1, frames), np.float32))


@pytest.mark.parametrize("fixed", [False, True])
@given(frames=some.integers(1, 500))
def test_a_streamed_sentence_is_the_whole_sentence(fixed: bool, frames: int) -> None:
    sentence, parts = latent(frames), LocalParts()
    whole = parts.decode(parts.flow(sentence.z_p, sentence.mask, None), None)
    streamed = list(windows.stream(sentence, parts, REACH, fixed=fixed))

    assert whole.tolist() == np.concatenate(streamed).tolist()


@given(frames=some.integers(1, 500))
def test_on_a_card_no_window_has_a_shape_that_was_not_warmed(frames: int) -> None:
    parts = LocalParts()
    list(windows.stream(latent(frames), parts, REACH, fixed=True))
    flow, decoder = windows.shapes(REACH)

    assert set(parts.flowed) <= set(flow)
    assert set(parts.decoded) <= set(decoder)


def test_warming_runs_each_window_once() -> None:
    parts = LocalParts()
    windows.warm(latent(10), parts, REACH)

    assert windows.shapes(REACH) == (parts.flowed, parts.decoded)
    assert len(set(parts.flowed)) == len(parts.flowed)


def test_the_first_chunk_is_small_and_the_next_ones_grow() -> None:
    assert [24, 48, 96, 96, 36] == windows.sizes(300, fixed=False)
    assert [24, 48, 96, 96, 48] == windows.sizes(300, fixed=True)


def test_a_crumb_goes_with_the_chunk_before_it() -> None:
    """A chunk of a few frames would cost its context and be over before it is heard."""
    assert [35] == windows.sizes(35, fixed=False)
    assert [24, 12] == windows.sizes(36, fixed=False)


def test_nothing_is_computed_before_it_is_asked_for() -> None:
    parts = LocalParts()
    stream = windows.stream(latent(300), parts, REACH)
    next(stream)

    assert ([24 + REACH + FLOW_CONTEXT], [24 + REACH]) == (parts.flowed, parts.decoded)


def test_a_sentence_without_frames_has_no_chunks() -> None:
    assert [] == list(windows.stream(latent(0), LocalParts(), REACH))

"""A sentence's samples, chunk by chunk, from windows over its latent.

Flow and decoder are local in time: a frame of their output depends on a few frames to each side and
on nothing else. So a chunk is computed from its own frames and that much context, and is the same
as in one pass over the whole sentence (to float rounding).

    latent   |<- flow context ->|<---------- new z ---------->|<- flow context ->|
    z                  |<- decoder context ->|<-- chunk -->|<- decoder context ->|

On a GPU, windows have few fixed sizes, since each new shape costs a search: they are filled up with
zeros, which changes only the first and last 10 frames of a sentence, inaudibly. Pure; it does not
know sessions, rates or text.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

CHUNKS = (24, 48, 96)
"""Frames of the first, second and every later chunk: 11.6 ms each at 22,050 Hz. Small first, to be
heard soon; larger then, since each chunk pays for its context again."""

FLOW_CONTEXT = 24
"""Frames: 111 dB and more against the whole sentence; 16 gave 84 dB."""

_CRUMB = 12
"""A last chunk of fewer frames goes with the one before it."""


@dataclass(frozen=True, slots=True)
class Latent:
    """A sentence as the encoder gives it."""

    z_p: Floats
    """Shape [1, channels, frames]."""
    mask: Floats
    """Shape [1, 1, frames]; ones."""
    speaker: Floats | None = None
    """Shape [1, size, 1]; none where the voice has one speaker."""
    durations: Floats | None = None
    """Frames of each number that was encoded, shape [numbers]; none where the graph tells none."""


class Parts(Protocol):
    """The two parts that run over windows."""

    def flow(self, z_p: Floats, mask: Floats, speaker: Floats | None) -> Floats: ...

    def decode(self, z: Floats, speaker: Floats | None) -> Floats:
        """Samples, shape [frames * hop]."""
        ...


def stream(
    latent: Latent, parts: Parts, decoder_context: int, *, fixed: bool = False
) -> Iterator[Floats]:
    """The sentence's samples in order, a chunk at a time; computed when it is asked for."""
    total = latent.z_p.shape[2]
    z = np.zeros_like(latent.z_p)
    known = start = 0
    for frames in sizes(total, fixed=fixed):
        stop = min(start + frames, total)
        needed = min(stop + decoder_context, total)
        if needed > known:
            wanted = frames if start else frames + decoder_context
            window = _Window(known, wanted if fixed else needed - known, FLOW_CONTEXT, total, fixed)
            cut = window.cut(latent.z_p), window.cut(latent.mask)
            fresh = parts.flow(*cut, latent.speaker)
            z[:, :, known:needed] = fresh[:, :, window.before :][:, :, : needed - known]
            known = needed
        window = _Window(start, frames if fixed else stop - start, decoder_context, total, fixed)
        cut_z = window.cut(z)
        samples = parts.decode(cut_z, latent.speaker)
        hop = len(samples) // cut_z.shape[2]
        yield samples[window.before * hop :][: (stop - start) * hop]
        start = stop


def sizes(total: int, *, fixed: bool) -> list[int]:
    """How many frames each chunk of a sentence covers; when fixed, the last may reach beyond it."""
    found: list[int] = []
    left = total
    while left > 0:
        size = CHUNKS[min(len(found), len(CHUNKS) - 1)]
        if fixed and found:
            size = min((s for s in CHUNKS if s >= left), default=size) if left < size else size
        elif not fixed and left - size < _CRUMB:
            size = left
        found.append(size)
        left -= size
    return found


def warm(latent: Latent, parts: Parts, decoder_context: int) -> None:
    """Runs every window that fixed sizes lead to, once; `latent` says channels and speaker."""
    channels = latent.z_p.shape[1]
    flow, decoder = shapes(decoder_context)
    for frames in flow:
        z_p, mask = np.zeros((1, channels, frames)), np.ones((1, 1, frames))
        parts.flow(z_p.astype(np.float32), mask.astype(np.float32), latent.speaker)
    for frames in decoder:
        parts.decode(np.zeros((1, channels, frames), np.float32), latent.speaker)


def shapes(decoder_context: int) -> tuple[list[int], list[int]]:
    """Every window that fixed sizes lead to, in frames: the flow's and the decoder's."""
    flow = [CHUNKS[0] + decoder_context, *CHUNKS]
    return (
        [frames + 2 * FLOW_CONTEXT for frames in flow],
        [frames + 2 * decoder_context for frames in CHUNKS],
    )


@dataclass(frozen=True, slots=True)
class _Window:
    """`frames` frames from `start`, with `context` to each side."""

    start: int
    frames: int
    context: int
    total: int
    fixed: bool
    """Keep the size at the sentence's ends, filled up with zeros; else cut it there."""

    @property
    def before(self) -> int:
        """Frames of context in front."""
        return self.context if self.fixed else min(self.context, self.start)

    def cut(self, tensor: Floats) -> Floats:
        left = self.start - self.context
        right = self.start + self.frames + self.context
        inside = tensor[:, :, max(left, 0) : min(right, self.total)]
        if not self.fixed:
            return np.ascontiguousarray(inside)
        fill = ((0, 0), (0, 0), (max(-left, 0), max(right - self.total, 0)))
        return np.pad(inside, fill)

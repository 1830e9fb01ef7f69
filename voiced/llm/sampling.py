"""Which tokens a sampler chain has to look at: a few hundred, not the whole vocabulary.

It does not know how a token is drawn from them.
"""

import numpy as np
import numpy.typing as npt

CANDIDATES = 1024
"""Far more than any nucleus that makes sense in a reply; the rest is never drawn."""

_NEAR = np.float32(12.0)
"""Logits below the best: what is further away has less than 7e-6 of its weight."""

_TOKEN_DATA = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])
"""llama_token_data."""

Candidates = npt.NDArray[np.void]


def likeliest(logits: npt.NDArray[np.float32]) -> Candidates:
    """The likeliest tokens with their logits, at most CANDIDATES, in no order."""
    near = np.flatnonzero(logits >= logits.max() - _NEAR)
    if len(near) > CANDIDATES:
        near = near[np.argpartition(logits[near], -CANDIDATES)[-CANDIDATES:]]
    found = np.zeros(len(near), _TOKEN_DATA)
    found["id"] = near
    found["logit"] = logits[near]
    return found

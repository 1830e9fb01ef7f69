"""Listens to what was read once more, for an emergency. Pure.

A model that is told what may come hears that in noise too. So what it reads then counts only where
there was speech, where it names what is listened for, and where the model, without having been
told, finds it hardly less likely than what it had read. It does not know the model.
"""

from collections.abc import Callable, Sequence

from voiced.stt.decoding import Decoded
from voiced.stt.model import Names
from voiced.words import Words

BORNE_SHORT, BORNE = 5.0, 10.0
"""How much less likely, as a logarithm, a text with a phrase may be than what was read: a phrase of
one word, which many other words sound like, and any other."""

UNDERSTOOD = -1.3
"""Mean log-probability of a text: speech in noise has -1.1 or more, noise alone about -3.7."""

BEAM = 5
"""Texts that the model is asked for, once it is told: the likeliest may have the phrase with a mark
behind it that the sound does not bear, or another word before it."""


def borne(
    read: Decoded,
    told: Callable[[], Sequence[Decoded]],
    likely: Callable[[Sequence[int]], float],
    names: Names,
) -> str:
    """The first text that names one and that the sound bears out; none where there is none.

    `told`: what the model reads when it is told the phrases, the likeliest first. `likely`: the
    log-probability of a text and of its end, by the sound alone; it costs a pass of the decoder.
    """
    if read.logprob < UNDERSTOOD * (len(read.tokens) + 1):
        return ""
    named = [(one, length) for one in told() if not one.cut and (length := names(Words(one.text)))]
    least = likely(read.tokens) if named else 0.0
    for one, length in named:
        if likely(one.tokens) > least - (BORNE_SHORT if length == 1 else BORNE):
            return one.text
    return ""

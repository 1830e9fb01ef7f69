"""Clauses whose sound takes long or no time to make are heard in order, one after the other."""

import asyncio
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
import pytest

from tests.flow.test_call import Stage, play
from voiced.audio.pcm import SPEAKING_HZ
from voiced.flow.cancel import Ticket
from voiced.tts.model import Sink, Spoken
from voiced.words import Words

pytestmark = pytest.mark.flow

LEVELS = {"One": 1100, "Two": 1200, "Three": 1300, "Four": 1400, "Five": 1500, "Six": 1600}
DELAYS_S = {"One": 0.4, "Two": 0.005, "Three": 0.3, "Four": 0.005, "Five": 0.2, "Six": 0.005}
CLAUSE_S = 0.5


@dataclass
class Uneven:
    """Each clause is as loud as its number, and takes its own time to be made; it comes
    even when nobody wants it any more."""

    said: list[str] = field(default_factory=list)

    async def speak(self, clause: Words, sink: Sink, ticket: Ticket, *, first: bool) -> Spoken:
        word = clause.reveal().split()[0].rstrip(".")
        self.said.append(word)
        await asyncio.sleep(DELAYS_S[word])
        sink(np.full(int(CLAUSE_S * SPEAKING_HZ), LEVELS[word], np.int16))
        return Spoken(CLAUSE_S)

    def close(self) -> None:
        """Nothing to end."""


def heard(stage: Stage) -> list[tuple[int, float]]:
    """Levels of the clauses as they were heard from 2.0 s on, each with its seconds."""
    known = [level for at, level in stage.levels if at > 2.0 and level in LEVELS.values()]
    return [(level, 0.02 * len(list(run))) for level, run in groupby(known)]


def gaps_ms(stage: Stage) -> list[float]:
    """Silence inside the reply, run by run."""
    after = [level for at, level in stage.levels if at > 2.0]
    inside = np.trim_zeros(np.array(after))
    return [20.0 * len(list(run)) for silent, run in groupby(inside == 0) if silent]


def test_a_clause_that_is_ready_early_does_not_overtake_the_one_before_it() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(10.0)

    stage = play(script, ["Well?"], ["One it is. Two it is. Three it is. Four it is."], Uneven())
    found = heard(stage)

    assert [LEVELS[word] for word in ("One", "Two", "Three", "Four")] == [one for one, _ in found]
    assert [CLAUSE_S] * 4 == pytest.approx([seconds for _, seconds in found], abs=0.05)
    assert all(gap <= 150 for gap in gaps_ms(stage)), gaps_ms(stage)


def test_a_clause_of_a_reply_that_was_cut_off_is_never_in_the_next() -> None:
    """The caller speaks over the first clause while the second and third are being made."""

    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.speak(4.1, 6.0)
        await stage.until(12.0)

    voice = Uneven()
    replies = ["One it is. Two it is. Three it is. Four it is.", "Five it is. Six it is."]
    stage = play(script, ["Well?", "Stop please."], replies, voice)
    later = [level for at, level in stage.levels if at > 6.0 and level in LEVELS.values()]

    assert {"One", "Five", "Six"} <= set(voice.said)
    assert [LEVELS["Five"], LEVELS["Six"]] == [level for level, _ in groupby(later)]

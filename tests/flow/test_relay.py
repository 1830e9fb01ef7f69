"""A call whose first voice breaks: what the caller hears instead, on virtual time."""

import asyncio
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np
import pytest

from tests.flow.test_call import FALLBACK_S, Stage, one_question, play
from voiced.audio.pcm import SPEAKING_HZ
from voiced.errors import EngineFailed
from voiced.flow.cancel import Ticket
from voiced.tts.model import Sink, Spoken
from voiced.tts.relay import Relay
from voiced.words import Words

pytestmark = pytest.mark.flow

REMOTE, LOCAL, FIXED = 4000, 1000, 2000
"""Levels by which the voices and the fallback line can be told apart."""


@dataclass
class Half:
    """Speaks a second for each clause at once, in two chunks; breaks in the clause of a number."""

    level: int
    breaks_in: int = 99
    chunks_before: int = 0
    said: list[str] = field(default_factory=list)

    async def speak(self, clause: Words, sink: Sink, ticket: Ticket, *, first: bool) -> Spoken:
        self.said.append(clause.reveal())
        for index in range(2):
            await asyncio.sleep(0.05)
            if len(self.said) >= self.breaks_in and index >= self.chunks_before:
                raise EngineFailed("tts", "closed")
            sink(np.full(SPEAKING_HZ // 2, self.level, np.int16))
        return Spoken(1.0)

    def close(self) -> None:
        """Nothing to end."""


def heard(stage: Stage) -> list[int]:
    """The levels of the reply in order, silence and the edges' fades left out."""
    known = [level for at, level in stage.levels if at > 2.0 and level in (REMOTE, LOCAL, FIXED)]
    return [level for level, _ in groupby(known)]


def ask(first: Half, second: Half | None) -> Stage:
    voice: Any = Relay(first, second, now=lambda: asyncio.get_running_loop().time())
    return play(one_question, ["When can I visit?"], ["Yes. You can come until eight."], voice)


def test_the_local_voice_goes_on_and_the_whole_reply_is_heard() -> None:
    local = Half(LOCAL)
    stage = ask(Half(REMOTE, breaks_in=2), local)

    assert [REMOTE, LOCAL] == heard(stage)
    assert ["You can come until eight."] == local.said
    assert ["Yes. You can come until eight."] == [turn.reply.reveal() for turn in stage.turns()]


def test_without_a_voice_of_the_language_the_callers_own_fixed_line_is_heard() -> None:
    """And no other voice: a Korean caller whose Sonic dies is not read Hangul in English."""
    stage = ask(Half(REMOTE, breaks_in=2), None)

    assert [REMOTE, FIXED] == heard(stage)
    fixed = [at for at, level in stage.levels if at > 2.0 and level == FIXED]
    assert FALLBACK_S == pytest.approx(0.02 * len(fixed), abs=0.05)


def test_a_first_voice_that_is_not_there_at_all_costs_no_turn() -> None:
    local = Half(LOCAL)
    stage = ask(Half(REMOTE, breaks_in=1), local)

    assert [LOCAL] == heard(stage)
    assert ["Yes.", "You can come until eight."] == local.said

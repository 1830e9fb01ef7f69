"""How many calls stay within the latency budget here: turns are tried at start, calls reckoned.

    tried       1, 2, 4 ... turns at once: recogniser, first clause, first sound; the slowest counts
    reckoned    so many calls that, nineteen times of twenty, no more of them want an answer at once

An answer is made within the pause that ends a turn, so the caller waits for the longer of the two.
The trial takes a few seconds at most. It does not know how calls are admitted.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import numpy as np

from voiced.audio.pcm import HEARING_HZ, SPEAKING_HZ, Pcm
from voiced.audio.resample import Resampler
from voiced.call.residents import Residents
from voiced.clock import now
from voiced.config.agent import Agent
from voiced.config.settings import Budget
from voiced.errors import CallError
from voiced.flow.cancel import Live, Take, Ticket
from voiced.llm.model import Message, Role
from voiced.stt.model import Utterance
from voiced.tts.spoken import speak
from voiced.turn.orders import Line
from voiced.words import Words

TURN_S = 10.0
"""A call ends a turn so often: both sides speak four or five seconds. Assumed, not measured."""

NOTICED_MS = 100
"""Of the pause, before the answer is begun."""

RARELY = 0.05
"""How often more turns may end at once than are answered in time."""

LONGEST_S = 4.0
"""No larger trial is begun later than this."""

_CLAUSE_PIECES = 8
"""Tokens of a first clause."""

Turn = Callable[[], Awaitable[float]]
"""Makes one answer, and returns how many seconds its first sound took."""


@dataclass(frozen=True, slots=True)
class Capacity:
    """What this machine carries."""

    calls: int
    at_once: int
    """Turns that were answered in time together; 0 where a single one was not."""
    turn_ms: float
    """How long the slowest of the last of them took."""


async def measured(residents: Residents, agent: Agent, budget: Budget) -> Capacity:
    """Tries it, and says so many calls at most as the language model has slots."""
    network_ms = budget.network_in + budget.network_out + budget.playout
    allowed_s = (budget.voice_to_voice - network_ms - NOTICED_MS) / 1000
    question = _question(residents, agent)
    most = residents.llm.slots
    at_once, worst_s = await tried(lambda: _answer(residents, agent, question), allowed_s, most)
    calls = calls_within(at_once, max(allowed_s, 0.0), most)
    return Capacity(calls, at_once, worst_s * 1000)


async def tried(turn: Turn, allowed_s: float, most: int) -> tuple[int, float]:
    """The most turns at once that were all within what is allowed, and the slowest of those."""
    began, count, best = now(), 1, (0, 0.0)
    while count <= most and now() - began < LONGEST_S:
        try:
            worst_s = max(await asyncio.gather(*(turn() for _ in range(count))))
        except CallError:
            break  # an engine refused that many: it is no more than before
        if worst_s > allowed_s:
            return best if best[0] else (0, worst_s)
        best = (count, worst_s)
        count *= 2
    return best


def calls_within(at_once: int, window_s: float, most: int) -> int:
    """Calls of which, but rarely, no more than `at_once` want an answer within the window."""
    share = min(window_s / TURN_S, 1.0)
    calls = 1  # the first is taken, however slow: there is nobody whom it could hold up
    while calls < most and _busy(calls, at_once, share) <= RARELY:
        calls += 1
    return calls


def _busy(others: int, at_once: int, share: float) -> float:
    """The probability that so many of the others, or more, are in their windows."""
    return 1.0 - sum(
        math.comb(others, n) * share**n * (1.0 - share) ** (others - n)
        for n in range(min(at_once, others + 1))
    )


def _question(residents: Residents, agent: Agent) -> Utterance:
    """The agent's own greeting, as a caller would say it: a few seconds of its language."""
    language = agent.languages[0]
    resampler = Resampler(SPEAKING_HZ, HEARING_HZ)
    greeting = residents.lines[agent.name, language][Line.GREETING].pcm[: 3 * SPEAKING_HZ]
    pcm = np.concatenate([resampler.push(greeting), resampler.end()])
    return Utterance(pcm, language, agent.hotwords, len(pcm) / HEARING_HZ)


async def _answer(residents: Residents, agent: Agent, question: Utterance) -> float:
    """One turn, up to its first sound. Raises EngineFailed and Refused."""
    began = now()
    live = Live()
    ticket = Ticket("capacity", live.take, live)
    heard = await residents.stt.transcribe(question, ticket)
    slot = residents.llm.open(agent, "capacity")
    try:
        asked = [Message(Role.USER, heard.text or Words("Hello."))]
        pieces = 0
        async for _ in slot.answer(asked, agent.sampling, ticket):
            pieces += 1
            if pieces == _CLAUSE_PIECES:
                break
    finally:
        live.take = Take(0, 1)
        slot.close()
    return await _first_sound(residents, agent) - began


async def _first_sound(residents: Residents, agent: Agent) -> float:
    """The instant at which a line of the agent's begins to sound; the rest of it is not made."""
    language = agent.languages[0]
    live = Live()
    sounded: list[float] = []

    def sink(_chunk: Pcm) -> None:
        sounded.append(now())
        live.take = Take(0, 1)

    line = Words(speak(agent.lines[language].fallback, agent.locales.get(language, language)))
    voice = residents.voices[agent.voices[language], language]
    try:
        await voice.speak(line, sink, Ticket("capacity", live.take, live), first=True)
    except CallError:
        if not sounded:
            raise
    return sounded[0] if sounded else now()

"""Ink as the configuration names it, tried once: it reads a greeting in each language of its own.

It does not know calls; and no local recogniser steps in here, whose words would hide that Ink has
none.
"""

from dataclasses import replace

import numpy as np

from voiced.audio.pcm import HEARING_HZ, SPEAKING_HZ, Pcm
from voiced.audio.resample import Resampler
from voiced.call.residents import Residents
from voiced.clock import now
from voiced.config.agent import Agent
from voiced.config.ink import Ink
from voiced.errors import EngineFailed
from voiced.stt.ink.ink import serving
from voiced.turn.orders import Line

_DEADLINE_MS = 15_000
"""It gets a whole greeting at once, and in a call no more than the last words of a turn."""

_FIX = "look at [ink] url and key_file, and at docs/ink.md: until then the local recogniser reads"


async def tried(ink: Ink, residents: Residents) -> list[tuple[str, str]]:
    """For each language what came of it, and what to do; nothing to do where all is well.

    Raises ConfigError.
    """
    alone = {one.languages[0]: one for one in residents.agents.values() if len(one.languages) == 1}
    wanted = {language: one for language, one in alone.items() if ink.model(language)}
    if not wanted:
        return []
    found = []
    async with serving(replace(ink, final_deadline_ms=_DEADLINE_MS)) as reader:
        for language, agent in wanted.items():
            began, name = now(), f"{ink.model(language)} at {ink.url}"
            try:
                read = await reader.tried(language, greeting(residents, agent))
            except EngineFailed as failure:
                found.append((f"{name}: {failure.reason}", _FIX))
                continue
            what = "read the greeting" if read else "made no words of the greeting"
            detail = f"{name} {what} of {agent.name} in {now() - began:.2f} s"
            found.append((detail, "" if read else _FIX))
    return found


def greeting(residents: Residents, agent: Agent) -> Pcm:
    """In the agent's first language, as a caller would say it."""
    resampler = Resampler(SPEAKING_HZ, HEARING_HZ)
    line = residents.lines[agent.name, agent.languages[0]][Line.GREETING]
    return np.concatenate([resampler.push(line.pcm), resampler.end()])

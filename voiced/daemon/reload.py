"""SIGHUP: agents, lines, keys and certificate are read again; calls that are open do not notice.

All of it is checked first, and takes effect at once or not at all: a fault leaves what was in
force, and says so in the log and in STATUS. A changed voiced.toml beside [turn] and [budget], and
voices that are not resident, need a restart. It does not know calls.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path

from voiced.call import servers
from voiced.call.residents import Residents, grounded
from voiced.catalog.store import open_store
from voiced.config.agent import Agent
from voiced.config.reader import default_agent, read_agents, read_settings
from voiced.config.settings import Settings
from voiced.daemon import loading, safe
from voiced.errors import ConfigError, VoicedError
from voiced.ops import log, notify
from voiced.ops.health import Health
from voiced.tts.fixed import FixedLine, FixedLines
from voiced.turn.orders import Line

Lines = Mapping[Line, FixedLine]


async def reloads(
    asked: asyncio.Event, again: Callable[[], Awaitable[None]], health: Health
) -> None:
    """Calls `again` whenever it is asked for, one at a time, until it is cancelled."""
    while True:
        await asked.wait()
        asked.clear()
        notify.reloading()
        try:
            await again()
        except VoicedError as error:
            sys.stderr.write(f"voiced serve: reload: {error}\n")
            log.failure("reload.refused", error)
            first = str(error).partition("\n")[0]
            notify.status(f"{health.sentence}; the last reload was refused: {first}")
        except Exception as error:  # noqa: BLE001 - border: files may be wrong in any way, and no call may end of it
            log.failure("reload.failed", error)
            notify.status(f"{health.sentence}; the last reload failed: see the journal")
        else:
            log.info("reload.done")
            notify.status(health.sentence)
        finally:
            notify.ready()


async def recast(
    config: Path | None, settings: Settings, now: Residents, *, has_key: bool
) -> Residents:
    """What is in force after a reload. Raises ConfigError or UnavailableError, and changes nothing.

    `has_key`: the daemon can keep calls.

    Lines that did not change are not made again; the others are, while calls go on.
    """
    if read_settings(config) != settings:
        log.warning("reload.needs_restart", file="voiced.toml")
    agents = read_agents(settings.calls.agents_dir, config)
    default = default_agent(agents, settings.calls.default_agent)
    safe.check(agents.values(), has_key=has_key)
    store = open_store(settings.models)
    profile = store.catalog.profile(settings.models.profile)
    loading.check(agents.values(), profile, store, settings.sonic)
    fixed = FixedLines()
    lines = {
        (agent.name, language): await _lines(agent, language, now, fixed)
        for agent in agents.values()
        for language in agent.languages
    }
    meant = now.hand.addresses if isinstance(now.hand, servers.Servers) else None
    hand = await servers.found(agents.values(), meant)
    try:
        await now.llm.prepare(list(agents.values()))
    except VoicedError:
        await now.llm.prepare(list(now.agents.values()))
        raise
    sources = grounded(agents.values())
    return replace(
        now, agents=agents, default_agent=default.name, lines=lines, sources=sources, hand=hand
    )


async def _lines(agent: Agent, language: str, now: Residents, fixed: FixedLines) -> Lines:
    name = agent.voices[language]
    voice = now.voices.get((name, language))
    if voice is None:
        raise ConfigError(
            f"agent {agent.name!r}: voices.{language} = {name!r}: it is not resident: restart "
            "voiced, or write a voice that another agent has"
        )
    old = now.agents.get(agent.name)
    if old is not None and _said(old, language) == _said(agent, language):
        return now.lines[agent.name, language]
    return await fixed.of(agent, language, voice)


def _said(agent: Agent, language: str) -> tuple[object, ...]:
    """All that an agent's fixed lines in a language are made of."""
    return agent.lines.get(language), agent.voices.get(language), agent.handoff_line(language)

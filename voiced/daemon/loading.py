"""Loads what stays in memory, in order, and warms it: one real inference for each stage.

A model is resident when its weights are in memory, and warm when it has done one inference since.
It does not know calls or ports. Every loader blocks, so each runs off the main loop.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeVar

from voiced.call import servers
from voiced.call.parts import Ears
from voiced.call.residents import Residents, grounded
from voiced.catalog.model import Profile
from voiced.catalog.store import Store, open_store
from voiced.clock import now
from voiced.config.agent import Agent
from voiced.config.environment import visible_cards
from voiced.config.settings import Settings
from voiced.config.sonic import Sonic
from voiced.daemon import beside, capacity, voices
from voiced.daemon.fit import short_here, short_on_card
from voiced.daemon.loss import Faulty, vigil
from voiced.daemon.plan import Plan, plan
from voiced.daemon.watch import Watch
from voiced.errors import ConfigError, UnavailableError
from voiced.gpu.card import Card, find, library
from voiced.gpu.libraries import preload
from voiced.llm import llama
from voiced.llm.model import LanguageModel
from voiced.llm.remote.model import serving
from voiced.ops import host, log, metrics, notify
from voiced.ops.watchdog import Pulse
from voiced.stt import whisper
from voiced.stt.ink.ink import serving as listening
from voiced.tts.fixed import FixedLines
from voiced.tts.model import Voice
from voiced.tts.voices import Voices
from voiced.vad import silero
from voiced.vad.watch import Vad


class _Engine(Pulse, Faulty, Protocol):
    def close(self) -> None: ...


E = TypeVar("E", bound=_Engine)


async def load(
    settings: Settings,
    agents: Mapping[str, Agent],
    default: Agent,
    stack: AsyncExitStack,
    watch: Watch,
) -> Residents:
    """Everything that calls share, warm; closed in reverse order when `stack` is.

    `watch` is shown each engine's thread.

    Raises ConfigError, UnavailableError or Damaged, each with what to do.
    """
    store = open_store(settings.models)
    profile = store.catalog.profile(settings.models.profile)
    check(agents.values(), profile, store, settings.sonic)

    await asyncio.to_thread(_planned, settings, agents, profile, store)
    if settings.on_card:
        await asyncio.to_thread(preload)
        watch.add("card", "card", watch.loss.ask(await asyncio.to_thread(vigil)))

    begin = _Beginning(stack, watch)
    vad = await begin.engine("vad", profile.vad, partial(_vad, store, profile, settings))
    stt = await begin.engine("stt", profile.stt, partial(_stt, store, profile, settings))
    llm = await _llm(begin, store, profile, settings, stack)
    library = Voices(store, settings.tts)
    resident = {
        (name, language): await begin.engine("tts", name, partial(library.load, name, language))
        for name, language in voices.local(agents.values(), profile, store, settings.sonic)
    }
    notify.loading("warming")
    await stt.warm()
    for voice in resident.values():
        await voice.warm()
    remote, sonic = await voices.relayed(agents.values(), resident, profile, store, settings, stack)
    speaking: dict[voices.Tongue, Voice] = {**resident, **remote}
    notify.loading("preparing the agents")
    await llm.prepare(list(agents.values()))
    hand = await servers.found(agents.values())
    fixed = FixedLines()
    lines = {
        (agent.name, language): await fixed.of(
            agent, language, speaking[agent.voices[language], language]
        )
        for agent in agents.values()
        for language in agent.languages
    }
    log.info("lines.made", seconds=fixed.seconds)
    residents = Residents(
        agents,
        default.name,
        vad,
        stt,
        llm,
        speaking,
        lines,
        grounded(agents.values()),
        partials=stt,
        ears=await _ears(settings, stt, stack),
        sonic=sonic,
        hand=hand,
    )
    return residents if settings.calls.max else await _tried(residents, default, settings)


async def _tried(residents: Residents, agent: Agent, settings: Settings) -> Residents:
    """The same, with how many calls it carries."""
    notify.loading("trying how many calls stay within the budget")
    found = await capacity.measured(residents, agent, settings.budget)
    log.info(
        "capacity.tried", calls=found.calls, turns_at_once=found.at_once, turn_ms=found.turn_ms
    )
    metrics.CAPACITY.set(found.calls)
    return replace(residents, capacity=found.calls)


def _planned(
    settings: Settings, agents: Mapping[str, Agent], profile: Profile, store: Store
) -> None:
    """Says what will be taken, and refuses what does not fit on the card, before it is loaded.

    Raises ConfigError or UnavailableError.
    """
    local = voices.models(agents.values(), profile, store, settings.sonic)
    tools = any(agent.tools for agent in agents.values())
    wanted = plan(profile, local, store, settings, tools=tools)
    free_mb = host.free_mb()
    log.info("memory.planned", needed_mb=wanted.needed_mb, free_mb=free_mb)
    metrics.PLANNED_MB.labels("machine").set(wanted.needed_mb)
    if short_here(wanted, settings, free_mb) is not None:
        log.warning("memory.short", missing_mb=wanted.needed_mb - free_mb)
    own = _on_card(wanted, settings) if settings.on_card else None
    if settings.sonic.device:
        _beside(settings.sonic, own)


def _on_card(wanted: Plan, settings: Settings) -> Card:
    """The daemon's own. Raises ConfigError or UnavailableError."""
    card = find(library(), visible_cards())
    log.info(
        "card.planned", needed_mb=wanted.card_needed_mb, free_mb=card.free_mb, driver=card.driver
    )
    metrics.PLANNED_MB.labels("card").set(wanted.card_needed_mb)
    short = short_on_card(wanted, settings, card.free_mb)
    if short is not None:
        raise ConfigError(short)
    return card


def _beside(sonic: Sonic, own: Card | None) -> None:
    """Sonic's, which its worker fills; whether that is there, its readiness tells.

    Raises ConfigError.
    """
    try:
        device = find(library(), sonic.device, "sonic.device")
    except UnavailableError as error:
        log.failure("sonic.device_unseen", error)
        return
    log.info("sonic.planned", needed_mb=beside.WORKER_MB, total_mb=device.total_mb)
    metrics.PLANNED_MB.labels("sonic").set(beside.WORKER_MB)
    wrong = beside.unfit(device, own)
    if wrong is not None:
        raise ConfigError(wrong)


async def _ears(
    settings: Settings, stt: whisper.Whisper, stack: AsyncExitStack
) -> Callable[[Agent], Ears | None]:
    """Of calls that Ink reads; none where nobody wrote where it is, and then nothing is reached."""
    if not settings.ink.url:
        return lambda _agent: None
    ink = await stack.enter_async_context(listening(settings.ink))
    return lambda agent: ink.open(agent, stt)


def _vad(store: Store, profile: Profile, settings: Settings) -> Vad:
    facts = store.model(profile.vad).facts
    return Vad(silero.load(store.directory_of(profile.vad), facts), settings.vad)


def _stt(store: Store, profile: Profile, settings: Settings) -> whisper.Whisper:
    facts = store.model(profile.stt).facts
    return whisper.load(store.directory_of(profile.stt), facts, settings.stt)


async def _llm(
    begin: "_Beginning",
    store: Store,
    profile: Profile,
    settings: Settings,
    stack: AsyncExitStack,
) -> LanguageModel:
    """The profile's model on this machine, or in its place the one of a server."""
    if settings.llm.remote.url:
        notify.loading("waiting for the language model's server")
        model = await stack.enter_async_context(serving(settings.llm))
        return model
    return await begin.engine("llm", profile.llm, partial(_resident, store, profile, settings))


def _resident(store: Store, profile: Profile, settings: Settings) -> llama.LlamaModel:
    model = store.model(profile.llm)
    return llama.load(store.path_of(model.name, model.files[0].name), model.facts, settings.llm)


def _warn(agent: Agent) -> None:
    """Says aloud what of an agent looks unfinished."""
    for language in agent.languages:
        if agent.red_flags and not agent.lines[language].red_flag.strip():
            log.warning("agent.red_flags_without_line", agent=agent.name, language=language)


def check(agents: Iterable[Agent], profile: Profile, store: Store, sonic: Sonic) -> None:
    """Each agent's model and voices are among those that are loaded, and speak its languages.

    Raises ConfigError.
    """
    for agent in agents:
        _warn(agent)
        if agent.model not in (None, profile.llm):
            raise ConfigError(
                f"agent {agent.name!r}: model = {agent.model!r}: the profile loads {profile.llm!r}"
            )
        voices.check(agent, profile, store, sonic)


class _Beginning:
    """Loads one engine after the other: each is closed with `stack`, and watched."""

    def __init__(self, stack: AsyncExitStack, watch: Watch) -> None:
        self._stack = stack
        self._watch = watch

    async def engine(self, stage: str, name: str, loader: Callable[[], E]) -> E:
        """What `loader` loads, off the main loop."""
        notify.loading(f"loading {name}")
        begun = now()
        engine = await asyncio.to_thread(loader)
        self._stack.callback(engine.close)
        self._watch.add(stage, f"{stage}:{name}", engine)
        self._watch.loss.add(stage, engine)
        log.info("engine.loaded", stage=stage, model=name, seconds=now() - begun)
        return engine

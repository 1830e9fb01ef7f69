"""Which voices an agent's languages need, local ones and Sonic's, and who steps in for whom.

A Sonic voice is relayed to the voice that its table names, or to the profile's first that speaks
the same language, and to none where there is no such voice: no voice ever reads a language that it
does not speak. It does not know how a voice is loaded.
"""

from collections.abc import Iterable, Mapping
from contextlib import AsyncExitStack

from voiced.catalog.model import Profile
from voiced.catalog.store import Store
from voiced.config.agent import Agent
from voiced.config.settings import Settings
from voiced.config.sonic import Sonic, SonicVoice
from voiced.errors import ConfigError
from voiced.flow.breaker import Breaker
from voiced.ops import log, notify
from voiced.tts import espeak_voice
from voiced.tts.lexicon_files import read_lexicons
from voiced.tts.model import Voice
from voiced.tts.relay import Relay
from voiced.tts.sonic.choir import Choir
from voiced.tts.sonic.readiness import Presence
from voiced.tts.voices import languages

Tongue = tuple[str, str]
"""A voice and a language that it speaks."""


def check(agent: Agent, profile: Profile, store: Store, sonic: Sonic) -> None:
    """Each voice is there and speaks the language that it is written for. Raises ConfigError."""
    remote = {voice.name: voice for voice in sonic.voices}
    for language, name in agent.voices.items():
        key = f"agent {agent.name!r}: voices.{language}"
        voice = remote.get(name)
        if voice is None:
            _check(key, name, language, profile, store, others=list(remote))
        elif voice.language != language:
            raise _wrong(key, name, (voice.language,), language)
        elif name in {model.name for model in store.catalog.models}:
            raise ConfigError(f"sonic.voices: {name!r} is a model of the catalogue: rename it")
        elif voice.second:
            key = f"sonic.voices: {name!r}: second"
            _check(key, voice.second, language, profile, store, others=[])


def local(agents: Iterable[Agent], profile: Profile, store: Store, sonic: Sonic) -> list[Tongue]:
    """The voices of this machine that must be resident."""
    named = _named(agents)
    remote = _remote(sonic, named)
    seconds = {second(voice, profile, store) for voice in remote}
    own = named - {_tongue(voice) for voice in remote}
    return sorted(own | {one for one in seconds if one is not None})


def models(agents: Iterable[Agent], profile: Profile, store: Store, sonic: Sonic) -> set[str]:
    """The catalogue's models behind those voices; a program's own voice is none."""
    known = {model.name for model in store.catalog.models}
    return {name.partition("/")[0] for name, _ in local(agents, profile, store, sonic)} & known


async def relayed(
    agents: Iterable[Agent],
    resident: Mapping[Tongue, Voice],
    profile: Profile,
    store: Store,
    settings: Settings,
    stack: AsyncExitStack,
) -> tuple[dict[Tongue, Voice], Presence]:
    """Sonic's voices, warm, and whether it can speak; no voice, and nothing is reached, where no
    agent has one.

    Without Sonic the daemon starts where a voice of its own steps in for each; where one is left,
    its callers would hear nobody. Raises ConfigError or UnavailableError. Closed when `stack` is.
    """
    sonic = settings.sonic
    remote = _remote(sonic, _named(agents))
    if not remote:
        return {}, Presence()
    notify.loading("waiting for sonic")
    lexicons = read_lexicons(settings.tts.lexicon_dir)
    needed = any(second(voice, profile, store) is None for voice in remote)
    names = {voice.name for voice in remote}
    choir = await Choir.open(sonic, names, lexicons, needed=needed)
    stack.push_async_callback(choir.close)
    await choir.warm()
    found: dict[Tongue, Voice] = {}
    for voice in remote:
        other = second(voice, profile, store)
        log.info("voice.relayed", voice=voice.name, second=other[0] if other is not None else None)
        breaker = Breaker(sonic.failures, sonic.pause_ms / 1000)
        own = resident[other] if other is not None else None
        found[_tongue(voice)] = Relay(choir.voices[voice.name], own, breaker)
    return found, choir.presence


def second(voice: SonicVoice, profile: Profile, store: Store) -> Tongue | None:
    """The local voice that steps in: of the same language, or none."""
    if voice.second:
        return voice.second, voice.language
    for name in profile.tts:
        if voice.language in (languages(store, name) or ()):
            return name, voice.language
    return None


def _check(
    key: str, name: str, language: str, profile: Profile, store: Store, *, others: list[str]
) -> None:
    """A voice of this machine is loaded and speaks the language. Raises ConfigError."""
    if name.partition("/")[0] not in (*profile.tts, espeak_voice.NAME):
        known = ", ".join([*profile.tts, *others])
        raise ConfigError(f"{key} = {name!r}: write one of: {known}")
    spoken = languages(store, name)
    if spoken is not None and language not in spoken:
        raise _wrong(key, name, spoken, language)


def _wrong(key: str, name: str, spoken: Iterable[str], language: str) -> ConfigError:
    return ConfigError(
        f"{key} = {name!r}: it speaks {', '.join(spoken)}: choose a voice for {language!r}"
    )


def _tongue(voice: SonicVoice) -> Tongue:
    return voice.name, voice.language


def _named(agents: Iterable[Agent]) -> set[Tongue]:
    return {(name, language) for agent in agents for language, name in agent.voices.items()}


def _remote(sonic: Sonic, named: set[Tongue]) -> list[SonicVoice]:
    return [voice for voice in sonic.voices if _tongue(voice) in named]

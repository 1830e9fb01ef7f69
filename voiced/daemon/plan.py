"""How much memory the models will take, before anything is loaded: weights, work space, caches.

Of the language model's cache every cell is allocated at start: slots x context, in 16 bits. It does
not know how much is free.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from voiced.catalog.model import Profile
from voiced.catalog.store import Store
from voiced.config.settings import Settings
from voiced.llm.native import facts_of

MARGIN = 0.05
"""Of the whole, for what was not measured."""

_HALF = 2
"""Bytes of a number in the cache."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Memory by part, 10^6 bytes."""

    parts: Mapping[str, int]

    @property
    def needed_mb(self) -> int:
        return round(sum(self.parts.values()) * (1 + MARGIN))


def resident(profile: Profile, voices: set[str], settings: Settings) -> list[str]:
    """The models that this machine loads; a language model elsewhere is none of them."""
    thinking = [] if settings.llm.remote.url else [profile.llm]
    return list(dict.fromkeys([profile.vad, profile.stt, *thinking, *sorted(voices)]))


def plan(profile: Profile, voices: set[str], store: Store, settings: Settings) -> Plan:
    """The plan of a profile with the voices of this machine that agents need.

    Raises ConfigError, UnavailableError and Damaged as the store does.
    """
    parts = {name: store.model(name).memory_mb for name in resident(profile, voices, settings)}
    if settings.llm.remote.url:
        return Plan(parts)
    model = store.model(profile.llm)
    facts = facts_of(store.path_of(model.name, model.files[0].name))
    cells = settings.llm.slots * settings.llm.context_tokens
    parts[f"{profile.llm}: cache"] = round(cells * cell_bytes(facts) / 1_000_000)
    return Plan(parts)


def cell_bytes(facts: Mapping[str, str]) -> int:
    """What one token takes in the cache; 0 where the file does not tell."""

    def number(key: str) -> int:
        value = facts.get(f"{facts.get('general.architecture')}.{key}", "")
        return int(value) if value.isdigit() else 0

    heads = number("attention.head_count")
    shared = number("attention.head_count_kv") or heads
    width = number("embedding_length") // heads if heads else 0
    key = number("attention.key_length") or width
    value = number("attention.value_length") or width
    return number("block_count") * shared * (key + value) * _HALF

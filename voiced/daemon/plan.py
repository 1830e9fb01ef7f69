"""How much memory the models will take, before anything is loaded: weights, work space, caches.

Two places are counted apart: the machine's memory, and the card's where stages run on it. Of the
language model's cache every cell is allocated at start: slots x context, in 16 bits. It does not
know how much is free; what to do when it is too little is `fit`'s matter.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from voiced.catalog.model import Kind, Model, Profile
from voiced.catalog.store import Store
from voiced.config.settings import Settings
from voiced.llm.native import facts_of
from voiced.tts.graphs import ARENA_BYTES, SESSIONS

MARGIN = 0.05
"""Of the whole, for what was not measured."""

UNMEASURED = 0.15
"""Of a model whose memory was derived, on top of it."""

TOOLS_MB = 120
"""Measured: what the grammar of one model's vocabulary takes, where an agent has tools."""

CUDA_MB = 1300
"""Derived, not measured: one CUDA context, the kernels of four libraries, cuBLAS' work spaces."""

CACHE = "cache"
_HALF = 2
"""Bytes of a number in the cache."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Memory by part, 10^6 bytes."""

    parts: Mapping[str, int]
    """Of the machine."""
    card: Mapping[str, int] = field(default_factory=dict)
    """Of the card; nothing where no stage runs on it."""
    voices: frozenset[str] = frozenset()
    """Which of the parts are voices."""
    cell_bytes: int = 0
    """What one token takes in the cache."""

    @property
    def needed_mb(self) -> int:
        return _with_margin(self.parts)

    @property
    def card_needed_mb(self) -> int:
        return _with_margin(self.card)


def resident(profile: Profile, voices: set[str], settings: Settings) -> list[str]:
    """The models that this machine loads; a language model elsewhere is none of them."""
    thinking = [] if settings.llm.remote.url else [profile.llm]
    return list(dict.fromkeys([profile.vad, profile.stt, *thinking, *sorted(voices)]))


def plan(
    profile: Profile, voices: set[str], store: Store, settings: Settings, *, tools: bool = False
) -> Plan:
    """The plan of a profile with the voices of this machine that agents need.

    `tools`: some agent has tools. Raises ConfigError, UnavailableError and Damaged as the store
    does.
    """
    machine: dict[str, int] = {}
    card: dict[str, int] = {}
    for name in resident(profile, voices, settings):
        model = store.model(name)
        place = card if _stage(model) in settings.on_card else machine
        place[name] = _model_mb(model)
        if place is card and model.role is Kind.TTS:
            place[name] = max(place[name], _arenas_mb(model))
    cell = 0
    if not settings.llm.remote.url:
        model = store.model(profile.llm)
        cell = cell_bytes(facts_of(store.path_of(model.name, model.files[0].name)))
        place = card if "llm" in settings.on_card else machine
        cells = settings.llm.slots * settings.llm.context_tokens
        place[f"{profile.llm}: {CACHE}"] = round(cells * cell / 1_000_000)
        if tools:
            machine[f"{profile.llm}: tools"] = TOOLS_MB
    if card:
        card["CUDA"] = CUDA_MB
    return Plan(machine, card, frozenset(voices), cell)


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


def _with_margin(parts: Mapping[str, int]) -> int:
    return round(sum(parts.values()) * (1 + MARGIN))


def _stage(model: Model) -> str:
    return model.role.value


def _model_mb(model: Model) -> int:
    return round(model.memory_mb * (1 if model.measured else 1 + UNMEASURED))


def _arenas_mb(model: Model) -> int:
    """What the voice's sessions may grow to on the card."""
    sessions = SESSIONS.get(str(model.facts.get("family")), 1)
    return round(sessions * ARENA_BYTES / 1_000_000)

"""Whether a plan fits, and if not, by how much it does not and what would make it fit.

Pure: told the plan and what is free. It does not know how either was found.
"""

from collections.abc import Iterator, Mapping

from voiced.config.settings import Settings
from voiced.daemon.plan import CACHE, MARGIN, Plan

_LEAST_TOKENS = 512
_STEP_TOKENS = 256
_WAYS = 3


def short_here(plan: Plan, settings: Settings, free_mb: int) -> str | None:
    """What is missing of the machine's memory and three ways to fit; None where it fits."""
    if plan.needed_mb <= free_mb:
        return None
    ways = _ways(plan.parts, plan, settings, free_mb)
    return _told("this machine", plan.needed_mb, free_mb, ways)


def short_on_card(plan: Plan, settings: Settings, free_mb: int) -> str | None:
    """The same of the card's."""
    if plan.card_needed_mb <= free_mb:
        return None
    ways = _ways(plan.card, plan, settings, free_mb)
    return _told("the card", plan.card_needed_mb, free_mb, ways)


def _told(where: str, needed: int, free: int, ways: list[str]) -> str:
    listed = "; ".join(f"({number}) {way}" for number, way in enumerate(ways, 1))
    return (
        f"memory: {needed} MB are needed and {free} MB are free on {where}, {needed - free} MB are "
        f"missing: any of these makes it fit: {listed}"
    )


def _ways(parts: Mapping[str, int], plan: Plan, settings: Settings, free_mb: int) -> list[str]:
    on_card = parts is plan.card
    found = [
        *_smaller_cache(parts, plan, settings, free_mb),
        *_moved(parts, plan, settings, free_mb),
        f"smaller models (`voiced models list`); {_largest(parts)} is the largest part",
        f"end what else holds memory there{', as nvidia-smi lists it' if on_card else ''}",
        "more memory",
    ]
    return found[:_WAYS]


def _smaller_cache(
    parts: Mapping[str, int], plan: Plan, settings: Settings, free_mb: int
) -> Iterator[str]:
    """Fewer slots, or shorter conversations, where either is enough."""
    cached = next((mb for name, mb in parts.items() if name.endswith(f": {CACHE}")), 0)
    room_mb = free_mb / (1 + MARGIN) - (sum(parts.values()) - cached)
    if not cached or not plan.cell_bytes or room_mb <= 0:
        return
    cells = int(room_mb * 1_000_000) // plan.cell_bytes
    llm = settings.llm
    if (slots := cells // llm.context_tokens) >= 1:
        yield f"llm.slots = {slots} in the place of {llm.slots}"
    tokens = cells // llm.slots // _STEP_TOKENS * _STEP_TOKENS
    if tokens >= _LEAST_TOKENS:
        yield f"llm.context_tokens = {tokens} in the place of {llm.context_tokens}"


def _moved(parts: Mapping[str, int], plan: Plan, settings: Settings, free_mb: int) -> Iterator[str]:
    """Voices in the machine's memory, where that is enough."""
    if parts is not plan.card:
        return
    voices_mb = sum(parts[name] for name in plan.voices if name in parts)
    if voices_mb * (1 + MARGIN) >= plan.card_needed_mb - free_mb:
        yield f"tts.device = 'cpu', which takes {voices_mb} MB off the card"


def _largest(parts: Mapping[str, int]) -> str:
    return max(parts, key=lambda name: parts[name], default="nothing")

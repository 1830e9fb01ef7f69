"""`voiced bench llm`: our slots, one shared `llama_cpp.Llama`, and llama-server's slots.

All sides get the same token prompts, weights, threads, and draw the likeliest token. The prompts
are those of four calls of one agent, each with a history of 1,200 tokens; throughput is taken with
short ones. llama-server runs inside xllamacpp, a package that need not be there; then its two
ratios are null, and `slots_missing` names the package. It does not know how any side works.
"""

import asyncio
from pathlib import Path

from voiced.bench.harness import Spread, alternate
from voiced.bench.llm_apart import Apart
from voiced.bench.llm_prompts import Calls, made
from voiced.bench.llm_sides import Ours, Shared, Side, Slots
from voiced.bench.options import BenchOptions
from voiced.catalog.store import open_store
from voiced.config.settings import Llm
from voiced.errors import UnavailableError
from voiced.llm import llama
from voiced.llm.pace import SHARED_S

CALLS = 4
CONTEXT = 4096


def run(options: BenchOptions) -> dict[str, object]:
    """The keys of the contract. Ratios of times: below 1 ours is faster; of throughput: above."""
    store = open_store(options.settings.models)
    model = store.model(store.catalog.profile(options.settings.models.profile).llm)
    path = store.path_of(model.name, model.files[0].name)
    settings = Llm(threads=options.settings.llm.threads, slots=CALLS, context_tokens=CONTEXT)
    ours = Ours(llama.load(path, model.facts, settings))
    try:
        return _measured(options, path, ours, settings)
    finally:
        ours.close()


def _measured(options: BenchOptions, path: Path, ours: Ours, settings: Llm) -> dict[str, object]:
    calls = made(ours.language, CALLS)
    result: dict[str, object] = {
        "calls": CALLS,
        "history_tokens": len(calls.fifth[0]),
        "threads": settings.threads,
        "evaluated_extra_tokens": asyncio.run(ours.extra_tokens()),
        # of one call, while another's prompt of 3,000 tokens is read, and what it should be at most
        "next_token_beside_prompt_ms": Spread(asyncio.run(ours.gaps_ms(calls.long))).json(),
        "step_beside_prompt_ms": 1000 * SHARED_S,
    }
    alone = alternate(
        lambda: ours.rate(calls.short, together=True),
        lambda: ours.rate(calls.short, together=False),
        options.rounds,
    )
    result |= alone.json("self_throughput")
    shared = Apart(Shared, path, settings.threads, CONTEXT)
    try:
        result |= _against(ours, shared, calls, options.rounds, "")
    finally:
        shared.close()
    try:
        slots = Apart(Slots, path, settings.threads, CALLS, CONTEXT)
    except UnavailableError as error:
        return {
            **result,
            "slots_ttft_ratio": None,
            "slots_throughput_ratio": None,
            "slots_missing": str(error),
        }
    return result | _against(ours, slots, calls, options.rounds, "slots_")


def _against(
    ours: Side, baseline: Side, calls: Calls, rounds: int, prefix: str
) -> dict[str, object]:
    first = alternate(
        lambda: ours.ttft_ms(calls.fourth, calls.fifth),
        lambda: baseline.ttft_ms(calls.fourth, calls.fifth),
        rounds,
    )
    rate = alternate(
        lambda: ours.rate(calls.short, together=True),
        lambda: baseline.rate(calls.short, together=True),
        rounds,
    )
    return first.json(f"{prefix}ttft") | rate.json(f"{prefix}throughput")

"""`voiced bench call`: simulated callers over real WebRTC, and what they wait for.

A daemon of its own is started, with the site's settings or with fake models, and is called so often
at once; each call plays its script (`call_script`). With `--growth` the questions are asked by 1,
2, 4 ... callers at once before. It does not know what a site's budget ought to be: `--gate` tells.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from voiced import clock
from voiced.bench import call_far, call_lines, call_measures, call_page
from voiced.bench.call_daemon import Daemon, running
from voiced.bench.call_measures import Due
from voiced.bench.call_script import Lines, Scene, Taken, staggered
from voiced.bench.options import BenchOptions
from voiced.bench.rtc_far import punctual
from voiced.config.settings import TurnPace
from voiced.testing.caller import Caller
from voiced.testing.impair import Weather

CALLS = 1
_SIZES = (1, 2, 4, 8, 16, 32, 64)
_GROWTH_ROUNDS = 2
_SETTLE_S, _IDLE_S = 1.5, 3.0
"""A greeting is over, and how long calls are watched in which nobody speaks."""


@dataclass(frozen=True, slots=True)
class Session:
    """So many calls at once, and what the daemon took for them."""

    calls: list[Taken]
    cpu_percent: float
    """Of a core, for each call, while they were held."""
    idle_cpu_percent: float
    """The same while nobody spoke."""
    memory_mb: float


def run(options: BenchOptions) -> dict[str, object]:
    """The keys of the contract; `kept`: whether the gate was, where there is one."""
    sessions = asyncio.run(_measure(options))
    due = _due() if options.call.fake_models else None
    result = shown(sessions, due, options)
    if options.call.page is not None:
        options.call.page.write_text(call_page.html(result, sessions[-1].calls), encoding="utf-8")
    return result


def shown(sessions: Sequence[Session], due: Due | None, options: BenchOptions) -> dict[str, object]:
    """The last session, and how figures grew to it."""
    last = sessions[-1]
    result = {
        **call_measures.figures(last.calls, due),
        "cpu_percent_per_call": round(last.cpu_percent, 2),
        "idle_cpu_percent_per_call": round(last.idle_cpu_percent, 2),
        "memory_mb": round(last.memory_mb),
        "fake_models": options.call.fake_models,
        "loss_percent": options.call.loss,
        "jitter_ms": options.call.jitter,
        "budget": next((dict(call.budget) for call in last.calls if call.budget), {}),
    }
    if options.call.growth:
        result["growth"] = [_step(session, due) for session in sessions]
    if options.call.gate is not None:
        result["gate"] = options.call.gate
        result["kept"] = call_measures.kept(last.calls, options.call.gate)
    return result


def _step(session: Session, due: Due | None) -> dict[str, object]:
    found = call_measures.figures(session.calls, due)
    return {
        **{name: found[name] for name in ("calls", "voice_to_voice_ms", "overhead_ms", "failed")},
        "cpu_percent_per_call": round(session.cpu_percent, 2),
        "idle_cpu_percent_per_call": round(session.idle_cpu_percent, 2),
        "memory_mb": round(session.memory_mb),
    }


def _due() -> Due:
    return Due(float(TurnPace().endpoint_delay_ms), call_far.SCRIPTED_MS)


async def _measure(options: BenchOptions) -> list[Session]:
    punctual()
    calls = options.calls or CALLS
    weather = Weather(loss=options.call.loss / 100, jitter_ms=options.call.jitter)
    lines = await _lines(options)
    smaller = [size for size in _SIZES if size < calls] if options.call.growth else []
    async with running(options, calls, weather) as daemon:
        sessions = [
            await _session(daemon, size, lines, _GROWTH_ROUNDS, (Scene.QUESTION,))
            for size in smaller
        ]
        whole = await _session(daemon, calls, lines, options.rounds, _scenes(options))
    return [*sessions, whole]


def _scenes(options: BenchOptions) -> tuple[Scene, ...]:
    """Recorded people speak over what fake models say: nothing else of the script is real then."""
    people = options.call.fake_models and options.call.audio
    return (Scene.INTERRUPTION,) if people else tuple(Scene)


async def _lines(options: BenchOptions) -> Lines:
    language, call = options.language or "en", options.call
    if not call.fake_models:
        lines = await call_lines.spoken(language, call.audio)
    elif call.audio:
        lines = call_lines.talked_over(await call_lines.spoken(language), call.audio)
    else:
        lines = call_lines.tones()
    return lines if call.noise is None else call_lines.noisy(lines, call.noise)


async def _session(
    daemon: Daemon, calls: int, lines: Lines, rounds: int, scenes: Sequence[Scene]
) -> Session:
    idle = await _idle(daemon, calls)
    begun_at, spent = clock.now(), daemon.cpu_s()
    taken = await staggered(_callers(daemon, calls), lines, rounds, scenes)
    used = (daemon.cpu_s() - spent) / (clock.now() - begun_at)
    return Session(taken, used / calls * 100, idle, daemon.memory_mb())


async def _idle(daemon: Daemon, calls: int) -> float:
    """What a call costs in which nobody speaks."""
    callers = _callers(daemon, calls)
    try:
        for caller in callers:
            await caller.open()
        await asyncio.sleep(_SETTLE_S)
        begun_at, spent = clock.now(), daemon.cpu_s()
        await asyncio.sleep(_IDLE_S)
        return (daemon.cpu_s() - spent) / (clock.now() - begun_at) / calls * 100
    finally:
        for caller in callers:
            await caller.close()


def _callers(daemon: Daemon, calls: int) -> list[Caller]:
    return [Caller("", exchange=daemon.exchange()) for _ in range(calls)]

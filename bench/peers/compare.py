"""voiced and pipecat on the same weights, questions and machine, in turn; one table at the end.

    bench/peers/run [--minutes 6] [--calls 1 2]

Both stay up all the time and are called one after the other, A B A B, through the same HTTP shape.
It does not know how either works.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from caller import Found, idle, talk, warm_up

from voiced import clock
from voiced.bench import call_lines
from voiced.bench.call_daemon import running
from voiced.bench.call_script import Lines
from voiced.bench.harness import percentile
from voiced.bench.rtc_far import punctual
from voiced.catalog.store import open_store
from voiced.config.reader import read_agents, read_settings
from voiced.testing.impair import Weather

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "docs/examples/demo.toml"
PEER = ROOT / "bench/peers/pipecat"
OUT = ROOT / "bench/out"
GREETING_S, IDLE_S = 8.0, 5.0
_READY_S = 120
_WEB_PORT, _LLM_PORT = 7860, 8091
_TICKS_HZ = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(slots=True)
class Side:
    """One of the two, while it runs."""

    name: str
    url: str
    pids: tuple[int, ...]
    found: dict[int, Found] = field(default_factory=dict)
    """By the number of calls at once."""
    cpu_percent: dict[int, list[float]] = field(default_factory=dict)
    """Of a core, for each call."""
    idle_cpu_percent: list[float] = field(default_factory=list)
    memory_mb: float = 0.0

    def cpu_s(self) -> float:
        """Of all its processes so far."""
        return sum(sum(map(int, _stat(pid)[11:13])) for pid in self.pids) / _TICKS_HZ


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=6.0, help="no new round after that")
    parser.add_argument("--calls", type=int, nargs="+", default=[1, 2], help="calls at once")
    parser.add_argument("--python", type=Path, required=True, help="of the peer's environment")
    args = parser.parse_args()
    sides = asyncio.run(_compare(args))
    rows = list(_rows(*sides, args.calls))
    for row in rows:
        print(f"{row[0]:52}" + "".join(f"{_shown(value):>12}" for value in row[1:]))
    OUT.mkdir(parents=True, exist_ok=True)
    kept = [dict(zip(("what", "voiced", "pipecat", "ratio"), row, strict=True)) for row in rows[1:]]
    (OUT / "peers.json").write_text(json.dumps({"load": os.getloadavg(), "rows": kept}, indent=1))


async def _compare(args: argparse.Namespace) -> tuple[Side, Side]:
    begun, most = clock.now(), max(args.calls)
    lines = await call_lines.spoken("en")
    async with AsyncExitStack() as stack:
        ours = await stack.enter_async_context(running(CONFIG, most, Weather(), fake_models=False))
        peer = await stack.enter_async_context(_pipecat(args.python, most))
        sides = Side("voiced", f"{ours.url}/api/offer", (ours.pid,)), peer
        punctual()  # the callers alone, not what they call
        for side in sides:
            await warm_up(side.url, lines)
        for side in (*sides, *sides):
            await _rest(side)
        round_s = 0.0
        while not round_s or clock.now() + round_s < begun + args.minutes * 60:
            round_at = clock.now()
            for calls in args.calls:
                for side in sides:
                    await _round(side, calls, lines)
            round_s = clock.now() - round_at
        for side in sides:
            side.memory_mb = sum(int(_statm(pid)) for pid in side.pids) * _PAGE / 1e6
    return sides


async def _round(side: Side, calls: int, lines: Lines) -> None:
    found = side.found.setdefault(calls, Found())
    print(f"{side.name}, {calls} at once", file=sys.stderr)
    begun, spent = clock.now(), side.cpu_s()
    async with asyncio.TaskGroup() as tasks:
        for number in range(calls):
            tasks.create_task(talk(side.url, lines, number, found))
    used = (side.cpu_s() - spent) / (clock.now() - begun)
    side.cpu_percent.setdefault(calls, []).append(100 * used / calls)


async def _rest(side: Side) -> None:
    """A call in which nobody speaks, behind its greeting."""
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(idle(side.url, GREETING_S + IDLE_S + 1.0))
        await asyncio.sleep(GREETING_S)
        begun, spent = clock.now(), side.cpu_s()
        await asyncio.sleep(IDLE_S)
        side.idle_cpu_percent.append(100 * (side.cpu_s() - spent) / (clock.now() - begun))


def _rows(ours: Side, peer: Side, sizes: list[int]) -> Iterator[tuple[Any, ...]]:
    yield "", ours.name, peer.name, "ratio"
    for calls in sizes:
        a, b = ours.found[calls], peer.found[calls]
        at = f", {calls} at once"
        for name in ("waits_ms", "unfinished_ms", "barge_in_ms", "connected_ms"):
            for percent in (50, 95):
                x, y = (_percentile(getattr(side, name), percent) for side in (a, b))
                yield f"{_NAMES[name]} p{percent}, ms{at}", x, y, _ratio(x, y)
        for name in ("asked", "failed", "cut_off", "broken"):
            yield f"{_NAMES[name]}{at}", getattr(a, name), getattr(b, name), None
        x, y = (statistics.median(side.cpu_percent[calls]) for side in (ours, peer))
        yield f"processor, % of a core a call{at}", x, y, _ratio(x, y)
    x, y = (statistics.median(side.idle_cpu_percent) for side in (ours, peer))
    yield "the same, nobody speaks, 1 call", x, y, _ratio(x, y)
    yield "memory, MB", ours.memory_mb, peer.memory_mb, _ratio(ours.memory_mb, peer.memory_mb)


_NAMES = {
    "waits_ms": "voice to voice",
    "unfinished_ms": "voice to voice, pause in the question",
    "barge_in_ms": "barge-in",
    "connected_ms": "connected",
    "asked": "questions",
    "failed": "without an answer",
    "cut_off": "questions cut off",
    "broken": "answers that began anew by themselves",
}


def _percentile(values: list[float], percent: float) -> float | None:
    return percentile(values, percent) if values else None


def _ratio(ours: float | None, theirs: float | None) -> float | None:
    return ours / theirs if ours is not None and theirs else None


def _shown(value: object) -> str:
    match value:
        case None:
            return "-"
        case float():
            return f"{value:.2f}" if value < 10 else f"{value:.0f}"
        case _:
            return str(value)


@asynccontextmanager
async def _pipecat(python: Path, calls: int) -> AsyncIterator[Side]:
    """Its agent and its llama-server, once both answer."""
    OUT.mkdir(parents=True, exist_ok=True)
    site = OUT / "peer-site.json"
    site.write_text(json.dumps(_site(calls)), encoding="utf-8")
    agent = ("agent.py", "--host", "127.0.0.1", "--port", str(_WEB_PORT), "-t", "webrtc")
    log = (OUT / "peer.log").open("w")
    environment = {**os.environ, "PEER_SITE": str(site)}
    started = []
    try:
        for command in (("llm_server.py", str(site)), agent):
            process = await asyncio.create_subprocess_exec(
                *(python, *command), cwd=PEER, env=environment, stdout=log, stderr=log
            )
            started.append(process)
            await _answers(_LLM_PORT if command[0] == "llm_server.py" else _WEB_PORT)
        url = f"http://127.0.0.1:{_WEB_PORT}/api/offer"
        yield Side("pipecat", url, tuple(one.pid for one in started))
    finally:
        for process in started:
            if process.returncode is None:
                process.terminate()
        for process in started:
            try:
                await asyncio.wait_for(process.wait(), 10.0)
            except TimeoutError:
                process.kill()
                await process.wait()
        log.close()


def _site(calls: int) -> dict[str, Any]:
    """What the demonstration's agent is made of, for the peer."""
    settings = read_settings(CONFIG)
    [agent] = read_agents(settings.calls.agents_dir, CONFIG).values()
    store = open_store(settings.models)
    profile = store.catalog.profile(settings.models.profile)
    voice = store.model(agent.voices["en"])
    sound = next(file.name for file in voice.files if file.name.endswith(".onnx"))
    model = store.model(profile.llm)
    return {
        "prompt": agent.prompt.strip(),
        "greeting": agent.lines["en"].greeting,
        "stop": list(agent.stop),
        "max_tokens": agent.sampling.max_tokens,
        "threads": settings.llm.threads,
        "context_tokens": settings.llm.context_tokens,
        "slots": calls,
        "llm_port": _LLM_PORT,
        "llm": str(store.path_of(model.name, model.files[0].name)),
        "stt": str(store.directory_of(profile.stt)),
        "voices": str(store.directory_of(voice.name)),
        "voice": sound.removesuffix(".onnx"),
        "template": _TEMPLATE,
    }


_TEMPLATE = (
    "{% for m in messages %}{% if m['role'] == 'system' %}{{ m['content'] }}\n\n"
    "{% elif m['role'] == 'user' %}Caller: {{ m['content'] }}\n"
    "{% else %}Receptionist: {{ m['content'] }}\n"
    "{% endif %}{% endfor %}Receptionist:"
)
"""The plain dialogue that the demonstration's base model goes on with."""


async def _answers(port: int) -> None:
    """Waits until somebody speaks HTTP there."""
    for _ in range(_READY_S):
        try:
            await asyncio.to_thread(urllib.request.urlopen, f"http://127.0.0.1:{port}/", timeout=2)
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            await asyncio.sleep(1.0)
    raise SystemExit(f"peers: nobody answers on port {port}: see {OUT / 'peer.log'}")


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _statm(pid: int) -> str:
    return Path(f"/proc/{pid}/statm").read_text().split()[1]


if __name__ == "__main__":
    main()

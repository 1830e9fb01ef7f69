"""The far end of `voiced bench call`: started, waited for, watched and stopped.

What it logs is read and thrown away, but for the line that says where it listens. It does not know
what is measured.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from voiced.bench.call_far import AGENT
from voiced.bench.options import BenchOptions
from voiced.config.settings import Models
from voiced.errors import UnavailableError
from voiced.testing.exchange import HttpExchange
from voiced.testing.impair import Impairment, Weather, impair, redirected

HOST = "127.0.0.1"
_START_S, _STOP_S = 240.0, 20.0
_TICKS_HZ = os.sysconf("SC_CLK_TCK")
_USER, _SYSTEM = 13, 14
"""Places in /proc/PID/stat."""

_SETTINGS = '[calls]\nagents_dir = "agents"\n'
_MODELS = "[models]\ndir = '{}'\nprofile = '{}'\nproduction = false\n"


@dataclass(frozen=True, slots=True)
class Daemon:
    """One that is ready."""

    url: str
    media_port: int
    pid: int
    line: Impairment | None
    """What media goes through, where the line is a bad one."""

    def exchange(self) -> HttpExchange:
        """For one caller."""
        return HttpExchange(self.url) if self.line is None else _Through(self, self.line)

    def cpu_s(self) -> float:
        """Processor time that it has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(int(fields[place - 2]) for place in (_USER, _SYSTEM)) / _TICKS_HZ

    def memory_mb(self) -> float:
        """Resident memory."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class _Through(HttpExchange):
    """Media is led through a bad line; offers name no way around it."""

    def __init__(self, daemon: Daemon, line: Impairment) -> None:
        super().__init__(daemon.url)
        self._ports = daemon.media_port, line.port

    async def offer(self, sdp: str) -> str:
        lines = sdp.splitlines(keepends=True)
        bare = "".join(one for one in lines if not one.startswith(("a=candidate", "a=end-of")))
        return redirected(await super().offer(bare), *self._ports)


@asynccontextmanager
async def running(options: BenchOptions, calls: int, weather: Weather) -> AsyncIterator[Daemon]:
    """A daemon for so many calls. Raises UnavailableError, with what it said, where it ends."""
    fakes, config = options.call.fake_models, options.config
    with tempfile.TemporaryDirectory(prefix="voiced-bench-") as folder:
        invented = fakes or config is None
        site = (
            _invented(Path(folder), options.settings.models) if invented or not config else config
        )
        fake = ["--fake-models"] if fakes else []
        if fakes and options.call.audio:
            fake.append("--detector")
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "voiced.bench.call_far"),
            *("--config", str(site), "--calls", str(calls), *fake),
            stderr=asyncio.subprocess.PIPE,
        )
        assert process.stderr is not None
        reading: asyncio.Task[None] | None = None
        line: Impairment | None = None
        try:
            http, media = await _ready(process.stderr)
            reading = asyncio.get_running_loop().create_task(_drain(process.stderr))
            if weather != Weather():
                line = await impair(media, weather)
            yield Daemon(f"http://{HOST}:{http}", media, process.pid, line)
        finally:
            if line is not None:
                await line.close()
            await _stop(process)
            if reading is not None:
                await reading


def _invented(folder: Path, models: Models) -> Path:
    """The settings of a site that is not there, with the models of one that is."""
    (folder / "agents").mkdir()
    (folder / "agents/bench.toml").write_text(AGENT, encoding="utf-8")
    config = folder / "voiced.toml"
    config.write_text(_SETTINGS + _MODELS.format(models.dir.absolute(), models.profile), "utf-8")
    return config


async def _ready(log: asyncio.StreamReader) -> tuple[int, int]:
    """The ports of HTTP and of media, once it answers calls."""
    said: list[str] = []
    try:
        async with asyncio.timeout(_START_S):
            while raw := await log.readline():
                text = raw.decode(errors="replace").rstrip()
                said = [*said[-8:], text]
                fields = json.loads(text) if text.startswith("{") else {}
                if fields.get("event") == "daemon.ready":
                    return int(fields["http_port"]), int(fields["udp_port"])
    except TimeoutError:
        raise UnavailableError(f"bench call: no daemon within {_START_S:.0f} s") from None
    raise UnavailableError("bench call: the daemon did not start:\n" + "\n".join(said))


async def _drain(log: asyncio.StreamReader) -> None:
    while await log.readline():
        pass


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), _STOP_S)
    except TimeoutError:
        process.kill()
        await process.wait()

"""Soaks a daemon of straw that misbehaves: scripts/soak says how.

Exits 1 when one of the assertions does not hold, and writes a page with all that happened; the
seed that it prints makes the same callers do the same again.
"""

import asyncio
import base64
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from voiced.bench.rtc_far import punctual  # noqa: E402
from voiced.testing.soak import AGENT, SETTINGS, Story, soak  # noqa: E402
from voiced.testing.soak_page import page  # noqa: E402
from voiced.testing.soak_watch import Daemon, Soaked, judged, watched  # noqa: E402

WARM_S = 15.0


def main() -> int:
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10_000)
    out = ROOT / "bench/out/soak.html"
    print(f"{minutes:g} minutes, seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder, _disk(Path(folder, "disk")) as disk:
        site = Path(folder)
        config, log = _site(site, disk), site / "log"
        command = [sys.executable, "-m", "voiced.testing.chaos", "--config", str(config)]
        command += ["--seed", str(seed), *(["--disk", str(disk)] if os.path.ismount(disk) else [])]
        with log.open("wb") as written, subprocess.Popen(command, stderr=written, cwd=ROOT) as own:
            daemon = Daemon(own.pid, log)
            try:
                punctual()  # the callers alone: what the machine does besides falls on the daemon
                soaked = asyncio.run(_soaked(daemon, own, minutes * 60, seed))
            finally:
                own.send_signal(signal.SIGTERM)
                status = own.wait(60)
        holds = judged(soaked, daemon.lines(), status)
        for what, faults in holds.items():
            print(f"{'holds' if not faults else 'FAULT':6} {what}")
            for fault in faults[:5]:
                print(f"         {fault}")
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(page(soaked, holds, daemon.lines(), minutes, seed))
        print(f"{len(soaked.story.lost)} of {soaked.story.calls.total()} lines were lost")
        shutil.copy(log, out.with_suffix(".log"))
        print(f"the page: {out.relative_to(ROOT)}, and the daemon's log beside it")
    return 1 if any(holds.values()) else 0


async def _soaked(
    daemon: Daemon, own: "subprocess.Popen[bytes]", seconds: float, seed: int
) -> Soaked:
    ready = None
    while ready is None and own.poll() is None:
        await asyncio.sleep(0.2)
        ready = next((one for one in daemon.lines() if one.get("event") == "daemon.ready"), None)
    if ready is None:
        raise SystemExit("the daemon ended before it was ready: run voiced.testing.chaos by hand")
    url, udp_port = f"http://127.0.0.1:{ready['http_port']}", int(str(ready["udp_port"]))
    async with watched(url, daemon, Story()):
        await soak(url, udp_port, WARM_S, seed + 1, Story())
    before = await daemon.settled(url)
    story = Story()
    async with watched(url, daemon, story):
        await soak(url, udp_port, seconds, seed, story)
    after = await daemon.settled(url)
    return Soaked(story, before, after, await daemon.full_house(url))


def _site(folder: Path, disk: Path) -> Path:
    (folder / "agents").mkdir()
    (folder / "agents/soak.toml").write_text(AGENT)
    (folder / "key").write_bytes(base64.b64encode(os.urandom(32)))
    config = folder / "voiced.toml"
    config.write_text(
        SETTINGS.format(agents=folder / "agents", audit=disk / "audit", key=folder / "key")
    )
    return config


@contextmanager
def _disk(at: Path) -> Iterator[Path]:
    """A small disk of its own, where this account may mount one; else a folder, never full."""
    at.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "soak", str(at)], capture_output=True, check=False
    )
    if done.returncode != 0:
        print("no right to mount a small disk: it will not fill up")
    try:
        yield at
    finally:
        if done.returncode == 0:
            subprocess.run(["umount", "--lazy", str(at)], check=False)


sys.exit(main())

"""Soaks a daemon that misbehaves: scripts/soak says how.

Exits 1 when one of the assertions does not hold, and writes a page with all that happened; the
seed that it prints makes the same callers do the same again.
"""

import argparse
import asyncio
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
from voiced.testing.soak import Story, soak  # noqa: E402
from voiced.testing.soak_page import Made, page  # noqa: E402
from voiced.testing.soak_site import Site, written  # noqa: E402
from voiced.testing.soak_watch import Daemon, Soaked, judged, watched  # noqa: E402

WARM_S = 15.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", action="store_true", help="the demonstration's, not of straw")
    parser.add_argument("minutes", type=float, nargs="?", default=10.0)
    parser.add_argument("seed", type=int, nargs="?", default=random.randrange(10_000))
    given = parser.parse_args()
    minutes, seed = given.minutes, given.seed
    out = ROOT / "bench/out" / ("soak-models.html" if given.models else "soak.html")
    print(f"{minutes:g} minutes, seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder, _disk(Path(folder, "disk")) as disk:
        site, log = written(Path(folder), disk, seed, models=given.models), Path(folder, "log")
        with (
            log.open("wb") as sink,
            subprocess.Popen(site.command, stderr=sink, cwd=ROOT) as own,
        ):
            daemon = Daemon(own.pid, log)
            try:
                punctual()  # the callers alone: what the machine does besides falls on the daemon
                soaked = asyncio.run(_soaked(site, daemon, own, minutes * 60, seed))
            finally:
                own.send_signal(signal.SIGTERM)
                status = own.wait(60)
        holds = judged(soaked, daemon.lines(), status)
        for what, faults in holds.items():
            print(f"{'holds' if not faults else 'FAULT':6} {what}")
            for fault in faults[:5]:
                print(f"         {fault}")
        made = Made(minutes, seed, site.models)
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(page(soaked, holds, daemon.lines(), made))
        print(f"{len(soaked.story.lost)} of {soaked.story.calls.total()} lines were lost")
        shutil.copy(log, out.with_suffix(".log"))
        print(f"the page: {out.relative_to(ROOT)}, and the daemon's log beside it")
    return 1 if any(holds.values()) else 0


async def _soaked(
    site: Site, daemon: Daemon, own: "subprocess.Popen[bytes]", seconds: float, seed: int
) -> Soaked:
    ready = None
    while ready is None and own.poll() is None:
        await asyncio.sleep(0.2)
        ready = next((one for one in daemon.lines() if one.get("event") == "daemon.ready"), None)
    if ready is None:
        raise SystemExit(f"the daemon ended before it was ready: {daemon.lines()[-1:]}")
    url = f"http://127.0.0.1:{ready['http_port']}"
    target = site.target(url, int(str(ready["udp_port"])))
    async with watched(url, daemon, Story()):
        await soak(target, WARM_S, seed + 1, Story())
    before = await daemon.settled(url)
    story = Story()
    async with watched(url, daemon, story):
        await soak(target, seconds, seed, story)
    after = await daemon.settled(url)
    return Soaked(story, before, after, await daemon.full_house(url))


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

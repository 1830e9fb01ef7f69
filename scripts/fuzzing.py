"""Fuzzes a daemon on fake models: scripts/fuzz says how.

Offers, events and datagrams that nobody meant. Exits 1 when it crashed, failed inside, or kept a
line; then the seed that it prints finds the same again.
"""

import asyncio
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from voiced.testing.fuzz import SETTINGS, Report, fuzz  # noqa: E402

FAULTS = ("call.failed", "peer.failed", "request.failed", "engine.failed", "rtc.failed")


def main() -> int:
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10_000)
    print(f"{minutes:g} minutes, seed {seed}")
    with tempfile.TemporaryDirectory() as folder:
        config, log = Path(folder, "voiced.toml"), Path(folder, "log")
        config.write_text(SETTINGS.format(agents=ROOT / "docs/examples/agents"))
        command = [sys.executable, "-m", "voiced.testing.standin", "--config", str(config)]
        with log.open("wb") as out, subprocess.Popen(command, stderr=out, cwd=ROOT) as daemon:
            try:
                report = asyncio.run(_against(daemon, log, minutes * 60, seed))
                report.faults += [] if daemon.poll() is None else ["it has ended"]
            finally:
                daemon.terminate()
                status = daemon.wait(30)
        events = Counter(line.get("event") for line in _lines(log))
        report.faults += [f"{events[name]} x {name}" for name in FAULTS if events[name]]
        report.faults += [f"it ended with {status}"] if status else []
        if report.faults:
            print(log.read_text()[-4000:], file=sys.stderr)
    for kind, count in sorted(report.thrown.items()):
        print(f"{count:8} {kind}")
    for fault in report.faults:
        print(f"FAULT    {fault}")
    return 1 if report.faults else 0


async def _against(
    daemon: "subprocess.Popen[bytes]", log: Path, seconds: float, seed: int
) -> Report:
    ready = None
    while ready is None and daemon.poll() is None:
        await asyncio.sleep(0.2)
        ready = next((line for line in _lines(log) if line.get("event") == "daemon.ready"), None)
    if ready is None:
        raise SystemExit("the daemon ended before it was ready: run voiced.testing.standin by hand")
    url = f"http://127.0.0.1:{ready['http_port']}"
    return await fuzz(url, int(ready["udp_port"]), seconds, seed)


def _lines(log: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]


sys.exit(main())

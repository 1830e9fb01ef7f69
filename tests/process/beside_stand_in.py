"""Stands beside the daemon in place of what a test machine has not: `docker` and `nvidia-smi`.

    docker info                        its default runtime
    docker compose ... up              a worker's metrics and a licence proxy, until it is ended
    nvidia-smi                         one card

Each licence that is handed over is a line of its output. Called by the name under which it lies.
"""

import signal
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

CARD = "580.65.06, 81559, Enabled, Enabled"


class Beside(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._answer(b'inferno_worker_capacity{worker="0"} 8\n')

    def do_POST(self) -> None:
        licence = self.rfile.read(int(self.headers["Content-Length"])).decode()
        sys.stdout.write(f"licence {licence.strip()}\n")
        sys.stdout.flush()
        self._answer(b"{}")

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def services() -> None:
    for port in (8080, 8081):
        server = ThreadingHTTPServer(("127.0.0.1", port), Beside)
        Thread(target=server.serve_forever, daemon=True).start()
    signal.sigwait({signal.SIGTERM})


match Path(sys.argv[0]).name, sys.argv[1:]:
    case "nvidia-smi", _:
        sys.stdout.write(CARD + "\n")
    case "docker", ["info", *_]:
        sys.stdout.write("nvidia\n")
    case "docker", ["compose", *_, "up", "--no-build", "--pull", "never", "--no-log-prefix"]:
        services()
    case "docker", ["compose", *_, "down", "--timeout", "30"]:
        pass
    case name, what:
        sys.exit(f"{name}: cannot {what}")

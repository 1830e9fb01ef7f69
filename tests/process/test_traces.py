"""Turns arrive at the collector that is configured and nobody else is asked."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from voiced.ops.traces import Span, Turn, opened

pytestmark = pytest.mark.process

TURN = Turn("0f3a", 1, cut=False, spans=(Span("turn", 1.0, 2.0), Span("stt", 1.1, 1.2)))


@dataclass
class Collector:
    """Takes what is posted to it, or sends it on."""

    port: int = 0
    onward: str = ""
    bodies: list[bytes] = field(default_factory=list)


@contextmanager
def collector(onward: str = "") -> Iterator[Collector]:
    own = Collector(onward=onward)

    class Page(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            own.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(307 if own.onward else 200)
            if own.onward:
                self.send_header("Location", own.onward)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_args: object) -> None:
            """Nothing."""

    with HTTPServer(("127.0.0.1", 0), Page) as server:
        own.port = server.server_port
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        try:
            yield own
        finally:
            server.shutdown()
            serving.join()


def url(there: Collector) -> str:
    return f"http://127.0.0.1:{there.port}/v1/traces"


def test_a_turn_arrives_as_spans_under_our_own_names() -> None:
    with collector() as there:
        traces = opened(url(there))
        traces.send(TURN)
        traces.close()

    (body,) = there.bodies
    (resource,) = ExportTraceServiceRequest.FromString(body).resource_spans
    assert ["stt", "turn"] == [span.name for span in resource.scope_spans[0].spans]


def test_a_collector_that_sends_on_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is a proxy of the environment asked: the configured host, and no other."""
    with collector() as elsewhere, collector(url(elsewhere)) as there:
        monkeypatch.setenv("HTTP_PROXY", url(elsewhere))
        monkeypatch.setenv("http_proxy", url(elsewhere))
        traces = opened(url(there))
        traces.send(TURN)
        traces.close()

    assert 1 == len(there.bodies)
    assert [] == elsewhere.bodies

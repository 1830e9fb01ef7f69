"""A trace of each turn, for the site's own OpenTelemetry collector. Off unless one is configured.

    ledger ── Turn ──> Traces ──> bounded queue ──> the library's thread ──> traces.url

Spans hold our own names and numbers: no word, no prompt, no caller. Nothing is measured twice: the
ledger's marks are the spans' ends. It does not know calls, nor the engines behind the spans.
"""

import ssl
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from voiced import clock
from voiced.errors import ConfigError
from voiced.ops.health import VERSION

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor

EXPORT_S = 5
"""A collector that has not taken turns by then does without them."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a turn; instants of `voiced.clock`."""

    name: str
    began_at: float
    ended_at: float


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a call that has been spoken to its end, or was cut."""

    call: str
    """Its name in the log: random, and nobody's."""
    number: int
    cut: bool
    spans: tuple[Span, ...]
    """The whole turn, and behind it the parts."""


Trace = Callable[[Turn], None]
"""Must not block; main loop."""


def nowhere(_turn: Turn) -> None:
    """For sites without a collector."""


def check(url: str) -> None:
    """Raises ConfigError where a collector is configured, and the library is not installed."""
    if url and not _installed("opentelemetry.exporter.otlp.proto.http"):
        raise ConfigError(
            f"traces.url = '{url}': OpenTelemetry is not installed: install voiced[otel], or write "
            "no traces.url"
        )


def opened(url: str) -> "Traces":
    """Sends turns to a collector, from a thread of the library's.

    What the collector does not take in time is dropped. Raises ConfigError without the library.
    """
    check(url)
    import requests
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    session = requests.Session()
    session.trust_env = False  # neither a proxy of the environment's, nor its netrc
    session.get_redirect_target = lambda _answer: None  # to the host that is configured alone
    paths = ssl.get_default_verify_paths()
    exporter = OTLPSpanExporter(
        url,
        certificate_file=paths.cafile or paths.capath,
        headers={},
        session=session,
        timeout=EXPORT_S,
    )
    return Traces(BatchSpanProcessor(exporter, export_timeout_millis=EXPORT_S * 1000))


class Traces:
    """Makes spans of turns. Main loop only."""

    def __init__(self, processor: "SpanProcessor") -> None:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import SpanLimits, TracerProvider
        from opentelemetry.sdk.trace.sampling import ALWAYS_ON

        named = Resource({"service.name": "voiced", "service.version": VERSION})
        self._provider = TracerProvider(
            sampler=ALWAYS_ON,
            resource=named,
            shutdown_on_exit=False,
            span_limits=SpanLimits(max_span_attributes=16),
        )
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("voiced")

    def send(self, turn: Turn) -> None:
        """Puts a turn's spans into the queue."""
        from opentelemetry.trace import set_span_in_context

        wall_s = clock.wall().timestamp() - clock.now()
        whole, *parts = turn.spans
        told: dict[str, str | int | bool] = {
            "voiced.call": turn.call,
            "voiced.turn": turn.number,
            "voiced.cut": turn.cut,
        }
        root = self._tracer.start_span(
            whole.name, attributes=told, start_time=_ns(whole.began_at + wall_s)
        )
        inside = set_span_in_context(root)
        for part in parts:
            begin = _ns(part.began_at + wall_s)
            self._tracer.start_span(part.name, inside, start_time=begin).end(
                _ns(part.ended_at + wall_s)
            )
        root.end(_ns(whole.ended_at + wall_s))

    def close(self) -> None:
        """Sends what is left, for a few seconds at most."""
        self._provider.shutdown()


def _ns(seconds: float) -> int:
    return int(seconds * 1e9)


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False

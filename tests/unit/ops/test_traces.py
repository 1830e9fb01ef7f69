"""A turn's trace is the ledger's marks, under our own names, and nothing else."""

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from voiced import clock
from voiced.call.stopwatch import Mark, Stopwatch
from voiced.errors import ConfigError
from voiced.ops import traces
from voiced.ops.traces import Span, Traces, Turn

pytestmark = pytest.mark.unit

MARKS = {
    Mark.VOICED: 10.0,
    Mark.PAUSED: 10.1,
    Mark.FINAL: 10.2,
    Mark.TOKEN: 10.25,
    Mark.CLAUSE: 10.4,
    Mark.OVER: 10.3,
    Mark.SOUND: 10.5,
    Mark.SENT: 10.52,
}


def spans(marks: dict[Mark, float]) -> tuple[Span, ...]:
    watch = Stopwatch()
    for mark, at in marks.items():
        watch.mark(mark, at)
    return watch.spans(12.0)


def exported(turn: Turn) -> tuple[ReadableSpan, ...]:
    exporter = InMemorySpanExporter()
    collector = Traces(SimpleSpanProcessor(exporter))
    collector.send(turn)
    collector.close()
    return exporter.get_finished_spans()


def test_every_mark_of_the_ledger_is_an_end_of_a_span() -> None:
    assert (
        Span("turn", 10.0, 12.0),
        Span("endpoint_delay", 10.0, 10.3),
        Span("stt", 10.1, 10.2),
        Span("llm_first_clause", 10.2, 10.4),
        Span("tts_ttfb", 10.4, 10.5),
        Span("llm_ttft", 10.2, 10.25),
        Span("playout", 10.5, 10.52),
    ) == spans(MARKS)


def test_a_turn_whose_engine_failed_has_the_spans_that_it_came_to() -> None:
    known = {mark: MARKS[mark] for mark in (Mark.VOICED, Mark.PAUSED, Mark.OVER)}

    assert ["turn", "endpoint_delay"] == [span.name for span in spans(known)]
    assert () == spans({})


def test_the_parts_lie_in_the_turn_and_say_when_by_the_wall_clock() -> None:
    now = clock.now()
    turn = Turn(
        "0f3a", 2, cut=True, spans=(Span("turn", now - 2, now), Span("stt", now - 1.5, now))
    )

    part, whole = exported(turn)

    assert part.parent is not None
    assert whole.context is not None
    assert whole.context.span_id == part.parent.span_id
    assert whole.start_time is not None
    assert part.start_time is not None
    assert 500_000_000 == pytest.approx(part.start_time - whole.start_time, abs=1000)
    assert clock.wall().timestamp() - 2 == pytest.approx(whole.start_time / 1e9, abs=1.0)
    assert {"voiced.call": "0f3a", "voiced.turn": 2, "voiced.cut": True} == dict(
        whole.attributes or {}
    )
    assert {} == dict(part.attributes or {})


def test_nothing_of_this_machine_travels_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Host names and accounts are what the library would add by itself."""
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "host.name=ward-3")

    (whole,) = exported(Turn("0f3a", 1, cut=False, spans=(Span("turn", 1.0, 2.0),)))

    assert {"service.name", "service.version"} == set(whole.resource.attributes)


def test_a_collector_without_the_library_is_a_matter_of_the_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(traces, "_installed", lambda _module: False)

    traces.check("")
    with pytest.raises(ConfigError, match=r"traces\.url = 'http://c/v1/traces'.*voiced\[otel\]"):
        traces.check("http://c/v1/traces")

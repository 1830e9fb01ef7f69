"""Sonic's messages: what is sent, and what is made of anything that comes."""

import base64
import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiced.cartesia import api
from voiced.config.sonic import Sonic, SonicVoice
from voiced.tts.sonic import wire

pytestmark = pytest.mark.unit

VOICE = SonicVoice(name="jia", id="v1", language="ko")


def fields(voice: SonicVoice = VOICE) -> dict[str, Any]:
    return wire.manner(Sonic(url="http://h:5000", model="azure-disco"), voice)


def test_a_clause_goes_out_whole_and_at_once() -> None:
    """Without max_buffer_delay_ms = 0 the server may wait three seconds for more text."""
    sent = json.loads(wire.text(wire.submission(fields(), "c1", "안녕하세요. ")))

    assert {
        "model_id": "azure-disco",
        "transcript": "안녕하세요. ",
        "voice": {"mode": "id", "id": "v1"},
        "language": "ko",
        "context_id": "c1",
        "continue": True,
        "max_buffer_delay_ms": 0,
        "add_timestamps": False,
        "output_format": {"container": "raw", "encoding": "pcm_s16le", "sample_rate": 24_000},
    } == sent


def test_only_guidance_that_was_written_is_sent() -> None:
    """Older models refuse a generation_config."""
    guided = SonicVoice(
        name="a", id="v", language="en", locale="en-GB", emotion="calm", speed=0.9, volume=1.2
    )

    assert "generation_config" not in fields()
    assert {"speed": 0.9, "volume": 1.2, "emotion": "calm"} == fields(guided)["generation_config"]
    assert "en-GB" == fields(guided)["language"]


def test_the_end_has_the_same_fields_and_no_text() -> None:
    clause = wire.submission(fields(), "c1", "One. ")
    end = wire.ending(fields(), "c1")

    assert {**clause, "transcript": "", "continue": False} == end


def test_a_key_is_shown_in_both_ways() -> None:
    assert {
        "Cartesia-Version": "2025-04-16",
        "Authorization": "Bearer k",
        "X-API-Key": "k",
    } == api.headers("k", "2025-04-16")
    assert {"Cartesia-Version": "2025-04-16"} == api.headers("", "2025-04-16")


@pytest.mark.parametrize(
    ("message", "event"),
    [
        (
            {"type": "chunk", "context_id": "c", "data": base64.b64encode(b"\1\2\3").decode()},
            wire.Chunk("c", b"\1\2\3"),
        ),
        ({"type": "flush_done", "context_id": "c", "flush_id": 1}, wire.FlushDone("c")),
        ({"type": "done", "context_id": "c"}, wire.Done("c")),
        ({"type": "timestamps", "context_id": "c"}, None),
        ({"type": "something new"}, None),
    ],
    ids=lambda value: str(value.get("type")) if isinstance(value, dict) else "",
)
def test_each_kind_of_message_is_read(message: dict[str, Any], event: wire.Event | None) -> None:
    assert event == wire.event(json.dumps(message))


@pytest.mark.parametrize(
    ("fields", "trouble"),
    [
        ({"status_code": 400, "error": "Invalid model: x", "context_id": "c"}, ("c", "refused")),
        ({"status_code": 429, "error_code": "concurrency_limited"}, (None, "busy")),
        ({"status_code": 400, "error_code": "concurrency_limited"}, (None, "busy")),
        ({"status_code": 401, "title": "t", "message": "m"}, (None, "key refused")),
        ({"status_code": 503, "error": "Unavailable"}, (None, "failed")),
        ({"error": 5, "status_code": "?", "context_id": 7}, (None, "failed")),
    ],
    ids=["old", "busy", "busy by its code", "key", "server", "odd"],
)
def test_both_shapes_of_an_error_are_read(
    fields: dict[str, Any], trouble: tuple[str | None, str]
) -> None:
    """Nothing of its sentence is kept: it may quote what was to be said."""
    assert wire.Trouble(*trouble) == wire.event(json.dumps({"type": "error", **fields}))


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "{",
        "[]",
        "1",
        "{}",
        '{"type": 1}',
        '{"type": "done"}',
        '{"type": "chunk", "context_id": "c"}',
        '{"type": "chunk", "context_id": "c", "data": "%%"}',
        '{"type": "chunk", "context_id": "c", "data": "é"}',
        b"\xff\xfe\xfd",
        "[" * 100_000,
    ],
    ids=range(12),
)
def test_what_makes_no_sense_is_told_apart(raw: str | bytes) -> None:
    with pytest.raises(api.Garbled):
        wire.event(raw)


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(), lambda inner: st.lists(inner), max_leaves=3
)
_KEYS = st.sampled_from(["type", "context_id", "data", "status_code", "error_code", "done"])
_TYPES = st.sampled_from(["chunk", "flush_done", "done", "error", "timestamps"])


@given(st.text() | st.binary() | st.dictionaries(_KEYS, _JSON | _TYPES).map(json.dumps))
def test_nothing_that_comes_raises_anything_else(raw: str | bytes) -> None:
    with contextlib.suppress(api.Garbled):
        wire.event(raw)

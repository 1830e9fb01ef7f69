"""Ink's messages, and where they are asked for."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiced.cartesia import api
from voiced.config.ink import Ink, complaints
from voiced.stt.ink import wire
from voiced.words import Words

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("message", "event"),
    [
        ({"type": "transcript", "text": " a", "is_final": True}, wire.Piece(Words(" a"), True)),
        ({"type": "transcript", "text": "a", "words": [1]}, wire.Piece(Words("a"), False)),
        ({"type": "transcript", "text": None}, wire.Piece(Words(""), False)),
        ({"type": "flush_done", "request_id": "r"}, wire.Flushed()),
        ({"type": "done"}, None),
        ({"type": "turn.start"}, None),
        (
            {"type": "error", "status_code": 400, "message": "Unknown"},
            wire.Trouble("refused", lasting=False),
        ),
        ({"type": "error", "code": 429}, wire.Trouble("busy", lasting=False)),
        ({"type": "error", "status_code": 503}, wire.Trouble("failed", lasting=True)),
        ({"type": "error", "error_code": None}, wire.Trouble("failed", lasting=True)),
    ],
)
def test_a_message_means_one_thing(message: dict[str, object], event: wire.Event | None) -> None:
    assert event == wire.event(json.dumps(message))


@given(st.text() | st.binary() | st.from_type(object).map(repr))
def test_whatever_comes_is_an_event_or_garbled(raw: str | bytes) -> None:
    with contextlib.suppress(api.Garbled):
        wire.event(raw)


def test_no_more_hotwords_are_told_than_the_server_takes() -> None:
    ink = Ink(url="https://h")
    many = wire.url(ink, "en", ["word"] * 150)
    long = wire.url(ink, "en", ["x" * 700, "y" * 400, "z" * 300])

    assert 100 == many.count("keyterm=word")
    assert 2 == long.count("keyterm=")
    assert "keyterm" not in wire.url(ink, "ko", ["word"])
    assert many.startswith("wss://h/stt/websocket?model=ink-2&language=en&")


def test_a_language_has_a_model_or_is_read_here() -> None:
    assert ("ink-2", "ink-whisper") == tuple(map(Ink(url="http://h").model, ("en", "ko")))
    assert ("", "") == tuple(map(Ink().model, ("en", "ko")))
    assert "" == Ink(url="http://h", others="").model("ko")


def test_a_voice_goes_to_the_vendors_cloud_behind_a_key_only() -> None:
    assert [] == complaints(Ink(url="https://api.cartesia.ai"))
    assert [] == complaints(Ink(url="http://ink.ward.example:5000"))
    assert ["ink.url = 'http://api.cartesia.ai': callers' voices go there: write https"] == (
        complaints(Ink(url="http://api.cartesia.ai"))
    )

"""Client tokens: signed, short-lived, and of no use to whoever changes one."""

import base64
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiced.errors import ConfigError, Refused
from voiced.web.passes import PREFIX, Pass, Passes, read_key

pytestmark = pytest.mark.unit

KEY = bytes(range(32))
NOW = datetime(2030, 1, 1, tzinfo=UTC)


class Watch:
    """A date that a test sets."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


def test_a_pass_holds_its_agent_until_it_expires() -> None:
    watch = Watch()
    passes = Passes(KEY, watch)
    token, issued = passes.issue("desk", 60)

    assert token.startswith(PREFIX)
    assert Pass("desk", int(NOW.timestamp()) + 60, issued.name) == issued == passes.check(token)

    watch.now += timedelta(seconds=60)
    with pytest.raises(Refused, match="expired") as refusal:
        passes.check(token)
    assert (401, "expired") == (refusal.value.status, refusal.value.kind)


def test_every_node_with_the_same_key_knows_it_and_no_other_does() -> None:
    token, _ = Passes(KEY, Watch()).issue(None, 60)

    assert None is Passes(KEY, Watch()).check(token).agent
    with pytest.raises(Refused, match="not one of this server's"):
        Passes(KEY[::-1], Watch()).check(token)


def test_an_agent_of_ones_own_choice_is_not_signed() -> None:
    token, _ = Passes(KEY, Watch()).issue("desk", 60)
    claims = json.dumps({"agent": "doctor", "exp": 2**40}).encode()
    forged = base64.urlsafe_b64encode(claims).rstrip(b"=").decode()

    with pytest.raises(Refused, match="not one of this server's"):
        Passes(KEY, Watch()).check(f"{PREFIX}{forged}.{token.partition('.')[2]}")


@given(st.integers(0, 200), st.characters(codec="latin-1"))
def test_one_changed_character_spoils_it(place: int, other: str) -> None:
    passes = Passes(KEY, Watch())
    token, _ = passes.issue("desk", 60)
    at = len(PREFIX) + place % (len(token) - len(PREFIX))
    if token[at] != other:
        with pytest.raises(Refused):
            passes.check(token[:at] + other + token[at + 1 :])


@given(st.text(max_size=80))
def test_whatever_is_shown_is_refused_and_nothing_worse(text: str) -> None:
    with pytest.raises(Refused):
        Passes(KEY, Watch()).check(PREFIX + text)


def test_without_a_file_each_start_has_its_own_key() -> None:
    assert read_key(None) != read_key(None)


def test_a_key_file_is_read_whole_and_must_be_long_enough(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(KEY + b"\n")
    (tmp_path / "brief").write_bytes(b"x" * 31)

    assert read_key(tmp_path / "key") == KEY.strip()
    with pytest.raises(ConfigError, match=r"http\.pass_key_file = '.*brief': write at least 32"):
        read_key(tmp_path / "brief")
    with pytest.raises(ConfigError, match="No such file"):
        read_key(tmp_path / "none")

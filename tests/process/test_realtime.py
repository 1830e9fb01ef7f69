"""OpenAI Realtime against the running daemon: a token, a session, text in, speech out, a cut."""

import asyncio
import json
import urllib.request
from typing import Any

import pytest

from tests.process.conftest import Daemon, Serve, settings
from voiced import clock
from voiced.errors import UnavailableError
from voiced.testing.caller import Caller

pytestmark = [pytest.mark.process, pytest.mark.timeout(180)]

TOKEN = "a-token-of-the-site"
SECONDS = 40.0


@pytest.fixture(scope="module")
def daemon(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> Daemon:
    token = tmp_path_factory.mktemp("token") / "token"
    token.write_text(TOKEN + "\n")
    text = settings().replace("[http]\n", f'[http]\ntoken_file = "{token}"\n')
    started = serve(text)
    started.wait_for("daemon.ready")
    return started


def secret(daemon: Daemon, **asked: Any) -> str:
    """A client token, as a site's own web server would get one."""
    request = urllib.request.Request(
        f"{daemon.url}/v1/realtime/client_secrets",
        json.dumps(asked).encode(),
        {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return str(json.load(answer)["value"])


def told(caller: Caller, kind: str) -> list[dict[str, Any]]:
    return [event.body for event in caller.events if event.body["type"] == kind]


async def greeted(daemon: Daemon) -> Caller:
    """A call that has been greeted to the end."""
    caller = Caller(daemon.url, secret(daemon, session={"type": "realtime"}))
    await caller.open()
    done = await caller.until_event("response.done", caller.connected_at, SECONDS)
    assert done is not None
    return caller


def write(caller: Caller, text: str) -> None:
    content = [{"type": "input_text", "text": text}]
    item = {"type": "message", "role": "user", "content": content}
    caller.send({"type": "conversation.item.create", "item": item})
    caller.send({"type": "response.create"})


def test_the_session_comes_first_and_the_greeting_is_a_response(daemon: Daemon) -> None:
    async def story() -> list[str]:
        caller = await greeted(daemon)
        await caller.close()
        return [event.body["type"] for event in caller.events]

    kinds = asyncio.run(story())

    assert "session.created" == kinds[0]
    assert "output_audio_buffer.started" in kinds
    assert 1 == kinds.count("response.created") == kinds.count("response.done")


def test_written_words_are_answered_aloud(daemon: Daemon) -> None:
    async def story() -> tuple[dict[str, Any] | None, float | None, list[dict[str, Any]]]:
        caller = await greeted(daemon)
        asked_at = clock.now()
        write(caller, "When are visiting hours?")
        ledger = await caller.until_event("voiced.turn", asked_at, SECONDS)
        onset = caller.onset_after(asked_at)
        await caller.close()
        done = told(caller, "response.done")
        return ledger.body if ledger is not None else None, onset, done

    ledger, onset, done = asyncio.run(story())

    assert ledger is not None
    assert onset is not None
    assert "When are visiting hours?" == ledger["heard"]
    reply = done[-1]["response"]["output"][0]["content"][0]["transcript"]
    assert (True, "completed") == (bool(reply), done[-1]["response"]["status"])
    assert reply == ledger["reply"]


def test_a_cancelled_response_is_done_once_and_says_how_far_it_was_heard(daemon: Daemon) -> None:
    async def story() -> tuple[list[dict[str, Any]], list[dict[str, Any]], float]:
        caller = await greeted(daemon)
        asked_at = clock.now()
        write(caller, "Can I visit my mother in the evening?")
        onset = await caller.until_onset(asked_at, SECONDS)
        assert onset is not None
        await asyncio.sleep(0.4)
        caller.send({"type": "response.cancel"})
        stopped_at = clock.now()
        done = await caller.until_event("response.done", stopped_at, SECONDS)
        assert done is not None
        caller.send({"type": "response.cancel"})
        await caller.until_event("error", stopped_at, SECONDS)
        quiet = caller.ear.quiet_since(onset) - stopped_at
        await caller.close()
        return told(caller, "response.done"), told(caller, "conversation.item.truncated"), quiet

    done, truncated, sounding_s = asyncio.run(story())

    assert ["completed", "cancelled"] == [one["response"]["status"] for one in done]
    assert "client_cancelled" == done[1]["response"]["status_details"]["reason"]
    assert 100 < truncated[0]["audio_end_ms"] < 1500
    assert sounding_s < 0.5


def test_what_is_not_granted_is_refused_by_name(daemon: Daemon) -> None:
    async def story() -> list[tuple[str, str | None]]:
        caller = await greeted(daemon)
        asked_at = clock.now()
        caller.send({"type": "input_audio_buffer.commit"})
        caller.send({"type": "session.update", "session": {"instructions": "Be rude."}})
        assert await caller.until_event("session.updated", asked_at, SECONDS) is not None
        await caller.close()
        return [(e["error"]["code"], e["error"]["param"]) for e in told(caller, "error")]

    assert [
        ("unsupported_value", "type"),
        ("unsupported_value", "session.instructions"),
    ] == asyncio.run(story())


@pytest.mark.parametrize("token", [None, "ek_forged.x", TOKEN[::-1]])
def test_without_a_token_nobody_is_answered(daemon: Daemon, token: str | None) -> None:
    with pytest.raises(UnavailableError, match="401"):
        asyncio.run(Caller(daemon.url, token).open())

"""A network that dies in the middle of a call, and a caller who is back on another one."""

import asyncio
import re

import pytest

from tests.process.conftest import Daemon, Serve, settings
from voiced.clock import now
from voiced.errors import UnavailableError
from voiced.testing.caller import Caller
from voiced.testing.exchange import HttpExchange
from voiced.testing.impair import Impairment, Weather, impair, redirected

pytestmark = [pytest.mark.process, pytest.mark.timeout(90)]

DEAD = Weather(loss=1.0)


class Proxied(HttpExchange):
    """An exchange whose media goes through a proxy."""

    def __init__(self, url: str, proxy: Impairment, port: int) -> None:
        super().__init__(url)
        self._proxy = proxy
        self._port = port

    async def offer(self, sdp: str) -> str:
        return redirected(await super().offer(sdp), self._port, self._proxy.port)


@pytest.fixture(scope="module")
def daemon(serve: Serve) -> Daemon:
    patience = settings("resume_ms = 4000").replace("[rtc]", "[rtc]\nsilent_deadline_ms = 1500")
    started = serve(patience, fake=True)
    started.wait_for("daemon.ready")
    return started


async def ask(caller: Caller, text: str) -> str:
    """What the agent answers to a written question."""
    asked_at = now()
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    caller.send({"type": "conversation.item.create", "item": item})
    caller.send({"type": "response.create"})
    done = await caller.until_event("response.done", asked_at, 10.0)
    assert done is not None, caller.events
    kind = "response.output_audio_transcript.done"
    return [str(e.body["transcript"]) for e in caller.events if e.body["type"] == kind][-1]


async def greeted(url: str, proxy: Impairment, port: int) -> tuple[Caller, Proxied]:
    exchange = Proxied(url, proxy, port)
    caller = Caller("", exchange=exchange)
    await caller.open()
    assert await caller.until_event("session.created", 0.0, 5.0)
    return caller, exchange


def gauge(daemon: Daemon) -> float:
    found = re.search(r"^voiced_calls (\S+)$", daemon.get("/metrics")[1], re.MULTILINE)
    assert found is not None
    return float(found[1])


@pytest.mark.parametrize("noticed", [True, False], ids=["noticed", "not-noticed-yet"])
def test_the_conversation_outlives_the_network(daemon: Daemon, noticed: bool) -> None:
    """Also where the caller knows of the loss before the daemon does."""
    port = daemon.wait_for("daemon.ready")["udp_port"]

    async def story() -> list[str]:
        proxy = await impair(port, Weather())
        first, before = await greeted(daemon.calls_url, proxy, port)
        await first.until_quiet(300)
        replies = [await ask(first, "Where do I park?")]
        proxy.weather = DEAD
        if noticed:
            await asyncio.to_thread(daemon.wait_for, "call.lost", 10)
        assert 1.0 == gauge(daemon)

        other = await impair(port, Weather())
        second, after = await greeted(f"{daemon.calls_url}?resume={before.session}", other, port)
        assert before._location == after._location
        with pytest.raises(UnavailableError, match="401"):
            await Caller(f"{daemon.calls_url}?resume={before.session}").open()
        await second.until_quiet(300)
        replies.append(await ask(second, "And what does it cost?"))
        assert 1.0 == gauge(daemon)
        before._location = None  # the call is the second's to end
        await second.close()
        await first.close()
        await proxy.close()
        await other.close()
        return replies

    replies = asyncio.run(story())

    assert ["This was question number 1 of yours.", "This was question number 2 of yours."] == [
        reply.strip() for reply in replies
    ]
    daemon.lines[:] = [line for line in daemon.lines if line["event"] != "call.lost"]
    daemon.wait_for("call.closed", 10)


class OneWay(HttpExchange):
    """An exchange for whom the microphone is off."""

    async def offer(self, sdp: str) -> str:
        return await super().offer(sdp.replace("a=sendrecv", "a=recvonly"))


def test_who_begins_without_a_microphone_is_greeted_and_may_return_with_one(
    serve: Serve, daemon: Daemon
) -> None:
    """And it is no reason to fill the log."""

    async def story() -> str:
        before = OneWay(daemon.calls_url)
        first = Caller("", exchange=before)
        await first.open()
        assert await first.until_onset(0.0, 5.0)
        assert await first.until_event("session.created", 0.0, 5.0)
        await asyncio.sleep(3.0)  # twice as long as a line may be silent

        second = Caller(f"{daemon.calls_url}?resume={before.session}")
        await second.open()
        assert await second.until_event("session.created", 0.0, 5.0)
        before._location = None  # the call is the second's to end
        reply = await ask(second, "Where do I park?")
        await second.close()
        await first.close()
        return reply

    ready = daemon.wait_for("daemon.ready")
    daemon.lines[:] = [ready]

    assert "This was question number 1 of yours." == asyncio.run(story()).strip()
    daemon.wait_for("call.closed", 10)
    told = [line["event"] for line in daemon.lines if line["level"] in ("warning", "error")]
    assert 1 >= len(told), told


def test_who_does_not_come_back_frees_his_line(serve: Serve, daemon: Daemon) -> None:
    port = daemon.wait_for("daemon.ready")["udp_port"]

    async def story() -> None:
        proxy = await impair(port, Weather())
        caller, exchange = await greeted(daemon.calls_url, proxy, port)
        exchange._location = None
        daemon.lines[:] = [line for line in daemon.lines if line["event"] != "call.closed"]
        proxy.weather = DEAD
        closed = await asyncio.to_thread(daemon.wait_for, "call.closed", 15)
        assert "lost" == closed["reason"]
        assert 0.0 == gauge(daemon)
        with pytest.raises(UnavailableError, match="401"):
            await Caller(f"{daemon.calls_url}?resume={exchange.session}").open()
        await caller.close()
        await proxy.close()

    asyncio.run(story())

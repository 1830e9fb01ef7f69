"""The connection to the vendor's server: where to; and it outlives whatever goes wrong in it."""

import asyncio

import pytest

from voiced.cartesia import api
from voiced.cartesia.line import Line
from voiced.testing import virtualtime

pytestmark = pytest.mark.unit


class Nobody:
    """An ear that hears nothing."""

    def heard(self, raw: str | bytes) -> None:
        """Nothing comes."""

    def lost(self, reason: str) -> None:
        """Nothing was there."""


def line() -> Line:
    return Line("sonic", "ws://h:5000/tts/websocket", {}, 1.0, Nobody())


@pytest.mark.parametrize(
    ("url", "socket"),
    [
        ("http://h:5000", "ws://h:5000/tts/websocket"),
        ("http://h:5000/", "ws://h:5000/tts/websocket"),
        ("https://h", "wss://h/tts/websocket"),
        ("https://h/sonic", "wss://h/sonic/tts/websocket"),
    ],
)
def test_the_socket_is_as_safe_as_the_address(url: str, socket: str) -> None:
    """A client of the vendor's takes wss for http too, and cannot reach a plain server."""
    assert socket == api.socket_url(url, "/tts/websocket")


def test_without_a_connection_what_is_sent_is_dropped_and_it_is_told_in_time() -> None:
    async def main() -> None:
        closed = line()
        closed.send(b"x")
        closed.hang_up()
        assert not await closed.opened()
        assert 1.0 == asyncio.get_running_loop().time()

    virtualtime.run(main())


def test_a_fault_of_our_own_in_it_ends_no_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is tried again like any other failure."""

    async def main() -> int:
        broken, tries = line(), []

        async def fault() -> float:
            tries.append(1)
            raise RuntimeError

        monkeypatch.setattr(broken, "_live", fault)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(60):
                await broken.keep()
        return len(tries)

    assert 17 == virtualtime.run(main())

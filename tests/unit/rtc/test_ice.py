"""A line is given up when nobody answers on it any more, and not because answers take long."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from aioice import stun

from voiced.rtc.ice import CONSENT_S, Consent
from voiced.testing import virtualtime

pytestmark = pytest.mark.unit

PASSWORD = "of the caller"
ADDRESS = ("192.0.2.7", 4242)

Answer = Callable[[float], tuple[float, stun.Class, str] | None]
"""From when a check was sent: after how many seconds, as what and with which password."""


@dataclass
class Agent:
    """The agent of a connection, its one nominated pair, and who is at the other end of it."""

    answer: Answer
    remote_password: str = PASSWORD
    transactions: dict[bytes, Any] = field(default_factory=dict)
    remote_addr: tuple[str, int] = ADDRESS
    asked: int = 0
    most: int = 0
    """Checks that were waited for at once."""
    closed_at: float | None = None
    _closing: bool = False
    _query_consent_task: object = None

    @property
    def protocol(self) -> "Agent":
        return self

    @property
    def _nominated(self) -> dict[int, "Agent"]:
        return {1: self}

    def build_request(self, _pair: object, *, nominate: bool) -> stun.Message:
        assert not nominate
        return stun.Message(message_method=stun.Method.BINDING, message_class=stun.Class.REQUEST)

    def send_stun(self, message: stun.Message, addr: tuple[str, int]) -> None:
        assert ADDRESS == addr
        assert message.check_message_integrity(PASSWORD.encode())
        loop = asyncio.get_running_loop()
        self.asked += 1
        self.most = max(self.most, len(self.transactions))
        coming = self.answer(loop.time())
        if coming is not None:
            loop.call_later(coming[0], self._answered, message.transaction_id, *coming[1:])

    def _answered(self, number: bytes, kind: stun.Class, password: str) -> None:
        reply = stun.Message(stun.Method.BINDING, kind, transaction_id=number)
        reply.add_message_integrity(password.encode())
        if number in self.transactions:
            self.transactions[number].response_received(reply, ADDRESS)

    async def close(self) -> None:
        self.closed_at = asyncio.get_running_loop().time()


def watched(answer: Answer, seconds: float = 60.0, *, closing: bool = False) -> Agent:
    agent = Agent(answer, _closing=closing)

    async def main() -> None:
        running = asyncio.ensure_future(Consent(agent).run())
        await asyncio.sleep(seconds)
        running.cancel()

    virtualtime.run(main())
    return agent


@pytest.mark.parametrize("delay_s", [0.05, 0.8, 3.0, 5.5])
def test_answers_count_however_late_they_come(delay_s: float) -> None:
    agent = watched(lambda _at: (delay_s, stun.Class.RESPONSE, PASSWORD))

    assert agent.closed_at is None
    assert 45 < agent.asked < 80


def test_a_caller_that_answers_no_more_is_lost_after_seven_seconds() -> None:
    agent = watched(lambda at: (0.05, stun.Class.RESPONSE, PASSWORD) if at < 20 else None)

    assert agent.closed_at is not None
    assert 19 + CONSENT_S < agent.closed_at < 21.5 + CONSENT_S


def test_a_connection_that_was_closed_while_it_was_made_is_not_asked_about() -> None:
    agent = watched(lambda _at: None, closing=True)

    assert (0, 0.0) == (agent.asked, agent.closed_at)


def test_one_answer_in_five_is_enough() -> None:
    heard = iter(range(1000))
    agent = watched(
        lambda _at: (0.1, stun.Class.RESPONSE, PASSWORD) if next(heard) % 5 == 0 else None
    )

    assert agent.closed_at is None


@pytest.mark.parametrize(
    ("kind", "password"), [(stun.Class.RESPONSE, "somebody else's"), (stun.Class.ERROR, PASSWORD)]
)
def test_strangers_answers_and_refusals_do_not_count(kind: stun.Class, password: str) -> None:
    assert watched(lambda _at: (0.05, kind, password)).closed_at is not None


def test_checks_that_nobody_answers_do_not_pile_up() -> None:
    agent = watched(lambda _at: (6.5, stun.Class.RESPONSE, PASSWORD), 600.0)

    assert agent.most <= 9

"""The caller's end of the line: one connection counts, and what the one before tells does not."""

import asyncio
from typing import Any, cast

import pytest

from voiced.call.handset import NO_NETWORK, Handset
from voiced.errors import Refused
from voiced.flow.playout import Playout
from voiced.rtc.edge import Edge, Line
from voiced.rtc.facts import Closed, Connected, Lost, Network, Reason
from voiced.rtc.inbound import Inbound

pytestmark = pytest.mark.unit


class FakePeer:
    """A connection of the fake edge's."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self.sent: list[str] = []
        self.closed = False

    def send(self, text: str) -> None:
        self.sent.append(text)

    def network(self) -> Network:
        return Network(40.0, 0.0, 0.0)

    async def close(self) -> None:
        self.closed = True
        self.line.told(Closed(9.0, "closed"))


class FakeEdge:
    """Answers every offer but "bad"; at most one of its connections is ever open."""

    def __init__(self) -> None:
        self.peers: list[FakePeer] = []

    async def answer(self, offer: str, line: Line) -> tuple[str, Any]:
        assert all(peer.closed for peer in self.peers)
        if offer == "bad":
            raise Refused(400, "not-sdp", "bad")
        self.peers.append(FakePeer(line))
        return f"answer to {offer}", self.peers[-1]


class Site:
    """A handset, and what it told."""

    def __init__(self) -> None:
        self.edge = FakeEdge()
        self.told: list[Any] = []
        nothing = cast(Any, None)
        inbound, playout = cast(Inbound, nothing), cast(Playout, nothing)
        self.handset = Handset(cast(Edge, self.edge), inbound, playout, self.told.append)

    def answer(self, offer: str) -> str:
        return asyncio.run(self.handset.answer(offer))

    def tell(self, number: int, fact: Any) -> None:
        """The connection of that number tells something."""
        self.edge.peers[number].line.told(fact)

    @property
    def kinds(self) -> list[str]:
        return [type(fact).__name__ for fact in self.told]


@pytest.mark.parametrize(
    ("reason", "told"),
    [("lost", "Lost"), ("deadline", "Lost"), ("hangup", "Closed"), ("closed", "Closed")],
)
def test_who_was_connected_may_come_back_unless_he_has_hung_up(reason: Reason, told: str) -> None:
    site = Site()
    site.answer("one")
    site.tell(0, Connected(1.0))
    site.tell(0, Closed(2.0, reason))

    assert ["Connected", told] == site.kinds


def test_who_never_was_connected_is_not_waited_for() -> None:
    site = Site()
    site.answer("one")
    site.tell(0, Closed(2.0, "deadline"))

    assert [Closed(2.0, "deadline")] == site.told


def test_another_connection_takes_the_place_of_one_that_seems_well() -> None:
    """A handset that changes networks knows it seconds before we do."""
    site = Site()
    site.answer("one")
    site.tell(0, Connected(1.0))
    assert "answer to two" == site.answer("two")
    site.tell(0, Closed(3.0, "hangup"))
    site.tell(1, Connected(4.0))
    site.handset.send("hello")

    assert ["Connected", "Lost", "Connected"] == site.kinds
    assert isinstance(site.told[1], Lost)
    assert [[], ["hello"]] == [peer.sent for peer in site.edge.peers]
    assert 40.0 == site.handset.network().rtt_ms


def test_after_an_offer_that_is_refused_nobody_is_there_and_another_may_come() -> None:
    site = Site()
    site.answer("one")
    site.tell(0, Connected(1.0))
    with pytest.raises(Refused):
        site.answer("bad")
    site.handset.send("nobody reads this")

    assert NO_NETWORK == site.handset.network()
    assert "answer to two" == site.answer("two")


def test_closing_closes_the_connection_that_counts() -> None:
    site = Site()
    asyncio.run(site.handset.close())
    site.answer("one")
    asyncio.run(site.handset.close())

    assert [True] == [peer.closed for peer in site.edge.peers]

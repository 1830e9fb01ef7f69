"""Which call a datagram belongs to, and what is dropped. No socket: datagrams are handed in."""

import asyncio

import pytest
from aioice import stun
from hypothesis import given
from hypothesis import strategies as st

from voiced.ops import metrics
from voiced.rtc.mux import Address, Leg, Receiver, UdpMux, unused, username

pytestmark = pytest.mark.unit

ALICE, BOB, EVE = ("192.0.2.1", 1000), ("192.0.2.2", 2000), ("192.0.2.3", 3000)
RTP = b"\x80\x6f" + b"\x00" * 20


class Socket(asyncio.DatagramTransport):
    """What leaves."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[tuple[bytes, Address]] = []
        self.unsent = 0

    def sendto(self, data: bytes, addr: Address) -> None:
        self.sent.append((data, addr))

    def get_write_buffer_size(self) -> int:
        return self.unsent

    def is_closing(self) -> bool:
        return False


class Call:
    """One call behind the mux: it answers every check that names it."""

    def __init__(self, mux: UdpMux) -> None:
        self.received: list[tuple[bytes, Address]] = []
        self.waiting = 0
        self.closed = 0
        self.leg: Leg = mux.add(
            Receiver(
                lambda data, address: self.received.append((data, address)),
                lambda: self.waiting,
                self._lost,
            ),
            unused(mux),
        )

    def _lost(self) -> None:
        self.closed += 1

    def prove(self, address: Address) -> None:
        self.leg.sendto(message(stun.Class.RESPONSE), address)


def message(kind: stun.Class, name: str | None = None) -> bytes:
    one = stun.Message(message_method=stun.Method.BINDING, message_class=kind)
    one.attributes["PRIORITY"] = 1
    if name is not None:
        one.attributes["USERNAME"] = name
    return bytes(one)


def check(name: str) -> bytes:
    return message(stun.Class.REQUEST, f"{name}:theirs")


@pytest.fixture
def socket() -> Socket:
    return Socket()


@pytest.fixture
def clock() -> list[float]:
    """The time, its last."""
    return [100.0]


@pytest.fixture
def mux(socket: Socket, clock: list[float]) -> UdpMux:
    mux = UdpMux(now=lambda: clock[-1])
    mux.connection_made(socket)
    return mux


def dropped(reason: str) -> float:
    return metrics.DATAGRAMS_DROPPED.labels(reason)._value.get()


def test_a_check_finds_its_call_by_name(mux: UdpMux) -> None:
    one, other = Call(mux), Call(mux)
    mux.datagram_received(check(other.leg.name), ALICE)

    assert ([], 1) == (one.received, len(other.received))


def test_media_finds_its_call_by_an_address_that_was_proven(mux: UdpMux) -> None:
    one, other = Call(mux), Call(mux)
    one.prove(ALICE)
    other.prove(BOB)
    mux.datagram_received(RTP, BOB)

    assert ([], [(RTP, BOB)]) == (one.received, other.received)


def test_a_check_alone_proves_nothing(mux: UdpMux) -> None:
    """Who knows a call's name but not its password cannot take over where its media comes from."""
    call = Call(mux)
    before = dropped("stranger")
    mux.datagram_received(check(call.leg.name), EVE)
    mux.datagram_received(RTP, EVE)

    assert [check(call.leg.name)[:20][:2]] == [data[:2] for data, _ in call.received]
    assert 1 == dropped("stranger") - before


@pytest.mark.parametrize("kind", [stun.Class.REQUEST, stun.Class.ERROR, stun.Class.INDICATION])
def test_only_a_success_proves_an_address(mux: UdpMux, kind: stun.Class) -> None:
    call = Call(mux)
    call.leg.sendto(message(kind), EVE)

    assert (1, 0) == mux.size
    mux.datagram_received(RTP, EVE)
    assert [] == call.received


def test_an_address_cannot_be_taken_from_the_call_that_proved_it(mux: UdpMux) -> None:
    """A caller with a password of his own could otherwise forge a neighbour's address."""
    one, thief = Call(mux), Call(mux)
    one.prove(ALICE)
    thief.prove(ALICE)
    mux.datagram_received(RTP, ALICE)

    assert ([(RTP, ALICE)], []) == (one.received, thief.received)


def test_whoever_gets_the_address_of_a_caller_who_has_vanished_is_not_taken_for_them(
    mux: UdpMux, clock: list[float]
) -> None:
    """Their packets would keep the old call alive, and theirs would never connect."""
    vanished, newcomer = Call(mux), Call(mux)
    vanished.prove(ALICE)
    clock.append(clock[-1] + 3.1)
    newcomer.prove(ALICE)
    mux.datagram_received(RTP, ALICE)
    vanished.leg.close()
    mux.datagram_received(RTP, ALICE)

    assert ([], [(RTP, ALICE)] * 2) == (vanished.received, newcomer.received)
    assert (1, 1) == mux.size


def test_a_caller_who_answers_keeps_the_address_however_long(
    mux: UdpMux, clock: list[float]
) -> None:
    one, thief = Call(mux), Call(mux)
    one.prove(ALICE)
    for _ in range(10):
        clock.append(clock[-1] + 1.0)
        mux.datagram_received(message(stun.Class.RESPONSE), ALICE)
        thief.prove(ALICE)
    mux.datagram_received(RTP, ALICE)

    assert ((RTP, ALICE), []) == (one.received[-1], thief.received)


def test_a_closed_call_leaves_nothing_behind(mux: UdpMux) -> None:
    call = Call(mux)
    call.prove(ALICE)
    call.leg.close()
    call.leg.close()
    mux.datagram_received(RTP, ALICE)
    mux.datagram_received(check(call.leg.name), ALICE)
    call.prove(BOB)

    assert ((0, 0), []) == (mux.size, call.received)
    assert call.leg.is_closing()


def test_the_next_call_may_come_from_the_same_address(mux: UdpMux) -> None:
    first = Call(mux)
    first.prove(ALICE)
    first.leg.close()
    second = Call(mux)
    second.prove(ALICE)
    mux.datagram_received(RTP, ALICE)

    assert [(RTP, ALICE)] == second.received


@pytest.mark.parametrize(
    ("datagram", "reason"),
    [
        (b"", "size"),
        (b"\x80" * 3000, "size"),
        (RTP, "stranger"),
        (b"\x16\xfe\xfd" + b"\x00" * 60, "stranger"),
        (message(stun.Class.REQUEST, "nobody:x"), "unknown-name"),
        (message(stun.Class.REQUEST), "unknown-name"),
        (message(stun.Class.RESPONSE), "stranger"),
    ],
)
def test_a_strangers_datagram_is_dropped_and_counted(
    mux: UdpMux, socket: Socket, datagram: bytes, reason: str
) -> None:
    call = Call(mux)
    before = dropped(reason)
    mux.datagram_received(datagram, EVE)

    assert (1, [], []) == (dropped(reason) - before, call.received, socket.sent)


def test_one_call_has_at_most_sixteen_addresses(mux: UdpMux) -> None:
    call = Call(mux)
    for port in range(100):
        call.prove(("192.0.2.9", port + 1))
    before = dropped("too-many-addresses")
    mux.datagram_received(check(call.leg.name), EVE)

    assert (1, 16) == mux.size
    assert 1 == dropped("too-many-addresses") - before


def test_what_a_call_does_not_read_is_dropped(mux: UdpMux) -> None:
    call = Call(mux)
    call.prove(ALICE)
    call.waiting = 256
    mux.datagram_received(RTP, ALICE)
    assert [] == call.received

    call.waiting = 255
    mux.datagram_received(RTP, ALICE)
    assert 1 == len(call.received)


def test_a_call_that_chokes_on_a_datagram_does_not_harm_the_socket(mux: UdpMux) -> None:
    def choke(_data: bytes, _address: Address) -> None:
        raise KeyError("PRIORITY")

    leg = mux.add(Receiver(choke, lambda: 0, lambda: None), unused(mux))
    before = dropped("malformed")
    mux.datagram_received(check(leg.name), ALICE)

    assert 1 == dropped("malformed") - before


def test_nothing_piles_up_on_the_way_out(mux: UdpMux, socket: Socket) -> None:
    call = Call(mux)
    socket.unsent = 1 << 20
    call.leg.sendto(RTP, ALICE)

    assert [] == socket.sent


def test_names_are_never_given_twice(mux: UdpMux) -> None:
    names = {Call(mux).leg.name for _ in range(200)}

    assert 200 == len(names)
    assert all(len(name) == 8 and name.isalnum() for name in names)


def test_a_name_is_new_at_every_socket(mux: UdpMux, monkeypatch: pytest.MonkeyPatch) -> None:
    other, taken = UdpMux(), Call(mux).leg.name
    letters = iter([*taken, *"of-other", *"unused12"])
    monkeypatch.setattr("voiced.rtc.mux.secrets.choice", lambda _alphabet: next(letters))
    other.add(Receiver(lambda _data, _address: None, int, lambda: None), "of-other")

    assert "unused12" == unused(mux, other)


@given(st.binary(max_size=80))
def test_no_datagram_breaks_the_search_for_a_name(rest: bytes) -> None:
    name = username(b"\x00\x01\x00\x00\x21\x12\xa4\x42" + b"\x00" * 12 + rest)

    assert isinstance(name, str)

"""The private parts of aiortc and aioice that `rtc/ice.py` touches are where it looks for them.

A failure here after an update means: read the library's change, then mend `ice.py`.
"""

import asyncio
import inspect
import threading
from importlib.metadata import version

import pytest
from aioice import ice as aioice
from aioice import stun
from aiortc import RTCPeerConnection, RTCRtpReceiver, rtcrtpreceiver, rtcsctptransport
from aiortc.jitterbuffer import JitterBuffer

from voiced.errors import UnavailableError
from voiced.rtc import ice
from voiced.rtc.mux import UdpMux
from voiced.rtc.ports import Door

pytestmark = pytest.mark.unit


def connection_of(pc: RTCPeerConnection) -> aioice.Connection:
    return pc.getTransceivers()[0].receiver.transport.transport.iceGatherer._connection


def with_connection(look) -> None:  # type: ignore[no-untyped-def]
    async def main() -> None:
        pc = ice.peer_connection()
        pc.addTransceiver("audio")
        pc.createDataChannel("x")
        try:
            look(pc)
        finally:
            await pc.close()

    asyncio.run(main())


def test_the_versions_are_those_that_were_read() -> None:
    for name, wanted in ice.VERSIONS.items():
        assert version(name).startswith(wanted)


def test_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ice, "version", lambda _name: "2.0.0")

    with pytest.raises(UnavailableError, match=r"2\.0\.0 is installed"):
        ice.prepare()


def test_no_server_outside_is_ever_asked() -> None:
    def look(pc: RTCPeerConnection) -> None:
        assert connection_of(pc).stun_server is None
        assert connection_of(pc).turn_server is None

    with_connection(look)


def test_a_bundled_connection_has_one_ice_agent() -> None:
    def look(pc: RTCPeerConnection) -> None:
        assert connection_of(pc) is pc.sctp.transport.transport.iceGatherer._connection
        assert connection_of(pc) is ice._agent(pc)

    with_connection(look)


def test_the_receiver_keeps_its_jitter_buffer_where_we_replace_it() -> None:
    def look(pc: RTCPeerConnection) -> None:
        receiver = pc.getTransceivers()[0].receiver
        assert isinstance(getattr(receiver, ice.BUFFER), JitterBuffer)
        source = inspect.getsource(RTCRtpReceiver._handle_rtp_packet)
        assert "pli_flag, encoded_frame = self.__jitter_buffer.add(packet)" in source

    with_connection(look)
    assert ["self", "packet"] == list(inspect.signature(JitterBuffer.add).parameters)


def test_the_thread_of_the_receivers_own_decoder_ends_at_once() -> None:
    """Or each call would have one that waits for ever."""

    async def main() -> None:
        pc = ice.peer_connection()
        receiver = pc.addTransceiver("audio").receiver
        ice.replace_buffer(receiver, receiver)  # type: ignore[arg-type]
        waiting, decoded = getattr(receiver, ice.UNDECODED), asyncio.Queue[None]()
        loop, failed = asyncio.get_running_loop(), threading.Event()
        await asyncio.to_thread(rtcrtpreceiver.decoder_worker, loop, waiting, decoded, failed)
        assert await decoded.get() is None
        await pc.close()

    source = inspect.getsource(RTCRtpReceiver.receive)
    assert "target=decoder_worker" in source
    assert "self.__decoder_queue," in source
    asyncio.run(asyncio.wait_for(main(), 5))


def test_the_agent_gathers_through_the_method_that_we_replace() -> None:
    source = inspect.getsource(aioice.Connection.gather_candidates)

    assert "self.get_component_candidates(component=component, addresses=addresses)" in source


def test_the_agent_has_the_attributes_that_we_read_and_write() -> None:
    def look(pc: RTCPeerConnection) -> None:
        agent = connection_of(pc)
        agent._local_username = "ours1234"
        assert "ours1234" == agent.local_username
        gatherer = pc.getTransceivers()[0].receiver.transport.transport.iceGatherer
        assert "ours1234" == gatherer.getLocalParameters().usernameFragment
        assert [] == agent._protocols
        assert 0 == agent._queue.qsize()
        agent.data_received(b"x", 1)
        assert 1 == agent._queue.qsize()

    with_connection(look)


def test_pieces_of_messages_wait_where_we_count_them() -> None:
    def look(pc: RTCPeerConnection) -> None:
        assert 0 == ice.unfinished(pc)
        pc.sctp._get_inbound_stream(1).add_chunk(rtcsctptransport.DataChunk())
        assert 1 == ice.unfinished(pc)

    with_connection(look)


def test_a_stun_protocol_uses_its_transport_as_we_stand_in_for_it() -> None:
    sources = [
        inspect.getsource(method)
        for method in (
            aioice.StunProtocol.close,
            aioice.StunProtocol.send_stun,
            aioice.StunProtocol.send_data,
        )
    ]

    assert ["self.transport.close()" in s or "self.transport.sendto(" in s for s in sources] == [
        True
    ] * 3
    signature = inspect.signature(aioice.StunProtocol.datagram_received)
    assert ["self", "data", "addr"] == list(signature.parameters)


def test_a_success_response_begins_as_the_mux_expects() -> None:
    message = stun.Message(message_method=stun.Method.BINDING, message_class=stun.Class.RESPONSE)

    assert (b"\x01\x01", b"\x21\x12\xa4\x42") == (bytes(message)[:2], bytes(message)[4:8])


def test_the_timer_exists_and_is_read_when_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rtcsctptransport, "SCTP_RTO_MIN", rtcsctptransport.SCTP_RTO_MIN)
    ice.prepare()

    assert 0.2 == rtcsctptransport.SCTP_RTO_MIN
    assert "max(SCTP_RTO_MIN" in inspect.getsource(rtcsctptransport.RTCSctpTransport)


def test_the_agent_asks_for_consent_where_we_stand_in_for_it() -> None:
    begun, asked, answered = (
        inspect.getsource(method)
        for method in (
            aioice.Connection.connect,
            aioice.Connection.query_consent,
            aioice.StunProtocol.datagram_received,
        )
    )

    assert "self._query_consent_task = asyncio.create_task(self.query_consent())" in begun
    assert "for pair in self._nominated.values():" in asked
    assert "self.build_request(pair, nominate=False)" in asked
    assert "pair.remote_addr," in asked
    assert "integrity_key=self.remote_password" in asked
    assert "transaction = self.transactions[message.transaction_id]" in answered
    assert "transaction.response_received(message, addr)" in answered
    assert "self._closing = True" in inspect.getsource(aioice.Connection.close)


def test_only_opus_is_left_of_the_codecs() -> None:
    def look(pc: RTCPeerConnection) -> None:
        transceiver = pc.getTransceivers()[0]
        ice.only(transceiver, "audio/opus")
        assert ["audio/opus"] == [c.mimeType for c in transceiver._preferred_codecs]

    with_connection(look)


def test_telephone_events_are_answered_and_routed_like_the_sound() -> None:
    """The receiver and the router know them by the list that we add to."""

    async def main() -> None:
        caller, called = ice.peer_connection(), ice.peer_connection()
        caller.addTransceiver("audio")
        called.addTransceiver("audio")
        transceiver = called.getTransceivers()[0]
        offer = await caller.createOffer()
        await called.setRemoteDescription(offer)
        ice.accept_keys(transceiver, 126, 48000)
        answer = await called.createAnswer()
        source = inspect.getsource(RTCPeerConnection._RTCPeerConnection__remoteRtp)

        assert "a=rtpmap:126 telephone-event/48000" in answer.sdp.splitlines()
        assert "codecs=transceiver._codecs" in source
        await caller.close()
        await called.close()

    asyncio.run(main())


def test_a_confined_connection_offers_the_mux_and_nothing_else() -> None:
    async def main() -> None:
        mux = await UdpMux.open("127.0.0.1", 0)
        pc = ice.peer_connection()
        pc.addTransceiver("audio")
        leg = ice.confine(pc, [Door(mux, "192.0.2.7")])
        await pc.setLocalDescription(await pc.createOffer())
        lines = pc.localDescription.sdp.splitlines()
        candidates = [line.split() for line in lines if line.startswith("a=candidate")]

        assert [["192.0.2.7", str(mux.port)]] == [c[4:6] for c in candidates]
        assert f"a=ice-ufrag:{leg.name}" in lines
        await pc.close()
        assert (0, 0) == mux.size
        mux.close()
        await asyncio.sleep(0)

    asyncio.run(main())

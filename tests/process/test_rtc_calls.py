"""Real calls over loopback between the edge and callers: sound both ways, ends, churn."""

import asyncio
import gc
import os
import socket
import threading
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from aiortc import RTCRtpReceiver, RTCSessionDescription
from aiortc.rtcrtpparameters import RTCRtpReceiveParameters

from voiced import clock
from voiced.audio.pcm import HEARING_HZ, SPEAKING_HZ, Pcm
from voiced.config.settings import Rtc
from voiced.errors import ConfigError, Refused, UnavailableError
from voiced.flow.cancel import Live, Take
from voiced.flow.playout import Played, Playout
from voiced.rtc import ice
from voiced.rtc.edge import Edge, Line, Peer
from voiced.rtc.facts import ChannelOpened, Closed, Connected, PeerFact, Received
from voiced.rtc.inbound import Inbound
from voiced.testing import caller
from voiced.testing.caller import Caller
from voiced.testing.exchange import DirectExchange

pytestmark = pytest.mark.process

GREETING = Take(0, 0)


class Desk:
    """The daemon's side of one call, without a mind: what it was told, and what it plays."""

    def __init__(self, edge: Edge) -> None:
        self.facts: list[PeerFact] = []
        self.played: list[Played] = []
        self.live = Live()
        self.inbound = Inbound()
        self.playout = Playout(self.live, self.played.append)
        self.exchange = DirectExchange(edge, Line(self.inbound, self.playout, self.facts.append))
        self.caller = Caller("", exchange=self.exchange)

    @property
    def peer(self) -> Peer:
        assert self.exchange.peer is not None
        return self.exchange.peer

    @property
    def ending(self) -> str | None:
        return next((fact.reason for fact in self.facts if isinstance(fact, Closed)), None)

    def speak(self, pcm: Pcm) -> None:
        self.playout.released = GREETING
        self.playout.write(GREETING, pcm)
        self.playout.complete = GREETING

    async def until(self, kind: type[PeerFact], limit_s: float = 5.0) -> PeerFact:
        async with asyncio.timeout(limit_s):
            while True:
                for fact in self.facts:
                    if isinstance(fact, kind):
                        return fact
                await asyncio.sleep(0.02)

    async def close(self) -> None:
        await self.caller.close()
        if self.exchange.peer is not None:
            await self.exchange.peer.close()
        self.inbound.close()
        self.playout.close()


def tone(hertz: float, seconds: float, hz: int) -> Pcm:
    at = np.arange(int(seconds * hz)) / hz
    pcm: Pcm = (8000 * np.sin(2 * np.pi * hertz * at)).astype(np.int16)
    return pcm


def pitch(pcm: Pcm) -> float:
    spectrum = np.abs(np.fft.rfft(pcm.astype(float) * np.hanning(len(pcm))))
    return float(np.argmax(spectrum)) * HEARING_HZ / len(pcm)


def hear(desk: Desk) -> Pcm:
    """The loudest second that the caller heard."""
    return loudest(np.concatenate(desk.caller.ear._pcm))


def loudest(pcm: Pcm) -> Pcm:
    size = HEARING_HZ // 2
    windows = [pcm[i : i + size] for i in range(0, len(pcm) - size, size // 4)]
    return max(windows, key=lambda w: float(np.mean(w.astype(float) ** 2)))


def on_an_edge(
    main: Callable[[Edge], Coroutine[Any, Any, None]], settings: Rtc | None = None
) -> None:
    async def opened() -> None:
        edge = await Edge.open(settings or Rtc(port=0))
        try:
            await main(edge)
        finally:
            await edge.close(2.0)

    asyncio.run(opened())


def test_a_caller_is_connected_once_a_program_can_read_along_or_a_moment_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def waited(edge: Edge) -> tuple[float, list[type]]:
        desk = Desk(edge)
        await desk.caller.open()
        connected = await desk.until(Connected)
        await asyncio.sleep(0.1)
        kinds = [type(fact) for fact in desk.facts]
        await desk.close()
        return connected.at - desk.caller.connected_at, kinds

    async def main(edge: Edge) -> None:
        _, kinds = await waited(edge)
        monkeypatch.setattr(caller, "LABEL", "another")
        late_s, alone = await waited(edge)

        assert [Connected, ChannelOpened] == kinds
        assert [Connected] == alone
        assert late_s > 0.3

    on_an_edge(main)


def test_sound_and_messages_go_both_ways() -> None:
    async def main(edge: Edge) -> None:
        desk = Desk(edge)
        connected_ms = await desk.caller.open()
        desk.peer.send('{"type": "early"}')
        await desk.caller.until_event("early", 0.0, 5.0)  # open at the caller's end too
        desk.speak(tone(660, 1.0, SPEAKING_HZ))
        desk.caller.send({"type": "hello"})
        said = await desk.caller.say(tone(440, 0.8, HEARING_HZ), after_silence_ms=None)
        received = await desk.until(Received)
        await asyncio.sleep(0.5)
        ring = desk.inbound.ring

        assert connected_ms < 5000
        assert isinstance(received, Received)
        assert '{"type": "hello"}' == received.text.reveal()
        assert ["early"] == [event.body["type"] for event in desk.caller.events]
        assert pytest.approx(660, abs=5) == pitch(hear(desk))
        assert pytest.approx(440, abs=5) == pitch(loudest(ring.copy(0, ring.written)))
        assert [False, True] == [played.finished for played in desk.played]
        assert pytest.approx(0.8, abs=0.1) == said.last_voiced_at - said.first_voiced_at
        assert desk.inbound.instant(ring.written) < said.last_voiced_at + 2.0
        await desk.caller.close()
        closed = await desk.until(Closed, 1.0)
        assert isinstance(closed, Closed)
        assert "hangup" == closed.reason
        await desk.close()

    on_an_edge(main)


def test_a_network_that_dies_is_a_lost_line_and_no_hanging_up() -> None:
    """The agent of ICE notices first, and closes the connection under us."""

    async def main(edge: Edge) -> None:
        desk = Desk(edge)
        await desk.caller.open()
        ice.vanish(desk.caller._connection)
        closed = await desk.until(Closed, 14.0)
        assert isinstance(closed, Closed)
        assert "lost" == closed.reason
        await desk.close()

    on_an_edge(main)


def test_three_calls_at_once_each_hear_only_their_own() -> None:
    async def main(edge: Edge) -> None:
        desks = [Desk(edge) for _ in range(3)]
        await asyncio.gather(*(desk.caller.open() for desk in desks))
        for desk, hertz in zip(desks, (440, 660, 880), strict=True):
            desk.speak(tone(hertz, 1.2, SPEAKING_HZ))
        await asyncio.gather(
            *(
                desk.caller.say(tone(hertz, 1.2, HEARING_HZ), after_silence_ms=None)
                for desk, hertz in zip(desks, (500, 700, 900), strict=True)
            )
        )
        await asyncio.sleep(0.3)

        for desk, hertz in zip(desks, (440, 660, 880), strict=True):
            assert pytest.approx(hertz, abs=5) == pitch(hear(desk))
        for desk, hertz in zip(desks, (500, 700, 900), strict=True):
            ring = desk.inbound.ring
            assert pytest.approx(hertz, abs=5) == pitch(loudest(ring.copy(0, ring.written)))
        await asyncio.gather(*(desk.close() for desk in desks))

    on_an_edge(main)


def test_a_caller_who_vanishes_is_lost_in_time() -> None:
    """No goodbye: the socket is simply gone. Nothing of him is heard for 1.5 s."""

    async def main(edge: Edge) -> None:
        desk = Desk(edge)
        await desk.caller.open()
        await desk.until(Connected)
        agent = desk.caller._connection.getTransceivers()[0].receiver.transport.transport
        for protocol in agent._connection._protocols:
            protocol.transport.abort()
        closed = await desk.until(Closed, 4.0)

        assert isinstance(closed, Closed)
        assert "lost" == closed.reason
        await desk.close()

    on_an_edge(main, Rtc(port=0, silent_deadline_ms=1500))


def test_an_offer_that_is_never_followed_by_a_call_is_closed_at_the_deadline() -> None:
    async def main(edge: Edge) -> None:
        desks = [Desk(edge) for _ in range(8)]
        for desk in desks:
            await offered(desk)
        closed = [await desk.until(Closed, 3.0) for desk in desks]

        assert {"deadline"} == {fact.reason for fact in closed if isinstance(fact, Closed)}
        await asyncio.sleep(0.2)
        assert (0, 0) == edge._ports.size
        for desk in desks:
            await desk.close()

    on_an_edge(main, Rtc(port=0, connect_deadline_ms=500))


async def offered(desk: Desk) -> str:
    """The answer to an offer of the caller's, with which nothing is done yet."""
    pc = desk.caller._connection
    pc.addTrack(desk.caller._microphone)
    await pc.setLocalDescription(await pc.createOffer())
    return await desk.exchange.offer(pc.localDescription.sdp)


def test_a_path_over_which_no_keys_are_agreed_is_closed_at_the_deadline() -> None:
    """Its checks are answered all along: packets that come are no call."""

    async def main(edge: Edge) -> None:
        desk = Desk(edge)
        answer = await offered(desk)
        pc = desk.caller._connection
        dtls = pc.getTransceivers()[0].receiver.transport

        async def say_nothing(_parameters: object) -> None: ...

        dtls.start = say_nothing
        await pc.setRemoteDescription(RTCSessionDescription(answer, "answer"))
        closed = await desk.until(Closed, 10.0)

        assert isinstance(closed, Closed)
        assert "deadline" == closed.reason
        assert "completed" == dtls.transport.state
        assert desk.peer._legs.received_at > 0.0
        await desk.close()

    on_an_edge(main, Rtc(port=0, connect_deadline_ms=3000))


def test_an_offer_that_is_posted_twice_is_one_call_and_one_that_never_connects() -> None:
    """A proxy that tries again, or a program that did not wait."""

    async def main(edge: Edge) -> None:
        desk, first = Desk(edge), Desk(edge)
        offer = desk.exchange.offer

        async def twice(sdp: str) -> str:
            await first.exchange.offer(sdp)
            return await offer(sdp)

        desk.exchange.offer = twice  # type: ignore[method-assign]
        await desk.caller.open()
        await desk.until(Connected)
        await first.until(Closed, 10.0)
        desk.speak(tone(660, 0.6, SPEAKING_HZ))
        await asyncio.sleep(1.0)

        assert "deadline" == first.ending
        assert pytest.approx(660, abs=5) == pitch(hear(desk))
        assert None is desk.ending
        await desk.close()
        await first.close()

    on_an_edge(main, Rtc(port=0, connect_deadline_ms=3000))


async def with_a_track_that_has_stopped(desk: Desk) -> None:
    await desk.caller.open()
    desk.caller._microphone.stop()
    await asyncio.sleep(0.1)
    await desk.peer.close()


async def by_somebody_who_is_given_up(desk: Desk) -> None:
    await desk.caller.open()
    closing = asyncio.ensure_future(desk.peer.close())
    await asyncio.sleep(0)
    closing.cancel()


async def while_it_connects(desk: Desk) -> None:
    answer = await offered(desk)
    pc = desk.caller._connection
    connecting = asyncio.ensure_future(
        pc.setRemoteDescription(RTCSessionDescription(answer, "answer"))
    )
    await asyncio.sleep(0.01)
    await desk.peer.close()
    await connecting


async def as_its_keys_are_agreed_on(desk: Desk) -> None:
    """The receiver is started when the connection has stopped it already."""
    await desk.caller.open()
    connection = desk.peer._connection
    transceiver = connection.getTransceivers()[0]
    late = RTCRtpReceiver("audio", transceiver.receiver.transport)
    late._track, stop = transceiver.receiver.track, transceiver.stop

    async def stopped() -> None:
        await stop()
        transceiver._RTCRtpTransceiver__receiver = late
        await late.receive(RTCRtpReceiveParameters())
        late.transport._unregister_rtp_receiver(late)  # its DTLS is stopped before it runs

    transceiver.stop = stopped  # type: ignore[method-assign]
    await desk.peer.close()


@pytest.mark.parametrize(
    "end",
    [
        as_its_keys_are_agreed_on,
        with_a_track_that_has_stopped,
        by_somebody_who_is_given_up,
        while_it_connects,
    ],
)
def test_however_a_call_is_closed_nothing_is_left_of_it(
    end: Callable[[Desk], Awaitable[None]],
) -> None:
    async def once(edge: Edge) -> None:
        desk = Desk(edge)
        await end(desk)
        await desk.until(Closed, 2.0)
        await desk.close()

    async def main(edge: Edge) -> None:
        await once(edge)
        await settled(edge)
        before = await footprint(edge)
        for _ in range(4):
            await once(edge)
        await settled(edge)
        after = await footprint(edge)

        del before["callers' tasks"], after["callers' tasks"]  # theirs end when they like
        assert before == after

    on_an_edge(main)


def test_closing_twice_at_once_is_one_end() -> None:
    async def main(edge: Edge) -> None:
        desk = Desk(edge)
        await desk.caller.open()
        async with asyncio.timeout(2.0):
            await asyncio.gather(desk.peer.close(), desk.peer.close())
            await desk.peer.close()

        assert ["closed"] == [f.reason for f in desk.facts if isinstance(f, Closed)]
        assert isinstance(desk.facts[-1], Closed)
        await desk.close()

    on_an_edge(main)


def test_the_edge_closes_with_calls_still_up() -> None:
    async def main(edge: Edge) -> None:
        desks = [Desk(edge) for _ in range(2)]
        await asyncio.gather(*(desk.caller.open() for desk in desks))
        await edge.close(2.0)

        assert ["closed", "closed"] == [desk.ending for desk in desks]
        for desk in desks:
            await desk.close()

    on_an_edge(main)


@pytest.mark.timeout(60)
def test_calls_after_one_another_leave_nothing_behind() -> None:
    """32 calls: tasks, threads and file descriptors are what they were."""

    async def one(edge: Edge) -> None:
        desk = Desk(edge)
        await desk.caller.open()
        await desk.until(ChannelOpened)
        await desk.close()

    async def main(edge: Edge) -> None:
        await one(edge)
        await settled(edge)
        before = await footprint(edge)
        for _ in range(32):
            await one(edge)
        await settled(edge)

        assert before == await footprint(edge)

    on_an_edge(main)


async def settled(edge: Edge) -> None:
    await asyncio.sleep(0.6)
    gc.collect()


async def footprint(edge: Edge) -> dict[str, object]:
    async def on_the_rtc_loop() -> int:
        return len(asyncio.all_tasks())

    tasks = asyncio.run_coroutine_threadsafe(on_the_rtc_loop(), edge._loop)
    return {
        "callers' tasks": len(asyncio.all_tasks()),
        "tasks": await asyncio.wrap_future(tasks),
        "threads": threading.active_count(),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "mux": edge._ports.size,
        "peers": len(edge._peers),
    }


def test_a_caller_may_close_his_channel_and_open_another() -> None:
    """Only one counts at a time, and only by its name."""

    async def main(edge: Edge) -> None:
        desk = Desk(edge)
        await desk.caller.open()
        await desk.until(ChannelOpened)
        desk.caller._connection.createDataChannel("telemetry")
        assert desk.caller._channel is not None
        desk.caller._channel.close()
        await asyncio.sleep(0.3)
        desk.peer.send('{"type": "nobody reads this"}')
        await asyncio.sleep(0.1)
        other = desk.caller._connection.createDataChannel("chat")
        other.on("message", desk.caller._received)
        await asyncio.sleep(0.3)
        desk.peer.send('{"type": "again"}')
        await asyncio.sleep(0.3)

        assert 2 == sum(isinstance(fact, ChannelOpened) for fact in desk.facts)
        assert ["again"] == [event.body["type"] for event in desk.caller.events]
        await desk.close()

    on_an_edge(main)


def test_a_caller_notices_that_the_daemon_has_hung_up() -> None:
    """Whatever he is doing, he does not wait for what will not come."""

    async def main(edge: Edge) -> None:
        desk = Desk(edge)
        await desk.caller.open()
        saying = asyncio.ensure_future(desk.caller.say(tone(300, 5, HEARING_HZ), None))
        hearing = asyncio.ensure_future(desk.caller.until_onset(0.0, 10.0))
        reading = asyncio.ensure_future(desk.caller.until_event("x", 0.0, 10.0))
        await asyncio.sleep(0.2)
        await desk.peer.close()
        async with asyncio.timeout(2.0):
            with pytest.raises(ConnectionError):
                await saying
            with pytest.raises(ConnectionError):
                await desk.caller.say(tone(300, 1, HEARING_HZ), None)

            assert [None, None] == [await hearing, await reading]
        assert desk.caller.over
        await desk.close()

    on_an_edge(main)


def test_an_edge_that_is_closed_refuses_and_says_so() -> None:
    async def main(edge: Edge) -> None:
        await edge.close(1.0)
        desk = Desk(edge)
        with pytest.raises(Refused) as refused:
            await desk.caller.open()

        assert (503, "closing") == (refused.value.status, refused.value.kind)
        await desk.close()

    on_an_edge(main)


@pytest.mark.parametrize("losing", [False, True], ids=["clean", "after-a-loss"])
def test_what_is_said_is_heard_at_once(losing: bool) -> None:
    """From the microphone's hand-over to the ring in 15 ms; a loss makes nothing slower after it.

    A jitter buffer that waits, as aiortc's own, takes 80 ms, and 280 ms once a packet was lost.
    """

    async def main(edge: Edge) -> None:
        desk = Desk(edge)
        spoken, heard = note_clicks(desk)
        await desk.caller.open()
        if losing:
            lose_one(desk, 60)
        await asyncio.sleep(5.0)
        delays = [min(h - s for h in heard if h >= s) for s in spoken[4:] if s < heard[-1]]
        await desk.close()

        assert (1 if losing else 0) == desk.inbound.lost
        assert len(delays) >= 5
        assert sorted(delays)[len(delays) // 2] < 0.015

    on_an_edge(main)


def note_clicks(desk: Desk) -> tuple[list[float], list[float]]:
    """A loud frame every half second: when each is handed over, and when it is in the ring."""
    spoken: list[float] = []
    heard: list[float] = []
    frames = 0
    write = desk.inbound.ring.write

    def click(at: float) -> Pcm:
        nonlocal frames
        frames += 1
        if frames % 25:
            return np.zeros(320, np.int16)
        spoken.append(clock.now())
        return tone(1000, 0.02, HEARING_HZ)

    def written(pcm: Pcm) -> None:
        write(pcm)
        if np.abs(pcm).max(initial=0) > 2000 and (not heard or clock.now() - heard[-1] > 0.2):
            heard.append(clock.now())

    desk.caller._microphone._next = click  # type: ignore[method-assign]
    desk.inbound.ring.write = written  # type: ignore[method-assign]
    return spoken, heard


def lose_one(desk: Desk, number: int) -> None:
    """The packet of that number is never sent."""
    transport = desk.caller._connection.getTransceivers()[0].receiver.transport
    send, sent = transport._send_rtp, 0

    async def lossy(data: bytes) -> None:
        nonlocal sent
        sent += data[1] & 0x7F == 96  # the rest is RTCP
        if sent != number or data[1] & 0x7F != 96:
            await send(data)

    transport._send_rtp = lossy


def test_a_caller_who_is_muted_is_not_dropped_and_is_heard_when_he_is_not() -> None:
    """No sound at all comes from him, for longer than a silent line may last; his checks do."""

    async def main(edge: Edge) -> None:
        desk = Desk(edge)
        await desk.caller.open()
        await desk.until(Connected)
        dtls = desk.caller._connection.getTransceivers()[0].receiver.transport
        send, muted = dtls._send_rtp, True

        async def perhaps(data: bytes) -> None:
            if not muted:
                await send(data)

        dtls._send_rtp = perhaps
        await asyncio.sleep(0.2)
        before = desk.inbound.packets
        desk.speak(tone(660, 0.6, SPEAKING_HZ))
        await asyncio.sleep(4.0)
        assert before == desk.inbound.packets
        assert None is desk.ending
        assert pytest.approx(660, abs=5) == pitch(hear(desk))

        muted = False
        await desk.caller.say(tone(440, 0.6, HEARING_HZ), after_silence_ms=None)
        await asyncio.sleep(0.3)
        ring = desk.inbound.ring
        assert pytest.approx(440, abs=5) == pitch(loudest(ring.copy(0, ring.written)))
        await desk.close()

    on_an_edge(main, Rtc(port=0, silent_deadline_ms=3000))


def test_an_address_of_another_machine_is_named() -> None:
    with pytest.raises(UnavailableError, match=r"rtc: cannot listen on UDP 192\.0\.2\.1 port 0"):
        asyncio.run(Edge.open(Rtc(host="192.0.2.1", port=0)))


def test_a_port_that_is_taken_is_named() -> None:
    async def main(edge: Edge) -> None:
        with pytest.raises(UnavailableError, match=f"UDP 127.0.0.1 port {edge.port}"):
            await Edge.open(Rtc(port=edge.port))

    on_an_edge(main)


@pytest.mark.parametrize("direction", ["recvonly", "sendonly", "inactive"])
def test_a_caller_may_only_listen_or_only_speak_or_neither(direction: str) -> None:
    """The microphone may be off at first; the greeting is heard. And the pulse never stops."""

    async def main(edge: Edge) -> None:
        desk = Desk(edge)
        offer = desk.exchange.offer

        async def directed(sdp: str) -> str:
            return await offer(sdp.replace("a=sendrecv", f"a={direction}"))

        desk.exchange.offer = directed  # type: ignore[method-assign]
        await desk.caller.open()
        await desk.until(Connected)
        desk.speak(tone(660, 0.6, SPEAKING_HZ))
        await asyncio.sleep(1.2)

        assert [False, True] == [played.finished for played in desk.played]
        assert desk.inbound.ring.written > 0.8 * HEARING_HZ
        heard = desk.caller.onset_after(0.0) is not None
        assert (direction == "recvonly") == heard
        await desk.close()

    on_an_edge(main)


def test_a_message_before_the_channel_and_too_many_of_them() -> None:
    """The first fifty wait; the rest is dropped. Nothing is sent out of order."""

    async def main(edge: Edge) -> None:
        desk = Desk(edge)
        opening: Awaitable[float] = asyncio.ensure_future(desk.caller.open())
        while desk.exchange.peer is None:  # noqa: ASYNC110 - before the channel is there
            await asyncio.sleep(0)
        for number in range(60):
            desk.peer.send(f'{{"type": "n", "number": {number}}}')
        await opening
        await desk.until(ChannelOpened)
        await asyncio.sleep(0.3)

        assert list(range(50)) == [event.body["number"] for event in desk.caller.events]
        await desk.close()

    on_an_edge(main)


def bare(sdp: str) -> str:
    """An offer as a simple device writes it: no mids, no bundle, no data channel."""
    audio = sdp.partition("m=application")[0]
    kept = [x for x in audio.splitlines() if not x.startswith(("a=mid", "a=group", "a=extmap"))]
    return "\r\n".join(kept) + "\r\n"


def with_spares(sdp: str) -> str:
    """The offer with a second audio and a video section behind it, in the same bundle."""
    audio = sdp[sdp.index("m=audio") : sdp.index("m=application")]
    second = audio.replace("a=mid:0", "a=mid:2")
    video = audio.replace("m=audio", "m=video").replace("a=mid:0", "a=mid:3")
    video = video.replace("a=rtpmap:96 opus/48000/2", "a=rtpmap:96 AV1/90000")
    return sdp.replace("BUNDLE 0 1", "BUNDLE 0 1 2 3") + second + video


@pytest.mark.parametrize("shape", [bare, with_spares])
def test_offers_of_other_shapes_become_calls(shape: Callable[[str], str]) -> None:
    async def main(edge: Edge) -> None:
        desk = Desk(edge)
        offer = desk.exchange.offer
        answers: list[str] = []

        async def shaped(sdp: str) -> str:
            answers.append(await offer(shape(sdp)))
            used = answers[0].partition("m=application" if shape is bare else "a=mid:2")[0]
            return used[: used.rindex("m=")] if shape is with_spares else with_data(used, sdp)

        desk.exchange.offer = shaped  # type: ignore[method-assign]
        await desk.caller.open()
        await desk.until(Connected)
        desk.speak(tone(660, 0.6, SPEAKING_HZ))
        await desk.caller.say(tone(440, 0.5, HEARING_HZ), after_silence_ms=None)
        await asyncio.sleep(0.4)

        ring = desk.inbound.ring
        assert pytest.approx(440, abs=5) == pitch(loudest(ring.copy(0, ring.written)))
        assert pytest.approx(660, abs=5) == pitch(hear(desk))
        assert ("a=group" in answers[0]) == (shape is with_spares)
        assert (2 if shape is with_spares else 0) == answers[0].count("a=inactive")
        await desk.close()

    on_an_edge(main)


def with_data(answer: str, offer: str) -> str:
    """The answer, with what our own caller needs to read it: mids, and its data section refused."""
    answer = answer.replace("a=rtcp-mux", "a=rtcp-mux\r\na=mid:0")
    lines = answer[answer.index("m=audio") :].splitlines()
    shared = [x for x in lines if x.startswith(("a=ice", "a=fing", "a=setup", "a=cand", "a=end"))]
    data = offer[offer.index("m=application") :].splitlines()[0:5]
    return answer + "\r\n".join([*data, *shared]) + "\r\n"


def test_a_call_over_ipv6() -> None:
    async def main(edge: Edge) -> None:
        desk = Desk(edge)
        desk.exchange.host = "::1"
        await desk.caller.open()
        await desk.until(ChannelOpened)
        await desk.close()

    on_an_edge(main, Rtc(host="::1", port=0))


BOTH = Rtc(host="127.0.0.1", host_v6="::1", port=0)


def test_callers_of_both_families_are_served_on_one_port_at_once() -> None:
    """Each hears its own call; the other family's socket knows nothing of them."""

    async def main(edge: Edge) -> None:
        old, new = Desk(edge), Desk(edge)
        new.exchange.host = "::1"
        await asyncio.gather(old.caller.open(), new.caller.open())
        for desk, hertz in ((old, 440), (new, 660)):
            await desk.until(ChannelOpened)
            desk.speak(tone(hertz, 0.8, SPEAKING_HZ))
        await asyncio.gather(
            old.caller.say(tone(500, 0.8, HEARING_HZ), after_silence_ms=None),
            new.caller.say(tone(700, 0.8, HEARING_HZ), after_silence_ms=None),
        )
        await asyncio.sleep(0.4)

        for desk, out, back in ((old, 440, 500), (new, 660, 700)):
            ring = desk.inbound.ring
            assert pytest.approx(out, abs=5) == pitch(hear(desk))
            assert pytest.approx(back, abs=5) == pitch(loudest(ring.copy(0, ring.written)))
            assert {edge.port} == desk.peer._legs.ports
        v4, v6 = (door.mux for door in edge._ports._shared)
        assert {"127.0.0.1"} == {host for host, _ in v4._addresses}
        assert {"::1"} == {host for host, _ in v6._addresses}
        assert (2, 2) == (v4.size[0], v6.size[0])
        await asyncio.gather(old.close(), new.close())
        assert (0, 0) == edge._ports.size

    on_an_edge(main, BOTH)


@pytest.mark.parametrize("public", [False, True], ids=["as-bound", "behind-a-nat"])
def test_of_each_family_one_address_is_named_and_no_other(public: bool) -> None:
    """IPv6 is preferred (RFC 8421); who reads `c=` alone is told of IPv4."""
    nat = {"public_host": "203.0.113.9", "public_host_v6": "2001:db8::9"} if public else {}
    settings = replace(BOTH, **nat)
    v4, v6 = nat.values() or ("127.0.0.1", "::1")

    async def main(edge: Edge) -> None:
        desk = Desk(edge)
        lines = (await offered(desk)).splitlines()
        named = {tuple(c.split()[3:8]) for c in lines if c.startswith("a=candidate")}
        ranked = sorted(named, key=lambda one: -int(one[0]))

        port = str(edge.port)
        assert [(v6, port), (v4, port)] == [(host, at) for _, host, at, _, _ in ranked]
        assert {("typ", "host")} == {(typ, kind) for *_, typ, kind in ranked}
        assert f"c=IN IP4 {v4}" in lines
        await desk.close()

    on_an_edge(main, settings)


def test_a_family_whose_port_is_taken_is_named_and_the_other_let_go() -> None:
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as taken:
        taken.bind(("::1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(UnavailableError, match=f"UDP ::1 port {port}"):
            asyncio.run(Edge.open(replace(BOTH, port=port)))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", port))


def test_out_of_a_range_a_call_has_its_port_in_both_families() -> None:
    first, last = free_ports(2)

    async def main(edge: Edge) -> None:
        desks = [Desk(edge), Desk(edge)]
        desks[1].exchange.host = "::1"
        for desk in desks:
            await desk.caller.open()
            await desk.until(Connected)
        assert [{first}, {last}] == [desk.peer._legs.ports for desk in desks]
        for desk in desks:
            await desk.close()
        await asyncio.sleep(0.3)
        assert all(mux.closed for mux in edge._ports._own)

    on_an_edge(main, replace(BOTH, port_range=(first, last)))


def free_ports(count: int) -> tuple[int, int]:
    """A range of ports that nobody has."""
    for first in range(40_000, 60_000, count):
        sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(count)]
        try:
            for offset, one in enumerate(sockets):
                one.bind(("127.0.0.1", first + offset))
        except OSError:
            continue
        finally:
            for one in sockets:
                one.close()
        return first, first + count - 1
    raise AssertionError("no free ports")


def test_out_of_a_range_each_call_has_a_port_of_its_own_and_gives_it_back() -> None:
    first, last = free_ports(2)

    async def main(edge: Edge) -> None:
        desks = [Desk(edge) for _ in range(2)]
        for desk in desks:
            await desk.caller.open()
            await desk.until(ChannelOpened)
        there = [desk.peer._legs.ports for desk in desks]
        assert {first, last} == set().union(*there)
        one_too_many = Desk(edge)
        with pytest.raises(Refused) as refused:
            await one_too_many.caller.open()
        assert (503, "full") == (refused.value.status, refused.value.kind)
        await one_too_many.close()

        for desk in desks:
            desk.speak(tone(660, 0.6, SPEAKING_HZ))
        await asyncio.sleep(1.0)
        for desk in desks:
            assert pytest.approx(660, abs=5) == pitch(hear(desk))
        await desks[0].close()
        await asyncio.sleep(0.3)
        again = Desk(edge)
        await again.caller.open()
        await again.until(Connected)
        assert there[0] == again.peer._legs.ports
        await again.close()
        await desks[1].close()
        await asyncio.sleep(0.3)
        assert (0, 0) == edge._ports.size

    on_an_edge(main, Rtc(port_range=(first, last)))


@pytest.mark.parametrize("port_range", [(0, 10), (50_001, 50_000)])
def test_a_range_that_is_none_is_a_configuration_error(port_range: tuple[int, int]) -> None:
    with pytest.raises(ConfigError, match=r"rtc\.port_range = .*the first port and the last"):
        asyncio.run(Edge.open(Rtc(port_range=port_range)))


def test_the_public_address_is_what_callers_are_told() -> None:
    async def main(edge: Edge) -> None:
        desk = Desk(edge)
        answer = await offered(desk)
        candidates = [line for line in answer.splitlines() if line.startswith("a=candidate")]

        assert [["203.0.113.9", str(edge.port), "typ", "host"]] == [
            c.split()[4:8] for c in candidates[:1]
        ]
        assert {"203.0.113.9"} == {c.split()[4] for c in candidates}
        assert "c=IN IP4 203.0.113.9" in answer.splitlines()
        assert "a=end-of-candidates" in answer.splitlines()
        await desk.close()

    on_an_edge(main, Rtc(port=0, public_host="203.0.113.9"))


@pytest.mark.parametrize(
    "settings",
    [Rtc(host="localhost", port=0), Rtc(host="0.0.0.0", port=0), Rtc(port=0, public_host="x")],
)
def test_an_address_that_is_none_is_a_configuration_error(settings: Rtc) -> None:
    with pytest.raises(ConfigError, match=r"rtc\.(public_)?host = "):
        asyncio.run(Edge.open(settings))

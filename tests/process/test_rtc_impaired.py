"""Calls over a bad network: loss, jitter, a stall, a stranger port in between."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import numpy as np
import pytest

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.config.settings import Rtc
from voiced.flow.cancel import Live
from voiced.flow.playout import Playout
from voiced.ops import metrics
from voiced.rtc.edge import Edge, Line
from voiced.rtc.facts import ChannelOpened, Closed, PeerFact, Received
from voiced.rtc.inbound import Inbound
from voiced.testing.caller import Caller
from voiced.testing.exchange import DirectExchange
from voiced.testing.impair import Impairment, Weather, impair, redirected

pytestmark = [pytest.mark.process, pytest.mark.timeout(60)]


class Far:
    """One call through the weather."""

    def __init__(self, edge: Edge, proxy: Impairment) -> None:
        self.proxy = proxy
        self.facts: list[PeerFact] = []
        self.inbound = Inbound()
        self.playout = Playout(Live(), lambda _played: None)
        exchange = DirectExchange(edge, Line(self.inbound, self.playout, self.facts.append))
        offer = exchange.offer

        async def through_the_proxy(sdp: str) -> str:
            return redirected(await offer(sdp), edge.port, proxy.port)

        exchange.offer = through_the_proxy  # type: ignore[method-assign]
        self.exchange = exchange
        self.caller = Caller("", exchange=exchange)

    @property
    def heard(self) -> Pcm:
        return self.inbound.ring.copy(0, self.inbound.ring.written)

    def told(self, kind: type[PeerFact]) -> bool:
        return any(isinstance(fact, kind) for fact in self.facts)


def through(weather: Weather, main: Callable[[Far], Coroutine[Any, Any, None]]) -> None:
    async def opened() -> None:
        edge = await Edge.open(Rtc(port=0))
        proxy = await impair(edge.port, weather)
        far = Far(edge, proxy)
        try:
            await far.caller.open()
            await main(far)
        finally:
            await far.caller.close()
            await proxy.close()
            await edge.close(2.0)
            far.inbound.close()
            far.playout.close()

    asyncio.run(opened())


def tone(seconds: float) -> Pcm:
    at = np.arange(int(seconds * HEARING_HZ)) / HEARING_HZ
    pcm: Pcm = (8000 * np.sin(2 * np.pi * 440 * at)).astype(np.int16)
    return pcm


def voiced_s(pcm: Pcm) -> float:
    size = HEARING_HZ // 100
    windows = pcm[: len(pcm) // size * size].reshape(-1, size).astype(float)
    return float(np.count_nonzero(np.sqrt((windows**2).mean(axis=1)) > 2000) / 100)


def counted(result: str) -> float:
    """Packets of all calls of this process so far."""
    found = metrics.REGISTRY.get_sample_value("voiced_rtc_packets_total", {"result": result})
    return found or 0.0


def test_speech_over_a_bad_radio_link_is_whole_and_keeps_time() -> None:
    """5 % loss, 5 to 35 ms of delay: what is lost is made up for, and nothing is heard twice.

    A codec guesses a tone at half its level; speech it protects better.
    """

    async def main(far: Far) -> None:
        said = await far.caller.say(tone(4.0), after_silence_ms=None)
        await asyncio.sleep(0.3)
        loud = np.flatnonzero(np.abs(far.heard) > 2000)

        assert far.proxy.lost > 5
        assert far.inbound.lost + far.inbound.late > 0
        assert 3.5 < voiced_s(far.heard) < 4.1
        assert far.inbound.concealed >= far.inbound.lost * HEARING_HZ // 50
        assert pytest.approx(4.0, abs=0.1) == (loud[-1] - loud[0]) / HEARING_HZ
        first, last = (far.inbound.instant(int(sample)) for sample in (loud[0], loud[-1]))
        assert pytest.approx(said.first_voiced_at, abs=0.06) == first
        assert pytest.approx(said.last_voiced_at, abs=0.06) == last
        assert far.exchange.peer is not None
        network = far.exchange.peer.network()
        assert 10 < network.rtt_ms < 120
        assert 1 < network.jitter_ms < 40
        assert 0.0 < network.lost_fraction < 0.2
        assert 150 < counted("received") - before["received"] < 300
        assert 3 < counted("lost") - before["lost"] < 40

    before = {result: counted(result) for result in ("received", "lost")}
    through(Weather(loss=0.05, delay_ms=5, jitter_ms=30), main)


def test_messages_over_a_bad_link_all_arrive_in_order() -> None:
    async def main(far: Far) -> None:
        assert far.exchange.peer is not None
        for number in range(40):
            far.exchange.peer.send(f'{{"type": "n", "number": {number}}}')
        async with asyncio.timeout(15):
            while len(far.caller.events) < 40:  # noqa: ASYNC110 - the daemon's end has no event here
                await asyncio.sleep(0.05)

        assert list(range(40)) == [event.body["number"] for event in far.caller.events]

    through(Weather(loss=0.08, delay_ms=5, jitter_ms=30), main)


def test_a_stall_of_the_network_costs_no_speech() -> None:
    """For 500 ms everything is held, then delivered at once."""

    async def main(far: Far) -> None:
        speaking = asyncio.ensure_future(far.caller.say(tone(2.0), after_silence_ms=None))
        await asyncio.sleep(0.7)
        far.proxy.hold()
        await asyncio.sleep(0.5)
        far.proxy.release()
        await speaking
        await asyncio.sleep(0.3)

        assert pytest.approx(2.0, abs=0.08) == voiced_s(far.heard)
        assert 0 == far.inbound.lost
        assert not far.told(Closed)

    through(Weather(), main)


def test_a_call_survives_three_seconds_of_darkness() -> None:
    """A lift, a roam: time goes on in silence, and the call with it."""

    async def main(far: Far) -> None:
        await asyncio.sleep(0.5)
        before = far.inbound.ring.written
        far.proxy.weather = Weather(loss=1.0)
        await asyncio.sleep(3.0)
        dark = far.inbound.ring.written - before
        far.proxy.weather = Weather()
        await far.caller.say(tone(1.0), after_silence_ms=None)
        await asyncio.sleep(0.5)

        assert pytest.approx(3.0, abs=0.15) == dark / HEARING_HZ
        assert pytest.approx(1.0, abs=0.1) == voiced_s(far.heard)
        assert not far.told(Closed)
        assert far.told(ChannelOpened)
        assert not far.told(Received)

    through(Weather(), main)

"""When frames leave, and what each tick does."""

import asyncio

import numpy as np
import pytest
from aiortc.mediastreams import MediaStreamError
from hypothesis import given
from hypothesis import strategies as st

from voiced.audio.pcm import SPEAKING_FRAME, SPEAKING_HZ, Pcm
from voiced.flow.cancel import Live, Take
from voiced.flow.playout import Playout
from voiced.rtc.opus import Decoder
from voiced.rtc.outbound import Outbound, Pace
from voiced.testing import virtualtime

pytestmark = pytest.mark.unit


class Ticking:
    """A playout and an inbound side that note when they were told."""

    def __init__(self) -> None:
        self.ticks: list[float] = []
        self.fills: list[float] = []

    def tick(self, at: float) -> Pcm:
        self.ticks.append(round(at, 6))
        return np.full(SPEAKING_FRAME, 1000, np.int16)

    def fill(self, at: float) -> None:
        self.fills.append(round(at, 6))


def play(pace: Pace, *instants: float) -> list[tuple[int, float]]:
    """Frames that leave at these instants, or when they are due if that is later."""
    sent = []
    for instant in instants:
        now = max(instant, pace.due(instant))
        number = pace.frame
        pace.sent(now)
        sent.append((number, round(now, 6)))
    return sent


def test_frames_are_due_every_20_ms_from_the_first_on() -> None:
    assert [(0, 5.0), (1, 5.02), (2, 5.04)] == play(Pace(), 5.0, 5.0, 5.0)


def test_a_late_frame_does_not_make_the_next_one_late() -> None:
    """Deadlines are absolute."""
    assert [(0, 0.0), (1, 0.035), (2, 0.04)] == play(Pace(), 0.0, 0.035, 0.0)


def test_a_little_late_the_frames_follow_each_other_at_once() -> None:
    assert [(0, 0.0), (1, 0.065), (2, 0.065), (3, 0.065), (4, 0.08)] == play(
        Pace(), 0.0, 0.065, 0.065, 0.065, 0.065
    )


def test_after_three_at_once_the_timeline_jumps() -> None:
    assert [1, 2, 3, 6] == [n for n, _ in play(Pace(), 0.0, 0.1, 0.1, 0.1, 0.1)][1:]


def test_more_than_100_ms_late_the_timeline_jumps_and_nothing_bursts() -> None:
    sent = play(Pace(), 0.0, 1.0, 1.0, 1.0)

    assert [(0, 0.0), (1, 1.0), (51, 1.02), (52, 1.04)] == sent


@given(st.lists(st.floats(0.0, 0.3), min_size=1, max_size=80))
def test_no_stall_makes_more_than_three_frames_leave_at_once(stalls: list[float]) -> None:
    pace = Pace()
    now, sent = 0.0, []
    for stall in stalls:
        now = max(now + stall, pace.due(now))
        number = pace.frame
        pace.sent(now)
        assert now >= number * 0.020
        while pace.due(now) <= now:
            sent.append(now)
            pace.sent(now)
        assert sent.count(now) <= 3
        assert pace.due(now) <= now + 0.0201


def test_each_tick_plays_a_frame_and_lets_the_inbound_side_notice_time() -> None:
    ticking = Ticking()

    async def main() -> list[int]:
        track = Outbound(ticking, ticking)
        return [(await track.recv()).pts for _ in range(4)]

    assert [0, 960, 1920, 2880] == virtualtime.run(main())
    assert [0.0, 0.02, 0.04, 0.06] == ticking.ticks == ticking.fills


def test_a_voice_that_comes_in_lumps_leaves_at_an_even_pace_and_each_sample_once() -> None:
    """Three seconds at once, nothing for 0.7 s, another second; silence is sent as any frame is."""
    take, live = Take(0, 0), Live()
    playout = Playout(live, lambda _played: None)
    frames: list[Pcm] = []
    voice = (1 + np.arange(4 * SPEAKING_HZ) % 20_000).astype(np.int16)

    class Noting:
        def tick(self, at: float) -> Pcm:
            frames.append(playout.tick(at))
            return frames[-1]

    async def speak() -> None:
        playout.released = take
        playout.write(take, voice[: 3 * SPEAKING_HZ])
        await asyncio.sleep(3.71)
        playout.write(take, voice[3 * SPEAKING_HZ :])
        playout.complete = take

    async def main() -> list[tuple[float, int]]:
        loop = asyncio.get_running_loop()
        track = Outbound(Noting(), Ticking())
        speaking = asyncio.ensure_future(speak())
        sent = [(loop.time(), (await track.recv()).pts) for _ in range(300)]
        await speaking
        return [(round(at, 6), pts) for at, pts in sent]

    sent = virtualtime.run(main())
    playout.close()
    heard = np.concatenate(frames)

    assert [960 * number for number in range(300)] == [pts for _, pts in sent]
    assert [0.02 * number for number in range(299)] == pytest.approx([at for at, _ in sent[1:]])
    assert voice.tolist() == heard[heard != 0].tolist()
    assert not heard[3 * SPEAKING_HZ : int(3.7 * SPEAKING_HZ)].any()
    assert not heard[-SPEAKING_HZ:].any()


def test_a_packet_is_one_frame_of_opus() -> None:
    async def main() -> bytes:
        return bytes(await Outbound(Ticking(), Ticking()).recv())

    assert 320 == len(Decoder().decode(virtualtime.run(main())))


def test_a_track_that_was_stopped_sends_nothing_more() -> None:
    ticking = Ticking()

    async def main() -> None:
        track = Outbound(ticking, ticking)
        await track.recv()
        waiting = asyncio.ensure_future(track.recv())
        await asyncio.sleep(0)
        track.stop()
        with pytest.raises(MediaStreamError):
            await waiting

    virtualtime.run(main())
    assert [0.0] == ticking.ticks

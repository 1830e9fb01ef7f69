"""A voice of any rate, in odd chunks, through the track and back to the caller's ear."""

import asyncio

import numpy as np
import pytest

from tests.process.test_rtc_calls import Desk, loudest, on_an_edge, pitch, tone
from voiced.audio.pcm import SPEAKING_HZ
from voiced.audio.resample import Resampler
from voiced.rtc.edge import Edge

pytestmark = [pytest.mark.process, pytest.mark.timeout(60)]


@pytest.mark.parametrize("rate_hz", [16_000, 22_050, 24_000, 44_100])
def test_whatever_the_voices_rate_the_caller_hears_the_same_tone(rate_hz: int) -> None:
    """A second of 440 Hz in chunks of 1000 samples: 440 +- 2 Hz, and a second long."""
    spoken = tone(440, 1.0, rate_hz)
    stream = Resampler(rate_hz, SPEAKING_HZ)
    chunks = [stream.push(spoken[at : at + 1000]) for at in range(0, len(spoken), 1000)]

    async def main(edge: Edge) -> None:
        desk = Desk(edge)
        await desk.caller.open()
        desk.speak(np.concatenate([*chunks, stream.end()]))
        await asyncio.sleep(2.0)
        heard = np.concatenate(desk.caller.ear._pcm)
        loud = np.abs(heard.astype(np.int32)) > 1000
        seconds = (len(loud) - np.argmax(loud[::-1]) - np.argmax(loud)) / 16_000

        assert 440 == pytest.approx(pitch(loudest(heard)), abs=2)
        assert 1.0 == pytest.approx(seconds, abs=0.03)
        await desk.close()

    on_an_edge(main)

"""What the call sends, put in order and decoded, on its way to the loudspeaker.

It does not know the room.
"""

import asyncio
from collections.abc import Callable

from voiced.audio.pcm import HEARING_FRAME, Pcm
from voiced.clock import now
from voiced.rtc.opus import Decoder, OpusError
from voiced.rtc.reorder import Lost, Packet, Reorder, Restarted


class Earpiece:
    """Stands where the receiver keeps its jitter buffer. Lives on the caller's loop."""

    def __init__(self, play: Callable[[Pcm], None]) -> None:
        self._play = play
        self._reorder = Reorder()
        self._decoder = Decoder()
        self._heard_at = 0.0

    async def silent(self, seconds: float) -> None:
        """Waits until nothing has come for so long, from now on."""
        self._heard_at = now()
        while True:
            left = self._heard_at + seconds - now()
            if left <= 0.0:
                return
            await asyncio.sleep(left)

    def add(self, packet: Packet) -> tuple[bool, None]:
        """Takes a packet; never raises."""
        self._heard_at = now()
        for step in self._reorder.push(packet):
            match step:
                case Restarted():
                    self._decoder = Decoder()
                case Lost(count, _):
                    for _ in range(min(count, 5)):  # a hundred milliseconds; then silence
                        self._play(self._decoder.conceal(HEARING_FRAME))
                case _:
                    self._decode(step.payload)
        return False, None

    def _decode(self, payload: bytes) -> None:
        try:
            self._play(self._decoder.decode(payload))
        except OpusError:
            return  # a packet that is none is a packet lost

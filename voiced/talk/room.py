"""The room of microphone and loudspeaker: what is played comes back, and is taken out again.

    microphone ──> minus what comes back of the loudspeaker's ──> sent
    received ──────────────────────────────────> loudspeaker

WebRTC's echo canceller (AEC3), as browsers have it; it finds the delay by itself. It does not know
devices or calls.
"""

import pywebrtc_audio

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.talk.store import Store

BLOCK = HEARING_HZ // 100
"""10 ms: what the canceller works on."""

_CUSHION = 3 * 2 * BLOCK
"""60 ms of what was received are kept against late packets."""

_MOST_PLAYED = HEARING_HZ
"""A second; more has come in a burst, and would only be late."""

_MOST_SAID = HEARING_HZ // 5
"""200 ms; a sound card that is faster than our clock fills it in the end."""


class Room:
    """`turn` on the device's thread, the rest on any."""

    def __init__(self) -> None:
        self.said = Store(_MOST_SAID)
        """Of the microphone's, without echo; on its way to the call."""
        self.played = Store(_MOST_PLAYED, _CUSHION)
        """Of the call's, on its way to the loudspeaker."""
        self._canceller = pywebrtc_audio.EchoCanceller(HEARING_HZ)

    def turn(self, heard: Pcm) -> Pcm:
        """Takes a block of the microphone's; gives the loudspeaker's for the same 10 ms."""
        played = self.played.take(BLOCK)
        self.said.put(self._canceller.process(heard, played))
        return played

"""The recogniser that calls share: a Whisper model on a thread of its own.

It does not know turns, or whether a text is worth believing (`gate`); how sound is read is the
`reader`'s matter.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from voiced.audio.pcm import HEARING_HZ
from voiced.config import settings
from voiced.flow.cancel import Live, Take, Ticket
from voiced.gpu.worker import Urgency, Worker
from voiced.stt import growth, windows
from voiced.stt.model import Heard, Partial, Utterance
from voiced.stt.reader import Reader
from voiced.words import Words

_NOBODY = Ticket("warm", Take(0, 0), Live())


class Whisper:
    """A SpeechToText, and Partials. Called from the main loop; reads on the thread `voiced-stt`."""

    def __init__(self, reader: Reader, limits: settings.Stt) -> None:
        self.worker = Worker("stt", limits.waiting)
        """Shows when it last made progress, and whether it is at work."""
        self._reader = reader
        self._deadline_s = limits.deadline_ms / 1000

    @property
    def progressed_at(self) -> float:
        """For the watchdog, with `busy`."""
        return self.worker.progressed_at

    @property
    def busy(self) -> bool:
        return self.worker.busy

    @property
    def fault(self) -> str | None:
        """See Worker."""
        return self.worker.fault

    async def warm(self) -> None:
        """One real inference, so that no caller pays for the first. Raises EngineFailed."""
        noise = np.random.default_rng(1).normal(0, 100, HEARING_HZ).astype(np.int16)
        await self.transcribe(Utterance(noise, self._reader.windows.languages[0]), _NOBODY)

    async def transcribe(self, utterance: Utterance, ticket: Ticket) -> Heard:
        """See SpeechToText."""
        heard, again = await self.worker.run(
            lambda: self._reader.listen(utterance, ticket),
            urgency=Urgency.FIRST,
            ticket=ticket,
            deadline_s=self._deadline_s,
        )
        return replace(
            heard,
            again=lambda phrases, names: self._later(lambda: again(phrases, names), ticket),
        )

    async def _later(self, listen: Callable[[], Words], ticket: Ticket) -> Words:
        """What is read already is gone over again once nobody waits for a first reading."""
        return await self.worker.run(
            listen, urgency=Urgency.NEXT, ticket=ticket, deadline_s=self._deadline_s
        )

    async def partial(
        self, utterance: Utterance, before: Partial | None, ticket: Ticket
    ) -> Partial:
        """See Partials."""
        read = await self.worker.run(
            lambda: self._reader.glance(utterance, lambda: self.worker.pressed),
            urgency=Urgency.SPARE,
            ticket=ticket,
            deadline_s=self._deadline_s,
        )
        if read is None:
            return growth.grown(before, None)
        text, leaning = read
        return replace(growth.grown(before, text), leaning=leaning)

    def close(self) -> None:
        """Ends the thread; waits for the inference that runs."""
        self.worker.close()


def load(directory: Path, facts: Mapping[str, Any], limits: settings.Stt) -> Whisper:
    """The model in `directory`, resident; `warm` it before the first call.

    Raises ConfigError (the catalogue's facts are wrong), UnavailableError (files are missing).
    """
    return Whisper(Reader(directory, windows.read(facts), limits.threads, limits.device), limits)

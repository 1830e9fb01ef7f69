"""From what the caller's line brought to what the caller said.

Cuts the stretches that the turn machine names out of the ring, with the lead-in and tail that the
recogniser needs, has them read, and lets the gate decide whether they were speech. It does not know
why a turn ended.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from voiced.audio.levels import AUDIBLE_DB, WINDOW_S, levels, threshold_db
from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.call.echo import echoes
from voiced.call.parts import Casting, Source
from voiced.config.settings import Vad
from voiced.errors import EngineFailed
from voiced.flow.cancel import Ticket
from voiced.ops import metrics
from voiced.stt.gate import Rejection, judge
from voiced.stt.leaning import Leaning, Leanings
from voiced.stt.model import SpeechToText, Utterance
from voiced.turn.orders import Overhear, Span, Transcribe
from voiced.turn.redflag import RedFlags
from voiced.words import NOTHING, Words


class Read(NamedTuple):
    """What came of a stretch of sound."""

    text: Words
    """No words when it was no speech of the caller's."""
    echo: bool = False
    """It was the agent's own voice."""
    leaning: Leaning | None = None
    again: Callable[[], Awaitable[Words]] | None = None
    """Listens once more whether it was one of the site's emergencies: then its words, as they read
    with these in mind. Raises as `hear` does. None: there is nothing to listen for."""


TAIL = HEARING_HZ // 5
"""200 ms behind the last voiced sample: less of it costs the last word."""


class Hearing:
    """One call's ears. Main loop only."""

    def __init__(self, source: Source, stt: SpeechToText, casting: Casting, vad: Vad) -> None:
        self._source = source
        self._stt = stt
        self._casting = casting
        self.leanings = Leanings(Leaning(casting.language, casting.agent.languages))
        """In which language the caller speaks, turn by turn."""
        self._lead = vad.preroll_ms * HEARING_HZ // 1000

    async def read(self, order: Transcribe | Overhear, ticket: Ticket, saying: Words) -> Words:
        """What the caller said, without why there may be no words. Raises as `hear` does."""
        return (await self.hear(order, ticket, saying)).text

    async def hear(self, order: Transcribe | Overhear, ticket: Ticket, saying: Words) -> Read:
        """What the caller said in the stretches.

        `saying`: what the agent could be heard saying at that time, so that its echo is none.

        Raises EngineFailed, or Stale when the take died.
        """
        if order.spans[0].start < self._source.ring.written - self._source.ring.capacity:
            # rather asked again than answered without the beginning, which may hold the "not"
            raise EngineFailed("stt", "the turn is longer than the ring")
        agent = self._casting.agent
        utterance = Utterance(
            pcm=self.cut(order.spans),
            language=self._casting.language,
            hotwords=agent.hotwords,
            voiced_s=order.voiced_s,
        )
        # what was said over the agent is the caller's next turn, if it is one
        turn = order.take.turn + isinstance(order, Overhear)
        read = await self._read(self.leaning(utterance, turn), ticket)
        if echoes(read.text, saying):
            metrics.REJECTED.labels("echo").inc()
            return Read(NOTHING, echo=True)
        self.leanings.read(read.leaning)
        return read

    async def dictated(self, span: Span, ticket: Ticket) -> Read:
        """What was said in a stretch that the caller's program cut out. Raises as `hear` does."""
        pcm = self._source.ring.copy(span.start, span.stop)
        loudness = levels(pcm, HEARING_HZ)
        loud = loudness > max(threshold_db(loudness), AUDIBLE_DB)
        agent = self._casting.agent
        utterance = Utterance(
            pcm, self._casting.language, agent.hotwords, float(loud.sum()) * WINDOW_S
        )
        read = await self._read(self.leaning(utterance, ticket.take.turn), ticket)
        self.leanings.read(read.leaning)
        return read

    def leaning(self, utterance: Utterance, turn: int) -> Utterance:
        """An utterance of a turn, which may be in another language than the turn before."""
        before = self.leanings.before(turn)
        if before is None:
            return utterance
        return replace(utterance, language=before.language, leaning=before)

    async def _read(self, utterance: Utterance, ticket: Ticket) -> Read:
        """What the gate believes of it; no words, and nothing else, where it was no speech."""
        heard = await self._stt.transcribe(utterance, ticket)
        agent = self._casting.agent
        verdict = judge(heard, utterance, agent.languages)
        if isinstance(verdict, Rejection):
            metrics.REJECTED.labels(verdict.reason).inc()
            return Read(NOTHING)
        phrases, again = agent.red_flags.get(heard.language, ()), heard.again
        if again is None or not phrases:
            return Read(verdict, leaning=heard.leaning)
        names = RedFlags(phrases).longest_in
        return Read(verdict, leaning=heard.leaning, again=lambda: again(phrases, names))

    def cut(self, spans: tuple[Span, ...]) -> Pcm:
        """The stretches with lead-in and tail, joined; what lies far between them is left out."""
        stretches: list[Span] = []
        for span in spans:
            start, stop = max(span.start - self._lead, 0), span.stop + TAIL
            if stretches and start <= stretches[-1].stop:
                stretches[-1] = Span(stretches[-1].start, stop)
            else:
                stretches.append(Span(start, stop))
        return np.concatenate([self._copy(stretch) for stretch in stretches])

    def _copy(self, stretch: Span) -> Pcm:
        """A stretch of the ring. What of its tail has not been heard yet is silence: it was told
        that the caller paused, and the recogniser need not wait for the rest of the pause."""
        pcm = self._source.ring.copy(stretch.start, stretch.stop)
        missing = stretch.stop - max(self._source.ring.written, stretch.start)
        return np.pad(pcm, (0, max(missing, 0)))

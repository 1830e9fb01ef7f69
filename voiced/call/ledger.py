"""The latency ledger of a call: marks as a turn goes on, numbers out when it ends.

To the log and the metrics go numbers only; to the caller's own channel the words as well. It does
not decide when a turn ends.
"""

from collections.abc import Callable

from voiced.call.news import ReplyEnded, Told, TurnEnded
from voiced.call.parts import Casting
from voiced.call.stopwatch import Leg, Mark, Stopwatch
from voiced.call.strain import Strain
from voiced.call.transcript import Transcript
from voiced.ops import log, metrics, recent
from voiced.ops.traces import Trace, Turn, nowhere
from voiced.rtc.facts import Network
from voiced.turn.take import Take


class Ledger:
    """One call's. Main loop only; `watch.mark` on any thread."""

    def __init__(
        self,
        call: str,
        transcript: Transcript,
        tell: Told,
        casting: Casting,
        strain: Strain,
        now: Callable[[], float],
    ) -> None:
        self.watch = Stopwatch()
        """Of the turn that is being taken."""
        self.trace: Trace = nowhere
        """Takes each turn's trace; replaced where the site has a collector."""
        self._watches: dict[int, Stopwatch] = {}
        self._call = call
        self._transcript = transcript
        self._tell = tell
        self._casting = casting
        budget = casting.agent.budget
        self._behind_the_end_ms = budget.voice_to_voice - budget.endpoint_delay
        self._strain = strain
        self._now = now

    def paused(self, turn: int, voiced_at: float, now: float) -> None:
        """The caller fell silent: unless speech resumes, the turn's clock starts here."""
        self.watch = self._watches[turn] = Stopwatch()
        self.watch.mark(Mark.VOICED, voiced_at)
        self.watch.mark(Mark.PAUSED, now)

    def close(self, take: Take, network: Network, samples: int, *, cut: bool) -> None:
        """The agent has spoken a take to its end, or was cut off in it after so many samples."""
        reply = self._transcript.heard(take.turn)
        self._tell(ReplyEnded(take, reply, cut, samples))
        watch = self._watches.get(take.turn)
        self._watches = {turn: one for turn, one in self._watches.items() if turn > take.turn}
        if watch is None:
            return  # the agent spoke of its own accord: no turn of the caller's
        one_way_ms = network.rtt_ms / 2
        legs = watch.legs(one_way_ms, one_way_ms + network.jitter_ms)
        for name, leg in legs.items():
            metrics.LEG_MS.labels(name).observe(leg.waited_ms)
            recent.LEGS.add(name, leg.waited_ms)
        metrics.TURNS.labels("cut" if cut else "heard").inc()
        waited = {f"{name}_ms": leg.waited_ms for name, leg in legs.items()}
        delay = watch.reply_delay_ms()
        if delay is not None:
            self._delayed(delay, legs)
        log.info(
            "turn.ended", call=self._call, turn=take.turn, cut=cut, reply_delay_ms=delay, **waited
        )
        said = self._transcript.said(take.turn)
        self._tell(TurnEnded(take.turn, said, reply, legs, self._casting.language))
        if spans := watch.spans(self._now()):
            self.trace(Turn(self._call, take.turn, cut, spans))

    def _delayed(self, delay_ms: float, legs: dict[str, Leg]) -> None:
        """The turn had a reply that was sent, so late."""
        line_ms = legs["network_in"].waited_ms + legs["network_out"].waited_ms
        metrics.REPLY_DELAY_MS.observe(delay_ms)
        metrics.VOICE_TO_VOICE_MS.observe(delay_ms + line_ms)
        recent.LEGS.add("voice_to_voice", delay_ms + line_ms)
        if "endpoint_delay" in legs:
            behind_ms = delay_ms - legs["endpoint_delay"].waited_ms
            self._strain.turn_ended(self._now(), late=behind_ms > self._behind_the_end_ms)

"""Says what the daemon leaves out when it is too slow for its calls: log, metric, health, systemd.

It does not know when something is left out (`voiced.call.strain`), nor what follows.
"""

from collections.abc import Callable

from voiced.call.strain import Measure
from voiced.ops import log, metrics, notify
from voiced.ops.health import Health


def saying(health: Health) -> Callable[[tuple[Measure, ...]], None]:
    """To be told of every change."""

    def say(measures: tuple[Measure, ...]) -> None:
        more = len(measures) > len(health.left_out)
        newest = measures[-1] if more else Measure(health.left_out[-1])
        health.left_out = tuple(measure.value for measure in measures)
        health.strained = Measure.CALLS in measures
        metrics.LEFT_OUT.set(len(measures))
        if more:
            log.warning("measure.left_out", measure=newest.value, left_out=len(measures))
        else:
            log.info("measure.taken_up", measure=newest.value, left_out=len(measures))
        if health.ready:
            notify.status(health.sentence)

    return say

"""Sonic beside the daemon: the device that its worker has, and who is told when it cannot speak.

The device is counted though another program fills it. How much of it is free says nothing, since
the worker may have loaded its model already; so it is looked at as a whole. It does not know how
readiness is found (`tts.sonic.readiness`).
"""

from collections.abc import Callable

from voiced.gpu.card import Card
from voiced.ops import notify
from voiced.ops.health import Health

WORKER_MB = 24_000
"""What the vendor asks of one device for each worker."""


AWAY = "sonic cannot speak: voices of this machine serve, in their own languages"


def unfit(device: Card, own: Card | None) -> str | None:
    """Why its worker cannot have that device, and what to do; `own`: the daemon's, if any."""
    if own is not None and device.uuid == own.uuid:
        return (
            f"sonic.device = {device.uuid!r}: it is the daemon's own: give the daemon another by "
            "CUDA_VISIBLE_DEVICES in a drop-in of the unit"
        )
    if device.total_mb < WORKER_MB:
        return (
            f"sonic.device = {device.uuid!r}: it has {device.total_mb} MB, and a worker needs "
            f"{WORKER_MB}: write that of a larger card or slice"
        )
    return None


def saying(health: Health) -> Callable[[bool], None]:
    """To be told whether it can speak: health and systemd then say who serves."""

    def say(ready: bool) -> None:
        health.alarm("sonic", None if ready else AWAY)
        if health.ready:
            notify.status(health.sentence)

    return say

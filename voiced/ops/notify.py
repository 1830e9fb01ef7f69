"""Tells systemd how the daemon is: READY, STATUS, STOPPING. Silent outside a unit."""

from systemd import daemon


def ready() -> None:
    """Every stage is warm and the ports are open."""
    daemon.notify("READY=1")


def status(sentence: str) -> None:
    """What `systemctl status` shows. Never holds anything of a call."""
    daemon.notify(f"STATUS={sentence}")


def stopping() -> None:
    """No new calls; the present ones end."""
    daemon.notify("STOPPING=1")

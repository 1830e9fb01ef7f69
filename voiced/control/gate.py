"""No new calls, or calls again: what every operator's door asks for. It does not know who asks."""

from voiced.call.desk import Desk
from voiced.errors import Refused
from voiced.ops import notify
from voiced.ops.health import Health


class Gate:
    """Main loop only."""

    def __init__(self, health: Health, desk: Desk) -> None:
        self._health = health
        self._desk = desk

    def shut(self) -> bool:
        """Takes no new calls; False: it took none already. Raises Refused (409)."""
        self._refuse_unless("ready", "draining")
        if not self._health.ready:
            return False
        self._desk.shut()
        self._health.why_not = "draining"
        notify.status("draining: no new calls until `voiced drain --undo`")
        return True

    def reopen(self) -> bool:
        """Takes calls again; False: it did already. Raises Refused (409)."""
        self._refuse_unless("ready", "draining")
        if self._health.ready:
            return False
        self._desk.reopen()
        self._health.why_not = None
        notify.status(self._health.sentence)
        return True

    def _refuse_unless(self, *states: str) -> None:
        """Raises Refused in a state in which this cannot be asked: while it loads, or stops."""
        state = self._health.why_not or "ready"
        if state not in states:
            raise Refused(409, "not-now", f"the daemon is {state}")

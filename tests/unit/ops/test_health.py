"""Ready is: nothing says why not."""

import pytest

from voiced.ops.health import Health

pytestmark = pytest.mark.unit


def test_the_daemon_is_ready_when_nothing_says_why_not() -> None:
    health = Health()
    starting = (health.ready, health.why_not)
    health.why_not = None
    ready = health.ready
    health.why_not = "draining"

    assert ((False, "starting"), True, False) == (starting, ready, health.ready)

"""The engine's thread is the only one that ever computes."""

import asyncio
import threading

import pytest

from tests.unit.llm.conftest import LetterEngine
from voiced.errors import UnavailableError
from voiced.llm.pace import Pace
from voiced.llm.scheduler import Scheduler
from voiced.llm.steps import Steps

pytestmark = pytest.mark.unit


def test_what_begins_the_engine_runs_on_the_thread_that_steps_it() -> None:
    began: list[threading.Thread] = []

    def begin() -> Scheduler:
        began.append(threading.current_thread())
        return Scheduler(LetterEngine(len), Pace(0.01, 0.001))

    steps = Steps(begin)
    stepping = asyncio.run(steps.ask(lambda _scheduler: threading.current_thread()))
    steps.close()

    assert began == [stepping]
    assert stepping is not threading.current_thread()


def test_an_engine_that_cannot_begin_says_so_and_leaves_no_thread() -> None:
    before = threading.active_count()

    def begin() -> Scheduler:
        raise UnavailableError("the model cannot roll its memory back")

    with pytest.raises(UnavailableError, match="cannot roll"):
        Steps(begin)

    assert threading.active_count() == before

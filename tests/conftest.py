"""Rules that hold for every test, and the models that some need.

Each test module has exactly one of the marks; a test that leaves a thread or a task behind fails.
"""

import asyncio
import gc
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from voiced.catalog.store import Store, open_store
from voiced.config.settings import Models

# How long an example takes says how busy the machine is.
settings.register_profile("busy", deadline=None)
settings.load_profile("busy")

MARKS = {"unit", "flow", "models", "process", "device", "soak"}
_BLAMED: "weakref.WeakSet[asyncio.Task[object]]" = weakref.WeakSet()
_LEAVE_S = 2.0
"""A thread that was told to end has this long to do so."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        marks = MARKS.intersection(mark.name for mark in item.iter_markers())
        if len(marks) != 1:
            raise pytest.UsageError(
                f"{item.location[0]}: write pytestmark with exactly one of "
                f"{', '.join(sorted(MARKS))}; it has {', '.join(sorted(marks)) or 'none'}"
            )
        if "device" in marks and not Path("/dev/nvidiactl").exists():
            item.add_marker(pytest.mark.skip(reason="needs a GPU"))


def pytest_collection_finish() -> None:
    # What the imports made stays: out of the way, looking for tasks after each test is cheap.
    gc.freeze()


@pytest.fixture(autouse=True)
def _nothing_is_left_behind() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    for thread in _new(before):
        thread.join(_LEAVE_S)
    left = [f"thread {thread.name}" for thread in _new(before)]
    left += [f"task {task.get_name()}" for task in _unfinished()]
    assert [] == left, "a test ends what it begins"


def _new(before: set[threading.Thread]) -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread not in before]


def _unfinished() -> list["asyncio.Task[object]"]:
    """Tasks that nobody will finish, on whichever loop; each is found once."""
    left = [task for task in _tasks() if not task.done() and task not in _BLAMED]
    _BLAMED.update(left)
    return left


def _tasks() -> list["asyncio.Task[object]"]:
    """Every task that there is. CPython's own list, where it has one; a search takes 20 ms."""
    for name in ("_all_tasks", "_scheduled_tasks"):
        known = getattr(asyncio.tasks, name, None)
        if known is not None:
            return list(known)
    return [one for one in gc.get_objects() if isinstance(one, asyncio.Task)]


@pytest.fixture(scope="session")
def store() -> Store:
    """The demonstration's models, as `voiced models pull demo-cpu` leaves them."""
    return open_store(Models(dir=Path("~/.cache/voiced/models"), production=False))


@pytest.fixture(scope="session")
def models_dir(store: Store) -> Path:
    """The folder with one folder for each model; its files are as the catalogue says."""
    for name in store.catalog.profile("demo-cpu").names:
        model = store.model(name)
        wrong = [file.name for file in model.files if store.state_of(model, file) != "ok"]
        if wrong:
            pytest.fail(
                f"{name}: {', '.join(wrong)} missing or damaged: run "
                "`voiced models pull demo-cpu --config docs/examples/demo.toml`"
            )
    return store.directory

"""Who gets what comes over the one connection, and what is dropped."""

import asyncio
from collections.abc import Callable

import pytest

from voiced.errors import EngineFailed
from voiced.ops import metrics
from voiced.testing import virtualtime
from voiced.tts.sonic import wire
from voiced.tts.sonic.link import SocketLink

pytestmark = pytest.mark.unit


def play(story: Callable[[SocketLink], None]) -> None:
    async def main() -> None:
        story(SocketLink("http://h:5000", {}, 1.0))

    virtualtime.run(main())


def read(lane: object) -> list[wire.Event]:
    return list(lane._messages)  # type: ignore[attr-defined]


def test_each_context_gets_its_own_sound() -> None:
    def story(link: SocketLink) -> None:
        one, two = link.attach("1"), link.attach("2")
        link._route(wire.Chunk("2", b"x"))
        link._route(wire.Done("1"))

        assert [wire.Done("1")] == read(one)
        assert [wire.Chunk("2", b"x")] == read(two)

    play(story)


def test_sound_that_nobody_wants_any_more_is_dropped_and_counted() -> None:
    def story(link: SocketLink) -> None:
        late = metrics.SONIC_DROPPED.labels("late")
        before = late._value.get()
        lane = link.attach("1")
        link.detach("1")
        link.detach("1")
        link._route(wire.Chunk("1", b"x"))
        link._route(wire.FlushDone("1"))

        assert ([], 1.0) == (read(lane), late._value.get() - before)

    play(story)


def test_an_error_without_a_context_is_everybodys() -> None:
    """A client that drops it waits for ever."""

    def story(link: SocketLink) -> None:
        lanes = [link.attach(name) for name in "ab"]
        link._route(wire.Trouble(None, "busy"))

        assert [[wire.Trouble(None, "busy")]] * 2 == [read(lane) for lane in lanes]
        assert not link.attached("a")

    play(story)


def test_what_means_nothing_here_is_passed_over() -> None:
    def story(link: SocketLink) -> None:
        lane = link.attach("1")
        link._route(None)

        assert [] == read(lane)

    play(story)


def test_without_a_connection_sending_is_dropped_and_opening_fails_after_one_attempts_time() -> (
    None
):
    async def main() -> None:
        link = SocketLink("http://h:5000", {}, 1.0)
        link.send({"context_id": "1"})
        with pytest.raises(EngineFailed, match="unreachable"):
            await link.open()
        assert 1.0 == asyncio.get_running_loop().time()

    virtualtime.run(main())

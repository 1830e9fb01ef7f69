"""A lane into one loop: in order, bounded, and nothing lost but what it refuses."""

import asyncio
import threading

import pytest

from voiced.flow.lane import RESERVE, Lane, LaneClosed

pytestmark = pytest.mark.unit


def test_messages_come_out_in_the_order_they_went_in() -> None:
    async def story() -> list[int]:
        lane = Lane[int](8)
        for number in range(5):
            lane.put(number)
        lane.close()
        return [number async for number in lane]

    assert [0, 1, 2, 3, 4] == asyncio.run(story())


def test_a_full_lane_refuses_the_newest_and_counts_it() -> None:
    async def story() -> tuple[list[int], int]:
        lane = Lane[int](2)
        for number in range(5):
            lane.put(number)
        lane.close()
        return [number async for number in lane], lane.dropped

    assert ([0, 1], 3) == asyncio.run(story())


def test_a_closed_lane_is_read_to_its_end_and_takes_no_more() -> None:
    async def story() -> list[int]:
        lane = Lane[int](8)
        lane.put(1)
        lane.close()
        lane.close()
        lane.put(2)
        read = [await lane.get()]
        with pytest.raises(LaneClosed):
            await lane.get()
        return read

    assert [1] == asyncio.run(story())


def test_closing_ends_a_reader_that_waits() -> None:
    async def story() -> list[int]:
        lane = Lane[int](8)

        async def read() -> list[int]:
            return [number async for number in lane]

        async with asyncio.TaskGroup() as group:
            reader = group.create_task(read())
            await asyncio.sleep(0)
            lane.close()
        return reader.result()

    assert [] == asyncio.run(story())


def test_a_reader_that_is_cancelled_loses_nothing() -> None:
    async def story() -> int:
        lane = Lane[int](8)
        async with asyncio.TaskGroup() as group:
            reader = group.create_task(lane.get())
            await asyncio.sleep(0)
            reader.cancel()
            lane.put(1)
        return await lane.get()

    assert 1 == asyncio.run(story())


def test_a_reader_that_is_cancelled_after_the_message_came_loses_nothing() -> None:
    """The message has woken the reader, which is cancelled before it ran."""

    async def story() -> int:
        lane = Lane[int](8)
        async with asyncio.TaskGroup() as group:
            reader = group.create_task(lane.get())
            await asyncio.sleep(0)
            lane.put(1)
            asyncio.get_running_loop().call_soon(reader.cancel)
            await asyncio.wait([reader])
        return reader.result() if not reader.cancelled() else await lane.get()

    assert 1 == asyncio.run(story())


def test_threads_put_and_the_loop_reads_each_message_once() -> None:
    async def story() -> list[int]:
        lane = Lane[int](4000)
        threads = [
            threading.Thread(target=lambda t=t: [lane.put(t * 1000 + n) for n in range(1000)])
            for t in range(3)
        ]
        for thread in threads:
            thread.start()
        read = [await lane.get() for _ in range(3000)]
        for thread in threads:
            thread.join()
        return read

    read = asyncio.run(story())

    by_thread = [[n for n in read if n // 1000 == t] for t in range(3)]
    assert [list(range(t * 1000, (t + 1) * 1000)) for t in range(3)] == by_thread


def test_what_was_put_before_the_close_is_read_whatever_the_threads_do() -> None:
    async def story() -> int:
        read = 0
        for _ in range(200):
            lane = Lane[int](8)
            thread = threading.Thread(target=lambda lane=lane: (lane.put(1), lane.close()))
            thread.start()
            read += len([number async for number in lane])
            thread.join()
        return read

    assert 200 == asyncio.run(story())


def test_a_lane_whose_loop_is_gone_is_closed() -> None:
    async def story() -> Lane[int]:
        return Lane[int](8)

    lane = asyncio.run(story())
    lane.put(1)
    lane.put(2)
    lane.close()

    assert 0 == lane.dropped


def even(number: int) -> bool:
    return number % 2 == 0


def test_what_must_not_be_lost_is_taken_by_a_full_lane_and_in_its_order() -> None:
    async def story() -> tuple[list[int], int]:
        lane = Lane[int](2, needed=even)
        for number in range(7):
            lane.put(number)
        lane.close()
        return [number async for number in lane], lane.dropped

    assert ([0, 1, 2, 4, 6], 2) == asyncio.run(story())


def test_a_lane_ends_rather_than_lose_what_must_not_be_lost() -> None:
    """Its reader learns of it behind what is left, and nothing is taken any more."""

    async def story() -> list[int]:
        lane = Lane[int](2, needed=even)
        for number in range(0, 40, 2):
            lane.put(number)
        return [number async for number in lane]

    assert [*range(0, 2 * 2 * RESERVE, 2)] == asyncio.run(story())

"""A chunk is so many tokens as fit its milliseconds."""

import pytest

from voiced.llm.pace import AIM, ALONE_S, SHARED_S, SMALLEST, Pace

pytestmark = pytest.mark.unit


@pytest.fixture
def pace() -> Pace:
    return Pace(step_s=0.01, token_s=0.001)


def test_a_chunk_and_the_next_token_fill_the_time_and_no_more(pace: Pace) -> None:
    assert AIM * SHARED_S == pytest.approx(0.01 + 0.001 * pace.chunk(1, others=True))


def test_a_chunk_is_longer_while_nobody_else_is_at_work(pace: Pace) -> None:
    assert AIM * ALONE_S == pytest.approx(0.001 * pace.chunk(0, others=False))


def test_a_slower_machine_gets_smaller_chunks(pace: Pace) -> None:
    for _ in range(40):
        pace.learn(1, 30, 0.01 + 30 * 0.002)

    assert AIM * SHARED_S == pytest.approx(0.01 + 0.002 * pace.chunk(1, others=True), rel=0.1)


def test_a_prompt_that_grows_dearer_as_it_grows_longer_stays_within_the_time(pace: Pace) -> None:
    """3,000 tokens beside a call that speaks, the last of them four times as dear as the first."""
    read, steps_s = 0, []
    while read < 3000:
        chunk = pace.chunk(1, others=True)
        steps_s.append(0.01 + chunk * 0.001 * (1 + 3 * read / 3000))
        pace.learn(1, chunk, steps_s[-1])
        read += chunk

    assert max(steps_s) < SHARED_S * 1.1


def test_what_is_dear_beside_calls_that_speak_may_be_cheap_alone(pace: Pace) -> None:
    alone = pace.chunk(0, others=False)
    for _ in range(40):
        pace.learn(2, 10, 0.01 + 10 * 0.004)

    assert alone == pace.chunk(0, others=False)


def test_the_more_calls_speak_the_smaller_the_chunk(pace: Pace) -> None:
    for _ in range(40):
        pace.learn(4, 0, 0.02)

    assert AIM * SHARED_S == pytest.approx(0.02 + 0.001 * pace.chunk(4, others=True), rel=0.1)
    assert pace.chunk(4, others=True) == pace.chunk(9, others=True)


def test_where_next_tokens_alone_fill_the_step_a_chunk_takes_as_long_again(pace: Pace) -> None:
    for _ in range(40):
        pace.learn(1, 0, 0.2)
        pace.learn(1, 20, 0.2 + 20 * 0.01)

    assert pace.chunk(1, others=True) * 0.01 == pytest.approx(0.2, rel=0.1)


def test_a_prompt_moves_on_however_dear_its_tokens_are(pace: Pace) -> None:
    for _ in range(40):
        pace.learn(1, 100, 600.0)

    assert pace.chunk(1, others=True) == SMALLEST

"""One step for all calls: who is in it, with how much, and what becomes of it."""

import random
from itertools import count

import pytest

from voiced.errors import EngineFailed
from voiced.flow.cancel import Live, Take, Ticket
from voiced.llm.scheduler import Job, Scheduler, Track, Urgency

pytestmark = pytest.mark.unit

CHUNK = 20
ANSWER, AHEAD = Urgency.ANSWER, Urgency.AHEAD


class SteadyPace:
    """Always the same chunk."""

    def chunk(self, _speaking: int, *, others: bool) -> int:
        del others
        return CHUNK

    def learn(self, _speaking: int, _chunk: int, _took_s: float) -> None:
        pass


class Listener:
    """Notes what a job tells, and has heard enough after some tokens."""

    def __init__(self, enough: int = 1000) -> None:
        self.abandoned = False
        self.enough = enough
        self.evaluated: int | None = None
        self.likely = 0.0
        self.tokens: list[int] = []
        self.ending: tuple[EngineFailed | None, bool] | None = None

    def read(self, evaluated: int, likely: float) -> None:
        assert self.ending is None
        self.evaluated, self.likely = evaluated, likely

    def drawn(self, token: int) -> bool:
        assert self.ending is None
        self.tokens.append(token)
        return len(self.tokens) < self.enough

    def ended(self, error: EngineFailed | None, *, stale: bool) -> None:
        assert self.ending is None, "told once"
        self.ending = (error, stale)


@pytest.fixture
def scheduler(engine) -> Scheduler:
    return Scheduler(engine, SteadyPace())


def ticket() -> Ticket:
    live = Live()
    live.take = Take(1, 1)
    return Ticket("call", live.take, live)


def job(engine, track: Track, prompt, enough: int = 3, **options) -> Job:
    options = {"urgency": ANSWER, "sampler": engine.sampler(None), **options}
    return Job(track, list(prompt), Listener(enough), **options)


def run(scheduler: Scheduler, steps: int = 1000) -> int:
    for step in range(steps):
        if scheduler.idle:
            return step
        scheduler.step()
    return steps


def shape(engine) -> list[list[tuple[int, int]]]:
    return [[(run.sequence, len(run.tokens)) for run in step] for step in engine.steps]


def test_a_reply_is_drawn_token_by_token(engine, scheduler) -> None:
    answer = job(engine, Track(0), [10, 11, 12])
    scheduler.add(answer)
    run(scheduler)

    assert [13, 14, 15] == answer.reader.tokens
    assert (None, False) == answer.reader.ending
    assert [[(0, 3)], [(0, 1)], [(0, 1)]] == shape(engine)
    assert 0 == engine.samplers


def test_all_speaking_calls_share_each_step(engine, scheduler) -> None:
    for number in range(4):
        scheduler.add(job(engine, Track(number), [10 * number, 1]))
    run(scheduler)

    assert [[(n, 2) for n in range(4)], *[[(n, 1) for n in range(4)]] * 2] == shape(engine)


def test_only_what_is_new_is_read(engine, scheduler) -> None:
    track = Track(0)
    scheduler.add(job(engine, track, range(10, 20)))
    run(scheduler)
    again = job(engine, track, [*range(10, 20), 20, 21, 7, 8])
    scheduler.add(again)
    run(scheduler)

    assert 2 == again.reader.evaluated
    assert [9, 10, 11] == again.reader.tokens


def test_a_prompt_that_is_known_whole_reads_its_last_token_again(engine, scheduler) -> None:
    """The engine answers only to what it evaluates."""
    track = Track(0)
    scheduler.add(job(engine, track, range(10, 20), sampler=None))
    run(scheduler)
    again = job(engine, track, range(10, 20))
    scheduler.add(again)
    run(scheduler)

    assert 1 == again.reader.evaluated
    assert [20, 21, 22] == again.reader.tokens


def test_what_differs_is_rolled_back(engine, scheduler) -> None:
    track = Track(0)
    scheduler.add(job(engine, track, range(10, 20)))
    run(scheduler)
    scheduler.add(job(engine, track, [10, 11, 50]))
    run(scheduler)

    assert [10, 11, 50, 51, 52] == engine.caches[0]
    assert engine.caches[0] == track.tokens


def test_a_long_prompt_delays_another_call_by_one_chunk_at_most(engine, scheduler) -> None:
    speaking = job(engine, Track(0), [1], enough=50)
    scheduler.add(speaking)
    scheduler.step()
    scheduler.add(job(engine, Track(1), range(300)))
    run(scheduler)

    long_steps = [step for step in shape(engine) if (1, CHUNK) in step]
    assert 300 // CHUNK == len(long_steps)
    assert all((0, 1) in step for step in long_steps)


def test_a_short_prompt_does_not_wait_behind_a_long_one(engine, scheduler) -> None:
    scheduler.add(job(engine, Track(0), range(300)))
    scheduler.step()
    short = job(engine, Track(1), range(8))
    scheduler.add(short)
    scheduler.step()

    assert [(1, 8), (0, 12)] == shape(engine)[-1]
    assert [8] == short.reader.tokens


def test_every_waiting_prompt_moves_in_every_step(engine, scheduler) -> None:
    """Waiting is bounded: nobody is passed over."""
    for number in range(CHUNK):
        scheduler.add(job(engine, Track(number), range(40)))
    scheduler.step()

    assert set(range(CHUNK)) == {sequence for sequence, _size in shape(engine)[0]}


def test_answers_are_read_before_what_is_read_ahead(engine, scheduler) -> None:
    scheduler.add(job(engine, Track(0), range(30), urgency=AHEAD, sampler=None))
    scheduler.add(job(engine, Track(1), range(15)))
    scheduler.step()

    assert [(1, 15), (0, 5)] == shape(engine)[0]


def test_a_reply_that_nobody_wants_ends_before_the_next_step(engine, scheduler) -> None:
    wanted = ticket()
    answer = job(engine, Track(0), [1], enough=50, ticket=wanted)
    scheduler.add(answer)
    for _ in range(3):
        scheduler.step()
    wanted.live.take = Take(1, 2)
    scheduler.step()

    assert (None, True) == answer.reader.ending
    assert [2, 3, 4] == answer.reader.tokens
    assert 3 == len(engine.steps)


def test_a_prompt_that_nobody_wants_ends_within_one_chunk(engine, scheduler) -> None:
    wanted = ticket()
    answer = job(engine, Track(0), range(2000), ticket=wanted)
    scheduler.add(answer)
    scheduler.step()
    wanted.live.take = Take(1, 2)
    run(scheduler)

    assert [[(0, CHUNK)]] == shape(engine)
    assert (None, True) == answer.reader.ending


def test_a_reply_that_nobody_listens_to_ends(engine, scheduler) -> None:
    answer = job(engine, Track(0), [1], enough=50)
    scheduler.add(answer)
    scheduler.step()
    answer.reader.abandoned = True
    scheduler.step()

    assert (None, True) == answer.reader.ending


def test_a_new_answer_takes_the_place_of_the_old_one(engine, scheduler) -> None:
    track = Track(0)
    old, new = job(engine, track, [1, 2], enough=50), job(engine, track, [1, 2, 9])
    scheduler.add(old)
    scheduler.step()
    scheduler.add(new)
    run(scheduler)

    assert (None, True) == old.reader.ending
    assert [10, 11, 12] == new.reader.tokens


def test_reading_ahead_does_not_end_a_reply_that_is_wanted(engine, scheduler) -> None:
    track = Track(0)
    answer = job(engine, track, [1, 2], enough=5)
    ahead = job(engine, track, [1, 3], urgency=AHEAD, sampler=None)
    scheduler.add(answer)
    scheduler.step()
    scheduler.add(ahead)
    run(scheduler)

    assert (None, True) == ahead.reader.ending
    assert [3, 4, 5, 6, 7] == answer.reader.tokens


def test_reading_ahead_tells_how_likely_the_turn_is_over(engine, scheduler) -> None:
    ahead = job(engine, Track(0), [1, 2], urgency=AHEAD, sampler=None, ends=(3,))
    scheduler.add(ahead)
    run(scheduler)

    assert 1.0 == ahead.reader.likely
    assert (None, False) == ahead.reader.ending


def test_a_slot_begins_with_what_was_read_before(engine, scheduler) -> None:
    reading, track = Track(7), Track(0)
    scheduler.add(job(engine, reading, range(10), sampler=None))
    run(scheduler)
    opening = scheduler.save(reading)
    scheduler.drop(reading)
    scheduler.restore(track, opening)
    answer = job(engine, track, [*range(10), 20])
    scheduler.add(answer)
    run(scheduler)

    assert 1 == answer.reader.evaluated
    assert [*range(10), 20, 21, 22] == engine.caches[0]


def test_a_slot_whose_beginning_is_lost_reads_it_again(engine, scheduler) -> None:
    track = Track(0)
    scheduler.add(job(engine, track, range(10), sampler=None))
    run(scheduler)
    opening = scheduler.save(track)
    engine.failing = True
    scheduler.restore(track, opening)
    engine.failing = False
    answer = job(engine, track, [*range(10), 20])
    scheduler.add(answer)
    run(scheduler)

    assert 11 == answer.reader.evaluated


def test_a_step_that_fails_fails_its_own_jobs_and_the_next_one_works(engine, scheduler) -> None:
    track = Track(0)
    broken = job(engine, track, [1, 2])
    scheduler.add(broken)
    engine.failing = True
    scheduler.step()
    engine.failing = False
    mended = job(engine, track, [1, 2])
    scheduler.add(mended)
    run(scheduler)

    assert "decode returned -3" == broken.reader.ending[0].reason
    assert 2 == mended.reader.evaluated
    assert [3, 4, 5] == mended.reader.tokens
    assert 0 == engine.samplers


def test_a_slot_that_is_closed_holds_nothing(engine, scheduler) -> None:
    track = Track(0)
    answer = job(engine, track, [1, 2], enough=50)
    scheduler.add(answer)
    scheduler.step()
    scheduler.drop(track)

    assert (None, True) == answer.reader.ending
    assert [] == engine.caches[0] == track.tokens
    assert scheduler.idle


def test_two_hundred_rounds_of_barge_in_mix_nothing(engine, scheduler) -> None:
    """Each call's letters are its own; a token of another call would show at once."""
    dice = random.Random(7)
    tracks = [Track(number) for number in range(4)]
    answers: list[Job] = []
    for number in count():
        track = dice.choice(tracks)
        letter = 100_000 * (track.number + 1)
        wanted = ticket()
        shared = dice.randrange(len(track.tokens) + 1)
        prompt = [*track.tokens[:shared], *range(letter, letter + dice.randrange(1, 40))]
        answers.append(job(engine, track, prompt, dice.randrange(1, 30), ticket=wanted))
        scheduler.add(answers[-1])
        for _ in range(dice.randrange(5)):
            scheduler.step()
        if dice.random() < 0.7:
            wanted.live.take = Take(1, 2)
        if number == 200:
            break
    run(scheduler)

    for answer in answers:
        ours = {token // 100_000 for token in answer.reader.tokens}
        assert ours <= {answer.track.number + 1}
        assert answer.reader.ending is not None
    assert all(engine.caches[track.number] == track.tokens for track in tracks)
    assert 0 == engine.samplers

"""The demonstration's language model behind its seam: slots, roll-back, cancel, equal answers."""

import asyncio
import random
import resource
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from voiced import clock
from voiced.catalog.store import Store
from voiced.config.agent import Agent, Lines, Sampling
from voiced.config.settings import Llm
from voiced.errors import ConfigError, Refused, UnavailableError
from voiced.flow.cancel import Live, Take, Ticket
from voiced.llm import llama
from voiced.llm.llama import LlamaModel
from voiced.llm.model import Ending, Message, Role
from voiced.llm.slot import LlamaSlot
from voiced.words import Words

pytestmark = [pytest.mark.models, pytest.mark.timeout(120)]

GREETING = "Larkfield Hospital reception. How can I help you?"
PROMPT = """
This is a transcript of phone calls to the reception of a hospital.

Caller: Hello, is this the hospital?
Receptionist: Yes, this is the reception of Larkfield Hospital. How can I help you?
Caller: Where can I leave my car?
Receptionist: You can park in the garage on Mill Road. The first hour is free.
Caller: When can I visit my mother?
Receptionist: Visiting hours are from ten in the morning to eight in the evening, every day.
"""
SETTINGS = Llm(slots=4, context_tokens=1024)


def agent(prompt: str = PROMPT, max_tokens: int = 40) -> Agent:
    return Agent(
        name="reception",
        languages=("en",),
        prompt=prompt,
        lines={"en": Lines(greeting=GREETING, fallback="Sorry?", goodbye="Goodbye.")},
        voices={"en": "joe"},
        sampling=Sampling(max_tokens=max_tokens),
    )


class Caller:
    """One call's side of a slot, which is given back however its `with` ends."""

    def __init__(self, model: LlamaModel, who: Agent) -> None:
        self.slot: LlamaSlot = model.open(who, "call")
        self.live = Live()
        self.history = [Message(Role.ASSISTANT, Words(GREETING))]

    def __enter__(self) -> "Caller":
        return self

    def __exit__(self, *_error: object) -> None:
        self.slot.close()

    def next_take(self) -> Ticket:
        self.live.take = Take(self.live.take.turn + 1, 1)
        return Ticket("call", self.live.take, self.live)

    def asks(self, text: str, **sampling):
        """Begins a reply."""
        self.history.append(Message(Role.USER, Words(text)))
        options = Sampling(**{"max_tokens": 40, **sampling})
        return self.slot.answer(self.history, options, self.next_take())

    async def hears(self, reply, pieces: int = 1000) -> str:
        """Listens to a reply, or to its first pieces; what was heard becomes history."""
        text, count = "", 0
        async for words in reply:
            text, count = text + words.reveal(), count + 1
            if count == pieces:
                self.next_take()
        self.history.append(Message(Role.ASSISTANT, Words(text), cut=count >= pieces))
        return text


@contextmanager
def everybody(model: LlamaModel) -> Iterator[list[Caller]]:
    """A caller for each slot there is."""
    with ExitStack() as stack:
        yield [stack.enter_context(Caller(model, agent())) for _ in range(SETTINGS.slots)]


@pytest.fixture(scope="module")
def model(store: Store, models_dir: Path) -> Iterator[LlamaModel]:
    entry = store.model("gemma-3-270m")
    path = models_dir / entry.name / entry.files[0].name
    model = llama.load(path, entry.facts, SETTINGS)
    asyncio.run(model.prepare([agent()]))
    yield model
    model.close()


def test_a_question_is_answered_from_the_prompt(model: LlamaModel) -> None:
    async def call() -> None:
        with Caller(model, agent()) as caller:
            text = await caller.hears(caller.asks("Where can I leave my car?"))

        assert "garage on Mill Road" in text

    asyncio.run(call())


def test_a_slot_begins_with_the_agents_prompt_read(model: LlamaModel) -> None:
    async def call() -> None:
        with Caller(model, agent()) as caller:
            reply = caller.asks("Do you have parking?")
            await caller.hears(reply)

        assert reply.stats.evaluated_tokens < 12 < 100 < reply.stats.prompt_tokens

    asyncio.run(call())


def test_no_turn_reads_what_was_read_before(model: LlamaModel) -> None:
    """Ten turns, a barge-in in the fifth: what is evaluated is new, but for a few tokens."""

    async def call() -> None:
        question = "And when can I visit my father?"
        new = len(model.mind.language.vocabulary.tokens(f"\n: {question}\n:", special=False))
        with Caller(model, agent()) as caller:
            for turn in range(1, 11):
                reply = caller.asks(question)
                await caller.hears(reply, pieces=4 if turn == 5 else 1000)
                if turn > 1:
                    assert reply.stats.evaluated_tokens <= new + 4

    asyncio.run(call())


def test_calls_that_take_turns_do_not_evict_each_other(model: LlamaModel) -> None:
    async def call() -> None:
        with everybody(model) as callers:
            for _ in range(3):
                for caller in callers:
                    reply = caller.asks("When can I visit my mother?")
                    await caller.hears(reply)

                    assert reply.stats.evaluated_tokens < 20

    asyncio.run(call())


def test_a_cold_and_a_warm_cache_give_the_same_text(model: LlamaModel) -> None:
    """Where the model is sure: what it is told in pieces of another size rounds otherwise, and
    two words that are about as likely may then change places (docs/decisions/0009)."""
    questions = [
        "Where can I leave my car?",
        "Hello, is this the hospital?",
        "And when can I visit my father?",
    ]

    async def call() -> None:
        with Caller(model, agent()) as warm:
            for question in questions:
                text = await warm.hears(warm.asks(question))
                with Caller(model, agent(PROMPT + " ")) as cold:  # not the prepared one
                    track = cold.slot._track
                    model.mind.steps.put(lambda scheduler, track=track: scheduler.drop(track))
                    cold.history = warm.history[:-2]
                    reply = cold.asks(question)
                    again = await cold.hears(reply)

                assert reply.stats.evaluated_tokens == reply.stats.prompt_tokens
                assert text == again

    asyncio.run(call())


def test_reading_ahead_leaves_almost_nothing_to_read(model: LlamaModel) -> None:
    async def call() -> None:
        with Caller(model, agent()) as caller:
            ticket = caller.next_take()
            so_far = [*caller.history, Message(Role.USER, Words("I would like to visit my"))]
            open_end = await caller.slot.prefill(so_far, ticket)
            so_far[-1] = Message(Role.USER, Words("I would like to visit my mother."))
            full_end = await caller.slot.prefill(so_far, ticket)
            reply = caller.slot.answer(so_far, Sampling(max_tokens=40), ticket)
            await caller.hears(reply)

        assert open_end < 0.01 < 0.1 < full_end
        assert reply.stats.evaluated_tokens <= 6

    asyncio.run(call())


def test_no_slot_is_refused_at_admission(model: LlamaModel) -> None:
    async def call() -> None:
        with everybody(model) as callers:
            with pytest.raises(Refused) as refusal:
                model.open(agent(), "fifth")
            callers[0].slot.close()
            with Caller(model, agent()):
                pass

        assert 503 == refusal.value.status

    asyncio.run(call())


def test_a_call_of_any_length_is_answered(model: LlamaModel) -> None:
    """Three times the window, and then one turn that is longer than all of it."""

    async def call() -> None:
        long = "My mother is in ward seven and I would like to bring her some flowers and a book. "
        with Caller(model, agent()) as caller:
            for _ in range(9):
                reply = caller.asks(long * 18)
                await caller.hears(reply)

                assert reply.stats.prompt_tokens + 40 <= SETTINGS.context_tokens
            reply = caller.asks(long * 60 + "What are your visiting hours?")
            assert await caller.hears(reply)

    asyncio.run(call())


CODES = ("Zanzibar", "Copenhagen", "Montevideo", "Reykjavik")


def knowing(code: str) -> Agent:
    """An agent that says one word, which nobody else has been told."""
    dialogue = f"Caller: What is the code?\nReceptionist: The code is {code}, {code}, {code}.\n"
    return agent(f"Calls that ask for a code.\n\n{dialogue * 3}")


def test_two_hundred_rounds_of_cancel_and_ask_again(model: LlamaModel) -> None:
    """Four calls, random barge-ins: nothing crashes or mixes, and all memory comes back.

    Not every reply holds the code that it was asked for: the model is small. Two of four must, or
    the others' codes would be looked for in vain.
    """
    dice = random.Random(11)

    async def rounds(caller: Caller, code: str, count: int) -> bool:
        others = set(CODES) - {code}
        for _ in range(count):
            del caller.history[3:]
            heard = await caller.hears(caller.asks("What is the code?"), pieces=dice.randint(1, 6))
            assert not [other for other in others if other in heard]
        del caller.history[1:]
        whole = await caller.hears(caller.asks("What is the code?"))
        assert not [other for other in others if other in whole]
        return code in whole

    async def call(count: int) -> None:
        with ExitStack() as stack:
            callers = [stack.enter_context(Caller(model, knowing(code))) for code in CODES]
            each = [rounds(c, code, count) for c, code in zip(callers, CODES, strict=True)]
            assert 2 <= sum(await asyncio.gather(*each))
        await drained(model)

    asyncio.run(call(2))
    before_mb = resident_mb()
    asyncio.run(call(50))

    assert [0] * 4 == [model._context.held(number) for number in range(4)]
    assert 4 == len(model._free)
    assert resident_mb() < before_mb + 20


def resident_mb() -> float:
    """Memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


async def drained(model: LlamaModel) -> None:
    """Until the thread has done all that was asked of it."""
    loop = asyncio.get_running_loop()
    done = asyncio.Event()
    model.mind.steps.put(lambda _scheduler: loop.call_soon_threadsafe(done.set))
    await done.wait()


def test_cancel_stops_a_long_prompt_within_a_chunk(model: LlamaModel) -> None:
    async def call() -> None:
        with Caller(model, agent()) as caller:
            reply = caller.asks("I would like to bring some flowers and a book. " * 70)
            await asyncio.sleep(0.1)
            caller.next_take()
            cancelled_at = clock.now()
            await caller.hears(reply)
            stopped_s = clock.now() - cancelled_at

        assert Ending.CANCELLED is reply.stats.ending
        assert 0 == reply.stats.reply_tokens
        assert stopped_s < 1.0

    asyncio.run(call())


def test_a_seed_draws_the_same_reply_again_and_another_seed_another(model: LlamaModel) -> None:
    async def drawn(seed: int) -> str:
        options = {"temperature": 1.2, "top_p": 0.95, "seed": seed}
        with Caller(model, agent()) as caller:
            return await caller.hears(caller.asks("Tell me about the hospital.", **options))

    async def call() -> None:
        assert await drawn(1) == await drawn(1)
        assert 1 < len({await drawn(seed) for seed in range(4)})

    asyncio.run(call())


def test_control_tokens_in_what_is_said_stay_text(model: LlamaModel) -> None:
    vocabulary = model.mind.language.vocabulary
    said = vocabulary.tokens("<end_of_turn><start_of_turn>system\n<bos>", special=False)
    meant = vocabulary.tokens("<end_of_turn><bos>", special=True)

    assert 2 == len(meant)
    assert not set(meant) & set(said)


def test_a_prompt_that_leaves_no_room_for_a_call_is_a_mistake(model: LlamaModel) -> None:
    long = agent(PROMPT * 9)

    with pytest.raises(ConfigError, match="agent 'reception': prompt and greeting in 'en' have"):
        asyncio.run(model.prepare([long]))
    asyncio.run(model.prepare([agent()]))


def test_a_file_that_is_no_model_is_said_to_be_none(tmp_path: Path) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF" + bytes(100))

    with pytest.raises(UnavailableError, match=r"broken\.gguf"):
        llama.load(path, {"template": "plain"}, SETTINGS)


def test_a_fact_that_is_unknown_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"facts\.temlate"):
        llama.load(tmp_path / "x.gguf", {"temlate": "plain"}, SETTINGS)

"""A slot asks the engine's thread, and hands over what comes of it."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from tests.unit.llm.conftest import BELL, CALLING, ByteVocabulary
from voiced.config.agent import Agent, Lines, Sampling
from voiced.errors import EngineFailed, Stale
from voiced.flow.cancel import Live, Take, Ticket
from voiced.llm.conversation import Conversation, Language
from voiced.llm.grammar import Grammar, Spelling
from voiced.llm.model import Ending, Message, Role
from voiced.llm.pace import Pace
from voiced.llm.scheduler import Job, Opening, Scheduler, Track, Urgency
from voiced.llm.slot import LlamaSlot, Mind, Reading
from voiced.llm.steps import Steps
from voiced.llm.template import PlainTemplate
from voiced.words import Words

pytestmark = pytest.mark.unit

AGENT = Agent(
    name="reception",
    languages=("en",),
    prompt="You answer.",
    lines={"en": Lines(greeting="Good day.", fallback="Sorry?", goodbye="Bye.")},
    voices={"en": "joe"},
)
REPLY = " At ten.\n"


def reply_letter(cache: list[int]) -> int:
    """Whoever is asked says the same: the letter after what stands behind the last "A:"."""
    text = "".join(map(chr, cache[1:]))
    said = text.rpartition("A:")[2]
    return ord(REPLY[len(said)]) if REPLY.startswith(said) else ord("?")


def likely(probability: float) -> float:
    """A model whose probabilities mean what they say."""
    return probability


class Scene:
    def __init__(self, engine, vocabulary, context: int = 400) -> None:
        self.engine = engine
        self.live = Live()
        self.steps = Steps(lambda: Scheduler(engine, Pace(0.01, 0.001)))
        template = PlainTemplate("C:", "A:", ("\n",))
        language = Language(template, vocabulary, context, stamped=False)
        self.mind = Mind(self.steps, language, engine.sampler, (ord("\n"),), likely, 5.0)
        self.freed = 0
        self.openings: dict[str, Opening] = {}

    def slot(self) -> LlamaSlot:
        def freed() -> None:
            self.freed += 1

        return LlamaSlot(self.mind, AGENT, Track(0), self.openings, freed)

    def ticket(self) -> Ticket:
        self.live.take = Take(self.live.take.turn + 1, 1)
        return Ticket("call", self.live.take, self.live)


@pytest.fixture
def scene(engine, vocabulary) -> Iterator[Scene]:
    engine.follow = reply_letter
    scene = Scene(engine, vocabulary)
    yield scene
    scene.steps.close()


def user(text: str) -> Message:
    return Message(Role.USER, Words(text))


async def heard(reply) -> str:
    return "".join([words.reveal() async for words in reply])


def test_a_question_is_answered(scene: Scene) -> None:
    async def call() -> None:
        reply = scene.slot().answer([user("When?")], Sampling(), scene.ticket())

        assert "At ten." == await heard(reply)
        assert (Ending.STOP, 25, 25) == (
            reply.stats.ending,
            reply.stats.prompt_tokens,
            reply.stats.evaluated_tokens,
        )

    asyncio.run(call())


def test_another_prompt_stands_in_the_place_of_the_agents(scene: Scene) -> None:
    """And what was said stays."""

    async def call() -> None:
        slot = scene.slot()
        history = [user("When?")]
        await heard(slot.answer(history, Sampling(), scene.ticket()))
        slot.instruct("Reply in Korean.")
        history += [Message(Role.ASSISTANT, Words("At ten.")), user("And?")]
        await heard(slot.answer(history, Sampling(), scene.ticket()))

        read = "".join(map(chr, scene.engine.caches[0][1:]))
        assert "Reply in Korean." in read
        assert "At ten." in read
        assert "You answer." not in read

    asyncio.run(call())


def test_a_prompt_that_was_read_ahead_is_not_read_again(scene: Scene) -> None:
    async def call() -> None:
        prompt = "Reply in Korean, and shortly, as befits a hospital."
        conversation = Conversation(scene.mind.language, prompt)
        track, reading = Track(1), Reading()
        tokens = conversation.opening("Good day.")
        scene.steps.put(lambda scheduler: scheduler.add(Job(track, tokens, reading, Urgency.AHEAD)))
        await reading.likely()
        scene.openings[prompt] = await scene.steps.ask(lambda scheduler: scheduler.save(track))
        slot = scene.slot()
        slot.instruct(prompt)
        reply = slot.answer([user("When?")], Sampling(), scene.ticket())

        assert "At ten." == await heard(reply)
        assert len(prompt) <= reply.stats.prompt_tokens - reply.stats.evaluated_tokens

    asyncio.run(call())


def test_a_turn_reads_only_what_is_new(scene: Scene) -> None:
    async def call() -> None:
        slot = scene.slot()
        history = [user("When?")]
        for question in ("And on Monday?", "And on Tuesday?"):
            await heard(slot.answer(history, Sampling(), scene.ticket()))
            history += [Message(Role.ASSISTANT, Words("At ten.")), user(question)]
        reply = slot.answer(history, Sampling(), scene.ticket())
        await heard(reply)

        assert len("\nC: And on Tuesday?\nA:") == reply.stats.evaluated_tokens

    asyncio.run(call())


def test_what_was_read_ahead_is_not_read_again(scene: Scene) -> None:
    async def call() -> None:
        slot, ticket = scene.slot(), scene.ticket()
        await slot.prefill([user("When can I")], ticket)
        reply = slot.answer([user("When can I come?")], Sampling(), ticket)
        await heard(reply)

        assert len(" come?\nA:") == reply.stats.evaluated_tokens

    asyncio.run(call())


def test_reading_ahead_tells_whether_the_turn_is_over(scene: Scene) -> None:
    async def call() -> None:
        scene.engine.follow = lambda cache: ord("\n") if cache[-1] == ord("e") else ord(" ")
        slot = scene.slot()

        assert 1.0 == await slot.prefill([user("I would like to come.")], scene.ticket())
        assert 0.0 == await slot.prefill([user("I would like to")], scene.ticket())

    asyncio.run(call())


def test_reading_ahead_for_a_turn_that_has_gone_on_is_stale(scene: Scene) -> None:
    async def call() -> None:
        slot, old = scene.slot(), scene.ticket()
        scene.ticket()

        with pytest.raises(Stale):
            await slot.prefill([user("I would like")], old)

    asyncio.run(call())


def test_a_reply_whose_turn_has_gone_on_ends(scene: Scene) -> None:
    async def call() -> None:
        reply = scene.slot().answer([user("When?")], Sampling(), scene.ticket())
        scene.ticket()
        await heard(reply)

        assert Ending.CANCELLED is reply.stats.ending

    asyncio.run(call())


def test_a_history_without_a_question_fails_its_own_turn(scene: Scene) -> None:
    async def call() -> None:
        slot = scene.slot()

        with pytest.raises(EngineFailed, match="nothing to answer"):
            await heard(slot.answer([user(" ")], Sampling(), scene.ticket()))
        with pytest.raises(EngineFailed, match="nothing to answer"):
            await slot.prefill([], scene.ticket())
        assert "At ten." == await heard(slot.answer([user("When?")], Sampling(), scene.ticket()))

    asyncio.run(call())


def test_an_engine_that_breaks_in_any_way_fails_only_what_is_under_way(scene: Scene) -> None:
    async def call() -> None:
        slot = scene.slot()
        follow, scene.engine.follow = scene.engine.follow, broken

        with pytest.raises(EngineFailed, match="ZeroDivisionError"):
            await heard(slot.answer([user("When?")], Sampling(), scene.ticket()))
        scene.engine.follow = follow
        assert "At ten." == await heard(slot.answer([user("When?")], Sampling(), scene.ticket()))

    asyncio.run(call())


def broken(_cache: list[int]) -> int:
    raise ZeroDivisionError


def test_a_prompt_that_cannot_be_made_fails_only_its_own_turn(scene: Scene, vocabulary) -> None:
    async def call() -> None:
        slot = scene.slot()
        tokens: Callable = vocabulary.tokens
        vocabulary.tokens = broken

        with pytest.raises(EngineFailed, match="prompt cannot be made"):
            await heard(slot.answer([user("When?")], Sampling(), scene.ticket()))
        vocabulary.tokens = tokens
        assert "At ten." == await heard(slot.answer([user("When?")], Sampling(), scene.ticket()))

    asyncio.run(call())


def test_a_slot_is_freed_once_and_holds_nothing(scene: Scene) -> None:
    async def call() -> None:
        slot = scene.slot()
        await heard(slot.answer([user("When?")], Sampling(), scene.ticket()))
        slot.close()
        slot.close()

    asyncio.run(call())
    scene.steps.close()

    assert 1 == scene.freed
    assert [] == scene.engine.caches[0]


def test_when_the_thread_has_ended_replies_fail_at_once(scene: Scene) -> None:
    async def call() -> None:
        slot = scene.slot()
        scene.steps.close()

        with pytest.raises(EngineFailed, match="closed"):
            await heard(slot.answer([user("When?")], Sampling(), scene.ticket()))
        slot.close()

    asyncio.run(call())


def test_two_calls_that_ask_at_once_share_the_steps(scene: Scene) -> None:
    async def call() -> None:
        slots = [LlamaSlot(scene.mind, AGENT, Track(n), {}, lambda: None) for n in range(2)]
        replies = [slot.answer([user("When?")], Sampling(), scene_ticket()) for slot in slots]

        assert ["At ten."] * 2 == await asyncio.gather(*(heard(reply) for reply in replies))

    asyncio.run(call())


def scene_ticket() -> Ticket:
    live = Live()
    return Ticket("call", live.take, live)


def test_a_reply_that_is_asked_for_again_at_once_mixes_nothing(scene: Scene) -> None:
    async def call() -> None:
        slot = scene.slot()
        for _ in range(50):
            scene_reply = slot.answer([user("When?")], Sampling(), scene.ticket())
            async for _words in scene_reply:
                break
        reply = slot.answer([user("When?")], Sampling(), scene.ticket())

        assert "At ten." == await heard(reply)

    asyncio.run(call())


def test_a_call_of_a_tool_is_drawn_by_the_tools_grammar(engine) -> None:
    """The model writes rubbish behind the mark; what comes of it can be run."""
    vocabulary = ByteVocabulary()
    text = b"Well. <tool_call>!!!"

    def follow(cache: list[int]) -> int:
        said = b"".join(map(vocabulary.piece, cache)).rpartition(b"A:")[2]
        return text[len(said)] if text.startswith(said) else ord("!")

    bells = replace(CALLING, tools=(BELL, replace(BELL, name="call")))
    engine.follow = follow

    async def call() -> None:
        scene = Scene(engine, vocabulary, 2000)
        grammar = Grammar(Spelling(vocabulary), bells)
        slot = LlamaSlot(scene.mind, bells, Track(0), {}, lambda: None, grammar)
        reply = slot.answer([user("When?")], Sampling(), scene.ticket())
        try:
            spoken = await heard(reply)
        finally:
            scene.steps.close()

        assert "Well." == spoken.strip()
        assert [("ring", "{}", "")] == [
            (one.name, one.arguments.reveal(), one.fault.reveal()) for one in reply.asked.calls
        ]

    asyncio.run(call())

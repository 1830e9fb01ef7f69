"""The recogniser's thread, with a reader that reads nothing."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence

import numpy as np
import pytest

from voiced.config import settings
from voiced.errors import EngineFailed, Stale
from voiced.flow.cancel import Live, Take, Ticket
from voiced.stt import windows
from voiced.stt.leaning import Leaning
from voiced.stt.model import Heard, Names, Partial, Utterance
from voiced.stt.whisper import Whisper
from voiced.words import Words

pytestmark = pytest.mark.unit

HEARD = Heard(Words("Yes."), "en", -0.5, 0.1, 0.3, 2)


class Fake:
    """Reads what it is told to; notes on which thread, and in which order."""

    def __init__(self, read: Callable[[Utterance], Heard] = lambda _utterance: HEARD) -> None:
        self.windows = windows.read({"languages": ["en"], "window_s": {}, "tokens_per_s": {}})
        self.languages: list[str] = []
        self.threads: set[str] = set()
        self._read = read

    def read(self, utterance: Utterance, _ticket: Ticket) -> Heard:
        self.languages.append(utterance.language)
        self.threads.add(threading.current_thread().name)
        return self._read(utterance)

    def listen(
        self, utterance: Utterance, ticket: Ticket
    ) -> tuple[Heard, Callable[[Sequence[str], Names], Words]]:
        return self.read(utterance, ticket), self._again

    def _again(self, phrases: Sequence[str], names: Names) -> Words:
        self.threads.add(threading.current_thread().name)
        return Words(" ".join(phrase for phrase in phrases if names(Words(phrase))))

    def glance(
        self, utterance: Utterance, unwanted: Callable[[], bool]
    ) -> tuple[Words, Leaning | None]:
        self.unwanted = unwanted
        return self.read(utterance, ticket()).text, utterance.leaning


def utterance(language: str = "en") -> Utterance:
    return Utterance(np.zeros(1600, np.int16), language)


def ticket() -> Ticket:
    live = Live()
    return Ticket("call", live.take, live)


def serve(
    reader: Fake,
    talk: Callable[[Whisper], Awaitable[None]],
    limits: settings.Stt = settings.Stt(),  # noqa: B008 - frozen
) -> None:
    async def run() -> None:
        stt = Whisper(reader, limits)  # type: ignore[arg-type]
        try:
            await talk(stt)
        finally:
            stt.close()

    asyncio.run(run())


def test_an_utterance_is_read_on_the_recognisers_own_thread() -> None:
    reader = Fake()

    async def talk(stt: Whisper) -> None:
        assert HEARD == await stt.transcribe(utterance(), ticket())

    serve(reader, talk)

    assert {"voiced-stt"} == reader.threads


def test_it_is_listened_to_again_on_the_same_thread() -> None:
    reader = Fake()

    async def talk(stt: Whisper) -> None:
        heard = await stt.transcribe(utterance(), ticket())
        assert heard.again is not None
        listens = heard.again(["chest pain", "stroke"], lambda text: len(text.reveal().split()) - 1)
        assert Words("chest pain") == await listens

    serve(reader, talk)

    assert {"voiced-stt"} == reader.threads


def test_warming_is_one_real_inference() -> None:
    reader = Fake()

    async def talk(stt: Whisper) -> None:
        await stt.warm()

    serve(reader, talk)

    assert ["en"] == reader.languages


def test_an_utterance_that_nobody_wants_is_not_read() -> None:
    reader = Fake()
    live = Live()
    stale = Ticket("call", live.take, live)
    live.take = Take(1, 0)

    async def talk(stt: Whisper) -> None:
        with pytest.raises(Stale):
            await stt.transcribe(utterance(), stale)

    serve(reader, talk)

    assert [] == reader.languages


def test_a_growing_utterance_is_read_on_the_same_thread() -> None:
    reader = Fake()

    async def talk(stt: Whisper) -> None:
        first = await stt.partial(utterance(), None, ticket())
        assert Partial(Words(""), Words("Yes.")) == first
        assert Partial(Words("Yes"), Words(".")) == await stt.partial(utterance(), first, ticket())

    serve(reader, talk)

    assert {"voiced-stt"} == reader.threads


def test_a_final_text_goes_before_a_partial_that_waits() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def read(utterance: Utterance) -> Heard:
        if utterance.language == "ko":
            begun.set()
            go_on.wait(5)
        return HEARD

    reader = Fake(read)

    async def talk(stt: Whisper) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(stt.transcribe(utterance("ko"), ticket()))
            await asyncio.to_thread(begun.wait, 5)
            tasks.create_task(stt.partial(utterance("ja"), None, ticket()))
            tasks.create_task(stt.transcribe(utterance("en"), ticket()))
            await asyncio.sleep(0)  # both are in the queue now
            go_on.set()

    serve(reader, talk)

    assert ["ko", "en", "ja"] == reader.languages


def test_a_model_that_fails_fails_its_own_utterance_alone() -> None:
    def stumble(utterance: Utterance) -> Heard:
        if utterance.language == "ko":
            raise RuntimeError
        return HEARD

    async def talk(stt: Whisper) -> None:
        with pytest.raises(EngineFailed, match="stt"):
            await stt.transcribe(utterance("ko"), ticket())
        assert HEARD == await stt.transcribe(utterance(), ticket())

    serve(Fake(stumble), talk)


def test_a_model_that_is_late_has_failed() -> None:
    """Its deadline; the utterance behind it is read all the same."""
    go_on = threading.Event()

    def dawdle(utterance: Utterance) -> Heard:
        if utterance.language == "ko":
            go_on.wait(5)
        return HEARD

    async def talk(stt: Whisper) -> None:
        with pytest.raises(EngineFailed, match="deadline"):
            await stt.transcribe(utterance("ko"), ticket())
        go_on.set()
        assert HEARD == await stt.transcribe(utterance(), ticket())

    serve(Fake(dawdle), talk, settings.Stt(deadline_ms=50))

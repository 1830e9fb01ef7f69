"""Whole calls whose caller's program ends the turns, or reads the replies, on virtual time."""

import numpy as np
import pytest

from tests.flow.test_call import Stage, play
from voiced.audio.pcm import HEARING_HZ
from voiced.call.apart import LONGEST_S, Question
from voiced.call.news import (
    ApartEnded,
    ApartGrew,
    CallerDictated,
    CallerPaused,
    ReplyReleased,
    TurnEnded,
)
from voiced.call.transcript import Who
from voiced.config.settings import TurnPace
from voiced.errors import EngineFailed, Refused
from voiced.llm.model import Message, Role
from voiced.testing.fakes import FakeLanguageModel
from voiced.vad.model import SpeechBegan
from voiced.words import Words

pytestmark = pytest.mark.flow

PATIENT = TurnPace(endpoint_delay_ms=3000, endpoint_ceiling_ms=3000, answer_deadline_ms=5000)


def dictated(stage: Stage) -> list[str | None]:
    news = [one.text for one in stage.news if isinstance(one, CallerDictated)]
    return [text.reveal() if text is not None else None for text in news]


def sound(stage: Stage, seconds: float) -> None:
    """The caller says something: what the detector would call voiced."""
    at = np.arange(int(seconds * HEARING_HZ)) / HEARING_HZ
    stage.source.ring.write((8000 * np.sin(2 * np.pi * 440 * at)).astype(np.int16))


def test_what_is_said_while_the_program_decides_is_read_when_it_commits() -> None:
    committed: list[object] = []

    async def script(stage: Stage) -> None:
        await stage.until(2.0)
        stage.call.program.listen(None)
        await stage.speak(2.0, 3.0)  # nobody listens
        sound(stage, 1.0)
        await stage.until(5.0)
        committed.append(stage.call.program.commit())
        await stage.until(6.0)
        stage.call.ask(Words("Where do I park?"))
        await stage.until(10.0)

    stage = play(script, ["Where do I park?"], ["In the garage."])

    assert ["Where do I park?"] == dictated(stage)
    [(number, seconds)] = committed  # type: ignore[misc]
    assert (1, 3.0) == (number, pytest.approx(seconds, abs=0.1))
    assert [True] == [turn.reply.reveal() == "In the garage." for turn in stage.turns()]
    assert 1.0 == pytest.approx(stage.stt.utterances[0].voiced_s, abs=0.1)  # type: ignore[attr-defined]
    assert 2.0 < stage.audible(2.0, 10.0)[0] - 4.0


def test_what_was_cleared_is_not_read() -> None:
    async def script(stage: Stage) -> None:
        await stage.until(2.0)
        stage.call.program.listen(None)
        sound(stage, 1.0)
        await stage.until(4.0)
        stage.call.program.clear()
        assert stage.call.program.commit() is None
        await stage.until(5.0)

    assert [] == dictated(play(script, ["Never read."], []))


def test_a_recogniser_that_fails_is_told_to_the_program_and_to_nobody_else() -> None:
    async def script(stage: Stage) -> None:
        await stage.until(2.0)
        stage.call.program.listen(None)
        await stage.until(4.0)
        stage.call.program.commit()
        await stage.until(9.0)

    stage = play(script, [EngineFailed("stt", "scripted")], [])

    assert [None] == dictated(stage)
    assert [] == stage.audible(2.0, 9.0)


def test_a_turn_that_has_begun_ends_when_the_program_takes_over() -> None:
    async def script(stage: Stage) -> None:
        await stage.until(2.1)
        stage.vad.begin("c", 2.0)
        await stage.until(3.0)
        stage.call.program.listen(None)
        await stage.until(8.0)

    stage = play(script, ["Hello?"], ["Yes."])

    assert 1 == sum(isinstance(news, CallerPaused) for news in stage.news)
    assert ["Yes."] == [turn.reply.reveal() for turn in stage.turns()]


def test_a_beginning_that_was_under_way_when_the_program_took_over_is_none() -> None:
    """Else the floor would be the caller's for ever: nobody would tell the end."""

    async def script(stage: Stage) -> None:
        await stage.until(2.0)
        stage.inbox.put(SpeechBegan(2.0, 32_000))
        stage.call.program.listen(None)
        await stage.until(3.0)
        stage.call.ask(Words("Where do I park?"))
        await stage.until(8.0)

    stage = play(script, [], ["In the garage."])

    assert ["In the garage."] == [turn.reply.reveal() for turn in stage.turns()]


def test_the_detector_listens_again_from_then_on() -> None:
    async def script(stage: Stage) -> None:
        await stage.until(2.0)
        stage.call.program.listen(None)
        await stage.until(3.0)
        stage.call.program.listen(PATIENT)
        assert stage.source.ring.taken == stage.source.ring.written
        await stage.speak(3.5, 4.5)
        await stage.until(14.0)

    stage = play(script, ["Hello?"], ["Yes."])

    # the pause is as long as the program said
    assert 4.5 + 3.0 == pytest.approx(stage.audible(4.0, 14.0)[0], abs=0.1)


def test_words_alone_are_not_spoken_and_stand_in_the_history() -> None:
    async def script(stage: Stage) -> None:
        await stage.until(2.0)
        stage.call.program.hush(True)
        await stage.speak(2.0, 3.0)
        await stage.until(6.0)
        stage.call.program.hush(False)
        await stage.speak(6.0, 7.0)
        await stage.until(12.0)

    stage = play(script, ["Hello?", "And?"], ["In words.", "Aloud."])

    assert [] == stage.audible(2.0, 7.0)
    assert [] != stage.audible(7.0, 12.0)
    assert ["In words.", "Aloud."] == [turn.reply.reveal() for turn in stage.turns()]
    history = [m.text.reveal() for m in stage.llm.histories[-1] if m.role is Role.ASSISTANT]
    assert "In words." == history[-1]
    silent = [news.silent for news in stage.news if isinstance(news, ReplyReleased)]
    assert [False, True, False] == silent


def test_one_answer_in_words_alone_leaves_the_next_one_spoken() -> None:
    async def script(stage: Stage) -> None:
        await stage.until(2.0)
        stage.call.ask(Words("Where do I park?"), silent=True)
        await stage.until(5.0)
        stage.call.ask(Words("And my bicycle?"))
        await stage.until(9.0)

    stage = play(script, [], ["In the garage.", "At the door."])

    assert [] == stage.audible(2.0, 5.0)
    assert [] != stage.audible(5.0, 9.0)


def test_what_is_forgotten_does_not_enter_the_next_prompt() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(7.0)
        stage.call.program.forget(1, Who.CALLER)
        stage.call.program.forget(1, Who.AGENT)
        await stage.speak(7.0, 8.0)
        await stage.until(13.0)

    stage = play(script, ["My number is 5.", "And?"], ["Your number is 5.", "Yes."])

    assert "5" not in " ".join(m.text.reveal() for m in stage.llm.histories[-1])


ASKED = Question((Message(Role.USER, Words("Polite?")),), Words("Judge."))


def apart(stage: Stage) -> tuple[str, list[str]]:
    pieces = [news.text.reveal() for news in stage.news if isinstance(news, ApartGrew)]
    return "".join(pieces), [n.outcome for n in stage.news if isinstance(n, ApartEnded)]


def test_an_answer_apart_is_told_and_neither_spoken_nor_remembered() -> None:
    async def script(stage: Stage) -> None:
        await stage.until(2.0)
        stage.call.program.ask_apart(ASKED)
        await stage.until(4.0)
        assert 1 == stage.llm.opened
        await stage.speak(4.0, 5.0)
        await stage.until(9.0)

    stage = play(script, ["Hello?"], ["Very polite.", "Yes."])

    assert ("Very polite. ", ["completed"]) == apart(stage)
    assert [] == stage.audible(2.0, 4.0)
    assert "polite" not in " ".join(m.text.reveal() for m in stage.llm.histories[-1]).lower()


def test_there_is_one_at_a_time_and_it_can_be_cancelled() -> None:
    async def script(stage: Stage) -> None:
        await stage.until(2.0)
        number = stage.call.program.ask_apart(ASKED)
        with pytest.raises(Refused):
            stage.call.program.ask_apart(ASKED)
        await stage.until(2.25)
        stage.call.program.cancel_apart(number)
        await stage.until(3.0)
        assert 1 == stage.llm.opened

    stage = play(script, [], ["One two three four five six seven eight nine ten."])

    text, outcomes = apart(stage)
    assert (["cancelled"], True) == (outcomes, len(text) < 30)


def test_one_that_never_comes_ends_and_gives_its_slot_back() -> None:
    async def script(stage: Stage) -> None:
        await stage.until(2.0)
        stage.call.program.ask_apart(ASKED)
        await stage.until(2.0 + LONGEST_S + 1.0)
        assert 1 == stage.llm.opened

    assert ("", ["failed"]) == apart(play(script, [], [None]))


def test_a_call_that_ends_ends_what_was_asked_beside_it() -> None:
    async def script(stage: Stage) -> None:
        await stage.until(2.0)
        stage.call.program.ask_apart(ASKED)
        stage.call.program.listen(None)
        await stage.until(2.1)

    stage = play(script, [], [None])

    assert [] == [news for news in stage.news if isinstance(news, TurnEnded)]
    assert isinstance(stage.llm, FakeLanguageModel)
    assert 1 == stage.llm.opened

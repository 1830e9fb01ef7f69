"""Whole calls that are kept, or not: consent, its refusal, and a disk that gives up."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from tests.flow.test_call import AGENT, FIXED, GREETING_S, one_question, play
from voiced.audio.pcm import HEARING_HZ, SPEAKING_HZ
from voiced.config.agent import Lines, Vault
from voiced.testing.fakes import FakeSafe, FakeSource, tone
from voiced.testing.stage import Stage
from voiced.tts.fixed import FixedLine
from voiced.turn.consent import PATIENCE_S
from voiced.turn.orders import Line
from voiced.vault.record import Kind, packets_of
from voiced.vault.sound import write_ogg
from voiced.words import Words

pytestmark = pytest.mark.flow

CONSENT_S, WELCOME_S = 1.5, 0.8
CONSENT, WELCOME, GREETING = 5000, 4000, 1000
"""How loud each of the lines is."""
LINES = {
    **FIXED,
    Line.CONSENT: FixedLine(Words("May we record this?"), tone(CONSENT_S, level=CONSENT)),
    Line.WELCOME: FixedLine(Words("How can I help?"), tone(WELCOME_S, level=WELCOME)),
}
KEEPER = replace(
    AGENT,
    lines={
        "en": Lines(greeting="Hello.", fallback="Sorry?", goodbye="Goodbye.", consent="May we?")
    },
    vault=Vault(transcripts=True, recordings=True, retention_days=7),
)


def held(script: Any, texts: list[str], replies: list[str], **more: Any) -> tuple[Stage, FakeSafe]:
    safe = more.pop("safe", FakeSafe())
    parts = {"agent": KEEPER, "lines": LINES, "safe": safe, **more}
    return play(script, texts, replies, **parts), safe


async def answer_and_ask(stage: Stage) -> None:
    """An answer to the question, and then a question of the caller's own."""
    await stage.speak(2.0, 2.5)
    await stage.until(5.0)
    await stage.speak(5.0, 6.0)
    await stage.until(11.0)


def heard(stage: Stage, level: int) -> float:
    """Seconds for which the caller heard a line."""
    return 0.02 * sum(level == one for _, one in stage.levels)


def test_a_caller_who_agrees_is_greeted_and_the_call_is_kept_from_then_on() -> None:
    stage, safe = held(answer_and_ask, ["Yes.", "Where is it?"], ["On the third floor."])

    opening = safe.openings[0]
    assert ("c", "desk", True, 7) == (
        opening.call,
        opening.agent,
        opening.recorded,
        opening.retention_days,
    )
    assert [("Yes.", "How can I help?"), ("Where is it?", "On the third floor.")] == safe.turns()
    assert ["left"] == safe.endings
    assert (CONSENT_S, WELCOME_S, 0.0) == pytest.approx(
        (heard(stage, CONSENT), heard(stage, WELCOME), heard(stage, GREETING) - 0.95), abs=0.05
    )
    assert 1 == len(stage.llm.histories), "the answer to the question is not the model's business"


@pytest.mark.parametrize("no", ["No.", "No, thank you.", "I'd rather not."])
def test_a_caller_who_refuses_is_served_and_nothing_is_kept(no: str) -> None:
    stage, safe = held(answer_and_ask, [no, "Where is it?"], ["On the third floor."])

    assert ([], [], []) == (safe.openings, safe.parts, safe.endings)
    assert "On the third floor." == stage.turns()[-1].reply.reveal()
    assert pytest.approx(WELCOME_S, abs=0.05) == heard(stage, WELCOME)


def test_a_question_instead_of_an_answer_is_answered_and_nothing_is_kept() -> None:
    """Later words are no consent any more, whatever they are."""
    stage, safe = held(answer_and_ask, ["Who are you?", "Yes, okay."], ["A machine.", "Good."])

    assert [] == safe.openings
    assert ["A machine.", "Good."] == [turn.reply.reveal() for turn in stage.turns()]


def test_a_caller_who_says_nothing_has_not_agreed_and_is_greeted() -> None:
    async def script(stage: Stage) -> None:
        await stage.until(CONSENT_S + PATIENCE_S + 3)
        await stage.speak(stage.now(), stage.now() + 0.5)
        await stage.until(stage.now() + 4)

    stage, safe = held(script, ["Yes."], ["Good."])

    began = next(at for at, level in stage.levels if level == WELCOME)
    assert CONSENT_S + PATIENCE_S == pytest.approx(began, abs=0.1)
    assert [] == safe.openings
    assert [] == stage.unexpected


def test_a_yes_before_the_question_was_heard_is_asked_for_again() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(0.5, 1.2)
        await stage.until(5.0)
        await stage.speak(5.0, 5.5)
        await stage.until(9.0)

    stage, safe = held(script, ["Yes.", "Yes."], [])

    assert heard(stage, CONSENT) > CONSENT_S
    assert [("Yes.", "How can I help?")] == safe.turns()


def test_a_no_into_the_question_is_a_no() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(0.5, 1.2)
        await stage.until(6.0)

    stage, safe = held(script, ["No."], [])

    assert [] == safe.openings
    assert pytest.approx(WELCOME_S, abs=0.05) == heard(stage, WELCOME)


@pytest.mark.parametrize(
    "more",
    [{"safe": FakeSafe(ready=False)}, {"safe": None}, {"agent": replace(KEEPER, vault=Vault())}],
    ids=["disk full", "no vault", "not asked for"],
)
def test_where_nothing_can_be_kept_nobody_is_asked(more: dict[str, Any]) -> None:
    stage, _ = held(one_question, ["Where?"], ["There."], **more)

    assert 0.0 == heard(stage, CONSENT)
    assert stage.audible(0.0, GREETING_S)
    assert "There." == stage.turns()[0].reply.reveal()


def test_a_disk_that_is_full_ends_the_keeping_and_not_the_call() -> None:
    safe = FakeSafe(fails_at=2)
    stage, _ = held(answer_and_ask, ["Yes.", "Where is it?"], ["On the third floor."], safe=safe)

    assert 2 == len(safe.parts)
    assert ["full"] == safe.endings
    assert "On the third floor." == stage.turns()[-1].reply.reveal()


def test_a_disk_that_hangs_makes_nobody_wait() -> None:
    quick, _ = held(answer_and_ask, ["Yes.", "Where is it?"], ["On the third floor."])
    stage, safe = held(
        answer_and_ask,
        ["Yes.", "Where is it?"],
        ["On the third floor."],
        safe=FakeSafe(part_s=600.0),
    )

    assert quick.levels == stage.levels
    assert safe.endings


def test_a_call_that_breaks_off_keeps_what_was_said_until_then() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 2.5)
        await stage.until(5.0)
        await stage.speak(5.0, 6.0)
        await stage.until(8.2)  # in the middle of the reply

    reply = "It is on the third floor on the left, next to the lift."
    _, safe = held(script, ["Yes.", "Where is it?"], [reply])

    asked, told = safe.turns()[-1]
    assert "Where is it?" == asked
    assert reply.startswith(told)
    assert 0 < len(told) < len(reply)


def test_of_a_call_that_ends_at_once_nothing_is_kept_that_was_said_before_the_yes() -> None:
    """The first yes came before the question was heard; after the second the line is gone."""

    async def script(stage: Stage) -> None:
        await stage.speak(0.5, 1.2)
        await stage.speak(5.0, 5.5)
        await stage.until(6.2)

    _, safe = held(script, ["Yes, okay.", "Yes."], [])

    assert ["Yes."] == [asked for asked, _ in safe.turns()]


def test_the_recording_has_both_sides_and_nothing_of_before_the_consent(tmp_path: Path) -> None:
    class Humming(FakeSource):
        """A caller who makes a sound all the time."""

        def grow(self, until: float) -> None:
            missing = int(until * HEARING_HZ) - self.ring.written
            if missing > 0:
                at = np.arange(self.ring.written, self.ring.written + missing) / HEARING_HZ
                self.ring.write((6000 * np.sin(2 * np.pi * 300 * at)).astype(np.int16))

    async def script(stage: Stage) -> None:
        await answer_and_ask(stage)
        await stage.until(45.0)  # longer than the tap's ring remembers

    _, safe = held(script, ["Yes.", "Where?"], ["There."], source=Humming())
    sound = played(safe, tmp_path)

    assert 42.0 == pytest.approx(len(sound) / SPEAKING_HZ, abs=0.6)
    assert np.min([np.max(np.abs(w)) for w in np.array_split(sound[2000:-2000, 0], 400)]) > 0.1
    assert np.max(np.abs(sound[: SPEAKING_HZ // 2, 1])) > 0.05, "the welcome follows at once"
    assert np.max(np.abs(sound[-SPEAKING_HZ * 5 :, 1])) < 0.01


def test_what_a_person_who_joins_and_the_caller_say_to_each_other_is_not_kept(
    tmp_path: Path,
) -> None:
    person, caller = 9000, 12_000

    async def script(stage: Stage) -> None:
        await answer_and_ask(stage)
        stage.person.level = person
        await stage.join()
        await stage.until(11.1)
        stage.source.level = caller
        await stage.until(18.9)
        stage.source.level = 0
        await stage.until(19.0)
        stage.person.hang_up()
        await stage.until(23.0)

    _, safe = held(script, ["Yes.", "Where?"], ["There."])
    sound = played(safe, tmp_path)

    assert 12.0 == pytest.approx(len(sound) / SPEAKING_HZ, abs=0.6)
    assert np.max(np.abs(sound)) < 0.8 * person / 32768


def played(safe: FakeSafe, folder: Path) -> Any:
    parts = [content for kind, content in safe.parts if kind is Kind.SOUND]
    write_ogg([packet for part in parts for packet in packets_of(part)], folder / "call.ogg")
    return soundfile.read(folder / "call.ogg")[0]


def test_words_alone_are_kept_where_sound_is_not_asked_for() -> None:
    agent = replace(KEEPER, vault=Vault(transcripts=True))
    stage, safe = held(answer_and_ask, ["Yes.", "Where?"], ["There."], agent=agent)

    assert {Kind.TURN} == {kind for kind, _ in safe.parts}
    assert not safe.openings[0].recorded
    assert stage.playout.tap is None

"""What becomes a turn."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from voiced.stt import scripts
from voiced.stt.decoding import compression
from voiced.stt.gate import Reason, Rejection, judge
from voiced.stt.model import Heard, Utterance
from voiced.words import Words

pytestmark = pytest.mark.unit


def judged(
    text: str,
    *,
    voiced_s: float,
    seconds: float | None = None,
    hotwords: tuple[str, ...] = (),
    languages: tuple[str, ...] = ("en",),
    avg_logprob: float = -0.5,
    no_speech: float = 0.1,
    ratio: float | None = None,
) -> str:
    """The text that is believed, or the reason why none is."""
    heard = Heard(
        text=Words(text),
        language=languages[0],
        avg_logprob=avg_logprob,
        no_speech=no_speech,
        compression=compression(text) if ratio is None else ratio,
        tokens=len(text),
    )
    samples = int(((voiced_s if seconds is None else seconds) + 0.5) * 16000)
    utterance = Utterance(np.zeros(samples, np.int16), languages[0], hotwords, voiced_s)
    verdict = judge(heard, utterance, languages)
    return verdict.reason if isinstance(verdict, Rejection) else verdict.reveal()


@pytest.mark.parametrize(
    ("text", "voiced_s"),
    [
        ("No.", 0.416),
        ("Yes.", 0.448),
        ("Stop!", 0.320),
        ("Top", 0.320),
        ("Help!", 0.19),
        ("I", 0.16),
        ("Mm-hmm.", 0.45),
        ("5", 0.25),
        ("0", 0.30),
        ("0", 0.99),
        ("No, no, no, no!", 0.9),
        ("Help, help, help, help, help, help!", 2.4),
        ("Five, five, five, five, oh one two.", 2.2),
        ("Thank you.", 0.4),
        ("I take metformin five hundred milligrams twice a day.", 3.0),
        ("Two tablets every morning and then one in the evening before I go to bed", 2.6),
    ],
)
def test_a_real_answer_is_never_lost(text: str, voiced_s: float) -> None:
    """However unsure the recogniser is: its own numbers for a real "No." are among the worst."""
    assert text == judged(text, voiced_s=voiced_s, avg_logprob=-2.5, no_speech=0.95)


def test_words_without_speech_are_invented() -> None:
    """However sure the recogniser is: an invented loop on silence scored -0.13."""
    assert Reason.SILENT == judged("Thank you.", voiced_s=0.0, avg_logprob=-0.1, no_speech=0.0)
    assert Reason.SILENT == judged("Thank you.", voiced_s=0.032)


@pytest.mark.parametrize("text", ["", "...", ". . .", "?!", " - ", "\u3002"])
def test_marks_alone_are_nothing(text: str) -> None:
    assert Reason.EMPTY == judged(text, voiced_s=1.0)


@pytest.mark.parametrize(
    "text",
    [
        "[BLANK_AUDIO]",
        "(coughing)",
        "[Music] [Applause]",
        "*sighs*",
        "\u266a la la la \u266a",
        "\u266a la la",
        "(speaking in foreign language)...",
        "\uff08\u62cd\u624b\uff09",
        "<|nospeech|>",
    ],
)
def test_placeholders_are_not_speech(text: str) -> None:
    assert Reason.PLACEHOLDER == judged(text, voiced_s=2.0)


def test_what_stands_beside_a_placeholder_is_kept() -> None:
    assert "Yes." == judged("(coughing) Yes.", voiced_s=0.5)


def test_less_than_and_greater_than_are_no_placeholder() -> None:
    assert "is it <5 or >3" == judged("is it <5 or >3", voiced_s=1.5)


def test_an_area_code_in_brackets_is_no_placeholder() -> None:
    number = "My number is (617) 555-0142."
    assert number == judged(number, voiced_s=4.0)


def test_letters_of_another_language_are_not_understood() -> None:
    assert Reason.SCRIPT == judged("네.", voiced_s=0.5)
    assert "네." == judged("네.", voiced_s=0.5, languages=("en", "ko"))


@pytest.mark.parametrize(
    ("text", "voiced_s"),
    [
        ("ma'r " * 60, 3.0),
        ("Thank you. " * 40, 6.0),
        ("I'm not a fool. " * 30, 5.0),
        ("a" * 400, 0.3),
        ("I take I take I take I take I take I take", 1.5),
    ],
)
def test_a_loop_is_not_speech(text: str, voiced_s: float) -> None:
    """More repeated words than anybody could have said in the speech that was heard."""
    assert judged(text, voiced_s=voiced_s) in (Reason.LOOP, Reason.HURRIED)


def test_a_loop_that_was_cut_back_to_its_phrase_counts_as_one() -> None:
    """The ratio is that of the whole decode: the phrase alone must have had time to be said."""
    assert Reason.LOOP == judged("I'm not a fool.", voiced_s=0.5, ratio=19.0)

    assert "I'm not a fool." == judged("I'm not a fool.", voiced_s=1.2, ratio=19.0)


def test_a_sentence_does_not_fit_into_a_click() -> None:
    assert Reason.HURRIED == judged("Thank you for watching this video.", voiced_s=0.1)


@pytest.mark.parametrize(
    ("text", "hotwords", "voiced_s"),
    [
        (
            "surgery mode, end consultation, return to position",
            ("surgery mode", "end consultation", "return to position"),
            0.4,
        ),
        ("Metformin. Lisinopril.", ("metformin", "lisinopril", "Dr. Kim"), 0.13),
    ],
)
def test_the_hint_does_not_come_back_as_speech(
    text: str, hotwords: tuple[str, ...], voiced_s: float
) -> None:
    assert Reason.HOTWORDS == judged(text, voiced_s=voiced_s, hotwords=hotwords)


def test_hotwords_repeated_out_of_silence_are_not_speech() -> None:
    text = "수술 모드, 진료 모드, 진료 모드, 진료 모드, 진료 모드, 진료 모드"

    verdict = judged(
        text, voiced_s=0.0, hotwords=("수술 모드", "진료 모드"), languages=("ko",), ratio=2.67
    )

    assert Reason.SILENT == verdict


def test_a_hotword_that_was_said_is_believed() -> None:
    assert "Metformin." == judged("Metformin.", voiced_s=0.6, hotwords=("metformin",))


def test_other_words_beside_the_hint_are_believed() -> None:
    text = "end consultation now"

    assert text == judged(text, voiced_s=0.34, hotwords=("end consultation",))


def test_blanks_are_tidied() -> None:
    assert "Yes, please." == judged("  Yes,\n please. ", voiced_s=1.0)


@given(st.text(max_size=80), st.floats(0, 30), st.floats(-5, 0), st.floats(0, 1), st.floats(0, 30))
def test_whatever_was_read_is_judged(
    text: str, voiced_s: float, avg_logprob: float, no_speech: float, ratio: float
) -> None:
    """Words that are believed are never blank; nothing raises."""
    verdict = judged(
        text, voiced_s=voiced_s, avg_logprob=avg_logprob, no_speech=no_speech, ratio=ratio
    )

    assert verdict.strip()


@pytest.mark.parametrize(
    ("text", "seconds", "voiced_s", "avg_logprob", "no_speech"),
    [
        ("I'm going to add some salt.", 7.8, 7.1, -1.6, 0.71),  # too few words for so much sound
        ("You", 1.0, 0.35, -1.8, 0.75),  # speech in snatches
        ("Spongebob.", 2.4, 0.7, -1.6, 0.56),
    ],
)
def test_voices_in_the_background_are_no_turn(
    text: str, seconds: float, voiced_s: float, avg_logprob: float, no_speech: float
) -> None:
    """The recogniser doubts twice, and the detector heard snatches, or far more than words."""
    verdict = judged(
        text, voiced_s=voiced_s, seconds=seconds, avg_logprob=avg_logprob, no_speech=no_speech
    )

    assert Reason.DOUBTFUL == verdict
    assert text == judged(text, voiced_s=voiced_s, seconds=seconds, avg_logprob=avg_logprob)
    assert text == judged(text, voiced_s=voiced_s, seconds=seconds, no_speech=no_speech)


def test_a_blip_that_the_recogniser_takes_for_silence_is_no_turn() -> None:
    assert Reason.DOUBTFUL == judged("Oh", voiced_s=0.096, no_speech=0.6)

    assert "Oh" == judged("Oh", voiced_s=0.096, no_speech=0.3)
    assert "Oh" == judged("Oh", voiced_s=0.16, no_speech=0.6)


def test_the_detectors_doubt_alone_loses_nothing() -> None:
    assert "No." == judged("No.", voiced_s=0.2, seconds=2.0)


@given(st.text(max_size=40), st.floats(0, 1), st.floats(-5, 0), st.floats(0, 1))
@example("0", 1.0, -2.0, 1.0)
def test_the_recognisers_own_confidence_decides_nothing(
    text: str, part: float, avg_logprob: float, no_speech: float
) -> None:
    """Where the detector heard speech without holes: more than a click, and of each word at most
    the second in which a word can be dragged out."""
    longest_s = float(max(len(scripts.words(text)), 1))
    voiced_s = min(0.14 + part * (longest_s - 0.14), longest_s)
    believed = judged(text, voiced_s=voiced_s)

    assert believed == judged(text, voiced_s=voiced_s, avg_logprob=avg_logprob, no_speech=no_speech)

"""Sentences with silences at their pauses."""

from pathlib import Path

import numpy as np
import pytest

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.bench import turn_speech
from voiced.errors import UnavailableError

pytestmark = pytest.mark.unit


def voice(seconds: float) -> Pcm:
    time = np.arange(int(seconds * HEARING_HZ)) / HEARING_HZ
    return (8000 * np.sin(2 * np.pi * 200 * time)).astype(np.int16)


def test_a_bar_stands_at_a_pause() -> None:
    found = turn_speech.sentence("I would like | an appointment | today.")

    assert "I would like an appointment today." == found.text
    assert (3, 5) == found.pauses


def test_a_sentence_without_bars_has_no_pause() -> None:
    assert () == turn_speech.sentence("Yes.").pauses


@pytest.mark.parametrize("line", ["| Yes. |", "|Yes.", "Yes. | "])
def test_a_bar_at_the_edge_is_no_pause(line: str) -> None:
    assert turn_speech.Sentence("Yes.", ()) == turn_speech.sentence(line)


def test_the_sentences_of_a_file_are_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "turns.txt"
    path.write_text("Yes.\n\nNo | thanks.\n")

    assert ["Yes.", "No thanks."] == [one.text for one in turn_speech.read(path)]


def test_a_file_without_sentences_is_refused(tmp_path: Path) -> None:
    (tmp_path / "turns.txt").write_text("\n | \n")

    with pytest.raises(UnavailableError, match="no sentence"):
        turn_speech.read(tmp_path / "turns.txt")
    with pytest.raises(UnavailableError, match="cannot be read"):
        turn_speech.read(tmp_path / "other.txt")


def test_pauses_and_the_end_lie_where_the_voice_does() -> None:
    turn = turn_speech.turn([voice(0.5), voice(0.7)], seed=3)

    (pause,) = turn.pauses
    lead = int(turn_speech.LEAD_S * HEARING_HZ)
    assert lead + 0.5 * HEARING_HZ == pytest.approx(pause.start, abs=200)
    assert pause.stop + 0.7 * HEARING_HZ == pytest.approx(turn.end, abs=200)
    assert turn.end + turn_speech.TAIL_S * HEARING_HZ == pytest.approx(len(turn.pcm), abs=200)


@pytest.mark.parametrize("seed", range(8))
def test_a_pause_is_as_long_as_chance_says(seed: int) -> None:
    (pause,) = turn_speech.turn([voice(0.4), voice(0.4)], seed).pauses

    shortest, longest = turn_speech.SHORTEST_S, turn_speech.LONGEST_S
    assert shortest <= (pause.stop - pause.start) / HEARING_HZ + 0.001
    assert (pause.stop - pause.start) / HEARING_HZ <= longest + 0.001


def test_the_same_seed_makes_the_same_turn() -> None:
    pieces = [voice(0.4), voice(0.4)]

    assert (turn_speech.turn(pieces, 5).pcm == turn_speech.turn(pieces, 5).pcm).all()
    assert turn_speech.turn(pieces, 5).pauses != turn_speech.turn(pieces, 6).pauses


def test_a_word_is_cut_where_it_is_quietest() -> None:
    pcm = voice(1.0)
    pcm[8100:8200] = 0

    assert 8150 == pytest.approx(turn_speech.quietest(pcm, 8000), abs=80)


def test_sound_is_split_at_its_longest_silences() -> None:
    hush = np.zeros(HEARING_HZ, np.int16)
    sound = np.concatenate([voice(0.5), hush[:5000], voice(0.2), hush, voice(0.3), hush[:2000]])

    pieces = turn_speech.split(sound, 1)

    assert [16200, 6800] == pytest.approx([len(piece) for piece in pieces], abs=8)


def test_a_cut_makes_no_click() -> None:
    faded = turn_speech.faded(np.full(1600, 9000, np.int16))

    assert (0, 9000, 0) == (faded[0], faded[800], faded[-1])
    assert np.abs(np.diff(faded.astype(np.int32))).max() < 200

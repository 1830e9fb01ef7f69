"""`voiced bench redflag`: whose phrases, what noise, and what is counted."""

from pathlib import Path

import numpy as np
import pytest

from voiced.audio.pcm import HEARING_HZ
from voiced.bench import turn_speech
from voiced.bench.options import BenchOptions
from voiced.bench.redflag import (
    NOISE_DB,
    SENTENCES,
    _shown,
    agent_of,
    beside,
    noises,
    phrase_of,
)
from voiced.config.reader import read_settings
from voiced.errors import UnavailableError
from voiced.turn.redflag import RedFlags
from voiced.words import Words

pytestmark = pytest.mark.unit

GALLERY, DEMO = Path("docs/examples/gallery.toml"), Path("docs/examples/demo.toml")


def options(config: Path) -> BenchOptions:
    return BenchOptions(settings=read_settings(config), speech=Path("absent"), config=config)


def test_every_sentence_names_an_emergency_as_written() -> None:
    """So that whatever is missed was misread."""
    flags = RedFlags(agent_of(options(GALLERY), "en").red_flags["en"])

    assert [] == [
        one.text for one in turn_speech.read(SENTENCES) if not flags.raised_by(Words(one.text))
    ]


def test_a_site_without_phrases_is_told_what_to_name() -> None:
    with pytest.raises(UnavailableError, match=r"gallery\.toml"):
        agent_of(options(DEMO), "en")


def test_noise_is_as_much_softer_as_it_says_and_goes_on_around_the_sentence() -> None:
    at = np.arange(HEARING_HZ) / HEARING_HZ
    speech = (8000 * np.sin(2 * np.pi * 300 * at)).astype(np.int16)
    [hiss] = noises(Path("absent"))

    mixed = beside(speech, hiss).astype(np.float64)
    around = mixed[: int(0.3 * HEARING_HZ)]
    ratio = np.mean(np.square(speech, dtype=np.float64)) / np.mean(np.square(around))
    assert NOISE_DB == pytest.approx(10 * np.log10(ratio), abs=0.5)


def test_recall_is_of_all_voices_and_alarms_are_by_the_hour() -> None:
    shown = _shown([[True, True], [True, False]], [True, False], alarms=1, hours=0.5)

    assert (0.75, [1.0, 0.5], [0, 1]) == (
        shown["recall"],
        shown["recall_by_voice"],
        shown["missed"],
    )
    assert (0.5, 2) == (shown["recorded_recall"], shown["recordings"])
    assert 2.0 == shown["false_alarms_per_hour"]


@pytest.mark.parametrize(
    ("said", "phrase"),
    [
        ("Will there be any harm in my calling?", "will there"),
        ("I said: it isn't poison, she cried", "isn't poison"),
        ("emergency", "emergency"),
        ("one two", None),
        ("15 days at 10", None),
    ],
)
def test_a_phrase_of_a_recording_is_chosen_by_length_and_by_nobody(
    said: str, phrase: str | None
) -> None:
    assert phrase == phrase_of(said)

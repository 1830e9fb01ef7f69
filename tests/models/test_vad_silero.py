"""The detector with its real weights."""

from pathlib import Path

import numpy as np
import pytest

from voiced.audio.pcm import Pcm
from voiced.errors import ConfigError, UnavailableError
from voiced.vad import silero, trial
from voiced.vad.silero import Memory, Silero

pytestmark = pytest.mark.models

FACTS = {"window_samples": 512, "context_samples": 64}


@pytest.fixture(scope="module")
def model(models_dir: Path) -> Silero:
    return silero.load(models_dir / "silero-vad", FACTS)


def probabilities(model: Silero, pcm: Pcm, memory: Memory | None = None) -> list[float]:
    memory = memory or Memory()
    starts = range(0, len(pcm) - 511, 512)
    return [model.judge([pcm[start : start + 512]], [memory])[0] for start in starts]


def test_a_sentence_is_speech_and_silence_is_not(model: Silero) -> None:
    """At least 70 % of the windows of clear speech; none of digital silence."""
    speech = probabilities(model, trial.sentence())

    assert 0.7 <= float(np.mean([p > 0.5 for p in speech]))
    assert not any(p > 0.5 for p in probabilities(model, np.zeros(32000, np.int16)))


def test_noise_hum_and_beeps_are_not_speech(model: Silero) -> None:
    random = np.random.default_rng(7)
    t = np.arange(4 * 16000) / 16000
    hum = 3000 * sum(np.sin(2 * np.pi * hz * t) for hz in (50, 100, 150))
    beeps = 12000 * np.sin(2 * np.pi * 960 * t) * (t % 1.0 < 0.15)
    for sound in (random.normal(0, 300, len(t)), hum, beeps):
        heard = probabilities(model, sound.astype(np.int16))

        assert not any(p > 0.5 for p in heard)


def test_calls_in_one_batch_are_bit_equal_to_each_alone(model: Silero) -> None:
    """What a call hears does not depend on who else is talking."""
    sentence = trial.sentence()
    noise = np.random.default_rng(7).normal(0, 2000, len(sentence)).astype(np.int16)
    calls = [sentence, noise, np.roll(sentence, 4000), sentence // 8]
    alone = [probabilities(model, pcm) for pcm in calls]

    memories = [Memory() for _ in calls]
    starts = range(0, len(sentence) - 511, 512)
    together = [
        model.judge([pcm[start : start + 512] for pcm in calls], memories) for start in starts
    ]

    assert alone == [list(column) for column in zip(*together, strict=True)]


@pytest.mark.timeout(60)
def test_hearing_does_not_fade_in_a_long_call(model: Silero) -> None:
    """The sentence after half an hour of quiet is heard as soon as at the beginning: 64 ms."""
    sentence = trial.sentence()
    quiet = np.random.default_rng(7).normal(0, 30, 60 * 16000 // 512 * 512).astype(np.int16)
    memory = Memory()

    first = probabilities(model, sentence, memory)
    for _minute in range(30):
        probabilities(model, quiet, memory)
    last = probabilities(model, sentence, memory)

    assert 2 >= abs(_onset(first) - _onset(last))


def test_a_model_fed_without_scale_is_refused_at_start(model: Silero) -> None:
    """A detector that hears next to nothing of a clear sentence must not serve."""
    with pytest.raises(UnavailableError, match="heard 0%"):
        trial.run(lambda window: model.judge([window // 32767], [Memory()])[0])


def test_a_model_that_hears_speech_in_silence_is_refused() -> None:
    with pytest.raises(UnavailableError, match="silence"):
        trial.run(lambda _window: 0.9)


def test_a_missing_file_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="models pull"):
        silero.load(tmp_path, FACTS)


def test_a_model_for_other_windows_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="window_samples"):
        silero.load(tmp_path, {"window_samples": 256, "context_samples": 64})


def _onset(heard: list[float]) -> int:
    return next(n for n, p in enumerate(heard) if p >= 0.5)

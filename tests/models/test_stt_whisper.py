"""The recogniser with its real weights, behind the real detector and gate."""

import asyncio
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from faster_whisper.feature_extractor import FeatureExtractor

from voiced.audio import file
from voiced.audio.pcm import Pcm, to_float
from voiced.bench import wer
from voiced.catalog.store import Store
from voiced.cli.transcribe import cut
from voiced.config import settings
from voiced.errors import EngineFailed, Stale
from voiced.flow.cancel import Live, Take, Ticket
from voiced.stt import whisper, windows
from voiced.stt.gate import Rejection, judge
from voiced.stt.growth import grown
from voiced.stt.leaning import Leaning
from voiced.stt.model import Partial, Utterance
from voiced.stt.reader import Reader
from voiced.vad import silero
from voiced.vad.recording import stretches
from voiced.vad.silero import Silero
from voiced.words import Words

pytestmark = [pytest.mark.models, pytest.mark.timeout(60)]

HZ = 16_000
DATA = Path(__file__).parents[1] / "data"
LEAD = 300 * HZ // 1000
Say = Callable[..., Pcm]


@pytest.fixture(scope="module")
def detector(store: Store, models_dir: Path) -> Silero:
    return silero.load(models_dir / "silero-vad", store.model("silero-vad").facts)


@pytest.fixture(scope="module")
def reader(store: Store, models_dir: Path) -> Reader:
    facts = store.model("whisper-base").facts
    return Reader(models_dir / "whisper-base", windows.read(facts), threads=2)


@pytest.fixture(scope="module")
def say(tmp_path_factory: pytest.TempPathFactory) -> Say:
    if shutil.which("espeak-ng") is None:
        pytest.skip("espeak-ng is not installed")
    folder = tmp_path_factory.mktemp("said")

    def synthesise(text: str, voice: str = "en-us") -> Pcm:
        path = folder / f"{len(list(folder.iterdir()))}.wav"
        command = ["espeak-ng", "-v", voice, "-s", "160", "-w", str(path), text]
        subprocess.run(command, check=True)
        return file.read(path, HZ)

    return synthesise


@pytest.fixture(scope="module")
def metformin(say: Say) -> Pcm:
    return say("I take metformin five hundred milligrams twice a day.")


Hear = Callable[[Pcm], list[str]]


@pytest.fixture(scope="module")
def hear(detector: Silero, reader: Reader) -> Hear:
    """The turns of a recording, as a live call would have them."""

    def turns(pcm: Pcm) -> list[str]:
        found = []
        for stretch in stretches(pcm, detector, settings.Vad(min_silence_ms=500)):
            part = cut(pcm, [stretch], LEAD)
            utterance = Utterance(part, "en", voiced_s=stretch.voiced_s)
            verdict = judge(reader.read(utterance, ticket()), utterance, ["en"])
            if not isinstance(verdict, Rejection):
                found.append(verdict.reveal())
        return found

    return turns


def ticket() -> Ticket:
    live = Live()
    return Ticket("call", live.take, live)


def read(reader: Reader, pcm: Pcm) -> str:
    return reader.read(Utterance(pcm, "en", voiced_s=1.0), ticket()).text.reveal()


PHRASES = ("chest pain", "can't breathe", "stroke", "seizure", "heart attack")


def named(text: Words) -> int:
    said = text.reveal().lower()
    return max(len(phrase.split()) for phrase in ("", *PHRASES) if phrase in said)


def test_what_a_made_voice_is_misread_as_is_heard_when_it_is_listened_for(
    reader: Reader, say: Say
) -> None:
    """Read for itself it is "had us trod"."""
    sentence = np.pad(say("I think my father had a stroke."), LEAD)
    heard, again = reader.listen(Utterance(sentence, "en", voiced_s=1.0), ticket())

    assert named(heard.text) or "stroke" in again(PHRASES, named).reveal().lower()


def test_what_is_listened_for_is_not_heard_in_other_words(reader: Reader, metformin: Pcm) -> None:
    _, again = reader.listen(Utterance(metformin, "en", voiced_s=3.0), ticket())

    assert not again(PHRASES, named)


def test_nor_in_noise(reader: Reader) -> None:
    noise = np.random.default_rng(1).normal(0, 1000, 4 * HZ).astype(np.int16)
    _, again = reader.listen(Utterance(noise, "en", voiced_s=2.0), ticket())

    assert not again(PHRASES, named)


TWO = Leaning("en", ("en", "de"))


def test_a_sentence_is_read_in_the_language_that_it_is_in(
    reader: Reader, say: Say, metformin: Pcm
) -> None:
    """Asked for English first; and English is read as if nobody had asked."""
    german = say("Wo ist das Krankenhaus, bitte? Ich habe morgen einen Termin.", "de")
    utterance = Utterance(german, "en", voiced_s=3.0, leaning=TWO)
    found = reader.read(utterance, ticket())
    early = reader.glance(utterance, lambda: False)
    english = Utterance(metformin, "en", voiced_s=3.0)
    same = reader.read(replace(english, leaning=TWO), ticket())

    assert early is not None
    assert ("de", replace(TWO, language="de")) == (found.language, found.leaning)
    assert "Ich habe morgen einen Termin" in found.text.reveal()
    assert replace(TWO, language="de") == early[1]
    assert found.text == reader.read(Utterance(german, "de", voiced_s=3.0), ticket()).text
    assert (TWO, reader.read(english, ticket()).text) == (same.leaning, same.text)


def test_sound_that_is_in_none_of_the_languages_is_read_in_the_one_of_before(
    reader: Reader,
) -> None:
    for noise in NOISES.values():
        found = reader.read(Utterance(noise, "en", voiced_s=3.0, leaning=TWO), ticket())
        assert ("en", TWO) == (found.language, found.leaning)


def glanced(reader: Reader, part: Utterance) -> Words | None:
    found = reader.glance(part, lambda: False)
    return found[0] if found is not None else None


def silence(seconds: float) -> Pcm:
    return np.zeros(int(seconds * HZ), np.int16)


def noises() -> dict[str, Pcm]:
    """What a ward sounds like when nobody speaks."""
    random = np.random.default_rng(11)
    t = np.arange(4 * HZ) / HZ
    white = random.normal(0, 1, len(t))
    pink = np.fft.irfft(np.fft.rfft(white) / np.sqrt(np.maximum(np.arange(len(t) // 2 + 1), 1)))
    hum = sum(np.sin(2 * np.pi * hz * t) for hz in (50, 100, 150))
    beeps = np.sin(2 * np.pi * 960 * t) * (t % 1.0 < 0.15)
    burst = white * np.exp(-t * 12) * (t < 0.32)
    slam = np.cumsum(white) * np.exp(-t * 40) * (t < 0.12)
    sounds = {
        "pink": (pink, 2000),
        "hum": (hum, 6000),
        "beeps": (beeps, 16000),
        "cough": (burst, 20000),
        "slam": (slam, 30000),
    }
    return {"silence": silence(3)} | {
        name: (sound / np.abs(sound).max() * peak).astype(np.int16)
        for name, (sound, peak) in sounds.items()
    }


NOISES = noises()


@pytest.mark.parametrize("noise", NOISES)
def test_no_turn_comes_of_noise(noise: str, hear: Hear) -> None:
    assert [] == hear(NOISES[noise])


@pytest.mark.parametrize("noise", NOISES)
def test_no_hotword_comes_out_of_noise(noise: str, reader: Reader) -> None:
    """Even if the detector were fooled for two windows."""
    hint = ("surgery mode", "end consultation")
    utterance = Utterance(NOISES[noise], "en", hint, voiced_s=0.064)

    verdict = judge(reader.read(utterance, ticket()), utterance, ["en"])

    assert isinstance(verdict, Rejection)


@pytest.mark.parametrize("word", ["yes", "no", "stop", "continue"])
def test_a_one_word_answer_is_a_turn(word: str, say: Say, hear: Hear) -> None:
    said = np.concatenate([silence(0.5), say(word), silence(0.5)])

    assert 1 == len(hear(said))


def test_the_first_and_the_last_word_are_kept(metformin: Pcm, hear: Hear) -> None:
    """Speech that begins with the first sample and ends 300 ms before the last."""
    voiced = np.flatnonzero(np.abs(metformin) > 300)

    (text,) = hear(np.concatenate([metformin[voiced[0] : voiced[-1]], silence(0.3)]))

    words = wer.fold(text)
    assert ["i", "take"] == words[:2]
    assert ["twice", "a", "day"] == words[-3:]


@pytest.mark.parametrize("extra", [1, 317, 511, 4801])
def test_the_last_word_is_kept_whatever_the_length(extra: int, metformin: Pcm, hear: Hear) -> None:
    """The recording need not be whole windows or frames, nor have any silence at its end."""
    voiced = np.flatnonzero(np.abs(metformin) > 300)

    (text,) = hear(np.concatenate([silence(0.2)[:extra], metformin[: voiced[-1]]]))

    assert ["twice", "a", "day"] == wer.fold(text)[-3:]


def test_a_quiet_end_adds_nothing(metformin: Pcm, hear: Hear) -> None:
    texts = [hear(np.concatenate([metformin, silence(seconds)])) for seconds in (0, 1, 2, 5)]

    assert [texts[0]] * 4 == texts


def test_a_quiet_end_adds_nothing_without_the_detector_either(
    metformin: Pcm, reader: Reader
) -> None:
    texts = [
        read(reader, np.concatenate([metformin, silence(seconds)])) for seconds in (0, 1, 2, 5)
    ]

    assert [wer.fold(texts[0])] * 4 == [wer.fold(text) for text in texts]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("parking", "where can i park my car"),
        ("pharmacy", "how do i get to the pharmacy"),
        ("visiting_hours", "when can i visit my father today"),
    ],
)
def test_recorded_questions_are_understood(name: str, words: str, hear: Hear) -> None:
    (text,) = hear(file.read(DATA / f"question_{name}.wav", HZ))

    assert words.split() == wer.fold(text)


LONG = (
    "I take two tablets every morning after breakfast.",
    "My doctor told me to drink more water.",
    "On Monday I have an appointment at the hospital.",
    "The nurse gave me a letter for the pharmacy.",
    "My daughter will drive me home in the evening.",
    "Last year I was in the same building for a week.",
    "The parking garage was full when we arrived.",
    "I would like to speak with somebody in the kitchen.",
    "My telephone number has changed since January.",
    "Please send the bill to my old address.",
    "Thank you very much for your help today.",
)


def test_nothing_is_lost_of_an_utterance_longer_than_the_window(say: Say, reader: Reader) -> None:
    """Thirty-five seconds of sentences: each is read, wherever the cut falls."""
    pauses = [part for text in LONG for part in (say(text), silence(0.4))]
    read_words = wer.fold(read(reader, np.concatenate(pauses)))

    ends = [wer.fold(text)[-1] for text in LONG]
    assert ends == [word for word in read_words if word in ends]


def test_the_spectrogram_is_faster_whispers(reader: Reader) -> None:
    """Exactly, on a full window of sound."""
    pcm = np.random.default_rng(5).normal(0, 1000, 30 * HZ).astype(np.int16)

    expected = FeatureExtractor()(to_float(pcm))[:, :3000]

    assert np.array_equal(expected, reader.mel.of([pcm], 30)[0])


def test_a_short_sound_is_padded_with_silence(reader: Reader) -> None:
    """As if so many samples of zero had been transformed, without transforming them."""
    pcm = np.random.default_rng(5).normal(0, 1000, 2 * HZ + 77).astype(np.int16)
    padded = np.concatenate([pcm, np.zeros(9 * HZ - len(pcm), np.int16)])

    expected = FeatureExtractor()(to_float(padded))[:, :900]

    np.testing.assert_allclose(reader.mel.of([pcm], 9)[0], expected, atol=1e-5)


def test_a_decode_that_loses_the_thread_is_done_again_on_the_full_window(
    metformin: Pcm, store: Store, models_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here because a limit of one token a second is soon reached."""
    facts = {**store.model("whisper-base").facts, "tokens_per_s": {"en": 1}}
    reader = Reader(models_dir / "whisper-base", windows.read(facts), threads=2)
    used: list[int] = []
    of = reader.mel.of
    monkeypatch.setattr(reader.mel, "of", lambda pcms, s: used.append(s) or of(pcms, s))

    read(reader, metformin)

    assert [9, 30] == used


def test_an_utterance_is_read_while_it_grows(metformin: Pcm, reader: Reader) -> None:
    """What two passes agree on grows; it ends with what the final text says."""
    partial: Partial | None = None
    stable = []
    for seconds in (0.6, 1.2, 1.8, 2.4, 3.0, 3.4):
        part = Utterance(metformin[: int(seconds * HZ)], "en")
        partial = grown(partial, glanced(reader, part))
        stable.append(len(partial.stable))

    assert partial is not None
    assert stable[0] == 0 < stable[-1]
    assert ["i", "take"] == wer.fold(partial.stable.reveal())[:2]


def test_too_much_and_too_little_sound_are_not_read_while_they_grow(reader: Reader) -> None:
    assert reader.glance(Utterance(silence(0.05), "en"), lambda: False) is None
    assert reader.glance(Utterance(silence(29), "en"), lambda: False) is None


def test_nothing_is_read_out_of_no_sound(reader: Reader) -> None:
    heard = reader.read(Utterance(silence(0), "en"), ticket())

    assert (0, "") == (heard.tokens, heard.text.reveal())


def test_an_unknown_language_fails_its_own_utterance(reader: Reader) -> None:
    with pytest.raises(EngineFailed, match="xx"):
        reader.read(Utterance(silence(1), "xx"), ticket())


def test_work_that_nobody_wants_stops_between_two_pieces(metformin: Pcm, reader: Reader) -> None:
    live = Live()
    stale = Ticket("call", live.take, live)
    live.take = Take(1, 0)

    with pytest.raises(Stale):
        reader.read(Utterance(metformin, "en"), stale)


ROUNDS = 20


def test_interleaved_calls_are_read_as_each_alone_to_the_bit(
    say: Say, store: Store, models_dir: Path
) -> None:
    """Texts and numbers, twenty rounds; with another call's hint, and looks at turns that go on."""
    facts = store.model("whisper-base").facts
    calls = [
        Utterance(say("Where is the pharmacy?"), "en", voiced_s=1.0),
        Utterance(say("I take metformin."), "en", ("metformin", "Doctor Kim"), voiced_s=1.0),
    ]

    async def both() -> None:
        stt = whisper.load(models_dir / "whisper-base", facts, settings.Stt())
        try:
            await stt.warm()
            alone = [await stt.transcribe(call, ticket()) for call in calls]
            for _ in range(ROUNDS):
                texts = [stt.transcribe(call, ticket()) for call in calls]
                looks = [stt.partial(call, None, ticket()) for call in calls]
                together, _ = await asyncio.gather(asyncio.gather(*texts), asyncio.gather(*looks))
                assert alone == together
        finally:
            stt.close()

    asyncio.run(both())


def test_a_pass_that_is_no_longer_wanted_gives_way(metformin: Pcm, reader: Reader) -> None:
    """A final text that waits must not wait for the whole of it."""
    assert reader.glance(Utterance(metformin, "en"), lambda: True) is None

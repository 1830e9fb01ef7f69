"""The voice's thread: whose chunk comes first, and what stops it."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from voiced.audio.pcm import Pcm
from voiced.errors import EngineFailed, Stale
from voiced.flow.cancel import Live, Take, Ticket
from voiced.gpu.worker import Worker
from voiced.tts import windows
from voiced.tts.diction import Diction
from voiced.tts.local import WAITING, Local
from voiced.tts.traits import Audio, Language, Manner, Traits
from voiced.tts.vits import Vits
from voiced.tts.windows import Floats, Latent
from voiced.words import Words

pytestmark = pytest.mark.unit

HOP = 200
FRAMES_OF_A_LETTER = 10
TRAITS = Traits(
    audio=Audio(sample_rate=24_000),
    espeak=Language(voice="en-us"),
    inference=Manner(noise_scale=0.0, length_scale=1.0, noise_w=0.0),
    phoneme_id_map={"_": [0], "^": [1], "$": [2], " ": [3], "a": [4], "b": [5]},
)


class LetterParts:
    """Each letter is ten frames of its own constant level."""

    decoder_context = 0
    hop = HOP
    fixed = False

    def __init__(self) -> None:
        self.before_decode: Callable[[], None] = lambda: None

    def encode(self, numbers: Sequence[int], manner: Manner, pace: Sequence[float] = ()) -> Latent:
        letters = [number for number in numbers if number > 3]
        level = np.repeat(np.array(letters, np.float32) / 10, FRAMES_OF_A_LETTER)
        return Latent(level.reshape(1, 1, -1), np.ones((1, 1, len(level)), np.float32))

    def flow(self, z_p: Floats, mask: Floats, speaker: Floats | None) -> Floats:
        return z_p

    def decode(self, z: Floats, speaker: Floats | None) -> Floats:
        self.before_decode()
        return np.repeat(z[0, 0], HOP)


class Spelling:
    """A phonemiser whose phonemes are the letters."""

    def __init__(self) -> None:
        self.closed = False

    def phonemes(self, text: str) -> str:
        if text == "x":
            raise EngineFailed("tts", "espeak-ng was late")
        return text.lower()

    def close(self) -> None:
        self.closed = True


class Stage:
    """A voice of letters, and a record of who was heard in which order."""

    def __init__(self, deadline_ms: int = 5_000, rate_hz: int = 24_000) -> None:
        self.parts = LetterParts()
        self.phonemiser = Spelling()
        own = replace(TRAITS, audio=Audio(sample_rate=rate_hz))
        diction = Diction(Vits(own, self.parts, self.phonemiser), 1.0)
        self.voice = Local(diction, Worker("tts", WAITING), deadline_ms / 1000)
        self.heard: list[str] = []

    async def speak(self, who: str, text: str, ticket: Ticket | None = None, **of: bool) -> float:
        def sink(_pcm: Pcm) -> None:
            self.heard.append(who)

        spoken = await self.voice.speak(Words(text), sink, ticket or live(who), first=of["first"])
        return spoken.seconds


def live(call: str) -> Ticket:
    return Ticket(call, Take(0, 0), Live())


def played(scene: Callable[[Stage], object], stage: Stage | None = None) -> Stage:
    """Runs a scene on a loop; its voice is closed whatever happens."""
    stage = stage or Stage()

    async def run() -> None:
        try:
            await scene(stage)  # type: ignore[misc]
        finally:
            stage.voice.close()

    asyncio.run(run())
    return stage


@pytest.mark.parametrize("rate_hz", [16_000, 22_050, 24_000, 44_100])
def test_whatever_the_voices_rate_a_second_stays_a_second(rate_hz: int) -> None:
    """Within 1 %, pieces and chunks together."""

    async def scene(stage: Stage) -> None:
        seconds = await stage.speak("A", "aaaaaaaaaa, bbbb. aaaa", first=True)
        assert pytest.approx(18 * FRAMES_OF_A_LETTER * HOP / rate_hz, rel=0.01) == seconds

    played(scene, Stage(rate_hz=rate_hz))


def test_a_clause_is_as_long_as_its_sound() -> None:
    async def scene(stage: Stage) -> None:
        assert 12 * FRAMES_OF_A_LETTER * HOP / 24_000 == await stage.speak(
            "A", "aaaa, bbbb. aaaa", first=True
        )

    played(scene)


@pytest.mark.parametrize("text", ["", " ", "...", "—", "😊", "**"])
def test_a_clause_with_nothing_to_say_is_no_sound(text: str) -> None:
    async def scene(stage: Stage) -> None:
        assert 0.0 == await stage.speak("A", text, first=True)

    assert [] == played(scene).heard


def test_a_turns_first_chunk_goes_before_the_later_chunks_of_another_call() -> None:
    """B asks while A's first chunk is computed: B is heard before A's second chunk."""

    async def scene(stage: Stage) -> None:
        computing, asked = threading.Event(), threading.Event()

        def wait_for_b() -> None:
            computing.set()
            assert asked.wait(5)

        stage.parts.before_decode = wait_for_b
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(stage.speak("A", "a" * 60, first=False))
            await asyncio.to_thread(computing.wait, 5)
            tasks.create_task(stage.speak("C", "a" * 60, first=False))
            tasks.create_task(stage.speak("B", "b" * 60, first=True))
            await asyncio.sleep(0)
            stage.parts.before_decode = lambda: None
            asked.set()

    heard = played(scene).heard

    assert ["A", "B"] == heard[:2]
    assert heard.index("C") < len(heard) - heard[::-1].index("A") - 1


def test_chunks_of_one_clause_keep_their_order() -> None:
    loudness: list[int] = []

    async def scene(stage: Stage) -> None:
        await stage.voice.speak(
            Words("a" * 30 + "b" * 30),
            lambda pcm: loudness.extend(pcm[::HOP].tolist()),
            live("A"),
            first=True,
        )

    played(scene)

    assert sorted(loudness) == loudness
    assert 60 * FRAMES_OF_A_LETTER == len(loudness)


def test_a_stale_take_stops_within_a_chunk() -> None:
    async def scene(stage: Stage) -> None:
        ticket = live("A")
        stage.parts.before_decode = lambda: setattr(ticket.live, "take", Take(1, 0))
        with pytest.raises(Stale):
            await stage.speak("A", "a" * 60, ticket, first=True)

    assert [] == played(scene).heard


def test_a_take_that_died_while_it_waited_computes_nothing() -> None:
    async def scene(stage: Stage) -> None:
        ticket = live("A")
        ticket.live.take = Take(1, 0)
        stage.parts.before_decode = lambda: pytest.fail("computed")
        with pytest.raises(Stale):
            await stage.speak("A", "a", ticket, first=True)

    played(scene)


def test_a_voice_that_is_late_has_failed() -> None:
    async def scene(stage: Stage) -> None:
        over = threading.Event()
        stage.parts.before_decode = lambda: over.wait(5) and None
        with pytest.raises(EngineFailed, match="deadline"):
            await stage.speak("A", "a", first=True)
        over.set()

    played(scene, Stage(deadline_ms=20))


def test_a_clause_that_fails_harms_no_other() -> None:
    async def scene(stage: Stage) -> None:
        with pytest.raises(EngineFailed, match="espeak"):
            await stage.speak("A", "x", first=True)
        assert await stage.speak("B", "b", first=True) > 0

    assert ["B"] == played(scene).heard


def test_a_model_that_raises_fails_its_clause_without_its_words() -> None:
    async def scene(stage: Stage) -> None:
        def broken() -> None:
            raise RuntimeError("secret")

        stage.parts.before_decode = broken
        with pytest.raises(EngineFailed) as failed:
            await stage.speak("A", "a", first=True)
        assert "secret" not in str(failed.value)

    played(scene)


def test_warming_speaks_once_in_every_size_of_window() -> None:
    seen: list[int] = []

    async def scene(stage: Stage) -> None:
        stage.phonemiser.phonemes = lambda text: "a" * len(text)  # type: ignore[method-assign]
        flow = stage.parts.flow
        stage.parts.flow = lambda z, m, s: seen.append(z.shape[2]) or flow(z, m, s)  # type: ignore
        await stage.voice.warm()

    stage = played(scene)

    assert {24 + 24, 48 + 48, 96 + 48} <= set(seen)
    assert [] == stage.heard


def test_on_a_card_warming_runs_every_fixed_window_too() -> None:
    seen: list[int] = []

    async def scene(stage: Stage) -> None:
        stage.parts.fixed = True
        flow = stage.parts.flow
        stage.parts.flow = lambda z, m, s: seen.append(z.shape[2]) or flow(z, m, s)  # type: ignore
        await stage.voice.warm()

    played(scene)

    assert set(windows.shapes(LetterParts.decoder_context)[0]) <= set(seen)


def test_closing_ends_the_phonemiser_too() -> None:
    async def scene(stage: Stage) -> None:
        await stage.speak("A", "a", first=True)

    assert played(scene).phonemiser.closed

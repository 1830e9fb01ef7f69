"""The espeak-ng program's own voice: the last resort, in any of its languages."""

import asyncio
import json
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from voiced.audio.loudness import integrated_lufs
from voiced.audio.pcm import SPEAKING_HZ, Pcm
from voiced.config.settings import Tts
from voiced.errors import EngineFailed, Stale, UnavailableError
from voiced.flow.cancel import Live, Take, Ticket
from voiced.tts import espeak_voice
from voiced.tts.diction import LOUDNESS_LUFS
from voiced.tts.espeak_voice import EspeakVoice
from voiced.tts.lexicon import Entry, Lexicon, Said
from voiced.tts.local import Local
from voiced.tts.phonemes import pieces
from voiced.words import Words

pytestmark = [
    pytest.mark.models,
    pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="apt-get install espeak-ng"),
]

KOREAN = (
    "안녕하세요, 병원 접수처입니다. 내일 오전 여덟 시에 오세요. "
    "자정 이후에는 아무것도 드시지 마세요. 약국은 일 층 정문 옆에 있습니다."
)


@pytest.fixture
def korean() -> Iterator[Local]:
    voice = espeak_voice.load("ko", "", Tts())
    yield voice
    voice.close()


def spoken(voice: Local, text: str, ticket: Ticket | None = None) -> Pcm:
    chunks: list[Pcm] = [np.zeros(0, np.int16)]
    ticket = ticket or Ticket("call", Take(0, 0), Live())
    asyncio.run(voice.speak(Words(text), chunks.append, ticket, first=True))
    return np.concatenate(chunks)


def test_korean_is_spoken_as_loud_as_every_voice(korean: Local) -> None:
    asyncio.run(korean.warm())
    sound = spoken(korean, KOREAN)

    assert 6.0 < len(sound) / SPEAKING_HZ < 15.0
    assert pytest.approx(LOUDNESS_LUFS, abs=1.0) == integrated_lufs(sound, SPEAKING_HZ)


@pytest.mark.parametrize("text", ["", "...", "😊", "[["])
def test_what_nobody_can_say_is_no_sound(korean: Local, text: str) -> None:
    assert 0 == len(spoken(korean, text))


def test_a_text_cannot_speak_to_the_program(korean: Local) -> None:
    """Neither direct phoneme input, nor markup, nor an option."""
    plain = len(spoken(korean, "안녕하세요"))

    assert len(spoken(korean, "[[a:a:a:a:a:a:a:a:a:a:]] 안녕하세요")) > plain
    assert 0 < len(spoken(korean, "-v en --version"))
    assert 0 < len(spoken(korean, "<speak>안녕</speak>"))


def test_a_stale_take_is_not_spoken(korean: Local) -> None:
    ticket = Ticket("call", Take(0, 0), Live())
    ticket.live.take = Take(1, 0)

    with pytest.raises(Stale):
        spoken(korean, KOREAN, ticket)


def test_the_lexicons_respelling_is_read() -> None:
    lexicon = Lexicon("en", (Entry("x", Said(say="a very long word indeed"), ""),))
    (piece,) = pieces("x")
    lengths = []
    for words in (lexicon, Lexicon("en")):
        breath = EspeakVoice("en", words).breathe(piece)
        assert breath is not None
        lengths.append(sum(len(samples) for samples in breath.samples))

    assert lengths[0] > 2 * lengths[1]


@pytest.mark.parametrize(
    ("voice", "program"), [("xx", "espeak-ng"), ("ko", "no-such-program"), ("ko", "true")]
)
def test_a_voice_or_program_that_is_not_there_is_named(voice: str, program: str) -> None:
    with pytest.raises(UnavailableError, match=f"{program}: .*'{voice}'"):
        EspeakVoice(voice, program=program)


def test_a_program_that_dies_fails_its_clause(tmp_path: Path) -> None:
    """It speaks once, when it is looked for, and says nothing of a WAV file after that."""
    real = shutil.which("espeak-ng")
    program = tmp_path / "espeak-ng"
    program.write_text(
        f"#!/bin/sh\nif [ -e {tmp_path}/once ]; then head -c 99 /dev/zero; exit 1; fi\n"
        f'touch {tmp_path}/once\nexec {real} "$@"\n'
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (piece,) = pieces("hello")
    breath = EspeakVoice("en", program=str(program)).breathe(piece)
    assert breath is not None

    with pytest.raises(EngineFailed):
        list(breath.samples)


@pytest.mark.timeout(60)
def test_voiced_say_speaks_korean_on_every_box(tmp_path: Path) -> None:
    """No model of the catalogue is needed for it."""
    settings = tmp_path / "voiced.toml"
    settings.write_text(f'[models]\ndir = "{tmp_path}/none"\n')
    out = tmp_path / "said.wav"
    command = [sys.executable, "-m", "voiced", "say", "8시에 오세요.", "--lang", "ko"]
    command += ["--voice", "espeak-ng", "--out", str(out), "--json", "--config", str(settings)]

    ran = subprocess.run(command, capture_output=True, text=True)

    assert 0 == ran.returncode, ran.stderr
    told = json.loads(ran.stdout)
    assert "여덟 시에 오세요." == told["clauses"][0]["spoken"]
    sound, hz = soundfile.read(str(out), dtype="int16")
    assert (SPEAKING_HZ, pytest.approx(told["seconds"], abs=0.001)) == (hz, len(sound) / hz)
    assert np.abs(sound.astype(int)).max() > 3000

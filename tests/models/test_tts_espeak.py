# ruff: noqa: RUF001 - letters of the phonetic alphabet look like others
"""The espeak-ng program as a phonemiser: nothing of one request gets into another."""

import os
import shutil
import signal
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from voiced.errors import EngineFailed, UnavailableError
from voiced.tts.espeak import Espeak

pytestmark = [
    pytest.mark.models,
    pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="apt-get install espeak-ng"),
]


@pytest.fixture
def espeak() -> Iterator[Espeak]:
    program = Espeak("en-us")
    yield program
    program.close()


def test_words_become_ipa_with_stress(espeak: Espeak) -> None:
    assert "həlˈoʊ wˈɜːld" == espeak.phonemes("Hello world")


@pytest.mark.parametrize("text", ["", " ", "\n", "...", ". . .", "\t\n\n", "]]", "[["])
def test_a_text_without_words_has_no_phonemes(espeak: Espeak, text: str) -> None:
    assert "" == espeak.phonemes(text)
    assert "həlˈoʊ" == espeak.phonemes("Hello")


@pytest.mark.parametrize(
    "text",
    [
        "One. Two, three; four: five! Six? (Seven) eight",
        "One\ntwo\r\nthree",
        "tktktktktktktktk kkkkkkkkkkkkkkkk",
        "[[tttttttttttttttk]] [[tkt",
        "a [[ b ]] c ]] [[",
        "\x00 \x01 \x1b[0m",
        "<speak>no</speak> &amp; \\n",
        "word " * 3000,
        "x" * 5000,
        "日本語のテキスト",
        "naïve café Ω",
    ],
    ids=range(11),
)
def test_whatever_is_asked_the_next_answer_is_its_own(espeak: Espeak, text: str) -> None:
    espeak.phonemes(text)

    assert "ɡˈʊd mˈɔːɹnɪŋ" == espeak.phonemes("Good morning")
    assert 0 == espeak.restarts


def test_no_text_at_all_disturbs_the_next_answer(espeak: Espeak) -> None:
    """Any characters, commands and half characters included."""

    @given(some.text(some.characters(), max_size=40))
    @settings(max_examples=150, deadline=None)
    def ask(text: str) -> None:
        espeak.phonemes(text)
        assert "həlˈoʊ" == espeak.phonemes("Hello")

    ask()

    assert 0 == espeak.restarts


def test_it_comes_back_when_the_program_does(tmp_path: Path) -> None:
    """A package that is being upgraded is away for a moment; the voice outlives that."""
    program = tmp_path / "espeak-ng"
    program.symlink_to(str(shutil.which("espeak-ng")))
    espeak = Espeak("en-us", program=str(program))
    try:
        program.rename(tmp_path / "away")
        os.kill(espeak.pid, signal.SIGKILL)
        for _ in range(2):
            with pytest.raises(UnavailableError, match="apt-get install"):
                espeak.phonemes("Hello")
        (tmp_path / "away").rename(program)
        assert "həlˈoʊ" == espeak.phonemes("Hello")
    finally:
        espeak.close()


def test_the_text_of_the_sentinel_does_not_end_an_answer(espeak: Espeak) -> None:
    """Direct phoneme input is taken out of the text, so no text can speak the sentinel."""
    for number in range(8):
        sentinel = f"{number:016b}".replace("0", "t").replace("1", "k")
        assert espeak.phonemes(f"[[{sentinel}]] hello").endswith("həlˈoʊ")


def test_a_long_text_keeps_every_word(espeak: Espeak) -> None:
    """espeak-ng reads 1000 bytes of a line; the text is cut before that, between words."""
    assert ["wˈɜːd"] * 900 == espeak.phonemes("word " * 900).split()


def test_it_is_started_again_when_it_was_killed(espeak: Espeak) -> None:
    first = espeak.pid
    os.kill(first, signal.SIGKILL)

    assert "həlˈoʊ" == espeak.phonemes("Hello")
    assert 1 == espeak.restarts
    assert first != espeak.pid


def test_a_missing_program_says_what_to_install() -> None:
    with pytest.raises(UnavailableError, match="apt-get install espeak-ng"):
        Espeak("en-us", program="/nowhere/espeak-ng")


def test_an_unknown_voice_is_named() -> None:
    with pytest.raises(UnavailableError, match="xx-nowhere"):
        Espeak("xx-nowhere")


def test_a_program_that_hangs_is_late_and_replaced(tmp_path: Path) -> None:
    """Its late words must not be taken for the next answer: the process is replaced."""
    script = tmp_path / "slow-espeak"
    script.write_text(
        "#!/bin/sh\n"
        "while read -r line; do\n"
        '  case "$line" in\n'
        "    hang) cat >/dev/null;;\n"
        "    '[['*) line=${line#'[['}; echo \"${line%']]'}\";;\n"
        '    *) echo "$line";;\n'
        "  esac\n"
        "done\n"
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    slow = Espeak("en-us", program=str(script), deadline_s=0.2)
    try:
        with pytest.raises(EngineFailed, match="late"):
            slow.phonemes("hang")
        assert "next" == slow.phonemes("next")
    finally:
        slow.close()


def test_four_voices_at_once_never_mix_their_words() -> None:
    """Each voice owns a process: no state is shared between them."""
    sentences = ["Take one tablet", "Do not take it", "Ward four is closed", "Come at noon"]
    serial = Espeak("en-us")
    expected = [serial.phonemes(sentence) for sentence in sentences]
    serial.close()
    wrong: list[str] = []

    def ask(index: int) -> None:
        own = Espeak("en-us")
        said = [own.phonemes(sentences[index]) for _ in range(100)]
        own.close()
        wrong.extend(phonemes for phonemes in said if phonemes != expected[index])

    threads = [threading.Thread(target=ask, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [] == wrong

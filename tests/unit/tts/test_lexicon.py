# ruff: noqa: RUF001 - letters of the phonetic alphabet look like others
"""The site's own words: read, checked, and said as the site wants."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from voiced.errors import ConfigError
from voiced.tts.lexicon import Entry, Lexicon, Pronouncing, Said
from voiced.tts.lexicon_files import read_lexicons

pytestmark = pytest.mark.unit

Write = Callable[..., Path]

DRUGS = """\
[en]
Xarelto = "zuh rell toe"
acetaminophen = { ipa = "əsiːtəmɪnəfən" }
"Nguyen" = { ipa = "wɪn", say = "win" }
US = "ultrasound"

[ko]
"타이레놀" = "타이레놀정"
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes files into a lexicon's folder: name -> content."""

    def write(**contents: str) -> Path:
        for name, content in contents.items():
            (tmp_path / f"{name}.toml").write_text(content, encoding="utf-8")
        return tmp_path

    return write


@pytest.fixture
def english(write: Write) -> Lexicon:
    return read_lexicons(write(drugs=DRUGS))["en"]


def capitals(text: str) -> str:
    """Phonemes that show what was asked for."""
    return " ".join(f"{word.upper()}" for word in text.split())


@pytest.mark.parametrize(
    ("text", "phonemes"),
    [
        ("take Xarelto now", "TAKE ZUH RELL TOE NOW"),
        ("take xarelto now", "TAKE ZUH RELL TOE NOW"),
        ("take XARELTO now", "TAKE ZUH RELL TOE NOW"),
        ("Acetaminophen is fine", "əsiːtəmɪnəfən IS FINE"),
        ("for doctor Nguyen", "FOR DOCTOR wɪn"),
        ("acetaminophen", "əsiːtəmɪnəfən"),
        ("come to us for a US", "COME TO US FOR A ULTRASOUND"),
        ("Nguyenson and xareltos", "NGUYENSON AND XARELTOS"),
        ("doctor Nguyen's room", "DOCTOR wɪnz ROOM"),
        ("Xarelto's price", "ZUH RELL TOE'S PRICE"),
        ("nothing of it", "NOTHING OF IT"),
    ],
)
def test_words_are_said_as_the_site_wants(english: Lexicon, text: str, phonemes: str) -> None:
    assert phonemes == english.phonemes(text, capitals)


def test_particles_may_follow_a_korean_word(write: Write) -> None:
    korean = read_lexicons(write(drugs=DRUGS))["ko"]

    assert "타이레놀정을 드세요" == korean.respelled("타이레놀을 드세요")


def test_the_longest_entry_wins() -> None:
    entries = (Entry("Mill", Said(say="mile"), ""), Entry("Mill Road", Said(say="M R"), ""))

    assert "to the M R, by mile" == Lexicon("en", entries).respelled("to the Mill Road, by mill")


def test_a_voice_without_phonemes_reads_the_respelling(english: Lexicon) -> None:
    assert "win's zuh rell toe, acetaminophen" == english.respelled(
        "Nguyen's Xarelto, acetaminophen"
    )


def test_a_word_without_what_is_asked_for_stays_as_it_was_written(english: Lexicon) -> None:
    assert "Acetaminophen, US of nguyen's" == english.rewritten(
        "Acetaminophen, US of nguyen's", lambda _: ""
    )


def test_phonemes_that_the_voice_has_never_heard_name_file_line_and_word(write: Write) -> None:
    folder = write(drugs=DRUGS)

    with pytest.raises(ConfigError) as refused:
        read_lexicons(folder)["en"].check(lambda ipa: "ə" if "ə" in ipa else "", "joe")
    assert f"{folder}/drugs.toml:3: 'acetaminophen': ipa = 'əsiːtəmɪnəfən'" in str(refused.value)
    assert "'joe' does not know 'ə'" in str(refused.value)


def test_phonemes_that_the_voice_knows_are_no_complaint(english: Lexicon) -> None:
    english.check(lambda _: "", "joe")


def test_without_an_entry_nothing_changes() -> None:
    assert "TAKE ONE" == Lexicon("en").phonemes("take one", capitals)
    assert "" == Lexicon("en").phonemes(" ", capitals)


def test_closing_closes_the_phonemiser() -> None:
    class Inner:
        closed = False

        def phonemes(self, text: str) -> str:
            return text.upper()

        def close(self) -> None:
            self.closed = True

    inner = Inner()
    said = Pronouncing(inner, Lexicon("en"))

    assert "A" == said.phonemes("a")
    said.close()
    assert inner.closed


@given(some.text(max_size=80))
def test_no_text_is_lost(text: str) -> None:
    """Entries that are said as they are written leave every text as it is."""
    entries = tuple(Entry(word, Said(say=word.lower()), "") for word in ("us", "mill", "ward b"))

    assert text.casefold() == Lexicon("en", entries).respelled(text).casefold()

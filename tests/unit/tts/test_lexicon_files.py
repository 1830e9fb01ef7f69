"""The site's files of words: what is wrong in them is said with its place."""

from collections.abc import Callable
from pathlib import Path

import pytest

from voiced.errors import ConfigError
from voiced.tts.lexicon_files import STANDARD, read_lexicons

pytestmark = pytest.mark.unit

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes files into a lexicon's folder: name -> content."""

    def write(**contents: str) -> Path:
        for name, content in contents.items():
            (tmp_path / f"{name}.toml").write_text(content, encoding="utf-8")
        return tmp_path

    return write


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("[en]\nA = \n", "cannot be read as TOML"),
        ('Xarelto = "x"\n', "x.toml:1: Xarelto: write words under a language"),
        ('[english]\nA = "a"\n', "x.toml:1: english: write words under a language"),
        ('[en]\n\n"A b" = ""\n', "x.toml:3: 'A b': write how it is said"),
        ("[en]\nA = 5\n", "x.toml:2: 'A': write how it is said"),
        ('[en]\nA = { api = "x" }\n', "x.toml:2: 'A': write how it is said"),
        ('[en]\n"-" = "x"\n', "x.toml:2: '-': has no letter"),
        ('[en]\nAb = "x"\naB = "y"\n', "x.toml:3: 'aB' stands at "),
    ],
)
def test_what_is_wrong_is_said_with_its_place(write: Write, content: str, complaint: str) -> None:
    with pytest.raises(ConfigError, match=r"x\.toml") as refused:
        read_lexicons(write(x=content))
    assert complaint in str(refused.value)


def test_every_complaint_of_every_file_is_told_at_once(write: Write) -> None:
    with pytest.raises(ConfigError) as refused:
        read_lexicons(write(a="[en]\nA = 5\nB = 6\n", b="[ko]\nC = 7\n"))

    assert 3 == len(str(refused.value).splitlines())


def test_a_folder_that_the_settings_name_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="lexicon_dir"):
        read_lexicons(tmp_path / "none")


def test_the_standard_folder_need_not_be_there() -> None:
    if STANDARD.exists():
        pytest.skip("this machine has a lexicon")
    assert {} == read_lexicons(STANDARD)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("zuh-REL-toe", "zuh rel toe"),
        ("zuh rell toe", "zuh rell toe"),
        ("X-ray", "X-ray"),
        ("x-ray", "x-ray"),
        ("MRI", "MRI"),
    ],
)
def test_syllables_with_a_stressed_one_in_capitals_are_not_spelt_out(
    write: Write, written: str, read: str
) -> None:
    lexicons = read_lexicons(write(x=f'[en]\nXarelto = "{written}"\n'))

    assert f"Take {read}." == lexicons["en"].respelled("Take xarelto.")

"""The table [sonic]: what is read, and what is refused with what to write instead."""

import re
from pathlib import Path

import pytest

from voiced.config.reader import read_settings
from voiced.config.sonic import Sonic
from voiced.errors import ConfigError

pytestmark = pytest.mark.unit

VOICE = '[[sonic.voices]]\nname = "jia"\nid = "v"\nlanguage = "ko"\n'


def sonic(tmp_path: Path, text: str) -> Sonic:
    path = tmp_path / "voiced.toml"
    path.write_text(text, encoding="utf-8")
    return read_settings(path).sonic


def test_it_is_off_unless_an_address_is_written() -> None:
    assert not Sonic().configured


def test_model_version_and_language_are_plain_text(tmp_path: Path) -> None:
    """They change with the vendor's images, and not with this program."""
    read = sonic(
        tmp_path,
        '[sonic]\nurl = "https://h/tts"\nmodel = "azure-disco"\nversion = "2031-01-01"\n'
        'key_file = "sonic.key"\n[[sonic.voices]]\nname = "x"\nid = "v"\nlanguage = "uk"\n'
        'locale = "uk-UA"\nemotion = "a word of tomorrow"\nspeed = 0.9\n',
    )

    assert read.configured
    assert ("azure-disco", "2031-01-01") == (read.model, read.version)
    assert tmp_path / "sonic.key" == read.key_file
    assert ("uk-UA", 0.9) == (read.voices[0].locale, read.voices[0].speed)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (VOICE, "sonic.voices need sonic.url"),
        (f'[sonic]\nurl = "http://h"\n{VOICE}{VOICE}', "two are named 'jia'"),
        ('[sonic]\nurl = "h:5000"\n', "sonic.url = 'h:5000'"),
        ('[sonic]\nurl = "http://me:secret@h"\n', "sonic.url"),
        ('[sonic]\nurl = "http://h"\n[sonic.sagemaker]\nendpoint = "e"\n', "write one of them"),
        ('[sonic.sagemaker]\nendpoint = "e"\n', "sonic.sagemaker.region"),
        ('[sonic.cloning]\nurl = "http://api.cartesia.ai"\n', "write https"),
        ('[sonic]\nurl = "http://h"\nmodle = "x"\n', "did you mean 'model'"),
        (f'[sonic]\nurl = "http://h"\n{VOICE}speed = 3.0\n', "speed = 3.0"),
        ('[sonic]\nurl = "http://h"\ndevice = "MIG-1"\n', "sonic.device is of a worker on this"),
        ('[sonic]\nurl = "http://localhost"\ndevice = "0"\n', "sonic.device = '0'"),
    ],
    ids=range(11),
)
def test_what_is_wrong_is_told_with_its_key(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError) as wrong:
        sonic(tmp_path, text)

    assert said in str(wrong.value)


def test_what_the_page_tells_to_write_is_accepted(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "sonic.md").read_text(encoding="utf-8")
    blocks = [one for one in re.findall(r"```toml\n(.*?)```", page, re.S) if "[sonic" in one]

    assert 3 == len(blocks)
    for block in blocks:
        assert Sonic() != sonic(tmp_path, block)

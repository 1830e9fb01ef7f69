"""`voiced call`: how the token gets to it."""

from pathlib import Path

import pytest

from voiced.cli.main import main

pytestmark = pytest.mark.unit


def test_a_token_file_that_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ["call", "http://127.0.0.1:9/whip", "--token-file", str(tmp_path / "token")]

    assert 69 == main(place)
    assert f"{tmp_path}/token: No such file" in capsys.readouterr().err

"""The command that makes keys knows every right that a key can have."""

import pytest

from voiced.cli.token import RIGHTS
from voiced.web.keys import Right

pytestmark = pytest.mark.unit


def test_a_key_of_every_right_can_be_made() -> None:
    assert [right.value for right in Right] == [*RIGHTS]

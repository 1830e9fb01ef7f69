"""A date in a reply is read as the country of the agent reads it."""

from dataclasses import replace

import pytest

from tests.flow.test_call import AGENT, one_question, play
from voiced.testing.fakes import FakeVoice

pytestmark = pytest.mark.flow


@pytest.mark.parametrize(
    ("locales", "said"),
    [
        ({}, "On twelve, zero three, twenty twenty-six."),
        ({"en": "en-US"}, "On December third, twenty twenty-six."),
        ({"en": "en-GB"}, "On twelfth of March, twenty twenty-six."),
    ],
    ids=["nowhere", "us", "gb"],
)
def test_a_date_is_read_as_the_agents_country_does(locales: dict[str, str], said: str) -> None:
    """Where none is written nothing is guessed."""
    voice = FakeVoice()
    play(one_question, ["When?"], ["On 12/03/2026."], voice, agent=replace(AGENT, locales=locales))

    assert [said] == voice.spoken

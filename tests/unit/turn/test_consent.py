"""What is a yes to the question whether a call may be kept, and what is not."""

import pytest

from voiced.turn.consent import agrees
from voiced.words import Words

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "text",
    [
        "Yes.",
        "Yeah, sure.",
        "Okay.",
        "Yes, please.",
        "Yes, that's fine.",
        "Of course.",
        "Go ahead.",
        "Um, yes you may.",
        "Sure, you can record this call.",
        "\ub124.",
        "\ub124, \uad1c\ucc2e\uc544\uc694.",
    ],
)
def test_a_plain_yes_is_one(text: str) -> None:
    assert agrees(Words(text)) is True


@pytest.mark.parametrize(
    "text",
    ["No.", "No thanks.", "Please don't.", "I'd rather not.", "Nope.", "\uc544\ub2c8\uc694."],
)
def test_a_plain_no_is_one(text: str) -> None:
    assert agrees(Words(text)) is False


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Where is the pharmacy?",
        "Okay?",
        "Yes, but first tell me who you are.",
        "Is that okay?",
        "You can call me.",
        "I thank you very much.",
        "Yes, where can I park?",
        "Not at all sure.",
        "Sure, not.",
    ],
)
def test_whatever_else_is_said_is_no_consent(text: str) -> None:
    assert agrees(Words(text)) is not True

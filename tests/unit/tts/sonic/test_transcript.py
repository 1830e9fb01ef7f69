"""What Sonic is given of a clause."""

# ruff: noqa: RUF001 - letters of the phonetic alphabet look like others

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiced.tts.lexicon import Entry, Lexicon, Said
from voiced.tts.sonic.transcript import pronounced, transcript

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("clause", "sent"),
    [
        ("We open at nine.", "We open at nine. "),
        ("  We open\n at nine. ", "We open at nine. "),
        ("안녕하세요.", "안녕하세요. "),
        ('Wait <break time="9s"/> here', 'Wait break time="9s"/ here '),
        ("<<m|ɛ|t>>", "m|ɛ|t "),
        ("five\x00six", "five six "),
        ("", ""),
        (" ... ", ""),
        ("—", ""),
        ("😊", ""),
        ("**", ""),
    ],
    ids=range(11),
)
def test_a_clause_keeps_its_words_and_loses_its_orders(clause: str, sent: str) -> None:
    assert sent == transcript(clause)


@given(st.text())
def test_no_order_and_no_control_character_gets_through(clause: str) -> None:
    """And each ends with one space, so that two clauses are never one word."""
    sent = transcript(clause)

    assert not set(sent) & set("<>\n\t\x00")
    assert sent == "" or (sent.endswith(" ") and sent == f"{sent.strip()} ")
    assert sent == transcript(sent)


SITE = Lexicon(
    "en",
    (
        Entry("Nguyen", Said(ipa="wɪn", say="win"), ""),
        Entry("Xarelto", Said(say="zuh rel toe"), ""),
        Entry("cheyenne", Said(ipa="ʃaɪˈæn"), ""),
        Entry("judge", Said(ipa="ˈdʒʌdʒ"), ""),
        Entry("bee", Said(ipa="biː"), ""),
    ),
)


@pytest.mark.parametrize(
    ("clause", "sent"),
    [
        ("Doctor Nguyen's Xarelto.", "Doctor win's zuh rel toe. "),
        ("To Cheyenne.", "To <<ʃ|aɪ|ˈæ|n>>. "),
        ("A judge, a bee.", "A <<ˈdʒ|ʌ|dʒ>>, a <<b|iː>>. "),
        ("<<n|o>> bees", "n|o bees "),
        ("Nobody else.", "Nobody else. "),
    ],
    ids=range(5),
)
def test_the_sites_words_are_respelt_or_sent_as_phones(clause: str, sent: str) -> None:
    """The lexicon may give Sonic orders; what the language model writes may not."""
    assert sent == pronounced(transcript(clause), SITE)

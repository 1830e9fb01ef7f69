"""Whether a decode can be believed, and what is kept of it."""

import pytest

from voiced.stt import decoding
from voiced.stt.decoding import Decoded

pytestmark = pytest.mark.unit


def decoded(
    tokens: str, text: str = "", *, cut: bool = False, logprob: float = -1.0, no_speech: float = 0.1
) -> Decoded:
    return Decoded(tuple(ord(token) for token in tokens), text or tokens, logprob, no_speech, cut)


def test_a_plain_sentence_is_believed() -> None:
    assert not decoded("abcdef").astray


def test_a_decode_that_did_not_end_has_lost_the_thread() -> None:
    assert decoded("abcdef", cut=True).astray


def test_a_loop_that_ended_by_itself_has_lost_the_thread_too() -> None:
    assert decoded("ab" * 40, "thank you " * 40).astray


def test_a_caller_who_says_no_four_times_has_not() -> None:
    """The text is too short to be a loop: zlib makes it hardly shorter."""
    assert not decoded("aaaa", "No, no, no, no.").astray


def test_a_loop_without_end_is_kept_up_to_its_first_phrase() -> None:
    assert 5 == decoded("xyzabababababab", cut=True).kept


def test_a_text_that_ended_by_itself_is_kept_whole() -> None:
    """Five fives may be a telephone number."""
    assert 5 == decoded("55555").kept


def test_a_text_that_was_cut_without_a_loop_is_kept_whole() -> None:
    assert 6 == decoded("abcdef", cut=True).kept


def test_no_text_has_no_repetition() -> None:
    assert 0.0 == decoding.compression("")


def test_a_sentence_compresses_little_and_a_loop_a_lot() -> None:
    assert decoding.compression("I take two tablets of metformin every morning.") < 1.2
    assert decoding.compression("Thank you. " * 20) > 2.4


def test_pieces_become_one_text_with_the_evidence_of_all() -> None:
    loop = decoded("b" * 29, "Thank you. " * 20, logprob=-4.0, no_speech=0.8)

    heard = decoding.joined([decoded("a" * 9, logprob=-6.0), loop], ["Good", "day."], "en")

    assert "Good day." == heard.text.reveal()
    assert (38, 0.1) == (heard.tokens, heard.no_speech)
    assert pytest.approx(-10.0 / 40) == heard.avg_logprob
    assert heard.compression > 2.4


def test_an_empty_piece_leaves_no_blank() -> None:
    heard = decoding.joined([decoded(""), decoded("a")], ["", "Yes."], "en")

    assert "Yes." == heard.text.reveal()


def test_nothing_at_all_is_heard_as_nothing() -> None:
    heard = decoding.joined([], [], "en")

    assert (0, 1.0, "") == (heard.tokens, heard.no_speech, heard.text.reveal())


def test_words_are_not_shown() -> None:
    assert "metformin" not in repr(decoded("a", "metformin"))

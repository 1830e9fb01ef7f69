"""A caller's words do not show, whatever is done with them, until somebody asks by name."""

import copy
import io
import json
import logging
import marshal
import pickle
import pprint
import string
import sys
import traceback
from dataclasses import asdict, dataclass, replace

import pytest
from _pytest._io.saferepr import saferepr
from hypothesis import given
from hypothesis import strategies as st

from voiced.words import NOTHING, Words, WordsShown, joined

pytestmark = pytest.mark.unit

CANARY = "canary-penicillin"


@dataclass(frozen=True, slots=True)
class Heard:
    """Something that carries words, as facts and orders do."""

    turn: int
    text: Words


@pytest.fixture
def words() -> Words:
    return Words(CANARY)


def test_the_text_comes_out_when_it_is_asked_for_by_name(words: Words) -> None:
    assert CANARY == words.reveal()


def test_no_way_of_making_a_string_shows_them(words: Words) -> None:
    ways = (
        lambda: str(words),
        lambda: format(words),
        lambda: f"{words}",
        lambda: f"{words:>20}",
        lambda: f"{words!s}",
        lambda: "{}".format(words),  # noqa: UP032 - one of the ways
        lambda: "{0.text}".format(Heard(1, words)),  # noqa: UP030, UP032 - one of the ways
        lambda: "%s" % (words,),  # noqa: UP031 - one of the ways
        lambda: string.Template("$it").substitute(it=words),
        lambda: print(words),  # noqa: T201 - one of the ways
        lambda: io.StringIO().write(words),  # type: ignore[arg-type]
        lambda: "".join([words]),  # type: ignore[list-item]
        lambda: "he said " + words,  # type: ignore[operator]
        lambda: words + " he said",  # type: ignore[operator]
        lambda: bytes(words),  # type: ignore[call-overload]
        lambda: list(words),  # type: ignore[call-overload]
        lambda: words[0],  # type: ignore[index]
    )

    assert [] == [number for number, way in enumerate(ways) if not refused(way)]


def test_nothing_stores_them(words: Words) -> None:
    ways = (
        lambda: json.dumps(words),
        lambda: json.dumps({"text": words}),
        lambda: json.dumps([words], default=str),
        lambda: pickle.dumps(words),
        lambda: pickle.dumps(Heard(1, words), protocol=0),
        lambda: words.__reduce_ex__(0),
        lambda: words.__getstate__(),
        lambda: marshal.dumps(words),  # type: ignore[arg-type]
    )

    assert [] == [number for number, way in enumerate(ways) if not refused(way)]


def test_whatever_holds_them_shows_nothing(words: Words) -> None:
    """What debuggers, tracebacks and failing tests print."""
    shown = (
        repr(words),
        ascii(words),
        f"{words!r}",
        "%r" % (words,),  # noqa: UP031 - one of the ways
        repr([words, (words,), {words: words}]),
        repr(Heard(1, words)),
        str(Heard(1, words)),
        repr(ValueError(words)),
        str(ValueError("what", words)),
        pprint.pformat({"heard": Heard(1, words)}),
        saferepr(Heard(1, words)),
        repr(vars_of_a_frame(words)),
    )

    assert [] == [text for text in shown if CANARY in text]


def test_an_exception_that_is_made_of_them_shows_nothing(words: Words) -> None:
    try:
        raise ValueError(words)
    except ValueError as error:
        report = "".join(traceback.TracebackException.from_exception(error).format())
        with_locals = "".join(
            traceback.TracebackException.from_exception(error, capture_locals=True).format()
        )

    assert (False, False) == (CANARY in report, CANARY in with_locals)


def test_a_failing_comparison_shows_nothing(words: Words) -> None:
    with pytest.raises(AssertionError) as failed:
        assert Words("another") == words

    assert CANARY not in str(failed.value)


def test_a_logger_that_is_given_them_shows_nothing(
    words: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the stream, and not what logging prints on stderr when a record cannot be written."""
    stream, complaints = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", complaints)
    logger = logging.Logger("test")  # noqa: LOG001 - one that is gone with the test
    logger.addHandler(logging.StreamHandler(stream))
    logger.warning("heard %s", words)
    logger.warning("heard %r", words)
    logger.warning(words)

    assert (False, False) == (CANARY in stream.getvalue(), CANARY in complaints.getvalue())


def test_they_cannot_be_changed(words: Words) -> None:
    for change in (
        lambda: setattr(words, "_text", "else"),
        lambda: setattr(words, "note", "else"),
        lambda: delattr(words, "_text"),
    ):
        with pytest.raises(AttributeError, match="cannot be changed"):
            change()


def test_a_copy_is_the_same_object(words: Words) -> None:
    """They are immutable: nothing is gained by a second one."""
    assert all(
        same is words
        for same in (
            copy.copy(words),
            copy.deepcopy([words])[0],
            asdict(Heard(1, words))["text"],
            replace(Heard(1, words), turn=2).text,
        )
    )


def test_they_are_equal_by_text_and_never_to_a_string(words: Words) -> None:
    assert (True, False, True) == (
        words == Words(CANARY),
        words == CANARY,
        hash(words) == hash(Words(CANARY)),
    )


@pytest.mark.parametrize(("text", "something"), [("", False), (" \n", False), ("no", True)])
def test_blank_words_are_nothing(text: str, something: bool) -> None:
    assert something is bool(Words(text))


def test_words_are_joined_to_words() -> None:
    assert Words("I have pain") == Words("I have ") + Words("pain")
    assert Words("yes please") == joined([Words("yes"), NOTHING, Words("please")])
    assert NOTHING == joined([])


@given(st.text(min_size=1), st.text(min_size=1))
def test_what_is_shown_does_not_depend_on_the_text(one: str, other: str) -> None:
    """So nothing of the text, not even its length, can be read from it."""
    shown = [
        (repr(words), repr([Heard(1, words)]), repr(ValueError(words)), message(words))
        for words in (Words(one), Words(other))
    ]

    assert shown[0] == shown[1]


def refused(way: object) -> bool:
    """It raises, and the message does not show the text either."""
    try:
        way()  # type: ignore[operator]
    except (TypeError, ValueError) as error:
        return CANARY not in str(error)
    return False


def message(words: Words) -> str:
    with pytest.raises(WordsShown) as refusal:
        str(words)
    return str(refusal.value)


def vars_of_a_frame(words: Words) -> dict[str, object]:
    kept = words
    return {"kept": kept, **locals()}

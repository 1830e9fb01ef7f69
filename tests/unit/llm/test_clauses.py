# ruff: noqa: RUF001 (the marks of other scripts look like ours)
"""The splitter: what is cut, what is never cut, and that token borders make no difference."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from voiced.llm.clauses import Clauses

pytestmark = pytest.mark.unit

APPOINTMENT = (
    "Before your appointment on Thursday with Doctor Kim, please make sure that you have not eaten"
    " anything since midnight, that you bring your insurance card, and that someone can drive you"
    " home."
)


def clauses_of(text: str, language: str = "en", size: int = 1) -> list[str]:
    """The clauses of a text that comes in pieces of `size` characters."""
    splitter = Clauses(language)
    out: list[str] = []
    for begin in range(0, len(text), size):
        out += splitter.feed(text[begin : begin + size])
    return out + splitter.end()


WHOLE = [
    ("en", "It is given in div. doses."),
    ("en", "The vol. is three liters."),
    ("en", "Pt. is stable."),
    ("en", "Ref. range is 3.5 to 5.0."),
    ("en", "Give 1 amp. I.V. now."),
    ("en", "Take 1 tab. P.O. daily."),
    ("en", "ii. Dry the skin."),
    ("en", "It says: 1. Wash it."),
    ("en", "The susp. is sweet."),
    ("en", "He is 5 ft. 4 in. tall."),
    ("en", "Open from 8 a.m. 5 days a week."),
    ("en", "Tel. 555-0123 is ours."),
    ("en", "Dr. Kim will see you."),
    ("en", "Ask for Mr. and Mrs. J. F. Smith at the desk."),
    ("en", "Take a pain reliever, e.g. ibuprofen with food."),
    ("en", "It is room No. 5 on the left."),
    ("en", "Come at 8:30 a.m. tomorrow."),
    ("en", "Come at 8 a.m. Monday or at 3 p.m. EST on Friday."),
    ("en", "Take 0.5 mg now and 2.5 mg at night."),
    ("en", "Take 5 mg. twice a day."),
    ("en", "1. Take two tablets."),
    ("en", "10. Rest."),
    ("en", "Write to care@clinic.example.org today."),
    ("en", "See https://clinic.example.org/a.b?c=d!e for more."),
    ("en", "It is 500 mg b.i.d. with meals."),
    ("en", 'He asked "how are you?" and left.'),
    ("en", "See [the leaflet. Part 2](https://example.org/a)."),
    ("en", "It was 98.6 this morning... and then higher."),
    ("en", "Mt. Sinai and St. Mary's are full."),
    ("en", "The U.S. guideline says so."),
    ("de", "Kommen Sie am 3. Mai um 8.30 Uhr zu Dr. Weber."),
    ("en", "We are at 1600 N. Oak Ave."),
    ("en", "Open 9 a.m. - 5 p.m. daily."),
    ("ko", "250 mg b.i.d. 드세요."),
    ("en", "On Mon. Dr. Lee comes."),
    ("de", "Das ist z. B. gut."),
    ("de", "Nehmen Sie z.B. Ibuprofen max. 3 Stück."),
    ("fr", "Le Dr. Martin et M. Dupont arrivent."),
    ("es", "La Dra. García le llama a las 8 a.m. de mañana."),
    ("ko", "0.5 mg을 하루 2번 드세요."),
    ("ko", "김 선생님(Dr. Kim)이 오십니다."),
    ("ja", "１，０００円です。"),
    ("ja", "「はい。」と言った。"),
    ("ja", "体温は38.5度です。"),
    ("zh", "他说：“好。”然后走了。"),
]


@pytest.mark.parametrize("row", range(len(WHOLE)))
def test_what_belongs_together_is_never_cut(row: int) -> None:
    """Abbreviations, decimals, times, list numbers, names, addresses of the web, quotations."""
    language, text = WHOLE[row]

    assert [text] == clauses_of(text, language)


PARTED = [
    ("en", ["Yes.", "I will."]),
    ("en", ["No.", "It is not safe."]),
    ("en", ["Are you there?", "Hello!", "Good."]),
    ("en", ["It is in room 302.", "Please wait."]),
    ("en", ["Come at 8 a.m.", "Bring your card."]),
    ("en", ["It has vitamin C.", "Take it daily."]),
    ("en", ["So do I.", "Thanks."]),
    ("en", ['She said "stop."', "Then she left."]),
    ("en", ["**Take two.**", "Then rest."]),
    ("en", ["Wait... Then go."[:7], "Then go."]),
    ("en", ["It is 6 g/L.", "Good."]),
    ("en", ["It is 38 C.", "Drink."]),
    ("en", ["1. Take 2.5 mg.", "2. Drink water.", "3. Rest."]),
    ("en", ["Wait until 8 a.m.", "2) Call us."]),
    ("en", ["Yes, take it.", "Then rest."]),
    ("en", ["No.", "It is full."]),
    ("en", ["It says: 1. Wash it.", "2. Dry it."]),
    ("en", ["take it.", "then rest."]),
    ("fr", ["Il arrive à 8 h.", "Elle aussi."]),
    ("ko", ["네.", "그래요."]),
    ("ko", ["체중은 72.5kg입니다.", "그리고 쉬세요."]),
    ("de", ["Ja.", "Kommen Sie um acht."]),
    ("ko", ["네, 알겠습니다.", "8시에 드세요!", "괜찮으세요?"]),
    ("ja", ["はい。", "明日は三時です。", "お大事に！"]),
    ("zh", ["好的。", "请每天吃两次！", "还有问题吗？"]),
    ("ar", ["٣ مرات؟", "نعم۔"]),
    ("hi", ["जी हाँ।", "ठीक है।"]),
]


@pytest.mark.parametrize("row", range(len(PARTED)))
def test_each_sentence_goes_by_itself(row: int) -> None:
    language, sentences = PARTED[row]
    between = "" if language in ("ja", "zh") else " "

    assert sentences == clauses_of(between.join(sentences), language)


@pytest.mark.parametrize("mark", "。！？")
def test_full_width_marks_need_no_look_ahead(mark: str) -> None:
    assert ["はい" + mark] == Clauses("ja").feed("はい" + mark)


def test_nothing_goes_while_it_may_still_be_extended() -> None:
    """ "3." may become "3.5", "No." may become "No. 5"; a following word decides."""
    splitter = Clauses("en")

    assert [] == splitter.feed("The dose is 3.")
    assert [] == splitter.feed("5 mg and No.")
    assert [] == splitter.feed(" ")
    assert [] == splitter.feed("5")
    assert ["The dose is 3.5 mg and No. 5?"] == splitter.feed("? ")


@pytest.mark.parametrize("text", [".25 mg is right.", "Yes. .25 mg is right."])
def test_the_point_of_a_decimal_is_not_a_mark_that_begins_a_clause(text: str) -> None:
    """ ".25 mg" without its point is a hundred times the dose."""
    assert clauses_of(text, "en")[-1] == ".25 mg is right."


def test_a_complete_short_sentence_goes_at_once() -> None:
    assert ["Yes."] == Clauses("en").feed("Yes. ")


def test_a_long_first_sentence_is_cut_at_its_first_pause() -> None:
    """It goes within two tokens of its comma."""
    splitter = Clauses("en")
    head, rest = APPOINTMENT.split(",", 1)

    assert [] == splitter.feed(head + ",")
    assert [head + ","] == splitter.feed(" ")
    assert [] == splitter.feed(rest[1:])
    assert [rest[1:]] == splitter.end()


def test_a_short_opening_is_not_cut_off() -> None:
    """A comma after a word or two gives too little sound to cover the making of the next clause."""
    assert ["Yes, of course, I can."] == clauses_of("Yes, of course, I can.")


def test_a_comma_inside_a_date_or_a_number_is_no_pause() -> None:
    """Neither at the comma of a date, nor at that of a thousand; the next one is a pause."""
    first = "We will see you again on May 4, 2026 with 1,000 others,"
    rest = "and then you may go home."

    assert [first, rest] == clauses_of(f"{first} {rest}")


def test_a_long_sentence_without_a_mark_is_cut_at_a_word_edge() -> None:
    text = (
        "please remember that you should bring every one of your medicine boxes with you when " * 3
    )
    clauses = clauses_of(text)

    assert text.split() == " ".join(clauses).split()
    assert 24 <= len(clauses[0]) <= 90
    assert 2 <= len(clauses)


def test_a_forced_cut_comes_before_a_joining_word_where_there_is_one() -> None:
    text = "Please note that we are closed on Monday and all visits move to Tuesday at the same"
    text += " time as before"

    assert "Please note that we are closed on Monday" == clauses_of(text)[0]


@pytest.mark.parametrize(
    "pair", ["0.5 mg", "Doctor Kim", "not take", "New York", "555 0123", "Dr. Kim", "two tablets"]
)
def test_a_forced_cut_leaves_pairs_together(pair: str) -> None:
    """Wherever the pair comes to stand at the limit, it stays in one clause."""
    for padding in range(60, 92):
        text = ("x" * 7 + " ") * (padding // 8) + "y" * (padding % 8 + 1) + " " + pair
        text += " and then some more words that go on and on until the end of it all"

        assert any(pair in clause for clause in clauses_of(text))


def test_later_clauses_are_whole_sentences() -> None:
    text = APPOINTMENT + " " + APPOINTMENT
    clauses = clauses_of(text)

    assert [APPOINTMENT] == clauses[2:]


def test_a_line_is_a_clause_and_keeps_its_end() -> None:
    """Without a mark the line end stays: the spoken form makes a pause of it."""
    assert ["- with food\n", "- at night"] == clauses_of("- with food\n- at night")
    assert ["Take two.", "- with food\n"] == clauses_of("Take two.\n- with food\n")


def test_a_table_row_is_a_clause() -> None:
    assert ["| a | b |\n", "| 1 | 2 |\n"] == clauses_of("| a | b |\n|---|---|\n| 1 | 2 |\n")


@pytest.mark.parametrize("text", ["", " ", "...", "—", "😊", "**", "\n", "」", "？！", "* * *\n\n"])
def test_what_holds_no_word_makes_no_clause(text: str) -> None:
    assert [] == clauses_of(text)


def test_no_clause_is_only_a_closing_sign() -> None:
    for text in ("「はい。」「いいえ。」", "本当！？はい。", "(好。)(不。)"):
        assert all(any(char.isalnum() for char in clause) for clause in clauses_of(text, "ja"))


_ALPHABET = st.sampled_from(
    [*"ab1 .,!?\n\"*[]()。、！」「네 다.—:;'A…", "Dr. ", "a.m. ", "No. ", "3.5", "mg "]
)
_TEXT = st.lists(_ALPHABET, max_size=120).map("".join)


@given(text=_TEXT, cuts=st.lists(st.integers(0, 400), max_size=20))
@example(text=APPOINTMENT, cuts=[3, 50, 51, 52])
@example(text="a.m. —\n", cuts=[6])
@example(text="a.m. 5\n", cuts=[6])
@example(text="「はい。」と言った。本当！？はい。", cuts=[4, 5])
def test_token_borders_make_no_difference(text: str, cuts: list[int]) -> None:
    borders = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    splitter = Clauses("en")
    out: list[str] = []
    for begin, end in pairwise(borders):
        out += splitter.feed(text[begin:end])
    out += splitter.end()

    assert clauses_of(text, size=1) == out
    assert clauses_of(text, size=max(1, len(text))) == out


@given(text=st.one_of(st.text(max_size=200), _TEXT), language=st.sampled_from(["en", "ko", "de"]))
def test_no_letter_or_digit_is_lost(text: str, language: str) -> None:
    kept = "".join(clauses_of(text, language))

    assert [c for c in text if c.isalnum()] == [c for c in kept if c.isalnum()]


@pytest.mark.parametrize(
    "piece", ["a", ".", "。", " ", "[", "「", "*", "1", "a, ", "Dr. ", "\n", "네"]
)
def test_time_grows_with_the_text_and_no_faster(piece: str) -> None:
    """Counted in looks at the text, not in seconds: no clause is longer than its limit."""
    splitter = Clauses("en")
    longest = 0
    for _ in range(3000):
        splitter.feed(piece)
        longest = max(longest, splitter.waiting)

    assert longest <= 320

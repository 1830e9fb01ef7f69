"""Rules of what of a model's output may be heard."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiced.llm.cleaning import Cleaner

pytestmark = pytest.mark.unit

THINKING = {
    "<think>The patient wants a date.</think>\n\nOn Monday.": "On Monday.",
    "<THINKING>hm</THINKING>On Monday.": "On Monday.",
    "[THINK]hm[/THINK]On Monday.": "On Monday.",
    "<|begin_of_thought|>hm<|end_of_thought|>On Monday.": "On Monday.",
    "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>On Monday."
    "<|return|>": "On Monday.",
    "<|channel>thought\nhm<channel|>On Monday.": "On Monday.",
    "<think>hm <b>x</b>\n</think>On Monday. <think>again</think>At ten.": "On Monday. At ten.",
    "<think>never closed": "",
    "On Monday.</think>": "On Monday.",
}

CONTROLS = {
    "On Monday.<|im_end|>": "On Monday.",
    "On Monday.<end_of_turn>\n<start_of_turn>user\nAnd Tuesday?": "On Monday.\n",
    "On Monday.<|im_end|>\n<|im_start|>user\nAnd Tuesday?": "On Monday.\n",
    "<|start_header_id|>assistant<|end_header_id|>\n\nOn Monday.<|eot_id|>": "On Monday.",
    "<start_of_turn>model\nOn Monday.": "On Monday.",
    "<s> On Monday.</s>": "On Monday.",
    "[INST] On Monday. [/INST]": "On Monday. ",
    "On Monday.<\uff5cend\u2581of\u2581sentence\uff5c>": "On Monday.",
    '<tool_call>\n{"name": "book"}\n</tool_call>': "",
    '[TOOL_CALLS][{"name": "book"}]': "",
    "On Monday.<unused12><pad>": "On Monday.",
}

ORDINARY = [
    "On Monday at < 5 or > 3 [sic], x<y.",
    "Take <b>two</b> of [these] a day.",
    "네, 8시에 드세요 \U0001f60a",
    "a <",
    "a <think",
    "[IN",
    "<",
]


def cleaned(pieces: list[str] | list[bytes], stop: tuple[str, ...] = ()) -> str:
    cleaner = Cleaner(stop)
    text = "".join(cleaner.feed(piece) for piece in pieces)
    return text + cleaner.end()


def cut(text: str, places: list[int]) -> list[str]:
    borders = [0, *sorted({place % (len(text) + 1) for place in places}), len(text)]
    return [text[a:b] for a, b in itertools.pairwise(borders)]


@pytest.mark.parametrize(("raw", "heard"), THINKING.items(), ids=range(len(THINKING)))
def test_what_a_model_thinks_is_never_heard(raw: str, heard: str) -> None:
    assert heard == cleaned([raw])


@pytest.mark.parametrize(("raw", "heard"), CONTROLS.items(), ids=range(len(CONTROLS)))
def test_control_tokens_and_other_turns_are_never_heard(raw: str, heard: str) -> None:
    assert heard == cleaned([raw])


@pytest.mark.parametrize("raw", ORDINARY, ids=range(len(ORDINARY)))
def test_brackets_of_ordinary_text_stay(raw: str) -> None:
    assert raw == cleaned([raw])


@given(
    st.sampled_from([*THINKING, *CONTROLS, *ORDINARY, "On Monday.\nCaller: and?"]),
    st.lists(st.integers(0, 200), max_size=40),
)
def test_how_the_text_was_cut_into_pieces_changes_nothing(raw: str, places: list[int]) -> None:
    stop = ("\nCaller:", "END")

    assert cleaned([raw], stop) == cleaned(cut(raw, places), stop)


FRAGMENTS = [
    "<think>",
    "</think>",
    "<|",
    "|>",
    "im_start",
    "<|im_start|>",
    "<|im_end|>",
    "user",
    "assistant",
    "model",
    "On",
    "E",
    "s",
    "\n",
    "<",
    ">",
    "[",
    "]",
    "<|channel|>",
    "<|channel>",
    "<channel|>",
    "analysis",
    "final",
    "<|message|>",
    "<|end|>",
    "[INST]",
    "[/",
    "[TOOL_CALLS]",
    "<start_of_turn>",
    "<end_of_turn>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<s>",
    "</",
    "<<",
    "SYS",
    "<tool_call>",
]


@given(
    st.lists(st.sampled_from(FRAGMENTS)).map("".join), st.lists(st.integers(0, 200), max_size=40)
)
def test_no_text_depends_on_how_it_was_cut(raw: str, places: list[int]) -> None:
    assert cleaned([raw], ("Es", "\n")) == cleaned(cut(raw, places), ("Es", "\n"))


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_character_cut_between_tokens_arrives_whole(size: int) -> None:
    text = "네, 8시에 드세요 \U0001f60a"
    raw = text.encode()
    pieces = [raw[at : at + size] for at in range(0, len(raw), size)]

    assert text == cleaned(pieces)


def test_the_text_before_a_cut_character_does_not_wait() -> None:
    cleaner = Cleaner()

    assert "ok " == cleaner.feed(b"ok \xf0\x9f")
    assert "" == cleaner.end()


def test_a_byte_that_is_no_text_is_dropped() -> None:
    assert "ab" == cleaned([b"a\xffb"])


def test_ordinary_text_is_handed_on_at_once() -> None:
    cleaner = Cleaner(stop=("\nCaller:",))

    assert ["Visiting", " hours", " are", " ten."] == [
        cleaner.feed(piece) for piece in ("Visiting", " hours", " are", " ten.")
    ]


def test_a_stop_string_across_tokens_ends_the_text_and_is_not_heard() -> None:
    cleaner = Cleaner(stop=("\nCaller:",))

    assert ["On Monday.", "", "", ""] == [
        cleaner.feed(piece) for piece in ("On Monday.", "\nCal", "ler: and", " more")
    ]
    assert cleaner.stopped


def test_a_stop_string_that_is_a_control_token_ends_the_text() -> None:
    cleaner = Cleaner(stop=("<|im_end|>",))

    assert "On Monday." == cleaner.feed("On Monday.<|im_end|>And")
    assert cleaner.stopped


def test_a_stop_string_that_begins_inside_a_character_of_the_bytes() -> None:
    assert "ok " == cleaned([b"ok \xf0\x9f", b"\x98\x8a then"], ("\U0001f60a",))


def test_a_stop_string_inside_a_thinking_block_ends_nothing() -> None:
    assert "On Monday." == cleaned(["<think>a\nb</think>On Monday.\nx"], ("\n",))


def test_a_reply_does_not_begin_with_white_space() -> None:
    assert "On Monday." == cleaned([" ", "\n", " On", " Monday."])


def test_a_block_that_the_prompt_opened_is_never_heard() -> None:
    cleaner = Cleaner(thinking=True)

    assert "" == cleaner.feed("The patient wants")
    assert "On Monday." == cleaner.feed(" it.</think>\nOn Monday.")


def test_the_cleaner_says_whether_it_changed_the_text() -> None:
    plain, thoughtful = Cleaner(("\n",)), Cleaner()
    plain.feed(" On Monday.\n")
    thoughtful.feed("<think>x</think>On Monday.")

    assert not plain.altered
    assert thoughtful.altered

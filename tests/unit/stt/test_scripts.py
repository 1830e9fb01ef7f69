"""Letters and words of languages."""

import pytest

from voiced.stt import scripts

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "languages", "fits"),
    [
        ("I take metformin.", ["en"], True),
        ("Ça va, señor?", ["en"], True),
        ("네, 알겠습니다.", ["en"], False),
        ("네, 알겠습니다.", ["en", "ko"], True),
        ("MRI 검사요", ["ko"], True),
        ("OK", ["ko"], True),  # every language borrows Latin letters
        ("はい", ["ko"], False),
        ("はい、三時です", ["ja"], True),
        ("ラーメン", ["ja"], True),
        ("三時", ["ko"], True),  # Han signs are at home in Korean
        ("Спасибо за просмотр", ["en"], False),
        ("Спасибо", ["ru"], True),
        ("شكرا", ["en"], False),
        ("My name is 김민수", ["en"], True),  # most of it is at home
        ("12345", ["en"], True),
        ("12345", ["ar"], True),
        ("ਧੰਨਵਾਦ", ["pa"], True),  # a language that is not known here
    ],
)
def test_text_fits_the_languages_of_the_agent(text: str, languages: list[str], fits: bool) -> None:
    assert fits == scripts.fit(text, languages)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("No.", ["no"]),
        ("I don't know, mother-in-law!", ["i", "don't", "know", "mother-in-law"]),
        ("It\u2019s 555-012-3456", ["it\u2019s", "555-012-3456"]),
        ("네, 알겠습니다", ["네", "알겠습니다"]),
        ("三時です", ["三", "時", "で", "す"]),
        ("MRI三時", ["mri", "三", "時"]),
        ("...", []),
    ],
)
def test_words_are_counted_as_they_are_spoken(text: str, words: list[str]) -> None:
    """Scripts that write no spaces are counted sign by sign."""
    assert words == scripts.words(text)

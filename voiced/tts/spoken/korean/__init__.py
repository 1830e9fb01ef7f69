"""Korean: rules by kind, in an order in which each leaves alone what a later one knows better.

    shorthand    letters, records and addresses, before any number is read
    calendar     dates, times, telephone numbers, money: groups of digits that are no quantity
    quantities   units, counters (native or Sino-Korean numbers), ranges, limits
    codes        "B12", "ICU": once units ("5mg") are gone
    rest         every sign and number that is left

It does not know voices; `region` is a country code or None.
"""

import re

from voiced.tts.spoken.characters import NO
from voiced.tts.spoken.korean import calendar, quantities, shorthand
from voiced.tts.spoken.korean.numbers import number

_SIGNS = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (NO, "안 됨, "),
        (r"[ ]?(?:\+/-|\+-|±)[ ]?", " 플러스마이너스 "),
        (r"[ ]?(?:!=|≠)[ ]?", " 같지 않음 "),
        (r"(?<=\d)[ ]?[×*x][ ]?(?=\d)", " 곱하기 "),
        (r"(?<=[가-힣])[ ]?×[ ]?(?=\d)", " 곱하기 "),
        (r"(?<=\d)[ ]?÷[ ]?(?=\d)", " 나누기 "),
        (r"(?<=[\d가-힣])[ ]?\+[ ]?(?=\d)", " 더하기 "),
        (r"(?<!\S)\+(?=\d)", "플러스 "),
        (r"(?<=\d)[ ]-[ ](?=\d)", " 빼기 "),
        (r"(?<!\S)-(?=\.?\d)", "마이너스 "),
        (r"(?<!\S)~(?=\d)|≈", "약 "),
        (r"(?<=\d):(?=\d)", " 대 "),
        (r"&", " 그리고 "),
        (r"@", " 골뱅이 "),
        (r"(?<=[\d가-힣])/(?=[\d가-힣])", ", "),
        (r"(?<=\d)-(?=\d)", " 다시 "),
        (r"[ ]?(?:->|→)[ ]?", ", "),
        (r"[ ]?%", " 퍼센트"),
    )
)
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d+(?:\.\d+)?|(?<!\d)\.\d+")
_COUNTER = re.compile(
    r"(?<=\d)(?=년|월|일|분|초|주|개월|회|층|호|번지|번|도|원|세|차|급|단계|페이지|쪽|기|형|위|등급"
    r"|학년|인분|박|점|정|알|포|컵|배|단위|퍼센트|달러|센트|킬로|밀리|그램|리터|미터)"
)
_EQUALS = re.compile(r"([가-힣])[ ]?=[ ]?")


def read(text: str, region: str | None) -> str:
    """The text with its written forms spelled out in Korean words."""
    text = calendar.read(shorthand.read(text), region)
    text = shorthand.codes(quantities.read(text))
    for pattern, words in _SIGNS:
        text = pattern.sub(words, text)
    text = text.replace("_", " ")
    text = _NUMBER.sub(lambda m: number(m.group()), _COUNTER.sub(" ", text))
    return _EQUALS.sub(_topic, text)


def _topic(match: re.Match[str]) -> str:
    """The particle agrees with the syllable before it: 삼은, 이는."""
    syllable = match.group(1)
    closed = (ord(syllable) - 0xAC00) % 28
    return f"{syllable}{'은' if closed else '는'} "

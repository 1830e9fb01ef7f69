"""Dates, times of day, telephone numbers and sums of money in Korean.

    2026-03-12      이천이십육 년 삼월 십이 일      8:30            여덟 시 삼십 분
    010-1234-5678   공일공, 일이삼사, 오육칠팔      12/03   십이, 공삼

It does not know quantities.
"""

import re

from voiced.tts.spoken.korean.numbers import counted, digits, number, sino

_MONTHS = {6: "유월", 10: "시월"}

_FULL = re.compile(r"(?<![\d./-])((?:19|20)\d\d)([-./])[ ]?(\d{1,2})\2[ ]?(\d{1,2})\.?(?![\d/-])")
_SLASHED = re.compile(r"(?<![\d./-])(\d{1,2})([/.-])(\d{1,2})\2((?:19|20)\d\d)(?![\d/-])")
_PAIR = re.compile(r"(?<![\d./-])(\d{1,2})/(\d{1,2})(?![\d/-]|\.\d|[ ]?(?:정|알|컵|포|개|병|mm))")
_MONTH = re.compile(r"(?<![\d.,])(\d{1,2})[ ]?월")
_CLOCK = re.compile(r"(?<![\d:.,])([01]?\d|2[0-4]):([0-5]\d)(?![\d:])")
_CLOCK_SPAN = re.compile(r"(?<![\d:.,])(\d{1,2}:[0-5]\d)[ ]?[~-][ ]?(?=\d{1,2}:[0-5]\d)")
_HOUR = re.compile(r"(?<![\d.,])(\d{1,2})[ ]?시(?!간|[가-힣]?장|도|술|력|민|청|기)")
_PHONE = re.compile(
    r"(?<![\d.,+-])(\+?\d{1,3}[- ])?(\(?0\d{1,2}\)?)[-. ]?(\d{3,4})[-. ](\d{4})(?![\d-])"
)
_LINE = re.compile(r"(?<![\d.,+-])(1\d{3}|\d{3})-(\d{4})(?![\d-])")
_ABROAD = re.compile(r"(?<![\w.,+-])\+\d{1,3}(?:[-. ]\d{1,4}){2,4}(?![\d-])")
_WEEKDAY = re.compile(r"[ ]?\(([월화수목금토일])\)")
_FOREIGN = re.compile(r"(?<![\d.,+-])(\d{3})[-. ](\d{3})[-. ](\d{4})(?![\d-])")
_SHORT = re.compile(
    r"(?<![\d.,-])(1\d{2,3}|911)(?=(?:번)?(?:에|으로|로|을|를)?[ ]?(?:전화|연락|신고|누르|부르))"
)
_WON = re.compile(r"₩[ ]?(\d[\d,]*)(?:[ ]?원)?")
_DOLLAR = re.compile(r"\$[ ]?(\d[\d,]*)(?:\.(\d\d))?(?![\d.])")
_CURRENCIES = re.compile(r"([€£¥])[ ]?(\d[\d,]*(?:\.\d+)?)")
_NAMES = {"€": "유로", "£": "파운드", "¥": "엔"}


def read(text: str, region: str | None) -> str:
    """Dates, times, telephone numbers and money of the text in words."""
    text = _WEEKDAY.sub(r" \1요일", text)
    text = _ABROAD.sub(lambda m: _groups(m.group()), text)
    text = _FOREIGN.sub(lambda m: _groups(m.group()), text)
    text = _PHONE.sub(lambda m: _groups(m.group()), text)
    text = _LINE.sub(lambda m: _groups(m.group()), text)
    text = _SHORT.sub(lambda m: digits(m.group()), text)
    text = _FULL.sub(_date, text)
    text = _SLASHED.sub(lambda m: f"{_part(m[1])}, {_part(m[3])}, {sino(int(m[4]))}", text)
    text = _PAIR.sub(lambda m: _pair(m, region), text)
    text = _MONTH.sub(_month, text)
    text = _CLOCK.sub(_clock, _CLOCK_SPAN.sub(r"\1에서 ", text))
    text = _HOUR.sub(lambda m: f"{_hour(int(m[1]))} 시", text)
    return _money(text)


def _groups(written: str) -> str:
    plus = "플러스 " if written.startswith("+") else ""
    return plus + ", ".join(digits(group) for group in re.findall(r"\d+", written))


def _date(match: re.Match[str]) -> str:
    months, days = int(match[3]), int(match[4])
    if not (1 <= months <= 12 and 1 <= days <= 31):
        return match.group()
    return f"{sino(int(match[1]))} 년 {_MONTHS.get(months, sino(months) + '월')} {sino(days)} 일"


def _pair(match: re.Match[str], region: str | None) -> str:
    first, second = match[1], match[2]
    if not (first.startswith("0") or second.startswith("0")):
        return match.group()
    months, days = int(first), int(second)
    if region == "KR" and 1 <= months <= 12 and 1 <= days <= 31:
        return f"{_MONTHS.get(months, sino(months) + '월')} {sino(days)} 일"
    return f"{_part(first)}, {_part(second)}"


def _part(text: str) -> str:
    return digits(text) if text.startswith("0") else number(text)


def _month(match: re.Match[str]) -> str:
    months = int(match[1])
    said = _MONTHS.get(months, f"{sino(months)}월")
    return said + (" " if match.string[match.end() : match.end() + 1].isdigit() else "")


def _hour(hour: int) -> str:
    return counted(hour) if 1 <= hour <= 12 else sino(hour)


def _clock(match: re.Match[str]) -> str:
    hour, minute = int(match[1]), int(match[2])
    return f"{_hour(hour)} 시" + (f" {sino(minute)} 분" if minute else "")


def _money(text: str) -> str:
    text = _WON.sub(lambda m: f"{number(m[1])} 원", text)
    text = _DOLLAR.sub(
        lambda m: (
            f"{number(m[1])} 달러" + (f" {sino(int(m[2]))} 센트" if m[2] and int(m[2]) else "")
        ),
        text,
    )
    return _CURRENCIES.sub(lambda m: f"{number(m[2])} {_NAMES[m[1]]}", text)

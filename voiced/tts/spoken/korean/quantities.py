"""Quantities in Korean: with units, with counters, ranges, limits, fractions, blood pressure.

    2번     두 번       5~10mg   오에서 십 밀리그램     ≥ 38.5℃   삼십팔 점 오 도 이상
    302호   삼백이 호   1~2정    한 정에서 두 정        1/2정     이분의 일 정

A counter decides between native and Sino-Korean numbers. It does not know dates or times of day.
"""

import re

from voiced.tts.spoken.korean.numbers import counted, number, sino
from voiced.tts.spoken.korean.units import UNIT, with_unit

N = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
_FREE = r"(?<![\d.,/A-Za-z])"

_NATIVE = (
    "시간|번째|번|개월분|개|명|살|알약|알|정|잔|병|장|마리|달|가지|군데|곳|사람|방울|컵|숟가락"
    "|스푼|봉지|포|캡슐|모금|끼|통|차례|배|걸음|줄|그릇|조각|앰플|바이알|팩|쪽지|모"
)
_NUMBERED_THINGS = "창구|출구|진료실|방|버스|침대|환자|게이트|문|병동|검사실"
_SINO_FIRST = rf"(?!개월|번지|명세|통계|정도|번\s?(?:{_NUMBERED_THINGS}))"
_COUNTED = re.compile(rf"{_FREE}(\d{{1,3}}(?:,\d{{3}})+|\d{{1,5}})([ ]?){_SINO_FIRST}({_NATIVE})")
_COUNTED_RANGE = re.compile(
    rf"{_FREE}(\d{{1,2}})[ ]?[~-][ ]?(\d{{1,2}})([ ]?){_SINO_FIRST}({_NATIVE})"
)
_LIMITS = {
    "<": "미만", ">": "초과", "<=": "이하", "=<": "이하", "≤": "이하", ">=": "이상", "=>": "이상",
    "≥": "이상",
}  # fmt: skip
_SIGN = r"<=|=<|>=|=>|<|>|≤|≥"
_BOTH = re.compile(rf"(?<![\d.,])({N})[ ]?({_SIGN})[ ]?({N})(?![ ]?{UNIT})")
_LIMIT = re.compile(rf"({_SIGN})[ ]?({N})(?:[ ]?({UNIT}))?")
_AMOUNT = re.compile(rf"{_FREE}({N})[ ]?({UNIT})")
_BARE_UNIT = re.compile(rf"(?<![A-Za-z\d/°])(?=mg|mcg|µg|mL|kg|mmol|mEq|mmHg)({UNIT})")
_AMOUNT_RANGE = re.compile(rf"{_FREE}({N})[ ]?(?:{UNIT})?[ ]?[~-][ ]?({N})[ ]?({UNIT})")
_RANGE = re.compile(rf"{_FREE}({N})[ ]?([가-힣]{{0,2}})[ ]?~[ ]?({N})")
_RISING = re.compile(rf"{_FREE}(\d{{1,4}})-(\d{{1,4}})(?![\d-]|[.,/]\d)")
_PRESSURE = re.compile(r"(?<![\d./-])(\d{2,3})[ ]?/[ ]?(\d{2,3})(?![\d/-]|\.\d)([ ]?mm[ ]?Hg)?")
_RATE = re.compile(rf"{_FREE}({N})[ ]?회[ ]?/[ ]?(분|시간|일(?!주)|주)")
_EACH = {"분": "분당", "시간": "시간당", "일": "하루", "주": "일주일에"}
_SCORE = re.compile(r"(통증[^.\d]{0,10})(\d{1,2})/10(?![\d/])")
_FRACTION = re.compile(
    r"(?<![\d./-])(\d)[/\u2044](\d{1,2})(?![\d/.])(?=[ ]?(?:정|알|컵|포|개|병|스푼|용량))"
)
_SURE = re.compile(r"(?<![\d./-])(?:(\d{1,2}) )?(\d)\u2044(\d{1,2})")
_COLD = re.compile(rf"(?<!\S)-({N})[ ]?(?:℃|°[ ]?C|도)")
_FAHRENHEIT = re.compile(rf"{_FREE}({N})[ ]?°[ ]?F")


def read(text: str) -> str:
    """Every quantity of the text in words."""
    for pattern, reading in _RULES:
        text = pattern.sub(reading, text)
    return text


def _counted(match: re.Match[str]) -> str:
    value, counter = int(match.group(1).replace(",", "")), match.group(3)
    if value == 1 and counter == "번째":
        return "첫 번째"
    return f"{counted(value)} {counter}"


def _counted_range(match: re.Match[str]) -> str:
    low, high, _, counter = match.groups()
    return f"{counted(int(low))} {counter}에서 {counted(int(high))} {counter}"


def _limit(match: re.Match[str]) -> str:
    sign, value, unit = match.groups()
    said = with_unit(number(value), unit) if unit else number(value)
    return f"{said} {_LIMITS[sign]}"


def _pressure(match: re.Match[str]) -> str:
    high, low = int(match.group(1)), int(match.group(2))
    unit = " 밀리미터 수은주" if match.group(3) else ""
    if not unit and not _likely(high, low):
        return match.group()
    return f"{sino(high)}에 {sino(low)}{unit}"


def _likely(high: int, low: int) -> bool:
    """Of somebody alive; a strength such as 250/50 is none."""
    return 80 <= high <= 260 and 30 <= low <= 160 and 10 <= high - low <= 130


def _part(over: str, under: str) -> str:
    return f"{sino(int(under))}분의 {sino(int(over))}"


def _sure(match: re.Match[str]) -> str:
    whole, over, under = match.groups()
    return (f"{sino(int(whole))}와 " if whole else "") + _part(over, under)


def _rising(match: re.Match[str]) -> str:
    low, high = match.group(1), match.group(2)
    plain = not (low.startswith("0") or high.startswith("0"))
    return f"{sino(int(low))}에서 {high}" if plain and int(low) < int(high) else match.group()


_COMPARED = {"<": "보다 작음", ">": "보다 큼", "<=": " 이하", "=<": " 이하", "≤": " 이하"}

_RULES = (
    (_BOTH, lambda m: f"{number(m[1])}, {number(m[3])}{_COMPARED.get(m[2], ' 이상')}"),
    (_LIMIT, _limit),
    (_SURE, _sure),
    (_FRACTION, lambda m: _part(m[1], m[2]) + " "),
    (_SCORE, lambda m: f"{m[1]}십 점 만점에 {number(m[2])} 점"),
    (_RATE, lambda m: f"{_EACH[m[2]]} {number(m[1])} 회"),
    (_PRESSURE, _pressure),
    (_COLD, lambda m: f"영하 {number(m[1])} 도"),
    (_FAHRENHEIT, lambda m: f"화씨 {number(m[1])} 도"),
    (_AMOUNT_RANGE, lambda m: with_unit(f"{number(m[1])}에서 {number(m[2])}", m[3])),
    (_AMOUNT, lambda m: with_unit(number(m[1]), m[2])),
    (_BARE_UNIT, lambda m: with_unit("", m[1])),
    (_COUNTED_RANGE, _counted_range),
    (_COUNTED, _counted),
    (_RANGE, lambda m: f"{number(m[1])}{' ' + m[2] if m[2] else ''}에서 {m[3]}"),
    (_RISING, _rising),
)

"""Numbers as Korean words: Sino-Korean, native, and digit by digit.

    sino(302)  삼백이      counted(2)  두 (as before 번, 시, 정)      digits("010")  공일공

It does not know what a number counts; `counters` does.
"""

_DIGITS = "영일이삼사오육칠팔구"
_PLACES = ("", "십", "백", "천")
_SCALES = ("", "만", "억", "조")
_ONES = ("", "한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉")
_TENS = ("", "열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔")
_MOST = 10**16


def sino(value: int) -> str:
    """302 -> "삼백이"; digit by digit from 10**16 on."""
    if value >= _MOST:
        return digits(str(value))
    if not value:
        return "영"
    said, scale = "", 0
    while value:
        value, group = divmod(value, 10_000)
        if group:
            head = "" if group == 1 and scale == 1 else _group(group)
            said = head + _SCALES[scale] + said
        scale += 1
    return said


def counted(value: int) -> str:
    """2 -> "두", 20 -> "스무", 21 -> "스물한": before a native counter; from 100 on Sino-Korean."""
    if not 1 <= value <= 99:
        return sino(value)
    if value == 20:
        return "스무"
    return _TENS[value // 10] + _ONES[value % 10]


def digits(text: str) -> str:
    """ "0482" -> "공사팔이"; what is no digit is left out."""
    return "".join("공" if char == "0" else _DIGITS[int(char)] for char in text if char.isdigit())


def number(text: str) -> str:
    """A written number, "1,000", "0.5"; digit by digit where it begins with a needless zero."""
    whole, point, part = text.replace(",", "").partition(".")
    if (len(whole) > 1 and whole[0] == "0") or len(whole) > 16:
        said = digits(whole)
    else:
        said = sino(int(whole or "0"))
    if not (point and part):
        return said
    return f"{said} 점 {''.join(_DIGITS[int(char)] for char in part)}"


def _group(value: int) -> str:
    said = ""
    for place in range(3, -1, -1):
        digit = value // 10**place % 10
        if digit:
            said += ("" if digit == 1 and place else _DIGITS[digit]) + _PLACES[place]
    return said

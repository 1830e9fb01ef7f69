"""Claims in Korean, as it is read aloud.

    doses    오백 밀리그램, 두 알, 하루 세 번, 여섯 시간마다; 칠 일 동안, of a medicine
    times    오후 세 시 삼십 분, 십오 시, 정오      dates    삼월 십이 일
    phones   공일공, 일이삼사, ...; 일일구 behind which somebody calls
    names    김민수 선생님, 김 교수님, 담당 간호사는 박지영입니다

It does not know which people there are; a name begins with a common family name.
"""

import re
from collections.abc import Iterator
from fractions import Fraction

from voiced.call.grounding.claims import (
    Claim,
    bares,
    clock,
    clocks,
    day,
    dose,
    every,
    lasting,
    name,
    often,
    phone,
    phones,
)
from voiced.tts.spoken.korean.numbers import counted, sino

_NATIVE = {counted(value): value for value in range(1, 100)} | {
    "하나": 1, "둘": 2, "셋": 3, "넷": 4, "스물": 20,
}  # fmt: skip
_DIGITS = {digit: value for value, digit in enumerate("영일이삼사오육칠팔구")} | {"공": 0}
_PLACES = {"십": 10, "백": 100, "천": 1000}
_SINO = "[영일이삼사오육칠팔구십백천만]+"
_NUMBER = rf"(?:{'|'.join(sorted(_NATIVE, key=len, reverse=True))}|{_SINO})"
_AMOUNT = rf"(?<![가-힣])(?P<n>{_NUMBER}|반)(?: ?점 ?(?P<part>[영공일이삼사오육칠팔구]+))?"

_MASSES = {
    " ?밀리그램": Fraction(1000), " ?마이크로그램": Fraction(1), " ?나노그램": Fraction(1, 1000),
    " ?그램": Fraction(10**6),
}  # fmt: skip
_VOLUMES = {" ?밀리리터": 1, " ?씨씨": 1, " ?시시": 1, " ?리터": 1000}
_COUNTERS = {
    " ?알약": "tablet", " 알": "tablet", " 정(?!도|형|상|기|확|말)": "tablet", " ?캡슐": "capsule",
    " 포(?!함|인)": "sachet", " ?봉지": "sachet", " ?방울": "drop", " ?스푼": "spoon",
    " ?숟가락": "spoon", " ?국제단위": "unit", " ?단위": "unit", " ?앰플": "ampoule",
    " ?회분": "dose",
}  # fmt: skip
"""A counter of one syllable is written apart: "이정훈" is a name."""
_UNITS = {
    **{unit: (factor, "ug") for unit, factor in _MASSES.items()},
    **{unit: (Fraction(factor), "ml") for unit, factor in _VOLUMES.items()},
    **{unit: (Fraction(1), one) for unit, one in _COUNTERS.items()},
}
_DOSES = tuple(
    (re.compile(rf"{_AMOUNT}(?: ?에서 ?(?P<more>{_NUMBER}))?{unit}"), *meaning)
    for unit, meaning in _UNITS.items()
)
_OFTEN = re.compile(
    rf"(?P<period>하루|매일|일일|일주일|한 주|매주|주)(?:에)? ?(?P<n>{_NUMBER}) ?(?:번|회|차례)"
)
_DAILY = frozenset({"하루", "매일", "일일"})
_SPANS = {
    "분": 1,
    "시간": 60,
    "일": 1440,
    "주": 10_080,
    "주일": 10_080,
    "개월": 43_200,
    "달": 43_200,
}
_SPAN = r"(?P<span>분|시간|주일|주|개월|달|일)"
_EVERY = re.compile(rf"{_AMOUNT} ?{_SPAN} ?(?:마다|간격)")
_LASTING = re.compile(rf"{_AMOUNT} ?{_SPAN} ?(?:간|동안|치|분(?![가-힣])|전|후|이내)")
_SPANNED = re.compile(rf"(?<!월 ){_AMOUNT} ?{_SPAN}")
_AFTER_MEAL = re.compile(rf"(?:식후|식전) ?{_AMOUNT} ?{_SPAN}")
_DAYS = {"이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "엿새": 6, "열흘": 10, "보름": 15, "일주일": 7}
_OWN_DAYS = re.compile(rf"(?<![가-힣])({'|'.join(_DAYS)}) ?(?:간|동안|치|분(?![가-힣]))")
_MEDICINE = re.compile("복용|드[시세십셔신실]|먹|약을|약은|투여|투약|바르|주사|금식|흡입|처방")

_HOUR = "|".join([*map(counted, range(12, 0, -1)), *map(sino, range(24, 12, -1)), "영"])
"""Native up to twelve: "오시나요" is no five o'clock."""
_HALVES = {
    "오전": "am", "아침": "am", "새벽": "am", "오후": "pm", "낮": "pm", "저녁": "pm", "밤": "pm",
}  # fmt: skip
_TIME = re.compile(
    rf"(?:(?P<half>{'|'.join(_HALVES)}) ?)?(?<![가-힣])(?P<n>{_HOUR}) ?시"
    rf"(?!간|도|술|작|험|기|스|트)(?: ?(?P<minute>{_SINO}) ?분| ?(?P<thirty>반)(?![가-힣]{2}))?"
)
_NAMED = {"정오": (12, "pm"), "자정": (12, "am")}
_DATE = re.compile(rf"(?P<month>{_SINO}|유|시)월 ?(?P<day>{_SINO}) ?일(?!간| 동안)")
_MONTHS = {"유": 6, "시": 10}

_PHONE = re.compile(r"(?<![가-힣])(?:[공영일이삼사오육칠팔구](?:, ?| |-|에 )?){7,}")
_SHORT = re.compile(
    r"(?<![가-힣])(?<![공영일이삼사오육칠팔구] )(?<![공영일이삼사오육칠팔구], )"
    r"([공일이삼사오육칠팔구]{3,5}) ?(?:번)?(?:으로|로|에|을|를)? ?"
    r"(?:바로 |즉시 |지금 )?(?:전화|연락|신고|걸어|누르|눌러)"
)

_HUNDREDS = re.compile(rf"(?<![가-힣])(?=[^ ]*백){_SINO}")
"""How a short telephone number is read where nobody is told to call it."""

_DIALLED = re.compile(
    rf"(?:내선|교환)(?: 번호)?(?:는|은)? ?({_SINO})"
    rf"|(?<![가-힣])({_SINO})(?:번)?으?로 ?(?:전화|연락|문의)"
)
"""An extension is read as a number."""
_BARE = re.compile(
    rf"(?<![가-힣]){_NUMBER}(?![가-힣])(?! ?(?:번|회|차례|알|정|포|캡슐|시|분|일|주|달|개|년|월"
    r"|명|살|층|호|가지|사람|원|점|밀리|마이크로|그램|단위|방울|병))"
)
"""A number that counts nothing."""

_FAMILY = (
    "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진지엄채원천방공현"
    "함변염여추도소석선설마길연위표명기반왕"
)
_TITLES = (
    "선생님?|교수님?|원장님?|과장님?|실장님?|박사님?|간호사님?|의사|씨|님|약사님?|상담사님?|팀장님?"
    "|코디네이터|환자분|치료사님?"
)
_TITLED = re.compile(rf"(?<![가-힣])([{_FAMILY}](?:[가-힣]{{1,2}})?) ?(?:{_TITLES})(?![가-힣]*과)")
_INTRODUCED = re.compile(
    rf"(?:의사|주치의|담당의|담당자|간호사|교수|원장|약사|선생님)(?:님)?(?:는|은|이|가|,)? "
    rf"([{_FAMILY}][가-힣]{{2}})(?=입니다|이에요|예요|이고|,)"
)
_NO_NAME = re.compile(
    "고객|손|보호자|여자|남자|안내|모든|우리|전문|주치|전담|수술|여러|최고|원무|이분|주임|전공|한의|수의"
    "|담당|오늘|지금|이번|진료|정말|도우미|하나|한분|소아|성인|신규|방문|공단|기사|강사|조리|선|연구"
    "|.*(?:과|의|실|팀|부|센터|병원|에서|께서|으로|는|은|을|를|도|만|한|된|할)$"
)
_HANGUL = re.compile("[가-힣]+")
_LONGEST_NAME = 4


def claimed(text: str) -> list[Claim]:
    """What a clause states."""
    medicine = _MEDICINE.search(text) is not None
    return [
        *_doses(text, medicine=medicine),
        *_times(text),
        *_dates(text),
        *(phone(digits) for digits in _phones(text)),
        *_names(text),
    ]


def offered(text: str, *, loose: bool) -> set[Claim]:
    """What a text allows to be said; `loose`: its bare numbers may be times and doses, too."""
    found = {*_doses(text, medicine=True, anything=True), *_dates(text)}
    found |= {other for one in _times(text) for other in clocks(one)}
    found |= {other for digits in _phones(text) for other in phones(digits)}
    found |= {phone(str(_value(short))) for short in _HUNDREDS.findall(text)}
    found |= {name(one[0]) for one in _TITLED.findall(text)}
    return found | set(_bare(text)) if loose else found


def words(text: str) -> list[str]:
    """Every beginning of every word: what follows a name is written together with it.

    The first syllable of a name that stands alone is a family name.
    """
    return [
        word[:length]
        for word in _HANGUL.findall(text)
        for length in range(1 if len(word) in (1, 3) else 2, min(len(word), _LONGEST_NAME) + 1)
    ]


def _bare(text: str) -> Iterator[Claim]:
    for match in _BARE.finditer(text):
        number = _value(match.group())
        yield from bares(number)
        if 0 < number <= 24:
            yield from clocks(clock(int(number), 0))


def _doses(text: str, *, medicine: bool, anything: bool = False) -> Iterator[Claim]:
    """`anything`: also what lasts, and is no medicine."""
    for pattern, factor, unit in _DOSES:
        for match in pattern.finditer(text):
            yield dose(_amount(match) * factor, unit)
            if match["more"]:
                yield dose(_value(match["more"]) * factor, unit)
    for match in _OFTEN.finditer(text):
        yield often(_value(match["n"]), "day" if match["period"] in _DAILY else "week")
    for match in _EVERY.finditer(text):
        if medicine or match["span"] == "시간":
            yield every(_amount(match), _SPANS[match["span"]])
    if medicine:
        yield from _lasting(text, (_SPANNED,) if anything else (_LASTING, _AFTER_MEAL))


def _lasting(text: str, patterns: tuple[re.Pattern[str], ...]) -> Iterator[Claim]:
    for pattern in patterns:
        for match in pattern.finditer(text):
            yield lasting(_amount(match), _SPANS[match["span"]])
    for match in _OWN_DAYS.finditer(text):
        yield lasting(Fraction(_DAYS[match[1]]), _SPANS["일"])


def _times(text: str) -> Iterator[Claim]:
    for match in _TIME.finditer(text):
        hour = int(_value(match["n"]))
        minute = 30 if match["thirty"] else int(_value(match["minute"] or "영"))
        if hour <= 24 and minute < 60:
            half = _HALVES.get(match["half"] or "", "")
            if match["half"] == "밤" and hour in (12, 1, 2, 3):
                half = "am"
            yield clock(hour, minute, half)
    for named, (hour, half) in _NAMED.items():
        if named in text:
            yield clock(hour, 0, half)


def _dates(text: str) -> Iterator[Claim]:
    for match in _DATE.finditer(text):
        month = _MONTHS.get(match["month"]) or int(_value(match["month"]))
        yield day(month, int(_value(match["day"])))


def _phones(text: str) -> Iterator[str]:
    for match in _PHONE.finditer(text):
        yield _dictated(match.group())
    for match in _SHORT.finditer(text):
        yield _dictated(match[1])
    for match in _DIALLED.finditer(text):
        number = match[1] or match[2]
        if set(number) & set("백천"):
            yield str(_value(number))


def _names(text: str) -> Iterator[Claim]:
    for pattern in (_TITLED, _INTRODUCED):
        for match in pattern.finditer(text):
            if not _NO_NAME.match(match[1]):
                yield name(match[1])


def _dictated(text: str) -> str:
    return "".join(str(_DIGITS[char]) for char in text if char in _DIGITS)


def _amount(match: re.Match[str]) -> Fraction:
    """Of _AMOUNT: "영 점 오", "반"."""
    if match["n"] == "반":
        return Fraction(1, 2)
    part = _dictated(match["part"] or "")
    return _value(match["n"]) + Fraction(f"0.{part or 0}")


def _value(text: str) -> Fraction:
    """ "스물한" and "이십일" are 21."""
    if text in _NATIVE:
        return Fraction(_NATIVE[text])
    total = group = digit = 0
    for char in text:
        if char == "만":
            total, group, digit = total + (group + digit or 1) * 10_000, 0, 0
        elif char in _PLACES:
            group, digit = group + (digit or 1) * _PLACES[char], 0
        else:
            digit = _DIGITS[char]
    return Fraction(total + group + digit)

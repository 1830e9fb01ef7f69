"""Units of measure in Korean. A compound turns round: "110 mg/dL" is 데시리터당 백십 밀리그램.

It does not know numbers.
"""

import re

_UNITS = {
    "kg": "킬로그램", "g": "그램", "mg": "밀리그램", "mcg": "마이크로그램", "µg": "마이크로그램",
    "ug": "마이크로그램", "ng": "나노그램", "pg": "피코그램", "MG": "밀리그램", "L": "리터",
    "l": "리터", "dL": "데시리터", "dl": "데시리터", "mL": "밀리리터", "ml": "밀리리터",
    "ML": "밀리리터", "cc": "씨씨", "µL": "마이크로리터", "km": "킬로미터", "m": "미터",
    "cm": "센티미터", "mm": "밀리미터", "mmHg": "밀리미터 수은주", "mm Hg": "밀리미터 수은주",
    "mol": "몰", "mmol": "밀리몰", "mEq": "밀리당량", "IU": "국제단위", "mIU": "밀리국제단위",
    "U": "단위", "kcal": "킬로칼로리", "cal": "칼로리", "h": "시간", "hr": "시간", "min": "분",
    "sec": "초", "bpm": "회", "kPa": "킬로파스칼", "m^2": "제곱미터", "cm^2": "제곱센티미터",
    "%": "퍼센트", "℃": "도", "°C": "도", "° C": "도", "°": "도", "Hz": "헤르츠",
    "mSv": "밀리시버트",
}  # fmt: skip
_PER = {"day": "하루", "d": "하루", "일": "하루", "kg": "킬로그램당", "회": "한 번에", "분": "분당"}
_TIMED = {"h": "시간당", "hr": "시간당", "시간": "시간당", "min": "분당"}

_SIGNS = "|".join(re.escape(sign) for sign in sorted(_UNITS, key=len, reverse=True))
_DENOMINATORS = "|".join(
    re.escape(sign) for sign in sorted({*_UNITS, *_PER, *_TIMED}, key=len, reverse=True)
)
UNIT = rf"(?:{_SIGNS})(?:/(?:{_DENOMINATORS})){{0,2}}(?![A-Za-z0-9^])"


def with_unit(said: str, sign: str) -> str:
    """ "백십", "mg/dL" -> "데시리터당 백십 밀리그램"."""
    first, *rest = sign.split("/")
    heads = [_PER.get(part) or _TIMED.get(part) or _UNITS[part] + "당" for part in reversed(rest)]
    return " ".join(filter(None, [*heads, said, _UNITS[first]]))

"""Latin letters in Korean text: clinical shorthand, initials, codes, record numbers.

    b.i.d.   하루 두 번      ICU   아이씨유      MRN 0048213   엠알엔 공공사팔이일삼

It does not know quantities.
"""

import re

from voiced.tts.spoken.korean.numbers import counted, digits, sino

_NAMES = dict(
    zip(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (
            "에이 비 씨 디 이 에프 지 에이치 아이 제이 케이 엘 엠 엔 오 피 큐 알 에스 티 유 브이"
            " 더블유 엑스 와이 제트"
        ).split(),
        strict=True,
    )
)
_PHRASES = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"\b[Bb]\.[Ii]\.[Dd]\.?|(?<![A-Za-z])(?:BID|bid)(?![A-Za-z])", "하루 두 번"),
        (r"\b[Tt]\.[Ii]\.[Dd]\.?|(?<![A-Za-z])(?:TID|tid)(?![A-Za-z])", "하루 세 번"),
        (r"\b[Qq]\.[Ii]\.[Dd]\.?|(?<![A-Za-z])(?:QID|qid)(?![A-Za-z])", "하루 네 번"),
        (r"\b[Qq]\.[Dd]\.?|(?<![A-Za-z])(?:QD|qd)(?![A-Za-z])", "하루 한 번"),
        (r"\b[Qq]\.?[Hh]\.?[Ss]\.?(?![A-Za-z])", "매일 자기 전"),
        (r"\b[Pp]\.[Rr]\.[Nn]\.?|(?<![A-Za-z])(?:PRN|prn)(?![A-Za-z])", "필요할 때"),
        (r"\b[Nn]\.[Pp]\.[Oo]\.?|(?<![A-Za-z])NPO(?![A-Za-z])", "금식"),
        (r"\b[Pp]\.[Oo]\.|(?<![A-Za-z])PO(?![A-Za-z])", "경구로"),
        (r"(?<![A-Za-z])(?:Hb)?A1[Cc](?![A-Za-z0-9])", "당화혈색소 에이원씨"),
        (r"(?<![A-Za-z])SpO2(?![A-Za-z0-9])", "산소포화도"),
        (r"(?<![A-Za-z])BP(?![A-Za-z])", "혈압"),
        (r"(?<![A-Za-z])COVID-?(?![A-Za-z])", "코비드 "),
        (r"(?<![A-Za-z])(R[Hh]|HIV|MRSA|COVID(?:-19)?|TB)\+(?!\w)", r"\1 양성"),
        (r"(?<![A-Za-z])(R[Hh]|HIV|MRSA|COVID(?:-19)?|TB)-(?![\w-])", r"\1 음성"),
        (r"(?<![A-Za-z])Rh(?![A-Za-z])", "RH"),
        (r"(?<![A-Za-z])NaCl(?![A-Za-z\d])", "염화나트륨"),
        (r"(?<![A-Za-z])KCl(?![A-Za-z\d])", "염화칼륨"),
        (r"(?<![A-Za-z])pH(?![A-Za-z])", "PH"),
        (r"(?<![A-Za-z])[Xx]-ray(?![A-Za-z])", "엑스레이"),
        (r"\bDr\.?(?=[ ])", "닥터"),
        (r"\bMr\.?(?=[ ])", "미스터"),
        (r"\bMrs\.?(?=[ ])", "미시즈"),
        (r"\be\.g\.,?", "예를 들어,"),
        (r"\bi\.e\.,?", "즉,"),
        (r"\betc\.?(?![A-Za-z])", "등"),
        (r"\bvs\.?(?![A-Za-z])", "대"),
        (r"(?<![A-Za-z])No\.[ ]?(?=\d)|#(?=\d)", "번호 "),
    )
)
_BY = re.compile(r"(번|때|전)(?:으로|로)(?![가-힣])")
"""Written to agree with the shorthand's own letters: "PRN으로" is 필요할 때로."""
_EVERY = re.compile(r"(?<![A-Za-z])[Qq](\d{1,2})(?:-(\d{1,2}))?(?:h|hr|H)(?![A-Za-z])")
_RECORD = re.compile(
    r"((?:MRN|ID|PIN|(?:등록|환자|차트|접수|예약|확인|주민|계좌|카드|보험|처방|인증|비밀|우편)"
    r"[ ]?번호|앞자리|뒷자리)"
    r"(?:는|은|가|이)?[ ]?[:#]?[ ]?)([A-Z]{0,3}-?\d[\d-]{2,}\d|0\d+)"
)
_TURN = re.compile(r"(번호(?:는|은|가|이)?[ ]?[:#]?[ ]?)([1-9]\d{0,2})(?=[ ]?번)")
_VERSION = re.compile(r"(?<![\d.])(?!(?:19|20)\d\d\.)(\d+(?:\.\d+){2,9})(?![\d.]*\d)")
_ZEROS = re.compile(r"(?<![\d.,:/-])0\d+(?![\d:/]|[.,]\d)")
_ENDLESS = re.compile(r"(?<![\d.,-])\d{8,}(?![\d]|[.,]\d)")
_CODE = re.compile(r"(?<![A-Za-z\d.])([A-Z]{1,4})-?(\d{1,4})([A-Z]?)(?![A-Za-z\d])")
_AFTER = re.compile(r"(?<=\d)([A-Z])(?![A-Za-z])")
_CAPITALS = re.compile(r"(?<![A-Za-z])[A-Z]{1,6}(?![A-Za-z])")
_MAIL = re.compile(r"([\w.+-]{1,64})@([\w-]{1,63}(?:\.[\w-]{1,63}){1,4})", re.ASCII)
_URL = re.compile(r"(?:https?://|www\.)[A-Za-z0-9./_?=&%#~:+-]{1,2000}")


def read(text: str) -> str:
    """Shorthand, records and addresses in words, before any number is read."""
    text = _MAIL.sub(lambda m: f"{_address(m[1])} 골뱅이 {_address(m[2])}", text)
    text = _URL.sub(lambda m: _address(re.sub(r"^https?://", "", m.group())), text)
    text = _EVERY.sub(_every, text)
    for pattern, words in _PHRASES:
        text = pattern.sub(words, text)
    text = _BY.sub(lambda m: f"{m[1]}{'로' if m[1] == '때' else '으로'}", text)
    text = _TURN.sub(lambda m: f"{m[1]}{sino(int(m[2]))} ", text)
    text = _RECORD.sub(lambda m: m[1] + _spell(m[2]), text)
    return _VERSION.sub(
        lambda m: " 점 ".join(digits(p).replace("공", "영") for p in m[1].split(".")), text
    )


def codes(text: str) -> str:
    """Codes and initials, once units have been read."""
    text = _ZEROS.sub(lambda m: digits(m.group()), text)
    text = _ENDLESS.sub(lambda m: digits(m.group()), text)
    text = _CODE.sub(_code, text)
    text = _AFTER.sub(lambda m: " " + _NAMES[m[1]], text)
    return _CAPITALS.sub(_initials, text)


def _every(match: re.Match[str]) -> str:
    low, high = match.groups()
    hours = f"{counted(int(low))} 시간"
    return f"{hours}에서 {counted(int(high))} 시간마다" if high else f"{hours}마다"


def _spell(code: str) -> str:
    groups = [group for group in code.split("-") if group]
    return ", ".join("".join(_NAMES.get(c) or digits(c) for c in group) for group in groups)


def _code(match: re.Match[str]) -> str:
    head, value, tail = match.groups()
    said = digits(value) if len(value) > 3 or value.startswith("0") else sino(int(value))
    return " ".join(filter(None, (_letters(head), said, _letters(tail))))


def _initials(match: re.Match[str]) -> str:
    word = match.group()
    pronounced = len(word) > 4 and bool(set(word) & set("AEIOU"))
    return word if pronounced else _letters(word)


def _letters(word: str) -> str:
    return "".join(_NAMES[char] for char in word)


def _address(text: str) -> str:
    signs = {".": "점", "/": "슬래시", "-": "하이픈", "_": "밑줄", "?": "물음표", "=": "이퀄"}
    parts = re.findall(r"[A-Za-z]+|\d+|.", text.rstrip("/.,"))
    return " ".join(
        digits(p) if p.isdigit() else signs.get(p, p if p.isalpha() else "") for p in parts
    )

"""Names made of digits: record numbers, doors, versions, codes. Every digit counts, zeros too.

    MRN 0048213  M R N zero zero four eight two one three      1.2.3  one point two point three
    Room 302B    Room three oh two B                            No. 5  number five

It does not know which of them exist.
"""

import re

from voiced.tts.spoken.english.numbers import cardinal, digits, door

_ALWAYS = (
    r"MRN|SSN|NPI|DIN|NDC|PIN|ZIP|UPC|UDI|ID|NHS|passcode|password|passport|serial|tracking"
    r"|confirmation|prescription|account|acct\.?|medical record|hospital|patient ID|badge|postcode"
    r"|licen[cs]e|barcode|voucher|booking|insurance"
)
_SOMETIMES = (
    r"case|order|group|file|code|lot|record|chart|policy|claim|member|membership|reference|ref\.?"
    r"|ticket|invoice|patient|subscriber|plan|Rx|request|batch|model|form"
)
_MARK = r"(?:[ ](?:number|no\.?|nr\.?|ID|code)|[ ]?#)(?:[ ]?:|[ ]is)?[ ]?|[ ]?:[ ]?|[ ]is[ ]"
_CODE = r"(?!ICD|COVID)(?=[A-Z-]{0,12}\d)[A-Z0-9]+(?:[-/ ](?=[A-Z-]{0,6}\d)[A-Z0-9]+){0,5}"
_DIGITS = r"\d+(?:[- ]\d+){0,5}(?:[A-Z]{1,3})?"
_END = r"(?![\w/%]|[.,:-]\d)"
_RECORD = re.compile(rf"\b((?i:{_ALWAYS})(?:{_MARK}|[ ]))({_CODE}){_END}")
_NUMBERED = re.compile(rf"\b((?i:{_SOMETIMES})(?:{_MARK}))({_CODE}){_END}")
_LONG = re.compile(rf"\b((?i:{_SOMETIMES})[ ])((?:[A-Z]{{1,4}}-?)?\d{{5,}}){_END}")

_DOORS = (
    "room|rm\\.?|suite|ste\\.?|apartment|apt\\.?|bed|bay|ward|floor|gate|office|flat|desk|window"
    "|door|building|bldg\\.?|counter|locker|level|unit|wing|exit|table|bus|flight|route|theat(?:er|re)"
)
_DOOR = re.compile(
    rf"\b((?i:{_DOORS})[ ](?:(?i:number|no\.)[ ]|\#[ ]?)?)"
    r"([A-Z]{0,2})-?(\d{1,5})(?:-(\d{1,4}))?-?([A-Z]?)(?![\w%]|[.,:/]\d)"
)
_DOOR_PAIR = re.compile(
    r"\b((?i:rooms|beds|suites|wards|floors|gates)[ ])(\d{1,5})(,?[ ](?:and|or|to)[ ])"
    r"(\d{1,5})(?!\w)"
)
_DOOR_NAMES = {"rm": "room", "ste": "suite", "apt": "apartment", "bldg": "building"}

_VERSION = re.compile(r"(?<![\w.])[vV]?(\d+(?:\.\d+){2,9})(?![\w])")
_NUMBER_OF = re.compile(r"\b[Nn](?:o|r|os)\.[ ]?(?=\d)|#[ ]?(?=\d)|№[ ]?(?=\d)")
_ZEROS = re.compile(r"(?<![\w.,:/-])0\d+(?![\w/:]|[.,]\d)")
_ENDLESS = re.compile(r"(?<![\w.,$€£-])\d{7,}(?![\w]|[.,]\d)")
_ROUND = re.compile(r"[1-9]\d{0,3}0{5,}")
_MIXED = re.compile(
    r"(?<![\w.-])(?=[A-Za-z]{0,12}-?\d)[A-Za-z0-9]{1,24}"
    r"(?:[-./](?=[A-Z]{0,3}\d)[A-Z0-9]{1,12}){0,4}(?!\w)"
)
_KEEP = re.compile(r"\d+(?:st|nd|rd|th|x|k|K)|\d[\d.,/-]*|q\d.*|[a-z]+\d?")
_RUN = re.compile(r"[A-Za-z]+|\d+|[-./]")


def read(text: str) -> str:
    """Every name of that kind in words."""
    for pattern in (_RECORD, _NUMBERED, _LONG):
        text = pattern.sub(_record, text)
    text = _DOOR_PAIR.sub(lambda m: f"{m[1]}{door(m[2])}{m[3]}{door(m[4])}", text)
    text = _DOOR.sub(_door, text)
    text = _VERSION.sub(lambda m: " point ".join(digits(p) for p in m.group(1).split(".")), text)
    text = _NUMBER_OF.sub("number ", text)
    text = _ZEROS.sub(lambda m: digits(m.group()), text)
    return _ENDLESS.sub(
        lambda m: m.group() if _ROUND.fullmatch(m.group()) else digits(m.group()), text
    )


def codes(text: str) -> str:
    """What mixes letters and digits, "B12", "COVID-19", "A1C", once units have been read."""
    return _MIXED.sub(_mixed, text)


def spell(code: str) -> str:
    """ "A12-34" -> "A one two, three four": each sign by itself, a pause at each break."""
    groups = [group for group in re.split(r"[-/ ]", code) if group]
    return ", ".join(" ".join(digits(c) if c.isdigit() else c for c in group) for group in groups)


def _record(match: re.Match[str]) -> str:
    """ "Case #20441" -> "Case number two zero four four one"."""
    label = re.sub(r"[ ]?#[ ]?", " number ", match.group(1))
    return label + spell(match.group(2))


def _door(match: re.Match[str]) -> str:
    label, wing, number, second, letter = match.groups()
    name, rest = label.split(" ", 1)
    word = _DOOR_NAMES.get(name.rstrip(".").lower(), name)
    if name[0].isupper():
        word = word[0].upper() + word[1:]
    said = " ".join(filter(None, (*wing, door(number), letter)))
    if second:
        said = " ".join(filter(None, (*wing, door(number), "dash", door(second), letter)))
    return f"{word} {rest}{said}"


def _mixed(match: re.Match[str]) -> str:
    token = match.group()
    if _KEEP.fullmatch(token) or not any(char.isalpha() for char in token):
        return token
    said = []
    for run in _RUN.findall(token):
        if run == ".":
            said.append("point")
        elif run in "-/":
            said.append("" if run == "-" else "slash")
        elif run.isdigit():
            long = len(run) > 3 or run.startswith("0")
            said.append(digits(run) if long else cardinal(int(run)))
        else:
            said.append(run)
    return " ".join(filter(None, said))

"""Titles before names, and the abbreviations of addresses.

    Dr. Kim             Doctor Kim            123 Main St.   one twenty-three Main Street
    Take Main St. home  a saint or a street: it is read as it stands

It does not know names; it goes by capitals and house numbers.
"""

import re

from voiced.tts.spoken.english.numbers import digits, door

_TITLES = {
    "Dr": "Doctor", "Drs": "Doctors", "Mr": "Mister", "Mrs": "Missus", "Ms": "Ms", "Mx": "Mx",
    "Prof": "Professor", "Capt": "Captain", "Sgt": "Sergeant", "Lt": "Lieutenant",
    "Rev": "Reverend", "Hon": "Honorable",
    "Gov": "Governor", "Sen": "Senator", "Rep": "Representative",
    "Gen": "General", "Col": "Colonel", "Maj": "Major", "Fr": "Father", "Mt": "Mount", "Ft": "Fort",
}  # fmt: skip
_TITLE = re.compile(
    rf"(?<!\d )\b({'|'.join(sorted(_TITLES, key=len, reverse=True))})\b\.?(?=[ ]\"?[A-Z])"
)
_LONE_DOCTOR = re.compile(r"(\b(?:the|a|your|my|his|her|their|our)[ ])[Dd]r\b\.?")
_SAINT = re.compile(r"(?<![A-Z][a-z][ ])(?<![\w.])St\.[ ](?=[A-Z])")
_SUFFIXES = {"Jr": "Junior", "Sr": "Senior"}
_SUFFIX = re.compile(r"(?<=[a-z],[ ])(Jr|Sr)\b\.?|(?<=[a-z][ ])(Jr|Sr)\b\.?")

_STREETS = {
    "St": "Street", "Ave": "Avenue", "Av": "Avenue", "Blvd": "Boulevard", "Rd": "Road",
    "Ln": "Lane", "Dr": "Drive", "Ct": "Court", "Pl": "Place", "Pkwy": "Parkway", "Sq": "Square",
    "Hwy": "Highway", "Ter": "Terrace", "Cir": "Circle",
    "Street": "Street", "Avenue": "Avenue", "Boulevard": "Boulevard", "Road": "Road",
    "Lane": "Lane", "Drive": "Drive", "Court": "Court", "Place": "Place", "Parkway": "Parkway",
    "Square": "Square", "Way": "Way", "Highway": "Highway", "Terrace": "Terrace",
}  # fmt: skip
_POINTS = {"N": "North", "S": "South", "E": "East", "W": "West"}
_ADDRESS = re.compile(
    r"(?<![\w.,/:-])(\d{1,5})[ ](?:([NSEW])\b\.?[ ])?"
    r"((?:(?:[A-Z][a-z]+|\d{1,3}(?:st|nd|rd|th))[ ]){1,3})"
    rf"({'|'.join(sorted(_STREETS, key=len, reverse=True))})\b\.?(?=,|$|[ ]|[?!;:.)])"
)
_SURE_STREETS = re.compile(r"(?<=[a-z][ ])(Ave|Blvd|Rd|Pkwy|Hwy)\b\.?")
_HIGHWAY = re.compile(r"\bHwy\b\.?(?=[ ]\d)")
_STATES = dict(
    pair.split("=")
    for pair in (
        "AL=Alabama AK=Alaska AZ=Arizona AR=Arkansas CA=California CO=Colorado CT=Connecticut"
        " DE=Delaware FL=Florida GA=Georgia HI=Hawaii ID=Idaho IL=Illinois IN=Indiana IA=Iowa"
        " KS=Kansas KY=Kentucky LA=Louisiana ME=Maine MD=Maryland MA=Massachusetts MI=Michigan"
        " MN=Minnesota MS=Mississippi MO=Missouri MT=Montana NE=Nebraska NV=Nevada"
        " NH=New_Hampshire NJ=New_Jersey NM=New_Mexico NY=New_York NC=North_Carolina"
        " ND=North_Dakota OH=Ohio OK=Oklahoma OR=Oregon PA=Pennsylvania RI=Rhode_Island"
        " SC=South_Carolina SD=South_Dakota TN=Tennessee TX=Texas UT=Utah VT=Vermont VA=Virginia"
        " WA=Washington WV=West_Virginia WI=Wisconsin WY=Wyoming"
    ).split()
)
_ZIP = re.compile(rf"\b({'|'.join(_STATES)})([ ,]{{1,2}})(\d{{5}})(?:-(\d{{4}}))?\b")


def read(text: str) -> str:
    """Titles and addresses in words."""
    text = _ZIP.sub(_zip, text)
    text = _ADDRESS.sub(_address, text)
    text = _HIGHWAY.sub("Highway", text)
    text = _SURE_STREETS.sub(lambda m: _STREETS[m.group(1)], text)
    text = _SAINT.sub("Saint ", text)
    text = re.sub(r"\bSt\.(?=[ ,]|$)", "St", text)
    text = _TITLE.sub(lambda m: _TITLES[m.group(1)], text)
    text = _LONE_DOCTOR.sub(lambda m: m.group(1) + "doctor", text)
    return _SUFFIX.sub(lambda m: _SUFFIXES[m.group(1) or m.group(2)], text)


def _address(match: re.Match[str]) -> str:
    house, point, name, street = match.groups()
    way = f"{_POINTS[point]} " if point else ""
    return f"{door(house)} {way}{name}{_STREETS[street]}"


def _zip(match: re.Match[str]) -> str:
    state, between, code, more = match.groups()
    said = digits(code) + (f" dash {digits(more)}" if more else "")
    return f"{_STATES[state].replace('_', ' ')}{between}{said}"

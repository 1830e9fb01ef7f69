"""Units of measure: how each is written, and its names for one and for many.

It does not know numbers.
"""

import re
from typing import NamedTuple


class Unit(NamedTuple):
    """The names of a unit."""

    one: str
    many: str


def _plain(name: str) -> Unit:
    return Unit(name, name + "s")


_MASS = {"kg": "kilogram", "g": "gram", "mg": "milligram", "ng": "nanogram", "pg": "picogram"}
_MICRO = {"mcg": "microgram", "µg": "microgram", "ug": "microgram", "µL": "microliter"}
_VOLUME = {"L": "liter", "dL": "deciliter", "cL": "centiliter", "mL": "milliliter"}
_AMOUNT = {
    "mol": "mole", "mmol": "millimole", "µmol": "micromole", "umol": "micromole",
    "nmol": "nanomole", "pmol": "picomole", "mEq": "milliequivalent", "mOsm": "milliosmole",
    "IU": "international unit", "mIU": "milli-international unit", "U": "unit", "mU": "milliunit",
}  # fmt: skip
_LENGTH = {
    "km": "kilometer",
    "m": "meter",
    "cm": "centimeter",
    "mm": "millimeter",
    "µm": "micrometer",
}
_TIME = {
    "h": "hour", "hr": "hour", "hrs": "hour", "min": "minute", "mins": "minute", "s": "second",
    "sec": "second", "secs": "second", "ms": "millisecond", "wk": "week", "wks": "week",
    "mo": "month", "mos": "month", "yr": "year", "yrs": "year",
}  # fmt: skip
_HOUSEHOLD = {
    "lb": "pound", "lbs": "pound", "oz": "ounce", "tsp": "teaspoon", "tbsp": "tablespoon",
    "tab": "tablet", "tabs": "tablet", "cap": "capsule", "caps": "capsule", "gtt": "drop",
    "gtts": "drop", "gal": "gallon", "qt": "quart", "cal": "calorie", "kcal": "kilocalorie",
}  # fmt: skip
_PHYSICS = {"kPa": "kilopascal", "kJ": "kilojoule", "Gy": "gray"}

UNITS: dict[str, Unit] = {
    sign: _plain(name)
    for table in (_MASS, _MICRO, _VOLUME, _AMOUNT, _LENGTH, _TIME, _HOUSEHOLD, _PHYSICS)
    for sign, name in table.items()
} | {
    "%": Unit("percent", "percent"),
    "ft": Unit("foot", "feet"),
    "fl oz": Unit("fluid ounce", "fluid ounces"),
    "cc": Unit("C C", "C C"),
    "mmHg": Unit("millimeter of mercury", "millimeters of mercury"),
    "mm Hg": Unit("millimeter of mercury", "millimeters of mercury"),
    "cmH2O": Unit("centimeter of water", "centimeters of water"),
    "cm H2O": Unit("centimeter of water", "centimeters of water"),
    "CFU": _plain("colony forming unit"),
    "bpm": Unit("beat per minute", "beats per minute"),
    "mph": Unit("mile per hour", "miles per hour"),
    "mSv": _plain("millisievert"),
    "Hz": Unit("hertz", "hertz"),
    "kHz": Unit("kilohertz", "kilohertz"),
    "°C": Unit("degree Celsius", "degrees Celsius"),
    "° C": Unit("degree Celsius", "degrees Celsius"),
    "°F": Unit("degree Fahrenheit", "degrees Fahrenheit"),
    "° F": Unit("degree Fahrenheit", "degrees Fahrenheit"),
    "°": _plain("degree"),
    "m^2": Unit("square meter", "square meters"),
    "cm^2": Unit("square centimeter", "square centimeters"),
    "cm^3": Unit("cubic centimeter", "cubic centimeters"),
    "mm^3": Unit("cubic millimeter", "cubic millimeters"),
    "m2": Unit("square meter", "square meters"),
    "cm2": Unit("square centimeter", "square centimeters"),
    "mm3": Unit("cubic millimeter", "cubic millimeters"),
    "ml": _plain("milliliter"),
    "ML": _plain("milliliter"),
    "Ml": _plain("milliliter"),
    "MG": _plain("milligram"),
    "Mg": _plain("milligram"),
    "MCG": _plain("microgram"),
    "KG": _plain("kilogram"),
    "Kg": _plain("kilogram"),
    "l": _plain("liter"),
    "dl": _plain("deciliter"),
    "meq": _plain("milliequivalent"),
    "iu": _plain("international unit"),
}

_PER = {
    "day": "day", "d": "day", "week": "week", "month": "month", "year": "year", "hour": "hour",
    "minute": "minute", "dose": "dose", "tablet": "tablet", "person": "person", "visit": "visit",
}  # fmt: skip

_SIGNS = "|".join(re.escape(sign) for sign in sorted(UNITS, key=len, reverse=True))
_DENOMINATORS = "|".join(re.escape(sign) for sign in sorted((*UNITS, *_PER), key=len, reverse=True))
UNIT = rf"(?:{_SIGNS})(?:/(?:{_DENOMINATORS})){{0,3}}(?![A-Za-z0-9^]|/[A-Za-z])"
"""A unit or a compound of them, "mg/kg/day", as a pattern without groups."""


def unit_name(sign: str, *, many: bool) -> str:
    """ "mg/kg/day" -> "milligrams per kilogram per day"."""
    first, *rest = sign.split("/")
    name = UNITS[first].many if many else UNITS[first].one
    return " per ".join([name, *(_PER.get(part) or UNITS[part].one for part in rest)])

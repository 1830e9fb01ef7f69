"""A claim: something that a reply may only say where it was told so.

It does not know how one is found in a text (`english`, `korean`).
"""

from dataclasses import dataclass
from enum import StrEnum, auto
from fractions import Fraction

_FACTORS = (1, 1_000, 1_000_000)
"""From a unit to that in which it is compared: see `dose`."""

NOON = 12
_SUFFIX = 7
"""Digits at the end of a telephone number that are one by themselves: it loses its area code."""


class Kind(StrEnum):
    """What is claimed."""

    DOSE = auto()
    """How much, how often or for how long."""
    TIME = auto()
    DATE = auto()
    PHONE = auto()
    NAME = auto()
    """Of a person."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Two texts that say the same have equal claims, whatever their words."""

    kind: Kind
    key: str


def dose(amount: Fraction, unit: str) -> Claim:
    """ "500 mg"; masses and volumes in one unit each, so that 0.5 g is the same."""
    return Claim(Kind.DOSE, f"{amount} {unit}")


def often(times: Fraction, period: str) -> Claim:
    """ "twice a day"."""
    return Claim(Kind.DOSE, f"{times} a {period}")


def every(amount: Fraction, minutes: int) -> Claim:
    """ "every six hours"."""
    return Claim(Kind.DOSE, f"every {amount * minutes}")


def lasting(amount: Fraction, minutes: int) -> Claim:
    """ "for seven days"."""
    return Claim(Kind.DOSE, f"for {amount * minutes}")


def bares(amount: Fraction) -> set[Claim]:
    """A number without a unit, as callers and tools give one: offered, never claimed."""
    return {Claim(Kind.DOSE, f"{amount * factor}") for factor in _FACTORS}


def clock(hour: int, minute: int, half: str = "") -> Claim:
    """A time of day; `half`: "am", "pm", or not known. From 13 on it is."""
    if hour > NOON:
        half = "am" if hour == 2 * NOON else "pm"
    elif not hour:
        half = "am"
    return Claim(Kind.TIME, f"{hour % NOON}:{minute:02}{half}")


def clocks(claim: Claim) -> set[Claim]:
    """What a time that was told allows to be said: its half of the day may be left out or added."""
    plain = claim.key.removesuffix("am").removesuffix("pm")
    if plain == claim.key:
        return {claim, Claim(Kind.TIME, f"{plain}am"), Claim(Kind.TIME, f"{plain}pm")}
    return {claim, Claim(Kind.TIME, plain)}


def day(month: int | None, number: int) -> Claim:
    """A date; without its month the day alone."""
    return Claim(Kind.DATE, f"{month or ''}-{number}")


def days(claim: Claim) -> set[Claim]:
    """A date that was told may be said without its month."""
    return {claim, day(None, int(claim.key.partition("-")[2]))}


def phone(digits: str) -> Claim:
    return Claim(Kind.PHONE, digits)


def phones(digits: str) -> set[Claim]:
    """A number that was told may be said without what stands in front of it."""
    shorter = {digits[cut:] for cut in range(len(digits) - _SUFFIX + 1)}
    return {phone(one) for one in {digits, *shorter}}


def name(word: str) -> Claim:
    return Claim(Kind.NAME, word.casefold())

"""Abbreviated days of the week. "Sat" and "Sun" are words too: they count beside another day only.

It does not know dates.
"""

import re

_DAYS = {
    "Mon": "Monday", "Tue": "Tuesday", "Tues": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday",
    "Thur": "Thursday", "Thurs": "Thursday", "Fri": "Friday", "Sat": "Saturday", "Sun": "Sunday",
}  # fmt: skip
_NAME = "|".join(sorted(_DAYS, key=len, reverse=True))
_FULL = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_LIST = re.compile(
    rf"\b(?:{_NAME})\b\.?(?:[ ]?(?:[-/]|,[ ]?|[ ](?:and|to|or|through)[ ])[ ]?(?:{_NAME})\b\.?)+"
)
_SPAN = re.compile(rf"\b({_FULL})s?[ ]?-[ ]?(?={_FULL})")
_EITHER = re.compile(rf"\b({_FULL})s?/(?={_FULL})")
_ALONE = re.compile(r"\b(Mon|Tues?|Wed|Thu(?:rs?)?|Fri)\b(?:\.(?=[ ,])|(?=[,;:/.]|[ ](?:at|\d)|$))")
_WORD = re.compile(rf"\b({_NAME})\b\.?")


def read(text: str) -> str:
    """Their names in full."""
    text = _LIST.sub(lambda m: _WORD.sub(lambda day: _DAYS[day.group(1)], m.group()), text)
    text = _ALONE.sub(lambda m: _DAYS[m.group(1)], text)
    return _EITHER.sub(r"\1, ", _SPAN.sub(r"\1 to ", text))

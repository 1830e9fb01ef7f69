"""Values that may be written where people other than the caller read: numbers and plain names.

What a caller said cannot get in: `Words` is refused, and so is a string that is not a plain name
(letters, digits and . _ : / - [ ] @ +). It does not know what the values are for.
"""

import math
import re

Value = bool | int | float | str | None

_LONGEST = 200
_NAME = re.compile(r"[A-Za-z0-9_.:/\-\[\]@+]*")
_NOT_NAME = re.compile(r"[^A-Za-z0-9_.:/\-\[\]@+]+")


def checked(name: str, value: Value) -> Value:
    """The value as it is written. Raises TypeError, without the value, where it does not belong."""
    if isinstance(value, float):
        return round(value, 3) if math.isfinite(value) else str(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        if len(value) <= _LONGEST and _NAME.fullmatch(value):
            return str(value)
        raise TypeError(f"field {name!r}: a string must be a plain name")
    raise TypeError(f"field {name!r}: {type(value).__name__} does not belong here")


def plain(text: str) -> str:
    """A name of the program's own (a class, a file, a thread) as it may be written."""
    return _NOT_NAME.sub("_", text)[:_LONGEST]

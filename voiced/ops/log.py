"""JSON lines for the journal: a static event name and typed values, never a sentence.

What a caller said cannot get in: `Words` is refused, and so is a string that is not a plain name
(letters, digits and . _ : / -). Of an exception only types and places are written, since messages
may quote what was being worked on. Of other libraries only who warned, and where.
"""

import json
import logging
import re
import sys
import traceback
from types import TracebackType
from typing import TextIO

from voiced import clock

Value = bool | int | float | str | None

_NAME = re.compile(r"[A-Za-z0-9_.:/\-\[\]@+]{0,200}")
_LOGGER = logging.getLogger("voiced")


def info(event: str, **values: Value) -> None:
    """Something happened that an operator may look for. `event` is `noun.past`."""
    _write(logging.INFO, event, values)


def warning(event: str, **values: Value) -> None:
    """Something that an operator may have to mend, though the daemon goes on."""
    _write(logging.WARNING, event, values)


def failure(event: str, error: BaseException, **values: Value) -> None:
    """An exception, by its types and places; its messages stay behind."""
    _write(logging.ERROR, event, {**values, "error": _kinds(error), "where": _places(error)})


def to(stream: TextIO, level: int = logging.INFO) -> None:
    """Sends the log to `stream`, other libraries' warnings included. Called once, at start."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(_JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    _LOGGER.setLevel(level)
    logging.raiseExceptions = False
    sys.excepthook = _uncaught


def _write(level: int, event: str, values: dict[str, Value]) -> None:
    if _LOGGER.isEnabledFor(level):
        checked = {name: _checked(name, value) for name, value in values.items()}
        _LOGGER.log(level, event, extra={"values": checked})


def _checked(name: str, value: Value) -> Value:
    if isinstance(value, float):
        return round(value, 3)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        if _NAME.fullmatch(value):
            return str(value)
        raise TypeError(f"log field {name!r}: a string in the log must be a plain name")
    raise TypeError(f"log field {name!r}: {type(value).__name__} does not belong in the log")


def _kinds(error: BaseException) -> str:
    kinds: list[str] = []
    seen: BaseException | None = error
    while seen is not None and len(kinds) < 5:
        kinds.append(type(seen).__name__)
        seen = seen.__cause__ or seen.__context__
    if isinstance(error, BaseExceptionGroup):
        kinds += [type(inner).__name__ for inner in error.exceptions[:5]]
    return "/".join(kinds)


def _places(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    places = [f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}" for frame in frames]
    return re.sub(r"[^A-Za-z0-9_.:/\-]", "_", "/".join(places))


def _uncaught(
    _kind: type[BaseException], error: BaseException, _trace: TracebackType | None
) -> None:
    failure("daemon.failed", error)


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Value] = {"at": clock.wall().isoformat(timespec="milliseconds")}
        line["level"] = record.levelname.lower()
        if record.name == _LOGGER.name:
            line["event"] = str(record.msg)
            line.update(getattr(record, "values", {}))
        else:
            line["event"] = "library.warned"
            line["library"] = record.name
            line["where"] = f"{record.filename}:{record.lineno}"
        return json.dumps(line)

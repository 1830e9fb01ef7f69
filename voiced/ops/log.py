"""JSON lines for the journal: a static event name and typed values, never a sentence.

What a caller said cannot get in (`values`). Of an exception only types and places are written,
since messages may quote what was being worked on. Of other libraries only who warned, and where;
the same holds for what Python itself would print: uncaught exceptions of any thread, and warnings.
"""

import json
import logging
import sys
import threading
import traceback
import warnings
from types import TracebackType
from typing import TextIO

from voiced import clock
from voiced.config.environment import in_journal
from voiced.ops.journal import JournalHandler
from voiced.ops.values import Value, checked, plain

_OWN = ("at", "level")
"""Fields that every line has; nobody else may set them."""

_LOGGER = logging.getLogger("voiced")


def info(event: str, **values: Value) -> None:
    """Something happened that an operator may look for. `event` is `noun.past`."""
    _write(logging.INFO, event, values)


def warning(event: str, **values: Value) -> None:
    """Something that an operator may have to mend, though the daemon goes on."""
    _write(logging.WARNING, event, values)


def failure(event: str, error: BaseException, **values: Value) -> None:
    """An exception, by its types and places; its messages stay behind."""
    _write(logging.ERROR, event, {**values, **_traits(error)})


def provoked(event: str, error: BaseException, **values: Value) -> None:
    """The same for one that somebody outside brought about: nothing here is to be mended."""
    _write(logging.WARNING, event, {**values, **_traits(error)})


def to(stream: TextIO, level: int = logging.INFO) -> None:
    """Sends the log to `stream`, and all that Python would print by itself. Called once, at start.

    Where the stream leads to the journal, the lines go there by its own way, with their fields.

    A call of `info`, `warning` or `failure` with a value that does not belong raises TypeError.
    """
    handler = JournalHandler() if _journal(stream) else logging.StreamHandler(stream)
    handler.setFormatter(_JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    _LOGGER.setLevel(level)
    logging.raiseExceptions = False
    sys.excepthook = _uncaught
    sys.unraisablehook = _unraisable
    threading.excepthook = _uncaught_in_thread
    warnings.showwarning = _warned


def _journal(stream: TextIO) -> bool:
    try:
        return in_journal(stream.fileno())
    except OSError:
        return False  # no file at all


def _write(level: int, event: str, values: dict[str, Value]) -> None:
    if _LOGGER.isEnabledFor(level):
        checked = {name: _checked(name, value) for name, value in values.items()}
        _LOGGER.log(level, _checked("event", event), extra={"values": checked})


def _checked(name: str, value: Value) -> Value:
    if name in _OWN:
        raise TypeError(f"log field {name!r} is the log's own")
    return checked(name, value)


def _traits(error: BaseException) -> dict[str, Value]:
    """What may be told of an exception."""
    return {"error": plain(_kinds(error)), "where": plain(_places(error))}


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
    """File and line of the innermost frames; of a group, those of its first exception."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    frames = list(traceback.walk_tb(error.__traceback__))[-4:]
    return "/".join(_place(frame.f_code.co_filename, line) for frame, line in frames)


def _place(filename: str, line: int) -> str:
    return f"{filename.rsplit('/', 1)[-1]}:{line}"


def _uncaught(
    _kind: type[BaseException], error: BaseException, _trace: TracebackType | None
) -> None:
    failure("daemon.failed", error)


def _uncaught_in_thread(ended: threading.ExceptHookArgs) -> None:
    if ended.exc_value is not None and not isinstance(ended.exc_value, SystemExit):
        name = ended.thread.name if ended.thread is not None else ""
        failure("thread.failed", ended.exc_value, thread=plain(name))


def _unraisable(met: "sys.UnraisableHookArgs") -> None:
    if met.exc_value is not None:
        failure("python.unraisable", met.exc_value)


def _warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    warning("python.warned", kind=plain(category.__name__), where=plain(_place(filename, lineno)))


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Value] = {"at": clock.wall().isoformat(timespec="milliseconds")}
        line["level"] = record.levelname.lower()
        values = getattr(record, "values", None)
        if record.name == _LOGGER.name and isinstance(values, dict):
            line["event"] = str(record.msg)
            line.update(values)
        else:
            line["event"] = "library.warned"
            line["library"] = plain(record.name)
            line["where"] = plain(f"{record.filename}:{record.lineno}")
            if record.exc_info and record.exc_info[1] is not None:
                line["error"] = plain(_kinds(record.exc_info[1]))
        return json.dumps(line)

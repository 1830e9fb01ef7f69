"""The log in the journal, with fields to search by: `journalctl EVENT=call.closed CALL_ID=...`.

systemd's own handler for Python is not used: it sends the arguments of every message, and what an
exception said, as fields of their own, and so what other libraries were working on. Here the line
is the whole message, and its fields are taken from it. It does not know what may be in a line.
"""

import json
import logging
from collections.abc import Callable, Iterator, Mapping

from systemd import journal

_PRIORITY = {"info": 6, "warning": 4, "error": 3}
"""As syslog has them."""

_FIELDS = {"event": "EVENT", "call": "CALL_ID", "turn": "TURN", "stage": "STAGE"}
"""Values of a line that become fields."""


def fields(line: str) -> Iterator[str]:
    """The fields of a JSON line, as the journal takes them."""
    values: Mapping[str, object] = json.loads(line)
    yield f"MESSAGE={line}"
    yield f"PRIORITY={_PRIORITY.get(str(values['level']), 3)}"
    yield "SYSLOG_IDENTIFIER=voiced"
    for value, field in _FIELDS.items():
        if values.get(value) is not None:
            yield f"{field}={values[value]}"


class JournalHandler(logging.Handler):
    """Sends each line to the journal. Any thread."""

    def __init__(self, send: Callable[..., object] = journal.sendv) -> None:
        super().__init__()
        self._send = send

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._send(*fields(self.format(record)))
        except OSError:
            self.handleError(record)  # the journal is away: nobody could be told

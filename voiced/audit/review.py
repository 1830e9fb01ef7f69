"""The monthly review: who called, what was changed, who saw or took what the vault keeps.

Korea asks for one each month, HIPAA for one at regular times. Pure: records in, findings out. It
does not know how they are shown.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from voiced.audit.chain import Record
from voiced.audit.entries import (
    AdminActed,
    AuditExported,
    CallEnded,
    CallOpened,
    FileInForce,
    HandedOff,
    HandOffTried,
    ModelInForce,
    PassIssued,
    ReloadRefused,
    VaultErased,
    VaultExported,
    VaultRead,
)

_SINGLE = (VaultExported, VaultErased, AdminActed, AuditExported, ReloadRefused)
"""Each of these is looked at by itself."""

_COUNTED = (CallOpened, CallEnded, HandedOff, HandOffTried, VaultRead, PassIssued)
_IN_FORCE = {FileInForce.EVENT: "file", ModelInForce.EVENT: "name"}
"""Facts that are told at each start, and what they are about: only a change is of interest."""

Finding = Mapping[str, Any]
"""A record, as it is looked at."""


@dataclass(slots=True)
class Review:
    """Of one month. Takes every record of the chain, in order."""

    month: str
    """YYYY-MM, in UTC."""
    records: int = 0
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    """By what is counted: how often, by name."""
    findings: list[Finding] = field(default_factory=list)
    _known: dict[tuple[str, str], str] = field(default_factory=dict)

    def take(self, record: Record) -> None:
        """The chain's next record; those before the month say what was in force when it began."""
        changed = self._changed(record)
        if record.at[:7] != self.month:
            return
        self.records += 1
        self._count(record)
        of_the_audit = record.event.startswith("audit.")
        if changed or of_the_audit or record.event in {one.EVENT for one in _SINGLE}:
            self.findings.append({"n": record.number, "at": record.at, "event": record.event}
                                 | dict(record.values))  # fmt: skip

    def _changed(self, record: Record) -> bool:
        """Something else is in force than before; the first time is no change."""
        about = _IN_FORCE.get(record.event)
        if about is None:
            return False
        key = (record.event, record.values[about])
        before, self._known[key] = self._known.get(key), record.values["sha256"]
        return before not in (None, record.values["sha256"])

    def _count(self, record: Record) -> None:
        values = record.values
        match record.event:
            case CallOpened.EVENT:
                self._add("calls by agent", values["agent"])
                self._add("calls by key", values["key"])
                self._add("calls by origin", values["origin"])
            case CallEnded.EVENT:
                self._add("calls by end", values["reason"])
            case HandedOff.EVENT:
                self._add("hand-offs by reason", values["reason"])
            case HandOffTried.EVENT:
                self._add("hand-offs by result", f"{values['kind']} {values['result']}")
            case VaultRead.EVENT:
                self._add("vault reads by actor", f"{values['actor']} {values['what']}")
            case PassIssued.EVENT:
                self._add("client tokens by key", values["actor"])
            case _:
                pass

    def _add(self, what: str, name: str) -> None:
        self.counts.setdefault(what, Counter())[name] += 1

"""What the audit records: a closed set of facts with typed values, none of them a caller's words.

It does not know where they are kept (`trail`) or how they are sealed (`chain`).

Who did something is an `actor`: `key:…` and `pass:…` name what was shown, `uid:…` an account of
this machine, `voiced` the daemon itself.
"""

from dataclasses import dataclass, fields
from typing import ClassVar

from voiced.ops.values import Value, checked

DAEMON = "voiced"
"""The actor of what the daemon does of its own accord."""


@dataclass(frozen=True, slots=True)
class DaemonStarted:
    EVENT: ClassVar[str] = "daemon.started"
    version: str
    profile: str


@dataclass(frozen=True, slots=True)
class DaemonStopped:
    EVENT: ClassVar[str] = "daemon.stopped"


@dataclass(frozen=True, slots=True)
class FileInForce:
    """A file of the configuration, as it holds from now on; its SHA-256 tells one from another."""

    EVENT: ClassVar[str] = "config.in_force"
    actor: str
    file: str
    sha256: str


@dataclass(frozen=True, slots=True)
class ReloadRefused:
    EVENT: ClassVar[str] = "config.refused"
    actor: str


@dataclass(frozen=True, slots=True)
class ModelInForce:
    """A model that answers calls from now on."""

    EVENT: ClassVar[str] = "model.in_force"
    name: str
    version: str
    sha256: str
    """Of its files' SHA-256s, in the catalogue's order."""


@dataclass(frozen=True, slots=True)
class PassIssued:
    """A client token was given out."""

    EVENT: ClassVar[str] = "pass.issued"
    actor: str
    origin: str
    issued: str
    agent: str | None
    seconds: int


@dataclass(frozen=True, slots=True)
class CallOpened:
    EVENT: ClassVar[str] = "call.opened"
    call: str
    agent: str
    origin: str
    """Address that the offer came from."""
    key: str
    """What the caller's program showed."""


@dataclass(frozen=True, slots=True)
class CallEnded:
    EVENT: ClassVar[str] = "call.ended"
    call: str
    reason: str
    seconds: float


@dataclass(frozen=True, slots=True)
class HandedOff:
    EVENT: ClassVar[str] = "handoff.begun"
    call: str
    agent: str
    reason: str


@dataclass(frozen=True, slots=True)
class HandOffTried:
    EVENT: ClassVar[str] = "handoff.tried"
    call: str
    kind: str
    result: str


@dataclass(frozen=True, slots=True)
class VaultRead:
    """Somebody saw what was kept of a call; `what` is `list`, `transcript`, `recording`, ..."""

    EVENT: ClassVar[str] = "vault.read"
    actor: str
    call: str | None
    what: str


@dataclass(frozen=True, slots=True)
class VaultExported:
    EVENT: ClassVar[str] = "vault.exported"
    actor: str
    call: str
    what: str
    reason: str = ""
    """A plain name, where the site asks for one: `treatment`, `complaint`, ..."""


@dataclass(frozen=True, slots=True)
class VaultErased:
    """What was kept of a call is gone; `why` is `asked`, `retention`, ..."""

    EVENT: ClassVar[str] = "vault.erased"
    actor: str
    call: str
    why: str


@dataclass(frozen=True, slots=True)
class AdminActed:
    """Whatever else somebody did to the daemon: drained it, rotated a key, made a backup."""

    EVENT: ClassVar[str] = "admin.acted"
    actor: str
    action: str
    target: str = ""
    result: str = "done"


@dataclass(frozen=True, slots=True)
class AuditExported:
    EVENT: ClassVar[str] = "audit.exported"
    actor: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class AuditGap:
    """So many records could not be written and are lost, the first and last of them then."""

    EVENT: ClassVar[str] = "audit.gap"
    lost: int
    first_at: str
    last_at: str


@dataclass(frozen=True, slots=True)
class AuditTorn:
    """An append was interrupted: the bytes before this record are the piece that it left."""

    EVENT: ClassVar[str] = "audit.torn"
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class AuditHeadLost:
    """When the audit was opened, its sealed head was not there: somebody took it away."""

    EVENT: ClassVar[str] = "audit.head_lost"


@dataclass(frozen=True, slots=True)
class AuditExpired:
    """Records up to and including this number were older than the retention, and were deleted."""

    EVENT: ClassVar[str] = "audit.expired"
    through: int


Entry = (
    DaemonStarted
    | DaemonStopped
    | FileInForce
    | ReloadRefused
    | ModelInForce
    | PassIssued
    | CallOpened
    | CallEnded
    | HandedOff
    | HandOffTried
    | VaultRead
    | VaultExported
    | VaultErased
    | AdminActed
    | AuditExported
    | AuditGap
    | AuditTorn
    | AuditHeadLost
    | AuditExpired
)


def values(entry: Entry) -> dict[str, Value]:
    """The entry's values, each checked. Raises TypeError for one that does not belong."""
    return {
        one.name: checked(one.name, getattr(entry, one.name))
        for one in fields(entry)
        if getattr(entry, one.name) is not None
    }

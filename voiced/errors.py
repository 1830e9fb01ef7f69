"""Exceptions, by who must act.

    VoicedError
    ├── ConfigError       the operator: what is written in a file is wrong (exit 78)
    ├── UnavailableError  the operator: something that must be there is not (exit 69)
    ├── Damaged           the operator: a file is not what the catalogue says (exit 1)
    └── CallError         nobody: one call or one turn ends, the daemon goes on
        ├── Refused       the offer cannot be answered: bad, unknown agent, or full
        ├── EngineFailed  a model failed or was late; the turn falls back
        └── Stale         nobody wants the result any more; not a failure

A message names the thing and the value, and says what to do. It never holds a caller's words.
"""


class VoicedError(Exception):
    """The root: everything that this program raises on purpose."""


class ConfigError(VoicedError):
    """A configuration, agent or catalogue file is wrong; names file, key and value."""


class UnavailableError(VoicedError):
    """A file, program, device or address that is needed is not there."""


class Damaged(VoicedError):
    """A file's SHA-256 is not the catalogue's; names the file. It is never opened."""


class CallError(VoicedError):
    """One call or one turn cannot go on; others are not touched."""


class Refused(CallError):
    """An offer that is not answered. `status` is the HTTP status that says why."""

    def __init__(
        self, status: int, kind: str, message: str, retry_after_s: int | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        """A short static name, the last part of the problem's `type`."""
        self.retry_after_s = retry_after_s


class EngineFailed(CallError):
    """A model raised, or missed its deadline. `stage` is `stt`, `llm` or `tts`."""

    def __init__(self, stage: str, reason: str) -> None:
        super().__init__(f"{stage}: {reason}")
        self.stage = stage
        self.reason = reason


class Stale(CallError):
    """The work's take is no longer live: nobody wants the result. Not a failure."""

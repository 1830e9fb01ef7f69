"""A wish of the caller's program that is not granted, as the protocol's `error` tells it.

It does not know which wishes there are.
"""

from voiced.errors import CallError


class WishRefused(CallError):
    """What a program asked for is not done; the call goes on. The message holds no words of it."""

    def __init__(self, code: str, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        """A short static name, the protocol's own where it has one."""
        self.param = param
        """Which part of the event was refused."""

    def json(self, event_id: str | None) -> dict[str, str | None]:
        """The protocol's error; `event_id` names the event that it answers."""
        return {
            "type": "invalid_request_error",
            "code": self.code,
            "message": str(self),
            "param": self.param,
            "event_id": event_id,
        }


def error(refused: WishRefused, event_id: str | None) -> dict[str, object]:
    """The event that tells it."""
    return {"type": "error", "error": refused.json(event_id)}

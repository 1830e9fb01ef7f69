"""What a caller's program is connected to: a call, and where sound goes that comes in events.

Protocols, so that the events can be tried without a call.
"""

from collections.abc import Sequence
from typing import Protocol

from voiced.audio.pcm import Pcm
from voiced.call.apart import Question
from voiced.call.parts import Casting
from voiced.call.transcript import Who
from voiced.config.settings import TurnPace
from voiced.llm.model import Message
from voiced.words import Words


class Program(Protocol):
    """What a caller's program may change in a call; see `call.program`."""

    def hush(self, silent: bool) -> None: ...

    def listen(self, pace: TurnPace | None) -> None: ...

    def forget(self, turn: int, who: Who) -> None: ...

    def clear(self) -> None: ...

    def commit(self) -> tuple[int, float] | None: ...

    def ask_apart(self, question: Question) -> int: ...

    def cancel_apart(self, number: int) -> None: ...


class Conversation(Protocol):
    """The call, as its caller's program may use it."""

    @property
    def name(self) -> str: ...

    @property
    def casting(self) -> Casting: ...

    @property
    def program(self) -> Program: ...

    def history(self) -> Sequence[Message]: ...

    def ask(self, text: Words, *, silent: bool = False) -> None: ...

    def stop(self) -> None: ...

    def returned(self, call_id: str, output: Words) -> bool: ...


class Sound(Protocol):
    """What the caller is heard saying, where it comes in events."""

    at_once: bool

    def append(self, pcm: Pcm) -> None: ...

    def flush(self) -> None: ...

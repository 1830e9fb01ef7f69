"""[llm.remote]: a language model on another machine of the site; off unless an address is written.

It does not know the protocol (`voiced.llm.chat`), nor what else the language model's table says.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

_Url = Annotated[str, Field(pattern=r"^(https?://[^/?#\s@]+(/[^?#\s@]*)?)?$")]
_Deadline = Annotated[int, Field(ge=1, le=60_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """An OpenAI-compatible server (vLLM, llama-server) in the place of the profile's model.

    Slots, length of a conversation and the first token's deadline are those of [llm].
    """

    url: _Url = ""
    """http://HOST:PORT, or with the path of an ingress, of what has `/v1/chat/completions`; empty:
    off."""
    model: str = ""
    """The server's name of the model; empty: the only one that it serves."""
    key_file: Path | None = None
    """File whose first line is the server's API key; none: it asks for none."""
    connect_deadline_ms: _Deadline = 1_000
    next_token_deadline_ms: _Deadline = 3_000
    """No further token by then: the reply has failed."""
    ready_deadline_ms: Annotated[int, Field(ge=0, le=600_000)] = 120_000
    """Not ready by then: the daemon does not start."""
    failures: Annotated[int, Field(ge=1)] = 3
    """So many in a row, and it is left alone for `pause_ms`: turns then fall back at once."""
    pause_ms: _Deadline = 5_000

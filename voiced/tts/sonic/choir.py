"""All of a site's Sonic voices and the one connection that they share, from open to close.

It does not know agents or local voices.
"""

import asyncio
from collections.abc import Collection, Coroutine, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from voiced.cartesia import api
from voiced.config.environment import credentials_dir
from voiced.config.secret import first_line
from voiced.config.sonic import Sonic
from voiced.errors import EngineFailed, UnavailableError
from voiced.tts.lexicon import NO_WORDS, Lexicon
from voiced.tts.sonic import sagemaker
from voiced.tts.sonic.link import Link, SocketLink
from voiced.tts.sonic.readiness import Presence, ready_in_time, watch, why_not
from voiced.tts.sonic.voice import SonicVoice

CREDENTIAL = "sonic-key"

_TRIES = 3
"""A worker's first clause after its start may be late."""


class Choir:
    """Main loop only. `open`, then `close` in the same task."""

    def __init__(
        self,
        sonic: Sonic,
        names: Collection[str],
        link: Link,
        lexicons: Mapping[str, Lexicon],
        *,
        ready: bool,
    ) -> None:
        self._link = link
        self.presence = Presence(ready=ready)
        self._tasks = asyncio.TaskGroup()
        self._keepers: list[asyncio.Task[None]] = []
        self.voices: Mapping[str, SonicVoice] = {
            written.name: SonicVoice(link, sonic, written, lexicons.get(written.language, NO_WORDS))
            for written in sonic.voices
            if written.name in names
        }
        """By the names that agents use."""

    @classmethod
    async def open(
        cls,
        sonic: Sonic,
        names: Collection[str],
        lexicons: Mapping[str, Lexicon] = MappingProxyType({}),
        *,
        needed: bool = True,
    ) -> "Choir":
        """The voices of these names, once Sonic is ready; `lexicons`: by language.

        Raises ConfigError, and UnavailableError when it is not ready in time; where it is not
        `needed`, since others step in, its voices fail until it is.
        """
        if sonic.sagemaker.endpoint:
            in_service = partial(sagemaker.why_not, sonic)
            ready = await ready_in_time(sonic, in_service, needed=needed)
            own = await asyncio.to_thread(sagemaker.SageMakerLink.open_for, sonic)
            choir = cls(sonic, names, own, lexicons, ready=ready)
            return await choir._kept(watch(in_service, choir.presence))
        headers = api.headers(read_key(sonic), sonic.version)
        serving = partial(why_not, sonic)
        ready = await ready_in_time(sonic, serving, needed=needed)
        link = SocketLink(sonic.url, headers, sonic.connect_deadline_ms / 1000)
        choir = cls(sonic, names, link, lexicons, ready=ready)
        return await choir._kept(link.keep(), watch(serving, choir.presence))

    async def _kept(self, *keepers: Coroutine[Any, Any, None]) -> "Choir":
        """With what runs beside it until `close`."""
        await self._tasks.__aenter__()
        self._keepers = [self._tasks.create_task(each, name="sonic") for each in keepers]
        return self

    @property
    def contexts(self) -> int:
        """Replies that are being spoken, or rest between two clauses."""
        return self._link.contexts

    async def warm(self) -> None:
        """Each voice speaks once, if Sonic was ready when it was opened.

        Raises UnavailableError for one that cannot.
        """
        for voice in self.voices.values() if self.presence.ready else ():
            await _warm(voice)

    async def close(self) -> None:
        """Hangs up; what was being said fails."""
        for voice in self.voices.values():
            voice.close()
        for keeper in self._keepers:
            keeper.cancel()
        if self._keepers:
            await self._tasks.__aexit__(None, None, None)
        if isinstance(self._link, sagemaker.SageMakerLink):
            await asyncio.to_thread(self._link.close)


async def _warm(voice: SonicVoice) -> None:
    reason = ""
    for _ in range(_TRIES):
        try:
            return await voice.warm()
        except EngineFailed as failure:
            reason = failure.reason
    raise UnavailableError(
        f"sonic: voice {voice.name!r} does not speak: {reason}: look at sonic.key_file, "
        "sonic.model, and the voice's id and language"
    )


def read_key(sonic: Sonic) -> str:
    """The API key; "" where a site needs none. Raises ConfigError."""
    if sonic.key_file is not None:
        return first_line(sonic.key_file, "sonic.key_file")
    directory = credentials_dir()
    if directory is not None and (directory / CREDENTIAL).is_file():
        return first_line(directory / CREDENTIAL, f"the credential {CREDENTIAL}")
    return ""

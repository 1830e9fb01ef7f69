"""Ink for all calls: a connection for each, from its first second to its last."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from voiced.audio.pcm import Pcm
from voiced.cartesia import api
from voiced.config.agent import Agent
from voiced.config.environment import credentials_dir
from voiced.config.ink import Ink as Settings
from voiced.config.secret import first_line
from voiced.flow.breaker import Breaker
from voiced.stt.ink import wire
from voiced.stt.ink.ears import InkEars, Local
from voiced.stt.ink.stream import Stream
from voiced.words import Words

CREDENTIAL = "ink-key"


class Ink:
    """Main loop only."""

    def __init__(self, settings: Settings, key: str, tasks: asyncio.TaskGroup) -> None:
        """The connections are tasks of `tasks`."""
        self._settings = settings
        self._headers = api.headers(key, settings.version)
        self._tasks = tasks
        self._keepers: set[asyncio.Task[None]] = set()
        self._breaker = Breaker(settings.failures, settings.pause_ms / 1000)

    def open(self, agent: Agent, local: Local) -> InkEars | None:
        """The recogniser of a call; None where Ink is not to read it: an agent of several languages
        needs one that can tell them apart."""
        language, *others = agent.languages
        if others or not self._settings.model(language):
            return None
        stream, keeper = self._connected(language, agent.hotwords)
        return InkEars(stream, local, self._breaker, keeper)

    async def tried(self, language: str, pcm: Pcm) -> Words:
        """What Ink itself reads of a sound, on a connection for it alone. Raises EngineFailed."""
        stream, keeper = self._connected(language, ())
        try:
            return await stream.read(pcm)
        finally:
            keeper.cancel()

    def close(self) -> None:
        """Ends what calls have left open."""
        for keeper in tuple(self._keepers):
            keeper.cancel()

    def _connected(
        self, language: str, hotwords: Sequence[str]
    ) -> tuple[Stream, asyncio.Task[None]]:
        stream = Stream(self._settings, wire.url(self._settings, language, hotwords), self._headers)
        keeper = self._tasks.create_task(stream.keep(), name="ink")
        self._keepers.add(keeper)
        keeper.add_done_callback(self._keepers.discard)
        return stream, keeper


@asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[Ink]:
    """Ink, until the daemon stops. Raises ConfigError.

    It is not asked whether it is there: where it is not, the local recogniser reads.
    """
    key = read_key(settings)
    async with asyncio.TaskGroup() as tasks:
        ink = Ink(settings, key, tasks)
        try:
            yield ink
        finally:
            ink.close()


def read_key(settings: Settings) -> str:
    """The API key; "" where a site needs none. Raises ConfigError."""
    if settings.key_file is not None:
        return first_line(settings.key_file, "ink.key_file")
    directory = credentials_dir()
    if directory is not None and (directory / CREDENTIAL).is_file():
        return first_line(directory / CREDENTIAL, f"the credential {CREDENTIAL}")
    return ""

"""The way to the server that has the model: connections, key, and whether it is ready.

It does not know conversations.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass

import aiohttp

from voiced.config.secret import first_line
from voiced.config.settings import Llm
from voiced.errors import ConfigError, UnavailableError
from voiced.flow.breaker import Breaker

_AGAIN_S = 0.5
_ONE_S = 2.0
_LINE_BYTES = 1 << 18
"""Of one line of a stream: far more than a token takes."""


@dataclass(frozen=True, slots=True)
class Server:
    """The way to it, shared by all slots."""

    http: aiohttp.ClientSession
    settings: Llm
    breaker: Breaker

    @property
    def url(self) -> str:
        return self.settings.remote.url.rstrip("/")


def connections(settings: Llm) -> aiohttp.ClientSession:
    """Makes the server's; the caller closes it. Raises ConfigError for a key that is none."""
    remote = settings.remote
    headers = {}
    if remote.key_file is not None:
        headers["Authorization"] = f"Bearer {first_line(remote.key_file, 'llm.remote.key_file')}"
    connect_s = remote.connect_deadline_ms / 1000
    return aiohttp.ClientSession(
        # A connection for each reply: servers close one behind a stream, and a request that was
        # sent into one that closes cannot be told from a request that was lost. Twice the slots,
        # since a reply that was cut off may still be closing while the next one begins.
        connector=aiohttp.TCPConnector(limit=2 * settings.slots, force_close=True),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=connect_s),
        trust_env=False,
        headers=headers,
        read_bufsize=_LINE_BYTES,
    )


async def until_ready(server: Server) -> None:
    """Returns when it is. Raises ConfigError for what waiting does not mend, UnavailableError."""
    loop = asyncio.get_running_loop()
    remote = server.settings.remote
    by = loop.time() + remote.ready_deadline_ms / 1000
    while (reason := await _why_not(server)) is not None:
        if loop.time() + _AGAIN_S > by:
            raise UnavailableError(f"llm.remote: {reason}: start it, or empty llm.remote.url")
        await asyncio.sleep(_AGAIN_S)


async def _why_not(server: Server) -> str | None:
    """Why it cannot answer; None when it can. Raises ConfigError for a wrong key or model."""
    url, wanted = f"{server.url}/v1/models", server.settings.remote.model
    names: set[str] = set()
    try:
        async with asyncio.timeout(_ONE_S), server.http.get(url, allow_redirects=False) as answer:
            if answer.status in (401, 403):
                raise ConfigError(f"llm.remote.key_file: {url} refuses the key: write another")
            if answer.status != 200:
                return f"{url} answers {answer.status}"
            with suppress(KeyError, TypeError):
                names = {str(one["id"]) for one in (await answer.json(content_type=None))["data"]}
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        return f"{url}: nobody answers there ({type(error).__name__})"
    if wanted and names and wanted not in names:
        known = ", ".join(sorted(names))
        raise ConfigError(f"llm.remote.model = {wanted!r}: the server has: {known}")
    return None

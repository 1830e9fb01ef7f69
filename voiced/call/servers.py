"""Asks a site's servers to run tools: JSON there, text back.

Each name is resolved once, when the agents are read, and what it meant then is what is reached. A
name of the world outside that later means an address within is not believed. No redirect is
followed, no proxy asked, and every certificate checked against the name. It does not know calls,
turns, or what a tool does.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from voiced.call.tools import LARGEST, ToolFailed
from voiced.config.agent import Agent, Tool
from voiced.ops import log
from voiced.words import Words

Addresses = Mapping[str, tuple[str, ...]]
"""By host."""


class Servers:
    """A `tools.Hand`. Main loop only."""

    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses

    @property
    def addresses(self) -> Addresses:
        """What each name means."""
        return self._addresses

    async def __call__(self, tool: Tool, arguments: Words, key: str, /) -> Words:
        headers = {"Content-Type": "application/json", "Idempotency-Key": key}
        connector = aiohttp.TCPConnector(resolver=_Pinned(self._addresses))
        try:
            async with (
                aiohttp.ClientSession(connector=connector, trust_env=False) as http,
                http.post(
                    tool.url,
                    data=arguments.reveal().encode(),
                    headers=headers,
                    allow_redirects=False,
                ) as answer,
            ):
                if not 200 <= answer.status < 300:
                    raise ToolFailed(f"the server refused it: status {answer.status}")
                return Words((await _body(answer)).decode("utf-8", "replace"))
        except (aiohttp.ClientError, OSError, ValueError):
            raise ToolFailed("the server cannot be reached") from None


async def found(agents: Iterable[Agent], before: Addresses | None = None) -> Servers:
    """The servers that the agents' tools name; `before`: what the names meant until now.

    One that is not known, or not believed, is told in the log.
    """
    tools = [tool for agent in agents for tool in agent.tools if tool.kind == "http"]
    hosts = {urlsplit(tool.url).hostname or "" for tool in tools}
    old = before or {}
    return Servers({host: _believed(host, await _resolved(host), old) for host in sorted(hosts)})


async def _resolved(host: str) -> tuple[str, ...]:
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(_RESOLVING_S):
            known = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, TimeoutError, UnicodeError):
        log.warning("tool.host_unknown", host=host)
        return ()
    addresses = dict.fromkeys(str(one[4][0]) for one in known)
    return tuple(one for one in addresses if _reachable(one))


_RESOLVING_S = 5.0


def _believed(host: str, addresses: tuple[str, ...], before: Addresses) -> tuple[str, ...]:
    """What a name means now, or meant before, where it has moved from outside to within."""
    known = before.get(host, ())
    if known and not any(map(_within, known)) and any(map(_within, addresses)):
        log.warning("tool.host_moved_within", host=host)
        return known
    return addresses


def _within(address: str) -> bool:
    return not ipaddress.ip_address(address.partition("%")[0]).is_global


def _reachable(address: str) -> bool:
    """A name that means the link's own services, or everybody, is a mistake or an attack."""
    one = ipaddress.ip_address(address.partition("%")[0])
    return not (one.is_link_local or one.is_multicast or one.is_unspecified)


async def _body(answer: aiohttp.ClientResponse) -> bytes:
    """At most one byte more than may be."""
    body = bytearray()
    async for chunk in answer.content.iter_chunked(LARGEST):
        body += chunk
        if len(body) > LARGEST:
            break
    return bytes(body[: LARGEST + 1])


class _Pinned(AbstractResolver):
    """Names as they were resolved at the start."""

    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        if not self._addresses.get(host):
            raise OSError("not known when the agents were read")
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in self._addresses[host]
        ]

    async def close(self) -> None:
        """Nothing to close."""

"""How a caller's program reaches the daemon: one POST with an offer, one request to hang up.

WHIP's shape and OpenAI Realtime's differ only in how a call is ended. It does not know media.
"""

import ssl
from typing import Protocol
from urllib.parse import urljoin, urlsplit

import aiohttp

from voiced.errors import UnavailableError
from voiced.rtc.edge import Edge, Line, Peer
from voiced.web.offers import SESSION

DEFAULT_PATH = "/v1/realtime/calls"
_TIMEOUT = aiohttp.ClientTimeout(total=20)


class Exchange(Protocol):
    """Offer in, answer out."""

    @property
    def host(self) -> str: ...

    async def offer(self, sdp: str) -> str: ...

    async def hang_up(self) -> None: ...


class DirectExchange:
    """To an edge in the same process, without HTTP: for tests and measurements of the edge alone.

    `peer` is the daemon's end once the offer was answered.
    """

    host = "127.0.0.1"

    def __init__(self, edge: Edge, line: Line) -> None:
        self._edge = edge
        self._line = line
        self.peer: Peer | None = None

    async def offer(self, sdp: str) -> str:
        answer, self.peer = await self._edge.answer(sdp, self._line)
        return answer

    async def hang_up(self) -> None:
        """The connection's own end is enough."""


class HttpExchange:
    """POSTs raw SDP to a URL; a URL without a path means DEFAULT_PATH."""

    def __init__(
        self, url: str, token: str | None = None, tls: ssl.SSLContext | None = None
    ) -> None:
        """`tls`: whom to believe that he is the host; none: whom this machine believes."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UnavailableError(f"{url}: write http://HOST:PORT or https://HOST:PORT")
        self._url = urljoin(url, DEFAULT_PATH) if parts.path in ("", "/") else url
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._tls: ssl.SSLContext | bool = tls or True
        self._location: str | None = None
        self.session: str | None = None
        """The token for a return to the call, once the offer was answered."""
        self.host = parts.hostname

    async def offer(self, sdp: str) -> str:
        """The answer. Raises UnavailableError with the daemon's own reason."""
        headers = {**self._headers, "Content-Type": "application/sdp"}
        try:
            async with (
                aiohttp.ClientSession(timeout=_TIMEOUT) as http,
                http.post(self._url, data=sdp.encode(), headers=headers, ssl=self._tls) as reply,
            ):
                body = await reply.text()
                if reply.status >= 300:
                    raise UnavailableError(f"{self._url}: {reply.status}: {body[:300]}")
                self.session = reply.headers.get(SESSION)
                if "Location" in reply.headers:
                    self._location = urljoin(self._url, reply.headers["Location"])
                return body
        except (aiohttp.ClientError, TimeoutError) as error:
            kind = type(error).__name__
            raise UnavailableError(f"{self._url}: nobody answers there ({kind})") from None

    async def hang_up(self) -> None:
        """Ends the call, where the answer said how; that it is gone already is no failure."""
        if self._location is None:
            return
        location, self._location = self._location, None
        openai = urlsplit(location).path.startswith(DEFAULT_PATH)
        method, url = ("POST", location + "/hangup") if openai else ("DELETE", location)
        try:
            async with (
                aiohttp.ClientSession(timeout=_TIMEOUT) as http,
                http.request(method, url, headers=self._headers, ssl=self._tls),
            ):
                pass
        except (aiohttp.ClientError, TimeoutError):
            return

"""How a caller's program reaches the daemon: one POST with an offer, one request to hang up.

WHIP's shape and OpenAI Realtime's differ only in how a call is ended. It does not know media.
"""

import ssl
from collections.abc import Mapping
from typing import Protocol
from urllib.parse import urljoin, urlsplit

import aiohttp

from voiced.errors import UnavailableError
from voiced.rtc.edge import Edge, Line, Peer
from voiced.web.offers import SESSION

DEFAULT_PATH = "/v1/realtime/calls"
_TIMEOUT = aiohttp.ClientTimeout(total=20)


class CallOver(UnavailableError):
    """Nobody waits for a caller who comes back: the call is over."""


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
        self._answer = ""
        self._answered = ""  # the place that took the offer
        self.session: str | None = None
        """The token for a return to the call, once the offer was answered."""
        self.host = parts.hostname

    async def offer(self, sdp: str) -> str:
        """The answer; a redirect to another node is followed, once and with the token.

        Raises UnavailableError with the daemon's own reason.
        """
        elsewhere = await self._post(self._url, sdp)
        if elsewhere is not None and await self._post(elsewhere, sdp) is not None:
            raise UnavailableError(f"{self._url}: sent from node to node")
        return self._answer

    async def resume(self, sdp: str) -> str:
        """The answer to another connection's offer: it goes on with the call that was answered.

        Raises UnavailableError, and CallOver where nobody waits for that any more.
        """
        await self._post(self._answered, sdp, self.session or "")
        return self._answer

    async def _post(self, url: str, sdp: str, session: str | None = None) -> str | None:
        """None when the offer was answered; else where to post it."""
        try:
            async with (
                aiohttp.ClientSession(timeout=_TIMEOUT) as http,
                http.post(
                    url,
                    data=sdp.encode(),
                    params=None if session is None else {"resume": session},
                    headers={**self._headers, "Content-Type": "application/sdp"},
                    ssl=self._tls,
                    allow_redirects=False,
                ) as reply,
            ):
                if reply.status == 307:
                    return urljoin(url, reply.headers["Location"])
                body = await reply.text()
                if session is not None and reply.status in (401, 404):
                    raise CallOver(f"{url}: nobody waits for this caller")
                if reply.status >= 300:
                    raise UnavailableError(f"{url}: {reply.status}: {body[:300]}")
                self._note(url, reply.headers)
                self._answer = body
                return None
        except (aiohttp.ClientError, TimeoutError) as error:
            kind = type(error).__name__
            raise UnavailableError(f"{url}: nobody answers there ({kind})") from None

    def _note(self, url: str, headers: Mapping[str, str]) -> None:
        self.session = headers.get(SESSION)
        self._answered = urlsplit(url)._replace(query="").geturl()
        if "Location" in headers:
            self._location = urljoin(url, headers["Location"])

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


class Return:
    """An exchange that goes on with another one's call, and leaves it to that one to end it."""

    def __init__(self, first: HttpExchange) -> None:
        self.host = first.host
        self._first = first

    async def offer(self, sdp: str) -> str:
        return await self._first.resume(sdp)

    async def hang_up(self) -> None:
        """An attempt that came to nothing ends no call."""

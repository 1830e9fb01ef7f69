"""Whether Sonic can speak: its API server answers, and a worker has its model loaded.

An open port says neither. It does not know what is done about it.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable

import aiohttp

from voiced.config.sonic import Sonic
from voiced.errors import UnavailableError
from voiced.ops import log, metrics

_CAPACITY = re.compile(r"^inferno_worker_capacity(?:\{[^}]*\})?\s+([0-9.eE+]+)", re.MULTILINE)
_ONE_S = aiohttp.ClientTimeout(total=2.0)
_AGAIN_S = 0.5
_WATCH_S = 15.0
_PAGE_BYTES = 1 << 20


async def why_not(sonic: Sonic) -> str | None:
    """Why it is not ready; None when it is. Takes some seconds at most."""
    async with aiohttp.ClientSession(timeout=_ONE_S, trust_env=False) as http:
        try:
            status = await _status(http, f"{sonic.url.rstrip('/')}/status")
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            return f"{sonic.url}: nobody answers there ({type(error).__name__})"
        if status != 200:
            return f"{sonic.url}/status: answers {status}"
        if sonic.worker_metrics and not await _capacity(http, sonic.worker_metrics):
            return "no worker has its model loaded: inferno_worker_capacity is 0"
    return None


async def ready_in_time(
    sonic: Sonic, ask: Callable[[], Awaitable[str | None]], *, needed: bool
) -> bool:
    """Waits until it is ready; False at the deadline.

    Raises UnavailableError there where it is `needed`.
    """
    try:
        await until_ready(sonic, ask)
    except UnavailableError:
        if needed:
            raise
        log.warning("sonic.unready")
        return False
    return True


async def until_ready(sonic: Sonic, ask: Callable[[], Awaitable[str | None]]) -> None:
    """Returns when `ask` says so. Raises UnavailableError at the deadline, with why not."""
    loop = asyncio.get_running_loop()
    by = loop.time() + sonic.ready_deadline_ms / 1000
    while (reason := await ask()) is not None:
        if loop.time() + _AGAIN_S > by:
            raise UnavailableError(f"sonic: {reason}: start it, or take its voices out of use")
        await asyncio.sleep(_AGAIN_S)


class Presence:
    """Whether Sonic can speak, as it said when it was last asked. Main loop only."""

    def __init__(self, *, ready: bool = True) -> None:
        self.ready = ready
        self.told: Callable[[bool], None] = lambda _ready: None
        """Of every change."""

    def found(self, ready: bool) -> None:
        """It was asked again."""
        if ready == self.ready:
            return
        self.ready = ready
        if ready:
            log.info("sonic.ready")
        else:
            log.warning("sonic.unready")
        self.told(ready)


async def watch(ask: Callable[[], Awaitable[str | None]], presence: Presence) -> None:
    """Asks again and again, until cancelled: metric, log and health say who serves."""
    while True:
        metrics.SONIC_READY.set(presence.ready)
        await asyncio.sleep(_WATCH_S)
        presence.found(await ask() is None)


def capacity(page: str) -> float:
    """Of a metrics page, the clauses that its worker can speak at once; 0: none, or not said."""
    return sum(_number(found) for found in _CAPACITY.findall(page))


async def _status(http: aiohttp.ClientSession, url: str) -> int:
    async with http.get(url, allow_redirects=False) as answer:
        return answer.status


async def _capacity(http: aiohttp.ClientSession, pages: tuple[str, ...]) -> float:
    """Over all workers; one that does not answer has none."""
    total = 0.0
    for page in pages:
        try:
            async with http.get(page, allow_redirects=False) as answer:
                text = await answer.content.read(_PAGE_BYTES)
                total += capacity(text.decode("utf-8", "replace"))
        except (aiohttp.ClientError, TimeoutError, OSError):
            continue
    return total


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0

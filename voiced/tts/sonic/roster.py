"""Which voices a Sonic server offers, and asking the vendor's cloud to make one of a recording.

For people at a command line, not for calls. It does not know what may leave the site: whoever calls
`clone` has looked at the settings.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp

from voiced.errors import UnavailableError

_TIMEOUT = aiohttp.ClientTimeout(total=60.0)
_PAGES = 100
_PAGE = 100
"""Voices in one answer; with `_PAGES` a bound, should a server never come to an end."""


@dataclass(frozen=True, slots=True)
class Offered:
    """A voice of the server's."""

    id: str
    name: str
    language: str


async def offered(url: str, headers: Mapping[str, str]) -> list[Offered]:
    """All voices of a server. Raises UnavailableError."""
    found: list[Offered] = []
    async with aiohttp.ClientSession(timeout=_TIMEOUT, headers=headers, trust_env=False) as http:
        for _ in range(_PAGES):
            after = {"starting_after": found[-1].id} if found else {}
            query = {"limit": str(_PAGE), **after}
            page = await _asked(http, "GET", f"{url.rstrip('/')}/voices", params=query)
            rows = page if isinstance(page, list) else page.get("data", [])
            new = [voice for voice in map(_voice, rows) if voice not in found]
            found += new
            if not new or isinstance(page, list) or not page.get("has_more"):
                break
    return found


async def clone(
    url: str, headers: Mapping[str, str], sample: bytes, name: str, language: str
) -> str:
    """Makes a voice of a WAV; returns its identifier. Raises UnavailableError."""
    form = aiohttp.FormData()
    form.add_field("clip", sample, filename="sample.wav", content_type="audio/wav")
    form.add_field("name", name)
    form.add_field("language", language)
    async with aiohttp.ClientSession(timeout=_TIMEOUT, headers=headers, trust_env=False) as http:
        made = await _asked(http, "POST", f"{url.rstrip('/')}/voices/clone", data=form)
    if not isinstance(made, dict) or not isinstance(made.get("id"), str):
        raise UnavailableError(f"{url}: the answer has no id of a voice")
    return str(made["id"])


async def _asked(http: aiohttp.ClientSession, method: str, url: str, **more: Any) -> Any:
    try:
        async with http.request(method, url, allow_redirects=False, **more) as answer:
            if answer.status >= 300:
                raise UnavailableError(f"{url}: answers {answer.status}")
            return await answer.json(content_type=None)
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        raise UnavailableError(f"{url}: nobody answers ({type(error).__name__})") from None


def _voice(row: Any) -> Offered:
    if not isinstance(row, dict):
        raise UnavailableError("a server's list of voices makes no sense")
    return Offered(*(str(row.get(key) or "") for key in ("id", "name", "language")))

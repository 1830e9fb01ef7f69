"""A file from an https server, begun again where it broke off.

    FILE.partial         what has come so far
    FILE.partial.etag    which edition of the file that was, as its server named it

What came is only gone on with when the server says that it is still the same edition; else it
begins anew. Certificates are checked, the site's proxy is used, and no redirect leads away from
https. It does not know whether the bytes are right: `pull` hashes them.
"""

import http.client
import shutil
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from voiced.catalog.npm import Advance
from voiced.errors import UnavailableError

_PIECE_BYTES = 1 << 20
_SILENT_S = 60.0
"""A server that says nothing for so long is given up; what came is kept."""

_SPARE_BYTES = 50_000_000
_OK, _PART, _NO_SUCH_PART = 200, 206, 416

Open = Callable[[urllib.request.Request], Any]


class _Stays(urllib.request.HTTPRedirectHandler):
    """Follows to https alone."""

    def redirect_request(self, *args: Any) -> urllib.request.Request | None:
        target: str = args[-1]
        if urllib.parse.urlsplit(target).scheme != "https":
            raise urllib.error.URLError("it leads away from https")
        return super().redirect_request(*args)


def opened(request: urllib.request.Request) -> Any:
    """The server's answer. Raises OSError as urllib does."""
    return urllib.request.build_opener(_Stays()).open(request, timeout=_SILENT_S)


def fetch(url: str, partial: Path, advance: Advance, ask: Open = opened) -> None:
    """Brings the whole file to `partial`. Raises UnavailableError; what came is then kept."""
    try:
        if not _go_on(url, partial, advance, ask):
            forget(partial)
            _go_on(url, partial, advance, ask)
    except (OSError, http.client.HTTPException) as error:
        raise UnavailableError(
            f"{url}: {_why(error)}: what came is kept; is this machine on the network? Try again"
        ) from None


def forget(partial: Path) -> None:
    """Begins anew next time."""
    partial.unlink(missing_ok=True)
    _edition(partial).unlink(missing_ok=True)


def _go_on(url: str, partial: Path, advance: Advance, ask: Open) -> bool:
    """False when what came so far is of no use, and nothing was fetched. Raises OSError."""
    have, etag = _begun(partial)
    request = urllib.request.Request(url, headers={"Accept-Encoding": "identity"})
    if have:
        request.add_header("Range", f"bytes={have}-")
        request.add_header("If-Range", etag)
    try:
        answer = ask(request)
    except urllib.error.HTTPError as refused:
        with refused:
            if have and refused.code == _NO_SUCH_PART:
                return False
            raise
    with answer:
        whole = _whole(answer, have)
        if whole is None:
            return False
        start = have if answer.status == _PART else 0
        _room(partial, whole - start, url)
        _edition(partial).write_text(_etag(answer), encoding="utf-8")
        with partial.open("r+b" if start else "wb") as output:
            output.seek(start)
            done = start
            while piece := answer.read(_PIECE_BYTES):
                output.write(piece)
                done += len(piece)
                advance(min(done / whole, 1.0))
    if done != whole:
        raise OSError(f"{done} of {whole} bytes came")
    return True


def _begun(partial: Path) -> tuple[int, str]:
    """Bytes that can be gone on with, and their edition; 0 where nobody can know that."""
    try:
        etag = _edition(partial).read_text(encoding="utf-8")
        return (partial.stat().st_size if etag else 0), etag
    except OSError:
        return 0, ""


def _whole(answer: Any, have: int) -> int | None:
    """Bytes of the whole file; None where the part is not the one that was asked for."""
    if answer.status == _PART:
        unit, _, rest = str(answer.headers.get("Content-Range", "")).partition(" ")
        place, _, whole = rest.partition("/")
        if unit != "bytes" or place.partition("-")[0] != str(have) or not whole.isdigit():
            return None
        return int(whole)
    length = str(answer.headers.get("Content-Length", ""))
    if answer.status != _OK or not length.isdigit():
        raise OSError("the server does not say how long the file is")
    return int(length)


def _etag(answer: Any) -> str:
    """Empty where the server names no edition, or only a weak one."""
    etag = str(answer.headers.get("ETag", ""))
    return etag if etag.startswith('"') else ""


def _room(partial: Path, bytes_left: int, url: str) -> None:
    free = shutil.disk_usage(partial.parent).free
    if free < bytes_left + _SPARE_BYTES:
        raise UnavailableError(
            f"{partial.parent}: {url} needs {bytes_left // 1_000_000} MB more there, and "
            f"{free // 1_000_000} MB are free"
        )


def _why(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"the server says {error.code}"
    reason = getattr(error, "reason", None) or getattr(error, "strerror", None)
    return str(reason or error) or type(error).__name__


def _edition(partial: Path) -> Path:
    return partial.with_name(partial.name + ".etag")

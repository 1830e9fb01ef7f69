"""Serves the console page: one document, its styles and scripts, all from here.

The policy lets the page load nothing from, and talk to nothing but, this server. It does not know
what the page does.
"""

import hashlib
from pathlib import Path

from aiohttp import web

from voiced.errors import Refused

PAGE = Path(__file__).parent / "page"
BELOW = "/console/"

WORKER = "offline.js"
"""Keeps the pages in the browser, for when this machine cannot be reached."""

_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Permissions-Policy": "microphone=(self), camera=(), geolocation=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
}


def routes(phone: str = "") -> list[web.RouteDef]:
    """GET /, /operator and /console/{file}, which are read once, here; and GET /console/site.

    `phone`: whom callers reach when this machine cannot be.
    """
    files = {path.name: path.read_bytes() for path in PAGE.iterdir() if path.suffix in _TYPES}

    async def page(request: web.Request) -> web.Response:
        return _file("index.html", files["index.html"], request)

    async def operator(request: web.Request) -> web.Response:
        return _file("operator.html", files["operator.html"], request)

    async def site(_request: web.Request) -> web.Response:
        return web.json_response({"phone": phone}, headers=HEADERS)

    async def part(request: web.Request) -> web.Response:
        name = request.match_info["name"]
        if name not in files:
            raise Refused(404, "unknown-route", "there is nothing at this path")
        return _file(name, files[name], request)

    return [
        web.get("/", page),
        web.get("/operator", operator),
        web.get(BELOW + "site", site),
        web.get(BELOW + "{name}", part),
    ]


def _file(name: str, body: bytes, request: web.Request) -> web.Response:
    etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    headers = {**HEADERS, "ETag": etag}
    if name == WORKER:
        headers["Service-Worker-Allowed"] = "/"
    if request.headers.get("If-None-Match") == etag:
        return web.Response(status=304, headers=headers)
    kind = _TYPES[Path(name).suffix]
    return web.Response(body=body, content_type=kind, charset="utf-8", headers=headers)

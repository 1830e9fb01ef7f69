"""A file from a server: gone on with where it broke off, and never mixed of two editions."""

import io
import urllib.error
import urllib.request
from collections.abc import Callable
from email.message import Message
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from voiced.catalog import https
from voiced.errors import UnavailableError

pytestmark = pytest.mark.unit

URL = "https://models.example.org/model.bin"
CONTENT = bytes(range(256)) * 40


class Answer(io.BytesIO):
    """What urllib hands out."""

    def __init__(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        super().__init__(body)
        self.status = status
        self.headers = Message()
        for name, value in headers.items():
            self.headers[name] = value


class Server:
    """Serves one file, and breaks off as servers do."""

    def __init__(self, content: bytes = CONTENT, etag: str = '"one"') -> None:
        self.content = content
        self.etag = etag
        self.breaks_after: int | None = None
        self.ranges = True
        self.says_length = True
        self.wrong_part = False
        self.asked: list[str] = []

    def __call__(self, request: urllib.request.Request) -> Any:
        wanted = request.get_header("Range")
        self.asked.append(wanted or "whole")
        start = 0
        if wanted and self.ranges and request.get_header("If-range") == self.etag:
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
            if start >= len(self.content):
                raise urllib.error.HTTPError(URL, 416, "no such part", Message(), io.BytesIO())
        body = self.content[start:]
        sent = body if self.breaks_after is None else body[: self.breaks_after]
        headers = {"ETag": self.etag}
        if self.says_length:
            headers["Content-Length"] = str(len(body))
        if not start:
            return Answer(200, sent, headers)
        told = 0 if self.wrong_part else start
        headers["Content-Range"] = f"bytes {told}-{len(self.content) - 1}/{len(self.content)}"
        return Answer(206, sent, headers)


@pytest.fixture
def partial(tmp_path: Path) -> Path:
    return tmp_path / "model.bin.partial"


def broken_off(server: Server, partial: Path, after: int) -> None:
    server.breaks_after = after
    with pytest.raises(UnavailableError, match="what came is kept"):
        https.fetch(URL, partial, lambda _: None, server)
    server.breaks_after = None
    server.asked.clear()


def test_a_download_that_broke_off_goes_on_where_it_was(partial: Path) -> None:
    server = Server()
    broken_off(server, partial, 1000)
    https.fetch(URL, partial, lambda _: None, server)

    assert ["bytes=1000-"] == server.asked
    assert partial.read_bytes() == CONTENT


def test_another_edition_is_fetched_whole(partial: Path) -> None:
    server = Server()
    broken_off(server, partial, 1000)
    server.content, server.etag = CONTENT[::-1], '"two"'
    https.fetch(URL, partial, lambda _: None, server)

    assert partial.read_bytes() == CONTENT[::-1]


@pytest.mark.parametrize("etag", ['W/"weak"', ""])
def test_where_the_edition_is_not_sure_all_is_fetched_again(partial: Path, etag: str) -> None:
    server = Server(etag=etag)
    broken_off(server, partial, 1000)
    https.fetch(URL, partial, lambda _: None, server)

    assert ["whole"] == server.asked
    assert partial.read_bytes() == CONTENT


def test_a_server_that_knows_no_parts_sends_all_of_it_once(partial: Path) -> None:
    server = Server()
    broken_off(server, partial, 1000)
    server.ranges = False
    https.fetch(URL, partial, lambda _: None, server)

    assert partial.read_bytes() == CONTENT


def test_a_part_that_was_not_asked_for_is_not_believed(partial: Path) -> None:
    server = Server()
    broken_off(server, partial, 1000)
    server.wrong_part = True
    https.fetch(URL, partial, lambda _: None, server)

    assert ["bytes=1000-", "whole"] == server.asked
    assert partial.read_bytes() == CONTENT


def test_more_than_the_whole_file_is_begun_anew(partial: Path) -> None:
    server = Server()
    broken_off(server, partial, 1000)
    partial.write_bytes(CONTENT + b"more")
    https.fetch(URL, partial, lambda _: None, server)

    assert partial.read_bytes() == CONTENT


def test_a_file_of_no_known_length_is_refused(partial: Path) -> None:
    server = Server()
    server.says_length = False

    with pytest.raises(UnavailableError, match="does not say how long"):
        https.fetch(URL, partial, lambda _: None, server)


def test_what_a_server_refuses_is_told_by_its_number(partial: Path) -> None:
    def refuses(_: urllib.request.Request) -> Any:
        raise urllib.error.HTTPError(URL, 403, "quoted words", Message(), io.BytesIO())

    with pytest.raises(UnavailableError, match=r"model\.bin: the server says 403"):
        https.fetch(URL, partial, lambda _: None, refuses)


def test_a_disk_that_is_too_small_is_known_before_a_byte_comes(
    partial: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1))

    with pytest.raises(UnavailableError, match="MB are free"):
        https.fetch(URL, partial, lambda _: None, Server())

    assert not partial.exists()


def test_how_far_it_is_is_told_from_where_it_goes_on(partial: Path) -> None:
    server, shares = Server(), list[float]()
    broken_off(server, partial, 10_000)
    hears: Callable[[float], None] = shares.append
    https.fetch(URL, partial, hears, server)

    assert [1.0] == shares


def test_no_redirect_leads_away_from_https() -> None:
    handler = https._Stays()
    request = urllib.request.Request(URL)

    with pytest.raises(urllib.error.URLError, match="away from https"):
        handler.redirect_request(request, None, 302, "", Message(), "http://elsewhere.example/")
    assert handler.redirect_request(request, None, 302, "", Message(), URL + "2") is not None

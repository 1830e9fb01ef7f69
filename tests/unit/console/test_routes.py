"""The page's files: all here, named by each other, and nothing from anywhere else."""

import asyncio
import re

import pytest
from aiohttp.test_utils import TestClient, TestServer
from multidict import CIMultiDictProxy

from voiced.console.routes import PAGE, routes
from voiced.ops.health import Health
from voiced.web.app import application
from voiced.web.door import Door
from voiced.web.keys import Keys, plain
from voiced.web.passes import Passes

pytestmark = pytest.mark.unit

INDEX = (PAGE / "index.html").read_text()
FILES = sorted(path for path in PAGE.iterdir() if path.is_file())


def get(path: str, **headers: str) -> tuple[int, CIMultiDictProxy[str], str]:
    """As a stranger to a site that has a token."""

    async def story() -> tuple[int, CIMultiDictProxy[str], str]:
        door = Door(Keys([plain(b"a-token-of-the-site")]), Passes(bytes(32)))
        app = application(Health(), door, routes("555 0100"))
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        async with (
            TestClient(TestServer(app)) as client,
            client.get(path, headers=more) as response,
        ):
            return response.status, response.headers, await response.text()

    return asyncio.run(story())


def test_the_page_is_there_without_a_token() -> None:
    status, headers, text = get("/")

    assert (200, INDEX) == (status, text)
    assert headers["Content-Type"].startswith("text/html")


def test_the_page_may_load_and_reach_nothing_but_this_server() -> None:
    policy = get("/")[1]["Content-Security-Policy"]

    assert "default-src 'none'" in policy
    sources = re.findall(r"'[^']+'|https?:\S+|\*|data:|unsafe-\S+", policy)
    assert {"'none'", "'self'"} == set(sources)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_file_names_no_other_host(path: object) -> None:
    text = (PAGE / str(path)).read_text()
    hosts = re.findall(r"(?:https?:)?//[a-z0-9-]+[.][a-z0-9.]+", re.sub(r"(?m)^//.*$", "", text))

    assert [] == [host for host in hosts if host != "http://www.w3.org"]


def test_each_file_that_is_named_is_served_and_each_that_is_served_is_named() -> None:
    scripts = "".join(path.read_text() for path in FILES)
    named = set(re.findall(r'"/console/([a-z.]+)"', INDEX + scripts))
    named |= set(re.findall(r'from "\./([a-z]+\.js)"', scripts))

    pages = {path.name for path in FILES if path.suffix == ".html"}
    assert {path.name for path in FILES} - pages | {"site"} == named
    assert {200} == {get(f"/console/{name}")[0] for name in named}


def test_what_the_browser_keeps_is_what_the_page_is_made_of() -> None:
    """Scripts that one file imports from another, from the page's own on."""
    made, found = set[str](), {"console.js", "style.css", "icon.svg", "worklet.js"}
    while found - made:
        made |= found
        texts = [(PAGE / name).read_text() for name in made]
        found = {name for text in texts for name in re.findall(r'from "\./([a-z]+\.js)"', text)}
    kept = re.findall(r'"/(?:console/)?([a-z.]*)",', (PAGE / "offline.js").read_text())

    assert sorted({"", *made}) == kept


def test_the_browser_may_keep_the_page_that_lies_above_the_scripts() -> None:
    assert "/" == get("/console/offline.js")[1]["Service-Worker-Allowed"]
    assert "Service-Worker-Allowed" not in get("/console/call.js")[1]


def test_whom_to_ring_instead_is_told_to_anybody() -> None:
    assert (200, '{"phone": "555 0100"}') == get("/console/site")[::2]


def test_scripts_are_served_as_scripts() -> None:
    """Browsers refuse modules of any other type."""
    assert get("/console/console.js")[1]["Content-Type"].startswith("text/javascript")
    assert "nosniff" == get("/console/console.js")[1]["X-Content-Type-Options"]


def test_an_unchanged_file_is_not_sent_again() -> None:
    etag = get("/console/style.css")[1]["ETag"]

    assert (304, "") == get("/console/style.css", If_None_Match=etag)[::2]


@pytest.mark.parametrize("path", ["/console/none.js", "/console/..%2froutes.py", "/console/"])
def test_nothing_else_is_served(path: str) -> None:
    assert 404 == get(path)[0]


def test_nothing_in_the_document_is_forbidden_by_its_own_policy() -> None:
    """No script and no style inside it, and no handler in an attribute."""
    assert [] == re.findall(r"<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=", INDEX)


def words(language: str) -> dict[str, str]:
    text = (PAGE / "words.js").read_text()
    table = re.search(rf"^  {language}: {{$(.*?)^  }},$", text, re.M | re.S)
    assert table is not None
    return dict(re.findall(r'^    (\w+): "(.*)",$', table[1], re.M))


def test_both_languages_have_every_text() -> None:
    english, korean = words("en"), words("ko")

    assert english.keys() == korean.keys()
    assert [] == [name for name, text in korean.items() if not re.search("[가-힣]", text)]


def test_every_text_of_the_document_has_a_name_and_is_the_english_one() -> None:
    english = words("en")
    found = re.findall(r'data-words="(\w+)"[^>]*>([^<]*)<', INDEX)

    assert len(found) > 10
    assert [] == [(name, text) for name, text in found if english[name] != text]

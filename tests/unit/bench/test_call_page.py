"""The report is one page: nothing of it lies elsewhere, and no figure is left out."""

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.unit.bench.test_call_measures import DUE, LEGS, TURN
from voiced.bench.call import Session, shown
from voiced.bench.call_chart import chart
from voiced.bench.call_page import html
from voiced.bench.call_script import Taken
from voiced.bench.options import BenchOptions, CallOptions
from voiced.config.settings import Settings

pytestmark = pytest.mark.unit

CALL = Taken(30.0, [TURN], [], {"voice_to_voice": 800.0, "stt": 80.0})


def report(**more: Any) -> dict[str, Any]:
    options = BenchOptions(settings=Settings(), speech=Path(), call=CallOptions(**more))
    sessions = [Session([CALL] * size, 3.0, 2.0, 150.0) for size in (1, 2, 4)]
    return shown(sessions, DUE, options)


class Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def test_the_page_asks_nobody_for_anything() -> None:
    tags = Tags(html(report(growth=True), [CALL])).seen

    assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in tags}
    assert not [attrs for _, attrs in tags if {"src", "href", "style"} & set(attrs)]


def test_its_policy_allows_its_own_style_and_nothing_else() -> None:
    page = html(report(), [CALL])

    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'" in page


def test_each_turn_has_its_waterfall() -> None:
    page = html(report(), [CALL, CALL])

    assert 2 == page.count(">480 ms</text>")
    assert '<line class="mark"' in page
    assert page.count('<rect class="l0"') == 1 + 2


def test_what_breaks_the_budget_is_marked() -> None:
    slow = {**LEGS, "stt": {"waited_ms": 90.0, "spent_ms": 90.0}}
    call = Taken(30.0, [type(TURN)(TURN.scene, 480.0, False, slow)], [], CALL.budget)
    options = BenchOptions(settings=Settings(), speech=Path())
    result = shown([Session([call], 3.0, 2.0, 150.0)], DUE, options)

    assert '<tr><td>stt</td><td>90</td><td class="over">90</td><td>80</td></tr>' in html(
        result, [call]
    )


def test_growth_is_drawn_where_it_was_measured() -> None:
    grown = report(growth=True)

    assert [1, 2, 4] == [step["calls"] for step in grown["growth"]]
    assert "<h2>Growth</h2>" in html(grown, [CALL])
    assert 6 == html(grown, [CALL]).count('<path class="line')
    assert "<h2>Growth</h2>" not in html(report(), [CALL])


def test_an_axis_is_written_without_powers_of_ten() -> None:
    drawn = chart("ms", [1, 2], {"p95": [1100.0, 2766.0]})

    assert ">3043<" in drawn


def test_a_gate_is_told_with_its_verdict() -> None:
    assert (800, True) == (report(gate=800)["gate"], report(gate=800)["kept"])
    assert "<b>not kept</b>" in html(report(gate=100), [CALL])
    assert "gate" not in report()

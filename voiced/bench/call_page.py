"""A bench of calls as one HTML page that needs no other file and no script.

It does not know how figures come about. Nothing that was said stands on it.
"""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from html import escape
from importlib.metadata import version
from typing import Any

from voiced.bench.call_chart import chart, waterfall
from voiced.bench.call_measures import LEGS
from voiced.bench.call_script import Taken

_MOST_TURNS = 120

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto }
body { padding: 0 1rem; color: #1c2430 }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: right; padding: .2rem .6rem; border-bottom: 1px solid #dde3ea }
th:first-child, td:first-child { text-align: left }
.over { color: #b00020; font-weight: 600 }
svg { display: block; width: 100%; height: auto; margin: .6rem 0 }
svg text { font: 11px system-ui, sans-serif; fill: #44505f }
.axis { stroke: #aab4c0 } .mark { stroke: #b00020; stroke-width: 1.5; stroke-dasharray: 4 3 }
.l0 { fill: #4c78a8; stroke: #4c78a8 } .l1 { fill: #72b7b2; stroke: #72b7b2 }
.l2 { fill: #f2a541; stroke: #f2a541 } .l3 { fill: #c26a9b; stroke: #c26a9b }
.l4 { fill: #8a8f99; stroke: #8a8f99 } .rest { fill: #dfe4ea }
path.line { fill: none; stroke-width: 2 } rect[class] { stroke: none }
"""


def html(result: dict[str, Any], calls: Sequence[Taken]) -> str:
    """The whole page."""
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    body = "\n".join([*_head(result), *_legs(result), *_overlaps(result), *_growth(result)])
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<title>voiced bench call</title><style>{_STYLE}</style></head><body>\n"
        f"{body}\n{_turns(result, calls)}\n</body></html>\n"
    )


def _head(result: dict[str, Any]) -> Iterator[str]:
    models = "fake models: the framework alone" if result["fake_models"] else "the site's models"
    yield f"<h1>voiced {escape(version('voiced'))}: {result['calls']} calls at once</h1>"
    line = f"{result['loss_percent']:g} % loss, {result['jitter_ms']:g} ms jitter"
    yield f"<p>{result['turns']} turns; {models}; {line}; {result['failed']} failed, "
    yield f"{result['early']} cut off.</p>"
    if "gate" in result:
        verdict = "kept" if result["kept"] else "not kept"
        yield f"<p>Gate of {result['gate']} ms for 95 % of the turns: <b>{verdict}</b>.</p>"


def _legs(result: dict[str, Any]) -> Iterator[str]:
    """Percentiles against the budget."""
    budget = result["budget"]
    named = {"voice_to_voice": result["voice_to_voice_ms"], **result["legs"]}
    yield "<h2>What callers waited, ms</h2><table><tr><th>leg</th><th>p50</th><th>p95</th>"
    yield "<th>budget</th></tr>"
    for name, spread in named.items():
        yield _row(name, spread, budget.get(name))
    yield "</table><h2>Where it comes from, ms</h2><table><tr><th></th><th>p50</th><th>p95</th>"
    yield "<th>allowed</th></tr>"
    for key in ("over_ms", "likely_over_and_compute_ms", "beyond_ms", "overhead_ms"):
        yield _row(
            key.removesuffix("_ms").replace("_", " "), result[key], result[key].get("allowed")
        )
    yield "</table>"


def _overlaps(result: dict[str, Any]) -> Iterator[str]:
    yield "<h2>Speech over the agent, ms from its first voiced sample</h2><table><tr><th></th>"
    yield "<th>p50</th><th>p95</th><th></th></tr>"
    for key in ("duck_ms", "hold_ms", "barge_in_ms", "cancel_ms"):
        yield _row(key.removesuffix("_ms").replace("_", " "), result[key], None)
    yield "</table>"
    if result["resumed"]:
        yield "<p>Replies that a murmur held up and that were heard whole: "
        yield f"{result['resumed_whole']} of {result['resumed']}.</p>"


def _row(name: str, spread: dict[str, float], most: float | None) -> str:
    if not spread["count"]:
        return f"<tr><td>{escape(name)}</td><td>-</td><td>-</td><td></td></tr>"
    p95 = spread["p95"]
    mark = ' class="over"' if most is not None and p95 > most else ""
    allowed = "" if most is None else f"{most:g}"
    return (
        f"<tr><td>{escape(name)}</td><td>{spread['p50']:g}</td><td{mark}>{p95:g}</td>"
        f"<td>{allowed}</td></tr>"
    )


def _growth(result: dict[str, Any]) -> Iterator[str]:
    steps = result.get("growth", [])
    if not steps:
        return
    sizes = [step["calls"] for step in steps]
    waits = {p: [step["voice_to_voice_ms"].get(p) for step in steps] for p in ("p50", "p95")}
    yield "<h2>Growth</h2>"
    yield chart("voice to voice, ms", sizes, waits)
    yield chart("overhead, ms", sizes, {"p95": [step["overhead_ms"].get("p95") for step in steps]})
    cost = {
        "in use": [step["cpu_percent_per_call"] for step in steps],
        "idle": [step["idle_cpu_percent_per_call"] for step in steps],
    }
    yield chart("processor, % of a core for each call", sizes, cost)
    yield chart("memory, MB", sizes, {"resident": [step["memory_mb"] for step in steps]})


def _turns(result: dict[str, Any], calls: Sequence[Taken]) -> str:
    """A waterfall of each turn, the first of them where there are many."""
    turns = [
        (f"{number} {turn.scene}", turn.legs, turn.voice_to_voice_ms)
        for number, call in enumerate(calls, start=1)
        for turn in call.answered
        if turn.voice_to_voice_ms is not None and turn.legs
    ]
    shown = turns[:_MOST_TURNS]
    some = f", the first {len(shown)} of {len(turns)}" if len(turns) > len(shown) else ""
    named = [name for name in LEGS if name not in ("likely_over", "llm_ttft", "network_in")]
    most = result["budget"].get("voice_to_voice")
    return f"<h2>Turns{some}</h2>\n{waterfall(shown, named, most)}"

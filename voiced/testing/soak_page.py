"""A soak as one page to look at: no file from anywhere else, curves as SVG. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from voiced.testing.soak_watch import Line, Soaked

_WIDE, _HIGH = 860.0, 160.0
_COLOURS = {"answered": "#2a7", "apologised": "#d80", "forgotten": "#c22"}
_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:900px;margin:2em auto;padding:0 1em;color:#222}
table{border-collapse:collapse;margin:.5em 0 1.5em}
td{padding:.2em .8em;border-bottom:1px solid #ddd}
td+td{text-align:right}.ok{color:#2a7}.no{color:#c22}svg{background:#fafafa;width:100%}
text{font-size:11px;fill:#666}
"""


@dataclass(frozen=True, slots=True)
class Made:
    """How a page came about."""

    minutes: float
    seed: int
    models: bool = False
    """The demonstration's; else of straw."""

    @property
    def command(self) -> str:
        """The one that makes it again."""
        return f"scripts/soak {'--models ' * self.models}{self.minutes:g} {self.seed}"


def page(
    soaked: Soaked, holds: Mapping[str, Sequence[str]], lines: Sequence[Line], made: Made
) -> str:
    """The whole page."""
    story = soaked.story
    chaos = Counter(str(one["kind"]) for one in lines if one.get("event") == "chaos.done")
    begin = story.samples[0].at if story.samples else 0.0
    calls = [(one.at - begin, one.calls, "#46c") for one in story.samples]
    late = [(one.at - begin, one.late_ms, "#46c") for one in story.samples]
    memory = [(one.at - begin, one.memory_mb, "#46c") for one in story.samples]
    waits = [(at - begin, ms, _COLOURS.get(what, "#222")) for at, ms, what in story.waits_ms]
    outcomes = {f"{kind}: {what}": count for (kind, what), count in story.outcomes.items()}
    parts = (
        f"<h1>{'Holds' if not any(holds.values()) else 'Does not hold'}: {made.minutes:g} minutes "
        f"of chaos, seed {made.seed}</h1>",
        f"<p>Made by <code>{made.command}</code> on "
        f"{'the models of the demonstration' if made.models else 'fake models'}: it says how the "
        "daemon stands, not how fast a model is.</p>",
        _asserted(holds),
        "<h2>Turns, and what came of them</h2>" + _table(outcomes),
        "<h2>What callers waited (ms): green answered, orange apologised</h2>" + _dots(waits),
        "<h2>Calls that were open</h2>" + _dots(calls),
        "<h2>How late the callers themselves were (ms)</h2>" + _dots(late),
        "<h2>Memory (MB)</h2>" + _dots(memory),
        "<h2>Calls, by how they ended</h2>" + _table(story.calls),
        "<h2>What befell the machine</h2>" + _table(chaos),
    )
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Soak</title>"
        f"<style>{_STYLE}</style><body>{''.join(parts)}</body></html>\n"
    )


def _asserted(holds: Mapping[str, Sequence[str]]) -> str:
    rows = "".join(
        f"<tr><td class={'no' if faults else 'ok'}>{'✗' if faults else '✓'} {escape(what)}"
        f"<td>{escape('; '.join(faults[:5]))}"
        for what, faults in holds.items()
    )
    return f"<h2>What must hold</h2><table>{rows}</table>"


def _table(counts: Mapping[str, int]) -> str:
    rows = "".join(f"<tr><td>{escape(name)}<td>{count}" for name, count in sorted(counts.items()))
    return f"<table>{rows}</table>"


def _dots(points: Sequence[tuple[float, float, str]]) -> str:
    """Seconds to the right, values upwards from 0."""
    if not points:
        return "<p>nothing</p>"
    most_s = max(x for x, _, _ in points) or 1.0
    most = max(y for _, y, _ in points) or 1.0
    dots = "".join(
        f'<circle cx="{40 + x / most_s * (_WIDE - 50):.1f}" '
        f'cy="{_HIGH - 20 - y / most * (_HIGH - 30):.1f}" r="2" fill="{colour}"/>'
        for x, y, colour in points
    )
    return (
        f'<svg viewBox="0 0 {_WIDE:g} {_HIGH:g}">{dots}<text x="2" y="14">{most:.0f}</text>'
        f'<text x="2" y="{_HIGH - 18:g}">0</text>'
        f'<text x="{_WIDE - 60:g}" y="{_HIGH - 4:g}">{most_s:.0f} s</text></svg>'
    )

"""Lines and waterfalls as SVG, in the classes of the page that they stand on. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from math import log2

Legs = Mapping[str, Mapping[str, float]]

_WIDTH, _HEIGHT = 900, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 120, 24, 30
_ROW, _NAME = 16, 130


def chart(title: str, sizes: Sequence[int], lines: Mapping[str, Sequence[float | None]]) -> str:
    """Values over the number of calls, which grows by doubling; a value may be missing."""
    known = [value for line in lines.values() for value in line if value is not None]
    top = max(known, default=1.0) * 1.1 or 1.0
    last = max(log2(max(sizes)), 1.0)

    def across(size: int) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * log2(size) / last

    def up(value: float) -> float:
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * value / top

    parts = [_text(4, 14, title), *_axes(top, up)]
    parts += [_text(across(size), _HEIGHT - 10, str(size), "middle") for size in sizes]
    for number, (name, line) in enumerate(lines.items()):
        points = [(across(s), up(v)) for s, v in zip(sizes, line, strict=True) if v is not None]
        if points:
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
            parts.append(f'<path class="line l{number}" d="M{path}"/>')
            parts += [
                f'<circle class="l{number}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in points
            ]
            parts.append(_text(points[-1][0] + 8, points[-1][1] + 4, name))
    return _svg(_WIDTH, _HEIGHT, parts)


def waterfall(
    turns: Sequence[tuple[str, Legs, float]], names: Sequence[str], budget: float | None
) -> str:
    """One bar for each turn: its legs as they were waited for, and the way there and back."""
    longest = max([wait for _, _, wait in turns] + [budget or 1.0]) * 1.05
    scale = (_WIDTH - _NAME - 60) / longest
    parts = list(_key(names))
    for row, (name, legs, wait) in enumerate(turns):
        y = 30 + row * _ROW
        parts.append(_text(4, y + 11, name))
        parts.append(_bar("rest", _NAME, y, wait * scale))
        x = float(_NAME)
        for number, leg in enumerate(names):
            width = legs.get(leg, {}).get("waited_ms", 0.0) * scale
            parts.append(_bar(f"l{number}", x, y, width))
            x += width
        parts.append(_text(_NAME + wait * scale + 4, y + 11, f"{wait:.0f} ms"))
    height = 36 + len(turns) * _ROW
    if budget:
        x = _NAME + budget * scale
        parts.append(f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="26" y2="{height}"/>')
    return _svg(_WIDTH, height, parts)


def _key(names: Sequence[str]) -> Iterator[str]:
    for number, name in enumerate([*names, "way there and back"]):
        x = _NAME + number * 125
        yield _bar(f"l{number}" if number < len(names) else "rest", x, 4, 12)
        yield _text(x + 16, 14, name)


def _axes(top: float, up: Callable[[float], float]) -> Iterator[str]:
    for share in (0.0, 0.5, 1.0):
        y = up(top * share)
        yield f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield _text(_LEFT - 6, y + 4, _short(top * share), "end")


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def _bar(kind: str, x: float, y: float, width: float) -> str:
    return f'<rect class="{kind}" x="{x:.1f}" y="{y}" width="{max(width, 0.0):.1f}" height="12"/>'


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(width: int, height: int, parts: Sequence[str]) -> str:
    return f'<svg viewBox="0 0 {width} {height}" role="img">{"".join(parts)}</svg>'

"""The numbers of bench/out/*.json as one table. It does not know what was measured."""

import json
import sys
from pathlib import Path


def rows(value: object, name: str) -> list[tuple[str, str]]:
    """Each number with the path to it; lists are left out."""
    match value:
        case dict():
            return [row for key, inner in value.items() for row in rows(inner, f"{name} {key}")]
        case bool() | str() | None | list():
            return []
        case float():
            return [(name, f"{value:.3f}")]
        case _:
            return [(name, str(value))]


for path in map(Path, sys.argv[1:]):
    for name, shown in rows(json.loads(path.read_text()), path.stem):
        print(f"{name:48} {shown:>12}")

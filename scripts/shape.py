"""The longest files and functions: where a noun may be missing. It fails nothing."""

import ast
from pathlib import Path

LONG_FILE, LONG_FUNCTION, SHOWN = 250, 30, 5


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its signature and docstring."""
    first = function.body[0]
    start = function.body[min(1, len(function.body) - 1)] if ast.get_docstring(function) else first
    return (function.end_lineno or start.lineno) - start.lineno + 1


def main() -> None:
    files, functions = [], []
    for path in Path("voiced").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        files.append((text.count("\n"), str(path)))
        functions += [
            (body_lines(node), f"{path}:{node.lineno} {node.name}")
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
    for kind, found, limit in (("file", files, LONG_FILE), ("function", functions, LONG_FUNCTION)):
        for lines, name in sorted(found, reverse=True)[:SHOWN]:
            print(f"{kind:9}{lines:5} lines {'(long)' if lines > limit else '      '} {name}")


main()

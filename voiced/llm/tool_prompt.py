"""An agent's tools as a model is told of them. Pure."""

import json
from collections.abc import Mapping
from typing import Any

from voiced.config.agent import Tool


def declared(tools: Mapping[str, Tool]) -> list[dict[str, Any]]:
    """The tools as chat templates and programs take them."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.parameters) or {"type": "object", "properties": {}},
            },
        }
        for tool in tools.values()
    ]


def described(tools: Mapping[str, Tool]) -> str:
    """The tools in words, for models whose template has no place for them."""
    lines = [json.dumps(one["function"], ensure_ascii=False) for one in declared(tools)]
    return "\n".join(
        (
            "You can use these functions:",
            *lines,
            "To use one, write only the following, and its result will be told to you:",
            '<tool_call>{"name": "the function", "arguments": {}}</tool_call>',
        )
    )

"""The tools of the tests, and the formats and models that they are tried with."""

from __future__ import annotations

from typing import Any, Literal

import toolwire
from damage import MARKER

#: The tools: texts, numbers, lists, objects, nothing at all.
TOOLS: list[dict[str, Any]] = [
    {
        "name": "get_weather",
        "description": "The weather.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Where."},
                "days": {"type": "integer", "minimum": 1, "maximum": 14},
                "unit": {"enum": ["celsius", "fahrenheit"]},
            },
            "required": ["city"],
        },
    },
    {
        "name": "search",
        "parameters": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "minLength": 2, "maxLength": 20},
                "exact": {"type": "boolean"},
                "score": {"type": ["number", "null"]},
                "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
                "where": {
                    "type": "object",
                    "properties": {"field": {"type": "string"}, "n": {"type": "integer"}},
                    "required": ["field"],
                },
            },
            "required": ["query", "tags"],
        },
    },
    {"name": "now", "parameters": {"type": "object", "properties": {}}},
]

SCHEMAS = {tool["name"]: tool["parameters"] for tool in TOOLS}

FORMATS = [one.slug for one in toolwire.formats()]
#: The programs that hold texts to grammars, and the notations that they read.
NOTATIONS: dict[str, Literal["structural_tag", "lark", "gbnf"]] = {
    "structural_tag": "structural_tag",
    "lark": "lark",
    "gbnf": "gbnf",
    "llama.cpp": "gbnf",
}
BACKENDS = tuple(NOTATIONS)

#: Calls that are written, and must be in the language.
CALLS: list[list[dict[str, Any]]] = [
    [{"name": "now", "arguments": {}}],
    [{"name": "get_weather", "arguments": {"city": 'São < Paulo, "SP"'}}],
    [{"name": "get_weather", "arguments": {"city": "Rome", "days": 3, "unit": "celsius"}}],
    [{"name": "search", "arguments": {"query": "a b", "tags": []}}],
    [
        {
            "name": "search",
            "arguments": {
                "query": "x > y & z",
                "exact": True,
                "score": 1.5,
                "tags": ["a", "b c"],
                "where": {"field": "f", "n": -3},
            },
        }
    ],
    [
        {"name": "now", "arguments": {}},
        {"name": "get_weather", "arguments": {"city": "Oslo"}},
    ],
]


def hints(text: str) -> list[bytes]:
    """Give what may end what a random writer began in a text like this one."""
    found = [*MARKER.findall(text), '"', "\n", "```\n", "\n```\n", "`"]
    return [one.encode() for one in dict.fromkeys(found)]

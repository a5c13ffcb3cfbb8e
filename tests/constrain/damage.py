"""Damages written calls: in their letters and markers, and in what they say."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator
from typing import Any

#: What a changed letter becomes: what markers, JSON and Python are made of.
LETTERS = string.ascii_letters + string.digits + " \n\t\"'`<>/|\\{}[]()=:,._-é漢"

#: Markers, as far as one sees that they are some; and words and runs of signs.
MARKER = re.compile(r"\n?</?[^<>\n]{1,40}>|\[/?[A-Z_]{2,}\]|\n\n")
WORD = re.compile(r"\w+|[^\w\s]+|\s+")

#: Calls that no schema of the tests allows, by what is wrong. However a format writes them, they
#: are not in the language: a tag without type holds `three`, which is no integer, as well.
FAULTS: dict[str, dict[str, Any]] = {
    "an unknown tool": {"name": "get_weathers", "arguments": {"city": "Rome"}},
    "the name of a tool, cut": {"name": "no", "arguments": {}},
    "a required argument is missing": {"name": "get_weather", "arguments": {"days": 3}},
    "no arguments": {"name": "search", "arguments": {}},
    "an undeclared argument": {"name": "now", "arguments": {"zone": "UTC"}},
    "an undeclared one beside others": {
        "name": "get_weather",
        "arguments": {"city": "Rome", "zone": "UTC"},
    },
    "text for an integer": {"name": "get_weather", "arguments": {"city": "Rome", "days": "three"}},
    "a fraction for an integer": {
        "name": "get_weather",
        "arguments": {"city": "Rome", "days": 1.5},
    },
    "a number above the most": {"name": "get_weather", "arguments": {"city": "Rome", "days": 15}},
    "a number below the least": {"name": "get_weather", "arguments": {"city": "Rome", "days": 0}},
    "a word that is not listed": {
        "name": "get_weather",
        "arguments": {"city": "Rome", "unit": "kelvin"},
    },
    "text for a boolean": {
        "name": "search",
        "arguments": {"query": "ab", "exact": "yes", "tags": []},
    },
    "text for a list": {"name": "search", "arguments": {"query": "ab", "tags": "none"}},
    "too many items": {
        "name": "search",
        "arguments": {"query": "ab", "tags": ["a", "b", "c", "d"]},
    },
    "items of another type": {"name": "search", "arguments": {"query": "ab", "tags": [1]}},
    "a text that is too short": {"name": "search", "arguments": {"query": "a", "tags": []}},
    "a text that is too long": {
        "name": "search",
        "arguments": {"query": "a" * 21, "tags": []},
    },
    "an object without its required member": {
        "name": "search",
        "arguments": {"query": "ab", "tags": [], "where": {"n": 1}},
    },
    "an object with an undeclared member": {
        "name": "search",
        "arguments": {"query": "ab", "tags": [], "where": {"field": "f", "m": 1}},
    },
}


def damaged(text: str, count: int, choose: random.Random) -> Iterator[str]:
    """Give the text without each of its markers, words and signs; and `count` other damages."""
    found = [*MARKER.finditer(text), *WORD.finditer(text)]
    for piece in found:
        yield text[: piece.start()] + text[piece.end() :]
    for marker in MARKER.finditer(text):
        middle = (marker.start() + marker.end()) // 2
        yield f"{text[:middle]} {text[middle:]}"
    markers = [piece.group() for piece in found]
    for _ in range(count):
        yield one_damage(text, markers, choose)


def one_damage(text: str, markers: list[str], choose: random.Random) -> str:
    """Damage a text at one place."""
    start = choose.randrange(len(text))
    end = min(len(text), start + choose.randint(1, 6))
    piece, letter = text[start:end], choose.choice(LETTERS)
    match choose.randrange(7):
        case 0:
            return text[:start] + text[start + 1 :]
        case 1:
            return text[:start] + text[start] + text[start:]
        case 2:
            return text[:start] + letter + text[start + 1 :]
        case 3:
            return text[:start] + letter + text[start:]
        case 4:
            return text[:start] + text[end:]
        case 5:
            return text[:start] + piece + text[start:]
        case _:
            return text[:start] + choose.choice(markers) + text[start:]

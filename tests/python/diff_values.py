"""Random JSON values and changed copies of them, to compare."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

Json = Any


def values(draw: random.Random, depth: int) -> Json:
    kinds: list[Callable[[], Json]] = [
        lambda: draw.choice([None, True, "x", "é\n", 2, 3.5, -7, 10**30]),
        lambda: {draw.choice("abcdé "): values(draw, depth - 1) for _ in range(draw.randrange(4))},
        lambda: [values(draw, depth - 1) for _ in range(draw.randrange(4))],
    ]
    return kinds[draw.randrange(3) if depth > 0 else 0]()


def changed(draw: random.Random, value: Json) -> Json:
    """Change a value without a change that stageflow gets wrong: two items of a list, the kind."""
    if isinstance(value, dict):
        made = {key: changed(draw, one) for key, one in value.items() if draw.random() < 0.8}
        return made | {"new": 5} if draw.random() < 0.3 else made
    if isinstance(value, list):
        items = [changed(draw, one) for one in value]
        return (
            [*items, "more", 1]
            if draw.random() < 0.3
            else items[: len(value) - (draw.random() < 0.2)]
        )
    return "changed" if draw.random() < 0.2 else value

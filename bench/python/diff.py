"""Diffs against those of stageflow, which uses difflib; and how the time of a diff grows.

python bench/python/diff.py
"""

import copy
import random
from typing import Any

from stageflow.tools import diff as stageflow
from toolwire.tools import diff

from measure import Way, asked, exponent, figure, row, same

# A round of the peer takes seconds.
ROUNDS = 5


def lines(count: int) -> tuple[str, str]:
    """Make a text of unequal lines, and a copy with every 50th changed and every 100th doubled."""
    old = [
        f"line {number} of a file with some words {number * 7919 % 1000}\n"
        for number in range(count)
    ]
    new = list(old)
    new[::50] = [f"changed {number}\n" for number in range(0, count, 50)]
    new[25::100] = [line + "inserted\n" for line in new[25::100]]
    return "".join(old), "".join(new)


def texts_row(count: int) -> None:
    name = f"diff_text, {count:,} lines, 3 % changed"
    old, new = lines(count)
    same(name, diff.diff_text(old, new).to_dict(), stageflow.diff_text(old, new).to_dict())

    def ours(times: int) -> None:
        for _ in range(times):
            diff.diff_text(old, new)

    def theirs(times: int) -> None:
        for _ in range(times):
            stageflow.diff_text(old, new)

    row("Python diff", name, {"ours": ours, "theirs": theirs}, rounds=ROUNDS)


def values(count: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Make a dict of dicts, and a copy with another text in every tenth; the rest is shared."""
    old = {
        f"key {number}": {"n": number, "text": f"text {number}", "list": [number]}
        for number in range(count)
    }
    return old, {
        key: value | {"text": "x"} if value["n"] % 10 == 0 else value for key, value in old.items()
    }


def json_row(name: str, old: dict[str, Any], new: dict[str, Any]) -> None:
    ours_found, theirs_found = diff.diff_json(old, new), stageflow.diff_json(old, new)
    # The similarity is not compared: the peer ignores every character that is not rare.
    for field in ("diff_output", "additions", "deletions", "old_content", "new_content"):
        same(f"{name}: {field}", getattr(ours_found, field), getattr(theirs_found, field))

    def ours(times: int) -> None:
        for _ in range(times):
            diff.diff_json(old, new)

    def theirs(times: int) -> None:
        for _ in range(times):
            stageflow.diff_json(old, new)

    row("Python diff", name, {"ours": ours, "theirs": theirs}, rounds=ROUNDS)


def text_way(old: str, new: str) -> Way:
    def run(times: int) -> None:
        for _ in range(times):
            diff.diff_text(old, new)

    return run


def json_way(old: str, new: str) -> Way:
    def run(times: int) -> None:
        for _ in range(times):
            diff.diff_json({"text": old}, {"text": new})

    return run


def growth_rows() -> None:
    """Measure how time grows from 4,000 to 64,000 lines or characters."""
    draw = random.Random(1)
    sizes = (4000, 16_000, 64_000)

    def characters(size: int) -> str:
        return "".join(chr(draw.randrange(0x4E00, 0x9FFF)) for _ in range(size))

    def changed(text: str) -> str:
        return "".join("x" if draw.random() < 0.01 else character for character in text)

    def few(size: int) -> str:
        return "".join(draw.choices(["a\n", "b\n", "c\n"], k=size))

    ways = {size: text_way(*lines(size)) for size in sizes}
    figure("Python diff", "diff_text, 3 % changed, growth", "exponent", "", ours=exponent(ways))
    ways = {size: text_way(few(size), few(size)) for size in sizes}
    figure(
        "Python diff",
        "diff_text, three lines in any order, growth",
        "exponent",
        "",
        ours=exponent(ways),
    )
    texts = {size: characters(size) for size in sizes}
    ways = {size: json_way(text, changed(text)) for size, text in texts.items()}
    figure(
        "Python diff", "diff_json, a text 1 % changed, growth", "exponent", "", ours=exponent(ways)
    )
    ways = {size: json_way(text, characters(size)) for size, text in texts.items()}
    figure("Python diff", "diff_json, another text, growth", "exponent", "", ours=exponent(ways))


def main() -> None:
    texts_row(10_000)
    old, new = values(1000)
    json_row("diff_json, 1,000 nested keys, 10 % changed", old, new)
    json_row("diff_json, the same with no object in both", old, copy.deepcopy(new))
    if asked("Python diff", "growth"):
        growth_rows()


if __name__ == "__main__":
    main()

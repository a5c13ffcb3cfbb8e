"""Detection against three passes of `re` and `json.loads`.

python bench/python/detection.py build/bench
"""

import sys
from pathlib import Path
from typing import Any

import orjson
import toolwire

import peers
from measure import Way, asked, row, same, samples, shown, timed_texts

Found = list[tuple[int, str, Any]]


def found(detector: toolwire.Detector, reply: str) -> Found:
    """Give the place, name and arguments of each call."""
    return [(call.span[0], call.name, call.arguments) for call in detector.detect(reply)]


def ours(detector: toolwire.Detector, reply: str) -> Way:
    def run(times: int) -> None:
        detect = detector.detect
        for _ in range(times):
            for call in detect(reply).calls:
                _name, _arguments = call.name, call.arguments

    return run


def theirs(reply: str) -> Way:
    def run(times: int) -> None:
        detect = peers.detect
        for _ in range(times):
            for _place, _name, _arguments in detect(reply):
                pass

    return run


def limit(raw: list[bytes], reply: str) -> Way:
    """Search for a character that is not there, and read arguments whose places are known."""

    def run(times: int) -> None:
        find, loads = reply.find, orjson.loads
        for _ in range(times):
            find("\0")
            for one in raw:
                loads(one)

    return run


def text_rows(name: str, three: toolwire.Detector, every: toolwire.Detector, reply: str) -> None:
    """Time a text with three formats, and with all formats, together."""
    groups = ("Python detect", "Python detect, all formats")
    if not any(asked(group, name) for group in groups):
        return
    calls = found(three, reply)
    same(name, calls, sorted(peers.detect(reply), key=lambda call: call[0]))
    same(f"{name}, all formats", calls, found(every, reply))
    raw = [call.arguments_raw.encode() for call in three.detect(reply)]
    taken = samples(
        {
            "ours": ours(three, reply),
            "all": ours(every, reply),
            "theirs": theirs(reply),
            "limit": limit(raw, reply),
        }
    )
    size = len(reply.encode())
    shown(
        groups[0],
        name,
        {side: taken[side] for side in ("ours", "theirs", "limit")},
        size=size,
        note="limit: str.find of a character that is not there, orjson.loads on the arguments",
    )
    sides = {"ours": taken["all"], "theirs": taken["theirs"], "limit": taken["ours"]}
    shown(groups[1], name, sides, size=size, note="limit: three formats")


def rate_row(name: str, detector: toolwire.Detector, reply: str) -> None:
    """Time a text without calls: how many GB a second are searched."""
    ways = {"ours": ours(detector, reply), "theirs": theirs(reply), "limit": limit([], reply)}
    note = "limit: str.find of a character that is not there"
    row("Python GB/s", name, ways, size=len(reply.encode()), note=note)


def main(directory: Path) -> None:
    three, every = toolwire.Detector(formats=["tag", "json", "html"]), toolwire.Detector()
    # An empty text: the cost of the function call itself.
    row("Python detect", "empty text", {"ours": ours(three, ""), "theirs": theirs("")})
    for name, reply in timed_texts(directory, "timed").items():
        text_rows(name, three, every, reply)
    for name, reply in timed_texts(directory, "rates").items():
        rate_row(name, three, reply)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Detection against three passes of `re` and `json.loads`.

python bench/python/detection.py build/bench
"""

import json
import sys
from pathlib import Path

import toolwire

import peers
from measure import Way, exponent, figure, row, same, text


def checked(name: str, detector: toolwire.Detector, reply: str) -> int:
    """Compare the calls of both sides, in the text's order; give their number."""
    ours = [(call.span[0], call.name, call.arguments) for call in detector.detect(reply)]
    theirs = sorted(peers.detect(reply), key=lambda call: call[0])
    same(name, ours, theirs)
    return len(ours)


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


def nothing_found(reply: str) -> Way:
    def run(times: int) -> None:
        find = reply.find
        for _ in range(times):
            find("\0")

    return run


def calls_row(name: str, detector: toolwire.Detector, reply: str) -> None:
    """Time a text with calls; the limit is json.loads of the arguments alone."""
    if checked(name, detector, reply) == 0:
        sys.exit(f"{name}: no calls")
    raw = [call.arguments_raw for call in detector.detect(reply)]

    def limit(times: int) -> None:
        loads = json.loads
        for _ in range(times):
            for one in raw:
                loads(one)

    ways = {"ours": ours(detector, reply), "theirs": theirs(reply), "limit": limit}
    row(
        "Python detect",
        name,
        ways,
        size=len(reply),
        note="limit: json.loads on the arguments alone",
    )


def prose_row(name: str, detector: toolwire.Detector, reply: str) -> None:
    """Time a text without calls; the limit is a memchr over the same text."""
    if checked(name, detector, reply) != 0:
        sys.exit(f"{name}: calls")

    ways = {"ours": ours(detector, reply), "theirs": theirs(reply), "limit": nothing_found(reply)}
    row(
        "Python detect",
        name,
        ways,
        size=len(reply),
        note="limit: str.find of a character that is not there",
    )


def empty_row(detector: toolwire.Detector) -> None:
    """Time an empty text: the cost of the function call itself."""
    row("Python detect", "empty text", {"ours": ours(detector, ""), "theirs": theirs("")})


def growth_row(name: str, unit: str) -> None:
    """Measure how time grows with the text (once, 4, 16, 64 times), when all arguments are read."""
    # The detector skips calls beyond its limit, which would hide how time grows.
    detector = toolwire.Detector(max_calls=sys.maxsize, max_rejections=sys.maxsize)
    texts = [unit * times for times in (1, 4, 16, 64)]
    fitted = exponent({len(text): ours(detector, text) for text in texts})
    limit = exponent({len(text): nothing_found(text) for text in texts})
    figure("Python growth", name, "exponent", "limit: str.find", ours=fitted, limit=limit)


def main(directory: Path) -> None:
    detector = toolwire.Detector()
    empty_row(detector)
    calls_row("2 KB, 1 call", detector, text(directory, "prose-2k-1"))
    calls_row("64 KB, 8 calls, arguments read", detector, text(directory, "prose-64k-8"))
    calls_row("64 KB, 8 calls in 3 formats", detector, text(directory, "mixed-64k-8"))
    calls_row("1 MB, 100 calls", detector, text(directory, "prose-1m-100"))
    prose_row("prose, 64 KB", detector, text(directory, "prose-64k"))
    prose_row("prose, 1 MB", detector, text(directory, "prose-1m"))
    prose_row("prose with code and HTML, 64 KB", detector, text(directory, "code-64k"))
    prose_row("JSON fences, 64 KB", detector, text(directory, "blocks-64k"))
    growth_row("prose", text(directory, "prose-64k"))
    growth_row("prose with code and HTML", text(directory, "code-64k"))
    growth_row("calls in 3 formats, arguments read", text(directory, "mixed-64k-8"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""The JSON of a model's reply, against the steps that an issue agent takes in plain Python.

python bench/python/reply.py build/bench
"""

import json
import sys
from pathlib import Path

import toolwire

import peers
from measure import row, same, text

ROWS = {
    "64 KB, one object, alone": "object-64k",
    "64 KB, one object, prose round it": "object-prose-64k",
    "64 KB, one object, in a fence": "object-fenced-64k",
}


def reply_row(name: str, reply: str) -> None:
    """Time a reply; the limit is json.loads of the object alone, whose place is known."""
    alone = reply[reply.index("{") : reply.rindex("}") + 1]
    same(name, toolwire.extract_json(reply), peers.extract_json(reply))
    same(name, toolwire.extract_json(reply), json.loads(alone))

    def ours(times: int) -> None:
        extract = toolwire.extract_json
        for _ in range(times):
            extract(reply)

    def theirs(times: int) -> None:
        extract = peers.extract_json
        for _ in range(times):
            extract(reply)

    def limit(times: int) -> None:
        loads = json.loads
        for _ in range(times):
            loads(alone)

    ways = {"ours": ours, "theirs": theirs, "limit": limit}
    row(
        "Python reply",
        name,
        ways,
        size=len(reply.encode()),
        note="limit: json.loads of the object alone",
    )


def main() -> None:
    directory = Path(sys.argv[1])
    for name, file in ROWS.items():
        reply_row(name, text(directory, file))


if __name__ == "__main__":
    main()

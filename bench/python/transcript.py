"""A log of 100,000 lines against `orjson.loads` of each line alone.

python bench/python/transcript.py DIRECTORY
"""

import json
import sys
from pathlib import Path

import orjson
from toolwire import transcript

from measure import row


def main(directory: Path) -> None:
    log = (directory / "transcript-100k.txt").read_bytes()
    lines = log.splitlines()
    entries = transcript.normalize(log).entries
    calls = sum(1 for line in lines if json.loads(line)["type"] == "tool_call")
    assert sum(entry.type == "tool_use" and entry.status != "created" for entry in entries) == calls

    def ours(times: int) -> None:
        for _ in range(times):
            _ = transcript.normalize(log).entries

    def read(times: int) -> None:
        for _ in range(times):
            for entry in transcript.normalize(log).entries:
                _ = entry.type, entry.content, entry.status

    def dropped(times: int) -> None:
        loads = orjson.loads
        for _ in range(times):
            for line in log.splitlines():
                loads(line)

    def kept(times: int) -> None:
        loads = orjson.loads
        for _ in range(times):
            _ = [loads(line) for line in log.splitlines()]

    note = "theirs: orjson.loads of each line, and nothing else"
    for name, mine, theirs in (
        ("100,000 lines, all entries kept, theirs dropped", ours, dropped),
        ("100,000 lines, both kept", ours, kept),
        ("100,000 lines, type, content and status of each read", read, kept),
    ):
        row("Python transcript", name, {"ours": mine, "theirs": theirs}, size=len(log), note=note)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""The finder and the summary against plain Python.

python bench/python/finder.py
"""

import enum
import json
import random
import re
import sys
from pathlib import Path
from typing import Any

import toolwire

import peers
from measure import asked, figure, row, same

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from corpus import packet

Packet = dict[str, Any]


def packets(count: int) -> list[Packet]:
    """Make packets as a pipeline holds them: each comes out of JSON and shares nothing."""
    return [json.loads(json.dumps(packet(number))) for number in range(count)]


def wanted(given: Packet) -> Packet:
    """Make a packet that only the search for its own handler finds."""
    return given | {
        "type": "tool_result",
        "metadata": given["metadata"] | {"handler_tool": "wanted"},
    }


def find_row(name: str, data: list[Packet], handler: str) -> None:
    same(name, id(toolwire.find_handler_result(data, handler)), id(peers.find(data, handler)))

    def ours(times: int) -> None:
        find = toolwire.find_handler_result
        for _ in range(times):
            find(data, handler)

    def theirs(times: int) -> None:
        find = peers.find
        for _ in range(times):
            find(data, handler)

    def limit(times: int) -> None:
        find = toolwire.find_handler_result
        for _ in range(times):
            find([], handler)

    ways = {"ours": ours, "theirs": theirs, "limit": limit}
    row("Python find", name, ways, note="limit: the call with no packets")


def find_all_row(name: str, data: list[Packet]) -> None:
    handlers = [f"handler_{number}" for number in range(1, 11)]
    same(name, toolwire.find_all_handler_results(data, handlers), peers.find_all(data, handlers))

    def ours(times: int) -> None:
        find = toolwire.find_all_handler_results
        for _ in range(times):
            find(data, handlers)

    def theirs(times: int) -> None:
        find = peers.find_all
        for _ in range(times):
            find(data, handlers)

    row("Python find", name, {"ours": ours, "theirs": theirs})


class Tool(enum.Enum):
    """The names of tools, as the issue agent has them."""

    RAG_SEARCH = "rag_search"
    CODE_SEARCH = "code_search"


def result(number: int) -> toolwire.ToolResult:
    """Make a result as a tool of the agent gives it; one of ten failed."""
    if number % 10 == 9:
        return toolwire.ToolResult(Tool.CODE_SEARCH, False, {}, "the index is being rebuilt", 0.0)
    data = {
        "similar_issues": [number] * (number % 5),
        "query": "why does the build fail " * (number % 8),
        "score": number / 7,
        "count": number,
        "meta": {"cached": True},
        "note": None,
    }
    return toolwire.ToolResult(Tool.RAG_SEARCH, True, data, None, number % 100 / 100)


def summary_row(count: int) -> None:
    name = f"results_summary, {count:,} results"
    results = [result(number) for number in range(count)]
    same(name, toolwire.results_summary(results), peers.results_summary(results))

    def ours(times: int) -> None:
        summary = toolwire.results_summary
        for _ in range(times):
            summary(results)

    def theirs(times: int) -> None:
        summary = peers.results_summary
        for _ in range(times):
            summary(results)

    row("Python summary", name, {"ours": ours, "theirs": theirs})


def status(field: str) -> int:
    """Read a figure of this process, in KiB."""
    found = re.search(rf"{field}:\s+(\d+)", Path("/proc/self/status").read_text())
    return int(found[1]) if found else 0


def memory_row() -> None:
    """Measure how far the resident set grows during the search of many packets."""
    data = packets(100_000)
    Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    toolwire.find_handler_result(data, "none")
    grown = max(0, status("VmHWM") - before) / 1024
    figure("Python memory", "find in 100,000 packets", "MiB", "beyond the packets", ours=grown)


def main() -> None:
    for count in (1, 10, 100, 1000, 10_000, 100_000):
        data = packets(count)
        find_row(f"n = {count:,}, no match", data, "none")
        if count in (100, 10_000):
            find_row(f"n = {count:,}, first", [wanted(data[0]), *data[1:]], "wanted")
            find_row(f"n = {count:,}, last", [*data[:-1], wanted(data[-1])], "wanted")
            find_all_row(f"n = {count:,}, find_all, 10 handlers", data)
        if count >= 1000:
            random.Random(count).shuffle(data)
            find_row(f"n = {count:,}, shuffled, no match", data, "none")
    for count in (10, 1000):
        summary_row(count)
    if asked("Python memory", "find"):
        memory_row()


if __name__ == "__main__":
    main()

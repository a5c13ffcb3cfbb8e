"""Columns of texts against a loop over `detect`, in seconds of the processor.

python bench/python/columns.py DIRECTORY
"""

import json
import random
import sys
from pathlib import Path
from time import process_time_ns
from typing import Any

import pyarrow as pa
import toolwire

from measure import Way, row, same, text

CALLS = (
    '<tool:search>{"query": "red shoes", "limit": 3}</tool>',
    '{"name": "search", "arguments": {"query": "red shoes"}}',
    '<tool_call>{"name": "search", "arguments": {"query": "red shoes"}}</tool_call>',
)
NOTE = "ours: a column in batches; theirs: a loop that makes the same column; CPU time"


def texts(source: str, count: int, size: int) -> list[str]:
    """Cut texts of a size out of a longer one; each tenth has a call in it."""
    chance = random.Random(38)
    cut = []
    for number in range(count):
        start = chance.randrange(len(source) - size)
        if number % 10:
            cut.append(source[start : start + size])
        else:
            call = chance.choice(CALLS)
            at = start + chance.randrange(size - len(call))
            cut.append(source[start:at] + call + source[at : start + size - len(call)])
    return cut


def made(found: toolwire.Detection, every: bool) -> dict[str, Any]:
    """Make the row that the column has."""
    calls = [
        {
            "name": one.name,
            "arguments": one.arguments_raw,
            "id": one.id if one.id_given else None,
            "format": one.format,
            "start": one.span[0],
            "end": one.span[1],
            "status": one.status,
        }
        for one in found
    ]
    if not every:
        return {"calls": calls}
    rejections = [
        {"code": one.code, "format": one.format, "start": one.span[0], "end": one.span[1]}
        for one in found.rejections
    ]
    text, thought = found.text, found.reasoning
    return {"calls": calls, "text": text, "reasoning": thought, "rejections": rejections}


def ways(
    detector: toolwire.Detector, given: list[str], rows: int, **options: Any
) -> dict[str, Way]:
    array = pa.array(given)
    batches = [array.slice(at, rows) for at in range(0, len(array), rows)]

    first = pa.array(detector.detect_batch(array[:1000], **options))

    def column(found: list[toolwire.Detection]) -> Any:
        return pa.array([made(one, not options) for one in found], first.type)

    same("columns", first, column([detector.detect(one) for one in given[:1000]]))

    def ours(times: int) -> int:
        start = process_time_ns()
        for _ in range(times):
            for batch in batches:
                detector.detect_batch(batch, **options)
        return process_time_ns() - start

    def theirs(times: int) -> int:
        start = process_time_ns()
        for at in (*range(0, len(given), rows),) * times:
            column([detector.detect(one) for one in given[at : at + rows]])
        return process_time_ns() - start

    return {"ours": ours, "theirs": theirs}


def message(number: int) -> str:
    """Write an answer of chat completions with a call, as JSON."""
    function = {"name": "search", "arguments": json.dumps({"query": f"shoes {number}", "limit": 3})}
    call = {"id": f"call_{number}", "type": "function", "function": function}
    said = {"role": "assistant", "content": None, "tool_calls": [call]}
    return json.dumps({"id": "c", "choices": [{"index": 0, "message": said}]})


def parsing(given: list[str], rows: int) -> dict[str, Way]:
    batches = [pa.array(given[at : at + rows]) for at in range(0, len(given), rows)]
    first = pa.array(toolwire.provider.parse_batch(batches[0], fields=["calls"]))

    def made_of(exchange: Any) -> dict[str, Any]:
        return {
            "calls": [
                {
                    "name": call.name,
                    "arguments": call.arguments_raw,
                    "id": call.id if call.id_given else None,
                    "format": call.format,
                    "status": call.status,
                    "provider_data": None,
                }
                for call in exchange.calls
            ]
        }

    def column(messages: list[str]) -> Any:
        parsed = [toolwire.provider.parse(json.loads(one)) for one in messages]
        return pa.array([made_of(one) for one in parsed], first.type)

    same("columns", first, column(given[:rows]))

    def ours(times: int) -> int:
        start = process_time_ns()
        for _ in range(times):
            for batch in batches:
                toolwire.provider.parse_batch(batch, fields=["calls"])
        return process_time_ns() - start

    def theirs(times: int) -> int:
        start = process_time_ns()
        for at in (*range(0, len(given), rows),) * times:
            column(given[at : at + rows])
        return process_time_ns() - start

    return {"ours": ours, "theirs": theirs}


def main(directory: Path) -> None:
    few = toolwire.Detector(formats=["tag", "json", "hermes"])
    every = toolwire.Detector()
    group = "Python columns"
    short = texts(text(directory, "prose-1m"), 1_000_000, 200)
    size = sum(map(len, short))
    for name, detector in (("three formats", few), ("auto", every)):
        title = f"1,000,000 texts of 200 bytes, {name}"
        row(group, title, ways(detector, short, 16_384), size=size, note=NOTE, rounds=3)
    calls = ways(few, short, 16_384, fields=["calls"])
    row(group, "1,000,000 texts of 200 bytes, calls alone", calls, size=size, note=NOTE, rounds=3)
    del short
    messages = [message(number) for number in range(100_000)]
    title, size = "100,000 answers of chat completions, their calls", sum(map(len, messages))
    row(group, title, parsing(messages, 16_384), size=size, note=NOTE, rounds=3)
    del messages
    for kind in ("prose", "reply"):
        file = {"prose": "prose-1m", "reply": "reply-1m-0"}[kind]
        long = texts(text(directory, file), 20_000, 7000)
        size = sum(map(len, long))
        for name, options in (("", {}), (", calls alone", {"fields": ["calls"]})):
            title = f"20,000 texts of 7 KB of {kind}{name}"
            sides = ways(few, long, 500, **options)
            row(group, title, sides, size=size, note=NOTE, rounds=3)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

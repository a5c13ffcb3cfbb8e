"""Prints how the shared cases of logs are read, and how fast a big log is: make test-logs."""

from __future__ import annotations

import json
import resource
import time
from collections import Counter
from pathlib import Path

from toolwire import transcript

ROOT = Path(__file__).resolve().parents[2]
CALLS = 20_000
PIECE = 1 << 18


def main() -> None:
    """Print the figures."""
    cases = json.loads((ROOT / "tests/cases/logs.json").read_text(encoding="utf-8"))
    right: Counter[str] = Counter()
    all_cases: Counter[str] = Counter()
    for case in cases:
        log = case["input"]["log"]
        if isinstance(log, dict):
            continue
        name = case["output"]["dialect"] or "unknown"
        all_cases[name] += 1
        right[name] += transcript.normalize(log).dialect == case["output"]["dialect"]
    for name in sorted(all_cases):
        print(f"{name:20} {right[name]:3} of {all_cases[name]:3} told apart")
    print(f"{sum(right.values())} of {sum(all_cases.values())} cases, {len(all_cases)} dialects")

    output = "a line of output\n" * 120
    call = {"type": "assistant", "uuid": "", "sessionId": "s", "cwd": "/srv"}
    made = []
    for number in range(CALLS):
        block = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": "ls"}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": output}
        made.append(call | {"uuid": f"a{number}", "message": {"content": [block]}})
        made.append(call | {"uuid": f"b{number}", "type": "user", "message": {"content": [result]}})
    log = "".join(json.dumps(record) + "\n" for record in made).encode()
    del made
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    reader, start = transcript.Reader(), time.perf_counter()
    for place in range(0, len(log), PIECE):
        reader.feed_piece(log[place : place + PIECE])
    reader.finish()
    took = time.perf_counter() - start
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert reader.account["joined"] == CALLS
    print(f"{len(log) / 1e6:.0f} MB, {CALLS} calls: {took:.2f} s, {more / 1024:.0f} MB more memory")


if __name__ == "__main__":
    main()

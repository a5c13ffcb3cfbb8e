"""Print what is found in each case of a list, as JSON lines, for ``make conformance``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import toolwire


def main() -> None:
    """Read the cases and print a line for each."""
    for case in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")):
        found = toolwire.Detector(**case["options"]).detect("".join(case["chunks"]))
        outcome = {
            "id": case["id"],
            "calls": [{"name": call.name, "arguments": call.arguments} for call in found],
            "text": found.text,
            "with_calls": found.replace(lambda call: call.original),
            "reasoning": [part.text for part in found.segments if part.type == "reasoning"],
            "last_frame": found.segments[-1].text
            if found.segments and found.segments[-1].type == "frame"
            else "",
            "rejections": [rejection.code for rejection in found.rejections],
        }
        print(json.dumps(outcome))


if __name__ == "__main__":
    main()

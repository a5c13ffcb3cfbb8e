"""Print what is found in each case of a list, as JSON lines, for ``make conformance``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import toolwire


def main() -> None:
    """Read the cases and print a line for each."""
    for case in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")):
        detector = toolwire.Detector(formats=case["formats"], tools=case["tools"])
        found = detector.detect("".join(case["chunks"]))
        outcome = {
            "id": case["id"],
            "calls": [{"name": call.name, "arguments": call.arguments} for call in found],
            "text": found.text,
            "rejections": [rejection.code for rejection in found.rejections],
        }
        print(json.dumps(outcome))


if __name__ == "__main__":
    main()

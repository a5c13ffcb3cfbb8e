"""Detects the calls of a text a number of times and reads their arguments.

python bench/python/once.py build/bench/html-64k.txt auto 10

It is for `bench/instructions_of.py`.
"""

import sys
from pathlib import Path

import toolwire


def main(path: str, formats: str, times: str) -> None:
    text = Path(path).read_text()
    three = None if formats == "auto" else ["tag", "json", "html"]
    detector = toolwire.Detector(formats=three)
    for _ in range(int(times)):
        for call in detector.detect(text).calls:
            _name, _arguments = call.name, call.arguments


if __name__ == "__main__":
    main(*sys.argv[1:])

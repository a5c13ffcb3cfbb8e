"""Writes the first inputs of the fuzz targets, from the shared cases, to `fuzz/corpus/<target>/`.

python3 fuzz/corpus.py
"""

import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "fuzz" / "corpus"
LONGEST = 4096


def cases(topic: str) -> Iterator[dict[str, Any]]:
    """Read the inputs of a topic."""
    for case in json.loads((ROOT / "tests" / "cases" / f"{topic}.json").read_text()):
        yield case["input"]


def text(value: Any) -> bytes:
    """Give a text of a case as bytes."""
    if isinstance(value, str):
        return value.encode()
    if "$base64" in value:
        return base64.b64decode(value["$base64"])
    parts = (part if isinstance(part, str) else part[0] * part[1] for part in value["$concat"])
    return "".join(parts).encode()


def seeds() -> Iterator[tuple[str, bytes]]:
    """Give each seed with its target."""
    for topic, formats in (("detection", 0), ("formats", 1)):
        for given in cases(topic):
            written = text(given["text"])
            repair = 8 if given.get("options", {}).get("repair") == "safe" else 0
            yield "detect", bytes([formats, repair, 85, 170]) + written
            start, end = written.find(b"{"), written.rfind(b"}") + 1
            if 0 <= start < end:
                yield "repair", written[start:end]
    for given in cases("messages"):
        for profile in range(0, 140, 20):
            yield "message", bytes([profile, 0, 85, 170]) + text(given["text"])
    for given in cases("reply"):
        switches = bool(given.get("keys")) + 2 * (given.get("repair") == "safe")
        yield "reply", bytes([switches]) + text(given["text"])
    for given in cases("comment"):
        yield "comment", bytes([200]) + text(given["text"])
    for given in cases("provider"):
        for field in ("object", "events"):
            if field in given:
                yield "provider", json.dumps(given[field]).encode()


def main() -> None:
    for target, seed in seeds():
        if len(seed) <= LONGEST:
            folder = CORPUS / target
            folder.mkdir(parents=True, exist_ok=True)
            (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)


if __name__ == "__main__":
    main()

"""Counts bytes in a row in ordinary text, for the table of windows by which signs are sought.

    .venv/bin/python bench/byte_counts.py > core/tests/data/byte_counts.txt

The texts are those of `bench/corpus.py`. Each kind of text counts as much as each other one. A line
has three bytes in hexadecimal, or four that begin with a bracket, and how often they stand in a
million places; the rare ones are left out. `core/src/detect/engine/window_choice.rs` says how the
counts are used. After new counts, its test makes the table:
`TOOLWIRE_WRITE=1 cargo test -p toolwire --lib window_choice`.
"""

from collections import Counter
from pathlib import Path

import corpus

TEXTS = Path(__file__).resolve().parent.parent / "build" / "bench"
KINDS = ("prose-1m", "html-1m", "code-1m", "json-64k", "reply-1m-0", "blocks-64k")
# Most signs begin with it.
LED_BY = b"<"
MOST = 5000


def main() -> None:
    corpus.main(TEXTS)
    total: Counter[bytes] = Counter()
    for kind in KINDS:
        text = (TEXTS / f"{kind}.txt").read_bytes()
        counts = Counter(text[at : at + 3 + text.startswith(LED_BY, at)] for at in range(len(text)))
        for window, count in counts.items():
            total[window] += round(count * 1_000_000 / len(text) / len(KINDS))
    shown = sorted(total.items(), key=lambda item: (-item[1], item[0]))[:MOST]
    for window, count in shown:
        if count and len(window) == 3 + window.startswith(LED_BY):
            print(window.hex(), count)


if __name__ == "__main__":
    main()

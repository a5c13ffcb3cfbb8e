"""Counts three bytes in a row in ordinary text, for the table of windows by which signs are sought.

    .venv/bin/python bench/byte_counts.py > core/tests/data/byte_counts.txt

The texts are those of `bench/corpus.py`. Each kind of text counts as much as each other one. A line
has the three bytes in hexadecimal, and how often they stand in a million places; the rare ones are
left out. `core/src/detect/engine/window_choice.rs` says how the counts are used. After new counts,
its test makes the table: `TOOLWIRE_WRITE=1 cargo test -p toolwire --lib window_choice`.
"""

from collections import Counter
from pathlib import Path

import corpus

TEXTS = Path(__file__).resolve().parent.parent / "build" / "bench"
KINDS = ("prose-1m", "html-1m", "code-1m", "json-64k", "reply-1m-0", "blocks-64k")
MOST = 5000


def main() -> None:
    corpus.main(TEXTS)
    total: Counter[bytes] = Counter()
    for kind in KINDS:
        text = (TEXTS / f"{kind}.txt").read_bytes()
        counts = Counter(text[at : at + 3] for at in range(len(text) - 2))
        for window, count in counts.items():
            total[window] += round(count * 1_000_000 / len(text) / len(KINDS))
    shown = sorted(total.items(), key=lambda item: (-item[1], item[0]))[:MOST]
    for window, count in shown:
        if count:
            print(window.hex(), count)


if __name__ == "__main__":
    main()

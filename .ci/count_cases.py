"""Compares how many shared cases each language ran, and prints the counts.

Each runner writes `cases-<language>.json` with the number of cases by topic. They must be equal;
otherwise a language has skipped cases. The library in plain PHP writes how many it ran and how many
need what it leaves out; of each of its topics, both must be all.
"""

import json
import sys
from pathlib import Path

LANGUAGES = ("rust", "php", "python")
LEAST = 150


def main(folder: Path) -> int:
    """Print a line for each language; return 1 when they differ."""
    counts = {
        language: json.loads((folder / f"cases-{language}.json").read_text())
        for language in LANGUAGES
    }
    for language, topics in counts.items():
        by_topic = ", ".join(f"{topic} {number}" for topic, number in sorted(topics.items()))
        print(f"{language:>6}: {sum(topics.values())} shared cases ({by_topic})")
    first = counts[LANGUAGES[0]]
    if any(topics != first for topics in counts.values()):
        print("the languages did not run the same cases", file=sys.stderr)
        return 1
    plain = json.loads((folder / "cases-plain-php.json").read_text())
    ran, left = plain["ran"], plain["left_out"]
    print(f" plain: {sum(ran.values())} shared cases, {sum(left.values())} need the extension")
    if any(ran[topic] + left[topic] != first[topic] for topic in ran):
        print("the library in plain PHP did not look at every case", file=sys.stderr)
        return 1
    if sum(first.values()) < LEAST:
        print(f"there must be at least {LEAST} shared cases", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

"""Writes the tables of `README.md` and `docs/speed.md`, between two marks, from measured rows."""

from pathlib import Path

from chart import chart
from table import Row, shown

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- written by make bench -->", "<!-- end -->"

# What the pages show: a row's group and name, its name there, and what it is compared with.
# The rows of README.md stand first.
PREG, RE = "three passes of preg, `json_decode`", "three passes of `re`, `json.loads`"
README_ROWS = (
    ("PHP detect", "prose, 64 KB", "PHP, 64 KB of prose", PREG),
    ("PHP detect", "HTML prose, 64 KB", "PHP, 64 KB of HTML prose", PREG),
    ("PHP detect", "reply, 64 KB, 8 calls", "PHP, a reply of 64 KB with 8 calls", PREG),
    ("PHP find", "n = 1,000, no match, interpreted", "PHP, 1,000 packets searched", "a plain loop"),
    ("Python detect", "reply, 64 KB, 8 calls", "Python, a reply of 64 KB with 8 calls", RE),
    (
        "Rust Hermes",
        "64 KB, 8 calls, against dynamo-parsers",
        "Rust, 64 KB of Hermes with 8 calls",
        "dynamo-parsers",
    ),
)
MORE_ROWS = (
    ("PHP detect", "code prose, 64 KB", "PHP, 64 KB of prose with code", PREG),
    ("PHP detect", "reply, 64 KB, no call", "PHP, a reply of 64 KB without calls", PREG),
    ("PHP detect", "reply, 64 KB, 64 calls", "PHP, a reply of 64 KB with 64 calls", PREG),
    ("PHP detect", "2 KB, 1 call", "PHP, 2 KB with 1 call", PREG),
    (
        "PHP detect, hostile",
        "```json { again and again, 180 KB",
        "PHP, 180 KB of an opened fence again and again",
        PREG,
    ),
    ("PHP find", "n = 1,000, no match, JIT", "PHP with its JIT, 1,000 packets", "a plain loop"),
    ("PHP find", "n = 10,000, no match, interpreted", "PHP, 10,000 packets", "a plain loop"),
    ("Python detect", "HTML prose, 64 KB", "Python, 64 KB of HTML prose", RE),
    ("Python detect", "code prose, 64 KB", "Python, 64 KB of prose with code", RE),
    ("Python detect", "64 calls in prose, 64 KB", "Python, 64 calls in 64 KB of prose", RE),
    ("Python find", "n = 1,000, no match", "Python, 1,000 packets searched", "a plain loop"),
    ("Python summary", "results_summary, 1,000 results", "Python, 1,000 results", "plain Python"),
    ("Python tools", "parse_and_resolve, 1,000 calls", "Python, 1,000 calls resolved", "stageflow"),
    (
        "Python diff",
        "diff_json, 1,000 nested keys, 10 % changed",
        "Python, a JSON diff of 1,000 nested keys",
        "stageflow",
    ),
    (
        "Python transcript",
        "100,000 lines, all entries kept, theirs dropped",
        "Python, a log of 67 MB as entries",
        "`orjson.loads` of each line",
    ),
    (
        "Rust Hermes stream",
        "1 MB, 100 calls, by 16 bytes, against tool-parser",
        "Rust, 1 MB of Hermes in pieces of 16 bytes",
        "tool-parser",
    ),
)
HEAD = "| work | time | compared with | times as fast |\n|---|---|---|---|"
RATES_HEAD = "| Rust, three formats, GB/s | 4 KB | 64 KB | 1 MB |\n|---|---|---|---|"
RATES = ("prose", "HTML prose", "code prose", "reply, no call")


def table(rows: dict[tuple[str, str], Row], chosen: tuple[tuple[str, str, str, str], ...]) -> str:
    lines = [HEAD]
    for group, name, work, peer in chosen:
        row = rows[group, name]
        ratio = f"{'> ' if row.stopped else ''}{row.ratio or 0:,.3g}"
        lines.append(f"| {work} | {shown(row.figures['ours'].low, row.unit)} | {peer} | {ratio} |")
    return "\n".join(lines)


def rates(rows: dict[tuple[str, str], Row]) -> str:
    """Write the GB/s of texts without calls, at three sizes."""
    lines = [RATES_HEAD]
    for name in RATES:
        sizes = (rows["Rust GB/s", f"{name}, {size}"] for size in ("4 KB", "64 KB", "1 MB"))
        lines.append(f"| {name} | {' | '.join(f'{row.rate() or 0:.3g}' for row in sizes)} |")
    return "\n".join(lines)


def replaced(page: Path, text: str) -> None:
    """Put a text between the marks of a page."""
    head, _, rest = page.read_text().partition(BEGIN)
    _, _, tail = rest.partition(END)
    page.write_text(f"{head}{BEGIN}\n{text}\n{END}{tail}")


def write(rows: list[Row], about: dict[str, str], results: Path) -> None:
    """Write the tables of both pages, and the chart that they show."""
    by_name = {(row.group, row.name): row for row in rows}
    chosen = README_ROWS + MORE_ROWS
    measured = f"On {about['cpu']}, PHP {about['php'].split()[1]}, Python {about['python']}, "
    measured += f"{about['date'].split()[0]}:"
    image = "![How many times faster](%sbench/results/summary.svg)"
    replaced(ROOT / "README.md", f"{table(by_name, README_ROWS)}\n\n{image % ''}")
    text = f"{measured}\n\n{table(by_name, chosen)}\n\n{rates(by_name)}\n\n{image % '../'}"
    replaced(ROOT / "docs" / "speed.md", text)
    picture = chart([by_name[group, name] for group, name, *_ in chosen], measured.rstrip(":"))
    (results / "summary.svg").write_text(picture)


def lost(rows: list[Row]) -> set[tuple[str, str]]:
    """Give the rows that the pages show and that are gone."""
    needed = {(group, name) for group, name, *_ in README_ROWS + MORE_ROWS}
    needed |= {("Rust GB/s", f"{name}, {size}") for name in RATES for size in ("4 KB", "1 MB")}
    return needed - {(row.group, row.name) for row in rows}

"""Rows of the benchmarks: figures from samples, and the table."""

import math
import statistics
from dataclasses import dataclass
from typing import Any

from targets import Target, target

# How the table shows targets.
ASKED = {
    "ratio": ">= {:g}x",
    "of_limit": ">= {:.0%} of limit",
    "at_most": "<= {:g}",
    "rate": ">= {:g} GB/s",
    "a_second": ">= {:,} a second",
}
# Groups whose rows show GB/s.
RATES = ("GB/s", "Rust detect", "Rust Hermes", "Rust transcript")


@dataclass
class Figure:
    """The 20th percentile of the samples, and their median.

    A machine is slowed down by other work, and never sped up, so the low samples are the work's.
    """

    low: float
    median: float

    @classmethod
    def of(cls, samples: list[float]) -> "Figure":
        if len(samples) < 2:
            return cls(samples[0], samples[0])
        fifths = statistics.quantiles(samples, n=10, method="inclusive")
        return cls(fifths[1], fifths[4])


@dataclass
class Row:
    """A row: the figures of each side, and the ratios between them."""

    group: str
    name: str
    unit: str
    figures: dict[str, Figure]
    ratio: float | None
    of_limit: float | None
    stopped: bool
    target: Target
    bytes: int | None
    note: str

    @classmethod
    def of(cls, printed: dict[str, Any]) -> "Row":
        samples = printed["samples"].items()
        figures = {side: Figure.of(taken) for side, taken in samples if taken}
        return cls(
            group=printed["group"],
            name=printed["name"],
            unit=printed["unit"],
            figures=figures,
            ratio=compared(figures, "theirs"),
            of_limit=compared(figures, "limit"),
            stopped=printed.get("stopped", False),
            target=target(printed["group"], printed["name"]),
            bytes=printed.get("bytes"),
            note=printed.get("note", ""),
        )

    def reached(self) -> bool | None:
        """Say whether the target was reached; None without a target or a figure."""
        if not self.target or "ours" not in self.figures:
            return None
        # A peer that had to be stopped would have taken longer, so its ratio is a lower bound.
        ratio = math.inf if self.stopped and self.ratio is not None else self.ratio
        reached = {
            "ratio": lambda least: ratio is not None and ratio >= least,
            "of_limit": lambda least: self.of_limit is not None and self.of_limit >= least,
            "at_most": lambda most: self.figures["ours"].low <= most,
            "rate": lambda least: (self.rate() or 0) >= least,
            "a_second": lambda least: self.a_second() >= least,
        }
        return all(reached[name](value) for name, value in self.target.items())

    def rate(self) -> float | None:
        """Give our GB in a second; None for a row that is not about bytes."""
        if self.unit != "ns" or not self.bytes or "ours" not in self.figures:
            return None
        return self.bytes / self.figures["ours"].low

    def a_second(self) -> float:
        """Give how often a second we do the work."""
        return 1e9 / self.figures["ours"].low

    def missed(self) -> str:
        """Write the figure beside the target that it misses."""
        own = self.figures["ours"].low
        figures = {
            "ratio": f"{self.ratio or 0:.3g}x",
            "of_limit": f"{self.of_limit or 0:.0%}",
            "at_most": f"{own:.4g}",
            "rate": f"{self.rate() or 0:.3g} GB/s",
            "a_second": f"{self.a_second():,.0f} a second",
        }
        reached = ", ".join(figures[name] for name in self.target)
        return f"{self.group}: {self.name}: {reached}, asked {self.asked()}"

    def asked(self) -> str:
        """Write the target for the table."""
        return ", ".join(ASKED[name].format(value) for name, value in self.target.items())

    def to_dict(self) -> dict[str, Any]:
        """Give the row for the JSON file."""
        figures = {side: vars(figure) for side, figure in self.figures.items()}
        return vars(self) | {"figures": figures, "reached": self.reached()}


def compared(figures: dict[str, Figure], side: str) -> float | None:
    """Give how many times as long the other side takes."""
    if side not in figures or "ours" not in figures:
        return None
    return figures[side].low / figures["ours"].low


def shown(value: float, unit: str) -> str:
    """Write a figure with three digits and a unit that fits."""
    if unit != "ns":
        whole = f"{value:,.0f}"
        units = {"MiB": f"{value:.2f} MiB", "instructions": whole, "bytes": whole}
        return units.get(unit, f"{value:.3f}")
    for size, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if value >= size:
            return (
                f"{value / size:.3g} {name}"
                if value < 1000 * size
                else f"{value / size:.0f} {name}"
            )
    return f"{value:.3g} ns" if value < 999.5 else f"{value:.0f} ns"


def spread(figure: Figure | None, unit: str) -> str:
    """Write a figure, and how far the median lies above it in percent."""
    if figure is None:
        return "-"
    text = shown(figure.low, unit)
    if figure.median == figure.low or figure.low == 0:
        return text
    return f"{text} +{figure.median / figure.low - 1:.0%}"


HEADINGS = ("row", "ours", "theirs", "ratio", "asked", "", "limit", "of limit")


def cells(row: Row) -> tuple[str, ...]:
    """Write a row of the table."""
    if not row.figures:
        return (row.name, "-", "-", "-", row.asked(), "", "-", row.note)
    ours = spread(row.figures.get("ours"), row.unit)
    rate = row.rate()
    if rate is not None and any(words in row.group for words in RATES):
        ours += f", {rate:.3g} GB/s"
    if "a_second" in row.target:
        ours += f", {row.a_second():,.0f} a second"
    theirs = spread(row.figures.get("theirs"), row.unit)
    return (
        row.name,
        ours,
        f"stopped at {theirs}" if row.stopped else theirs,
        "-" if row.ratio is None else f"{'> ' if row.stopped else ''}{row.ratio:.3g}x",
        row.asked(),
        {True: "yes", False: "NO", None: ""}[row.reached()],
        spread(row.figures.get("limit"), row.unit),
        "-" if row.of_limit is None else f"{row.of_limit:.0%}",
    )


def table(rows: list[Row]) -> str:
    """Write the table."""
    lines = [cells(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(HEADINGS, *lines, strict=True)]

    def line(parts: tuple[str, ...]) -> str:
        first, *rest = (part.ljust(width) for part, width in zip(parts, widths, strict=True))
        return "  ".join((first, *rest)).rstrip()

    text = [line(HEADINGS), "  ".join("-" * width for width in widths)]
    group = None
    for row, parts in zip(rows, lines, strict=True):
        if row.group != group:
            group = row.group
            text += ["", f"[{group}]"]
        text.append(line(parts))
    return "\n".join(text)

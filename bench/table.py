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
    "rate": ">= {:g} MB/s",
}


@dataclass
class Figure:
    """The median of the samples, and their quartiles."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, samples: list[float]) -> "Figure":
        if len(samples) < 2:
            return cls(samples[0], samples[0], samples[0])
        low, median, high = statistics.quantiles(samples, n=4, method="inclusive")
        return cls(median, low, high)


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
        samples = {side: taken for side, taken in printed["samples"].items() if taken}
        return cls(
            group=printed["group"],
            name=printed["name"],
            unit=printed["unit"],
            figures={side: Figure.of(taken) for side, taken in samples.items()},
            ratio=compared(samples, "theirs"),
            of_limit=compared(samples, "limit"),
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
            "at_most": lambda most: self.figures["ours"].median <= most,
            "rate": lambda least: (self.rate() or 0) >= least,
        }
        return all(reached[name](value) for name, value in self.target.items())

    def rate(self) -> float | None:
        """Give our MB in a second; None for a row that is not about bytes."""
        if self.unit != "ns" or self.bytes is None or "ours" not in self.figures:
            return None
        return self.bytes * 1000 / self.figures["ours"].median

    def asked(self) -> str:
        """Write the target for the table."""
        return ", ".join(ASKED[name].format(value) for name, value in self.target.items())

    def to_dict(self) -> dict[str, Any]:
        """Give the row for the JSON file."""
        figures = {side: vars(figure) for side, figure in self.figures.items()}
        return vars(self) | {"figures": figures, "reached": self.reached()}


def compared(samples: dict[str, list[float]], side: str) -> float | None:
    """Give how many times as long the other side takes: the median of the rounds cancels load."""
    if side not in samples or "ours" not in samples:
        return None
    if len(samples[side]) != len(samples["ours"]):
        return statistics.median(samples[side]) / statistics.median(samples["ours"])
    rounds = zip(samples[side], samples["ours"], strict=True)
    return statistics.median(other / own for other, own in rounds)


def shown(value: float, unit: str) -> str:
    """Write a figure with three digits and a unit that fits."""
    if unit != "ns":
        return {"MiB": f"{value:.2f} MiB", "instructions": f"{value:,.0f}"}.get(
            unit, f"{value:.3f}"
        )
    for size, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if value >= size:
            return (
                f"{value / size:.3g} {name}"
                if value < 1000 * size
                else f"{value / size:.0f} {name}"
            )
    return f"{value:.3g} ns" if value < 999.5 else f"{value:.0f} ns"


def spread(figure: Figure | None, unit: str) -> str:
    """Write a figure, and half the distance between its quartiles in percent."""
    if figure is None:
        return "-"
    text = shown(figure.median, unit)
    if figure.high == figure.low or figure.median == 0:
        return text
    return f"{text} ±{(figure.high - figure.low) / 2 / figure.median:.0%}"


HEADINGS = ("row", "ours", "theirs", "ratio", "asked", "", "limit", "of limit")


def cells(row: Row) -> tuple[str, ...]:
    """Write a row of the table."""
    if not row.figures:
        return (row.name, "-", "-", "-", row.asked(), "", "-", row.note)
    ours = spread(row.figures.get("ours"), row.unit)
    if "rate" in row.target:
        ours += f", {row.rate():.0f} MB/s"
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

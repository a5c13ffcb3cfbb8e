"""The sums of ``toolwire transcript --summary``: calls, failures, times, tokens, costs."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from toolwire.cli.terminal import FailedError, safe_line
from toolwire.transcript import Patch, Reader

#: What calls are summed up by.
KEYS = ("tool", "agent", "model", "day")
MILLISECONDS_PER_DAY = 86_400_000
TOKENS = ("input", "output", "cached")
UNKNOWN = ""
#: How many ids and lines an account names.
MOST_NAMED = 100


@dataclass
class Figures:
    """The counts of one tool, agent, model or day."""

    calls: int = 0
    failed: int = 0
    denied: int = 0
    pending: int = 0
    #: How many calls took so long, in milliseconds with three digits.
    times: Counter[int] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    #: What the tokens cost; None if nothing is known of it.
    cost: float | None = None

    def add(self, other: Figures) -> None:
        """Add the counts of another one."""
        self.calls += other.calls
        self.failed += other.failed
        self.denied += other.denied
        self.pending += other.pending
        self.times += other.times
        self.tokens += other.tokens
        if other.cost is not None:
            self.cost = (self.cost or 0.0) + other.cost

    def percentile(self, share: float) -> int | None:
        """Give the time that this share of the calls took at most, in milliseconds.

        >>> Figures(times=Counter([10, 20, 30, 40])).percentile(0.5)
        20
        """
        count = sum(self.times.values())
        if not count:
            return None
        rank = max(1, -int(-share * count // 1))
        for time in sorted(self.times):
            rank -= self.times[time]
            if rank <= 0:
                break
        return time

    def to_dict(self) -> dict[str, Any]:
        """Give the counts; what no log tells is null."""
        return {
            "calls": self.calls,
            "failed": self.failed,
            "denied": self.denied,
            "pending": self.pending,
            "median_ms": self.percentile(0.5),
            "p95_ms": self.percentile(0.95),
            "total_ms": sum(time * count for time, count in self.times.items())
            if self.times
            else None,
            **{name: self.tokens[name] if self.tokens else None for name in TOKENS},
            "cost": self.cost,
        }


@dataclass(frozen=True)
class Price:
    """What a million tokens cost."""

    input: float
    output: float
    cached: float

    def of(self, used: Mapping[str, Any]) -> float:
        """Give the cost of tokens."""
        cached: int = used["cached"]
        whole: float = (
            (used["input"] - cached) * self.input
            + cached * self.cached
            + used["output"] * self.output
        )
        return whole / 1_000_000


def read_prices(name: str) -> dict[str, Price]:
    """Read a table of prices: JSON, or CSV with model, input, output and cached."""
    try:
        text = Path(name).read_text(encoding="utf-8-sig")
        if text.lstrip().startswith("{"):
            rows = [{"model": model, **row} for model, row in json.loads(text).items()]
        else:
            rows = list(csv.DictReader(text.splitlines()))
        return {row["model"]: _price(row) for row in rows}
    except OSError as error:
        raise FailedError(f"cannot read {name}: {error.strerror or error}") from None
    except (ValueError, TypeError, KeyError) as error:
        raise FailedError(
            f"{name} is no table of prices: {error}; it has model, input, output and cached, in "
            "money for a million tokens"
        ) from None


def _price(row: Mapping[str, Any]) -> Price:
    cached = row.get("cached")
    given = float(row["input"])
    return Price(given, float(row["output"]), given if cached in (None, "") else float(cached))


def rounded(milliseconds: int) -> int:
    """Give a time with three digits, so that few different times have to be kept.

    >>> rounded(999), rounded(123_456)
    (999, 123000)
    """
    digits = len(str(milliseconds)) - 3
    return milliseconds if digits <= 0 else round(milliseconds, -digits)


def day_of(milliseconds: int | None) -> str:
    """Give the day in universal time; empty if the time is not known."""
    if milliseconds is None:
        return UNKNOWN
    try:
        days = timedelta(days=milliseconds // MILLISECONDS_PER_DAY)
        return (date(1970, 1, 1) + days).isoformat()
    except OverflowError:
        return UNKNOWN


class Counting:
    """Counts the calls of one session while it is read."""

    def __init__(self, by: str) -> None:
        self.by = by
        self.groups: dict[str, Figures] = {}
        self._waiting: dict[int, Figures] = {}

    def take(self, patch: Patch) -> None:
        """Count a call when it is made, and again when its result comes."""
        entry = patch.entry
        if entry.type != "tool_use":
            return
        if patch.op == "add":
            figures = self.groups.setdefault(self._key(entry), Figures())
            figures.calls += 1
            figures.pending += 1
            self._waiting[patch.index] = figures
            return
        status = entry.status
        waiting = self._waiting.pop(patch.index, None) if status != "created" else None
        if waiting is None:
            return
        waiting.pending -= 1
        if status == "failed":
            waiting.failed += 1
            waiting.denied += (entry.error or {}).get("kind") == "denied"
        took = entry.duration
        if took is not None:
            waiting.times[rounded(took)] += 1

    def _key(self, entry: Any) -> str:
        if self.by == "tool":
            return entry.name or UNKNOWN
        if self.by == "agent":
            return UNKNOWN  # whose log it is, is known once it is read
        about = entry.about or {}
        if self.by == "model":
            return about.get("model") or UNKNOWN
        started = entry.started
        return day_of(about.get("at") if started is None else started)

    def finish(self, reader: Reader, prices: Mapping[str, Price]) -> Sum:
        """Give the sum of the session, with the tokens of its account."""
        account, agent = reader.account, reader.dialect or UNKNOWN
        models = {used["model"] for used in account["usage"] if used["model"]}
        # A log may name its model beside the calls, and then it names one.
        known = {"agent": agent, "model": models.pop() if len(models) == 1 else UNKNOWN}
        unnamed = self.groups.pop(UNKNOWN, None)
        if unnamed is not None:
            key = known.get(self.by, UNKNOWN)
            self.groups.setdefault(key, Figures()).add(unnamed)
        made = Sum(by=self.by, groups=self.groups, account=account)
        made.add_tokens(agent, prices)
        return made


@dataclass
class Sum:
    """The sums of one session or of many."""

    by: str
    groups: dict[str, Figures] = field(default_factory=dict)
    total: Figures = field(default_factory=Figures)
    account: dict[str, Any] = field(default_factory=dict)
    #: The models of which no price is given.
    unpriced: set[str] = field(default_factory=set)

    def add_tokens(self, agent: str, prices: Mapping[str, Price]) -> None:
        """Add the calls to the total, and the tokens of the account to the total and the groups."""
        for figures in self.groups.values():
            self.total.add(figures)
        for used in self.account["usage"]:
            model = used["model"] or UNKNOWN
            price = prices.get(model)
            if price is None and prices:
                self.unpriced.add(model)
            cost = None if price is None else price.of(used)
            tokens = Counter({name: used[name] for name in TOKENS})
            figures = Figures(tokens=tokens, cost=cost)
            self.total.add(figures)
            key = {"agent": agent, "model": model, "day": used["day"] or UNKNOWN}.get(self.by)
            if key is not None:
                self.groups.setdefault(key, Figures()).add(figures)

    def add(self, other: Sum) -> None:
        """Add the sums of other sessions."""
        for key, figures in other.groups.items():
            self.groups.setdefault(key, Figures()).add(figures)
        self.total.add(other.total)
        self.unpriced |= other.unpriced
        self.account = joined_accounts(self.account, other.account)

    def rows(self) -> list[tuple[str, Figures]]:
        """Give the groups: days in their order, of all else the one with the most calls first."""
        if self.by == "day":
            return sorted(self.groups.items())
        return sorted(self.groups.items(), key=lambda item: (-item[1].calls, item[0]))

    def to_dict(self) -> dict[str, Any]:
        """Give the sums for programs."""
        rows = [{self.by: key or None, **figures.to_dict()} for key, figures in self.rows()]
        return {"by": self.by, "rows": rows, "total": self.total.to_dict()}

    def lines(self) -> list[str]:
        """Write the sums as a table for a person."""
        columns = ["calls", "failed", "denied", "pending", "median", "95 %", "time"]
        columns += list(TOKENS) if self.total.tokens else []
        columns += ["cost"] if self.total.cost is not None else []
        rows = [[self.by, *columns]]
        for key, figures in [*self.rows(), ("total", self.total)]:
            rows.append([safe_line(key) or "unknown", *_cells(figures, columns)])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return [
            "  ".join(
                [row[0].ljust(widths[0])]
                + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
            )
            for row in rows
        ]


def _cells(figures: Figures, columns: list[str]) -> list[str]:
    given = figures.to_dict()
    cells = {
        **{name: f"{given[name]:,}" for name in ("calls", "failed", "denied", "pending")},
        "median": _time(given["median_ms"]),
        "95 %": _time(given["p95_ms"]),
        "time": _time(given["total_ms"]),
        **{name: "" if given[name] is None else f"{given[name]:,}" for name in TOKENS},
        "cost": "" if given["cost"] is None else f"{given['cost']:.4f}",
    }
    return [cells[name] for name in columns]


def _time(milliseconds: int | None) -> str:
    """Write a time; one that no log tells is empty."""
    if milliseconds is None:
        return ""
    seconds = milliseconds / 1000
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:,.1f} s"


def joined_accounts(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Add what is counted in two accounts."""
    if not one:
        return other
    joined = dict(one)
    for name, value in other.items():
        before = one[name]
        if isinstance(value, int):
            joined[name] = before + value
        elif isinstance(value, dict):
            names = {**before, **value}
            joined[name] = {key: before.get(key, 0) + value.get(key, 0) for key in names}
        elif name == "usage":
            joined[name] = []  # the groups have it
        elif name == "verdict":
            joined[name] = max(before, value, key=VERDICTS.index)
        else:
            joined[name] = (before + value)[:MOST_NAMED]
    return joined


#: The words of an account, the worst last.
VERDICTS = ("whole", "unjoined", "damaged", "unknown")

"""A row of the table: what was installed where, and what it ran."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """What was installed where, what it ran, and how many shared cases."""

    file: str
    place: str
    ran: str
    cases: int | None = None

    def cells(self) -> str:
        """Write the row in Markdown."""
        cases = "" if self.cases is None else f"{self.cases:,}"
        return f"| `{self.file}` | {self.place} | {self.ran} | {cases} |"

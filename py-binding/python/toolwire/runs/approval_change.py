"""What a run would change, as the person sees it who approves the run.

>>> from toolwire.runs import ApprovalChange
>>> change = ApprovalChange("title", "diff", "@@ -1 +1 @@", 1, 1)
>>> change.to_dict()["label"], change.has_secrets
('title', False)
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

__all__ = ["ApprovalChange"]


@dataclass(frozen=True, slots=True)
class ApprovalChange:
    """One change that a run would make.

    ``text`` holds the lines of a unified diff (``diff``), what the program reported (``value``), or
    how many more changes there are (``left_out``). Secrets are masked; a diff without lines
    that has secrets changes only these. ``left_out`` counts the bytes that the text lacks at its
    end. The text may hold control characters: :func:`toolwire.visible` makes them visible.
    """

    label: str | None
    kind: Literal["diff", "value", "left_out"]
    text: str
    additions: int = 0
    deletions: int = 0
    has_secrets: bool = False
    left_out: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Give the fields."""
        return asdict(self)

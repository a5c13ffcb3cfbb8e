"""What became of a run in this process.

>>> from toolwire.runs.outcome import Outcome
>>> Outcome(code="cancelled").was_denied
False
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Outcome"]


@dataclass(slots=True)
class Outcome:
    """What became of a run in this process, as far as it got.

    ``ran`` says that the handler was called. ``not_kept`` says why the store does not have the end
    of the run.
    """

    output: Any = None
    code: str | None = None
    error: Exception | None = None
    cause: BaseException | None = None
    ran: bool = False
    not_kept: Exception | None = None

    @property
    def success(self) -> bool:
        """Whether the handler says that it succeeded."""
        return self.error is None and bool(getattr(self.output, "success", True))

    @property
    def message(self) -> str | None:
        """Why the run failed, in words."""
        return getattr(self.output, "error", None) if self.error is None else str(self.error)

    @property
    def was_denied(self) -> bool:
        """Whether the run ended before its handler."""
        return self.code is not None and self.code not in ("raised", "cancelled")

"""Contexts of any kind, as the tools layer reads them.

>>> from toolwire.tools import adapt_context
>>> adapt_context({"execution_mode": "chat"}).execution_mode
'chat'
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from toolwire._native import RunRecord
from toolwire.events import get_event_sink

__all__ = ["DictContextAdapter", "adapt_context"]

logger = logging.getLogger("stageflow.tools.adapters")


@dataclass
class DictContextAdapter:
    """A dict, read as a context."""

    _data: dict[str, Any]

    @classmethod
    def of(cls, given: Any) -> Any:
        """Read a dict as a context; anything else stays as it is."""
        return cls(given) if isinstance(given, dict) else given

    @classmethod
    def restored(cls, record: RunRecord) -> DictContextAdapter:
        """Give what a store keeps of the context that a run began with."""
        return cls(
            {
                "execution_mode": record.mode,
                "pipeline_run_id": record.parent_id,
                "request_id": record.request_id,
                "user_id": record.caller,
            }
        )

    @property
    def pipeline_run_id(self) -> UUID | None:
        """The pipeline's run; None when there is none, or it is no UUID."""
        return _uuid(self._data.get("pipeline_run_id"))

    @property
    def request_id(self) -> UUID | None:
        """The request; None when there is none, or it is no UUID."""
        return _uuid(self._data.get("request_id"))

    @property
    def execution_mode(self) -> Any:
        """The behavior."""
        return self._data.get("execution_mode")

    @property
    def event_sink(self) -> Any:
        """Where this context's events go, if the dict says so."""
        return self._data.get("event_sink")

    @property
    def user_id(self) -> Any:
        """The caller."""
        return self._data.get("user_id")

    def to_dict(self) -> dict[str, Any]:
        """Give a shallow copy of the dict."""
        return dict(self._data)

    def try_emit_event(self, type: str, data: Mapping[str, Any]) -> None:
        """Emit an event without waiting; a failure of the sink is logged."""
        logger.debug("event %s", type)
        sink = get_event_sink() if self.event_sink is None else self.event_sink
        try:
            sink.try_emit(type=type, data=data)
        except Exception:
            logger.warning("the event sink failed on %s", type, exc_info=True)


def _uuid(value: Any) -> UUID | None:
    if not value:
        return None
    if isinstance(value, UUID):
        return value
    try:
        return UUID(str(value))
    except ValueError:
        return None


def adapt_context(ctx: Any) -> Any:
    """Give a context as it is, or a dict as one."""
    if all(hasattr(ctx, name) for name in ("pipeline_run_id", "to_dict", "try_emit_event")):
        return ctx
    if isinstance(ctx, dict):
        return DictContextAdapter(ctx)
    raise TypeError(f"Unsupported context type: {type(ctx).__name__}")

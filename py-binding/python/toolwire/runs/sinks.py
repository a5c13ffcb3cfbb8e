"""Where the events of a run go.

>>> from toolwire.runs.sinks import sink_of
>>> sink_of(object()) is None
True
"""

from __future__ import annotations

import inspect
import logging
from typing import Any

from toolwire.events import EventSink, Source, get_event_sink, has_observers, tell_observers

__all__ = ["sink_of", "tell"]

logger = logging.getLogger("toolwire.runs")


def sink_of(ctx: Any) -> EventSink | None:
    """Give a context's own sink, if it has one that takes events."""
    sink = getattr(ctx, "event_sink", None)
    if sink is None or type(sink).__name__ == "NoOpEventSink":
        return None
    return sink if inspect.iscoroutinefunction(getattr(sink, "emit", None)) else None


async def tell(
    sink: EventSink | None, type: str, data: dict[str, Any], source: Source | None = None
) -> None:
    """Emit an event; a failure of the sink is logged."""
    if has_observers():
        await tell_observers(type, data, source)
    try:
        await (get_event_sink() if sink is None else sink).emit(type=type, data=data)
    except Exception:
        logger.warning("the event sink failed on %s", type, exc_info=True)

"""Sinks: ``toolwire.tools`` sends its events to them.

A sink has ``emit``, which is awaited, and ``try_emit`` for code that cannot await. Events go to the
sink that is set here; else to the sink of ``stageflow.events``, if the program uses stageflow; else
nowhere.

>>> import asyncio, toolwire.events
>>> class Printing:
...     async def emit(self, *, type, data):
...         print(type, data)
...     def try_emit(self, *, type, data):
...         print(type, data)
>>> toolwire.events.set_event_sink(Printing())
>>> asyncio.run(toolwire.events.get_event_sink().emit(type="tool.started", data=None))
tool.started None
>>> toolwire.events.clear_event_sink()
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Protocol, cast, runtime_checkable

__all__ = ["EventSink", "NoOpEventSink", "clear_event_sink", "get_event_sink", "set_event_sink"]


@runtime_checkable
class EventSink(Protocol):
    """Takes events."""

    async def emit(self, *, type: str, data: Mapping[str, Any] | None) -> None:
        """Take an event."""

    def try_emit(self, *, type: str, data: Mapping[str, Any] | None) -> None:
        """Take an event in code that cannot await."""


class NoOpEventSink:
    """Drops every event."""

    async def emit(self, *, type: str, data: Mapping[str, Any] | None) -> None:
        """Drop an event."""

    def try_emit(self, *, type: str, data: Mapping[str, Any] | None) -> None:
        """Let an event go."""


_NOWHERE = NoOpEventSink()
_SINK: ContextVar[EventSink | None] = ContextVar("toolwire_event_sink", default=None)


def get_event_sink() -> EventSink:
    """Give the sink of this context."""
    sink = _SINK.get()
    if sink is not None:
        return sink
    # A program that has not imported stageflow cannot have set a sink there.
    stageflow = sys.modules.get("stageflow.events")
    if stageflow is None:
        return _NOWHERE
    return cast("EventSink", stageflow.get_event_sink())


def set_event_sink(sink: EventSink) -> None:
    """Set the sink of this context and of the tasks that it starts."""
    _SINK.set(sink)


def clear_event_sink() -> None:
    """Forget the sink of this context."""
    _SINK.set(None)

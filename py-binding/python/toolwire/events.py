"""Sinks: ``toolwire.tools`` sends its events to them.

A sink has ``emit``, which is awaited, and ``try_emit`` for code that cannot await. Events go to the
sink that is set here; else to the sink of ``stageflow.events``, if the program uses stageflow; else
nowhere. An observer hears every event of the program beside that, wherever it goes.

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

import logging
import sys
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Protocol, cast, runtime_checkable

__all__ = [
    "EventSink",
    "NoOpEventSink",
    "Observer",
    "Source",
    "add_observer",
    "clear_event_sink",
    "get_event_sink",
    "remove_observer",
    "set_event_sink",
    "tell_observers",
    "try_tell_observers",
]

logger = logging.getLogger("toolwire.events")


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


class Source(Protocol):
    """The run that an event comes from: what no event says of it."""

    @property
    def arguments(self) -> Any:
        """The whole arguments, with their secrets."""

    @property
    def result(self) -> Any:
        """The data of the output, with their secrets; None before there is one."""

    @property
    def description(self) -> str:
        """What the tool does."""


class Observer(Protocol):
    """Hears every event of the program's runs, whatever sinks there are."""

    async def observe(
        self, *, type: str, data: Mapping[str, Any] | None, source: Source | None
    ) -> None:
        """Hear an event, before its sink does."""

    def try_observe(self, *, type: str, data: Mapping[str, Any] | None) -> None:
        """Hear an event in code that cannot await."""


_observers: tuple[Observer, ...] = ()


def add_observer(observer: Observer) -> None:
    """Let an observer hear every event of the program from now on."""
    global _observers
    _observers = (*_observers, observer)


def remove_observer(observer: Observer) -> None:
    """Let an observer hear no more."""
    global _observers
    _observers = tuple(one for one in _observers if one is not observer)


def has_observers() -> bool:
    """Say whether any observer hears the events."""
    return bool(_observers)


async def tell_observers(
    type: str, data: Mapping[str, Any] | None, source: Source | None = None
) -> None:
    """Tell an event to the observers; a failure of one is logged."""
    for observer in _observers:
        try:
            await observer.observe(type=type, data=data, source=source)
        except Exception:
            logger.warning("an observer failed on %s", type, exc_info=True)


def try_tell_observers(type: str, data: Mapping[str, Any] | None) -> None:
    """Tell an event to the observers in code that cannot await; a failure is logged."""
    for observer in _observers:
        try:
            observer.try_observe(type=type, data=data)
        except Exception:
            logger.warning("an observer failed on %s", type, exc_info=True)

"""How far a handler has come, told while it works.

>>> import asyncio
>>> from toolwire.events import set_event_sink
>>> from toolwire.runs import Executor, Tool, report_progress
>>> class Printing:
...     async def emit(self, *, type, data):
...         pass
...     def try_emit(self, *, type, data):
...         print(type, data["progress"], data["total"], data["message"])
>>> executor = Executor()
>>> executor.register(Tool("copy", lambda given: report_progress(1, 2, "half")))
>>> async def main():
...     set_event_sink(Printing())
...     await executor.execute({"id": "c1", "name": "copy", "arguments": {}})
>>> asyncio.run(main())
tool.progress 1 2 half
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from toolwire.events import EventSink, get_event_sink, try_tell_observers
from toolwire.runs.ids import id_text, optional_id_text
from toolwire.runs.words import OWN_WORDS, Words

__all__ = ["Handling", "report_progress"]

logger = logging.getLogger("toolwire.runs")

_Handled = tuple["EventSink | None", Any, Callable[[], bool] | None, Words]

_HANDLED: ContextVar[_Handled | None] = ContextVar("toolwire_handled", default=None)
"""What the handler of this context was given, where its events go and in whose words, and whether
it has its run."""


class Handling:
    """Lets what is reported meanwhile count for this input."""

    __slots__ = ("_handled", "_token")

    def __init__(
        self,
        sink: EventSink | None,
        given: Any,
        has_run: Callable[[], bool] | None = None,
        words: Words = OWN_WORDS,
    ) -> None:
        self._handled: _Handled = sink, given, has_run, words

    def __enter__(self) -> None:
        self._token = _HANDLED.set(self._handled)

    def __exit__(self, *_: object) -> None:
        _HANDLED.reset(self._token)


def report_progress(
    progress: float, total: float | None = None, message: str | None = None
) -> bool:
    """Tell how far the handler that calls this has come, as the event ``tool.progress``.

    ``progress`` grows from call to call; ``total`` is what it is at the end, if that is known. A
    client of MCP gets it where it asked for progress. Outside of a handler nothing happens, and a
    failure of the sink is logged.

    Gives whether the handler still has its run. If it has not, its process stood still for longer
    than the lease of the run: its end is not kept, and it should stop.
    """
    handled = _HANDLED.get()
    if handled is None:
        return False
    sink, given, has_run, words = handled
    data = {
        "tool_name": given.tool_name,
        words.run_id: id_text(given.run_id),
        words.parent_id: optional_id_text(given.parent_id),
        "request_id": optional_id_text(given.request_id),
        "progress": progress,
        "total": total,
        "message": message,
    }
    try_tell_observers("tool.progress", data)
    try:
        (get_event_sink() if sink is None else sink).try_emit(type="tool.progress", data=data)
    except Exception:
        logger.warning("the event sink failed on tool.progress", exc_info=True)
    return has_run is None or has_run()

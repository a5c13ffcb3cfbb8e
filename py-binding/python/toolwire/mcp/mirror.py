"""An executor whose tools are those of a registry, also when these change later.

>>> from toolwire.mcp.mirror import executor_for
>>> from toolwire.tools import ToolDefinition, ToolRegistry
>>> registry = ToolRegistry()
>>> executor = executor_for(registry, None)
>>> registry.register(ToolDefinition("look", "LOOK", lambda input: 7))
>>> [tool.name for tool in executor.tools()]
['look']
"""

from __future__ import annotations

import logging
import threading
from typing import Any

import toolwire
from toolwire.runs.executor_base import ExecutorBase
from toolwire.runs.store import MemoryStore, Store
from toolwire.tools.executor_v2 import AdvancedToolExecutor
from toolwire.tools.registry import ToolRegistry

__all__ = ["Mirror", "executor_for"]

logger = logging.getLogger("toolwire.mcp")


class Mirror:
    """Keeps the tools of an executor equal to those of a registry."""

    def __init__(self, registry: ToolRegistry, executor: AdvancedToolExecutor) -> None:
        self._registry = registry
        self._executor = executor
        self._lock = threading.Lock()
        self._known: dict[str, Any] = {}

    def update(self) -> None:
        """Add the tools that are new or different, and remove those that are gone.

        Raises :class:`toolwire.InvalidArgumentError` for a tool whose schema is none.
        """
        with self._lock:
            present = {tool.action_type: tool for tool in self._registry.list()}
            for tool_id in [one for one in self._known if one not in present]:
                self._executor.remove(tool_id)
                del self._known[tool_id]
            for tool_id, tool in present.items():
                if self._known.get(tool_id) is not tool:
                    self._executor.register(tool)
                    self._known[tool_id] = tool

    def follow(self) -> None:
        """Take a change of the registry; what cannot be taken is logged."""
        try:
            self.update()
        except toolwire.InvalidArgumentError:
            logger.warning("a tool of the registry is not served", exc_info=True)


def executor_for(tools: ExecutorBase | ToolRegistry, store: Store | None) -> Any:
    """Give an executor that keeps runs."""
    if isinstance(tools, ExecutorBase):
        if store is not None:
            raise ValueError("an executor has a store of its own: Executor(store)")
        if not tools.keeps_runs:
            raise ValueError("the executor keeps no runs: Executor(store)")
        return tools
    executor = AdvancedToolExecutor(store=MemoryStore() if store is None else store)
    mirror = Mirror(tools, executor)
    mirror.update()
    tools.on_change(mirror.follow)
    return executor

"""The plain executor: runs actions by the tools of the program's registry.

>>> import asyncio
>>> from types import SimpleNamespace
>>> from toolwire.tools import ToolExecutor
>>> action = SimpleNamespace(id=None, type="NOTHING", payload={})
>>> asyncio.run(ToolExecutor().execute(action, {})).error
'No tool registered for action type: NOTHING'
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import UUID

from toolwire.tools.definitions import Action, ToolOutput
from toolwire.tools.errors import ToolError
from toolwire.tools.registry import get_tool_registry

__all__ = ["ToolExecutor", "ToolExecutorResult"]

logger = logging.getLogger("stageflow.tools.executor")

ActionProtocol = Action


class PlanProtocol(Protocol):
    """Actions that are to be run in order."""

    @property
    def actions(self) -> Sequence[Action]:
        """The actions."""


@dataclass
class ToolExecutorResult:
    """The outcome of a plan."""

    actions_executed: int = 0
    actions_failed: int = 0
    artifacts_produced: list[dict[str, Any]] = field(default_factory=list)
    requires_reentry: bool = False
    error: str | None = None
    subpipeline_runs: list[Any] = field(default_factory=list)


class ToolExecutor:
    """Runs an action, or the actions of a plan."""

    id = "stage.tool_executor"

    def __init__(
        self,
        *,
        spawner: Any = None,
        registry: Any = None,
        uuid_monitor: Any = None,
        memory_tracker: Any = None,
    ) -> None:
        self._registry = get_tool_registry()
        self._spawner = spawner
        self._pipeline_registry = registry
        self._uuid_monitor = uuid_monitor
        self._memory_tracker = memory_tracker

    @property
    def spawner(self) -> Any:
        """The given spawner of pipelines inside a pipeline."""
        return self._spawner

    @property
    def pipeline_registry(self) -> Any:
        """The given registry of pipelines."""
        return self._pipeline_registry

    async def execute(self, ctx: Any = None, plan: Any = None, *, action: Any = None) -> Any:
        """Run a plan, as ``execute(ctx, plan)``, or an action, as ``execute(action, ctx)``.

        An action's output is given as it is; a plan's failures are counted.
        """
        if action is not None:
            return await self._run(action, ctx if plan is None else plan)
        if hasattr(ctx, "type") and hasattr(ctx, "payload"):
            return await self._run(ctx, plan)
        return await self._run_plan(ctx, plan)

    async def _run(self, action: Action, ctx: Any) -> ToolOutput:
        return await self._registry.execute(action, {} if ctx is None else ctx)

    async def _run_plan(self, ctx: Any, plan: PlanProtocol | None) -> ToolExecutorResult:
        result = ToolExecutorResult()
        for action in () if plan is None else plan.actions:
            try:
                output = await self._registry.execute(action, ctx.to_dict())
                success = output.success
            except Exception:
                logger.exception("the action %s failed", action.type)
                success = False
            else:
                if not success:
                    logger.warning("the action %s failed: %s", action.type, output.error)
            if success:
                result.actions_executed += 1
                result.artifacts_produced.extend(output.artifacts or ())
                if action.payload.get("requires_reentry"):
                    result.requires_reentry = True
            else:
                result.actions_failed += 1
        if result.actions_failed:
            result.requires_reentry = True
        return result

    async def spawn_subpipeline(
        self,
        pipeline_name: str,
        ctx: Any,
        correlation_id: UUID,
        *,
        topology_override: str | None = None,
        execution_mode_override: str | None = None,
    ) -> Any:
        """Refuse: pipelines are stageflow's own.

        Raises :class:`~toolwire.tools.ToolError`; ``stageflow.tools.ToolExecutor`` runs pipelines.
        """
        raise ToolError(
            f"the pipeline {pipeline_name} needs stageflow's own ToolExecutor", pipeline_name
        )

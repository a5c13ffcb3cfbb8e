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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import UUID

from toolwire.runs.action import Action
from toolwire.runs.output import ToolOutput
from toolwire.tools.registry import get_tool_registry
from toolwire.tools.subpipeline import Subpipeline, stageflow_pipelines, stageflow_spawner

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
    """Runs an action, or the actions of a plan, or a pipeline inside a pipeline.

    Pipelines are stageflow's. ``spawner`` and ``registry`` are its spawner and its pipelines unless
    others are given: a spawner has ``spawn``, and a registry gives a pipeline for its name.
    ``uuid_monitor`` observes the ids for which pipelines run, ``memory_tracker`` the memory.
    """

    id = "stage.tool_executor"

    def __init__(
        self,
        *,
        spawner: Any = None,
        registry: Any = None,
        uuid_monitor: Any = None,
        memory_tracker: Any = None,
    ) -> None:
        self.tool_registry = get_tool_registry()
        self._spawner = spawner
        self._pipeline_registry = registry
        self._uuid_monitor = uuid_monitor
        self._memory_tracker = memory_tracker

    @property
    def spawner(self) -> Any:
        """What starts pipelines inside a pipeline; stageflow's own, if none was given."""
        if self._spawner is None:
            self._spawner = stageflow_spawner()
        return self._spawner

    @property
    def pipeline_registry(self) -> Any:
        """The pipelines by name; stageflow's own, if none were given."""
        if self._pipeline_registry is None:
            self._pipeline_registry = stageflow_pipelines()
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
        return await self.tool_registry.execute(action, {} if ctx is None else ctx)

    async def _run_plan(self, ctx: Any, plan: PlanProtocol | None) -> ToolExecutorResult:
        result = ToolExecutorResult()
        for action in () if plan is None else plan.actions:
            try:
                given = dict(ctx) if isinstance(ctx, Mapping) else ctx.to_dict()
                output = await self.tool_registry.execute(action, given)
                success = output.success
            except Exception as error:
                logger.exception("Error executing action %s: %s", action.type, error)
                success = False
            else:
                if not success:
                    logger.error("Action %s failed: %s", action.type, output.error)
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
        """Run a pipeline inside the pipeline of this context, and give the spawner's result.

        ``correlation_id`` is the action for which the pipeline runs.

        Raises :class:`KeyError` when there is no pipeline of this name,
        :class:`~toolwire.tools.MissingExtraError` when stageflow is needed and missing, and what
        the spawner raises, as ``MaxDepthExceededError``.
        """
        asked = Subpipeline(
            pipeline_name, ctx, correlation_id, self.id, topology_override, execution_mode_override
        )
        if self._uuid_monitor is not None:
            self._uuid_monitor.observe(correlation_id)
        return await asked.run(self.pipeline_registry, self.spawner, self._memory_tracker)

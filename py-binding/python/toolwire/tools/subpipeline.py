"""Pipelines that run inside a pipeline: what is logged and measured round one.

stageflow has pipelines, registries of them, and spawners, which run one inside another. Others do
too, if they have the methods that are used here.

>>> import asyncio, uuid
>>> from types import SimpleNamespace
>>> from toolwire.tools import ToolExecutor
>>> class Greeting:
...     def build(self):
...         return self
...     async def run(self, ctx):
...         return {"greet": SimpleNamespace(data={"text": "Hello!"})}
>>> class Spawner:
...     async def spawn(self, *, runner, ctx, **asked):
...         data = await runner(ctx)
...         return SimpleNamespace(success=True, child_run_id=None, data=data)
>>> executor = ToolExecutor(spawner=Spawner(), registry={"greeting": Greeting()})
>>> asyncio.run(executor.spawn_subpipeline("greeting", {}, uuid.uuid4())).data
{'greet': {'text': 'Hello!'}}
"""

from __future__ import annotations

import logging
import sys
import time
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from toolwire._extra import MissingExtraError

__all__ = ["Subpipeline", "stageflow_pipelines", "stageflow_spawner"]

logger = logging.getLogger("stageflow.tools.executor")


@dataclass(frozen=True, slots=True)
class Subpipeline:
    """A pipeline that is to run inside the pipeline of a context."""

    pipeline_name: str
    ctx: Any
    correlation_id: UUID
    parent_stage_id: str
    topology: str | None = None
    execution_mode: str | None = None

    async def run(self, pipelines: Any, spawner: Any, memory_tracker: Any = None) -> Any:
        """Run the pipeline, and give the spawner's result."""
        start = time.perf_counter()

        def observe(moment: str) -> None:
            if memory_tracker is not None:
                memory_tracker.observe(label=f"subpipeline:{moment}")

        def milliseconds() -> float:
            return (time.perf_counter() - start) * 1000

        observe("start")
        self._log_start()
        graph = self._pipeline(pipelines).build()

        async def runner(ctx: Any) -> dict[str, Any]:
            return {name: output.data for name, output in (await graph.run(ctx)).items()}

        try:
            result = await spawner.spawn(
                pipeline_name=self.pipeline_name,
                ctx=self.ctx,
                correlation_id=self.correlation_id,
                parent_stage_id=self.parent_stage_id,
                runner=runner,
                topology=self.topology,
                execution_mode=self.execution_mode,
            )
        except Exception as error:
            observe("depth_exceeded" if _is_too_deep(error) else "error")
            self._log_failure(error, milliseconds())
            raise
        observe("end")
        extra = {
            "pipeline_name": self.pipeline_name,
            "child_run_id": str(result.child_run_id),
            **self._ids(),
            "success": result.success,
            "duration_ms": milliseconds(),
        }
        logger.info("Subpipeline completed", extra=extra)
        return result

    def _pipeline(self, pipelines: Any) -> Any:
        """Look the pipeline up."""
        message = f"Pipeline '{self.pipeline_name}' not found"
        try:
            pipeline = pipelines.get(self.pipeline_name)
            if pipeline is None:
                raise KeyError(message)
        except KeyError:
            extra = {"pipeline_name": self.pipeline_name, **self._ids()}
            logger.error(f"{message} in registry", extra=extra)
            raise
        return pipeline

    def _ids(self) -> dict[str, Any]:
        """Give the ids that every record of the log has."""
        parent_run_id = getattr(self.ctx, "pipeline_run_id", None)
        return {
            "parent_run_id": None if parent_run_id is None else str(parent_run_id),
            "correlation_id": str(self.correlation_id),
        }

    def _log_start(self) -> None:
        extra = {
            "pipeline_name": self.pipeline_name,
            **self._ids(),
            "parent_stage_id": self.parent_stage_id,
            "topology_override": self.topology,
            "execution_mode_override": self.execution_mode,
        }
        logger.info("Spawning subpipeline", extra=extra)

    def _log_failure(self, error: Exception, duration_ms: float) -> None:
        extra = {"pipeline_name": self.pipeline_name, **self._ids(), "duration_ms": duration_ms}
        if _is_too_deep(error):
            logger.error("Subpipeline spawn rejected: max depth exceeded", extra=extra)
        else:
            extra["error_type"] = type(error).__name__
            logger.error(f"Subpipeline spawn failed: {error}", extra=extra, exc_info=True)


def _is_too_deep(error: Exception) -> bool:
    """Say whether stageflow's spawner refused because pipelines nest too deep."""
    # A program that has not imported stageflow cannot get its errors.
    stageflow = sys.modules.get("stageflow.pipeline.subpipeline")
    return stageflow is not None and isinstance(error, stageflow.MaxDepthExceededError)


def stageflow_spawner() -> Any:
    """Give stageflow's spawner of the program.

    Raises :class:`~toolwire.tools.MissingExtraError` without stageflow.
    """
    try:
        from stageflow.pipeline.subpipeline import get_subpipeline_spawner
    except ModuleNotFoundError as error:
        raise _missing(error, "give spawner=") from None
    return get_subpipeline_spawner()


def stageflow_pipelines() -> Any:
    """Give stageflow's registry of the program's pipelines.

    Raises :class:`~toolwire.tools.MissingExtraError` without stageflow.
    """
    try:
        from stageflow.pipeline.registry import pipeline_registry
    except ModuleNotFoundError as error:
        raise _missing(error, "give registry=") from None
    return pipeline_registry


def _missing(error: ModuleNotFoundError, instead: str) -> ImportError:
    """Give the error that says what to install, unless a package of stageflow's own is missing."""
    if (error.name or "").split(".")[0] == "stageflow":
        return MissingExtraError("stageflow-core", instead)
    return error

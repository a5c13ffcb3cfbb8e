"""Scenarios of pipelines that run inside a pipeline: stageflow's pipelines, spawners and sinks."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

from peers import ACTION, REQUEST, RUN, Sink, plain
from stageflow import events as stageflow_events
from stageflow.core import StageKind, StageOutput
from stageflow.events import NoOpEventSink
from stageflow.pipeline import (
    Pipeline,
    PipelineRegistry,
    SubpipelineSpawner,
    clear_subpipeline_spawner,
)
from stageflow.pipeline.registry import pipeline_registry
from stageflow.stages.context import PipelineContext
from stageflow_scenario import scenario


class Check:
    """A stage that says under which topology and mode it runs."""

    id = "check"

    async def execute(self, ctx: Any) -> Any:
        return StageOutput.ok(data={"mode": ctx.snapshot.execution_mode})


class Broken:
    """A stage that raises."""

    id = "broken"

    async def execute(self, _: Any) -> Any:
        raise ValueError("no")


def pipelines(stage: Any = Check) -> PipelineRegistry:
    registry = PipelineRegistry()
    registry.register("check", Pipeline().with_stage("check", stage, StageKind.TRANSFORM))
    return registry


def parent() -> PipelineContext:
    return PipelineContext(
        pipeline_run_id=RUN,
        request_id=REQUEST,
        session_id=REQUEST,
        user_id=None,
        org_id=None,
        interaction_id=None,
        topology="parent",
        execution_mode="chat",
        event_sink=NoOpEventSink(),
    )


class Observer:
    """Keeps what it is told to observe."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def observe(self, value: Any = None, *, label: Any = None) -> None:
        self.seen.append(value or label)


OWN = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class Kept(logging.Handler):
    """Keeps the records of the executor's log, each with its own fields."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[Any] = []

    def emit(self, record: logging.LogRecord) -> None:
        extra = {name: value for name, value in vars(record).items() if name not in OWN}
        traced = record.exc_info is not None
        self.kept.append([record.levelname, record.getMessage(), plain(extra), traced])


@contextmanager
def log() -> Iterator[list[Any]]:
    logger, handler = logging.getLogger("stageflow.tools.executor"), Kept()
    level = logger.level
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    try:
        yield handler.kept
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


async def spawned(made: Any, name: str = "check", **overrides: Any) -> Any:
    """Run a pipeline, and give the outcome, the events and the log."""
    sink = Sink()
    before = stageflow_events.get_event_sink()
    stageflow_events.set_event_sink(sink)
    try:
        with log() as records:
            outcome: Any = None
            try:
                outcome = (
                    await made.spawn_subpipeline(name, parent(), ACTION, **overrides)
                ).to_dict()
            except Exception as error:
                outcome = [type(error).__name__, str(error)]
        return [plain(outcome), plain(sink.told), records]
    finally:
        stageflow_events.set_event_sink(before)


@scenario
async def spawn(tools: ModuleType) -> Any:
    made = tools.ToolExecutor(registry=pipelines(), spawner=SubpipelineSpawner())
    return await spawned(made)


@scenario
async def spawn_by_the_program_s_own(tools: ModuleType) -> Any:
    clear_subpipeline_spawner()
    made = tools.ToolExecutor()
    before = [made._spawner, made._pipeline_registry]
    pipeline_registry.register("own", pipelines().get("check"))
    outcome = await spawned(made, "own")
    kept = [made.spawner is made._spawner, made.pipeline_registry is pipeline_registry]
    return [before, outcome, kept]


@scenario
async def spawn_with_overrides(tools: ModuleType) -> Any:
    made = tools.ToolExecutor(registry=pipelines(), spawner=SubpipelineSpawner())
    return await spawned(made, topology_override="fast", execution_mode_override="strict")


@scenario
async def spawn_what_raises(tools: ModuleType) -> Any:
    made = tools.ToolExecutor(registry=pipelines(Broken), spawner=SubpipelineSpawner())
    return await spawned(made)


@scenario
async def spawn_unknown(tools: ModuleType) -> Any:
    made = tools.ToolExecutor(registry=pipelines(), spawner=SubpipelineSpawner())
    return await spawned(made, "nothing")


@scenario
async def spawn_too_deep(tools: ModuleType) -> Any:
    memory = Observer()
    spawner = SubpipelineSpawner(max_depth=0)
    made = tools.ToolExecutor(registry=pipelines(), spawner=spawner, memory_tracker=memory)
    return [await spawned(made), memory.seen]


@scenario
async def spawn_observed(tools: ModuleType) -> Any:
    ids, memory = Observer(), Observer()
    made = tools.ToolExecutor(
        registry=pipelines(),
        spawner=SubpipelineSpawner(),
        uuid_monitor=ids,
        memory_tracker=memory,
    )
    await spawned(made)
    await spawned(made, "nothing")
    return [plain(ids.seen), memory.seen]


@scenario
async def spawn_by_a_failing_spawner(tools: ModuleType) -> Any:
    class Failing:
        async def spawn(self, **_: Any) -> Any:
            raise OSError("gone")

    memory = Observer()
    made = tools.ToolExecutor(registry=pipelines(), spawner=Failing(), memory_tracker=memory)
    return [await spawned(made), memory.seen]


@scenario
async def spawn_from_a_plain_dict(tools: ModuleType) -> Any:
    class Spawner:
        async def spawn(self, **asked: Any) -> Any:
            data = await asked.pop("runner")(asked.pop("ctx"))
            return SimpleNamespace(
                child_run_id=RUN, success=True, to_dict=lambda: [plain(asked), data]
            )

    registry = {"check": pipelines().get("check")}
    made = tools.ToolExecutor(registry=registry, spawner=Spawner())
    return [await spawned(made), await spawned(made, "nothing")]

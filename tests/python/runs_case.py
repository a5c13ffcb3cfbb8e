"""The topic ``runs``: what a person and a program do with one run of a store, step by step."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from cases import fields
from toolwire.runs import (
    ApprovalRefusedError,
    Executor,
    ExecutorSettings,
    MemoryStore,
    Run,
    RunNotRetriedError,
    Tool,
    ToolOutput,
)
from toolwire.runs.executor_base import ExecutorBase
from toolwire.tools import AdvancedToolExecutor, ToolDefinition, ToolExecutorConfig


def run(given: dict[str, Any]) -> dict[str, Any]:
    """Take the steps of a case, and tell how the run stands after each."""
    fields(given, "handler steps", "approval left permission schema timeout_ms")
    stands = asyncio.run(World(given).stands(given["steps"]))
    # The drop-in for stageflow is the same in other words.
    assert asyncio.run(DropInWorld(given).stands(given["steps"])) == stands
    return stands


def following(values: list[Any]) -> Any:
    """Take the next of some values, and the last one again and again."""
    return values.pop(0) if len(values) > 1 else values[0]


class Sink:
    """Keeps the types of events."""

    def __init__(self) -> None:
        self.events: list[str] = []

    async def emit(self, *, type: str, data: dict[str, Any]) -> None:
        """Keep an event."""
        self.events.append(type)


class World:
    """A store, an executor and one run."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.sink, self.ran, self.id = Sink(), 0, ""
        self.context = self.made_context()
        handler, permission = list(given["handler"]), list(given.get("permission", []))
        seconds = given.get("timeout_ms", 60_000) / 1000
        store = MemoryStore()
        if left := given.get("left"):
            fields(left, "key value", "")
            store.put(left["key"], json.dumps(left["value"]).encode(), "absent", None, 0)
            self.id = left["value"]["id"]
        policy = (lambda *_: following(permission)) if permission else None
        self.executor = self.made_executor(store, seconds, policy)

        async def wipe(input: Any) -> ToolOutput:
            self.ran += 1
            does = following(handler)
            if does == "echo":
                return ToolOutput.ok(data=input.arguments)
            fields(does, "", "ok raise")
            if "raise" in does:
                raise ValueError(does["raise"])
            return ToolOutput.ok(data=does["ok"], undo_metadata={"disk": 7})

        asks, schema = given.get("approval", False), given.get("schema", {})
        self.executor.register(self.made_tool(wipe, schema, requires_approval=asks))

    def made_context(self) -> dict[str, Any]:
        """Make the context of the calls."""
        return {"mode": "chat", "event_sink": self.sink}

    def made_executor(self, store: MemoryStore, seconds: float, permission: Any) -> ExecutorBase:
        """Make an executor over a store."""
        settings = ExecutorSettings(approval_timeout_seconds=seconds)
        return Executor(store, settings, permission=permission)

    def made_tool(self, wipe: Any, schema: dict[str, Any], *, requires_approval: bool) -> Any:
        """Make the tool of the calls."""
        return Tool(
            "WIPE",
            wipe,
            aliases=("wipe",),
            requires_approval=requires_approval,
            undo=lambda _: None,
            input_schema=schema,
        )

    async def stands(self, steps: list[str]) -> dict[str, Any]:
        """Take the steps."""
        return {"stands": [await self.step(step) for step in steps]}

    async def step(self, step: str) -> dict[str, Any]:
        """Take a step, and tell how the run stands then."""
        self.sink.events.clear()
        try:
            run = await self.take(step)
            made: dict[str, Any] = {"state": None} if run is None else told(run)
            self.id = self.id if run is None else run.id
        except (RunNotRetriedError, ApprovalRefusedError) as refused:
            made = {"refused": refused.code}
        return {**made, "ran": self.ran, "events": list(self.sink.events)}

    async def take(self, step: str) -> Run | None:
        """Take a step, and give the run."""
        executor, call = self.executor, {"id": "call_1", "type": "WIPE", "payload": {"disk": 7}}
        if step in ("start", "start again"):
            return await executor.start(call, self.context, again=step == "start again")
        if step in ("start other", "start written otherwise"):
            disk = 8 if step == "start other" else 7.0
            return await executor.start({**call, "payload": {"disk": disk}}, self.context)
        if step == "resume":
            return await executor.resume(self.id, self.context)
        if step == "retry":
            return await executor.retry(self.id, self.context)
        if step in ("approve changed", "approve bad"):
            waits = await executor.run(self.id)
            assert waits is not None
            arguments = {"disk": 9 if step == "approve changed" else "nine"}
            await executor.approve(waits.approval_id, arguments=arguments)
            return await executor.run(self.id)
        if step in ("approve", "deny"):
            run = await executor.run(self.id)
            assert run is not None
            assert run.approval_id is not None
            await executor.approvals.decide(run.approval_id, step == "approve")
        elif step == "wait":
            await asyncio.sleep(0.06)
        elif step == "undo":
            await executor.undo(self.id, self.context)
        elif step == "forget":
            await executor.forget(self.id)
        else:
            assert step == "look", step
        return await executor.run(self.id, self.context)


class DropInWorld(World):
    """The same by the names of stageflow."""

    def made_context(self) -> dict[str, Any]:
        """Make the context of the calls."""
        return {"execution_mode": "chat", "event_sink": self.sink}

    def made_executor(self, store: MemoryStore, seconds: float, permission: Any) -> ExecutorBase:
        """Make an executor over a store."""
        config = ToolExecutorConfig(approval_timeout_seconds=seconds)
        return AdvancedToolExecutor(config, store=store, permission=permission)

    def made_tool(self, wipe: Any, schema: dict[str, Any], *, requires_approval: bool) -> Any:
        """Make the tool of the calls."""

        async def undo(_: Any) -> None:
            return None

        return ToolDefinition(
            "wipe",
            "WIPE",
            wipe,
            requires_approval=requires_approval,
            undoable=True,
            undo_handler=undo,
            input_schema=schema,
        )


def told(run: Run) -> dict[str, Any]:
    """Tell how a run stands."""
    output = None if run.output is None else run.output.data
    return {"state": run.state, "code": run.code, "output": output}

"""Runs the same code for ``stageflow.tools`` and ``toolwire.tools``, and records the outcome."""

from __future__ import annotations

import asyncio
import importlib
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any
from uuid import UUID

TARGETS = ("stageflow.tools", "toolwire.tools")

ACTION = UUID(int=1)
RUN = UUID(int=2)
REQUEST = UUID(int=3)

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00")
RANDOM_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


@dataclass
class Sink:
    """Keeps the events that it receives."""

    told: list[tuple[str, Any]] = field(default_factory=list)

    async def emit(self, *, type: str, data: Mapping[str, Any] | None) -> None:
        self.told.append((type, data))

    def try_emit(self, *, type: str, data: Mapping[str, Any] | None) -> None:
        self.told.append((type, data))

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.told]


@dataclass
class Context:
    """The fields of a context that an executor reads."""

    execution_mode: str | None = "chat"
    pipeline_run_id: UUID | None = RUN
    request_id: UUID | None = REQUEST

    def to_dict(self) -> dict[str, Any]:
        return {"execution_mode": self.execution_mode}

    def try_emit_event(self, type: str, data: Any) -> None:
        raise AssertionError("events go to a sink")


def action(type: str = "EDIT", payload: Any = None, id: Any = ACTION) -> Any:
    return SimpleNamespace(id=id, type=type, payload={"k": 1} if payload is None else payload)


def plain(value: Any) -> Any:
    """Write a value so that two runs compare: a time, a duration or a random id is its kind."""
    if isinstance(value, UUID):
        value = str(value)
    if isinstance(value, str):
        return RANDOM_ID.sub("<id>", TIME.sub("<time>", value))
    if isinstance(value, dict):
        return [
            (plain(key), "<duration>" if key == "duration_ms" else plain(one))
            for key, one in value.items()
        ]
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, BaseException):
        fields = value.to_dict() if hasattr(value, "to_dict") else str(value)
        return [type(value).__name__, plain(fields), type(value.__cause__).__name__]
    if hasattr(value, "to_dict"):
        return [type(value).__name__, plain(value.to_dict())]
    return value


@dataclass
class Trace:
    """The outcome of a scenario, and the events that were sent."""

    outcome: Any
    told: Any


def outcome_of(run: Awaitable[Any]) -> Any:
    """Run to the end, and write the result or the error."""

    async def settle() -> Any:
        try:
            return plain(await run)
        except (Exception, asyncio.CancelledError) as error:
            return plain(error)

    return asyncio.run(settle())


Scenario = Callable[[ModuleType], Awaitable[Any]]


def trace(target: str, scenario: Scenario) -> Trace:
    """Run a scenario for a target, and write its outcome and its events."""
    tools = importlib.import_module(target)
    events = importlib.import_module(target.split(".")[0] + ".events")
    for clear in ("clear_tool_registry", "clear_approval_service", "clear_undo_store"):
        getattr(tools, clear)()
    sink = Sink()

    async def settle() -> Any:
        events.set_event_sink(sink)
        return await scenario(tools)

    outcome = outcome_of(settle())
    return Trace(outcome, [[name, plain(data)] for name, data in sink.told])

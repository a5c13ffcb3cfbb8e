"""Scenarios: the same code over ``stageflow.tools`` and ``toolwire.tools``, to be compared."""

from __future__ import annotations

import asyncio
from types import ModuleType
from typing import Any

from peers import Context, Scenario, action

SCENARIOS: dict[str, Scenario] = {}


def scenario(run: Scenario) -> Scenario:
    SCENARIOS[run.__name__] = run
    return run


def definition(tools: ModuleType, handler: Any = None, **options: Any) -> Any:
    async def succeed(_: Any) -> Any:
        return tools.ToolOutput.ok(data={"done": True}, undo_metadata={"before": 1})

    fields = {"name": "edit", "action_type": "EDIT", **options}
    return tools.ToolDefinition(handler=handler or succeed, **fields)


def executor(tools: ModuleType, handler: Any = None, config: Any = None, **options: Any) -> Any:
    made = tools.AdvancedToolExecutor(config)
    made.register(definition(tools, handler, **options))
    return made


def raising(error: Exception) -> Any:
    async def handler(_: Any) -> Any:
        raise error

    return handler


async def decide_soon(tools: ModuleType, decide: Any) -> None:
    """Decide on the first request that is made."""
    service = tools.get_approval_service()
    while not (pending := await service.get_pending_requests()):
        await asyncio.sleep(0.001)
    await decide(service, pending[0])


async def with_decision(tools: ModuleType, decide: Any, **options: Any) -> Any:
    made = executor(tools, requires_approval=True, **options)
    run = asyncio.ensure_future(made.execute(action(), Context()))
    await decide_soon(tools, decide)
    return await run

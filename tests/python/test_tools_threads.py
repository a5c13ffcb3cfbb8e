"""Tools, registries and approvals that several threads use."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
from peers import ACTION
from tools_run import Made, executor, run, tool
from toolwire.tools import (
    ApprovalClosedError,
    ApprovalService,
    ApprovalStatus,
    Tool,
    ToolExecutionError,
    ToolInput,
    ToolOutput,
    ToolRegistry,
)


def test_threads_get_one_tool_of_a_factory() -> None:
    registry = ToolRegistry()
    made: list[Tool] = []

    def factory() -> Tool:
        time.sleep(0.01)
        made.append(Made())
        return made[-1]

    registry.register_factory("MADE", factory)
    found: list[Tool | None] = []
    threads = [
        threading.Thread(target=lambda: found.append(registry.get("MADE"))) for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert found == made * 16


def test_threads_may_register_and_resolve_at_once() -> None:
    registry = ToolRegistry()
    errors: list[Exception] = []

    def work(number: int) -> None:
        try:
            for turn in range(200):
                tool = Made()
                tool.action_type = f"T{(number + turn) % 20}"
                registry.register(tool)
                calls = [{"name": f"T{n}"} for n in range(20)]
                resolved, unresolved = registry.parse_and_resolve(calls)
                assert len(resolved) + len(unresolved) == 20
                assert len({one.action_type for one in registry.list()}) == len(registry.list())
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(registry.list()) == 20


def test_a_decision_from_another_thread_is_noticed_at_once() -> None:
    service = ApprovalService()
    noticed: list[float] = []

    async def wait() -> bool:
        request = await service.request_approval(ACTION, "edit")

        def decide() -> None:
            time.sleep(0.05)
            noticed.append(time.perf_counter())
            asyncio.run(service.record_decision(request.id, True))

        thread = threading.Thread(target=decide)
        thread.start()
        decision = await service.await_decision(request.id, 30)
        noticed.append(time.perf_counter())
        thread.join()
        return decision.granted

    assert asyncio.run(wait())
    assert noticed[1] - noticed[0] < 1


def test_all_who_wait_are_released() -> None:
    service = ApprovalService()

    async def wait() -> list[bool]:
        request = await service.request_approval(ACTION, "edit")
        waiting = [asyncio.ensure_future(service.await_decision(request.id, 30)) for _ in range(50)]
        await asyncio.sleep(0)
        await service.decide(ACTION, "approved")
        return [decision.granted for decision in await asyncio.gather(*waiting)]

    assert asyncio.run(wait()) == [True] * 50


def test_a_decision_is_final() -> None:
    service = ApprovalService()

    async def decide() -> None:
        request = await service.request_approval(ACTION, "edit")
        await service.decide(request.id, True)
        assert request.status is ApprovalStatus.APPROVED
        for late in (True, False):
            with pytest.raises(ApprovalClosedError) as raised:
                await service.record_decision(request.id, late)
            assert raised.value.code == "already_decided"
        assert await service.cancel_request(request.id) is False
        with pytest.raises(ValueError, match="pending"):
            await service.decide(request.id, ApprovalStatus.PENDING)

    asyncio.run(decide())


def test_a_tool_s_errors_keep_their_cause() -> None:
    async def raises(_: ToolInput) -> ToolOutput:
        raise ValueError("bad")

    with pytest.raises(ToolExecutionError) as raised:
        run(executor(tool(raises)))
    assert isinstance(raised.value.cause, ValueError)
    assert raised.value.__cause__ is raised.value.cause

"""How runs stand: approved, denied, expired, undone, and which of them begin again."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import uuid
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from toolwire.tools import (
    AdvancedToolExecutor,
    MemoryStore,
    RunNotRetriedError,
    SqliteStore,
    ToolApprovalDeniedError,
    ToolApprovalTimeoutError,
    ToolDefinition,
    ToolExecutorConfig,
    ToolInput,
    ToolOutput,
    UndoMetadata,
)

CALL = {"id": "call_1", "type": "WIPE", "payload": {"disk": 7}}


def executor_of(store: Any, seconds: float = 60.0) -> AdvancedToolExecutor:
    config = ToolExecutorConfig(approval_timeout_seconds=seconds)
    executor = AdvancedToolExecutor(config, store=store)

    def wipe(input: ToolInput) -> ToolOutput:
        return ToolOutput.ok(data=input.idempotency_key, undo_metadata={"disk": 7})

    async def undo(metadata: UndoMetadata) -> None:
        assert metadata.undo_data == {"disk": 7}

    executor.register(
        ToolDefinition(
            "wipe",
            "WIPE",
            wipe,
            requires_approval=True,
            undoable=True,
            undo_handler=undo,
        )
    )
    return executor


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "runs.db")


def in_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    def run(store: Any) -> None:
        asyncio.run(test(store))

    return run


async def state_of(executor: AdvancedToolExecutor, run_id: str) -> str:
    run = await executor.run(run_id)
    assert run is not None
    return run.state


async def refused(executor: AdvancedToolExecutor) -> str:
    with pytest.raises(RunNotRetriedError) as error:
        await executor.start(CALL, again=True)
    return error.value.code


@in_a_loop
async def test_an_approved_run_is_taken_up_and_undone(store: Any) -> None:
    executor = executor_of(store)
    run = await executor.start(CALL)
    assert (await executor.start(CALL, again=True)).approval_id == run.approval_id
    await executor.approvals.decide(run.approval_id or "", True)
    stands = await executor.start(CALL)
    assert (stands.state, stands.is_ended, stands.error) == ("approved", False, None)
    assert [one.state for one in await executor.waiting()] == ["approved"]
    ended = await executor.resume(run.id)
    assert ended is not None
    assert ended.state == "completed"
    assert await refused(executor) == "already_ran"
    assert await executor.undo_action(uuid.UUID(run.id), {})
    undone = await executor.start(CALL)
    assert (undone.state, undone.result().data) == ("undone", ended.result().data)
    assert await refused(executor) == "already_ran"


@in_a_loop
async def test_a_denied_run_says_why_at_once_and_begins_again(store: Any) -> None:
    executor = executor_of(store)
    run = await executor.start(CALL)
    await executor.approvals.record_decision(run.approval_id or "", False, reason="not now")
    stands = await executor.run(run.id)
    assert stands is not None
    assert (stands.state, stands.code, stands.is_ended) == ("denied", "approval_denied", True)
    assert isinstance(stands.error, ToolApprovalDeniedError)
    assert "not now" in str(stands.error)
    again = await executor.start(CALL, again=True)
    assert (again.id, again.state) == (run.id, "waiting")
    assert again.approval_id != run.approval_id
    await executor.approvals.decide(again.approval_id or "", True)
    ended = await executor.resume(run.id)
    assert ended is not None
    assert ended.state == "completed"


@in_a_loop
async def test_a_run_that_nobody_decided_on_has_expired(store: Any) -> None:
    executor = executor_of(store, 0.01)
    run = await executor.start(CALL)
    await asyncio.sleep(0.05)
    stands = await executor.run(run.id)
    assert stands is not None
    assert (stands.state, stands.code) == ("expired", "approval_timeout")
    assert isinstance(stands.error, ToolApprovalTimeoutError)
    ended = await executor.resume(run.id)
    assert ended is not None
    assert (ended.state, ended.code) == ("expired", "approval_timeout")
    assert [event["type"] for event in ended.events] == ["tool.denied"]
    assert await state_of(executor, run.id) == "expired"
    patient = executor_of(store)
    assert (await patient.start(CALL, again=True)).state == "waiting"


@in_a_loop
async def test_execute_waits_for_a_run_that_was_approved_before(store: Any) -> None:
    executor = executor_of(store)
    run = await executor.start(CALL)
    await executor.approvals.decide(run.approval_id or "", True)
    assert isinstance((await executor.execute(CALL)).data, str)


def test_the_console_says_what_comes_next(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"

    async def approved() -> str:
        executor = executor_of(SqliteStore(path))
        run = await executor.start(CALL)
        await executor.approvals.decide(run.approval_id or "", True)
        return run.id

    run_id = asyncio.run(approved())
    command = [sys.executable, "-m", "toolwire", "runs", "show", str(path), run_id]
    shown = subprocess.run(command, capture_output=True, text=True).stdout
    assert re.search(r"^state +approved$", shown, re.M)
    wanted = f"next         toolwire runs resume {path} {run_id} --app MODULE:EXECUTOR"
    assert wanted in shown.splitlines()

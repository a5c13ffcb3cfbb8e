"""Approvals with other arguments than those of the call, in code and at the console."""

from __future__ import annotations

import asyncio
import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from tools_console import console
from toolwire.tools import (
    AdvancedToolExecutor,
    ApprovalChangedError,
    ApprovalClosedError,
    ApprovalNotFoundError,
    ApprovalRefusedError,
    ApprovalService,
    MemoryStore,
    Run,
    SqliteStore,
    Store,
    ToolDefinition,
    ToolInput,
    ToolPermissionError,
)

SCHEMA = {"type": "object", "properties": {"disk": {"type": "integer"}}, "required": ["disk"]}
CALL = {"id": "call_1", "type": "WIPE", "payload": {"disk": 7}}


class Sink:
    """Keeps events."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []

    async def emit(self, *, type: str, data: dict[str, Any]) -> None:
        self.events.append((type, data))


def process(store: Store, got: list[Any], **options: Any) -> AdvancedToolExecutor:
    async def changes(given: ToolInput, _: Any) -> Any:
        await asyncio.sleep(0)
        return {"disk": ["full", given.payload["disk"]]}

    def wipe(given: ToolInput) -> Any:
        got.append(given.payload)
        return given.payload

    executor = AdvancedToolExecutor(store=store, changes=changes, **options)
    executor.register(
        ToolDefinition("wipe", "WIPE", wipe, requires_approval=True, input_schema=SCHEMA)
    )
    return executor


def resumed(executor: AdvancedToolExecutor, run: Run, ctx: Any = None) -> Run:
    done = asyncio.run(executor.resume(run.id, ctx))
    assert done is not None
    return done


def test_another_process_goes_on_with_the_arguments_that_were_approved(tmp_path: Path) -> None:
    got: list[Any] = []
    store = SqliteStore(tmp_path / "tools.db")
    run = asyncio.run(process(store, got).start(CALL))
    approver = process(SqliteStore(tmp_path / "tools.db"), got)
    assert run.approval_id is not None
    request = asyncio.run(approver.approvals.find_request(run.approval_id))
    assert request is not None
    decided = asyncio.run(
        approver.approve(
            run.approval_id,
            arguments={"disk": 9.0},
            reason="7 is in use",
            fingerprint=request.fingerprint,
        )
    )
    assert decided.granted
    assert decided.reason == "7 is in use"
    assert decided.fingerprint not in (None, request.fingerprint)
    sink = Sink()
    done = resumed(process(store, got), run, {"event_sink": sink})
    assert (done.state, got) == ("completed", [{"disk": 9}])
    assert isinstance(got[0]["disk"], int)
    assert [data.get("changed") for type, data in sink.events if type == "approval.decided"] == [
        True
    ]
    known = asyncio.run(process(store, got).start(CALL))
    assert (known.id, known.state, len(got)) == (run.id, "completed", 1)


def test_what_is_refused_decides_nothing() -> None:
    got: list[Any] = []
    may: dict[str, bool | str] = {"verdict": True}

    async def permission(_tool: Any, action: Any, ctx: Any) -> Any:
        assert ctx.to_dict()["user_id"] == "ann"
        return may["verdict"] if action.payload["disk"] == 1 else True

    executor = process(MemoryStore(), got, permission=permission)
    run = asyncio.run(executor.start(CALL, {"user_id": "ann"}))

    def refused(expected: type[Exception], **given: Any) -> Any:
        with pytest.raises(expected) as raised:
            asyncio.run(executor.approve(run.approval_id, **given))
        return raised.value

    schema = refused(ApprovalRefusedError, arguments={"disk": "nine"})
    assert schema.code == "arguments_refused"
    assert "/disk" in str(schema)
    assert schema.to_dict()["request_id"] == str(run.approval_id)
    number = refused(ApprovalRefusedError, arguments={"disk": float("inf")})
    assert number.code == "arguments_refused"
    may["verdict"] = "not the first disk"
    policy = refused(ApprovalRefusedError, arguments={"disk": 1})
    assert isinstance(policy.__cause__, ToolPermissionError)
    assert "not the first disk" in str(policy)
    for odd in ([9], "disk", 9):
        assert "must be a mapping" in str(refused(TypeError, arguments=odd))
    refused(ApprovalChangedError, arguments={"disk": 9}, fingerprint="f")
    refused(ApprovalChangedError, fingerprint="f")
    with pytest.raises(ApprovalNotFoundError):
        asyncio.run(executor.approve("x", arguments={"disk": 9}))
    waits = asyncio.run(executor.run(run.id))
    assert waits is not None
    assert (waits.state, got) == ("waiting", [])
    asyncio.run(executor.approve(run.approval_id))
    refused(ApprovalClosedError, arguments={"disk": 9})
    assert resumed(executor, run).state == "completed"
    assert got == [{"disk": 7}]


def test_a_policy_gets_the_context_that_the_approver_gives() -> None:
    got: list[Any] = []

    def permission(_tool: Any, _action: Any, ctx: Any) -> Any:
        return ctx.to_dict().get("role") == "admin"

    executor = process(MemoryStore(), got, permission=permission)
    ctx = {"role": "admin"}
    run = asyncio.run(executor.start(CALL, ctx))
    with pytest.raises(ApprovalRefusedError):
        asyncio.run(executor.approve(run.approval_id, arguments={"disk": 9}))
    asyncio.run(executor.approve(run.approval_id, ctx, arguments={"disk": 9}))
    assert resumed(executor, run, ctx).state == "completed"
    assert got == [{"disk": 9}]


def test_a_request_of_a_run_that_was_forgotten_changes_no_other() -> None:
    got: list[Any] = []
    executor = process(MemoryStore(), got)
    first = asyncio.run(executor.start(CALL))
    asyncio.run(executor.forget(first.id))
    second = asyncio.run(executor.start(CALL))
    with pytest.raises(ApprovalRefusedError) as refused:
        asyncio.run(executor.approve(first.approval_id, arguments={"disk": 9}))
    assert refused.value.code == "not_waiting"
    asyncio.run(executor.approve(second.approval_id))
    assert resumed(executor, second).state == "completed"
    assert got == [{"disk": 7}]


def test_a_run_that_waits_in_no_store_keeps_its_arguments() -> None:
    async def main() -> None:
        service = ApprovalService()
        executor = AdvancedToolExecutor(approval_service=service)
        executor.register(
            ToolDefinition("wipe", "WIPE", lambda given: given.payload, requires_approval=True)
        )
        task = asyncio.create_task(executor.execute(CALL))
        while not (pending := await service.get_pending_requests()):
            await asyncio.sleep(0.01)
        with pytest.raises(ApprovalRefusedError) as refused:
            await executor.approve(pending[0].id, arguments={"disk": 9})
        assert refused.value.code == "not_waiting"
        await executor.approve(pending[0].id)
        assert (await task).data == {"disk": 7}

    asyncio.run(main())


def test_of_approvers_at_the_same_moment_one_decides(tmp_path: Path) -> None:
    async def main() -> None:
        got: list[Any] = []
        executors = [process(SqliteStore(tmp_path / "tools.db"), got) for _ in range(4)]
        for round in range(10):
            got.clear()
            run = await executors[0].start({**CALL, "id": f"call_{round}"})
            decided = await asyncio.gather(
                *(
                    executor.approve(run.approval_id, arguments={"disk": disk})
                    for disk, executor in enumerate(executors)
                ),
                return_exceptions=True,
            )
            (chosen,) = (
                disk for disk, one in enumerate(decided) if not isinstance(one, BaseException)
            )
            done = await executors[1].resume(run.id)
            assert done is not None
            assert (done.state, got) == ("completed", [{"disk": chosen}])

    asyncio.run(main())


APP = """
from toolwire.tools import AdvancedToolExecutor, ToolDefinition

def executor(store):
    made = AdvancedToolExecutor(store=store)
    schema = {"type": "object", "properties": {"disk": {"type": "integer"}}}
    made.register(
        ToolDefinition(
            "wipe", "WIPE", lambda it: it.payload, requires_approval=True, input_schema=schema
        )
    )
    return made
"""


def test_the_console_approves_other_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "agent.py").write_text(APP, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    agent = importlib.import_module("agent")

    run = asyncio.run(agent.executor(SqliteStore("tools.db")).start(CALL))
    show = json.loads(console("show", "--json", "tools.db", str(run.approval_id))[1])
    given = ["approve", "tools.db", str(run.approval_id), "--fingerprint", show["fingerprint"]]
    status, printed = console(*given, "--app", "agent:executor", "--arguments", '{"disk": "x"}')
    assert (status, "arguments_refused" in printed) == (1, True)
    status, printed = console(*given, "--app", "agent:executor", "--arguments", '{"disk": 9}')
    assert (status, "approved" in printed) == (0, True), printed
    resumed = console("resume", "tools.db", run.id, "--app", "agent:executor", command="runs")
    assert (resumed[0], '{"disk": 9}' in resumed[1].replace('"disk":9', '"disk": 9')) == (0, True)

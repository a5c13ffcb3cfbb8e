"""Runs of tools: what ``stageflow.tools`` lacks; sinks, stores and policies that fail."""

from __future__ import annotations

import asyncio
import gc
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import toolwire
from peers import ACTION, Context, Sink, action
from tools_run import BrokenPut, Made, executor, run, tool
from toolwire import events
from toolwire.tools import (
    ApprovalService,
    ApprovalStatus,
    BaseTool,
    DictContextAdapter,
    SqliteStore,
    StoreError,
    ToolApprovalDeniedError,
    ToolDefinition,
    ToolDeniedError,
    ToolExecutor,
    ToolExecutorConfig,
    ToolInput,
    ToolInputError,
    ToolOutput,
    ToolPermissionError,
    ToolRateLimitError,
    ToolRegistry,
    UndoStore,
    base,
    definitions,
    get_tool_registry,
    register_tool,
)


def test_arguments_that_break_the_schema_are_denied_before_approval(sink: Sink) -> None:
    schema = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}
    made = executor(tool(input_schema=schema, requires_approval=True))
    with pytest.raises(ToolInputError) as raised:
        run(made, {"id": "secret"})
    assert raised.value.problems[0]["path"] == "/id"
    assert "secret" not in str(raised.value)
    assert isinstance(raised.value, ToolDeniedError)
    assert sink.names == ["tool.invoked", "tool.denied"]
    assert sink.told[1][1]["reason"] == "invalid_input"
    assert sink.told[1][1]["problems"] == raised.value.problems


def test_a_payload_that_is_no_json_fails_against_a_schema(sink: Sink) -> None:
    with pytest.raises(toolwire.WrongTypeError):
        run(executor(tool(input_schema={"type": "object"})), {"day": date(2024, 1, 1)})
    assert sink.names == ["tool.invoked", "tool.failed"]


def test_a_schema_that_is_none_is_refused_when_the_tool_is_registered() -> None:
    with pytest.raises(toolwire.InvalidArgumentError) as raised:
        executor(tool(input_schema={"type": "nonsense"}))
    assert raised.value.kind == "invalid_schema"


@pytest.mark.parametrize(
    ("verdict", "reason"), [(False, "not permitted"), ("not on Sundays", "not on Sundays")]
)
def test_a_policy_refuses(sink: Sink, verdict: Any, reason: str) -> None:
    async def policy(definition: ToolDefinition, asked: Any, ctx: Any) -> Any:
        assert (definition.name, asked.type, ctx.execution_mode) == ("edit", "EDIT", "chat")
        return verdict

    for permission in (policy, lambda *_: verdict):
        with pytest.raises(ToolPermissionError, match=f"Tool 'edit' denied: {reason}"):
            run(executor(tool(), permission=permission))
    assert sink.names == ["tool.invoked", "tool.denied"] * 2
    assert run(executor(tool(), permission=lambda *_: True)).success


def test_a_capability_needs_a_policy() -> None:
    with pytest.raises(ToolPermissionError, match="no policy"):
        run(executor(tool(capability="edit_posts")))


def test_a_policy_that_raises_lets_nobody_through(sink: Sink) -> None:
    def policy(*_: Any) -> bool:
        raise OSError("the directory is down")

    with pytest.raises(OSError, match="directory"):
        run(executor(tool(), permission=policy))
    assert sink.names == ["tool.invoked", "tool.failed"]
    assert sink.told[1][1]["error_code"] == "OSError"


def test_a_rate_limit_counts_by_caller() -> None:
    made = executor(tool(rate_limit=(2, 60.0)), caller=lambda ctx: ctx.execution_mode)
    for _ in range(2):
        assert run(made).success
    with pytest.raises(ToolRateLimitError) as raised:
        run(made)
    assert 0 < raised.value.retry_after_seconds <= 30
    assert run(made, ctx=Context(execution_mode="other")).success


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_a_limit_over_the_context_s_user(kind: str, tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "tools.db") if kind == "file" else None
    made = executor(tool(rate_limit=(1, 60.0)), limit_store=store)
    assert run(made, ctx={"user_id": 7}).success
    assert run(made, ctx={"user_id": 8}).success
    with pytest.raises(ToolRateLimitError):
        run(made, ctx={"user_id": 7})


class Failing:
    """A sink that fails."""

    async def emit(self, **_: Any) -> None:
        raise RuntimeError("no room")

    def try_emit(self, **_: Any) -> None:
        raise RuntimeError("no room")


def test_a_sink_that_raises_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    events.set_event_sink(Failing())
    try:
        assert run(executor(tool())).success
    finally:
        events.clear_event_sink()
    assert caplog.text.count("the event sink failed") == 3


def test_the_context_s_own_sink_is_used(sink: Sink) -> None:
    own = Sink()
    context = Context()
    context.event_sink = own  # type: ignore[attr-defined]
    run(executor(tool()), ctx=context)
    run(executor(tool()), ctx={"event_sink": own})
    assert own.names == ["tool.invoked", "tool.started", "tool.completed"] * 2
    assert sink.names == []


def test_a_store_that_raises_while_a_person_is_asked_is_told_and_raised(sink: Sink) -> None:
    service = ApprovalService(store=BrokenPut())
    with pytest.raises(ConnectionError, match="no put"):
        run(executor(tool(requires_approval=True), approval_service=service))
    assert sink.names == ["tool.invoked", "tool.failed"]


def test_what_is_no_store_is_refused() -> None:
    with pytest.raises(toolwire.WrongTypeError, match="has no put"):
        ApprovalService(store={})  # type: ignore[arg-type]


def test_a_cancelled_task_ends_its_run_and_withdraws_its_request(sink: Sink) -> None:
    service = ApprovalService()

    async def cancel() -> ApprovalStatus | None:
        made = executor(tool(requires_approval=True), approval_service=service)
        task = asyncio.ensure_future(made.execute(action(), Context()))
        while not (pending := await service.get_pending_requests()):
            await asyncio.sleep(0)
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await service.get_status(pending[0].id)

    assert asyncio.run(cancel()) is ApprovalStatus.CANCELLED
    assert sink.names == ["tool.invoked", "approval.requested", "tool.cancelled"]


@pytest.mark.parametrize("at", range(5))
def test_a_task_that_is_cancelled_in_a_sink_tells_one_end(at: int) -> None:
    told: list[str] = []

    class Slow:
        async def emit(self, *, type: str, data: Any) -> None:
            told.append(type)
            if len(told) == at + 1:
                await asyncio.sleep(60)

        def try_emit(self, **_: Any) -> None:
            raise AssertionError

    async def cancel() -> None:
        events.set_event_sink(Slow())
        task = asyncio.ensure_future(executor(tool()).execute(action(), Context()))
        await asyncio.sleep(0.01)
        if at >= 3:
            assert (await task).success
            return
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    ends = [name for name in told if name in ("tool.completed", "tool.failed", "tool.cancelled")]
    assert ends == ["tool.cancelled" if at < 2 else "tool.completed"]


def test_a_run_whose_loop_ends_is_given_up(sink: Sink) -> None:
    service = ApprovalService()
    made = executor(tool(requires_approval=True), approval_service=service)
    steps = made.execute(action(), Context())

    async def begin() -> None:
        events.set_event_sink(sink)
        task = asyncio.ensure_future(service.get_pending_requests())
        await task
        steps.send(None)

    asyncio.run(begin())
    steps.close()
    assert sink.names == ["tool.invoked", "approval.requested", "tool.cancelled"]
    assert asyncio.run(service.get_pending_requests()) == []


def test_denied_by_a_person_says_which_request_and_why() -> None:
    service = ApprovalService()

    async def deny() -> Any:
        made = executor(tool(requires_approval=True), approval_service=service)
        task = asyncio.ensure_future(made.execute(action(), Context()))
        while not (pending := await service.get_pending_requests()):
            await asyncio.sleep(0)
        await service.record_decision(pending[0].id, False, reason="too risky")
        with pytest.raises(ToolApprovalDeniedError) as raised:
            await task
        return raised.value, pending[0].id

    error, request_id = asyncio.run(deny())
    assert (error.request_id, error.reason) == (request_id, "too risky")
    assert str(error) == "Tool 'edit' approval denied: too risky"


def test_nothing_is_asked_when_the_settings_say_so() -> None:
    config = ToolExecutorConfig(require_approval_for_risky=False, store_undo_data=False)
    store = UndoStore()
    made = executor(tool(requires_approval=True, undoable=True), config=config, undo_store=store)
    assert run(made).success
    assert len(store) == 0


def test_a_detailed_run_never_raises() -> None:
    async def raises(_: ToolInput) -> ToolOutput:
        raise ValueError("bad")

    async def fails(_: ToolInput) -> ToolOutput:
        return ToolOutput.fail("no")

    def detailed(definition: ToolDefinition, type: str = "EDIT") -> Any:
        return asyncio.run(executor(definition).execute_detailed(action(type), Context()))

    done = detailed(tool())
    assert (done.success, done.output.data, done.error) == (True, {"done": True}, None)
    assert [event["type"] for event in done.events] == [
        "tool.invoked",
        "tool.started",
        "tool.completed",
    ]
    assert done.duration_ms > 0
    failed = detailed(tool(fails))
    assert (failed.success, failed.error, failed.was_denied) == (False, "no", False)
    raised = detailed(tool(raises))
    assert (raised.success, raised.error) == (False, "Tool 'edit' execution failed: bad")
    denied = detailed(tool(allowed_behaviors=("edit",)))
    assert (denied.was_denied, denied.denial_reason) == (True, "behavior_not_allowed")
    unknown = detailed(tool(), "NOTHING")
    assert unknown.error == "No tool registered for action type: NOTHING"


def test_events_hold_no_secrets_and_nothing_that_changes(sink: Sink) -> None:
    inner = {"x": 1, "api_key": "k"}
    payload = {"password": "hunter2", "nested": [inner], "thing": object(), "day": date(2024, 1, 1)}

    async def handler(_: ToolInput) -> ToolOutput:
        inner["x"] = 2
        return ToolOutput.ok()

    run(executor(tool(handler)), payload)
    assert sink.told[0][1]["payload_summary"] == {
        "password": "[redacted]",
        "nested": [{"x": 1, "api_key": "[redacted]"}],
        "thing": "<object object>",
        "day": date(2024, 1, 1),
    }
    run(executor(tool(handler), secret_keys=["x"]), payload)
    assert sink.told[3][1]["payload_summary"]["nested"] == [{"x": "[redacted]", "api_key": "k"}]


def test_a_payload_that_cannot_be_shown_is_summed_up(sink: Sink) -> None:
    class Rude(dict):  # type: ignore[type-arg]
        def __str__(self) -> str:
            raise RuntimeError("no")

    cycle: list[Any] = []
    cycle.append(cycle)
    assert run(executor(tool()), {"rude": [Rude()], "cycle": cycle, "own": Rude(a=1)}).success
    summary = sink.told[0][1]["payload_summary"]
    assert summary["own"] == "<dict with 1 items>"
    assert "<list with 1 items>" in str(summary["cycle"])


def test_one_input_and_one_output_for_all() -> None:
    assert base.ToolInput is definitions.ToolInput
    assert base.ToolOutput is definitions.ToolOutput
    made = action()
    for given in (ToolInput(made), ToolInput(action=made), ToolInput.from_action(made, "edit")):
        assert given.action is made
        assert given.payload == {"k": 1}
    view = ToolInput(action={"name": "Ada"}).action
    assert view.payload == {"name": "Ada"}
    plain = ToolInput(ACTION, "edit", {"k": 1})
    assert (plain.action.id, plain.action.type, plain.action.payload) == (ACTION, "edit", {"k": 1})
    assert plain == ToolInput(ACTION, "edit", {"k": 1}, action=made)
    with pytest.raises(TypeError, match="tool_name, payload"):
        ToolInput(ACTION)


def test_the_plain_executor_runs_an_action_too() -> None:
    class Greet(BaseTool):
        name = "greet"
        action_type = "GREET_ONCE"

        async def execute(self, input: ToolInput, ctx: dict[str, Any]) -> ToolOutput:
            return ToolOutput.ok({"to": input.action.payload["name"], "ctx": ctx})

    register_tool(Greet())
    made = action("GREET_ONCE", {"name": "Ada"})
    output = asyncio.run(ToolExecutor().execute(made, {"x": 1}))
    assert output.data == {"to": "Ada", "ctx": {"x": 1}}
    assert asyncio.run(ToolExecutor().execute(action=made, ctx={})).success
    assert get_tool_registry().get("greet") is get_tool_registry().get("GREET_ONCE")


def test_an_adapter_s_events_go_to_the_sink(sink: Sink) -> None:
    DictContextAdapter({}).try_emit_event("custom", {"x": 1})
    assert sink.told == [("custom", {"x": 1})]
    events.set_event_sink(Failing())
    DictContextAdapter({}).try_emit_event("custom", {})


def test_memory_stays_flat() -> None:
    made = executor(tool(input_schema={"type": "object"}))
    registry = ToolRegistry()
    registry.register(Made())
    calls = [{"id": "c", "function": {"name": "made", "arguments": '{"a": [1, {"b": 2}]}'}}] * 10

    async def work(rounds: int) -> None:
        for _ in range(rounds):
            await made.execute(action(), Context())
            registry.parse_and_resolve(calls)

    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    asyncio.run(work(5_000))
    gc.collect()
    objects, before = len(gc.get_objects()), resident()
    asyncio.run(work(100_000))
    gc.collect()
    assert len(gc.get_objects()) - objects < 500
    assert resident() - before < 4 << 20


def test_a_store_s_error_says_which(tmp_path: Any) -> None:
    path = tmp_path / "tools.db"
    path.write_bytes(b"this is no database, and long enough to be read as one" * 100)
    with pytest.raises(StoreError) as raised:
        SqliteStore(path)
    assert raised.value.kind == "corrupt"
    store = SqliteStore(tmp_path / "closed.db")
    store.close()
    with pytest.raises(StoreError) as raised:
        store.get("a", 0)
    assert raised.value.kind == "closed"

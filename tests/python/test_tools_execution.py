"""Runs of tools: what is better than in ``stageflow.tools``, and faults of sinks, stores and policies."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import toolwire
from peers import ACTION, Context, Sink, action
from toolwire import events
from toolwire.tools import (
    AdvancedToolExecutor,
    ApprovalClosedError,
    ApprovalService,
    ApprovalStatus,
    BaseTool,
    DictContextAdapter,
    SqliteStore,
    StoreError,
    Tool,
    ToolApprovalDeniedError,
    ToolDefinition,
    ToolDeniedError,
    ToolError,
    ToolExecutionError,
    ToolExecutor,
    ToolExecutorConfig,
    ToolInput,
    ToolInputError,
    ToolOutput,
    ToolPermissionError,
    ToolRateLimitError,
    ToolRegistry,
    ToolUndoError,
    UndoMetadata,
    UndoStore,
    base,
    definitions,
    get_tool_registry,
    register_tool,
)


@pytest.fixture
def sink() -> Iterator[Sink]:
    sink = Sink()
    events.set_event_sink(sink)
    yield sink
    events.clear_event_sink()


async def succeed(_: ToolInput) -> ToolOutput:
    return ToolOutput.ok(data={"done": True}, undo_metadata={"before": 1})


def tool(handler: Callable[[ToolInput], Awaitable[Any]] = succeed, **options: Any) -> ToolDefinition:
    return ToolDefinition("edit", "EDIT", handler, **options)


def executor(definition: ToolDefinition, **options: Any) -> AdvancedToolExecutor:
    options.setdefault("approval_service", ApprovalService())
    options.setdefault("undo_store", UndoStore())
    made = AdvancedToolExecutor(**options)
    made.register(definition)
    return made


def run(made: AdvancedToolExecutor, payload: Any = None, ctx: Any = None) -> ToolOutput:
    return asyncio.run(made.execute(action(payload=payload), ctx or Context()))


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


class BrokenPut:
    """A store that cannot be written to."""

    def get(self, key: str, now: int) -> None:
        return None

    def put(self, *_: Any) -> int:
        raise ConnectionError("no put")

    def delete(self, *_: Any) -> bool:
        return False

    def scan(self, *_: Any) -> list[Any]:
        return []

    def purge(self, *_: Any) -> int:
        return 0

    def shared(self) -> bool:
        return True


def test_an_undo_store_that_raises_leaves_the_run_completed(sink: Sink) -> None:
    made = executor(tool(undoable=True), undo_store=UndoStore(store=BrokenPut()))
    assert run(made).data == {"done": True}
    names = ["tool.invoked", "tool.started", "tool.completed", "tool.undo_store_failed"]
    assert sink.names == names
    assert sink.told[3][1]["error_code"] == "ConnectionError"


def test_a_store_that_raises_while_a_person_is_asked_is_told_and_raised(sink: Sink) -> None:
    service = ApprovalService(store=BrokenPut())
    with pytest.raises(ConnectionError, match="no put"):
        run(executor(tool(requires_approval=True), approval_service=service))
    assert sink.names == ["tool.invoked", "tool.failed"]


def test_what_is_no_store_is_refused() -> None:
    with pytest.raises(toolwire.WrongTypeError, match="has no put"):
        ApprovalService(store={})  # type: ignore[arg-type]


def test_undo_data_that_json_cannot_hold(sink: Sink) -> None:
    async def handler(_: ToolInput) -> ToolOutput:
        return ToolOutput.ok(undo_metadata={"thing": object()})

    from toolwire.tools import MemoryStore

    kept = executor(tool(handler, undoable=True))
    assert run(kept).success
    refused = executor(tool(handler, undoable=True), undo_store=UndoStore(store=MemoryStore()))
    assert run(refused).success
    assert sink.names[-1] == "tool.undo_store_failed"


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
    assert [event["type"] for event in done.events] == ["tool.invoked", "tool.started", "tool.completed"]
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


def undoing(handler: Callable[[UndoMetadata], Awaitable[None]], **options: Any) -> AdvancedToolExecutor:
    return executor(tool(undoable=True, undo_handler=handler), **options)


def test_an_undo_that_fails_may_be_tried_again(sink: Sink) -> None:
    fails = [True, False]

    async def undo(metadata: UndoMetadata) -> None:
        if fails.pop(0):
            raise ValueError("not yet")

    async def scenario() -> list[bool]:
        made = undoing(undo)
        await made.execute(action(), Context())
        with pytest.raises(ToolUndoError, match="not yet"):
            await made.undo_action(ACTION, {})
        return [await made.undo_action(ACTION, {}), await made.undo_action(ACTION, {})]

    assert asyncio.run(scenario()) == [True, False]
    assert sink.names[3:] == ["tool.undo_failed", "tool.undone"]


def test_two_undos_at_once_run_one(sink: Sink) -> None:
    runs: list[int] = []

    async def undo(metadata: UndoMetadata) -> None:
        runs.append(1)
        await asyncio.sleep(0.01)

    async def scenario() -> list[Any]:
        made = undoing(undo)
        await made.execute(action(), Context())
        both = (made.undo_action(ACTION, {}), made.undo_action(ACTION, {}))
        return list(await asyncio.gather(*both, return_exceptions=True))

    first, second = asyncio.run(scenario())
    assert first is True
    assert isinstance(second, ToolUndoError)
    assert runs == [1]


def test_an_undo_that_is_cancelled_may_be_tried_again() -> None:
    async def undo(metadata: UndoMetadata) -> None:
        await asyncio.sleep(60)

    async def scenario() -> bool:
        store = UndoStore()
        made = undoing(undo, undo_store=store)
        await made.execute(action(), Context())
        task = asyncio.ensure_future(made.undo_action(ACTION, {}))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return not isinstance(await store.claim(ACTION), str)

    assert asyncio.run(scenario())


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
    with pytest.raises(ToolError, match="stageflow"):
        asyncio.run(ToolExecutor().spawn_subpipeline("p", None, uuid4()))


def test_an_adapter_s_events_go_to_the_sink(sink: Sink) -> None:
    DictContextAdapter({}).try_emit_event("custom", {"x": 1})
    assert sink.told == [("custom", {"x": 1})]
    events.set_event_sink(Failing())
    DictContextAdapter({}).try_emit_event("custom", {})


class Made:
    """A tool that counts how often it is made."""

    name = "made"
    description = ""
    action_type = "MADE"

    async def execute(self, input: ToolInput, ctx: dict[str, Any]) -> ToolOutput:
        return ToolOutput.ok()


def test_threads_get_one_tool_of_a_factory() -> None:
    registry = ToolRegistry()
    made: list[Tool] = []

    def factory() -> Tool:
        time.sleep(0.01)
        made.append(Made())
        return made[-1]

    registry.register_factory("MADE", factory)
    found: list[Tool | None] = []
    threads = [threading.Thread(target=lambda: found.append(registry.get("MADE"))) for _ in range(16)]
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

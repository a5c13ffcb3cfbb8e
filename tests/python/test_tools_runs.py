"""Runs that a store keeps: started once for each call, resumed by any process."""

import asyncio
import dataclasses
import datetime
import decimal
import enum
import functools
import math
import time
import uuid
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import toolwire
from store_case import DictStore
from toolwire.tools import (
    AdvancedToolExecutor,
    MemoryStore,
    SqliteStore,
    Store,
    StoreError,
    ToolApprovalDeniedError,
    ToolApprovalTimeoutError,
    ToolCallIdReusedError,
    ToolDefinition,
    ToolError,
    ToolExecutionError,
    ToolExecutorConfig,
    ToolInput,
    ToolInterruptedError,
    ToolNotFoundError,
    ToolOutput,
)


def in_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run a test in an event loop of its own."""

    @functools.wraps(test)
    def run(*given: Any, **named: Any) -> None:
        asyncio.run(test(*given, **named))

    return run


CALL = {"id": "call_1", "type": "MAIL", "payload": {"to": "ann"}}


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "memory":
        return MemoryStore()
    return SqliteStore(tmp_path / "runs.db", durability="process")


class Mailer:
    """A tool that counts how often it ran."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def __call__(self, input: ToolInput) -> dict[str, Any]:
        self.sent.append(input.payload["to"])
        return {"to": input.payload["to"], "key": input.idempotency_key}


def executor_of(
    store: Store, handler: Any, *, asks: bool = False, timeout: float = 60.0, **more: Any
) -> AdvancedToolExecutor:
    config = ToolExecutorConfig(approval_timeout_seconds=timeout)
    executor = AdvancedToolExecutor(config, store=store, **more)
    executor.register(
        ToolDefinition("mail", "MAIL", handler, aliases=("send",), requires_approval=asks)
    )
    return executor


@in_a_loop
async def test_a_call_runs_once_and_keeps_its_output(store: Store) -> None:
    mailer = Mailer()
    first = await executor_of(store, mailer).start(CALL)
    again = await executor_of(store, mailer).start({**CALL})
    assert (first.state, again.state, first.id) == ("completed", "completed", again.id)
    assert again.result().data == first.result().data
    assert again.result().data["to"] == "ann"
    assert [one["type"] for one in first.events] == [
        "tool.invoked",
        "tool.started",
        "tool.completed",
    ]
    assert again.events == []
    assert mailer.sent == ["ann"]
    assert await executor_of(store, mailer).waiting() == []


@in_a_loop
async def test_every_form_of_a_call_is_the_same_run(store: Store) -> None:
    mailer = Mailer()
    executor = executor_of(store, mailer)
    call = {"id": "toolu_1", "type": "tool_use", "name": "send", "input": {"to": "ann"}}
    first = await executor.start(call)
    parsed = toolwire.provider.parse({"role": "assistant", "content": [call]}).calls[0]
    again = await executor.start(parsed)
    assert first.id == again.id
    assert mailer.sent == ["ann"]


@in_a_loop
async def test_a_run_waits_and_goes_on_elsewhere(store: Store) -> None:
    mailer = Mailer()
    run = await executor_of(store, mailer, asks=True).start(CALL)
    assert (run.state, run.is_ended, run.error) == ("waiting", False, None)
    again = await executor_of(store, mailer, asks=True).start(CALL)
    assert (again.id, again.approval_id) == (run.id, run.approval_id)
    other = executor_of(store, mailer, asks=True)
    assert [one.id for one in await other.waiting()] == [run.id]
    assert len(await other.approvals.get_pending_requests()) == 1
    still = await other.resume(run.id)
    assert still is not None
    assert still.state == "waiting"
    assert run.approval_id is not None
    await other.approvals.record_decision(uuid.UUID(run.approval_id), True)
    done = await other.resume(run.id)
    assert done is not None
    assert done.result().data["to"] == "ann"
    assert (await executor_of(store, mailer, asks=True).start(CALL)).output == done.output
    assert mailer.sent == ["ann"]
    assert await other.waiting() == []


@in_a_loop
async def test_a_denial_and_a_time_out_are_kept(store: Store) -> None:
    mailer = Mailer()
    executor = executor_of(store, mailer, asks=True)
    run = await executor.start(CALL)
    await executor.approvals.decide(uuid.UUID(run.approval_id or ""), False)
    denied = await executor.resume(run.id)
    assert denied is not None
    assert denied.code == "approval_denied"
    with pytest.raises(ToolApprovalDeniedError):
        await executor.execute(CALL)
    hurried = executor_of(store, mailer, asks=True, timeout=0.01)
    late = await hurried.start({**CALL, "id": "call_2"})
    await asyncio.sleep(0.05)
    ended = await hurried.resume(late.id)
    assert ended is not None
    assert isinstance(ended.error, ToolApprovalTimeoutError)
    assert mailer.sent == []


@in_a_loop
async def test_execute_waits_and_takes_a_decision_of_others(store: Store) -> None:
    mailer = Mailer()
    executor = executor_of(store, mailer, asks=True)
    running = asyncio.ensure_future(executor.execute(CALL))
    other = executor_of(store, mailer, asks=True)
    while not (pending := await other.approvals.get_pending_requests()):
        await asyncio.sleep(0.01)
    await other.approvals.record_decision(pending[0].id, True)
    assert (await running).data["to"] == "ann"
    assert (await executor.execute(CALL)).data["to"] == "ann"
    detailed = await executor.execute_detailed(CALL)
    assert (detailed.success, detailed.was_approved, detailed.was_denied) == (True, True, False)
    assert mailer.sent == ["ann"]


@in_a_loop
async def test_the_events_of_a_run_come_once(store: Store) -> None:
    names = ["tool.invoked", "tool.started", "tool.completed"]
    detailed = await executor_of(store, Mailer()).execute_detailed(CALL)
    assert [event["type"] for event in detailed.events] == names
    approved = executor_of(store, Mailer(), asks=True, approver=lambda request, whole: True)
    detailed = await approved.execute_detailed({**CALL, "id": "call_2"})
    asked = ["approval.requested", "approval.decided"]
    assert [event["type"] for event in detailed.events] == [names[0], *asked, *names[1:]]


@in_a_loop
async def test_many_tasks_start_one_run(store: Store) -> None:
    mailer = Mailer()
    executors = [executor_of(store, mailer) for _ in range(8)]
    outputs = await asyncio.gather(*(one.execute(CALL) for one in executors))
    assert {output.data["to"] for output in outputs} == {"ann"}
    assert mailer.sent == ["ann"]


@in_a_loop
async def test_an_id_of_another_call_is_denied(store: Store) -> None:
    mailer = Mailer()
    executor = executor_of(store, mailer)
    await executor.start(CALL)
    other = await executor.start({**CALL, "payload": {"to": "bob"}})
    assert (other.state, other.code) == ("denied", "call_id_reused")
    with pytest.raises(ToolCallIdReusedError, match="scope"):
        await executor.execute({**CALL, "payload": {"to": "bob"}})
    scoped = await executor.start({**CALL, "payload": {"to": "bob"}}, scope="chat 7")
    assert scoped.state == "completed"
    assert mailer.sent == ["ann", "bob"]


@in_a_loop
async def test_what_a_handler_raised_is_kept(store: Store) -> None:
    def fails(input: ToolInput) -> None:
        raise LookupError("no ann")

    executor = executor_of(store, fails)
    with pytest.raises(ToolExecutionError) as raised:
        await executor.execute(CALL)
    assert isinstance(raised.value.__cause__, LookupError)
    again = await executor_of(store, Mailer()).start(CALL)
    assert again.state == "failed"
    assert str(again.error) == str(raised.value)
    assert isinstance(again.error, ToolExecutionError)
    assert getattr(again.error.cause, "class_name", None) == "LookupError"


@pytest.mark.parametrize(
    ("data", "gap"), [({"text": "x" * (1 << 20)}, "too_long"), ({"x": object()}, "not_json")]
)
@in_a_loop
async def test_an_output_that_is_not_kept_leaves_its_reason(
    store: Store, data: Any, gap: str
) -> None:
    executor = executor_of(store, lambda input: data)
    assert (await executor.start(CALL)).result().data is data
    again = await executor.start(CALL)
    assert (again.state, again.output, again.output_gap) == ("completed", None, gap)
    with pytest.raises(ToolError, match=gap):
        again.result()


class Color(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Post:
    id: int
    color: Color


class Model:
    def model_dump(self) -> dict[str, Any]:
        return {"title": "T"}


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        ([Post(5, Color.RED)], [{"id": 5, "color": "red"}]),
        ({"m": Model()}, {"m": {"title": "T"}}),
        (datetime.date(2026, 1, 2), "2026-01-02"),
        ({"d": decimal.Decimal("1.50"), 7: None}, {"d": "1.50", "7": None}),
        (["a", 1, 2.5, True, {}], ["a", 1, 2.5, True, {}]),
        ("sent", "sent"),
        (0, 0),
        (None, None),
    ],
)
@in_a_loop
async def test_what_a_handler_returns_is_its_json_in_every_process(
    store: Store, data: Any, kept: Any
) -> None:
    executor = executor_of(store, lambda input: data)
    first = await executor.start(CALL)
    again = await executor.start(CALL)
    assert (first.result().data, first.output_gap) == (data, None)
    assert (again.result().data, again.output_gap) == (kept, None)
    told = [toolwire.provider.dump(run, "openai", "c1") for run in (first, again)]
    assert told[0] == told[1]


@pytest.mark.parametrize("data", [math.nan, [b"x"], {"x": "\ud800"}, {"x": object()}, {1j: 1}])
@in_a_loop
async def test_what_is_no_json_is_told_alike_in_every_process(store: Store, data: Any) -> None:
    executor = executor_of(store, lambda input: data)
    first = await executor.start(CALL)
    again = await executor.start(CALL)
    assert (first.state, first.output_gap) == ("completed", "not_json")
    assert first.output is not None
    told = [toolwire.provider.dump(run, "openai", "c1")["content"] for run in (first, again)]
    assert told[0] == told[1]
    assert "ran, but what it gave cannot be shown" in told[0]


@in_a_loop
async def test_names_in_messages_show_what_nobody_sees(store: Store) -> None:
    executor = executor_of(store, lambda input: None)
    run = await executor.start({**CALL, "type": "a\x1b\u202eb"})
    assert "a⟨U+001B⟩⟨U+202E⟩b" in str(run.error)


@in_a_loop
async def test_what_json_cannot_hold_is_not_started(store: Store) -> None:
    mailer = Mailer()
    executor = executor_of(store, mailer)
    with pytest.raises((TypeError, ValueError)):
        await executor.start({**CALL, "payload": {"to": object()}})
    assert mailer.sent == []
    assert await executor.waiting() == []


@in_a_loop
async def test_a_store_that_fails_fails_the_run(tmp_path: Path) -> None:
    closed = SqliteStore(tmp_path / "runs.db")
    mailer = Mailer()
    executor = executor_of(closed, mailer)
    closed.close()
    with pytest.raises(StoreError, match="closed"):
        await executor.execute(CALL)
    detailed = await executor.execute_detailed(CALL)
    assert not detailed.success
    assert "closed" in (detailed.error or "")
    assert mailer.sent == []


@in_a_loop
async def test_a_cancelled_wait_leaves_the_run_for_later(store: Store) -> None:
    mailer = Mailer()
    executor = executor_of(store, mailer, asks=True)
    running = asyncio.ensure_future(executor.execute(CALL))
    while not (waiting := await executor.waiting()) or waiting[0].state != "waiting":
        await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    (run,) = await executor.waiting()
    await executor.approvals.record_decision(uuid.UUID(run.approval_id or ""), True)
    assert (await executor.execute(CALL)).data["to"] == "ann"


@in_a_loop
async def test_a_cancelled_handler_is_kept_as_cancelled(store: Store) -> None:
    begun = asyncio.Event()

    async def slow(input: ToolInput) -> None:
        begun.set()
        await asyncio.sleep(60)

    executor = executor_of(store, slow)
    running = asyncio.ensure_future(executor.execute(CALL))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    again = await executor.start(CALL)
    assert again.state == "cancelled"


@in_a_loop
async def test_a_run_is_denied_by_its_gates_once(store: Store) -> None:
    mailer = Mailer()
    executor = executor_of(store, mailer, permission=lambda tool, action, ctx: "not you")
    assert (await executor.start(CALL)).code == "permission_denied"
    allowed = executor_of(store, mailer)
    again = await allowed.start(CALL)
    assert (again.state, again.code) == ("denied", "permission_denied")


@in_a_loop
async def test_the_permission_is_checked_again_in_the_context_of_the_start(store: Store) -> None:
    asked: list[Any] = []

    def permission(tool: ToolDefinition, action: Any, ctx: Any) -> bool:
        asked.append((ctx.execution_mode, ctx.to_dict().get("user_id"), action.payload))
        return True

    executor = executor_of(store, Mailer(), asks=True, permission=permission)
    context = {"execution_mode": "chat", "user_id": "u7"}
    run = await executor.start(CALL, context)
    await executor.approvals.record_decision(uuid.UUID(run.approval_id or ""), True)
    done = await executor_of(store, Mailer(), asks=True, permission=permission).resume(run.id)
    assert done is not None
    assert done.state == "completed"
    assert asked == [("chat", "u7", {"to": "ann"})] * 2


@in_a_loop
async def test_a_handler_has_a_time(store: Store) -> None:
    async def slow(input: ToolInput) -> None:
        await asyncio.sleep(60)

    executor = executor_of(store, slow)
    executor.register(ToolDefinition("slow", "SLOW", slow, timeout_seconds=0.01))
    run = await executor.start({"id": "call_2", "type": "SLOW", "payload": {}})
    assert run.state == "failed"
    assert "0.01 seconds" in str(run.error)
    # Nobody can stop a thread, so nobody knows what it does.
    nap = ToolDefinition("nap", "NAP", lambda input: time.sleep(0.05), timeout_seconds=0.01)
    executor.register(nap)
    run = await executor.start({"id": "call_3", "type": "NAP", "payload": {}})
    assert run.state == "interrupted"
    assert isinstance(run.error, ToolInterruptedError)
    assert isinstance(run.error.__cause__, TimeoutError)
    assert run.interruption is not None
    assert (run.interruption["code"], run.interruption["attempt"]) == ("timed_out", 1)
    assert [event["type"] for event in run.events][-1] == "tool.interrupted"
    assert (await executor.retry(run.id)).state == "approved"
    config = ToolExecutorConfig(handler_timeout_seconds=0.01)
    plain = AdvancedToolExecutor(config)
    plain.register(ToolDefinition("slow", "SLOW", lambda input: time.sleep(0.05)))
    action = SimpleNamespace(id=uuid.uuid4(), type="SLOW", payload={})
    with pytest.raises(ToolExecutionError, match="did not finish") as late:
        await plain.execute(action)
    assert isinstance(late.value.cause, TimeoutError)


@in_a_loop
async def test_misuse_says_what_to_do(store: Store) -> None:
    executor = executor_of(store, Mailer())
    assert await executor.resume("none") is None
    assert await executor.run("none") is None
    none = await executor.start({**CALL, "type": "WIPE"})
    assert (none.state, none.code, none.tool) == ("failed", "tool_not_found", "WIPE")
    with pytest.raises(ToolNotFoundError):
        await executor.execute({**CALL, "type": "WIPE"})
    with pytest.raises(TypeError, match="store="):
        await AdvancedToolExecutor().start(CALL)


@in_a_loop
async def test_an_undo_is_in_the_same_store(store: Store) -> None:
    undone: list[Any] = []

    async def undo(metadata: Any) -> None:
        undone.append(metadata.undo_data)

    def write(input: ToolInput) -> ToolOutput:
        return ToolOutput.ok(undo_metadata={"before": 1})

    executor = AdvancedToolExecutor(store=store)
    tool = ToolDefinition("write", "WRITE", write, undoable=True, undo_handler=undo)
    executor.register(tool)
    run = await executor.start({"id": "call_1", "type": "WRITE", "payload": {}})
    other = AdvancedToolExecutor(store=store)
    other.register(tool)
    assert await other.undo_action(uuid.UUID(run.id), {})
    assert undone == [{"before": 1}]


class RobbedStore(DictStore):
    """A store in which another process takes a run up right before its handler starts."""

    stage = b'"stage":"started"'

    def put(
        self, key: str, value: bytes, expect: Any, expires_at: int | None, now: int
    ) -> int | None:
        if self.stage in value:
            kept, version, until = self.entries[key]
            robbed = kept.replace(b'"owner":"', b'"owner":"another ')
            assert robbed != kept
            super().put(key, robbed, version, until, now)
            self.stage = b"never"
            return None
        return super().put(key, value, expect, expires_at, now)


@in_a_loop
async def test_who_lost_its_run_is_given_it_as_it_stands() -> None:
    mailer = Mailer()
    run = await executor_of(RobbedStore(), mailer).start(CALL)
    assert (run.state, run.error, mailer.sent) == ("running", None, [])


@in_a_loop
async def test_who_lost_its_run_leaves_the_request_to_the_other() -> None:
    store, mailer = RobbedStore(), Mailer()
    store.stage = b'"stage":"waiting"'
    executor = executor_of(store, mailer, asks=True)
    run = await executor.start(CALL)
    assert (run.state, run.error) == ("running", None)
    assert [str(one.status) for one in await executor.approvals.get_all_requests()] == ["pending"]

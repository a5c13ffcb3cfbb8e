"""Runs of a store whose approvals are the program's own, and outputs that no store can have."""

from __future__ import annotations

import uuid
from types import SimpleNamespace
from typing import Any

import pytest
from test_tools_runs import CALL, Mailer, executor_of, in_a_loop
from toolwire.tools import (
    ApprovalService,
    MemoryStore,
    StoreError,
    ToolApprovalDeniedError,
    ToolApprovalTimeoutError,
    ToolInput,
)


class Service:
    """A service of approvals with the methods that stageflow's has, and a store of its own."""

    def __init__(self) -> None:
        self.requests: dict[uuid.UUID, Any] = {}
        self.fails_at = ""

    async def request_approval(
        self, action_id: Any, tool_name: str, pipeline_run_id: Any, approval_message: str, **_: Any
    ) -> Any:
        self._may("request")
        request = SimpleNamespace(
            id=uuid.uuid4(), action_id=action_id, status="pending", granted=None, fingerprint=None
        )
        self.requests[request.id] = request
        return request

    async def await_decision(self, request_id: uuid.UUID, timeout: float | None = None) -> Any:
        request = self.requests[request_id]
        if request.granted is None:
            raise TimeoutError("nobody decided")
        return SimpleNamespace(granted=request.granted, reason="so", fingerprint=None)

    async def get_request(self, request_id: uuid.UUID) -> Any:
        self._may("get")
        return self.requests.get(request_id)

    async def find_request(self, action_id: Any) -> Any:
        asked = [one for one in self.requests.values() if str(one.action_id) == str(action_id)]
        return asked[-1] if asked else None

    async def cancel_request(self, request_id: uuid.UUID) -> bool:
        self.requests[request_id].status = "cancelled"
        return True

    def decide(self, status: str) -> Any:
        """Close the last request."""
        request = list(self.requests.values())[-1]
        request.status = status
        request.granted = {"approved": True, "denied": False}.get(status)
        return request

    def _may(self, step: str) -> None:
        if self.fails_at == step:
            raise ConnectionError(f"no {step}")


def executor(service: Service, store: MemoryStore, mailer: Mailer) -> Any:
    return executor_of(store, mailer, asks=True, approval_service=service)


@in_a_loop
async def test_a_run_waits_for_a_service_of_the_program() -> None:
    service, store, mailer = Service(), MemoryStore(), Mailer()
    run = await executor(service, store, mailer).start(CALL)
    assert run.state == "waiting"
    assert run.approval_id == str(next(iter(service.requests)))
    still = await executor(service, store, mailer).resume(run.id)
    assert still.state == "waiting"
    service.decide("approved")
    done = await executor(service, store, mailer).resume(run.id)
    assert (done.state, mailer.sent) == ("completed", ["ann"])
    assert [event["type"] for event in done.events] == [
        "approval.decided",
        "tool.started",
        "tool.completed",
    ]


@pytest.mark.parametrize(
    ("status", "state", "error"),
    [
        ("denied", "denied", ToolApprovalDeniedError),
        ("expired", "expired", ToolApprovalTimeoutError),
    ],
)
@in_a_loop
async def test_a_run_ends_with_what_the_service_says(
    status: str, state: str, error: type[Exception]
) -> None:
    service, store, mailer = Service(), MemoryStore(), Mailer()
    run = await executor(service, store, mailer).start(CALL)
    service.decide(status)
    ended = await executor(service, store, mailer).resume(run.id)
    assert (ended.state, type(ended.error), mailer.sent) == (state, error, [])
    assert (await executor(service, store, mailer).run(run.id)).state == state


@in_a_loop
async def test_a_service_that_fails_leaves_the_run_as_it_is() -> None:
    service, store, mailer = Service(), MemoryStore(), Mailer()
    service.fails_at = "request"
    with pytest.raises(ConnectionError):
        await executor(service, store, mailer).start(CALL)
    service.fails_at = ""
    run = await executor(service, store, mailer).start(CALL)
    assert (run.state, len(service.requests)) == ("waiting", 1)
    request = service.decide("approved")
    service.fails_at = "get"
    with pytest.raises(ConnectionError):
        await executor(service, store, mailer).resume(run.id)
    service.fails_at = ""
    request.action_id = uuid.uuid4()
    with pytest.raises(StoreError, match="another run"):
        await executor(service, store, mailer).resume(run.id)
    request.action_id = uuid.UUID(run.id)
    done = await executor(service, store, mailer).resume(run.id)
    assert (done.state, mailer.sent) == ("completed", ["ann"])


class Counting(ApprovalService):
    """A service that makes requests in the store of the runs, in a way of its own."""

    asked = 0

    async def request_approval(self, *args: Any, **more: Any) -> Any:
        self.asked += 1
        return await super().request_approval(*args, **more)


@in_a_loop
async def test_a_service_that_makes_requests_in_its_own_way_is_asked() -> None:
    store, mailer = MemoryStore(), Mailer()
    service = Counting(store=store)
    one = executor_of(store, mailer, asks=True, approval_service=service)
    run = await one.start(CALL)
    assert (run.state, service.asked) == ("waiting", 1)
    await service.record_decision(uuid.UUID(run.approval_id), True)
    done: Any = await one.resume(run.id)
    assert (done.state, mailer.sent) == ("completed", ["ann"])


@in_a_loop
async def test_a_method_that_was_set_on_a_service_is_called() -> None:
    store, asked = MemoryStore(), []
    service: Any = ApprovalService(store=store)
    real = service.request_approval

    async def request_approval(**fields: Any) -> Any:
        asked.append(fields["tool_name"])
        return await real(**fields)

    service.request_approval = request_approval
    run = await executor_of(store, Mailer(), asks=True, approval_service=service).start(CALL)
    assert (run.state, asked) == ("waiting", ["mail"])


class Deciding:
    """A listener that approves what it is told of, and goes on with the run."""

    def __init__(self) -> None:
        self.executor: Any = None
        self.states: list[str] = []

    async def emit(self, *, type: str, data: dict[str, Any]) -> None:
        if type == "approval.requested":
            run_id, request_id = data["action_id"], uuid.UUID(data["request_id"])
            self.states.append((await self.executor.run(run_id)).state)
            await self.executor.approvals.record_decision(request_id, True)
            self.states.append((await self.executor.resume(run_id)).state)


@in_a_loop
async def test_a_run_waits_when_its_listeners_are_told() -> None:
    store, mailer, listener = MemoryStore(), Mailer(), Deciding()
    listener.executor = executor_of(store, mailer, asks=True)
    run = await listener.executor.start(CALL, {"event_sink": listener})
    assert listener.states == ["waiting", "completed"]
    assert mailer.sent == ["ann"]
    assert (await listener.executor.run(run.id)).state == "completed"


class Forgetful:
    """A store with whole batches that loses its answer to the first request."""

    has_whole_batches = True

    def __init__(self) -> None:
        self.inner, self.lost = MemoryStore(), 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def batch(self, changes: Any, now: int) -> Any:
        made: list[Any] = []
        for name, *rest in changes:
            if name == "purge_some":
                made.append(self.inner.purge(rest[0], now))
            else:
                made.append(getattr(self.inner, name)(*rest, now))
        if not self.lost and any(key[1].startswith("approval/request/") for key in changes):
            self.lost += 1
            raise ConnectionError("the answer is lost")
        return made


@pytest.mark.parametrize("approves", [False, True])
@in_a_loop
async def test_a_lost_answer_gives_the_run_as_the_store_has_it(approves: bool) -> None:
    store: Any = Forgetful()
    mailer = Mailer()
    more: dict[str, Any] = {"approver": lambda _shown, _arguments: True} if approves else {}
    run = await executor_of(store, mailer, asks=True, **more).start(CALL)
    assert store.lost == 1
    if approves:
        assert (run.state, mailer.sent) == ("completed", ["ann"])
    else:
        pending = await ApprovalService(store=store).get_pending_requests()
        assert (run.state, run.approval_id) == ("waiting", str(pending[0].id))


class Closing:
    """A store that is away for good once the handler has started."""

    def __init__(self) -> None:
        self.inner, self.is_away = MemoryStore(), False

    def __getattr__(self, name: str) -> Any:
        if self.is_away:
            raise ConnectionError("the store is away")
        return getattr(self.inner, name)


@in_a_loop
async def test_a_store_that_is_away_at_the_end_leaves_the_output_to_the_caller() -> None:
    store: Any = Closing()

    def work(input: ToolInput) -> str:
        store.is_away = True
        return "done"

    run = await executor_of(store, work).start(CALL)
    assert (run.state, run.result().data, run.code) == ("completed", "done", None)
    assert isinstance(run.not_kept, ConnectionError)


class Odd:
    """An output whose fields cannot be read."""

    success, data, error, artifacts, undo_metadata = True, 7, None, None, None

    def to_dict(self) -> dict[str, Any]:
        raise ValueError("no fields")


@in_a_loop
async def test_an_output_without_fields_leaves_its_reason() -> None:
    one = executor_of(MemoryStore(), lambda input: Odd())
    first, again = await one.start(CALL), await one.start(CALL)
    assert (first.state, getattr(first.output, "data", None), first.not_kept) == (
        "completed",
        7,
        None,
    )
    assert (again.state, again.output, again.output_gap) == ("completed", None, "not_json")

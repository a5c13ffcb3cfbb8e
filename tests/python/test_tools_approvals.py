"""What a person approves is what runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from peers import Sink, action
from toolwire import events
from toolwire.tools import (
    AdvancedToolExecutor,
    ApprovalChangedError,
    ApprovalClosedError,
    ApprovalDecision,
    ApprovalRequest,
    ApprovalService,
    ApprovalStatus,
    SqliteStore,
    ToolApprovalTimeoutError,
    ToolChangedSinceError,
    ToolDefinition,
    ToolDeniedError,
    ToolExecutorConfig,
    ToolInput,
    ToolInputError,
    ToolOutput,
    ToolPermissionError,
)

SCHEMA = {"type": "object", "properties": {"post_id": {"type": "integer"}}}


class Site:
    """An executor with one tool, and the arguments that each function received."""

    def __init__(self, service: Any = None, timeout: float = 60.0, **options: Any) -> None:
        self.service = ApprovalService() if service is None else service
        self.seen: list[tuple[str, Any]] = []
        options.setdefault("permission", self.permit)
        config = ToolExecutorConfig(approval_timeout_seconds=timeout)
        self.executor = AdvancedToolExecutor(config, approval_service=self.service, **options)
        self.executor.register(
            ToolDefinition("edit", "EDIT", self.handle, input_schema=SCHEMA, requires_approval=True)
        )

    def permit(self, _: Any, acting: Any, __: Any) -> bool:
        self.seen.append(("permission", acting.payload))
        return True

    async def handle(self, given: ToolInput) -> ToolOutput:
        self.seen.append(("handler", given.payload))
        assert given.action.payload is given.payload
        return ToolOutput.ok()

    async def run(
        self, acting: Any, meanwhile: Callable[[ApprovalRequest], Awaitable[Any]] | None = None
    ) -> ToolOutput:
        """Run an action, and call a function when a person is asked."""
        task = asyncio.ensure_future(self.executor.execute(acting, {}))
        while meanwhile is not None and not task.done():
            await asyncio.sleep(0.001)
            pending = await self.service.get_pending_requests()
            if pending:
                await meanwhile(pending[0])
                meanwhile = None
        return await task

    async def approve(self, request: ApprovalRequest) -> None:
        await self.service.record_decision(request.id, True, fingerprint=request.fingerprint)


def run(coroutine: Any) -> Any:
    return asyncio.run(coroutine)


@pytest.fixture
def sink() -> Any:
    sink = Sink()
    events.set_event_sink(sink)
    yield sink
    events.clear_event_sink()


@dataclass(frozen=True)
class Frozen:
    id: Any
    type: str
    payload: Any


class Computed:
    """An action whose payload is new each time, and cannot be set."""

    __slots__ = ()
    id = uuid4()
    type = "EDIT"

    @property
    def payload(self) -> dict[str, Any]:
        return {"post_id": 5.0}


@pytest.mark.parametrize(
    "acting",
    [action(payload={"post_id": 5.0}), Frozen(uuid4(), "EDIT", {"post_id": 5.0}), Computed()],
)
def test_an_integral_float_is_an_integer_for_everybody(acting: Any) -> None:
    async def changes(given: ToolInput, tool: ToolDefinition) -> Any:
        site.seen.append(("changes", given.payload))
        return [tool.name, given.payload]

    async def look(request: ApprovalRequest) -> None:
        assert await site.service.get_arguments(request.id) == '{"post_id":5}'
        assert request.payload_summary == {"post_id": 5}
        await site.approve(request)

    site = Site(changes=changes)
    assert run(site.run(acting, look)).success
    assert [step for step, _ in site.seen] == [
        "permission",
        "changes",
        "changes",
        "permission",
        "handler",
    ]
    assert all(type(payload["post_id"]) is int for _, payload in site.seen)
    assert type(acting.payload["post_id"]) is float


def test_arguments_that_do_not_fit_are_refused_before_the_caller_is_looked_at() -> None:
    site = Site()
    with pytest.raises(ToolInputError):
        run(site.run(action(payload={"post_id": 5.5})))
    assert site.seen == []


@pytest.mark.parametrize("again", [False, "gone", None, 1, ValueError("no")])
def test_permission_is_asked_again_after_the_approval(again: Any) -> None:
    answers = iter([True, again])

    def permission(*_: Any) -> Any:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    site = Site(permission=permission)
    with pytest.raises(ValueError if isinstance(again, Exception) else ToolPermissionError):
        run(site.run(action(), site.approve))
    assert site.seen == []


def test_a_payload_that_is_changed_while_a_person_thinks_is_not_run(sink: Sink) -> None:
    payload: dict[str, Any] = {"post_id": 5, "tags": ["a"]}

    async def change(request: ApprovalRequest) -> None:
        payload["tags"].append("b")
        await site.approve(request)

    site = Site()
    with pytest.raises(ToolChangedSinceError) as raised:
        run(site.run(action(payload=payload), change))
    assert isinstance(raised.value, ToolDeniedError)
    assert raised.value.to_dict()["request_id"] == str(raised.value.request_id)
    assert sink.names[-2:] == ["approval.decided", "tool.denied"]
    assert sink.told[-1][1]["reason"] == "changed_since"
    assert [step for step, _ in site.seen] == ["permission"]


def test_a_payload_that_is_exchanged_is_not_run() -> None:
    acting = action(payload={"post_id": 5})

    async def exchange(request: ApprovalRequest) -> None:
        acting.payload = {"post_id": 6}
        await site.approve(request)

    site = Site()
    assert run(site.run(acting, exchange)).success
    assert site.seen[-1] == ("handler", {"post_id": 5})


def test_changes_that_are_others_are_not_run() -> None:
    title = ["Old"]

    async def edit(request: ApprovalRequest) -> None:
        title[0] = "Edited"
        await site.approve(request)

    site = Site(changes=lambda *_: {"title": title})
    with pytest.raises(ToolChangedSinceError):
        run(site.run(action(), edit))
    detailed = run(site.executor.execute_detailed(action("NONE"), {}))
    assert not detailed.success


def test_a_decision_bears_what_was_seen(tmp_path: Path) -> None:
    async def decide(request: ApprovalRequest) -> None:
        service = site.service
        for seen, present in (("0", None), ("0", "1")):
            with pytest.raises(ApprovalChangedError) as raised:
                await service.record_decision(request.id, True, fingerprint=seen, present=present)
            assert raised.value.to_dict()["code"] == "changed_since"
        assert await service.get_status(request.id) == ApprovalStatus.PENDING
        decision = ApprovalDecision(
            request.id, True, reason="Seen.", fingerprint=request.fingerprint
        )
        await service.decide(request.action_id, decision)
        decided = await service.get_request(request.id)
        assert decided is not None
        assert decided.decided_fingerprint == request.fingerprint
        assert decided.reason == "Seen."
        assert "fingerprint" not in decided.to_dict()
        assert await service.get_arguments(request.id) is None

    with SqliteStore(tmp_path / "tools.db") as store:
        site = Site(ApprovalService(store=store))
        assert run(site.run(action(), decide)).success


def test_what_was_seen_counts_and_not_what_was_asked() -> None:
    title = ["Old"]

    async def later(request: ApprovalRequest) -> None:
        await site.service.record_decision(request.id, True, fingerprint="ffff", present="ffff")

    site = Site(changes=lambda *_: title)
    with pytest.raises(ToolChangedSinceError):
        run(site.run(action(), later))


def test_the_approver_sees_the_whole_arguments() -> None:
    payload = {
        "content": "ä" * 300,
        "user_pass": "hunter2",
        "when": uuid4(),
        1: 1.5,
        "1": "\udc80",
    }
    shown: list[Any] = []

    async def look(request: ApprovalRequest) -> None:
        shown.extend([request.size, await site.service.get_arguments(request.id)])
        await site.approve(request)

    site = Site(permission=None)
    site.executor.register(ToolDefinition("edit", "EDIT", site.handle, requires_approval=True))
    assert run(site.run(action(payload=payload), look)).success
    when = '{"$type":"UUID","$text":"' + str(payload["when"]) + '"}'
    assert shown[1] == (
        '{"content":"' + "ä" * 300 + '","user_pass":"[redacted]","when":' + when + ',"1":1.5,'
        '"1*":{"$type":"str","$text":"\\\\udc80"}}'
    )
    assert shown[0] == len(shown[1].replace("[redacted]", "hunter2").encode())


def test_a_request_whose_time_is_over_reads_as_expired_everywhere(tmp_path: Path) -> None:
    async def wait() -> None:
        with SqliteStore(tmp_path / "tools.db") as store:
            service = ApprovalService(store=store)
            # Nobody waits for it.
            asked = await service.request_approval(uuid4(), "edit", timeout_seconds=0.01)
            assert asked.expires_at is not None
            await asyncio.sleep(0.02)
            other = ApprovalService(store=store)
            request = await other.get_request(asked.id)
            assert request is not None
            assert request.status is ApprovalStatus.EXPIRED
            assert request.expires_at == asked.expires_at
            assert await other.get_status(asked.action_id) is ApprovalStatus.EXPIRED
            assert await other.get_pending_requests() == []
            with pytest.raises(ApprovalClosedError) as raised:
                await other.record_decision(asked.id, True)
            assert raised.value.code == "approval_expired"
            with pytest.raises(TimeoutError):
                await other.await_decision(asked.id)

    run(wait())


def test_an_executor_notes_until_when_it_waits(tmp_path: Path) -> None:
    noted: list[Any] = []

    async def look(request: ApprovalRequest) -> None:
        noted.append(request.expires_at)

    with SqliteStore(tmp_path / "tools.db") as store:
        site = Site(ApprovalService(store=store), timeout=0.3)
        with pytest.raises(ToolApprovalTimeoutError):
            run(site.run(action(), look))
    assert noted[0] is not None


def test_a_service_of_somebodys_own_need_not_know_of_this() -> None:
    class Service:
        """A service with the signatures of stageflow's."""

        async def request_approval(
            self,
            action_id: Any,
            tool_name: str,
            pipeline_run_id: Any,
            approval_message: str,
            payload_summary: Any,
        ) -> Any:
            return ApprovalRequest(action_id=action_id, tool_name=tool_name)

        async def await_decision(
            self, request_id: Any, timeout_seconds: float | None = None
        ) -> Any:
            payload["post_id"] += change
            return type("Decision", (), {"granted": True, "reason": None})()

    payload, change = {"post_id": 5}, 0
    site = Site(Service())
    assert run(site.run(action(payload=payload))).success
    change = 1
    with pytest.raises(ToolChangedSinceError):
        run(site.run(action(payload=payload)))

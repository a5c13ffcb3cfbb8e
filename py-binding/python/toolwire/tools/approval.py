"""Asking a person before a tool runs.

A request is pending until it is approved, denied, cancelled or expired, and then stays as it is. Who waits
for it hears of a decision at once when it is made in this process, in whichever thread, and within a quarter
of a second when another process makes it in a store that both have open.

>>> import asyncio, uuid
>>> from toolwire.tools import ApprovalService
>>> async def ask(service):
...     request = await service.request_approval(uuid.uuid4(), "delete_post", approval_message="Delete it?")
...     await service.record_decision(request.id, True)
...     return await service.await_decision(request.id)
>>> asyncio.run(ask(ApprovalService())).granted
True
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeVar
from uuid import UUID, uuid4
from weakref import WeakValueDictionary

from toolwire._native import ApprovalDetail, Approvals, Secrets
from toolwire.tools.definitions import now
from toolwire.tools.errors import ApprovalNotFoundError
from toolwire.tools.store import MemoryStore, SqliteStore, Store

__all__ = [
    "ApprovalDecision",
    "ApprovalRequest",
    "ApprovalService",
    "ApprovalStatus",
    "clear_approval_service",
    "get_approval_service",
    "set_approval_service",
]

LOOK_EVERY_SECONDS = 0.1
"""How often who waits looks into a store to which other processes may write."""

LONGEST_SLEEP_SECONDS = 3600.0

LEASE_SECONDS = 15.0
"""For how long one who waits is thought to go on waiting, unless it says so again."""

RENEW_SECONDS = 5.0
"""How often one who waits says so again."""


class ApprovalStatus(str, Enum):
    """Where a request stands."""

    def __new__(cls, value: str) -> ApprovalStatus:
        """Make a member that is its value."""
        member = str.__new__(cls, value)
        member._value_ = value
        return member

    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"
    CANCELLED = "cancelled"

    def __str__(self) -> str:
        return self.value


@dataclass(init=False)
class ApprovalRequest:
    """A question to a person.

    Without an ``id`` it gets one; ``message`` and ``payload`` are other names of ``approval_message`` and
    ``payload_summary``.

    The request of a run says more, which ``to_dict()`` leaves out: ``expires_at``, the ``size`` of the whole
    arguments in bytes of JSON, the ``fingerprint`` of tool, arguments and changes, and the
    ``decided_fingerprint`` that the one saw who decided.
    """

    id: UUID
    action_id: UUID
    tool_name: str
    pipeline_run_id: UUID | None
    approval_message: str
    status: ApprovalStatus
    decided_by: UUID | None
    decided_at: str | None
    created_at: str
    payload_summary: dict[str, Any]

    def __init__(
        self,
        id: UUID | None = None,
        action_id: UUID | None = None,
        tool_name: str | None = None,
        pipeline_run_id: UUID | None = None,
        approval_message: str = "",
        status: ApprovalStatus = ApprovalStatus.PENDING,
        decided_by: UUID | None = None,
        decided_at: str | None = None,
        created_at: str | None = None,
        payload_summary: dict[str, Any] | None = None,
        *,
        message: str | None = None,
        payload: dict[str, Any] | None = None,
    ) -> None:
        if action_id is None or tool_name is None:
            raise TypeError("ApprovalRequest() needs action_id and tool_name")
        self.id = uuid4() if id is None else id
        self.action_id = action_id
        self.tool_name = tool_name
        self.pipeline_run_id = pipeline_run_id
        self.approval_message = approval_message if message is None else message
        self.status = status
        self.decided_by = decided_by
        self.decided_at = decided_at
        self.created_at = now() if created_at is None else created_at
        given = payload_summary if payload is None else payload
        self.payload_summary = {} if given is None else given
        self.expires_at: str | None = None
        self.size: int | None = None
        self.fingerprint: str | None = None
        self.decided_fingerprint: str | None = None

    @property
    def message(self) -> str:
        """What the person is asked."""
        return self.approval_message

    @message.setter
    def message(self, message: str) -> None:
        self.approval_message = message

    @property
    def payload(self) -> dict[str, Any]:
        """What the person sees of the action."""
        return self.payload_summary

    @payload.setter
    def payload(self, payload: dict[str, Any]) -> None:
        self.payload_summary = payload

    def to_dict(self) -> dict[str, Any]:
        """Give the fields, ids as texts."""
        return {
            "id": str(self.id),
            "action_id": str(self.action_id),
            "tool_name": self.tool_name,
            "pipeline_run_id": _text(self.pipeline_run_id),
            "approval_message": self.approval_message,
            "status": self.status.value,
            "decided_by": _text(self.decided_by),
            "decided_at": self.decided_at,
            "created_at": self.created_at,
            "payload_summary": self.payload_summary,
        }


@dataclass(frozen=True, slots=True)
class ApprovalDecision:
    """What a person decided."""

    request_id: UUID
    granted: bool
    decided_by: UUID | None = None
    reason: str | None = None
    fingerprint: str | None = field(default=None, repr=False, kw_only=True)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _id(text: Any) -> Any:
    """Read an id from a store: a UUID, unless it never was one."""
    try:
        return None if text is None else UUID(text)
    except ValueError:
        return text


def _written(summary: Any) -> str:
    """Write a summary as JSON, whatever it holds."""
    try:
        return json.dumps(summary, default=str, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        bounded = json.dumps(Secrets([]).summarize(summary), default=str, skipkeys=True)
        return json.dumps(json.loads(bounded, parse_constant=str))


class _Waiting:
    """Who waits in this process, by request."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiters: dict[str, list[_Waiter]] = {}

    @contextlib.contextmanager
    def register(self, request_id: str) -> Iterator[_Waiter]:
        """Hear of a request for as long as the block runs."""
        waiter = _Waiter(asyncio.get_running_loop())
        with self._lock:
            self._waiters.setdefault(request_id, []).append(waiter)
        try:
            yield waiter
        finally:
            with self._lock:
                waiters = self._waiters[request_id]
                waiters.remove(waiter)
                if not waiters:
                    del self._waiters[request_id]

    def wake(self, request_id: str) -> None:
        """Tell everybody who waits for a request to look."""
        if not self._waiters:
            return
        with self._lock:
            waiters = list(self._waiters.get(request_id, ()))
        for waiter in waiters:
            waiter.wake()


class _Waiter:
    """One who waits, in a loop of its own."""

    __slots__ = ("_future", "_loop")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._future: asyncio.Future[None] = loop.create_future()

    def wake(self) -> None:
        # A loop that was closed has nobody who waits.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._end, self._future)

    async def sleep(self, seconds: float) -> None:
        """Sleep until somebody wakes this one, at most for a while."""
        timer = self._loop.call_later(seconds, self._end, self._future)
        try:
            await self._future
        finally:
            timer.cancel()
            self._future = self._loop.create_future()

    @staticmethod
    def _end(future: asyncio.Future[None]) -> None:
        if not future.done():
            future.set_result(None)


class _Lease:
    """What tells others that this process waits for a request; a killed process loses it."""

    __slots__ = ("_approvals", "_name", "_renewed", "_request_id")

    def __init__(self, approvals: Approvals, request_id: Any) -> None:
        self._approvals = approvals
        self._request_id = request_id
        self._name: str | None = None
        self._renewed = 0.0

    def renew(self, clock: float) -> None:
        """Say that the process waits, if it is time to; whoever cannot be told goes without."""
        if self._name is None or clock - self._renewed >= RENEW_SECONDS:
            self._renewed = clock
            with contextlib.suppress(Exception):
                self._name = self._approvals.wait(self._request_id, self._name, LEASE_SECONDS)

    def close(self) -> None:
        """Say that the process waits no longer, if it ever said that it does."""
        if self._name is not None:
            with contextlib.suppress(Exception):
                self._approvals.leave(self._request_id, self._name)


_waiting = _Waiting()
_Given = TypeVar("_Given")


class ApprovalService:
    """Asks for approvals and takes decisions.

    Without a store, requests live as long as the service. With one, they are in it, and whoever has it open,
    this process or another, may decide.
    """

    def __init__(self, default_timeout_seconds: float = 60.0, *, store: Store | None = None) -> None:
        self._default_timeout_seconds = default_timeout_seconds
        self._private = store is None
        self._approvals = Approvals(MemoryStore() if store is None else store)
        self._shared = self._approvals.shared()
        # A write into a file may wait for others who write.
        self._blocks = isinstance(store, SqliteStore)
        self._requests: MutableMapping[str, ApprovalRequest] = {} if self._private else WeakValueDictionary()

    async def request_approval(
        self,
        action_id: UUID,
        tool_name: str,
        pipeline_run_id: UUID | None = None,
        approval_message: str = "",
        payload_summary: dict[str, Any] | None = None,
        *,
        detail: ApprovalDetail | None = None,
        timeout_seconds: float | None = None,
    ) -> ApprovalRequest:
        """Make a request, which is pending; with a time-out, until its time is over.

        ``detail`` is what a run's executor gives: the whole arguments, and their fingerprint.
        """
        return await self._make(
            None,
            action_id,
            tool_name,
            pipeline_run_id,
            approval_message,
            payload_summary,
            detail,
            timeout_seconds,
        )

    async def request(self, request: ApprovalRequest) -> ApprovalRequest:
        """Make a request like another one, with its id if that is free."""
        return await self._make(
            request.id,
            request.action_id,
            request.tool_name,
            request.pipeline_run_id,
            request.approval_message,
            request.payload_summary,
        )

    async def await_decision(
        self, request_id: UUID, timeout_seconds: float | None = None
    ) -> ApprovalDecision:
        """Wait until a request is decided.

        Raises :class:`TimeoutError` when nobody decides in time, and the request has expired then.
        """
        if self._approvals.look(request_id) not in (None, "pending"):
            return self._decision(request_id)
        timeout = self._default_timeout_seconds if timeout_seconds is None else timeout_seconds
        clock = asyncio.get_running_loop().time
        deadline = clock() + timeout
        lease = _Lease(self._approvals, request_id)
        with _waiting.register(str(request_id)) as waiter, contextlib.closing(lease):
            while True:
                status = self._approvals.look(request_id)
                if status is None:
                    raise ApprovalNotFoundError(request_id)
                if status != "pending":
                    return self._decision(request_id)
                left = deadline - clock()
                if left <= 0:
                    # False when somebody decided at the last moment.
                    await self._work(self._approvals.expire, request_id)
                    self._changed(request_id)
                    continue
                longest = LOOK_EVERY_SECONDS if self._shared else LONGEST_SLEEP_SECONDS
                await waiter.sleep(min(left, longest))
                if self._shared:
                    lease.renew(clock())

    async def record_decision(
        self,
        request_id: UUID,
        granted: bool,
        decided_by: UUID | None = None,
        reason: str | None = None,
        *,
        fingerprint: str | None = None,
        present: str | None = None,
    ) -> ApprovalDecision:
        """Take a decision on a request.

        ``fingerprint`` is that of what was seen by who decides, and what runs must have it still; ``present``
        is the run's own at this moment, where it is known.

        Raises :class:`~toolwire.tools.errors.ApprovalClosedError` when it is not pending any more, and
        :class:`~toolwire.tools.errors.ApprovalChangedError` when the fingerprint is neither the request's nor
        the present one.
        """
        step = self._approvals.decide
        decided = await self._work(step, request_id, granted, decided_by, reason, fingerprint, present)
        given = self._told(decided)
        _waiting.wake(str(given.id))
        return ApprovalDecision(given.id, granted, decided_by, reason, fingerprint=fingerprint)

    async def decide(
        self, request_or_action_id: UUID, decision: ApprovalDecision | ApprovalStatus | bool | str
    ) -> ApprovalDecision:
        """Take a decision on a request, or on the newest pending one of an action."""
        if isinstance(decision, ApprovalDecision):
            return await self.record_decision(
                request_or_action_id,
                decision.granted,
                decision.decided_by,
                decision.reason,
                fingerprint=decision.fingerprint,
            )
        if isinstance(decision, bool):
            return await self.record_decision(request_or_action_id, decision)
        status = ApprovalStatus(decision)
        if status not in (ApprovalStatus.APPROVED, ApprovalStatus.DENIED):
            raise ValueError(f"a decision is approved or denied, not {status}")
        return await self.record_decision(request_or_action_id, status is ApprovalStatus.APPROVED)

    async def cancel_request(self, request_id: UUID) -> bool:
        """Take a request back, and say whether it was pending."""
        cancelled = await self._work(self._approvals.cancel, request_id)
        self._changed(request_id)
        return cancelled

    async def get_request(self, request_id: UUID) -> ApprovalRequest | None:
        """Give a request."""
        told = self._approvals.get(request_id)
        return None if told is None else self._told(told)

    async def get_arguments(self, request_id: UUID) -> str | None:
        """Give the whole arguments of a pending request as JSON text, without their secrets."""
        return await self._work(self._approvals.arguments, request_id)

    async def find_request(self, request_or_action_id: UUID) -> ApprovalRequest | None:
        """Give a request, or of an action the newest pending one, else the newest."""
        told = self._approvals.find(request_or_action_id)
        return None if told is None else self._told(told)

    async def get_all_requests(self) -> list[ApprovalRequest]:
        """Give every request, in the order in which they were made."""
        requests = await self._work(self._approvals.all)
        return [self._told(told) for told in requests]

    async def get_waiter(self, request_id: UUID) -> str | None:
        """Say who goes on when a request is decided.

        ``process`` is one that waits at this moment, which a killed one seems to for a quarter of a minute;
        ``kept`` is a run in the store that somebody takes up; else it is ``nobody``.
        """
        return await self._work(self._approvals.waiter, request_id)

    async def get_status(self, request_or_action_id: UUID) -> ApprovalStatus | None:
        """Say where a request stands, or the newest one of an action."""
        status = self._approvals.status(request_or_action_id)
        return None if status is None else ApprovalStatus(status)

    async def get_pending_requests(self, pipeline_run_id: UUID | None = None) -> list[ApprovalRequest]:
        """Give the pending requests, of one run or of all, in the order in which they were made."""
        pending = await self._work(self._approvals.pending, pipeline_run_id)
        return [self._told(told) for told in pending]

    async def cleanup(self, request_id: UUID) -> None:
        """Forget a request."""
        await self._work(self._approvals.cleanup, request_id)
        self._requests.pop(str(request_id), None)
        _waiting.wake(str(request_id))

    def abandon(self, request_id: UUID) -> None:
        """Take a request back where nothing can be awaited."""
        self._approvals.cancel(request_id)
        self._changed(request_id)

    async def _make(
        self,
        id: Any,
        action_id: Any,
        tool_name: Any,
        pipeline_run_id: Any,
        message: Any,
        summary: Any,
        detail: ApprovalDetail | None = None,
        timeout_seconds: float | None = None,
    ) -> ApprovalRequest:
        summary = {} if summary is None else summary
        # A request that lives and dies with the service keeps the summary as it is.
        written = None if self._private else _written(summary)
        made, created_at, expires_at = await self._work(
            self._approvals.request,
            id,
            action_id,
            tool_name,
            pipeline_run_id,
            message,
            written,
            detail,
            timeout_seconds,
        )
        request = ApprovalRequest(
            id if made == id else UUID(made) if id is None else _id(made),
            action_id,
            tool_name,
            pipeline_run_id,
            message,
            created_at=created_at,
            payload_summary=summary,
        )
        request.expires_at = expires_at
        if detail is not None:
            request.size, request.fingerprint = detail.size, detail.fingerprint
        self._requests[made] = request
        return request

    async def _work(self, step: Callable[..., _Given], *arguments: Any) -> _Given:
        """Do something with the store; where it may wait for others, the loop goes on meanwhile."""
        if self._blocks:
            return await asyncio.to_thread(step, *arguments)
        return step(*arguments)

    def _changed(self, request_id: Any) -> None:
        """Bring the record of a request up to date, and wake who waits for it."""
        told = self._approvals.get(request_id)
        if told is not None:
            self._told(told)
        _waiting.wake(str(request_id))

    def _decision(self, request_id: Any) -> ApprovalDecision:
        """Give the decision on a request that is not pending."""
        told = self._approvals.get(request_id)
        if told is None:
            raise ApprovalNotFoundError(request_id)
        request = self._told(told)
        if request.status is ApprovalStatus.EXPIRED:
            raise TimeoutError(f"approval request {request_id} was not decided in time")
        granted = request.status is ApprovalStatus.APPROVED
        return ApprovalDecision(
            request.id, granted, request.decided_by, told[10], fingerprint=request.decided_fingerprint
        )

    def _told(self, told: tuple[Any, ...]) -> ApprovalRequest:
        """Give the record of a request, brought up to date."""
        id, action_id, tool_name, run, message, status, by, decided_at, created_at, summary, _, added = told
        request = self._requests.get(id)
        if request is None:
            request = ApprovalRequest(
                _id(id), _id(action_id), tool_name, _id(run), message, created_at=created_at
            )
            request.payload_summary = summary
            self._requests[id] = request
        request.status = ApprovalStatus(status)
        request.decided_by = _id(by)
        request.decided_at = decided_at
        request.expires_at, request.size, request.fingerprint, request.decided_fingerprint = added
        return request


_lock = threading.Lock()
_service: ApprovalService | None = None


def get_approval_service() -> ApprovalService:
    """Give the service of the program."""
    global _service
    with _lock:
        if _service is None:
            _service = ApprovalService()
        return _service


def set_approval_service(service: ApprovalService) -> None:
    """Set the service of the program."""
    global _service
    with _lock:
        _service = service


def clear_approval_service() -> None:
    """Forget the service of the program; the next one is new."""
    global _service
    with _lock:
        _service = None

"""Asking a person before a tool runs.

A request is pending until it is approved, denied, cancelled or expired, and then stays as it is. A
waiting task gets a decision at once when any thread of this process makes it, and within a quarter
of a second when another process makes it in a shared store.

>>> import asyncio, uuid
>>> from toolwire.runs import ApprovalService
>>> async def ask(service):
...     request = await service.request_approval(uuid.uuid4(), "delete_post", None, "Delete it?")
...     await service.record_decision(request.id, True)
...     return await service.await_decision(request.id)
>>> asyncio.run(ask(ApprovalService())).granted
True
"""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any, ClassVar
from uuid import UUID
from weakref import WeakValueDictionary

from toolwire._native import ApprovalDetail, ApprovalRecord, Approvals
from toolwire.runs.approval_change import ApprovalChange
from toolwire.runs.approval_request import (
    ApprovalDecision,
    ApprovalRequest,
    ApprovalStatus,
    from_record,
    update,
    write_summary,
)
from toolwire.runs.errors import ApprovalNotFoundError, StoreError
from toolwire.runs.ids import read_id
from toolwire.runs.page import page_size
from toolwire.runs.store import MemoryStore, Store
from toolwire.runs.store_calls import StoreCalls
from toolwire.runs.waiting import Lease, WaiterTable

__all__ = [
    "ApprovalDecision",
    "ApprovalRequest",
    "ApprovalService",
    "ApprovalStatus",
]

LOOK_EVERY_SECONDS = 0.1
"""How often a waiter looks into a store to which other processes may write."""

LONGEST_SLEEP_SECONDS = 3600.0


_waiting = WaiterTable()


class ApprovalService:
    """Asks for approvals and takes decisions.

    Without a store, requests live as long as the service. With a store, requests are in it, and any
    process that has it open may decide. A request is kept for ``retention_seconds`` after it is
    decided, cancelled or expired: 30 days by default.
    """

    request_class: ClassVar[type[ApprovalRequest]] = ApprovalRequest
    """What its requests are made of."""

    def __init__(
        self,
        default_timeout_seconds: float = 60.0,
        *,
        store: Store | None = None,
        retention_seconds: float = Approvals.RETENTION_SECONDS,
    ) -> None:
        self.default_timeout_seconds = default_timeout_seconds
        self._store = store
        self._private = store is None
        self._approvals = Approvals(MemoryStore() if store is None else store, retention_seconds)
        self._shared = self._approvals.shared()
        self._calls = StoreCalls(store)
        self._requests: MutableMapping[str, ApprovalRequest] = (
            {} if self._private else WeakValueDictionary()
        )

    def requests_in(self, store: Store) -> Approvals | None:
        """Give the requests, if they are in this store; for an executor with the same store."""
        return self._approvals if self._store is store else None

    async def request_approval(
        self,
        run_id: UUID,
        tool_name: str,
        parent_id: UUID | None = None,
        approval_message: str = "",
        payload_summary: dict[str, Any] | None = None,
        *,
        detail: ApprovalDetail | None = None,
        timeout_seconds: float | None = None,
    ) -> ApprovalRequest:
        """Make a request, which is pending; with a time-out, until its time is over.

        ``detail`` comes from the executor of a run: the whole arguments, and their fingerprint.
        """
        return await self._make(
            None,
            run_id,
            tool_name,
            parent_id,
            approval_message,
            payload_summary,
            detail,
            timeout_seconds,
        )

    plain_request: ClassVar[Any] = request_approval
    """The method that makes a request, where nothing else is done for one.

    A class that replaces the method does it in a way of its own.
    """

    async def request(self, request: ApprovalRequest) -> ApprovalRequest:
        """Make a request like another one, with its id if that is free."""
        return await self._make(
            request.id,
            request.run_id,
            request.tool_name,
            request.parent_id,
            request.approval_message,
            request.payload_summary,
        )

    async def await_decision(
        self, request_id: UUID, timeout_seconds: float | None = None
    ) -> ApprovalDecision:
        """Wait until a request is decided.

        Raises :class:`TimeoutError` when nobody decides in time, and the request has expired then.
        """
        calls, approvals = self._calls, self._approvals
        record = await calls.read(approvals.get, request_id)
        if record is not None and record.status != "pending":
            return self._decided(record)
        timeout = self.default_timeout_seconds if timeout_seconds is None else timeout_seconds
        clock = asyncio.get_running_loop().time
        deadline = clock() + timeout
        lease = Lease(approvals, request_id)
        with _waiting.register(str(request_id)) as waiter:
            try:
                while True:
                    status = await self._look(request_id, clock() < deadline)
                    if status is None:
                        raise ApprovalNotFoundError(request_id)
                    if status != "pending":
                        return await self._decision(request_id)
                    left = deadline - clock()
                    if left <= 0:
                        # A decision in the last moment makes this False.
                        await calls.write(approvals.expire, request_id)
                        await self._changed(request_id)
                        continue
                    longest = LOOK_EVERY_SECONDS if self._shared else LONGEST_SLEEP_SECONDS
                    await waiter.sleep(min(left, longest))
                    if self._shared and lease.is_due(clock()):
                        await calls.read(lease.renew, clock())
            finally:
                if lease.is_written:
                    await calls.read(lease.close)

    async def record_decision(
        self,
        request_id: UUID | str,
        granted: bool,
        decided_by: UUID | None = None,
        reason: str | None = None,
        *,
        fingerprint: str | None = None,
        present: str | None = None,
    ) -> ApprovalDecision:
        """Take a decision on a request.

        ``fingerprint`` is that of the request that the person saw; the run must still have it when
        it goes on. ``present`` is the run's present fingerprint, if it is known.

        Raises :class:`~toolwire.runs.errors.ApprovalClosedError` when the request is not pending,
        and :class:`~toolwire.runs.errors.ApprovalChangedError` when the fingerprint is neither the
        request's nor the present one.
        """
        step = self._approvals.decide
        decided = await self._calls.write(
            step, request_id, granted, decided_by, reason, fingerprint, present
        )
        given = self._request(decided)
        _waiting.wake(str(given.id))
        return ApprovalDecision(given.id, granted, decided_by, reason, fingerprint=fingerprint)

    async def decide(
        self,
        request_or_run_id: UUID | str,
        decision: ApprovalDecision | ApprovalStatus | bool | str,
    ) -> ApprovalDecision:
        """Take a decision on a request, or on the newest pending one of a run."""
        if isinstance(decision, ApprovalDecision):
            return await self.record_decision(
                request_or_run_id,
                decision.granted,
                decision.decided_by,
                decision.reason,
                fingerprint=decision.fingerprint,
            )
        if isinstance(decision, bool):
            return await self.record_decision(request_or_run_id, decision)
        status = ApprovalStatus(decision)
        if status not in (ApprovalStatus.APPROVED, ApprovalStatus.DENIED):
            raise ValueError(f"a decision is approved or denied, not {status}")
        return await self.record_decision(request_or_run_id, status is ApprovalStatus.APPROVED)

    async def cancel_request(self, request_id: UUID | str) -> bool:
        """Cancel a request, and say whether it was pending."""
        cancelled = await self._calls.write(self._approvals.cancel, request_id)
        await self._changed(request_id)
        return cancelled

    async def get_request(self, request_id: UUID | str) -> ApprovalRequest | None:
        """Give a request."""
        record = await self._calls.read(self._approvals.get, request_id)
        return None if record is None else self._request(record)

    async def get_arguments(self, request_id: UUID | str) -> str | None:
        """Give the whole arguments of a pending request as JSON text, without their secrets."""
        return await self._calls.write(self._approvals.arguments, request_id)

    async def get_changes(self, request_id: UUID | str) -> list[ApprovalChange] | None:
        """Give what the run of a pending request would change, without secrets.

        These are the changes that the executor's ``changes`` reported when the request was made.
        None if it reported none, or once the request is not pending.
        """
        changes = await self._calls.write(self._approvals.changes, request_id)
        return None if changes is None else [ApprovalChange(**change) for change in changes]

    async def find_request(self, request_or_run_id: UUID | str) -> ApprovalRequest | None:
        """Give a request by its id, or a run's newest pending one, else its newest."""
        record = await self._calls.read(self._approvals.find, request_or_run_id)
        return None if record is None else self._request(record)

    async def get_all_requests(
        self, *, limit: int | None = None, after: UUID | None = None
    ) -> list[ApprovalRequest]:
        """Give every request, in the order in which they were made, or a page of them.

        ``after`` is the id of the last request of the page before;
        :class:`~toolwire.runs.errors.ApprovalNotFoundError` when there is none of it.
        """
        records = await self._calls.write(self._approvals.all, page_size(limit), after)
        return [self._request(record) for record in records]

    async def get_waiter(self, request_id: UUID) -> str | None:
        """Say who goes on when a request is decided.

        ``process``: a process waits now (for a killed process, this lasts a quarter of a minute).
        ``kept``: the run is in the store, and a process can resume it. ``nobody``: neither.
        """
        return await self._calls.write(self._approvals.waiter, request_id)

    async def get_status(self, request_or_run_id: UUID | str) -> ApprovalStatus | None:
        """Give the status of a request, or of a run's newest pending one, else its newest."""
        status = await self._calls.read(self._approvals.status, request_or_run_id)
        return None if status is None else ApprovalStatus(status)

    async def get_pending_requests(
        self,
        parent_id: UUID | None = None,
        *,
        limit: int | None = None,
        after: UUID | None = None,
    ) -> list[ApprovalRequest]:
        """Give the pending requests of one run or of all, oldest first, all of them or a page.

        ``after`` is the id of the last request of the page before, which may be decided by now;
        :class:`~toolwire.runs.errors.ApprovalNotFoundError` when there is none of it.
        """
        pending = await self._calls.write(
            self._approvals.pending, parent_id, page_size(limit), after
        )
        return [self._request(record) for record in pending]

    async def cleanup(self, request_id: UUID) -> None:
        """Forget a request."""
        await self._calls.write(self._approvals.cleanup, request_id)
        written = str(request_id)
        self._requests.pop(written, None)
        _waiting.wake(written)

    def abandon(self, request_id: UUID) -> None:
        """Cancel a request in code that cannot await."""
        self._approvals.cancel(request_id)
        self._tell(request_id, self._approvals.get(request_id))

    async def _make(
        self,
        id: Any,
        run_id: Any,
        tool_name: Any,
        parent_id: Any,
        message: Any,
        summary: Any,
        detail: ApprovalDetail | None = None,
        timeout_seconds: float | None = None,
    ) -> ApprovalRequest:
        summary = {} if summary is None else summary
        # Without a store the summary stays the same object, and is not written as JSON.
        written = None if self._private else write_summary(summary)
        record = await self._calls.write(
            self._approvals.request,
            id,
            run_id,
            tool_name,
            parent_id,
            message,
            written,
            detail,
            timeout_seconds,
        )
        request = self.request_class(
            # An id that the program gave as text stays that text.
            id if record.id == id else read_id(record.id),
            run_id,
            tool_name,
            parent_id,
            message,
            created_at=record.created_at,
            payload_summary=summary,
        )
        update(request, record)
        self._requests[record.id] = request
        return request

    async def _look(self, request_id: Any, is_time_left: bool) -> str | None:
        """Give the status of a request; a server that is away for a while does not end a wait."""
        try:
            return await self._calls.read(self._approvals.look, request_id)
        except StoreError as error:
            if is_time_left and self._calls.reads_wait and error.kind in ("io", "locked"):
                return "pending"
            raise

    async def _changed(self, request_id: Any) -> None:
        """Bring the object of a request up to date, and wake the tasks that wait for it."""
        self._tell(request_id, await self._calls.read(self._approvals.get, request_id))

    def _tell(self, request_id: Any, record: ApprovalRecord | None) -> None:
        if record is not None:
            self._request(record)
        _waiting.wake(str(request_id))

    async def _decision(self, request_id: Any) -> ApprovalDecision:
        """Give the decision on a request that is not pending."""
        record = await self._calls.read(self._approvals.get, request_id)
        if record is None:
            raise ApprovalNotFoundError(request_id)
        return self._decided(record)

    def _decided(self, record: ApprovalRecord) -> ApprovalDecision:
        """Give the decision that a record has."""
        request = self._request(record)
        if record.granted is None:
            raise TimeoutError(f"approval request {request.id} was not decided in time")
        return ApprovalDecision(
            request.id,
            record.granted,
            request.decided_by,
            record.reason,
            fingerprint=request.decided_fingerprint,
        )

    def _request(self, record: ApprovalRecord) -> ApprovalRequest:
        """Give the one object that this service has for a request, brought up to date."""
        request = self._requests.get(record.id)
        if request is None:
            request = from_record(record, self.request_class)
            self._requests[record.id] = request
        else:
            update(request, record)
        return request

"""Requests for approval and decisions, as values.

>>> import uuid
>>> from toolwire.runs import ApprovalRequest
>>> request = ApprovalRequest(run_id=uuid.uuid4(), tool_name="delete_post", message="Delete it?")
>>> request.approval_message, str(request.status)
('Delete it?', 'pending')
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar
from uuid import UUID, uuid4

from toolwire._integer import writable
from toolwire._native import ApprovalRecord, Secrets
from toolwire.runs.approval_change import ApprovalChange
from toolwire.runs.ids import optional_id_text, read_id
from toolwire.runs.output import now

__all__ = ["ApprovalDecision", "ApprovalRequest", "ApprovalStatus"]


class ApprovalStatus(str, Enum):
    """The status of a request."""

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
        return str(self.value)


_STATUSES = {status.value: status for status in ApprovalStatus}


@dataclass(init=False)
class ApprovalRequest:
    """A question to a person.

    Without an ``id`` it gets one. ``message`` and ``payload`` are other names of
    ``approval_message`` and ``payload_summary``.

    Some fields are left out by ``to_dict()``. ``closed_at`` is the time at which the request was
    decided, cancelled or expired; ``decided_at`` is None unless somebody decided. The request of a
    run has ``expires_at``, the ``size`` of the whole arguments in bytes of JSON, the
    ``fingerprint`` of tool, arguments and changes, ``decided_fingerprint``, which the deciding
    person saw, and ``reason``, the person's words. ``changes`` are there when an executor asks its
    approver; else :meth:`ApprovalService.get_changes` gives them.
    """

    id_names: ClassVar[tuple[str, str]] = ("run_id", "parent_id")
    """What it calls the ids of the run and of what the run is part of."""

    id: UUID
    run_id: UUID
    tool_name: str
    parent_id: UUID | None
    approval_message: str
    status: ApprovalStatus
    decided_by: UUID | None
    decided_at: str | None
    created_at: str
    payload_summary: dict[str, Any]

    def __init__(
        self,
        id: UUID | None = None,
        run_id: UUID | None = None,
        tool_name: str | None = None,
        parent_id: UUID | None = None,
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
        if run_id is None or tool_name is None:
            raise TypeError("ApprovalRequest() needs run_id and tool_name")
        self.id = uuid4() if id is None else id
        self.run_id = run_id
        self.tool_name = tool_name
        self.parent_id = parent_id
        self.approval_message = approval_message if message is None else message
        self.status = status
        self.decided_by = decided_by
        self.decided_at = decided_at
        self.created_at = now() if created_at is None else created_at
        given = payload_summary if payload is None else payload
        self.payload_summary = {} if given is None else given
        self.closed_at = decided_at
        self.expires_at: str | None = None
        self.size: int | None = None
        self.fingerprint: str | None = None
        self.changes: list[ApprovalChange] | None = None
        self.decided_fingerprint: str | None = None
        self.reason: str | None = None

    @property
    def action_id(self) -> Any:
        """The id of the run in stageflow's word, for approvers that read this."""
        return self.run_id

    @property
    def pipeline_run_id(self) -> Any:
        """The id of what the run is part of, in stageflow's word."""
        return self.parent_id

    @property
    def message(self) -> str:
        """What the person is asked."""
        return self.approval_message

    @message.setter
    def message(self, message: str) -> None:
        self.approval_message = message

    @property
    def payload(self) -> dict[str, Any]:
        """The part of the call that the person sees."""
        return self.payload_summary

    @payload.setter
    def payload(self, payload: dict[str, Any]) -> None:
        self.payload_summary = payload

    def to_dict(self) -> dict[str, Any]:
        """Give the fields, ids as texts."""
        run_id, parent_id = self.id_names
        return {
            "id": str(self.id),
            run_id: str(self.run_id),
            "tool_name": self.tool_name,
            parent_id: optional_id_text(self.parent_id),
            "approval_message": self.approval_message,
            "status": self.status.value,
            "decided_by": optional_id_text(self.decided_by),
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

    def to_dict(self) -> dict[str, Any]:
        """Give the fields, ids as texts; the fingerprint only if there is one."""
        given: dict[str, Any] = {
            "request_id": str(self.request_id),
            "granted": self.granted,
            "decided_by": optional_id_text(self.decided_by),
            "reason": self.reason,
        }
        if self.fingerprint is not None:
            given["fingerprint"] = self.fingerprint
        return given


def from_record(
    record: ApprovalRecord, request_class: type[ApprovalRequest] = ApprovalRequest
) -> ApprovalRequest:
    """Make the request that a store holds."""
    request = request_class(
        read_id(record.id),
        read_id(record.run_id),
        record.tool_name,
        read_id(record.parent_id),
        record.approval_message,
        created_at=record.created_at,
    )
    request.payload_summary = record.payload_summary
    update(request, record)
    return request


def update(request: ApprovalRequest, record: ApprovalRecord) -> None:
    """Take the fields that can change from a store's record."""
    request.status = _STATUSES[record.status]
    request.decided_by = read_id(record.decided_by)
    request.closed_at = record.decided_at
    decided = request.status in (ApprovalStatus.APPROVED, ApprovalStatus.DENIED)
    request.decided_at = record.decided_at if decided else None
    request.expires_at = record.expires_at
    request.size = record.size
    request.fingerprint = record.fingerprint
    request.decided_fingerprint = record.decided_fingerprint
    request.reason = record.reason


def write_summary(summary: Any) -> str:
    """Write a summary as JSON, whatever it holds."""
    try:
        written = json.dumps(summary, default=str, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        bounded = _plain(Secrets([]).summarize(summary))
        written = json.dumps(bounded, default=str, skipkeys=True, ensure_ascii=False)
    # A store that held one lone surrogate could not be listed any more.
    return written.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _plain(value: Any) -> Any:
    """Give a bounded value without the numbers that cannot be written as JSON."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return writable(value)
    # The same names as in the whole arguments: NaN, Infinity.
    return json.dumps(value) if isinstance(value, float) and not math.isfinite(value) else value

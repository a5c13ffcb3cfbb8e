"""stageflow's approvals: those of :mod:`toolwire.runs`, by its names.

>>> import asyncio, uuid
>>> from toolwire.tools.approval import ApprovalService
>>> asked = ApprovalService().request_approval(action_id=uuid.UUID(int=1), tool_name="edit")
>>> asyncio.run(asked).to_dict()["action_id"]
'00000000-0000-0000-0000-000000000001'
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from toolwire._native import ApprovalDetail
from toolwire.runs import approval as own
from toolwire.runs.approval_request import ApprovalDecision, ApprovalStatus
from toolwire.tools.one_of_program import OneOfProgram

__all__ = [
    "ApprovalDecision",
    "ApprovalRequest",
    "ApprovalService",
    "ApprovalStatus",
    "clear_approval_service",
    "get_approval_service",
    "set_approval_service",
]


class ApprovalRequest(own.ApprovalRequest):
    """A question to a person: :class:`toolwire.runs.ApprovalRequest` by stageflow's names."""

    id_names = ("action_id", "pipeline_run_id")

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
        super().__init__(
            id,
            action_id,
            tool_name,
            pipeline_run_id,
            approval_message,
            status,
            decided_by,
            decided_at,
            created_at,
            payload_summary,
            message=message,
            payload=payload,
        )

    @property
    def action_id(self) -> Any:
        """The id of the run."""
        return self.run_id

    @action_id.setter
    def action_id(self, action_id: Any) -> None:
        self.run_id = action_id

    @property
    def pipeline_run_id(self) -> Any:
        """The id of what the run is part of."""
        return self.parent_id

    @pipeline_run_id.setter
    def pipeline_run_id(self, pipeline_run_id: Any) -> None:
        self.parent_id = pipeline_run_id

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.to_dict())
        return f"ApprovalRequest({shown})"


class ApprovalService(own.ApprovalService):
    """Asks for approvals and takes decisions: that of :mod:`toolwire.runs` by stageflow's names."""

    request_class = ApprovalRequest

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
    ) -> Any:
        """Make a request, which is pending; with a time-out, until its time is over.

        ``detail`` comes from the executor of a run: the whole arguments, and their fingerprint.
        """
        return await super().request_approval(
            action_id,
            tool_name,
            pipeline_run_id,
            approval_message,
            payload_summary,
            detail=detail,
            timeout_seconds=timeout_seconds,
        )

    plain_request = request_approval

    async def get_pending_requests(
        self,
        pipeline_run_id: UUID | None = None,
        *,
        limit: int | None = None,
        after: UUID | None = None,
    ) -> list[Any]:
        """Give the pending requests of one run or of all, oldest first, all of them or a page.

        ``after`` is the id of the last request of the page before, which may be decided by now;
        :class:`~toolwire.tools.ApprovalNotFoundError` when there is none of it.
        """
        return await super().get_pending_requests(pipeline_run_id, limit=limit, after=after)


_program: OneOfProgram[own.ApprovalService] = OneOfProgram(ApprovalService)


def get_approval_service() -> own.ApprovalService:
    """Give the service of the program."""
    return _program.get()


def set_approval_service(service: own.ApprovalService) -> None:
    """Set the service of the program."""
    _program.set(service)


def clear_approval_service() -> None:
    """Forget the service of the program; the next one is new."""
    _program.set(None)

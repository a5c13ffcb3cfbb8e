"""The request for approval of a run, in the service of approvals.

>>> import asyncio, uuid
>>> from toolwire.runs import ApprovalService
>>> from toolwire.runs.asking import find_asked
>>> asyncio.run(find_asked(ApprovalService(), uuid.uuid4(), None, 0)) is None
True
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from toolwire._native import ApprovalDetail, ToolStep
from toolwire.runs.action import Action
from toolwire.runs.context import parent_of
from toolwire.runs.errors import StoreError
from toolwire.runs.ids import run_of
from toolwire.runs.services import RunServices

__all__ = ["ask", "asked_by", "find_asked"]


async def ask(
    services: RunServices, action: Action, ctx: Any, step: ToolStep, detail: ApprovalDetail | None
) -> Any:
    """Make the request, with the whole arguments and a deadline if the service takes them."""
    more: dict[str, Any] = {}
    if services.takes_detail:
        seconds = services.config.approval_timeout_seconds
        more = {"detail": detail, "timeout_seconds": seconds}
    more.update(zip(services.asks_by, (action.id, parent_of(ctx)), strict=True))
    return await services.approvals.request_approval(
        tool_name=step.tool_name,
        approval_message=step.message,
        payload_summary=step.summary,
        **more,
    )


async def find_asked(service: Any, run_id: Any, detail: ApprovalDetail | None, began: int) -> Any:
    """Find the request that the process made which had the run before; None if it made none.

    A request from before the run began, in microseconds since 1970, was for an earlier run.
    """
    asked = await service.find_request(run_id)
    # A cancelled request was withdrawn, since the run was not stored.
    if asked is None or detail is None or str(asked.status) == "cancelled":
        return None
    made_at = micros_of(getattr(asked, "created_at", None))
    return asked if asked.fingerprint == detail.fingerprint and made_at >= began else None


def micros_of(time: Any) -> int:
    """Give a time in ISO 8601 as microseconds since 1970; -1 for anything else."""
    try:
        moment = datetime.fromisoformat(str(time))
    except ValueError:
        return -1
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return (moment - datetime.fromtimestamp(0, timezone.utc)) // timedelta(microseconds=1)


async def asked_by(service: Any, run_id: str, request_id: Any) -> Any:
    """Give the request that a run of the store waits for; None if it is gone."""
    request = await service.get_request(request_id)
    if request is not None and str(run_of(request)) != run_id:
        message = f"the run {run_id} waits for the request of another run; restore a backup"
        raise StoreError(message, "corrupt")
    return request

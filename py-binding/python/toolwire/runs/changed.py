"""An approval with other arguments than those of the call.

>>> import asyncio
>>> from toolwire.runs import Executor, MemoryStore, Tool
>>> executor = Executor(MemoryStore())
>>> executor.register(Tool("wipe", lambda given: given.arguments, requires_approval=True))
>>> async def main():
...     run = await executor.start({"id": "call_1", "name": "wipe", "arguments": {"disk": "c"}})
...     await executor.approve(run.approval_id, arguments={"disk": "d"}, reason="c is in use")
...     return (await executor.resume(run.id)).result().data
>>> asyncio.run(main())
{'disk': 'd'}
"""

from __future__ import annotations

from typing import Any

from toolwire.runs.approval import ApprovalService
from toolwire.runs.approval_request import ApprovalDecision, ApprovalStatus
from toolwire.runs.durable import DurableRuns
from toolwire.runs.errors import ApprovalNotFoundError, ApprovalRefusedError

__all__ = ["approve_changed"]


async def approve_changed(
    approvals: ApprovalService,
    runs: DurableRuns | None,
    id: Any,
    proposed: tuple[dict[str, Any], Any],
    decided_by: Any,
    reason: str | None,
    seen: str | None,
) -> ApprovalDecision:
    """Check arguments, keep them beside those of the call, and take the decision for them.

    ``proposed`` are the arguments and the context of the call.
    """
    request = await approvals.find_request(id)
    if request is None:
        raise ApprovalNotFoundError(id)
    is_open = request.status is ApprovalStatus.PENDING and seen in (None, request.fingerprint)
    # The service says why a request that is closed, or is another one by now, is not decided.
    chosen = seen
    if is_open:
        chosen = None if runs is None else await runs.propose(request, *proposed)
        if chosen is None:
            raise ApprovalRefusedError(request.id)
    present = chosen if is_open else None
    return await approvals.record_decision(
        request.id, True, decided_by, reason, fingerprint=chosen, present=present
    )

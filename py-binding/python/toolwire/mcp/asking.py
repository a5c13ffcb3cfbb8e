"""Asking the person at a client whether a call may run: elicitation.

>>> from toolwire.mcp.asking import SCHEMA
>>> SCHEMA["required"]
['approve']
"""

from __future__ import annotations

import contextlib
from typing import Any

from mcp_types import ClientCapabilities, ElicitRequestFormParams, ElicitResult

from toolwire.cli.changes import titled_change_lines
from toolwire.cli.fold import read, unfolded
from toolwire.cli.terminal import safe_line
from toolwire.runs.approval import ApprovalService
from toolwire.runs.approval_request import ApprovalRequest
from toolwire.runs.errors import ApprovalClosedError

__all__ = ["SCHEMA", "can_be_asked", "question", "take_answer"]

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "approve": {"type": "boolean", "title": "Let it run", "default": False},
        "reason": {"type": "string", "title": "If not, why", "maxLength": 500},
    },
    "required": ["approve"],
}

LONGEST_QUESTION = 20_000


def can_be_asked(capabilities: ClientCapabilities | None) -> bool:
    """Say whether the client shows forms to its person."""
    asking = None if capabilities is None else capabilities.elicitation
    # A client that names neither kind means forms, which came first.
    return asking is not None and (asking.form is not None or asking.url is None)


async def question(
    approvals: ApprovalService, request: ApprovalRequest
) -> ElicitRequestFormParams | None:
    """Give the form that shows a pending request; None if it cannot be shown whole.

    Who has seen only a part of a call must not approve it.
    """
    arguments = await approvals.get_arguments(request.id)
    changes = await approvals.get_changes(request.id)
    cut = any(change.left_out or change.kind == "left_out" for change in changes or ())
    if arguments is None or cut:
        return None
    lines = [
        safe_line(f"{request.tool_name}: {request.approval_message}"),
        unfolded(read(arguments)),
        *titled_change_lines(changes, full=True, colour=False),
    ]
    text = "\n".join(lines)
    if len(text) > LONGEST_QUESTION:
        return None
    return ElicitRequestFormParams(mode="form", message=text, requested_schema=SCHEMA)


async def take_answer(
    approvals: ApprovalService, request_id: str, fingerprint: str | None, answer: ElicitResult
) -> bool:
    """Take a person's answer as the decision, and say whether it is one.

    It counts for what was shown. A form that was closed without an answer decides nothing.
    """
    if answer.action == "cancel":
        return False
    content = answer.content or {}
    granted = answer.action == "accept" and content.get("approve") is True
    reason = content.get("reason")
    given = reason if isinstance(reason, str) and reason and not granted else None
    # Somebody else may have decided meanwhile, or the time may be over.
    with contextlib.suppress(ApprovalClosedError):
        await approvals.record_decision(request_id, granted, reason=given, fingerprint=fingerprint)
    return True

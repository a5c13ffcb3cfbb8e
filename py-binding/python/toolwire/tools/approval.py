"""stageflow's approvals: those of :mod:`toolwire.runs`.

>>> from toolwire.tools.approval import ApprovalService
>>> ApprovalService.__module__
'toolwire.runs.approval'
"""

from __future__ import annotations

from toolwire.runs.approval import (
    ApprovalDecision,
    ApprovalRequest,
    ApprovalService,
    ApprovalStatus,
    clear_approval_service,
    get_approval_service,
    set_approval_service,
)

__all__ = [
    "ApprovalDecision",
    "ApprovalRequest",
    "ApprovalService",
    "ApprovalStatus",
    "clear_approval_service",
    "get_approval_service",
    "set_approval_service",
]

"""The settings, policies and services that the runs of an executor share.

>>> from toolwire.tools import ToolExecutorConfig
>>> ToolExecutorConfig(approval_timeout_seconds=5.0).emit_events
True
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from toolwire._native import UNDO_TTL_SECONDS, Approvals, RunSettings, Secrets
from toolwire.tools.adapters import DictContextAdapter
from toolwire.tools.approval import ApprovalService
from toolwire.tools.approver import Approver
from toolwire.tools.definitions import Action, ToolDefinition, ToolInput
from toolwire.tools.limits import RateLimiter
from toolwire.tools.store import Store
from toolwire.tools.store_calls import StoreCalls
from toolwire.tools.undo import UndoStore

__all__ = ["Caller", "Changes", "Permission", "RunServices", "ToolExecutorConfig"]


@dataclass
class ToolExecutorConfig:
    """The settings of an executor; each run reads them when it begins.

    ``handler_timeout_seconds`` is the time that a handler has unless its tool names another one. A
    coroutine is cancelled then; a plain function runs on in its thread, which nobody can stop.
    """

    approval_timeout_seconds: float = 60.0
    undo_ttl_seconds: float = UNDO_TTL_SECONDS
    emit_events: bool = True
    log_level: int = logging.INFO
    store_undo_data: bool = True
    require_approval_for_risky: bool = True
    handler_timeout_seconds: float | None = None


Permission = Callable[[ToolDefinition, Action, Any], Any]
"""Says whether a caller may: True, False, or in words why not; may be a coroutine function."""

Changes = Callable[[ToolInput, ToolDefinition], Any]
"""Says what a run would change now, as a value that JSON can hold; may be a coroutine function."""

Caller = Callable[[Any], str]
"""Says who calls, for rate limits, from the context."""

_REQUEST = ApprovalService.request_approval
"""The method of services that may leave a request to the store of the runs."""


def user_of(ctx: Any) -> str:
    """Give the ``user_id`` of a context; an empty text where it has none."""
    fields = ctx.to_dict() if isinstance(ctx, DictContextAdapter) else {}
    user = fields.get("user_id", getattr(ctx, "user_id", None))
    return "" if user is None else str(user)


@dataclass
class RunServices:
    """What a run works with. ``limiters`` are by action type."""

    config: ToolExecutorConfig
    approvals: ApprovalService
    undo: UndoStore
    permission: Permission | None
    changes: Changes | None
    caller: Caller
    limit_store: Store
    secrets: Secrets
    approver: Approver | None = None
    store: Store | None = None
    limiters: dict[str, RateLimiter] = field(default_factory=dict)
    limit_calls: StoreCalls = field(init=False)
    takes_detail: bool = field(init=False)

    def __post_init__(self) -> None:
        self.limit_calls = StoreCalls(self.limit_store)
        self.takes_detail = takes_detail(self.approvals)

    @property
    def requests(self) -> Approvals | None:
        """The requests for approval that the store makes together with the runs.

        None if the service has another store, or makes requests in a way of its own.
        """
        asks = getattr(self.approvals, "request_approval", None)
        if self.store is None or getattr(asks, "__func__", None) is not _REQUEST:
            return None
        return self.approvals.requests_in(self.store)

    def settings(self) -> RunSettings:
        """Give the settings of a run that begins now."""
        config = self.config
        return RunSettings(
            self.secrets,
            emit_events=config.emit_events,
            ask_approval=config.require_approval_for_risky,
            approval_timeout_seconds=config.approval_timeout_seconds,
            store_undo=config.store_undo_data,
            ask_permission=self.permission is not None,
            asks_apart=self.requests is None,
        )


def takes_detail(service: Any) -> bool:
    """Say whether a service keeps arguments and deadline of a request (stageflow's does not)."""
    try:
        parameters = inspect.signature(service.request_approval).parameters
    except (AttributeError, TypeError, ValueError):
        return False
    anything = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values())
    return anything or {"detail", "timeout_seconds"} <= parameters.keys()

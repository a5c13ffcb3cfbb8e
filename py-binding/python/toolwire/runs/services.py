"""The settings, policies and services that the runs of an executor share.

>>> from toolwire.runs import ExecutorSettings
>>> ExecutorSettings(approval_timeout_seconds=5.0).emit_events
True
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from toolwire._native import (
    UNDO_TTL_SECONDS,
    Approvals,
    RunRecord,
    RunSettings,
    RunTable,
    Secrets,
)
from toolwire.runs.approval import ApprovalService
from toolwire.runs.approver import Approver
from toolwire.runs.limits import RateLimiter
from toolwire.runs.store import Store
from toolwire.runs.store_calls import StoreCalls
from toolwire.runs.undo import UndoStore
from toolwire.runs.words import OWN_WORDS, Words

__all__ = ["Caller", "Changes", "ExecutorSettings", "Policy", "RunServices", "user_of"]


class RunConfig(Protocol):
    """The settings that a run reads when it begins."""

    approval_timeout_seconds: float
    undo_ttl_seconds: float
    emit_events: bool
    store_undo_data: bool
    require_approval_for_risky: bool
    handler_timeout_seconds: float | None


@dataclass(kw_only=True)
class ExecutorSettings:
    """The settings of an executor; each run reads them when it begins.

    A person has ``approval_timeout_seconds`` to decide, a day unless it is given. The data that
    undo a run are kept for ``undo_ttl_seconds``; without ``store_undo_data`` there are none.
    ``handler_timeout_seconds`` is the time that a handler has unless its tool names another one. A
    coroutine is cancelled then; a plain function runs on in its thread, which nobody can stop.
    Without ``require_approval_for_risky`` nobody is asked.
    """

    approval_timeout_seconds: float = RunTable.APPROVAL_SECONDS
    undo_ttl_seconds: float = UNDO_TTL_SECONDS
    emit_events: bool = True
    store_undo_data: bool = True
    require_approval_for_risky: bool = True
    handler_timeout_seconds: float | None = None


class Contexts(Protocol):
    """How an executor reads contexts."""

    def of(self, given: Any, /) -> Any:
        """Read what the program gave; None stays None."""

    def restored(self, record: RunRecord, /) -> Any:
        """Give what a store keeps of the context that a run began with."""


Policy = Callable[[Any], Any]
"""Says whether a run may be: True, False, or in words why not; may be a coroutine function."""

Changes = Callable[[Any, Any], Any]
"""Says what a run would change now, as a value that JSON can hold; may be a coroutine function."""

Caller = Callable[[Any], str]
"""Says who calls, for rate limits, from the context."""


def user_of(ctx: Any) -> str:
    """Give the ``user_id`` of a context; an empty text where it has none."""
    user = getattr(ctx, "user_id", None)
    return "" if user is None else str(user)


@dataclass
class RunServices:
    """What a run works with.

    ``limiters`` are by the id of their tool. ``asks_by`` are the names by which the service of
    approvals takes the ids of a run and of what that is part of.
    """

    config: RunConfig
    approvals: ApprovalService
    undo: UndoStore
    permission: Policy | None
    changes: Changes | None
    caller: Caller
    limit_store: Store
    secrets: Secrets
    contexts: Contexts
    approver: Approver | None = None
    store: Store | None = None
    words: Words = OWN_WORDS
    limiters: dict[str, RateLimiter] = field(default_factory=dict)
    limit_calls: StoreCalls = field(init=False)
    takes_detail: bool = field(init=False)
    asks_by: tuple[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.limit_calls = StoreCalls(self.limit_store)
        known = parameters_of(self.approvals)
        self.takes_detail = takes_detail(known)
        # A service has the words of the library that it is written for.
        named = {"run_id", "action_id"} & known.keys()
        own = named == {"run_id"} if named else not self.words.stageflow
        self.asks_by = ("run_id", "parent_id") if own else ("action_id", "pipeline_run_id")

    @property
    def requests(self) -> Approvals | None:
        """The requests for approval that the store makes together with the runs.

        None if the service has another store, or makes requests in a way of its own.
        """
        asks = getattr(self.approvals, "request_approval", None)
        plain = getattr(type(self.approvals), "plain_request", asks)
        if self.store is None or getattr(asks, "__func__", None) is not plain:
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
            stageflow=self.words.stageflow,
        )


def parameters_of(service: Any) -> Mapping[str, inspect.Parameter]:
    """Give the parameters by which a service makes a request."""
    try:
        return inspect.signature(service.request_approval).parameters
    except (AttributeError, TypeError, ValueError):
        return {}


def takes_detail(parameters: Mapping[str, inspect.Parameter]) -> bool:
    """Say whether a service keeps arguments and deadline of a request (stageflow's does not)."""
    anything = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values())
    return anything or {"detail", "timeout_seconds"} <= parameters.keys()

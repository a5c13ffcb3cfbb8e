"""Errors of tools.

Each has a message, the ``tool`` it is about, and ``to_dict()`` for logs and wires.

>>> from toolwire.runs import ToolNotFoundError
>>> ToolNotFoundError("edit").to_dict()["message"]
"There is no tool 'edit'"
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from toolwire import _native
from toolwire.runs.ids import optional_id_text

__all__ = [
    "ApprovalChangedError",
    "ApprovalClosedError",
    "ApprovalNotFoundError",
    "RecordedError",
    "StoreError",
    "ToolApprovalDeniedError",
    "ToolApprovalTimeoutError",
    "ToolCallError",
    "ToolCallIdReusedError",
    "ToolChangedSinceError",
    "ToolDeniedError",
    "ToolError",
    "ToolExecutionError",
    "ToolInputError",
    "ToolInterruptedError",
    "ToolModeError",
    "ToolNotFoundError",
    "ToolPermissionError",
    "ToolRateLimitError",
    "ToolRunLostError",
    "ToolSchemaLimitError",
    "ToolUndoError",
]


class ToolError(Exception):
    """An error of a tool."""

    def __init__(self, message: str, tool: str | None = None) -> None:
        # A model may have chosen what the message quotes.
        super().__init__(_native.visible(message) if isinstance(message, str) else message)
        self.tool = tool

    def to_dict(self) -> dict[str, Any]:
        """Give the error as a dict: its type, message and tool, then what its class adds."""
        return {"error_type": type(self).__name__, "message": str(self), "tool": self.tool}


class ToolNotFoundError(ToolError):
    """There is no tool of this name."""

    code = "tool_not_found"

    def __init__(self, tool: str) -> None:
        super().__init__(_native.message_not_found(str(tool)), tool)


class ToolDeniedError(ToolError):
    """The tool may not run, for the reason of a subclass; with one argument, it is the message.

    ``behavior`` and ``allowed_behaviors`` are stageflow's. An executor of :mod:`toolwire.tools`
    gives them, another one raises :class:`ToolModeError`.
    """

    def __init__(
        self, tool: str, behavior: str | None = None, allowed_behaviors: Iterable[str] | None = None
    ) -> None:
        message = tool
        self._has_behavior = behavior is not None or allowed_behaviors is not None
        allowed = () if allowed_behaviors is None else allowed_behaviors
        if self._has_behavior:
            message = (
                f"Tool '{tool}' denied: current behavior '{behavior}' "
                f"not in allowed behaviors {allowed}"
            )
        super().__init__(message, tool)
        self.behavior = behavior
        self.allowed_behaviors = allowed

    def to_dict(self) -> dict[str, Any]:
        """Add the behavior and those that are allowed, if it was raised for them."""
        given = super().to_dict()
        if self._has_behavior:
            given["behavior"] = self.behavior
            given["allowed_behaviors"] = list(self.allowed_behaviors)
        return given


class ToolModeError(ToolDeniedError):
    """The tool may not run in this mode, or not without one."""

    code = "mode_not_allowed"

    def __init__(self, tool: str, mode: str | None, allowed_modes: Iterable[str]) -> None:
        allowed = tuple(allowed_modes)
        shown = None if mode is None else str(mode)
        super().__init__(_native.message_mode(tool, shown, [str(one) for one in allowed]))
        self.tool = tool
        self.mode = mode
        self.allowed_modes = allowed

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.tool, self.mode, self.allowed_modes)

    def to_dict(self) -> dict[str, Any]:
        """Add the mode and those that are allowed."""
        return {
            **super().to_dict(),
            "mode": self.mode,
            "allowed_modes": list(self.allowed_modes),
        }


class ToolInputError(ToolDeniedError):
    """The payload does not match the tool's ``input_schema``.

    ``problems`` says where: the ``path`` of each failing value, as a JSON Pointer, and the rule it
    breaks. ``code`` is ``invalid_input``, ``bad_number`` or ``schema_limit``.
    """

    code = "invalid_input"

    def __init__(self, tool: str, problems: Sequence[Mapping[str, str]]) -> None:
        listed = [(problem["path"], problem["message"]) for problem in problems]
        super().__init__(_native.message_input(tool, listed))
        self.tool = tool
        self.problems = [dict(problem) for problem in problems]

    def to_dict(self) -> dict[str, Any]:
        """Add the problems."""
        return {**super().to_dict(), "problems": self.problems}


class ToolCallError(ToolInputError):
    """There is not one call that can be read, so no tool ran.

    ``code`` is ``no_call``, ``several_calls``, ``bad_name``, ``bad_id``, or the code with which a
    provider's call is refused, such as ``bad_json``. ``problems`` has the place, and ``call_id`` is
    the id of the call, as far as it can be read.
    """

    def __init__(
        self, code: str, path: str, message: str, tool: str = "", call_id: str = ""
    ) -> None:
        super().__init__(tool, [{"path": path, "message": message}])
        self.args = (_native.message_bad_call(tool, path, message),)
        self.code = code
        self.call_id = call_id

    def __reduce__(self) -> tuple[Any, ...]:
        problem = self.problems[0]
        told = (problem["path"], problem["message"])
        return type(self), (self.code, *told, self.tool, self.call_id)

    def to_dict(self) -> dict[str, Any]:
        """Add the code and the id of the call."""
        return {**super().to_dict(), "code": self.code, "call_id": self.call_id}


class ToolPermissionError(ToolDeniedError):
    """The caller may not run the tool."""

    def __init__(self, tool: str, reason: str) -> None:
        super().__init__(_native.message_permission(tool, reason))
        self.tool = tool
        self.reason = reason

    def to_dict(self) -> dict[str, Any]:
        """Add the reason."""
        return {**super().to_dict(), "reason": self.reason}


class ToolRateLimitError(ToolDeniedError):
    """The tool has run too often; ``retry_after_seconds`` says when it may again."""

    def __init__(self, tool: str, retry_after_seconds: float) -> None:
        super().__init__(_native.message_limited(tool, retry_after_seconds))
        self.tool = tool
        self.retry_after_seconds = retry_after_seconds

    def to_dict(self) -> dict[str, Any]:
        """Add how long to wait."""
        return {**super().to_dict(), "retry_after_seconds": self.retry_after_seconds}


class ToolChangedSinceError(ToolDeniedError):
    """The run would differ from what a person approved."""

    def __init__(self, tool: str, request_id: UUID | None = None) -> None:
        super().__init__(_native.message_changed(tool))
        self.tool = tool
        self.request_id = request_id

    def to_dict(self) -> dict[str, Any]:
        """Add the request."""
        return {**super().to_dict(), "request_id": optional_id_text(self.request_id)}


class ToolApprovalDeniedError(ToolError):
    """A person said no, or the request was cancelled."""

    def __init__(
        self, tool: str, request_id: UUID | None = None, reason: str = "user_denied"
    ) -> None:
        super().__init__(_native.message_approval(str(tool), str(reason)), tool)
        self.request_id = request_id
        self.reason = reason

    def to_dict(self) -> dict[str, Any]:
        """Add the request and the reason."""
        request_id = optional_id_text(self.request_id)
        return {**super().to_dict(), "request_id": request_id, "reason": self.reason}


class ToolApprovalTimeoutError(ToolApprovalDeniedError):
    """Nobody decided in time."""

    def __init__(
        self, tool: str, request_id: UUID | None = None, timeout_seconds: float = 0
    ) -> None:
        super().__init__(tool, request_id, "timeout")
        self.args = (_native.message_timeout(str(tool)),)
        self.timeout_seconds = timeout_seconds

    def to_dict(self) -> dict[str, Any]:
        """Add how long was waited."""
        return {**super().to_dict(), "timeout_seconds": self.timeout_seconds}


class ToolUndoError(ToolError):
    """A run could not be undone."""

    def __init__(self, tool: str, run_id: Any, reason: str) -> None:
        super().__init__(_native.message_undo(str(tool), str(run_id), str(reason)), tool)
        self.run_id = run_id
        self.reason = reason

    def to_dict(self) -> dict[str, Any]:
        """Add the id of the run and the reason."""
        return {**super().to_dict(), "run_id": str(self.run_id), "reason": self.reason}


class ToolExecutionError(ToolError):
    """A tool's handler raised; ``cause`` is what it raised."""

    def __init__(self, tool: str, run_id: Any = None, cause: BaseException | None = None) -> None:
        super().__init__(_native.message_failed(str(tool), str(cause) if cause else ""), tool)
        self.run_id = run_id
        self.cause = cause

    def to_dict(self) -> dict[str, Any]:
        """Add the id of the run and the cause."""
        return {
            **super().to_dict(),
            "run_id": optional_id_text(self.run_id),
            "cause": str(self.cause) if self.cause else None,
        }


class ApprovalNotFoundError(ToolError, KeyError):
    """There is no such request for approval."""

    def __init__(self, request_id: UUID | str) -> None:
        super().__init__(f"Approval request {request_id} not found")
        self.request_id = request_id

    def __str__(self) -> str:
        return str(self.args[0])


class ApprovalClosedError(ToolError):
    """A decision came too late: a request is decided once, for good.

    ``code`` is ``already_decided``, ``approval_expired`` or ``approval_cancelled``.
    """

    def __init__(self, message: str, request_id: str, code: str) -> None:
        super().__init__(message)
        self.request_id = request_id
        self.code = code

    def to_dict(self) -> dict[str, Any]:
        """Add the request and the code."""
        return {**super().to_dict(), "request_id": self.request_id, "code": self.code}


class ApprovalRefusedError(ToolError):
    """The arguments of a run cannot be changed so; the request stays pending.

    ``code`` is ``arguments_refused`` when they do not pass a check of a call, whose error is the
    cause, and ``not_waiting`` when no run of the store waits for the request.
    """

    def __init__(self, request_id: UUID | str, cause: Exception | None = None) -> None:
        reason = None if cause is None else str(cause)
        super().__init__(_native.message_arguments(str(request_id), reason))
        self.request_id = request_id
        self.code = "not_waiting" if cause is None else "arguments_refused"
        self.__cause__ = cause

    def to_dict(self) -> dict[str, Any]:
        """Add the request and the code."""
        return {**super().to_dict(), "request_id": str(self.request_id), "code": self.code}


class ApprovalChangedError(ToolError):
    """A decision's fingerprint matches neither the request nor the run; the request stays pending.

    ``code`` is ``changed_since``.
    """

    code = "changed_since"

    def __init__(self, message: str, request_id: str) -> None:
        super().__init__(message)
        self.request_id = request_id

    def to_dict(self) -> dict[str, Any]:
        """Add the request and the code."""
        return {**super().to_dict(), "request_id": self.request_id, "code": self.code}


class RunNotFoundError(ToolError, KeyError):
    """The store has no run of this id."""

    code = "unknown_run"

    def __init__(self, message: str, run_id: str) -> None:
        super().__init__(message)
        self.run_id = run_id

    def __str__(self) -> str:
        return str(self.args[0])

    def to_dict(self) -> dict[str, Any]:
        """Add the run's id and the code."""
        return {**super().to_dict(), "run_id": self.run_id, "code": self.code}


class RunNotRetriedError(ToolError):
    """A run cannot be retried.

    ``code`` is ``not_interrupted``, ``already_ran`` or ``arguments_gone``.
    """

    def __init__(self, message: str, run_id: str, code: str) -> None:
        super().__init__(message)
        self.run_id = run_id
        self.code = code

    def to_dict(self) -> dict[str, Any]:
        """Add the run's id and the code."""
        return {**super().to_dict(), "run_id": self.run_id, "code": self.code}


class StoreError(ToolError):
    """A store failed.

    ``kind`` says how: ``read_only``, ``locked``, ``corrupt``, ``newer_version``, ``exposed``,
    ``closed``, ``io`` or ``host``.
    """

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind

    def to_dict(self) -> dict[str, Any]:
        """Add the kind."""
        return {**super().to_dict(), "kind": self.kind}


class AgentError(ToolError):
    """An agent gave no answer; ``code`` says why, as ``conversation_waiting``."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code

    def to_dict(self) -> dict[str, Any]:
        """Add the code."""
        return {**super().to_dict(), "code": self.code}


class ToolCallIdReusedError(ToolDeniedError):
    """The id of the call belongs to the run of another call."""

    def __init__(self, tool: str) -> None:
        super().__init__(_native.message_reused(tool))
        self.tool = tool


class ToolSchemaLimitError(ToolInputError):
    """The tool's schema cannot be applied to the arguments within the limits.

    Nothing is known of the arguments then, so ``problems`` is empty.
    """

    code = "schema_limit"

    def __init__(self, tool: str) -> None:
        super().__init__(tool, [])
        self.args = (_native.message_schema_limit(tool),)


class ToolInterruptedError(ToolError):
    """Nobody knows what the handler did: its process has ended, or its time was over.

    In the latter case the ``TimeoutError`` is the cause.
    """

    def __init__(self, tool: str, run_id: str) -> None:
        super().__init__(
            f"Tool '{tool}' was interrupted: its process has ended, or its time was over, and what "
            "it did is unknown; look, then retry the run, or call it again under a new id",
            tool,
        )
        self.run_id = run_id

    def to_dict(self) -> dict[str, Any]:
        """Add the run's id."""
        return {**super().to_dict(), "run_id": self.run_id}


class ToolRunLostError(ToolError):
    """The store does not have the end of a run, because its process no longer had it."""

    code = "run_lost"

    def __init__(self, tool: str, run_id: str) -> None:
        super().__init__(_native.message_lost(run_id), tool)
        self.run_id = run_id

    def to_dict(self) -> dict[str, Any]:
        """Add the run's id and the code."""
        return {**super().to_dict(), "run_id": self.run_id, "code": self.code}


class RecordedError(Exception):
    """What a handler raised in another process: its message, and the name of its class."""

    def __init__(self, message: str, class_name: str = "") -> None:
        super().__init__(message)
        self.class_name = class_name

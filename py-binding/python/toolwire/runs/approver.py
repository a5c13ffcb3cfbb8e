"""A person, or a program, that decides in the process that asks.

>>> import asyncio
>>> from toolwire.runs import Executor, Tool
>>> def approver(request, arguments):
...     return True if request.tool_name == "look" else f"not {arguments}"
>>> executor = Executor(approver=approver)
>>> for name in ("look", "wipe"):
...     executor.register(Tool(name, lambda given: 7, requires_approval=True))
>>> call = {"id": "call_1", "name": "look", "arguments": {"disk": "c"}}
>>> asyncio.run(executor.execute(call)).output.data
7
>>> print(asyncio.run(executor.execute({**call, "name": "wipe"})).error)
Tool 'wipe' was not approved: not {"disk":"c"}
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from toolwire.runs.approval import ApprovalService
from toolwire.runs.approval_request import ApprovalStatus
from toolwire.runs.errors import ApprovalClosedError

__all__ = ["Approver", "approver_of", "decide_by"]

Approver: TypeAlias = Callable[[Any, str], Any]
"""Decides on a request (:class:`~toolwire.runs.ApprovalRequest`) with its whole arguments as JSON,
without their secrets: True, False, or in words why not. ``request.changes`` is what the run would
change. A plain function runs in a thread; it may be a coroutine function."""


def approver_of(given: Approver | Literal["terminal"] | None) -> Approver | None:
    """Give the approver: ``"terminal"`` asks the person at the program's terminal."""
    if given == "terminal":
        from toolwire.cli.confirm import ask_person

        return ask_person
    if given is None or callable(given):
        return given
    raise TypeError(f'approver must be a function or "terminal", got {given!r}')


async def decide_by(approver: Approver, service: ApprovalService, request_id: Any) -> None:
    """Let an approver decide on a request, unless somebody else has decided meanwhile."""
    request = await service.get_request(request_id)
    if request is None or request.status is not ApprovalStatus.PENDING:
        return
    arguments = await service.get_arguments(request_id) or "{}"
    request.changes = await service.get_changes(request_id)
    if inspect.iscoroutinefunction(approver):
        verdict = await approver(request, arguments)
    else:
        verdict = await asyncio.to_thread(approver, request, arguments)
    reason = verdict if isinstance(verdict, str) else None
    with contextlib.suppress(ApprovalClosedError):
        await service.record_decision(
            request.id, verdict is True, reason=reason, fingerprint=request.fingerprint
        )

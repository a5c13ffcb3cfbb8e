"""Runs of tools: what becomes of a model's calls, from the checks to the outcome.

A run outlives its process where the executor has a store. ``toolwire.tools`` is the same under
stageflow's names.

>>> import asyncio
>>> from toolwire.runs import Executor, MemoryStore, Tool
>>> executor = Executor(MemoryStore())
>>> executor.register(Tool("mail", lambda given: "sent", requires_approval=True))
>>> async def main():
...     run = await executor.start({"id": "call_1", "name": "mail", "arguments": {"to": "ann"}})
...     print(run.state)
...     await executor.approve(run.approval_id)
...     run = await executor.resume(run.id)
...     print(run.state, run.output.data)
>>> asyncio.run(main())
waiting
completed sent
"""

from __future__ import annotations

from toolwire._extra import MissingExtraError
from toolwire.runs.approval import (
    ApprovalDecision,
    ApprovalRequest,
    ApprovalService,
    ApprovalStatus,
)
from toolwire.runs.approval_change import ApprovalChange
from toolwire.runs.context import RunContext
from toolwire.runs.errors import (
    ApprovalChangedError,
    ApprovalClosedError,
    ApprovalNotFoundError,
    ApprovalRefusedError,
    RunNotFoundError,
    RunNotRetriedError,
    StoreError,
    ToolApprovalDeniedError,
    ToolApprovalTimeoutError,
    ToolCallError,
    ToolCallIdReusedError,
    ToolChangedSinceError,
    ToolDeniedError,
    ToolError,
    ToolExecutionError,
    ToolInputError,
    ToolInterruptedError,
    ToolModeError,
    ToolNotFoundError,
    ToolPermissionError,
    ToolRateLimitError,
    ToolRunLostError,
    ToolSchemaLimitError,
    ToolUndoError,
)
from toolwire.runs.executor import Executor
from toolwire.runs.functions import FunctionTool, tool
from toolwire.runs.input import ToolInput
from toolwire.runs.limits import Permit, RateLimiter
from toolwire.runs.output import ToolOutput, UndoMetadata
from toolwire.runs.progress import report_progress
from toolwire.runs.run import Run
from toolwire.runs.services import ExecutorSettings
from toolwire.runs.store import BatchStore, MemoryStore, SqliteStore, Store
from toolwire.runs.store_place import open_store
from toolwire.runs.store_postgres import PostgresStore
from toolwire.runs.store_redis import RedisStore
from toolwire.runs.tool import Tool
from toolwire.runs.undo import UndoStore

__all__ = [
    "ApprovalChange",
    "ApprovalChangedError",
    "ApprovalClosedError",
    "ApprovalDecision",
    "ApprovalNotFoundError",
    "ApprovalRefusedError",
    "ApprovalRequest",
    "ApprovalService",
    "ApprovalStatus",
    "BatchStore",
    "Executor",
    "ExecutorSettings",
    "FunctionTool",
    "MemoryStore",
    "MissingExtraError",
    "Permit",
    "PostgresStore",
    "RateLimiter",
    "RedisStore",
    "Run",
    "RunContext",
    "RunNotFoundError",
    "RunNotRetriedError",
    "SqliteStore",
    "Store",
    "StoreError",
    "Tool",
    "ToolApprovalDeniedError",
    "ToolApprovalTimeoutError",
    "ToolCallError",
    "ToolCallIdReusedError",
    "ToolChangedSinceError",
    "ToolDeniedError",
    "ToolError",
    "ToolExecutionError",
    "ToolInput",
    "ToolInputError",
    "ToolInterruptedError",
    "ToolModeError",
    "ToolNotFoundError",
    "ToolOutput",
    "ToolPermissionError",
    "ToolRateLimitError",
    "ToolRunLostError",
    "ToolSchemaLimitError",
    "ToolUndoError",
    "UndoMetadata",
    "UndoStore",
    "open_store",
    "report_progress",
    "tool",
]

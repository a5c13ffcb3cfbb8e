"""A drop-in for ``stageflow.tools``: code written for it runs when the import is changed.

Runs, approvals, stores and errors are those of :mod:`toolwire.runs`, by stageflow's names; new
programs find them there in the project's own words.

>>> from toolwire.tools import BaseTool, ToolRegistry
>>> class Greet(BaseTool):
...     name = "greet"
...     action_type = "GREET"
>>> registry = ToolRegistry()
>>> registry.register(Greet())
>>> calls = [{"id": "call_1", "name": "greet", "arguments": {}}]
>>> resolved, unresolved = registry.parse_and_resolve(calls)
>>> resolved[0].tool
<Tool: greet>
"""

from __future__ import annotations

from toolwire._extra import MissingExtraError
from toolwire.runs.approval_change import ApprovalChange
from toolwire.runs.errors import (
    ApprovalChangedError,
    ApprovalClosedError,
    ApprovalNotFoundError,
    ApprovalRefusedError,
    RunNotFoundError,
    RunNotRetriedError,
    StoreError,
    ToolCallError,
    ToolCallIdReusedError,
    ToolChangedSinceError,
    ToolDeniedError,
    ToolError,
    ToolInputError,
    ToolInterruptedError,
    ToolPermissionError,
    ToolRateLimitError,
    ToolRunLostError,
    ToolSchemaLimitError,
)
from toolwire.runs.limits import Permit, RateLimiter
from toolwire.runs.progress import report_progress
from toolwire.runs.run import Run
from toolwire.runs.store import BatchStore, MemoryStore, SqliteStore, Store
from toolwire.runs.store_place import open_store
from toolwire.runs.store_postgres import PostgresStore
from toolwire.runs.store_redis import RedisStore
from toolwire.tools.adapters import DictContextAdapter, adapt_context
from toolwire.tools.approval import (
    ApprovalDecision,
    ApprovalRequest,
    ApprovalService,
    ApprovalStatus,
    clear_approval_service,
    get_approval_service,
    set_approval_service,
)
from toolwire.tools.base import BaseTool, Tool
from toolwire.tools.definitions import (
    Action,
    ToolDefinition,
    ToolHandler,
    ToolInput,
    ToolOutput,
    UndoHandler,
    UndoMetadata,
)
from toolwire.tools.diff import (
    DiffLine,
    DiffResult,
    DiffType,
    diff_json,
    diff_structured,
    diff_text,
)
from toolwire.tools.errors import (
    ToolApprovalDeniedError,
    ToolApprovalTimeoutError,
    ToolExecutionError,
    ToolNotFoundError,
    ToolUndoError,
)
from toolwire.tools.events import (
    ApprovalDecidedEvent,
    ApprovalRequestedEvent,
    ToolCompletedEvent,
    ToolDeniedEvent,
    ToolEventBase,
    ToolFailedEvent,
    ToolInvokedEvent,
    ToolStartedEvent,
    ToolUndoFailedEvent,
    ToolUndoneEvent,
)
from toolwire.tools.executor import ToolExecutor
from toolwire.tools.executor_v2 import AdvancedToolExecutor, ExecutionResult, ToolExecutorConfig
from toolwire.tools.functions import FunctionTool
from toolwire.tools.registry import (
    ResolvedToolCall,
    ToolRegistry,
    UnresolvedToolCall,
    clear_tool_registry,
    get_tool_registry,
    register_tool,
    tool,
)
from toolwire.tools.undo import UndoStore, clear_undo_store, get_undo_store, set_undo_store

__all__ = [
    "Action",
    "AdvancedToolExecutor",
    "ApprovalChange",
    "ApprovalChangedError",
    "ApprovalClosedError",
    "ApprovalDecidedEvent",
    "ApprovalDecision",
    "ApprovalNotFoundError",
    "ApprovalRefusedError",
    "ApprovalRequest",
    "ApprovalRequestedEvent",
    "ApprovalService",
    "ApprovalStatus",
    "BaseTool",
    "BatchStore",
    "DictContextAdapter",
    "DiffLine",
    "DiffResult",
    "DiffType",
    "ExecutionResult",
    "FunctionTool",
    "MemoryStore",
    "MissingExtraError",
    "Permit",
    "PostgresStore",
    "RateLimiter",
    "RedisStore",
    "ResolvedToolCall",
    "Run",
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
    "ToolCompletedEvent",
    "ToolDefinition",
    "ToolDeniedError",
    "ToolDeniedEvent",
    "ToolError",
    "ToolEventBase",
    "ToolExecutionError",
    "ToolExecutor",
    "ToolExecutorConfig",
    "ToolFailedEvent",
    "ToolHandler",
    "ToolInput",
    "ToolInputError",
    "ToolInterruptedError",
    "ToolInvokedEvent",
    "ToolNotFoundError",
    "ToolOutput",
    "ToolPermissionError",
    "ToolRateLimitError",
    "ToolRegistry",
    "ToolRunLostError",
    "ToolSchemaLimitError",
    "ToolStartedEvent",
    "ToolUndoError",
    "ToolUndoFailedEvent",
    "ToolUndoneEvent",
    "UndoHandler",
    "UndoMetadata",
    "UndoStore",
    "UnresolvedToolCall",
    "adapt_context",
    "clear_approval_service",
    "clear_tool_registry",
    "clear_undo_store",
    "diff_json",
    "diff_structured",
    "diff_text",
    "get_approval_service",
    "get_tool_registry",
    "get_undo_store",
    "open_store",
    "register_tool",
    "report_progress",
    "set_approval_service",
    "set_undo_store",
    "tool",
]

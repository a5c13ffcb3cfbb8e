"""Tools as a client of MCP sees them: names, schemas, and hints at what they do.

>>> from toolwire.mcp.offered import follow_up_tools
>>> [tool.name for tool in follow_up_tools()]
['toolwire_status', 'toolwire_resume']
"""

from __future__ import annotations

from mcp_types import Tool, ToolAnnotations

from toolwire.mcp.answer import RESUME, STATUS
from toolwire.runs.executor_base import ExecutorBase

__all__ = ["follow_up_tools", "offered"]

RUN_SCHEMA = {
    "type": "object",
    "properties": {"run": {"type": "string", "description": "the run's id"}},
    "required": ["run"],
    "additionalProperties": False,
}


def offered(executor: ExecutorBase) -> list[Tool]:
    """Give the tools of an executor, in the order of their registration."""
    return [Tool.model_validate(written) for written in executor.to_provider("mcp")]


def follow_up_tools() -> list[Tool]:
    """Give the tools that ask for a run and go on with it, for clients without forms."""
    return [
        Tool(
            name=STATUS,
            description="Tells how the run of a call stands that waits for a person's approval.",
            input_schema=RUN_SCHEMA,
            annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
        ),
        Tool(
            name=RESUME,
            description="Goes on with the run of a call after a person has decided, and gives its "
            "result. It runs nothing that was not approved, and nothing twice.",
            input_schema=RUN_SCHEMA,
            annotations=ToolAnnotations(read_only_hint=False, open_world_hint=False),
        ),
    ]

"""Runs a case of the topic `requests`: what goes to a provider or a model with a request."""

from __future__ import annotations

from typing import Any

from cases import fields
from toolwire.tools import AdvancedToolExecutor, ToolDefinition, ToolRegistry

TOOL = "description input_schema read_only destructive"


def run(given: dict[str, Any]) -> Any:
    """Give the outcome of a case."""
    return {"to_provider": to_provider}[given["function"]](given)


def registered(tools: list[dict[str, Any]], registry: Any) -> Any:
    """Add the tools that a case describes."""
    for tool in tools:
        fields(tool, "name action_type", TOOL)
        registry.register(ToolDefinition(**tool, handler=lambda given: given.payload))
    return registry


def to_provider(given: dict[str, Any]) -> Any:
    """Write the tools, and look names up."""
    fields(given, "function provider tools", "strict names")
    registry = registered(given["tools"], ToolRegistry())
    strict = given.get("strict", False)
    written = registry.to_provider(given["provider"], strict=strict)
    executor = registered(given["tools"], AdvancedToolExecutor())
    assert executor.to_provider(given["provider"], strict=strict) == written
    found = [registry.get(name) for name in given.get("names", [])]
    return {"tools": written, "found": [tool and tool.action_type for tool in found]}

"""Runs a case of the topic `requests`: what goes to a provider or a model with a request."""

from __future__ import annotations

from typing import Any

import toolwire
from cases import fields
from toolwire.tools import AdvancedToolExecutor, ToolDefinition, ToolOutput, ToolRegistry

TOOL = "description input_schema read_only destructive"


def run(given: dict[str, Any]) -> Any:
    """Give the outcome of a case."""
    does = {"to_provider": to_provider, "answer": answer, "prompt": prompt}
    return does[given["function"]](given)


def registered(tools: list[dict[str, Any]], registry: Any) -> Any:
    """Add the tools that a case describes."""
    for tool in tools:
        fields(tool, "name id", TOOL)
        options = {key: value for key, value in tool.items() if key != "id"}
        made = ToolDefinition(
            **options, action_type=tool["id"], handler=lambda given: given.payload
        )
        registry.register(made)
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


def answer(given: dict[str, Any]) -> Any:
    """Write an output for the model."""
    fields(given, "function provider call success", "data error max_bytes secret_keys")
    options = {name: given[name] for name in ("max_bytes", "secret_keys") if name in given}
    output = ToolOutput(given["success"], given.get("data"), given.get("error"))
    written = toolwire.provider.dump(output, given["provider"], given["call"], **options)
    return {"object": written}


def prompt(given: dict[str, Any]) -> Any:
    """Write the text that tells a model its tools."""
    fields(given, "function tools", "profile format")
    options = {name: given[name] for name in ("profile", "format") if name in given}
    registry = registered(given["tools"], ToolRegistry())
    text = registry.render_prompt(**options)
    executor = registered(given["tools"], AdvancedToolExecutor())
    assert executor.render_prompt(**options) == text
    return {"text": text}

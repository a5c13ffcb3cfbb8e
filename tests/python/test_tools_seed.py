"""The usage example of the reference that stageflow and ``toolwire.tools`` both follow."""

from __future__ import annotations

import asyncio
import sys
from types import ModuleType, SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest

EXAMPLE = """
from uuid import uuid4
from dataclasses import dataclass
from stageflow.tools import (
    BaseTool,
    ToolInput,
    ToolOutput,
    ToolDefinition,
    get_tool_registry,
    register_tool,
)

# Simple tool using BaseTool
@register_tool
class GreetTool(BaseTool):
    name = "greet"
    description = "Greet a user"
    action_type = "GREET"

    async def execute(self, input: ToolInput, ctx: dict) -> ToolOutput:
        name = input.action.payload.get("name", "World")
        return ToolOutput.ok(data={"message": f"Hello, {name}!"})

# Advanced tool with undo
async def edit_handler(input: ToolInput) -> ToolOutput:
    doc_id = input.payload["document_id"]
    content = input.payload["content"]
    original = get_document(doc_id)
    set_document(doc_id, content)
    return ToolOutput.ok(
        data={"updated": True},
        undo_metadata={"doc_id": doc_id, "original": original},
    )

async def edit_undo(metadata):
    set_document(metadata.undo_data["doc_id"], metadata.undo_data["original"])

edit_tool = ToolDefinition(
    name="edit_document",
    action_type="EDIT_DOCUMENT",
    handler=edit_handler,
    undoable=True,
    undo_handler=edit_undo,
    requires_approval=True,
    allowed_behaviors=("doc_edit",),
)

# Execute tools
@dataclass
class Action:
    id: uuid4
    type: str
    payload: dict

async def main():
    registry = get_tool_registry()
    action = Action(id=uuid4(), type="GREET", payload={"name": "Alice"})
    result = await registry.execute(action, ctx={})
    print(result.data)  # {"message": "Hello, Alice!"}
"""

TOOL_CALLS = """
async def resolve(registry, ctx):
    tool_calls = [
        {
            "id": "call_123",
            "function": {
                "name": "greet",
                "arguments": '{"name": "hello"}'
            }
        },
        {"id": "call_124", "function": {"name": "store_memory", "arguments": "{}"}},
    ]

    resolved, unresolved = registry.parse_and_resolve(tool_calls)

    for call in unresolved:
        # Emit observability event for triage
        ctx.emit_event("tools.unresolved", {"call_id": call.call_id, "error": call.error})

    results = []
    for call in resolved:
        tool_input = ToolInput(action=call.arguments)
        results.append(await call.tool.execute(tool_input, ctx={"call_id": call.call_id}))
    return results
"""


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Run the example as a module, with another import and with documents to edit."""
    from toolwire import tools

    tools.clear_tool_registry()
    tools.clear_approval_service()
    tools.clear_undo_store()
    module = ModuleType("example")
    monkeypatch.setitem(sys.modules, "example", module)
    documents = {"d1": "before"}
    vars(module).update(
        documents=documents, get_document=documents.get, set_document=documents.__setitem__
    )
    exec((EXAMPLE + TOOL_CALLS).replace("stageflow.tools", "toolwire.tools"), vars(module))
    return module


def test_it_greets(example: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    asyncio.run(example.main())
    assert capsys.readouterr().out == "{'message': 'Hello, Alice!'}\n"


def test_it_edits_when_a_person_approves_and_undoes(example: ModuleType) -> None:
    from toolwire.tools import AdvancedToolExecutor, get_approval_service

    async def edit() -> tuple[Any, str, bool, str]:
        executor = AdvancedToolExecutor()
        executor.register(example.edit_tool)
        ctx = {"execution_mode": "doc_edit"}
        action = example.Action(uuid4(), "EDIT_DOCUMENT", {"document_id": "d1", "content": "after"})
        run = asyncio.ensure_future(executor.execute(action, ctx))
        await asyncio.sleep(0)
        service = get_approval_service()
        (request,) = await service.get_pending_requests()
        assert example.documents["d1"] == "before"
        await service.record_decision(request.id, True)
        output = await run
        edited = example.documents["d1"]
        return output, edited, await executor.undo_action(action.id, ctx), example.documents["d1"]

    output, edited, undone, after = asyncio.run(edit())
    assert (output.data, edited, undone, after) == ({"updated": True}, "after", True, "before")


def test_a_provider_s_calls_are_resolved_and_run(example: ModuleType) -> None:
    told: list[Any] = []
    ctx = SimpleNamespace(emit_event=lambda type, data: told.append((type, data)))
    registry = example.get_tool_registry()
    results = asyncio.run(example.resolve(registry, ctx))
    assert [result.data for result in results] == [{"message": "Hello, hello!"}]
    error = "No tool registered for action type: store_memory"
    assert told == [("tools.unresolved", {"call_id": "call_124", "error": error})]

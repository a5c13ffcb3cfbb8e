"""What goes to a provider with a request: tools and results of every kind, as its client takes it.

The shared cases of the topic ``requests`` hold the shapes; here the types of the providers' own
libraries check them, and results are what only Python can return.
"""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import decimal
import enum
import json
import uuid
from pathlib import Path
from typing import Any

import pydantic
import pytest
import toolwire
from anthropic.types import ToolParam, ToolResultBlockParam
from openai.types.chat import ChatCompletionToolMessageParam, ChatCompletionToolParam
from openai.types.responses import FunctionToolParam
from openai.types.responses.response_input_param import FunctionCallOutput
from toolwire.tools import (
    AdvancedToolExecutor,
    BaseTool,
    SqliteStore,
    ToolDefinition,
    ToolInput,
    ToolOutput,
    ToolRegistry,
    tool,
)

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
BLOCK = {"type": "tool_use", "id": "toolu_1", "name": "t", "input": {"city": "Oslo"}}


class Model(pydantic.BaseModel):
    """A model of pydantic."""

    n: int = 1


@dataclasses.dataclass
class Place:
    """A data class with a member of every odd kind."""

    at: Any


class Secretive:
    """An object whose text is a secret."""

    def __repr__(self) -> str:
        return "hunter2"


class Broken(pydantic.BaseModel):
    """A model that cannot be written."""

    def model_dump(self, **_: Any) -> Any:
        raise OSError("hunter2")


class Colour(enum.Enum):
    """An enum."""

    RED = "red"


def size(given: ToolInput) -> int:
    return len(given.payload)


def registered(registry: Any) -> Any:
    registry.register(ToolDefinition("weather.get", "W", size, "Tells the weather", SCHEMA))
    registry.register(ToolDefinition("now", "N", size))
    return registry


def dumped(data: Any, provider: Any = "anthropic", **options: Any) -> Any:
    output = ToolOutput.ok(data)
    return toolwire.provider.dump(output, provider, BLOCK, **options)["content"]


@pytest.mark.parametrize(
    ("provider", "type"),
    [
        ("openai", ChatCompletionToolParam),
        ("mistral", ChatCompletionToolParam),
        ("openai_responses", FunctionToolParam),
        ("anthropic", ToolParam),
    ],
)
@pytest.mark.parametrize("strict", [False, True])
def test_the_clients_own_types_take_the_tools(provider: str, type: Any, strict: bool) -> None:
    if strict and not provider.startswith("openai"):
        pytest.skip("strict is OpenAI's")
    adapter = pydantic.TypeAdapter(type)
    for made in (ToolRegistry(), AdvancedToolExecutor()):
        for one in registered(made).to_provider(provider, strict=strict):
            adapter.validate_python(one, strict=True)
            assert one.keys() <= type.__annotations__.keys()


@pytest.mark.parametrize(
    ("provider", "type"),
    [
        ("openai", ChatCompletionToolMessageParam),
        ("openai_responses", FunctionCallOutput),
        ("anthropic", ToolResultBlockParam),
    ],
)
@pytest.mark.parametrize("output", [ToolOutput.ok({"n": 1}), ToolOutput.fail("no")])
def test_the_clients_own_types_take_the_results(
    provider: Any, type: Any, output: ToolOutput
) -> None:
    adapter = pydantic.TypeAdapter(type)
    adapter.validate_python(toolwire.provider.dump(output, provider, BLOCK), strict=True)


def test_mcp_s_own_type_takes_the_tools() -> None:
    types = pytest.importorskip("mcp.types")
    tools = registered(ToolRegistry()).to_provider("mcp")
    assert [types.Tool.model_validate(one).name for one in tools] == ["weather.get", "now"]


def test_gemini_s_own_type_takes_the_tools() -> None:
    types = pytest.importorskip("google.genai.types")
    (made,) = registered(ToolRegistry()).to_provider("gemini")
    declared = types.Tool.model_validate(made).function_declarations
    assert [one.name for one in declared] == ["weather.get", "now"]


def test_a_call_under_a_made_name_runs() -> None:
    executor = AdvancedToolExecutor()
    executor.register(ToolDefinition("weather.get", "W", lambda given: given.payload))
    (made,) = executor.to_provider("anthropic")
    assert made["name"] != "weather.get"
    block = {**BLOCK, "name": made["name"]}
    result = asyncio.run(executor.execute_detailed(block))
    assert json.loads(toolwire.provider.dump(result, "anthropic", block)["content"]) == {
        "city": "Oslo"
    }
    resolved, _ = registered(ToolRegistry()).parse_and_resolve([block])
    assert resolved[0].tool.name == "weather.get"
    unresolved = ToolRegistry().parse_and_resolve([block])[1]
    answer = toolwire.provider.dump(unresolved[0], "anthropic")
    assert answer["is_error"] is True
    assert answer["tool_use_id"] == "toolu_1"


def test_tools_that_are_made_late_are_told() -> None:
    registry = ToolRegistry()

    class Greet(BaseTool):
        name = "greet"
        description = "Greets"
        action_type = "GREET"
        input_schema = SCHEMA
        read_only = True

        async def execute(self, input: ToolInput, ctx: dict[str, Any]) -> ToolOutput:
            return ToolOutput.ok()

    registry.register_factory("GREET", Greet)
    assert registry.list() == []
    assert registry.to_provider("mcp") == [
        {
            "name": "greet",
            "description": "Greets",
            "inputSchema": SCHEMA,
            "annotations": {"readOnlyHint": True},
        }
    ]
    decorated = tool("T", name="late", description="Late")(type("Late", (BaseTool,), {}))
    made = ToolRegistry()
    made.register_factory("T", decorated)
    assert made.to_provider("anthropic")[0]["description"] == "Late"
    toolwire.tools.clear_tool_registry()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (float("nan"), "NaN"),
        ([float("inf"), float("-inf"), 1e400, -0.0], ["Infinity", "-Infinity", "Infinity", -0.0]),
        (10**30, 10**30),
        (b"\xff\xfeab", "\ufffd\ufffdab"),
        ({"\ud800": "\ud800"}, None),
        ({1: "a", "1": "b", None: "c", (1, 2): "d"}, {"1": "a", "1*": "b", "null": "c"}),
        ((1, (2,)), [1, [2]]),
        ({3}, [3]),
        (Place(Place(1)), {"at": {"at": 1}}),
        ([Model(), Colour.RED, decimal.Decimal("1.5")], [{"n": 1}, "red", "1.5"]),
        (
            [uuid.UUID(int=1), datetime.date(2026, 1, 2)],
            ["00000000-0000-0000-0000-000000000001", "2026-01-02"],
        ),
        ([Secretive(), Broken(), len], ["<Secretive object>", "<Broken object>"]),
    ],
)
def test_whatever_a_tool_returns_is_told(data: Any, told: Any) -> None:
    text = dumped(data)
    text.encode()
    assert "hunter2" not in text
    read = text if isinstance(told, str) else json.loads(text)
    if isinstance(told, dict):
        assert told.items() <= read.items()
    elif isinstance(told, list):
        assert read[: len(told)] == told
    else:
        assert told is None or read == told


def test_a_result_without_end_is_cut() -> None:
    loop: list[Any] = []
    loop += [loop, loop, {"again": loop}]
    huge = "ä" * 50_000_000
    for data in (loop, huge, {"a": [huge] * 10}, [list(range(1000))] * 100_000):
        for provider in ("anthropic", "openai"):
            text = dumped(data, provider)
            assert len(text.encode()) <= 256 * 1024
            assert text.endswith("\n[cut: the whole is longer than 262144 bytes]")
    assert len(dumped(huge, max_bytes=1000).encode()) <= 1000
    deep: Any = 1
    for _ in range(10_000):
        deep = [deep]
    assert "<list with 1 items>" in dumped(deep)


def test_many_keys_that_are_written_alike_are_cut() -> None:
    """Each gets stars to tell it apart, which count for the bound."""
    assert "cut" in dumped({object(): 0 for _ in range(20_000)})


def test_secrets_do_not_leave() -> None:
    data = {"user_pass": "hunter2", "log": "password=hunter2", "next_page_token": "abc"}
    assert json.loads(dumped(data)) == {
        "user_pass": "[redacted]",
        "log": "password=[redacted]",
        "next_page_token": "[redacted]",
    }
    token = "ghp_" + "Aa0" * 12
    told = json.loads(dumped({"next_page_token": "abc", "note": token}, secret_keys=()))
    assert told == {"next_page_token": "abc", "note": "[redacted]"}


def test_every_outcome_of_a_run_is_told() -> None:
    def raising(given: ToolInput) -> Any:
        raise ValueError("no such city")

    executor = AdvancedToolExecutor()
    executor.register(ToolDefinition("t", "T", raising, input_schema=SCHEMA))
    executor.register(ToolDefinition("d", "D", size, allowed_behaviors=("admin",)))
    for block, words in (
        (BLOCK, "no such city"),
        ({**BLOCK, "input": {"town": 1}}, "not run (invalid_input) at / of its arguments: "),
        ({**BLOCK, "name": "d"}, "denied"),
        ({**BLOCK, "name": "nobody"}, "nobody"),
    ):
        result = asyncio.run(executor.execute_detailed(block))
        told = toolwire.provider.dump(result, "bedrock", block)["toolResult"]
        assert told["status"] == "error"
        assert words in json.dumps(told["content"])
        with pytest.raises(toolwire.tools.ToolError) as caught:
            asyncio.run(executor.execute(block))
        assert toolwire.provider.dump(caught.value, "bedrock", block)["toolResult"] == told


LIST = {"type": "array", "items": {"$ref": "#/$defs/n"}}
FORKED = {"$ref": "#/$defs/n", "$defs": {"n": {"anyOf": [LIST, {**LIST, "minItems": 1}]}}}


@pytest.mark.parametrize("durable", [False, True])
@pytest.mark.parametrize("depth", [1, 40])
def test_wrong_arguments_are_told_with_their_code(
    durable: bool, depth: int, tmp_path: Path
) -> None:
    """A schema that forks at each level cannot be applied to a deep list."""
    place = SqliteStore(str(tmp_path / "runs.db")) if durable else None
    executor = AdvancedToolExecutor(store=place)
    schema = {"type": "object", "properties": {"a": FORKED}, "$defs": FORKED["$defs"]}
    executor.register(ToolDefinition("t", "T", size, input_schema=schema))
    block = {**BLOCK, "input": {"a": json.loads("[" * depth + "1" + "]" * depth)}}
    with pytest.raises(toolwire.tools.ToolInputError) as caught:
        asyncio.run(executor.execute(block))
    code = "invalid_input" if depth == 1 else "schema_limit"
    assert caught.value.code == code
    items: list[Any] = [caught.value, asyncio.run(executor.execute_detailed(block))]
    if durable:
        items.append(asyncio.run(executor.start(block)))
    for item in items:
        told = toolwire.provider.dump(item, "anthropic", block)["content"]
        assert told.startswith(f"Your tool call was not run ({code}) at /"), told
        assert ("within the limits" in told) == (code == "schema_limit")


def test_the_call_of_a_text_is_answered_under_the_id_of_its_message() -> None:
    found = toolwire.detect('<tool:t>{"city": "Oslo"}</tool>')
    for provider in ("openai", "anthropic", "mistral", "bedrock"):
        message = toolwire.provider.message(found, provider)
        (call,) = toolwire.provider.parse(message).calls
        answer = toolwire.provider.dump(ToolOutput.ok(), provider, found[0])
        (result,) = toolwire.provider.parse(answer).results
        assert result.call_id == call.id
        assert result.data == "Tool 't' ran and gave no data."


def test_a_result_needs_its_call() -> None:
    with pytest.raises(TypeError, match="needs the call"):
        toolwire.provider.dump(ToolOutput.ok(), "openai")
    with pytest.raises(toolwire.WrongTypeError):
        toolwire.provider.dump({}, "openai")
    with pytest.raises(toolwire.InvalidArgumentError):
        dumped({}, max_bytes=10)


@pytest.mark.parametrize("profile", [one for one in toolwire.profiles() if one.formats])
def test_each_profile_reads_the_example_of_its_prompt(profile: toolwire.Profile) -> None:
    registry = registered(ToolRegistry())
    prompt = registry.render_prompt(profile=profile)
    if profile.reasoning_begun:
        return
    found = toolwire.Detector(model=profile.slug).detect(prompt)
    assert [registry.get(call.name).name for call in found] == ["weather.get"]
    assert found[0].arguments == {"city": "text"}


def test_a_prompt_is_written_for_a_model_by_its_name_alone() -> None:
    for tools in (ToolRegistry(), AdvancedToolExecutor()):
        registered(tools)
        assert tools.render_prompt("qwen3") == tools.render_prompt(profile="qwen3")

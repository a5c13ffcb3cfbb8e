"""Scenarios of registries and of calls that are resolved."""

from __future__ import annotations

import asyncio
import time
from enum import Enum
from types import ModuleType, SimpleNamespace
from typing import Any

from peers import action, plain
from stageflow_scenario import definition, scenario


class Greeter:
    """A tool with the members that a registry needs, and no more."""

    def __init__(self, action_type: Any = "greet", name: Any = "greeter") -> None:
        self.action_type, self.name, self.description = action_type, name, ""

    async def execute(self, given: Any, ctx: Any) -> Any:
        return SimpleNamespace(success=True, payload=given.action.payload, ctx=ctx)

    def __repr__(self) -> str:
        return "Greeter"


def resolution(tools: ModuleType, calls: Any, **options: Any) -> Any:
    registry = tools.ToolRegistry()
    registry.register(Greeter())
    resolved, unresolved = registry.parse_and_resolve(calls, **options)
    return [
        [
            [repr(one.tool), one.call_id, one.name, plain(one.arguments), one.raw in calls]
            for one in resolved
        ],
        [
            [one.call_id, one.name, plain(one.arguments), one.error, one.raw in calls]
            for one in unresolved
        ],
    ]


def call(arguments: Any, name: Any = "greet", id: Any = "c") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


class Word(str, Enum):
    GREET = "greet"


@scenario
async def resolve_shapes(tools: ModuleType) -> Any:
    calls = [
        call('{"a": 1, "b": [true, null]}'),
        call({"a": 1}),
        {"id": "flat", "name": "greet", "arguments": '{"x": 1}'},
        {"id": "anthropic", "name": "greet", "input": {"x": 1}},
        {"name": "greet"},
        {"id": None, "name": "greet"},
        {"id": 5, "name": "nobody", "arguments": '{"kept": 1}'},
        {"id": True, "function": {"name": "greet"}},
        {"id": 1.5, "function": {}},
        {},
        call("", "greet"),
        call(None),
    ]
    return resolution(tools, calls)


@scenario
async def resolve_json(tools: ModuleType) -> Any:
    texts = [
        '{"a": NaN, "b": -Infinity}',
        '{"a": 1, "a": 2, "z": 0, "b": {"é": "\\u00e9\\ud83d\\ude00"}}',
        f'{{"n": {10**40}, "m": -0, "z": -0.0, "x": 1.0, "e": 1E5}}',
        '{"half": "\\ud800"}',
        " \t\r\n{} \n",
        "{",
        "{'a': 1}",
        '{"a": 1} x',
        '{"a": "\x01"}',
        "\ufeff{}",
        '{"a": 01}',
        "[1",
        "nul",
        "\ud800",
    ]
    return resolution(tools, [call(text) for text in texts])


@scenario
async def resolve_blank_arguments(tools: ModuleType) -> Any:
    return resolution(tools, [call(" ")])


@scenario
async def resolve_a_number_beyond_a_float(tools: ModuleType) -> Any:
    return resolution(tools, [call('{"only": "draft", "n": 1e400}')])


@scenario
async def resolve_fields(tools: ModuleType) -> Any:
    calls = [
        {"ref": "r", "tool": "greet", "input": {"x": 1}, "function": "text"},
        {"ref": "r", "call": {"tool": "greet", "input": "{}"}},
    ]
    options = {"id_field": "ref", "name_field": "tool", "arguments_field": "input"}
    return [
        resolution(tools, calls[:1], **options, function_wrapper=None),
        resolution(tools, calls[:1], **options, function_wrapper=""),
        resolution(tools, calls[1:], **options, function_wrapper="call"),
    ]


@scenario
async def resolve_deep(tools: ModuleType) -> Any:
    text = '{"a": ' + "[" * 500 + "]" * 500 + "}"
    return resolution(tools, [call(text)])


@scenario
async def resolve_enum_and_subclasses(tools: ModuleType) -> Any:
    class Mine(dict):  # type: ignore[type-arg]
        pass

    return resolution(tools, [call(Mine(a=1), Word.GREET), Mine(call({"b": 2}))])


@scenario
async def resolve_a_raising_factory(tools: ModuleType) -> Any:
    registry = tools.ToolRegistry()

    def factory() -> Any:
        raise RuntimeError("not today")

    registry.register_factory("greet", factory)
    _, unresolved = registry.parse_and_resolve([call("{}"), {"name": "greet"}])
    return [[one.call_id, one.name, one.arguments, one.error] for one in unresolved]


@scenario
async def resolve_a_name(tools: ModuleType) -> Any:
    return resolution(tools, [call("{}", "greeter")])


@scenario
async def resolve_not_a_call(tools: ModuleType) -> Any:
    return resolution(tools, [None, "x", 5, [], call("{}")])


@scenario
async def resolve_arguments_not_an_object(tools: ModuleType) -> Any:
    return resolution(tools, [call(text) for text in ("[1]", "null", "5", '"x"', "NaN")])


@scenario
async def resolve_arguments_of_other_types(tools: ModuleType) -> Any:
    return resolution(tools, [call(value) for value in ([1], 5, b"{}", True)])


@scenario
async def resolve_wrapper_not_an_object(tools: ModuleType) -> Any:
    return resolution(tools, [{"id": "c", "name": "n", "function": None}, {"function": "x"}])


@scenario
async def resolve_long_integers(tools: ModuleType) -> Any:
    return resolution(tools, [call('{"n": ' + "9" * 5000 + "}")])


@scenario
async def registry_basics(tools: ModuleType) -> Any:
    registry = tools.ToolRegistry()
    first, second = Greeter(), Greeter()
    made: list[Any] = []

    def factory() -> Any:
        made.append(Greeter("lazy", "lazy"))
        return made[-1]

    results = [
        registry.register(first),
        registry.register_tool(second),
        registry.register_factory("lazy", factory),
    ]
    looked = [
        registry.get("greet") is second,
        registry.get_tool("x"),
        registry.get_by_action_type("greet") is second,
    ]
    has = [
        "greet" in registry,
        "lazy" in registry,
        "x" in registry,
        registry.has("lazy"),
        registry.can_execute("x"),
    ]
    before = [len(registry.list()), "lazy" in registry._tools]
    lazy = [registry.get("lazy") is registry.get("lazy"), len(made)]
    after = [len(registry.list_tools()), "lazy" in registry._tools, "greet" in registry._tools]
    return [results, looked, has, before, lazy, after]


@scenario
async def registry_execute(tools: ModuleType) -> Any:
    registry = tools.ToolRegistry()
    registry.register(Greeter())
    missing = await registry.execute(action("nothing"), {})
    found = await registry.execute(action("greet"), {"x": 1})
    return [missing.success, missing.error, found.payload, found.ctx]


@scenario
async def registry_definition(tools: ModuleType) -> Any:
    registry = tools.ToolRegistry()
    registry.register(definition(tools))
    return await registry.execute(action(), {})


@scenario
async def registry_threads(tools: ModuleType) -> Any:
    made = []

    def factory() -> Any:
        made.append(Greeter())
        time.sleep(0.05)
        return made[-1]

    registry = tools.ToolRegistry()
    registry.register_factory("greet", factory)
    await asyncio.gather(*(asyncio.to_thread(registry.get, "greet") for _ in range(2)))
    return len(made)


@scenario
async def registry_decorator(tools: ModuleType) -> Any:
    @tools.tool("GREET", name="greet", description="Greets")
    class Greet(tools.BaseTool):  # type: ignore[misc,name-defined]
        async def execute(self, given: Any, ctx: Any) -> Any:
            return None

    @tools.tool("PLAIN")
    class Plain(tools.BaseTool):  # type: ignore[misc,name-defined]
        pass

    registry = tools.get_tool_registry()
    same = registry is tools.get_tool_registry()
    found, plain_tool = registry.get("GREET"), registry.get("PLAIN")
    names = [
        found.name,
        found.action_type,
        found.description,
        plain_tool.name,
        plain_tool.description,
    ]
    tools.clear_tool_registry()
    return [
        same,
        names,
        repr(found),
        isinstance(found, Greet),
        tools.get_tool_registry() is registry,
        Plain.__name__,
    ]


@scenario
async def register_factory_over_a_tool(tools: ModuleType) -> Any:
    registry = tools.ToolRegistry()
    registry.register(Greeter(name="first"))
    registry.register_factory("greet", lambda: Greeter(name="second"))
    return registry.get("greet").name

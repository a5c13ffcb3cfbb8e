"""``toolwire.tools`` does what ``stageflow.tools`` does, except where a list says it is better."""

from __future__ import annotations

import importlib
import inspect
import math
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("stageflow.tools", reason="stageflow needs Python 3.11")

import stageflow_approval
import stageflow_execution
import stageflow_pipelines
import stageflow_records
import stageflow_resolution
import stageflow_values
from peers import ACTION, TARGETS, trace
from stageflow_scenario import SCENARIOS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tools.md"

MODULES = (
    stageflow_approval,
    stageflow_execution,
    stageflow_pipelines,
    stageflow_records,
    stageflow_resolution,
    stageflow_values,
)

# Where the two differ, ours is better: what stageflow does, as in docs/tools.md, and the scenarios
# that show it. A test checks that they differ.
DIFFERENCES = {
    "tools are found by action type": ["resolve_a_name"],
    "an action type that cannot be hashed raises `TypeError`": [
        "execute_a_type_that_cannot_be_hashed"
    ],
    "an element that is no call loses the whole `parse_and_resolve`": ["resolve_not_a_call"],
    "arguments that are no object are resolved, or become `{}`": [
        "resolve_arguments_not_an_object",
        "resolve_arguments_of_other_types",
    ],
    "the error of a call that cannot be read is what Python raised": [
        "resolve_wrapper_not_an_object"
    ],
    "an integer of more than 4,300 digits cannot be read": ["resolve_long_integers"],
    "a number beyond a float becomes infinity": ["resolve_a_number_beyond_a_float"],
    "arguments of white space alone are an error": ["resolve_blank_arguments"],
    "a tool under `@tool` does not know its name": ["registry_decorator"],
    "a factory does not replace a tool": ["register_factory_over_a_tool"],
    "a registry may call a factory in two threads at once": ["registry_threads"],
    "a tool may have an empty name or action type": ["register_without_a_name"],
    "an executor runs actions with `id`, `type` and `payload`": ["execute_a_call"],
    "a handler must be a coroutine function and return a `ToolOutput`": [
        "execute_none",
        "execute_none_without_events",
        "execute_a_plain_function",
    ],
    "a `ToolDefinition` in a registry, or a `BaseTool` in an executor, fails when it runs": [
        "registry_definition",
        "execute_a_base_tool",
    ],
    "a payload that is no dict fails without an event": ["execute_a_payload_that_is_no_dict"],
    "some functions take a context as a dict, others as an object": ["execute_with_a_dict"],
    "two classes `ToolInput`, two classes `ToolOutput`": ["one_class_of_inputs"],
    "nothing returns an `ExecutionResult`": ["execute_in_detail"],
    "`input_schema` is ignored": ["execute_schema"],
    "a decision may come twice, or after the time ran out": ["approve_twice", "approve_late"],
    "any object decides, and all but a few approve": ["decide_with_another_type"],
    "setting a field of a request changes it for everybody": ["set_a_status"],
    "a decision of another thread is noticed at the time-out": ["approve_from_a_thread"],
    "`cleanup` leaves a waiting task until its time-out": ["cleanup_while_a_task_waits"],
    "the `TimeoutError` of `await_decision` has no words": ["await_out_of_time"],
    "a time-out of 0 hides a decision that was made": ["await_what_is_decided"],
    "`request` gives a request another id": ["request_keeps_its_id"],
    "the error of a denial has no request and no reason": [
        "execute_denied_by_a_person",
        "execute_cancelled_request",
    ],
    "an error without words makes a message that ends in a colon": ["execute_raises_without_words"],
    "undo works only if name and action type are equal": ["undo_under_another_name"],
    "only the last run of an action can be undone": ["undo_two_runs_of_an_action"],
    "an empty `UndoStore` that is passed in is ignored": ["undo_empty_store"],
    "a failing undo store gives both `tool.completed` and `tool.failed`": [
        "execute_undo_store_raises"
    ],
    "empty undo metadata are reported in the event, and not kept": ["execute_empty_undo_metadata"],
    "a cancelled task leaves its run open and its request pending": ["execute_cancelled_task"],
    "a cancelled undo has no event": ["undo_cancelled_task"],
    "events hold the payload itself, with its secrets": [
        "execute_secret",
        "execute_nested_payload",
    ],
    "a payload's summary holds the live tuples and objects": ["execute_a_payload_of_objects"],
    "events hold a name that is no text as it is": ["execute_names_that_are_no_texts"],
    'an action without an id has the id `"None"`': ["execute_without_an_id"],
    "`ctx.event_sink` is never used": ["execute_with_a_sink_of_its_own"],
    "a registry of pipelines must raise `KeyError`": ["spawn_from_a_plain_dict"],
}
BETTER = {name for names in DIFFERENCES.values() for name in names}


@pytest.mark.parametrize("name", SCENARIOS)
def test_it_is_as_in_stageflow_or_better(name: str) -> None:
    theirs, ours = (trace(target, SCENARIOS[name]) for target in TARGETS)
    if name in BETTER:
        assert ours != theirs, "nothing is better any more; take it off the list"
    else:
        assert ours.told == theirs.told
        assert comparable(ours.outcome) == comparable(theirs.outcome)


def comparable(value: Any) -> Any:
    if isinstance(value, list):
        return [comparable(one) for one in value]
    return "nan" if isinstance(value, float) and math.isnan(value) else value


def test_what_is_better_is_a_scenario_and_a_row_of_the_page() -> None:
    assert set(SCENARIOS) >= BETTER
    page = PAGE.read_text(encoding="utf-8").split("| stageflow 1.2.0 | here |\n|---|---|\n")[1]
    rows = [line.split(" | ")[0].removeprefix("| ") for line in page.split("\n\n")[0].splitlines()]
    assert rows == list(DIFFERENCES)
    assert {run.__module__ for run in SCENARIOS.values()} == {module.__name__ for module in MODULES}


def test_the_names_and_modules_are_there() -> None:
    theirs, ours = (importlib.import_module(target) for target in TARGETS)
    assert len(theirs.__all__) == 56
    assert set(theirs.__all__) <= set(ours.__all__)
    for module in [
        "adapters",
        "approval",
        "base",
        "definitions",
        "diff",
        "errors",
        "events",
        "executor",
        "executor_v2",
        "registry",
        "undo",
    ]:
        theirs = importlib.import_module(f"stageflow.tools.{module}")
        ours = importlib.import_module(f"toolwire.tools.{module}")
        for name in theirs.__all__:
            assert hasattr(ours, name), f"{module}.{name}"
    assert importlib.import_module("toolwire.tools.executor").ToolExecutorResult
    assert importlib.import_module("toolwire.runs.undo").UndoEntry


def parameters(target: Any) -> list[tuple[str, Any, str]]:
    """Give a signature's parameters: name, kind, whether it has a default, and the default."""

    def default(one: inspect.Parameter) -> str:
        return "<factory>" if "factory" in repr(one.default) else repr(one.default)

    given = inspect.signature(target).parameters.values()
    return [(one.name, one.kind, default(one)) for one in given]


# Ours take more: a required parameter is optional here, or more parameters follow.
WIDER = {
    "ApprovalDecision",
    "ApprovalRequest",
    "ApprovalService",
    "AdvancedToolExecutor",
    "ExecutionResult",
    "ToolDefinition",
    "ToolDeniedError",
    "ToolExecutorConfig",
    "ToolInput",
    "UndoStore",
    "tool",
}


def test_signatures_are_the_same_or_wider() -> None:
    theirs, ours = (importlib.import_module(target) for target in TARGETS)
    for name in theirs.__all__:
        their, our = getattr(theirs, name), getattr(ours, name)
        if name in ("Tool", "Action", "ToolHandler", "UndoHandler", "DiffType", "ApprovalStatus"):
            continue
        if name in WIDER:
            names = [one[:2] for one in parameters(our)]
            assert names[: len(parameters(their))] == [one[:2] for one in parameters(their)], name
        else:
            assert parameters(our) == parameters(their), name


FROZEN = [
    "ToolInput",
    "ToolOutput",
    "UndoMetadata",
    "ToolDefinition",
    "DiffLine",
    "DiffResult",
    "ApprovalDecision",
    "ResolvedToolCall",
    "UnresolvedToolCall",
    "ToolStartedEvent",
    "ApprovalRequestedEvent",
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", FROZEN)
def test_records_are_frozen_and_equal_by_value(target: str, name: str) -> None:
    made = getattr(importlib.import_module(target), name)
    required = [
        one
        for one in inspect.signature(made).parameters.values()
        if one.default is inspect.Parameter.empty
    ]
    if name == "ToolInput":
        values = {"action_id": ACTION, "tool_name": "t", "payload": {}}
    else:
        values = {one.name: f"value of {one.name}" for one in required}
    for time in {"created_at", "timestamp"} & set(inspect.signature(made).parameters):
        values[time] = "2024-01-01T00:00:00+00:00"
    first, second = made(**values), made(**values)
    assert first == second
    assert not (first != second)  # noqa: SIM202 — the other operator
    field = next(iter(values))
    assert made(**{**values, field: "another"}) != first
    with pytest.raises(AttributeError):
        setattr(first, field, 1)

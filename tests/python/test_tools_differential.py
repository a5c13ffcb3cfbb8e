"""``toolwire.tools`` does what ``stageflow.tools`` does, except where a list says it is better."""

from __future__ import annotations

import importlib
import inspect
import math
from typing import Any

import pytest

pytest.importorskip("stageflow.tools", reason="stageflow needs Python 3.11")

import stageflow_approval
import stageflow_execution
import stageflow_pipelines
import stageflow_records
import stageflow_resolution
from peers import ACTION, TARGETS, trace
from stageflow_scenario import SCENARIOS

MODULES = (
    stageflow_approval,
    stageflow_execution,
    stageflow_pipelines,
    stageflow_records,
    stageflow_resolution,
)

# The scenarios in which the two differ, and why ours is better. A test checks that they differ.
BETTER = {
    "execute_denied_by_a_person": "the error names the request and the person's reason",
    "execute_cancelled_request": "the error names the request, and that it was cancelled",
    "execute_cancelled_task": "an abandoned run says so, and its request does not stay pending",
    "execute_undo_store_raises": "a run that completed is not told to have failed too",
    "execute_raises_without_words": "an error without words adds no colon",
    "execute_secret": "secrets do not reach events",
    "execute_nested_payload": "events share nothing with the payload",
    "execute_none": "a handler may return nothing",
    "execute_none_without_events": "the output of a handler that returns nothing is a success",
    "execute_schema": "input_schema is enforced",
    "spawn_from_a_plain_dict": "a registry may be a dict; a missing pipeline is a KeyError",
    "undo_under_another_name": "undo works where name and action type differ",
    "undo_empty_store": "an empty store that was passed in is used",
    "approve_twice": "a decision is final",
    "approve_late": "an expired request stays expired",
    "request_keeps_its_id": "a request keeps its id",
    "resolve_a_name": "tools are found by their names too",
    "resolve_not_a_call": "one element that is no call does not lose the others",
    "resolve_arguments_not_an_object": "arguments that are not an object are not resolved",
    "resolve_wrapper_not_an_object": "the error says what is wrong, not what Python raised",
    "resolve_long_integers": "integers of any length are read",
    "resolve_arguments_of_other_types": "arguments that are not an object are not resolved",
    "registry_decorator": "a tool under @tool knows its name, action type and description",
    "register_factory_over_a_tool": "what is registered last counts",
}


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


def test_what_is_better_is_a_scenario() -> None:
    assert set(BETTER) <= set(SCENARIOS)
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
    assert importlib.import_module("toolwire.tools.undo").UndoEntry


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

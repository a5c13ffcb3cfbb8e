"""Plans and pipelines of the plain executor, where stageflow has nothing to compare with."""

from __future__ import annotations

import asyncio
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from peers import ACTION, action
from toolwire.tools import (
    BaseTool,
    MissingExtraError,
    ToolExecutor,
    ToolInput,
    ToolOutput,
    register_tool,
)


@pytest.mark.parametrize(("given", "instead"), [({}, "registry"), ({"registry": {}}, "spawner")])
def test_a_pipeline_without_stageflow_says_what_to_install(
    given: dict[str, Any], instead: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("stageflow", "stageflow.pipeline.registry", "stageflow.pipeline.subpipeline"):
        monkeypatch.setitem(sys.modules, module, None)
    expected = f"stageflow-core is not installed: pip install stageflow-core, or give {instead}="
    with pytest.raises(MissingExtraError) as raised:
        asyncio.run(ToolExecutor(**given).spawn_subpipeline("p", None, ACTION))
    assert str(raised.value) == expected


def test_a_pipeline_runs_without_stageflow(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipeline:
        def build(self) -> Any:
            return self

        async def run(self, ctx: Any) -> Any:
            return {"stage": SimpleNamespace(data=ctx)}

    class Spawner:
        async def spawn(self, *, runner: Any, ctx: Any, **asked: Any) -> Any:
            return SimpleNamespace(
                child_run_id=ACTION, success=True, data=await runner(ctx), asked=asked
            )

    monkeypatch.setitem(sys.modules, "stageflow", None)
    monkeypatch.setitem(sys.modules, "stageflow.pipeline.subpipeline", None)
    made = ToolExecutor(spawner=Spawner(), registry={"own": Pipeline()})
    result = asyncio.run(made.spawn_subpipeline("own", {"x": 1}, ACTION, topology_override="t"))
    assert result.data == {"stage": {"x": 1}}
    assert result.asked == {
        "pipeline_name": "own",
        "correlation_id": ACTION,
        "parent_stage_id": "stage.tool_executor",
        "topology": "t",
        "execution_mode": None,
    }
    with pytest.raises(KeyError, match="'other' not found"):
        asyncio.run(made.spawn_subpipeline("other", {}, ACTION))


def test_a_plan_runs_with_a_context_that_is_a_dict() -> None:
    class Echo(BaseTool):
        name = action_type = "ECHO_CTX"

        async def execute(self, input: ToolInput, ctx: dict[str, Any]) -> ToolOutput:
            return ToolOutput.ok(artifacts=[ctx])

    register_tool(Echo())
    plan = SimpleNamespace(actions=[action("ECHO_CTX")])
    result = asyncio.run(ToolExecutor().execute({"x": 1}, plan))
    assert result.artifacts_produced == [{"x": 1}]

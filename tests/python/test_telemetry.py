"""Spans and metrics, as OpenTelemetry's SDK exports them."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from toolwire import telemetry
from toolwire.runs import Executor, MemoryStore, Tool
from toolwire.tools import (
    AdvancedToolExecutor,
    SqliteStore,
    ToolDefinition,
    ToolExecutorConfig,
    ToolInput,
    ToolOutput,
    report_progress,
)

TOKEN = "ghp_" + "Aa0" * 12


class Exported:
    """What was exported, and the observer that makes it."""

    def __init__(self, **options: Any) -> None:
        self.memory, self.reader = InMemorySpanExporter(), InMemoryMetricReader()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self.memory))
        self.tracer = self.provider.get_tracer("test")
        meters = MeterProvider(metric_readers=[self.reader])
        self.observer = telemetry.instrument(
            tracer_provider=self.provider, meter_provider=meters, **options
        )

    def spans(self) -> list[ReadableSpan]:
        return list(self.memory.get_finished_spans())

    def points(self, name: str) -> list[Any]:
        data = self.reader.get_metrics_data()
        return [
            point
            for resource in (data.resource_metrics if data is not None else [])
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == name
            for point in metric.data.data_points
        ]


@pytest.fixture
def exported() -> Iterator[Exported]:
    made = Exported(content=True)
    yield made
    telemetry.uninstrument(made.observer)


def fail(given: ToolInput) -> None:
    raise ValueError(f"the key {TOKEN} is wrong")


def executor(**options: Any) -> AdvancedToolExecutor:
    made = AdvancedToolExecutor(**options)
    made.register(ToolDefinition("look", "LOOK", lambda given: {"seen": 3}, "Looks around."))
    made.register(ToolDefinition("wipe", "WIPE", lambda given: "gone", requires_approval=True))
    made.register(ToolDefinition("fail", "FAIL", fail))
    made.register(ToolDefinition("refuse", "REFUSE", lambda given: ToolOutput.fail("no")))
    schema = {"type": "object", "required": ["id"]}
    made.register(ToolDefinition("strict", "STRICT", lambda given: 1, input_schema=schema))
    return made


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"id": f"{name} {arguments}", "name": name, "arguments": arguments}


def run(made: AdvancedToolExecutor, asked: dict[str, Any]) -> Any:
    return asyncio.run(made.execute_detailed(asked))


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def test_a_run_is_a_span_by_the_conventions(exported: Exported) -> None:
    run(executor(), call("look", at="it", password="swordfish"))
    (span,) = exported.spans()
    shown = attributes(span)
    assert span.name == "execute_tool look"
    assert shown["gen_ai.operation.name"] == "execute_tool"
    assert shown["gen_ai.tool.name"] == "look"
    assert shown["gen_ai.tool.type"] == "function"
    assert shown["gen_ai.tool.description"] == "Looks around."
    assert shown["gen_ai.tool.call.arguments"] == '{"at": "it", "password": "[redacted]"}'
    assert shown["gen_ai.tool.call.result"] == '{"seen": 3}'
    assert span.status.status_code is StatusCode.UNSET
    (duration,) = exported.points("gen_ai.execute_tool.duration")
    assert (duration.count, duration.attributes["gen_ai.tool.name"]) == (1, "look")
    assert 0 < duration.sum < 5


def test_a_result_that_cannot_be_written_leaves_no_span_open(exported: Exported) -> None:
    made = AdvancedToolExecutor()
    made.register(ToolDefinition("odd", "ODD", lambda given: {(1, 2): 3}))

    async def main() -> bool:
        await made.execute_detailed(call("odd"))
        return trace.get_current_span().get_span_context().is_valid

    assert not asyncio.run(main())
    (span,) = exported.spans()
    assert span.name == "execute_tool odd"
    assert len(exported.points("gen_ai.execute_tool.duration")) == 1


def test_runs_of_both_executors_are_told(exported: Exported) -> None:
    """The events of `toolwire.runs` name the run by another word than those of the drop-in."""

    def look(_: Any) -> ToolOutput:
        report_progress(1, 2)
        return ToolOutput.ok(3, undo_metadata={"seen": 3})

    ours = Executor(MemoryStore())
    ours.register(Tool("look", look, undo=lambda _: None))

    async def undone() -> str:
        ran = await ours.execute(call("look"))
        assert await ours.undo(ran.id)
        return ran.id

    id = asyncio.run(undone())
    run(executor(), call("look"))
    first, undoing, second = exported.spans()
    assert (undoing.name, attributes(undoing)["gen_ai.tool.call.id"]) == ("toolwire.undo look", id)
    assert attributes(first)["gen_ai.tool.call.id"] == id
    assert [event.name for event in first.events] == ["toolwire.progress"]
    assert attributes(second)["gen_ai.tool.call.id"] == id


def test_arguments_and_results_are_shown_only_when_asked_for() -> None:
    made = Exported()
    try:
        run(executor(), call("look", at="it"))
    finally:
        telemetry.uninstrument(made.observer)
    (span,) = made.spans()
    assert not {"gen_ai.tool.call.arguments", "gen_ai.tool.call.result"} & set(attributes(span))


@pytest.mark.parametrize(
    ("name", "error", "handled"),
    [
        ("fail", "ValueError", 1),
        ("refuse", "tool_failure", 1),
        ("strict", "invalid_input", 0),
    ],
)
def test_a_failure_has_a_kind_and_no_secret(
    exported: Exported, name: str, error: str, handled: int
) -> None:
    run(executor(), call(name))
    (span,) = exported.spans()
    assert attributes(span)["error.type"] == error
    assert span.status.status_code is StatusCode.ERROR
    assert TOKEN not in str(span.status.description)
    points = exported.points("gen_ai.execute_tool.duration")
    assert sum(point.count for point in points) == handled


def test_what_a_handler_does_stands_below_its_span(exported: Exported) -> None:
    def handle(given: ToolInput) -> str:
        report_progress(1, 2, "half")
        with exported.tracer.start_as_current_span("inner"):
            return "done"

    async def main() -> None:
        with exported.tracer.start_as_current_span("outer"):
            await made.execute(call("nest"))
            assert trace.get_current_span().get_span_context().span_id == outer_id()

    def outer_id() -> int:
        return trace.get_current_span().get_span_context().span_id

    made = AdvancedToolExecutor()
    made.register(ToolDefinition("nest", "NEST", handle))
    asyncio.run(main())
    spans = {span.name: span for span in exported.spans()}
    tool = spans["execute_tool nest"]
    inner, outer = spans["inner"].parent, spans["outer"].context
    assert inner is not None
    assert inner.span_id == tool.context.span_id
    assert tool.parent is not None
    assert tool.parent.span_id == outer.span_id
    (event,) = tool.events
    assert dict(event.attributes or {}) == {"progress": 1, "total": 2, "message": "half"}


@pytest.mark.parametrize("granted", [True, False])
def test_the_wait_for_a_person_is_no_open_span(exported: Exported, granted: bool) -> None:
    async def main() -> None:
        made = executor()
        running = asyncio.ensure_future(made.execute_detailed(call("wipe")))
        await asyncio.sleep(0.05)
        (asked,) = exported.spans()
        assert attributes(asked)["toolwire.run.state"] == "waiting"
        (request,) = await made.approvals.get_pending_requests()
        await made.approvals.record_decision(request.id, granted)
        await running

    asyncio.run(main())
    asked, decided = exported.spans()
    assert [link.context.span_id for link in decided.links] == [asked.context.span_id]
    said = "approved" if granted else "denied"
    assert attributes(decided)["toolwire.approval.decision"] == said
    assert attributes(decided).get("error.type") == (None if granted else "approval_denied")
    (waited,) = exported.points("toolwire.approval.duration")
    assert 0.02 < waited.sum < 5
    (count,) = exported.points("toolwire.approval.decisions")
    assert (count.value, count.attributes["toolwire.approval.decision"]) == (1, said)


def test_nobody_decides_in_time(exported: Exported) -> None:
    config = ToolExecutorConfig(approval_timeout_seconds=0.05)
    run(executor(config=config), call("wipe"))
    asked, denied = exported.spans()
    assert [link.context.span_id for link in denied.links] == [asked.context.span_id]
    assert attributes(denied)["error.type"] == "approval_timeout"


def test_a_task_that_is_cancelled_ends_its_span(exported: Exported) -> None:
    async def main() -> None:
        made = AdvancedToolExecutor()
        made.register(ToolDefinition("wait", "WAIT", lambda given: asyncio.sleep(30)))
        running = asyncio.ensure_future(made.execute(call("wait")))
        await asyncio.sleep(0.05)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(main())
    (span,) = exported.spans()
    assert attributes(span)["error.type"] == "cancelled"


STARTING = """
import asyncio, json, sys
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from toolwire import telemetry
from toolwire.tools import AdvancedToolExecutor, SqliteStore, ToolDefinition

store, spans, provider = SqliteStore(sys.argv[1]), InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
telemetry.instrument(tracer_provider=provider, store=store)
executor = AdvancedToolExecutor(store=store)
executor.register(ToolDefinition("wipe", "WIPE", lambda given: "gone", requires_approval=True))
run = asyncio.run(executor.start({"id": "c1", "name": "wipe", "arguments": {}}))
(span,) = spans.get_finished_spans()
print(json.dumps([run.id, run.approval_id, span.context.trace_id, span.context.span_id]))
"""


def test_a_run_that_another_process_goes_on_with_is_linked(tmp_path: Path) -> None:
    place = str(tmp_path / "tools.db")
    command = [sys.executable, "-c", STARTING, place]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    run_id, approval_id, trace_id, span_id = json.loads(said)
    store = SqliteStore(place)
    made = Exported(store=store)
    try:
        resuming = executor(store=store)

        async def main() -> Any:
            await resuming.approvals.record_decision(approval_id, True)
            return await resuming.resume(run_id)

        assert asyncio.run(main()).state == "completed"
    finally:
        telemetry.uninstrument(made.observer)
    (span,) = made.spans()
    assert [(one.context.trace_id, one.context.span_id) for one in span.links] == [
        (trace_id, span_id)
    ]


def test_many_runs_at_once_each_have_their_span(exported: Exported) -> None:
    made = executor()

    async def main(number: int) -> None:
        calls = [call("look", number=number, step=step) for step in range(20)]
        await asyncio.gather(*(made.execute(one) for one in calls))

    threads = [threading.Thread(target=asyncio.run, args=(main(n),)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    spans = exported.spans()
    assert len({attributes(span)["gen_ai.tool.call.id"] for span in spans}) == len(spans) == 80
    assert len(exported.observer._open) == len(exported.observer._asked) == 0


def test_runs_that_never_end_do_not_pile_up(exported: Exported, monkeypatch: Any) -> None:
    monkeypatch.setattr(telemetry, "MOST_OPEN", 3)

    async def main() -> None:
        for number in range(10):
            data = {"tool_name": "lost", "action_id": str(number)}
            await exported.observer.observe(type="tool.invoked", data=data, source=None)
            await exported.observer.observe(type="approval.requested", data=data, source=None)
            more = {"tool_name": "open", "action_id": f"open {number}"}
            await exported.observer.observe(type="tool.invoked", data=more, source=None)

    asyncio.run(main())
    assert (len(exported.observer._open), len(exported.observer._asked)) == (3, 3)


def test_an_observer_that_fails_stops_no_run(exported: Exported, monkeypatch: Any) -> None:
    def broken(*given: Any, **named: Any) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(exported.observer, "_begin", broken)
    assert run(executor(), call("look")).success

"""Spans and metrics of runs, by OpenTelemetry's conventions for generative AI.

``pip install opentelemetry-api`` brings OpenTelemetry's API; the program brings an SDK and an
exporter. ``docs/telemetry.md`` tells more.

>>> import asyncio
>>> from opentelemetry.sdk.trace import TracerProvider
>>> from opentelemetry.sdk.trace.export import SimpleSpanProcessor
>>> from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
>>> from toolwire import telemetry
>>> from toolwire.tools import AdvancedToolExecutor, ToolDefinition
>>> spans, provider = InMemorySpanExporter(), TracerProvider()
>>> provider.add_span_processor(SimpleSpanProcessor(spans))
>>> observer = telemetry.instrument(tracer_provider=provider)
>>> executor = AdvancedToolExecutor()
>>> executor.register(ToolDefinition("look", "LOOK", lambda input: 7))
>>> _ = asyncio.run(executor.execute({"id": "call_1", "name": "look", "arguments": {}}))
>>> [span.name for span in spans.get_finished_spans()]
['execute_tool look']
>>> telemetry.uninstrument(observer)
"""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolwire._extra import MissingExtraError

try:
    from opentelemetry import context, metrics, trace
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import (
        Link,
        Span,
        SpanContext,
        Status,
        StatusCode,
        TraceFlags,
        TracerProvider,
    )
except ImportError:
    raise MissingExtraError("opentelemetry-api") from None

import toolwire
from toolwire._native import Secrets
from toolwire.events import Source, add_observer, remove_observer
from toolwire.runs.store import Store
from toolwire.runs.store_calls import StoreCalls

__all__ = ["Telemetry", "instrument", "uninstrument"]

MOST_OPEN = 10_000
"""Runs that are remembered at once; the oldest is forgotten beyond that."""

KEPT_MICROSECONDS = 7 * 24 * 3600 * 1_000_000
LONGEST_CONTENT = 64 * 1024
BUCKETS = [0.01 * 2**step for step in range(14)]

ENDINGS = (
    "tool.completed",
    "tool.failed",
    "tool.denied",
    "tool.cancelled",
    "tool.interrupted",
)
UNDOINGS = ("tool.undone", "tool.undo_failed")


@dataclass
class _Open:
    """A run whose span is open."""

    span: Span
    began: float
    attributes: dict[str, Any]
    token: Any = None
    is_handled: bool = field(default=False)


@dataclass(frozen=True)
class _Asked:
    """A run that waits for a person: the span that asked, and when that was, in seconds."""

    trace_id: int
    span_id: int
    flags: int
    at: float

    def written(self) -> bytes:
        return json.dumps([self.trace_id, self.span_id, self.flags, self.at]).encode()

    @classmethod
    def read(cls, text: bytes) -> _Asked | None:
        try:
            return cls(*json.loads(text))
        except (ValueError, TypeError):
            return None

    def link(self) -> Link:
        flags = TraceFlags(self.flags)
        return Link(SpanContext(self.trace_id, self.span_id, is_remote=True, trace_flags=flags))


def instrument(
    *,
    tracer_provider: TracerProvider | None = None,
    meter_provider: MeterProvider | None = None,
    store: Store | None = None,
    content: bool = False,
) -> Telemetry:
    """Make spans and metrics of every run of the program from now on.

    Without providers, those of the program are used. ``store`` is the one that keeps the runs: with
    it, the span of a run that another process goes on with is linked to the one that asked a
    person. ``content`` adds arguments and results, without their secrets.
    """
    made = Telemetry(tracer_provider, meter_provider, store, content=content)
    add_observer(made)
    return made


def uninstrument(telemetry: Telemetry) -> None:
    """Make no more of them."""
    remove_observer(telemetry)


class Telemetry:
    """Hears the events of runs; :func:`instrument` makes it.

    A span ends when a person is asked, since that may take days, and the run goes on in a span of
    its own with a link to the first.
    """

    def __init__(
        self,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
        store: Store | None = None,
        *,
        content: bool = False,
    ) -> None:
        own = ("toolwire", toolwire.__version__)
        self._tracer = trace.get_tracer(*own, tracer_provider=tracer_provider)
        meter = metrics.get_meter(*own, meter_provider=meter_provider)
        self._durations = meter.create_histogram(
            "gen_ai.execute_tool.duration",
            "s",
            "How long the handler of a tool took.",
            explicit_bucket_boundaries_advisory=BUCKETS,
        )
        self._waits = meter.create_histogram(
            "toolwire.approval.duration", "s", "How long a call waited for a person's decision."
        )
        self._decisions = meter.create_counter(
            "toolwire.approval.decisions", "{decision}", "Decisions on calls."
        )
        self._content = content
        self._secrets = Secrets()
        self._store, self._calls = store, StoreCalls(store)
        self._lock = threading.Lock()
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._asked: OrderedDict[str, _Asked] = OrderedDict()

    async def observe(
        self, *, type: str, data: Mapping[str, Any] | None, source: Source | None
    ) -> None:
        """Hear an event."""
        run_id = run_of(data)
        if data is None or run_id is None:
            return
        if type == "approval.requested":
            await self._suspend(run_id, data)
        elif type == "approval.decided":
            await self._decide(run_id, data, source)
        elif type in UNDOINGS:
            self._undone(type, data)
        elif type == "tool.invoked":
            self._begin(run_id, data, source, None)
        elif type == "tool.started":
            self._handle(await self._of(run_id, data, source))
        elif type in ENDINGS:
            self._end(await self._of(run_id, data, source), type, data, source)
            self._forget(run_id)

    def try_observe(self, *, type: str, data: Mapping[str, Any] | None) -> None:
        """Hear an event of code that cannot await."""
        run_id = run_of(data)
        opened = self._open.get(str(run_id))
        if data is None or opened is None:
            return
        if type == "tool.progress":
            told = {name: data[name] for name in ("progress", "total", "message")}
            known = {name: value for name, value in told.items() if value is not None}
            opened.span.add_event("toolwire.progress", self._secrets.mask(known))
        elif type in ENDINGS:
            self._end(opened, type, data, None)
            self._forget(str(run_id))

    async def _of(self, run_id: str, data: Mapping[str, Any], source: Source | None) -> _Open:
        """Give the open span of a run; one that another process began gets a new one."""
        opened = self._open.get(run_id)
        if opened is None:
            opened = self._begin(run_id, data, source, await self._asked_for(run_id))
        return opened

    def _begin(
        self, run_id: str, data: Mapping[str, Any], source: Source | None, asked: _Asked | None
    ) -> _Open:
        name = str(data.get("tool_name", ""))
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.type": "function",
        }
        more: dict[str, Any] = {"gen_ai.tool.call.id": run_id}
        if source is not None and source.description:
            more["gen_ai.tool.description"] = source.description[:1000]
        if source is not None and self._content:
            more["gen_ai.tool.call.arguments"] = self._written(source.arguments)
        span = self._tracer.start_span(
            f"execute_tool {name}",
            attributes={**attributes, **more},
            links=[] if asked is None else [asked.link()],
        )
        opened = _Open(span, time.perf_counter(), attributes)
        with self._lock:
            self._open[run_id] = opened
            forgotten = self._open.popitem(last=False)[1] if len(self._open) > MOST_OPEN else None
        if forgotten is not None:
            forgotten.span.end()
        return opened

    def _handle(self, opened: _Open) -> None:
        """Let the spans that the handler makes be children of the run's."""
        opened.began, opened.is_handled = time.perf_counter(), True
        opened.token = context.attach(trace.set_span_in_context(opened.span))

    def _end(
        self, opened: _Open, type: str, data: Mapping[str, Any], source: Source | None
    ) -> None:
        try:
            self._tell(opened, error_of(type, data), data, source)
        finally:
            # Whatever cannot be told, the span ends and its context is left.
            if opened.token is not None:
                context.detach(opened.token)
                opened.token = None
            opened.span.end()

    def _tell(
        self, opened: _Open, error: str | None, data: Mapping[str, Any], source: Source | None
    ) -> None:
        """Write what a run came to into its span and the metrics."""
        span, attributes = opened.span, opened.attributes
        if error is not None:
            attributes = {**attributes, "error.type": error}
            span.set_attribute("error.type", error)
            told = str(data.get("error_message") or data.get("reason") or error)
            span.set_status(Status(StatusCode.ERROR, self._secrets.mask(told)[:1000]))
        if source is not None and self._content and source.result is not None:
            span.set_attribute("gen_ai.tool.call.result", self._written(source.result))
        if opened.is_handled:
            took = data.get("duration_ms")
            seconds = time.perf_counter() - opened.began if took is None else float(took) / 1000
            within = trace.set_span_in_context(span)
            self._durations.record(seconds, attributes, context=within)

    async def _suspend(self, run_id: str, data: Mapping[str, Any]) -> None:
        """End the span of a run that waits for a person, and remember it."""
        opened = await self._of(run_id, data, None)
        opened.span.set_attribute("toolwire.run.state", "waiting")
        given = opened.span.get_span_context()
        asked = _Asked(given.trace_id, given.span_id, int(given.trace_flags), time.time())
        opened.span.end()
        with self._lock:
            self._open.pop(run_id, None)
            self._asked[run_id] = asked
            if len(self._asked) > MOST_OPEN:
                self._asked.popitem(last=False)
        if self._store is not None:
            now = microseconds()
            await self._calls.write(
                self._store.put, key(run_id), asked.written(), "any", now + KEPT_MICROSECONDS, now
            )

    async def _asked_for(self, run_id: str) -> _Asked | None:
        """Give the span that asked a person, of this process or another one."""
        asked = self._asked.get(run_id)
        if asked is not None or self._store is None:
            return asked
        found = await self._calls.read(self._store.get, key(run_id), microseconds())
        return None if found is None else _Asked.read(found[0])

    async def _decide(self, run_id: str, data: Mapping[str, Any], source: Source | None) -> None:
        asked = await self._asked_for(run_id)
        decision = str(data.get("decision", ""))
        opened = self._begin(run_id, data, source, asked)
        attributes = {**opened.attributes, "toolwire.approval.decision": decision}
        opened.span.set_attribute("toolwire.approval.decision", decision)
        within = trace.set_span_in_context(opened.span)
        self._decisions.add(1, attributes, context=within)
        if asked is not None:
            self._waits.record(max(0.0, time.time() - asked.at), attributes, context=within)
        if decision != "approved":
            # No other event follows a denial.
            self._end(opened, "tool.denied", {"reason": "approval_denied"}, None)
            self._forget(run_id)

    def _undone(self, type: str, data: Mapping[str, Any]) -> None:
        name = str(data.get("tool_name", ""))
        attributes = {"gen_ai.tool.name": name, "gen_ai.tool.call.id": str(run_of(data))}
        end = time.time_ns()
        begin = end - int(float(data.get("duration_ms") or 0) * 1_000_000)
        span = self._tracer.start_span(
            f"toolwire.undo {name}", attributes=attributes, start_time=begin
        )
        if type == "tool.undo_failed":
            reason = str(data.get("reason") or "undo_failed")
            span.set_attribute("error.type", reason)
            told = self._secrets.mask(str(data.get("error_message") or reason))
            span.set_status(Status(StatusCode.ERROR, told[:1000]))
        span.end(end)

    def _forget(self, run_id: str) -> None:
        with self._lock:
            self._open.pop(run_id, None)
            self._asked.pop(run_id, None)

    def _written(self, value: Any) -> str:
        """Write a value without its secrets, and only the first part of a long one."""
        try:
            text = json.dumps(self._secrets.mask(value), ensure_ascii=False, default=type_name)
        except (TypeError, ValueError, RecursionError):
            # A key that is a tuple, a list that holds itself, or one that nests too deep.
            return ""
        return text[:LONGEST_CONTENT]


def run_of(data: Mapping[str, Any] | None) -> str | None:
    """Give the id of the run of an event; ``toolwire.tools`` tells it in stageflow's word."""
    given = {} if data is None else data
    id = given.get("run_id", given.get("action_id"))
    return id if isinstance(id, str) else None


def error_of(type: str, data: Mapping[str, Any]) -> str | None:
    """Give the kind of a failure, of which there are few, or None."""
    if type == "tool.completed":
        summary = data.get("output_summary")
        failed = isinstance(summary, Mapping) and summary.get("success") is False
        return "tool_failure" if failed else None
    if type == "tool.failed":
        return str(data.get("error_code") or "execution_error")
    if type == "tool.denied":
        return str(data.get("reason") or "denied")
    return "interrupted" if type == "tool.interrupted" else "cancelled"


def key(run_id: str) -> str:
    """Give the key under which a store keeps the span that asked."""
    return f"trace/{run_id}"


def microseconds() -> int:
    """Give the time as stores have it."""
    return time.time_ns() // 1000


def type_name(value: object) -> str:
    """Stand for what JSON cannot hold; its text may have a secret."""
    return f"<{type(value).__name__}>"

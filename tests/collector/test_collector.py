"""Spans and metrics through a collector of OpenTelemetry: `make test-collector`.

A program exports to the collector over OTLP, and the collector exports to a server of this test.
"""

from __future__ import annotations

import gzip
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import rotel  # type: ignore[import-untyped]
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

AGENT = Path(rotel.__file__).parent / "rotel-agent"
SECRET = "ghp_" + "Aa0" * 12
PROGRAM = f"""
import asyncio, sys
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from toolwire import telemetry
from toolwire.tools import AdvancedToolExecutor, SqliteStore, ToolDefinition

tracers = TracerProvider()
tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(sys.argv[1] + "/v1/traces")))
reader = PeriodicExportingMetricReader(OTLPMetricExporter(sys.argv[1] + "/v1/metrics"))
meters = MeterProvider(metric_readers=[reader])
telemetry.instrument(tracer_provider=tracers, meter_provider=meters, content=True)
executor = AdvancedToolExecutor(store=SqliteStore(sys.argv[2]))
executor.register(ToolDefinition("look", "LOOK", lambda given: {{"seen": 3}}))
executor.register(
    ToolDefinition("wipe", "WIPE", lambda given: "gone", requires_approval=True)
)

async def main():
    for name in ("look", "wipe"):
        given = {{"id": name, "name": name, "arguments": {{"token": "{SECRET}"}}}}
        run = await executor.start(given)
    for request in await executor.approvals.get_pending_requests():
        await executor.approvals.record_decision(request.id, True)
    await executor.resume(run.id)

asyncio.run(main())
tracers.shutdown()
meters.shutdown()
"""


class Received:
    """What the collector sent on."""

    def __init__(self) -> None:
        self.bodies: list[tuple[str, bytes]] = []

    def spans(self) -> list[Span]:
        sent = [body for path, body in self.bodies if path == "/v1/traces"]
        return [
            span
            for body in sent
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def metrics(self) -> list[ExportMetricsServiceRequest]:
        sent = [body for path, body in self.bodies if path == "/v1/metrics"]
        return [ExportMetricsServiceRequest.FromString(body) for body in sent]


@pytest.fixture
def received() -> Iterator[tuple[Received, str]]:
    received = Received()

    class Sink(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            received.bodies.append((self.path, body))
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Sink)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield received, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def collector(received: tuple[Received, str], tmp_path: Path) -> Iterator[str]:
    http = f"127.0.0.1:{free_port()}"
    os.chmod(AGENT, 0o755)
    command = [
        *(str(AGENT), "start", "--exporter", "otlp"),
        *("--otlp-exporter-protocol", "http", "--otlp-exporter-endpoint", received[1]),
        *("--otlp-http-endpoint", http, "--otlp-grpc-endpoint", f"127.0.0.1:{free_port()}"),
    ]
    with (
        (tmp_path / "collector.log").open("w") as log,
        subprocess.Popen(command, stdout=log, stderr=log) as running,
    ):
        host, port = http.split(":")
        for _ in range(100):
            try:
                socket.create_connection((host, int(port)), 0.1).close()
                break
            except OSError:
                time.sleep(0.1)
        else:
            pytest.fail(
                "the collector does not answer: " + (tmp_path / "collector.log").read_text()
            )
        yield f"http://{http}"
        running.terminate()


def text(values: dict[str, AnyValue], name: str) -> str:
    return values[name].string_value


def test_a_collector_takes_spans_and_metrics(
    received: tuple[Received, str], collector: str, tmp_path: Path
) -> None:
    store = str(tmp_path / "runs.db")
    subprocess.run([sys.executable, "-c", PROGRAM, collector, store], check=True, timeout=60)
    sink = received[0]
    for _ in range(100):
        # The collector may send the spans in several requests.
        if len(spans := sink.spans()) >= 3 and sink.metrics():
            break
        time.sleep(0.1)
    named = sorted(span.name for span in spans)
    assert named == ["execute_tool look", "execute_tool wipe", "execute_tool wipe"]
    look = next(span for span in spans if span.name == "execute_tool look")
    attributes = {one.key: one.value for one in look.attributes}
    assert text(attributes, "gen_ai.tool.name") == "look"
    assert text(attributes, "gen_ai.operation.name") == "execute_tool"
    assert any(span.links for span in spans if span.name == "execute_tool wipe")
    metrics = {
        metric.name
        for request in sink.metrics()
        for resource in request.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }
    assert any("duration" in name for name in metrics), metrics
    assert not any(SECRET.encode() in body for _, body in sink.bodies)

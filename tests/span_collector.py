"""A collector of OpenTelemetry for the tests: takes spans over OTLP and keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.serving import serving


class Collector(BaseHTTPRequestHandler):
    """Takes spans as OpenTelemetry's collector does; ``sent`` holds every request."""

    sent: ClassVar[list[ExportTraceServiceRequest]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/v1/traces":
            self.sent.append(ExportTraceServiceRequest.FromString(body))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@contextmanager
def collecting() -> Iterator[str]:
    """Yield the address of a collector that has received nothing."""
    Collector.sent.clear()
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Collector)) as server:
        yield f"http://127.0.0.1:{server.server_port}"


def received() -> dict[str, Span]:
    """Return the spans that the collector has, by name."""
    resources = [found for request in Collector.sent for found in request.resource_spans]
    scopes = [scope for resource in resources for scope in resource.scope_spans]
    return {span.name: span for scope in scopes for span in scope.spans}


def attributes(span: Span) -> dict[str, object]:
    values = {item.key: item.value for item in span.attributes}
    return {key: getattr(value, value.WhichOneof("value")) for key, value in values.items()}

"""OpenTelemetry spans of a build and its stages, sent where the standard variables say.

    OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 python -m flows.index

The build is one span, each stage a span inside it; steps of a stage are events of its span. Costs
are attributes: ``virome.seconds``, ``virome.cpu_seconds``, ``virome.peak_mb``, ``virome.rows``,
``virome.bytes``; a stage that need not run has ``virome.unchanged``. Nothing of OpenTelemetry is
imported unless it is asked for, and a collector that does not answer costs a build its spans,
nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Final

from flows.progress import EventLog, no_log, to_stderr

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, Tracer

SERVICE: Final = "virome-graphrag"
"""Name of the service, unless ``OTEL_SERVICE_NAME`` or ``OTEL_RESOURCE_ATTRIBUTES`` gives one."""
BUILD: Final = "build index"
EXPORTERS: Final = "opentelemetry_traces_exporter"
"""Group of entry points under which packages of OpenTelemetry offer ways to send spans."""
_ADDRESSES: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_CHOSEN: Final = "OTEL_TRACES_EXPORTER"
_OFF: Final = "OTEL_SDK_DISABLED"
_OTLP: Final = {"http/protobuf": "otlp_proto_http", "grpc": "otlp_proto_grpc"}
_INSTALL: Final = "pip install 'virome-graphrag[telemetry]'"


def exporter_name(environ: Mapping[str, str]) -> str | None:
    """Return the entry point of the exporter that ``environ`` names; None if it names none.

    >>> exporter_name({}), exporter_name({"OTEL_TRACES_EXPORTER": "none"})
    (None, None)
    >>> exporter_name({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"})
    'otlp_proto_http'
    """
    asked = _CHOSEN in environ or any(environ.get(name) for name in _ADDRESSES)
    chosen = environ.get(_CHOSEN) or "otlp"
    is_off = environ.get(_OFF, "").lower() == "true"
    if is_off or chosen == "none" or not asked:
        return None
    if chosen != "otlp":
        return chosen
    protocols = [environ[name] for name in _PROTOCOLS if environ.get(name)]
    protocol = protocols[0] if protocols else "http/protobuf"
    return _OTLP.get(protocol, protocol)


@contextmanager
def traced(
    environ: Mapping[str, str], *, say: Callable[[str], None] = to_stderr
) -> Iterator[EventLog]:
    """Yield a log that turns the events of a build into spans, below one span for the block.

    If ``environ`` does not request spans, it logs nothing; where the library or the exporter that
    it names is not installed, the same, and one line to ``say`` names it.
    """
    name = exporter_name(environ)
    provider = None if name is None else _provider(name, environ, say)
    if provider is None:
        yield no_log
        return
    try:
        tracer = provider.get_tracer(SERVICE)
        with tracer.start_as_current_span(BUILD) as build:
            yield SpanLog(tracer, build)
    finally:
        provider.shutdown()


class SpanLog:
    """Turns the events of a build into one span per stage, below ``build``."""

    def __init__(self, tracer: Tracer, build: Span) -> None:
        self._tracer = tracer
        self._build = build
        self._stage: Span | None = None

    def __call__(self, event: str, stage: str, fields: Mapping[str, object]) -> None:
        """Take one event of ``flows.observing.event_log``."""
        known: dict[str, Any] = {f"virome.{name}": value for name, value in fields.items()}
        match event:
            case "stage_started":
                self._stage = self._tracer.start_span(stage)
            case "stage_unchanged":
                attributes = {"virome.unchanged": True}
                self._tracer.start_span(stage, attributes=attributes).end()
            case "stage_ended" | "stage_failed":
                self._end(event, known)
            case _:
                (self._stage or self._build).add_event(event, known)

    def _end(self, event: str, known: dict[str, Any]) -> None:
        """End the span of the running stage, with its figures."""
        span, self._stage = self._stage, None
        if span is None:
            return
        if event == "stage_failed":
            from opentelemetry.trace import StatusCode

            span.set_status(StatusCode.ERROR, str(known.pop("virome.error")))
        span.set_attributes(known)
        span.end()


def _provider(
    exporter: str, environ: Mapping[str, str], say: Callable[[str], None]
) -> TracerProvider | None:
    """Return a provider that sends through ``exporter``; None, and a printed line, if it is not
    installed.
    """
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        say(f"no spans: opentelemetry-sdk is not installed\n  -> {_INSTALL}")
        return None
    found = tuple(entry_points(group=EXPORTERS, name=exporter))
    if not found:
        say(f"no spans: no exporter {exporter} is installed\n  -> {_INSTALL}")
        return None
    make = found[0].load()
    sent = make(out=sys.stderr) if exporter == "console" else make()
    provider = TracerProvider(resource=Resource.create(_service(environ)))
    provider.add_span_processor(BatchSpanProcessor(sent))
    return provider


def _service(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the service name, unless ``environ`` sets one."""
    stated = environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    is_named = "OTEL_SERVICE_NAME" in environ or "service.name=" in stated
    return {} if is_named else {"service.name": SERVICE}

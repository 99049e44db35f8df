"""Spans of builds, sent to a real collector of the tests over OTLP; none where nobody asks:
tests/test_nothing_sent.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from flows.index import main
from flows.observing.spans import exporter_name, traced
from flows.options import STAGES
from flows.progress import Progress, silent
from tests.conftest import BuiltIndex, copy_index
from tests.prefect_servers import free_port
from tests.span_collector import Collector, attributes, collecting, received

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"


@pytest.fixture
def collector() -> Iterator[str]:
    """Yield the address of a collector that has received nothing."""
    with collecting() as address:
        yield address


def test_an_unchanged_build_is_a_trace_of_all_its_stages(
    collector: str,
    small_index: BuiltIndex,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    db = copy_index(small_index, tmp_path)
    monkeypatch.setenv(ENDPOINT, collector)
    assert main(["--inputs", str(small_index.inputs), "--db", str(db), "--no-llm", "--quiet"]) == 0
    spans = received()
    build = spans.pop("build index")
    assert {span.parent_span_id for span in spans.values()} == {build.span_id}
    assert {span.trace_id for span in spans.values()} == {build.trace_id}
    unchanged = {name for name, span in spans.items() if "virome.unchanged" in attributes(span)}
    assert unchanged == set(STAGES)
    read = attributes(spans["digest inputs"])
    assert read.keys() >= {"virome.seconds", "virome.cpu_seconds", "virome.peak_mb"}
    resource = Collector.sent[0].resource_spans[0].resource
    assert ("service.name", "virome-graphrag") in {
        (item.key, item.value.string_value) for item in resource.attributes
    }


def test_steps_costs_and_errors_of_a_stage_are_in_its_span(
    collector: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENDPOINT, collector)

    def work() -> None:
        progress.detail("half of it")
        progress.wrote(7, 560)

    def fail() -> None:
        raise ValueError("no room")

    def build_index() -> None:
        with traced(os.environ) as spans:
            progress.log = spans
            progress.stage("compute facts")(work)()
            progress.stage("publish")(fail)()

    progress = Progress(say_line=silent)
    with pytest.raises(ValueError, match="no room"):
        build_index()
    found = received()
    facts, publish, build = (found[name] for name in ("compute facts", "publish", "build index"))
    assert [event.name for event in facts.events] == ["detail"]
    assert attributes(facts)["virome.rows"] == 7
    assert attributes(facts)["virome.bytes"] == 560
    assert facts.status.code == Status.STATUS_CODE_UNSET
    assert facts.end_time_unix_nano <= publish.start_time_unix_nano
    assert publish.status.code == build.status.code == Status.STATUS_CODE_ERROR
    assert publish.status.message == "no room"


def test_a_collector_that_does_not_answer_costs_a_build_nothing_else(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(ENDPOINT, f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    with traced(os.environ) as spans:
        result = Progress(say_line=silent, log=spans).stage("publish")(lambda: 3)()
    assert result == 3
    assert "Failed to export" in caplog.text


def test_an_exporter_that_is_not_installed_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    environ = {"OTEL_TRACES_EXPORTER": "zipkin"}
    with traced(environ) as spans:
        assert Progress(say_line=silent, log=spans).stage("publish")(lambda: 3)() == 3
    assert capsys.readouterr().err.startswith("no spans: no exporter zipkin is installed\n  -> pip")


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({"OTEL_TRACES_EXPORTER": "console"}, "console"),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, "otlp_proto_http"),
        ({ENDPOINT: "x", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "otlp_proto_grpc"),
        ({ENDPOINT: "x", "OTEL_SDK_DISABLED": "true"}, None),
        ({ENDPOINT: "x", "OTEL_TRACES_EXPORTER": "none"}, None),
        ({"OTEL_SERVICE_NAME": "builds"}, None),
    ],
)
def test_the_standard_variables_choose(environ: dict[str, str], name: str | None) -> None:
    assert exporter_name(environ) == name

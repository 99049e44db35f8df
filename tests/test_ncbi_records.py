"""Records of runs from NCBI, fetched over real sockets from a server of the tests in its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar
from urllib.parse import parse_qsl, urlsplit

import pytest

from flows.console import run_app
from flows.inputs import NAME, app
from flows.ncbi.records import FetchedRecords, fetch_records, read_accessions
from index.sources import SOURCES
from ontology_etl.errors import DownloadError, InputError
from ontology_etl.releases.download import read_downloads
from query.entrez_search.calls import Call
from query.entrez_search.client import Caller, Limits, NcbiClient
from query.entrez_search.recording import append_call
from tests.serving import Tape, ToThisMachine, serving

RUN_INFO = "Run,spots,BioSample,BioProject,ScientificName\n"
SAMPLE = (
    '<BioSample accession="{0}"><Description><Title>gut of a bat</Title></Description>'
    '<Attributes><Attribute attribute_name="host">Myotis</Attribute></Attributes></BioSample>'
)
PROJECT = (
    '<DocumentSummary><Project><ProjectID><ArchiveID accession="{0}"/></ProjectID><ProjectDescr>'
    "<Title>Bats, again</Title><Description>Guts.</Description></ProjectDescr></Project>"
    "</DocumentSummary>"
)


@dataclass
class Archive:
    """What the server knows and did: ``broken`` are how its next answers of records fail."""

    known: frozenset[str]
    broken: list[str] = field(default_factory=list)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def fetches(self) -> list[str]:
        return [said["db"] for utility, said in self.asked if utility == "efetch"]

    def answer(self, utility: str, said: dict[str, str]) -> str:
        if utility == "esearch":
            terms = [term.partition("[")[0] for term in said["term"].split(" OR ")]
            found = [one for one in terms if not one.startswith("SRR") or one in self.known]
            return json.dumps({"esearchresult": {"count": str(len(found)), "idlist": found}})
        ids = said["id"].split(",")
        if said["db"] == "sra":
            rows = [f"{one},7,SAMN{one[3:]},PRJNA1,bat metagenome\n" for one in [*ids, "SRR999999"]]
            return RUN_INFO + "".join(rows) + "\n"
        if said["db"] == "biosample":
            inside = "".join(SAMPLE.format(one) for one in ids)
            return f"<BioSampleSet>{inside}</BioSampleSet>"
        return "<RecordSet>" + "".join(PROJECT.format(one) for one in ids) + "</RecordSet>"


class Eutils(BaseHTTPRequestHandler):
    """E-utilities of an archive: answers, fails, or hangs up half-way."""

    archive: ClassVar[Archive]

    def do_GET(self) -> None:
        self.reply(urlsplit(self.path).query)

    def do_POST(self) -> None:
        self.reply(self.rfile.read(int(self.headers["Content-Length"])).decode())

    def reply(self, query: str) -> None:
        archive = self.archive
        utility = urlsplit(self.path).path.rpartition("/")[2].removesuffix(".fcgi")
        said = dict(parse_qsl(query))
        archive.asked.append((utility, said))
        fault = archive.broken.pop(0) if archive.broken and utility == "efetch" else ""
        content = archive.answer(utility, said).encode()
        self.send_response({"busy": 503, "too fast": 429}.get(fault, 200))
        if fault == "too fast":
            self.send_header("Retry-After", "1")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[:20] if fault == "cut" else content)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


RUNS = [f"SRR{number:06}" for number in range(1, 252)]
LIMITS = Limits(attempts=2, wait_s=0.01, timeout_s=5.0)
CALLER = Caller("virology@example.org", "key")


@pytest.fixture
def archive() -> Archive:
    return Archive(frozenset(RUNS[1:]))


@pytest.fixture
def tape() -> Tape:
    return Tape()


@pytest.fixture
def ncbi(archive: Archive, tape: Tape) -> Iterator[NcbiClient]:
    handler = type("OfArchive", (Eutils,), {"archive": archive})
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as server:
        there = ToThisMachine(server.server_port)
        yield NcbiClient(CALLER, limits=LIMITS, clock=tape.clock, transport=there)


def fetched_by(service: NcbiClient, folder: Path) -> FetchedRecords:
    return fetch_records(service, RUNS, folder, say=lambda _: None)


def test_records_of_runs_are_files_that_a_build_reads(
    archive: Archive, ncbi: NcbiClient, tmp_path: Path
) -> None:
    found = fetched_by(ncbi, tmp_path)
    assert found.unknown == ("SRR000001",)
    run_info, samples, projects = (
        [path for path in found.files if path.name.startswith(kind)]
        for kind in ("run_info", "biosample", "bioproject")
    )
    runs = [SOURCES["sra_run_info"].read(path).run for path in run_info]
    assert sorted(name for one in runs for name in one["run"]) == RUNS[1:]
    texts = [SOURCES["biosample_xml"].read(path).biosample_attribute for path in samples]
    assert [len(one) for one in texts] == [200, 50]
    titles = SOURCES["studies"].read(projects[0]).bioproject
    assert titles.rows() == [("PRJNA1", "Bats, again", "Guts.")]
    listed = read_downloads(tmp_path)
    assert set(listed) == {path.name for path in found.files}
    assert all("key" not in entry.url for entry in listed.values())


def test_every_request_says_who_asks_and_keeps_the_pace(
    archive: Archive, ncbi: NcbiClient, tape: Tape, tmp_path: Path
) -> None:
    fetched_by(ncbi, tmp_path)
    who = {"tool": "virome-graphrag", "email": "virology@example.org", "api_key": "key"}
    assert len(archive.asked) == 10
    assert all(said.items() >= who.items() for _, said in archive.asked)
    assert tape.seconds == pytest.approx(0.9), "ten requests, 10 a second with a key"
    assert Caller("virology@example.org").gap_s == pytest.approx(1 / 3)


def test_what_broke_off_goes_on_after_the_batches_that_came(
    archive: Archive, ncbi: NcbiClient, tmp_path: Path
) -> None:
    archive.broken = ["", "", "busy", "cut"]
    with pytest.raises(DownloadError, match="efetch") as failed:
        fetched_by(ncbi, tmp_path)
    assert "run it again" in failed.value.remedy
    assert archive.fetches() == ["sra", "sra", "biosample", "biosample"]
    assert not list(tmp_path.glob("biosample*"))
    archive.asked.clear()
    whole = fetched_by(ncbi, tmp_path)
    assert archive.fetches() == ["biosample", "biosample", "bioproject"]
    archive.asked.clear()
    assert fetched_by(ncbi, tmp_path) == whole
    assert archive.asked == []


def test_a_file_that_was_altered_is_fetched_again(
    archive: Archive, ncbi: NcbiClient, tmp_path: Path
) -> None:
    (altered,) = (path for path in fetched_by(ncbi, tmp_path).files if "bioproject" in path.name)
    before = altered.read_bytes()
    altered.write_bytes(before[:-3])
    archive.asked.clear()
    fetched_by(ncbi, tmp_path)
    assert archive.fetches() == ["bioproject"]
    assert altered.read_bytes() == before


def test_a_passing_failure_is_tried_again(
    archive: Archive, ncbi: NcbiClient, tape: Tape, tmp_path: Path
) -> None:
    archive.broken = ["busy", "", "too fast"]
    assert len(fetched_by(ncbi, tmp_path).files) == 5
    assert max(tape.waits) == 1, "a second was asked for"


def test_an_answer_that_ends_early_is_not_kept(
    archive: Archive, ncbi: NcbiClient, tmp_path: Path
) -> None:
    class Shortened:
        def get(self, call: Call) -> str:
            body = ncbi.get(call)
            return body[:-9] if call.get("db") == "biosample" else body

    with pytest.raises(DownloadError, match="the answer is n"):
        fetch_records(Shortened(), RUNS, tmp_path, say=lambda _: None)
    assert not list(tmp_path.glob("biosample*"))


def test_the_command_names_what_comes_next(
    ncbi: NcbiClient,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    replay = tmp_path / "calls.jsonl"

    class Recorded:
        def get(self, call: Call) -> str:
            body = ncbi.get(call)
            append_call(replay, call, body)
            return body

    fetch_records(Recorded(), RUNS[:3], tmp_path / "first", say=lambda _: None)
    listed = tmp_path / "runs.txt"
    listed.write_text("Run\n" + "\n".join(RUNS[:3]))
    command = ["fetch", str(listed), "--out", str(tmp_path / "ncbi"), "--json"]
    monkeypatch.delenv("NCBI_EMAIL", raising=False)
    monkeypatch.setenv("VIROME_ENTREZ_REPLAY", str(replay))
    assert run_app(app, command, name=NAME) == 2
    assert "export NCBI_EMAIL" in capsys.readouterr().err
    monkeypatch.setenv("NCBI_EMAIL", "virology@example.org")
    assert run_app(app, command, name=NAME) == 1
    said = json.loads(capsys.readouterr().out)
    assert len(said["files"]) == 3
    assert said["unknown"] == ["SRR000001"]


def test_a_list_of_runs_may_have_a_header_and_more_columns(tmp_path: Path) -> None:
    listed = tmp_path / "runs.csv"
    listed.write_text("Run,Organism\nSRR000001,bat\n\nERR0000022,pig\n")
    assert read_accessions(listed) == ["SRR000001", "ERR0000022"]
    listed.write_text("SRR000001\nPRJNA1\n")
    with pytest.raises(InputError, match=r"runs.csv, row 2: 'PRJNA1' is not a run accession"):
        read_accessions(listed)

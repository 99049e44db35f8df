"""Downloads against a real HTTP server on this machine: resumed, revalidated, refused."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from email.utils import formatdate
from pathlib import Path
from types import SimpleNamespace

import pytest
from pydantic import ValidationError

from ontology_etl.config import OFFICIAL, OntologyConfig, OntologySource
from ontology_etl.errors import DownloadError
from ontology_etl.releases.download import Retries, fetch, fetch_ontologies, read_downloads
from tests.faults_of_files import files_end_at
from tests.file_server import BODY, Script, running_server

DOID = next(source for source in OFFICIAL if source.name == "DOID")
DIGEST = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def server() -> Iterator[tuple[str, Script]]:
    script = Script()
    with running_server(script) as address:
        yield f"{address}/pub/doid.obo", script


def get(url: str, folder: Path, *, sha256: str | None = None, attempts: int = 3) -> Path:
    retries = Retries(attempts=attempts, wait_s=0.001, timeout_s=5)
    return fetch(url, folder, licence="CC0 1.0", sha256=sha256, retries=retries)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_file_arrives_whole_and_in_the_manifest(server: tuple[str, Script], tmp_path: Path) -> None:
    url, _ = server
    calls: list[tuple[str, int, int | None]] = []
    path = fetch(
        url, tmp_path / "raw", licence="CC0 1.0", progress=lambda *call: calls.append(call)
    )
    assert path.read_bytes() == BODY
    assert calls[-1] == ("doid.obo", len(BODY), len(BODY))
    entry = read_downloads(tmp_path / "raw")["doid.obo"]
    assert (entry.url, entry.sha256, entry.size, entry.licence) == (
        url,
        DIGEST,
        len(BODY),
        "CC0 1.0",
    )
    assert names(tmp_path / "raw") == ["doid.obo", "manifest.json"]


def test_what_broke_off_is_resumed_where_it_ended(
    server: tuple[str, Script], tmp_path: Path
) -> None:
    url, script = server
    script.cuts = [1000, 500]
    assert get(url, tmp_path, sha256=DIGEST).read_bytes() == BODY
    assert [wanted for _, wanted in script.seen] == [None, "bytes=1000-", "bytes=1500-"]


def test_later_call_resumes_what_an_earlier_one_could_not_finish(
    server: tuple[str, Script], tmp_path: Path
) -> None:
    url, script = server
    script.cuts = [1000]
    with pytest.raises(
        DownloadError, match=r"ended after 1000 of 10240 bytes.*\n.*resumes after the 1000 bytes"
    ):
        get(url, tmp_path, attempts=1)
    assert names(tmp_path) == ["doid.obo.part", "doid.obo.part.json"]
    assert get(url, tmp_path).read_bytes() == BODY
    assert script.seen[-1][1] == "bytes=1000-"


def test_file_that_changed_meanwhile_is_fetched_from_the_start(
    server: tuple[str, Script], tmp_path: Path
) -> None:
    url, script = server
    script.cuts = [1000]
    with pytest.raises(DownloadError):
        get(url, tmp_path, attempts=1)
    script.body, script.etag = BODY[::-1], '"two"'
    assert get(url, tmp_path).read_bytes() == BODY[::-1]


@pytest.mark.parametrize("etag", ["", 'W/"weak"'])
def test_without_a_strong_validator_nothing_is_resumed(
    server: tuple[str, Script], tmp_path: Path, etag: str
) -> None:
    url, script = server
    script.etag, script.cuts = etag, [1000]
    assert get(url, tmp_path).read_bytes() == BODY
    assert [wanted for _, wanted in script.seen] == [None, None]


def test_whole_part_that_was_never_published_is_fetched_again(
    server: tuple[str, Script], tmp_path: Path
) -> None:
    url, script = server
    (tmp_path / "doid.obo.part").write_bytes(BODY)
    (tmp_path / "doid.obo.part.json").write_text(f'{{"url": "{url}", "validator": "\\"one\\""}}')
    assert get(url, tmp_path).read_bytes() == BODY
    assert [wanted for _, wanted in script.seen] == ["bytes=10240-", None]


def test_other_digest_than_pinned_is_refused_and_not_kept(
    server: tuple[str, Script], tmp_path: Path
) -> None:
    url, _ = server
    with pytest.raises(DownloadError, match=f"sha256 is {DIGEST}, pinned is {'0' * 64}") as caught:
        get(url, tmp_path, sha256="0" * 64)
    assert caught.value.url == url
    assert names(tmp_path) == []


def test_pinned_file_is_not_asked_for_again(server: tuple[str, Script], tmp_path: Path) -> None:
    url, script = server
    get(url, tmp_path, sha256=DIGEST)
    get(url, tmp_path, sha256=DIGEST)
    assert len(script.seen) == 1


def test_newest_file_is_asked_for_and_kept_while_it_is_current(
    server: tuple[str, Script], tmp_path: Path
) -> None:
    url, script = server
    get(url, tmp_path)
    assert get(url, tmp_path).read_bytes() == BODY
    script.body, script.etag = b"new", '"two"'
    assert get(url, tmp_path).read_bytes() == b"new"
    assert [condition for _, condition in script.seen] == [None, '"one"', '"one"']


def test_file_that_was_altered_on_disk_is_fetched_again(
    server: tuple[str, Script], tmp_path: Path
) -> None:
    url, _ = server
    get(url, tmp_path, sha256=DIGEST).write_bytes(BODY[::-1])
    assert get(url, tmp_path, sha256=DIGEST).read_bytes() == BODY


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"doid.obo": 1}', b"\xff"])
def test_damaged_notes_of_downloads_cost_a_download_and_no_more(
    server: tuple[str, Script], tmp_path: Path, damage: bytes
) -> None:
    url, script = server
    script.cuts = [1000]
    with pytest.raises(DownloadError, match="1 attempt"):
        get(url, tmp_path, attempts=1)
    for name in ("doid.obo.part.json", "manifest.json"):
        (tmp_path / name).write_bytes(damage)
    assert get(url, tmp_path).read_bytes() == BODY
    assert read_downloads(tmp_path)["doid.obo"].sha256 == DIGEST


@pytest.mark.parametrize("length", ["many", "-1", "99999999"])
def test_a_false_length_of_a_server_is_not_trusted(
    server: tuple[str, Script], tmp_path: Path, length: str
) -> None:
    url, script = server
    script.length = length
    if length == "99999999":
        with pytest.raises(DownloadError, match=f"ended after {len(BODY)} of 99999999"):
            get(url, tmp_path, attempts=1)
    else:
        assert get(url, tmp_path).read_bytes() == BODY


def test_a_server_that_drips_is_broken_off(
    server: tuple[str, Script], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, _ = server
    monkeypatch.setattr("ontology_etl.releases.transfer.PACE_S", 1e-9)
    monkeypatch.setattr("ontology_etl.releases.transfer.LEAST_PER_S", 1e15)
    with pytest.raises(DownloadError, match=r"only \d+ bytes in 0 s"):
        get(url, tmp_path, attempts=1)


def test_a_download_that_fills_the_disk_is_named(
    server: tuple[str, Script], tmp_path: Path
) -> None:
    url, _ = server
    with files_end_at(2_000), pytest.raises(DownloadError) as caught:
        get(url, tmp_path)
    assert caught.value.remedy.startswith(f"make room or repair {tmp_path}")


def test_passing_failure_is_tried_again_and_a_lasting_one_is_not(
    server: tuple[str, Script], tmp_path: Path
) -> None:
    url, script = server
    script.failures = [503, 429]
    assert get(url, tmp_path).read_bytes() == BODY
    script.failures, script.seen = [404], []
    with pytest.raises(DownloadError, match="HTTP 404"):
        get(f"{url}.gone", tmp_path)
    assert len(script.seen) == 1


@pytest.mark.parametrize(
    ("status", "asked"),
    [(429, lambda: "100"), (503, lambda: formatdate(time.time() + 110, usegmt=True))],
    ids=["seconds", "date"],
)
def test_the_wait_that_a_server_asks_for_is_kept(
    server: tuple[str, Script],
    tmp_path: Path,
    status: int,
    asked: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url, script = server
    waits: list[float] = []
    tape = SimpleNamespace(sleep=waits.append)
    monkeypatch.setattr("ontology_etl.releases.download.time", tape)
    script.failures, script.retry_after = [status], asked()
    get(url, tmp_path)
    (wait,) = waits
    assert 20 < wait <= 110


def test_unreachable_server_and_wrong_address_are_named(tmp_path: Path) -> None:
    with pytest.raises(
        DownloadError, match=r"http://127\.0\.0\.1:9/x\.obo: .*refused.*\(2 attempts\)"
    ):
        get("http://127.0.0.1:9/x.obo", tmp_path, attempts=2)
    with pytest.raises(DownloadError, match="not the address of a file"):
        get("file:///etc/hostname", tmp_path)


def test_local_path_wins_over_the_address(server: tuple[str, Script], tmp_path: Path) -> None:
    url, script = server
    local = tmp_path / "mine.obo"
    source = {"latest_url": url, "release_url": url, "licence": "x"}
    config = OntologyConfig(
        listed=(
            OntologySource(name="NCBITaxon", path=local, **source),
            OntologySource(name="BTO", path=local, **source),
            OntologySource(name="DOID", **source),
        )
    )
    assert fetch_ontologies(config, tmp_path) == {
        "NCBITaxon": local,
        "BTO": local,
        "DOID": tmp_path / "doid.obo",
    }
    assert len(script.seen) == 1


def test_every_official_address_is_encrypted() -> None:
    assert {source.name for source in OFFICIAL} >= {"NCBITaxon", "BTO", "DOID"}
    for source in OFFICIAL:
        assert source.latest_url.startswith("https://")
        assert source.release_url.startswith("https://")
        assert "{release}" in source.release_url


def test_a_plain_http_address_of_another_machine_is_refused() -> None:
    source = DOID.model_dump()
    with pytest.raises(ValidationError, match="is not an https address"):
        OntologySource.model_validate({**source, "latest_url": "http://example.org/doid.obo"})


def test_a_pinned_release_without_its_digest_is_refused() -> None:
    source = DOID.model_dump()
    with pytest.raises(ValidationError, match="release 2026-07-31 has no sha256"):
        OntologySource.model_validate({**source, "release": "2026-07-31"})

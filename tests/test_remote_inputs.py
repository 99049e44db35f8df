"""Inputs that are elsewhere, from real servers on this machine: HTTP that fails, and S3."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest

from flows.console import run_app
from flows.inputs import app
from flows.options import STAGES
from flows.verify import main as verify
from index.sources.fetching import CopyOptions, fetch_inputs, origin_entries, state_entries
from index.sources.inputs import file_digests, input_hashes, read_records
from index.sources.manifest import Manifest, read_manifest
from index.store.build import open_index
from ontology_etl.errors import DownloadError, ManifestError
from ontology_etl.releases.download import Retries
from tests.conftest import ROOT, build_from
from tests.file_server import Script, running_server
from tests.object_store import KEYS, Bucket, running_bucket

RUNS = "Run,BioSample,BioProject\n" + "".join(
    f"SYNR{n},SYNS{n},SYNP{n % 7}\n" for n in range(1, 400)
)
QUICK = CopyOptions(retries=Retries(attempts=3, wait_s=0.001, timeout_s=5))


@pytest.fixture
def server() -> Iterator[tuple[str, Script]]:
    script = Script(body=RUNS.encode())
    with running_server(script) as address:
        yield address, script


@pytest.fixture(scope="module")
def started() -> Iterator[Bucket]:
    with running_bucket() as bucket:
        yield bucket


@pytest.fixture
def bucket(started: Bucket, monkeypatch: pytest.MonkeyPatch) -> Bucket:
    for name, value in started.environment.items():
        monkeypatch.setenv(name, value)
    started.clear()
    return started


def manifest(folder: Path, *entries: str) -> Manifest:
    """Return the manifest of ``[[input]]`` entries, downloads kept below ``folder``."""
    path = folder / "inputs.toml"
    path.write_text("".join(f"[[input]]\n{entry}\n" for entry in entries))
    return read_manifest(path, environ={"VIROME_DOWNLOADS": str(folder / "raw")})


def runs_at(folder: Path, address: str, more: str = "") -> Manifest:
    return manifest(folder, f'format = "sra_run_info"\npath = "{address}"\n{more}')


def test_a_file_of_a_server_that_fails_and_hangs_up_is_read_whole(
    server: tuple[str, Script], tmp_path: Path
) -> None:
    address, script = server
    script.failures, script.cuts = [503, 429], [700]
    remote = runs_at(tmp_path, f"{address}/pub/runs.csv")
    assert script.seen == [], "reading a manifest asks nobody"
    how = CopyOptions(retries=Retries(attempts=4, wait_s=0.001, timeout_s=5))
    records = read_records(fetch_inputs(remote, how))
    assert [wanted for _, wanted in script.seen] == [None, None, None, "bytes=700-"]

    (tmp_path / "here.csv").write_text(RUNS)
    assert records.run.equals(read_records(runs_at(tmp_path, "here.csv")).run)
    assert len(records.run) == 399


def test_address_and_state_are_noted_and_the_digest_follows_the_content(
    server: tuple[str, Script], tmp_path: Path
) -> None:
    address, script = server
    remote = runs_at(tmp_path, f"{address}/pub/runs.csv?X-Signature=secret")
    first = _digests(remote)
    assert first["runs.csv"] == hashlib.sha256(RUNS.encode()).hexdigest()
    assert origin_entries(remote) == {"path.origin.runs.csv": f"{address}/pub/runs.csv?…"}
    assert state_entries(remote)["path.state.runs.csv"].endswith(' "one"')

    assert _digests(remote) == first
    assert script.seen[-1] == ("/pub/runs.csv?X-Signature=secret", '"one"'), "asked, and not sent"
    script.etag = '"two"'
    assert _digests(remote) == first, "the same bytes under another name are the same input"
    script.body, script.etag = RUNS[:-20].encode(), '"three"'
    assert _digests(remote) != first


def test_a_pinned_file_is_asked_for_once_and_refused_where_it_is_another(
    server: tuple[str, Script], tmp_path: Path
) -> None:
    address, script = server
    pin = hashlib.sha256(RUNS.encode()).hexdigest()
    remote = runs_at(tmp_path, f"{address}/runs.csv", f'sha256 = "{pin}"')
    for _ in range(2):
        fetch_inputs(remote, QUICK)
    assert len(script.seen) == 1
    other = runs_at(tmp_path / "raw", f"{address}/runs.csv", f'sha256 = "{"0" * 64}"')
    with pytest.raises(DownloadError, match=f"sha256 is {pin}, pinned is 0000"):
        fetch_inputs(other, QUICK)


def test_a_file_that_cannot_be_had_is_named_with_its_address_and_what_to_do(
    server: tuple[str, Script],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    address, script = server
    script.failures = [404]
    remote = runs_at(tmp_path, f"{address}/runs.csv?key=secret")
    with pytest.raises(DownloadError) as caught:
        fetch_inputs(remote, QUICK)
    assert str(caught.value).startswith(f"{address}/runs.csv?…: HTTP 404 ")
    assert "check the address" in caught.value.remedy

    script.failures = [403]
    monkeypatch.setenv("VIROME_DOWNLOADS", str(tmp_path / "raw"))
    assert run_app(app, ["check", str(remote.path), "--no-grounding"], name="inputs") == 5
    assert f"{address}/runs.csv?…: HTTP 403" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_named(
    server: tuple[str, Script], tmp_path: Path
) -> None:
    address, _ = server
    (tmp_path / "raw").write_text("a file is in the way")
    with pytest.raises(DownloadError, match=r"(?s)runs\.csv: .*VIROME_DOWNLOADS names another"):
        fetch_inputs(runs_at(tmp_path, f"{address}/runs.csv"), QUICK)


def test_options_ontologies_and_register_may_be_elsewhere(
    server: tuple[str, Script], tmp_path: Path
) -> None:
    address, _ = server
    path = tmp_path / "inputs.toml"
    path.write_text(
        f'[[input]]\nformat = "studies"\npath = "{address}/studies.tsv"\n'
        f'run_info = ["{address}/a.csv", "{address}/b.csv"]\n'
        f'[ontologies]\nBTO = "{address}/bto.obo"\n'
        f'[biosafety]\nrisk_groups = "{address}/risk.tsv"\n'
    )
    read = read_manifest(path, environ={"VIROME_DOWNLOADS": str(tmp_path)})
    fetched = fetch_inputs(read, QUICK)
    names = [origin.rpartition("/")[2] for origin in origin_entries(fetched).values()]
    assert names == ["studies.tsv", "a.csv", "b.csv", "bto.obo", "risk.tsv"]
    bto = {source.name: source.path for source in fetched.ontologies.listed}["BTO"]
    assert bto is not None
    assert bto.read_bytes() == RUNS.encode()


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('path = "http://example.org/a.csv"', "anybody in between could change the file"),
        ('path = "ftp://example.org/a.csv"', r"ftp:// is not one of http://"),
        ('path = "https://user:secret@example.org/a.csv"', r"https://user@example\.org/a\.csv"),
        ('path = "https://example.org/"', "it names a folder, not a file"),
        ('path = "s3:///a.csv"', "it names no bucket"),
        ('path = "https://[::1/a.csv"', r"https://…: Invalid IPv6"),
        ('glob = "https://example.org/*.csv"', "cannot be listed"),
        ('glob = "s3://logan/*.csv"\nsha256 = "0"', "a glob may match several"),
        ('path = "https://example.org/a.csv"\nsha256 = "0"', "not 64 hexadecimal digits"),
        (f'path = "inputs.toml"\nsha256 = "{"0" * 64}"', "sha256 pins an address"),
        ('path = "a.csv"\nrun_info = ["postgresql://db/logan"]', "a database can be the path"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused_before_anything_is_asked(
    entry: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text(RUNS)
    with pytest.raises(ManifestError, match=message) as caught:
        manifest(tmp_path, f'format = "studies"\n{entry}')
    assert "secret" not in str(caught.value)


def test_plain_http_of_another_machine_may_be_pinned(tmp_path: Path) -> None:
    remote = runs_at(tmp_path, "http://example.org/a.csv", f'sha256 = "{"0" * 64}"')
    ((_, origin),) = remote.origins.items()
    assert origin.sha256 == "0" * 64


def test_objects_of_a_store_are_listed_fetched_and_asked_for_changes(
    bucket: Bucket, tmp_path: Path
) -> None:
    half = len(RUNS.splitlines()) // 2
    table = pl.read_csv(RUNS.encode())
    for number, part in enumerate((table[:half], table[half:])):
        path = tmp_path / f"runs-{number}.parquet"
        part.write_parquet(path)
        bucket.put(f"2024/runs-{number}.parquet", path.read_bytes())
    bucket.put("2024/old/runs-9.parquet", b"of another folder")
    remote = manifest(tmp_path, 'format = "sra_run_info"\nglob = "s3://logan/2024/runs-*.parquet"')
    fetched = fetch_inputs(remote, QUICK)
    assert [item.path.name for item in fetched.inputs] == ["runs-0.parquet", "runs-1.parquet"]
    assert len(read_records(fetched).run) == 399
    assert origin_entries(fetched)["path.origin.runs-0.parquet"] == "s3://logan/2024/runs-0.parquet"

    first = _digests(remote)
    assert _digests(remote) == first
    bucket.put("2024/runs-1.parquet", (tmp_path / "runs-0.parquet").read_bytes())
    assert _digests(remote) != first


def test_an_object_is_resumed_unless_it_changed_meanwhile(bucket: Bucket, tmp_path: Path) -> None:
    remote = runs_at(tmp_path, bucket.put("runs.csv", RUNS.encode()))
    (copy,) = remote.origins
    fetch_inputs(remote, QUICK)
    state = state_entries(remote)["path.state.runs.csv"].partition(" ")[2]
    said = json.dumps({"url": "s3://logan/runs.csv", "validator": state})
    part, note = (copy.with_name(f"runs.csv.{kind}") for kind in ("part", "part.json"))
    for begun, kept in ((b"x" * 700, RUNS[700:]), (RUNS.encode(), "")):
        copy.unlink()
        part.write_bytes(begun)
        note.write_text(said)
        fetch_inputs(remote, QUICK)
        assert copy.read_bytes() == begun + kept.encode()

    copy.unlink()
    part.write_bytes(b"x" * 700)
    note.write_text(said)
    bucket.put("runs.csv", RUNS[::-1].encode())
    fetch_inputs(remote, QUICK)
    assert copy.read_text() == RUNS[::-1]


def test_objects_that_cannot_be_had_are_named(
    bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(DownloadError, match=r"s3://logan/gone\.csv: no such object\n.*AWS_ENDPO"):
        fetch_inputs(runs_at(tmp_path, "s3://logan/gone.csv"), QUICK)
    none = manifest(tmp_path, 'format = "studies"\nglob = "s3://logan/*.tsv"')
    with pytest.raises(DownloadError, match=r"s3://logan/\*\.tsv: no object matches"):
        fetch_inputs(none, QUICK)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    silent = r"http://127\.0\.0\.1:9 does not answer"
    with pytest.raises(DownloadError, match=rf"s3://logan/runs\.csv: {silent} \(3 attempts\)"):
        fetch_inputs(runs_at(tmp_path, "s3://logan/runs.csv"), QUICK)
    with pytest.raises(DownloadError, match=rf"s3://logan/\*\.tsv: {silent}"):
        fetch_inputs(none, QUICK)


@pytest.mark.parametrize("name", ["path", "glob"])
def test_who_may_not_read_hears_what_is_wrong_and_what_to_do(
    bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    bucket.put("runs.csv", RUNS.encode())
    asked = {"path": "s3://logan/runs.csv", "glob": "s3://logan/*.csv"}[name]

    def refused(address: str = asked) -> str:
        entry = f'format = "sra_run_info"\n{name} = "{address}"'
        with pytest.raises(DownloadError) as caught:
            fetch_inputs(manifest(tmp_path, entry), QUICK)
        assert caught.value.message.startswith(address)
        return str(caught.value)

    elsewhere = refused(asked.replace("logan", "nowhere"))
    assert "no such bucket" in elsewhere
    assert "AWS_ENDPOINT_URL" in elsewhere
    with bucket.locked() as keys:
        unknown = refused()
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", keys["AWS_ACCESS_KEY_ID"])
        wrong = refused()
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", keys["AWS_SECRET_ACCESS_KEY"])
        denied = refused()
    assert "does not know this access key" in unknown
    assert "the secret key is wrong" in wrong
    assert "access is denied" in denied
    assert all("of someone who may read it" in said for said in (unknown, wrong, denied))


def test_an_object_that_ends_early_is_never_taken_for_whole(
    server: tuple[str, Script], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, script = server
    for key, value in {**KEYS, "AWS_ENDPOINT_URL": address}.items():
        monkeypatch.setenv(key, value)
    script.body, script.cuts = RUNS.encode(), [500]
    (read,) = fetch_inputs(runs_at(tmp_path, "s3://logan/runs.csv"), QUICK).inputs
    copy = read.path
    assert copy.read_text() == RUNS
    copy.unlink()
    script.cuts = [500] * 99
    with pytest.raises(DownloadError, match=r"s3://logan/runs\.csv: .*\(3 attempts\)"):
        fetch_inputs(runs_at(tmp_path, "s3://logan/runs.csv"), QUICK)
    assert not copy.exists()


def test_an_index_of_a_file_elsewhere_is_verified_without_asking_for_it_again(
    server: tuple[str, Script],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    address, script = server
    sample = ROOT / "data" / "sample"
    monkeypatch.setenv("VIROME_DOWNLOADS", str(tmp_path / "raw"))
    inputs = tmp_path / "inputs.toml"
    names = {"BTO": "bto.obo", "DOID": "doid.obo", "NCBITaxon": "taxdump.tar.gz"}
    listed = "".join(f'{name} = "{sample}/ontologies/{file}"\n' for name, file in names.items())
    inputs.write_text(
        f'[[input]]\nformat = "sra_run_info"\npath = "{address}/runs.csv"\n[ontologies]\n{listed}'
    )
    script.body = "\n".join(RUNS.splitlines()[:30]).encode()
    db = tmp_path / "index.duckdb"
    first = build_from(inputs, db).summary
    assert first.counts["run"] == 29
    with open_index(db) as index:
        noted = dict(index.execute("SELECT key, value FROM build").fetchall())
    assert noted["path.origin.runs.csv"] == f"{address}/runs.csv"
    assert noted["path.state.runs.csv"].endswith(' "one"')

    script.etag = '"two"'
    again = build_from(inputs, db).summary
    assert again.unchanged == STAGES, "the same bytes under another name are the same input"
    assert again.content_hash == first.content_hash

    script.body, script.etag, script.seen = b"another file by now", '"three"', []
    with duckdb.connect(db) as index:
        index.execute("DELETE FROM run WHERE rowid = 0")
    assert verify([str(db), "--quiet"]) == 12
    said = capsys.readouterr().err
    assert f"{db}: run, row 1 differs" in said
    assert "recorded: (" in said
    assert "rebuilt:  (" in said
    assert script.seen == []


def test_a_copy_that_an_index_was_made_of_is_not_asked_for_again(
    server: tuple[str, Script], tmp_path: Path
) -> None:
    address, script = server
    remote = runs_at(tmp_path, f"{address}/runs.csv")
    first = _digests(remote)
    script.body, script.etag, script.seen = b"another file by now", '"two"', []
    pinned = CopyOptions(retries=QUICK.retries, pins=first)
    assert input_hashes(file_digests(fetch_inputs(remote, pinned)))["runs.csv"] == first["runs.csv"]
    assert script.seen == []


def test_a_manifest_is_proposed_for_an_address(
    server: tuple[str, Script],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    address, _ = server
    monkeypatch.setenv("VIROME_DOWNLOADS", str(tmp_path / "raw"))
    assert run_app(app, ["new", f"{address}/runs.csv"], name="inputs") == 0
    proposed = capsys.readouterr().out
    assert f'format = "sra_run_info"\npath = "{address}/runs.csv"\n' in proposed


def _digests(remote: Manifest) -> dict[str, str]:
    """Return the digests of the inputs of ``remote``, fetched, without that of the manifest."""
    hashes = input_hashes(file_digests(fetch_inputs(remote, QUICK)))
    return {name: digest for name, digest in hashes.items() if name != "inputs.toml"}

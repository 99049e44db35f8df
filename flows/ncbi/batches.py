"""Fetch one batch of accessions from NCBI with E-utilities, and store it as a file with its digest.

A search turns accessions into the identifiers that ``efetch`` takes (NBK25497, NBK25499). If the
file of a batch is there with its noted digest, the batch is not requested again: an interrupted
command continues with the next batch.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from ontology_etl.errors import DownloadError
from ontology_etl.releases.download import Fetched, note_download, read_downloads, sha256_of
from query.entrez_search.calls import Call
from query.entrez_search.client import NcbiService
from query.errors import ServiceError

BATCH: Final = 200
"""Number of accessions requested at once."""
LICENCE: Final = "US public domain (NCBI)"
AGAIN: Final = "run it again: it resumes after the last complete batch"
_PROJECT: Final = ("bioproject", "title", "description")
_DIGITS: Final = 10

Keep = Callable[[str, frozenset[str]], str]
"""Takes an answer and the accessions asked for; returns the text that is kept."""


@dataclass(frozen=True)
class RecordKind:
    """Records of one NCBI database: how to request them, and which fields to keep."""

    name: str
    db: str
    tag: str
    """The field of the search that holds accessions."""
    rettype: str
    retmode: str
    ending: str
    keep: Keep


def batches_of(accessions: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield distinct accessions in order, ``BATCH`` at a time."""
    distinct = sorted(set(accessions))
    for start in range(0, len(distinct), BATCH):
        yield tuple(distinct[start : start + BATCH])


def fetch_batch(
    service: NcbiService, kind: RecordKind, batch: Sequence[str], folder: Path
) -> Path | None:
    """Return the file with the records of ``batch``, fetched unless a complete one exists; None if
    NCBI knows none of them.

    Raises ``DownloadError`` if NCBI does not answer, or its answer is truncated or damaged.
    """
    target = folder / f"{kind.name}-{_digest(batch)}.{kind.ending}"
    noted = read_downloads(folder).get(target.name)
    if noted is not None and target.exists() and sha256_of(target) == noted.sha256:
        return target
    found = _identifiers(service, kind, batch)
    if not found:
        return None

    call = _fetch(kind, found)
    try:
        kept = kind.keep(_answer(service, call), frozenset(batch))
    except (ElementTree.ParseError, KeyError) as error:
        reason = f"the answer is not whole: {error}"
        raise DownloadError(_place(call), reason, remedy=AGAIN) from error
    _write(target, kept, call)
    return target


def _identifiers(service: NcbiService, kind: RecordKind, batch: Sequence[str]) -> list[str]:
    """Return NCBI's identifiers of the accessions that it knows."""
    term = " OR ".join(f"{one}[{kind.tag}]" for one in batch)
    parameters = {"db": kind.db, "retmax": str(BATCH), "retmode": "json", "term": term}
    call = Call("esearch", tuple(parameters.items()))

    try:
        return list(json.loads(_answer(service, call))["esearchresult"]["idlist"])
    except (ValueError, KeyError) as error:
        reason = f"the answer is not a list of identifiers: {error}"
        raise DownloadError(_place(call), reason, remedy=AGAIN) from error


def _answer(service: NcbiService, call: Call) -> str:
    try:
        return service.get(call)
    except ServiceError as error:
        raise DownloadError(_place(call), error.reason, remedy=AGAIN) from error


def _place(call: Call) -> str:
    """Return the address of a call without its query."""
    address, _, _ = call.url.partition("?")
    return address


def _fetch(kind: RecordKind, identifiers: Sequence[str]) -> Call:
    parameters = {
        "db": kind.db,
        "retmax": str(len(identifiers)),
        "retmode": kind.retmode,
        "rettype": kind.rettype,
        "id": ",".join(identifiers),
    }
    said = [(name, value) for name, value in parameters.items() if value]
    return Call("efetch", tuple(said))


def _write(target: Path, text: str, call: Call) -> None:
    """Rename a complete answer to its final name, and note its digest."""
    content = text.encode()
    part = target.with_name(f"{target.name}.part")
    part.write_bytes(content)
    os.replace(part, target)
    entry = Fetched(
        url=_place(call),
        sha256=hashlib.sha256(content).hexdigest(),
        size=len(content),
        licence=LICENCE,
        validator="",
        fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    note_download(target, entry)


def _digest(batch: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(batch).encode()).hexdigest()[:_DIGITS]


def keep_runs(text: str, asked: frozenset[str]) -> str:
    """Return only the requested rows of a RunInfo table: NCBI also sends the other runs of an
    experiment.

    Raises ``KeyError`` where the table has no column Run.

    >>> keep_runs("Run,spots\\nSRR1,5\\nSRR2,7\\n", frozenset({"SRR2"}))
    'Run,spots\\nSRR2,7\\n'
    """
    reader = csv.DictReader(io.StringIO(text))
    kept = [row for row in reader if row["Run"] in asked]
    return _as_csv(reader.fieldnames or (), kept)


def keep_samples(text: str, _asked: frozenset[str]) -> str:
    """Return a BioSampleSet unchanged if it is complete; raises ``ParseError``."""
    ElementTree.fromstring(text)
    return text


def keep_projects(text: str, asked: frozenset[str]) -> str:
    """Return accession, title and description of each BioProject in an XML answer, as CSV.

    Raises ``ParseError`` where it is not whole.
    """
    rows = []
    for project in ElementTree.fromstring(text).iter("Project"):
        archive = project.find("ProjectID/ArchiveID")
        accession = "" if archive is None else archive.get("accession", "")
        title = project.findtext("ProjectDescr/Title", "")
        description = project.findtext("ProjectDescr/Description", "")
        if accession in asked:
            rows.append(dict(zip(_PROJECT, (accession, title, description), strict=True)))
    return _as_csv(_PROJECT, rows)


def _as_csv(columns: Sequence[str], rows: Sequence[dict[str, str]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


RUNS: Final = RecordKind("run_info", "sra", "ACCN", "runinfo", "text", "csv", keep_runs)
SAMPLES: Final = RecordKind("biosample", "biosample", "ACCN", "full", "xml", "xml", keep_samples)
PROJECTS: Final = RecordKind(
    "bioproject", "bioproject", "Project Accession", "xml", "xml", "csv", keep_projects
)

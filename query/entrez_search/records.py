"""Records: genomes and sequences of a taxon, the project of a run, one nucleotide record."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from index.reports.phrases import counted
from query.entrez_search.finding import NcbiFinding, NothingFound, listed
from query.entrez_search.session import Session
from query.entrez_search.summaries import Document

SHOWN: Final = 5
_REFERENCE: Final = "srcdb_refseq[prop]"
_COMPLETE: Final = "complete genome[Title]"
_SAMPLE: Final = re.compile(r"<Biosample>([^<]+)</Biosample>")
_PROJECT: Final = re.compile(r"<Bioproject>([^<]+)</Bioproject>")
_STUDY: Final = re.compile(r'<Study acc="([^"]+)" name="([^"]*)"')
_ORGANISM: Final = re.compile(r'ScientificName="([^"]+)"')
_RUN: Final = re.compile(r'<Run acc="([^"]+)"')


def genomes_of_taxon(session: Session, taxon: str) -> NcbiFinding:
    """Return the reference genomes of a taxon, and how many complete ones GenBank has."""
    organism = _as_organism(taxon)
    reference = f"{organism} AND {_REFERENCE}"
    whole = f"{organism} AND {_COMPLETE}"
    ids, references = session.search("nuccore", reference, most=SHOWN)
    _, complete = session.search("nuccore", whole, most=SHOWN)
    if not complete and not references:
        raise NothingFound(f"GenBank has no genome of {taxon}")
    documents = session.documents("nuccore", ids)
    records = list(documents.values())
    accessions = [_accession(one) for one in records]
    first = _titles(records)
    shown = f": {first}" if first else ""
    in_genbank = counted(complete, "record")
    in_refseq = counted(references, "reference record")
    text = (
        f"GenBank has {in_genbank} of {taxon} titled a complete genome, "
        f"and RefSeq {in_refseq}{shown}."
    )
    return NcbiFinding("accession", tuple(accessions), text)


def records_of_taxon(session: Session, taxon: str) -> NcbiFinding:
    """Return how many nucleotide records a taxon has, and those that NCBI ranks first."""
    organism = _as_organism(taxon)
    ids, count = session.search("nuccore", organism, most=SHOWN)
    if not count:
        raise NothingFound(f"GenBank has no record of {taxon}")
    documents = session.documents("nuccore", ids)
    records = list(documents.values())
    accessions = [_accession(one) for one in records]
    first = _titles(records)
    text = f"GenBank has {count:,} nucleotide records of {taxon}; the first are {first}."
    return NcbiFinding("accession", tuple(accessions), text)


def project_of_run(session: Session, run: str) -> NcbiFinding:
    """Return the project, study, sample and organism of a run."""
    document = _best_match(session, "sra", run)
    if document is None:
        raise NothingFound(f"the SRA has no {run}")
    described = _text(document, "expxml")
    runs = _RUN.findall(_text(document, "runs"))
    if run not in runs:
        raise NothingFound(f"the SRA has no run {run}")
    project = _first(_PROJECT, described)
    study = _study(described)
    sample = _first(_SAMPLE, described)
    organism = _first(_ORGANISM, described)
    text = f"{run} is of {project} ({study}), sample {sample}, {organism}."
    return NcbiFinding("project", (project, sample), text)


def _best_match(session: Session, database: str, term: str) -> Document | None:
    """Return the record that NCBI ranks first for ``term``, None where it has none."""
    ids, _ = session.search(database, term, most=1)
    documents = session.documents(database, ids)
    return next(iter(documents.values()), None)


def _study(described: str) -> str:
    """Return the accession of the study, with its title where it has one."""
    accession = _first(_STUDY, described)
    found = _STUDY.search(described)
    title = found[2] if found else ""
    return f"{accession}, {title}" if title else accession


def project(session: Session, accession: str) -> NcbiFinding:
    """Return what a project is about."""
    document = _best_match(session, "bioproject", accession)
    if document is None:
        raise NothingFound(f"NCBI has no project {accession}")
    title = _text(document, "project_title")
    about = _text(document, "project_description")
    text = f"{accession}: {title}. {about}".strip()
    return NcbiFinding("title", (title,), text)


def record(session: Session, accession: str) -> NcbiFinding:
    """Return what a nucleotide record is: its title, organism and length."""
    documents = session.documents("nuccore", [accession])
    document = next(iter(documents.values()), None)
    if document is None:
        document = _best_match(session, "nuccore", f"{accession}[Accession]")
    if document is None:
        raise NothingFound(f"GenBank has no record {accession}")
    title = _text(document, "title")
    length = _text(document, "slen")
    bases = f"{length} bases"
    organism = _text(document, "organism")
    about = listed([bases, organism] if organism else [bases])
    text = f"{accession}: {title} ({about})."
    return NcbiFinding("title", (title,), text)


def _as_organism(taxon: str) -> str:
    if taxon.endswith("]"):
        return taxon
    return f'"{taxon}"[Organism]'


def _accession(document: Document) -> str:
    versioned = document.get("accessionversion")
    caption = document.get("caption")
    accession = versioned or caption or ""
    return str(accession)


def _titles(documents: Iterable[Document]) -> str:
    titles = map(_titled, documents)
    return "; ".join(titles)


def _text(document: Document, key: str) -> str:
    value = document.get(key, "")
    return str(value)


def _titled(document: Document) -> str:
    accession = _accession(document)
    title = document.get("title", "")
    length = document.get("slen")
    if not isinstance(length, int):
        return f"{accession} ({title})"
    return f"{accession} ({title}, {length:,} bases)"


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    if found is None:
        return "not stated"
    return found[1]

"""Records: genomes and sequences of a taxon, the project of a run, one nucleotide record."""

from __future__ import annotations

import re
from typing import Final

from index.reports.phrases import counted
from query.entrez_search.finding import Finding, NothingFound, listed
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


def genomes_of_taxon(session: Session, taxon: str) -> Finding:
    """Return the reference genomes of a taxon, and how many complete ones GenBank has."""
    organism = _as_organism(taxon)
    ids, references = session.search("nuccore", f"{organism} AND {_REFERENCE}", most=SHOWN)
    _, complete = session.search("nuccore", f"{organism} AND {_COMPLETE}", most=SHOWN)
    if not complete and not references:
        raise NothingFound(f"GenBank has no genome of {taxon}")
    records = session.documents("nuccore", ids)
    accessions = tuple(_accession(one) for one in records.values())
    first = "; ".join(_titled(one) for one in records.values())
    shown = f": {first}" if first else ""
    text = (
        f"GenBank has {counted(complete, 'record')} of {taxon} titled a complete genome, "
        f"and RefSeq {counted(references, 'reference record')}{shown}."
    )
    return Finding("accession", accessions, text)


def records_of_taxon(session: Session, taxon: str) -> Finding:
    """Return how many nucleotide records a taxon has, and those that NCBI ranks first."""
    ids, count = session.search("nuccore", _as_organism(taxon), most=SHOWN)
    if not count:
        raise NothingFound(f"GenBank has no record of {taxon}")
    records = session.documents("nuccore", ids)
    first = "; ".join(_titled(one) for one in records.values())
    text = f"GenBank has {count:,} nucleotide records of {taxon}; the first are {first}."
    return Finding("accession", tuple(_accession(one) for one in records.values()), text)


def project_of_run(session: Session, run: str) -> Finding:
    """Return the project, study, sample and organism of a run."""
    ids, _ = session.search("sra", run, most=1)
    documents = session.documents("sra", ids)
    if not documents:
        raise NothingFound(f"the SRA has no {run}")
    document = next(iter(documents.values()))
    described = str(document.get("expxml", ""))
    runs = _RUN.findall(str(document.get("runs", "")))
    if run not in runs:
        raise NothingFound(f"the SRA has no run {run}")
    found = (_PROJECT, _STUDY, _SAMPLE, _ORGANISM)
    project, study, sample, organism = (_first(one, described) for one in found)
    name = _STUDY.search(described)
    title = f", {name[2]}" if name and name[2] else ""
    text = f"{run} is of {project} ({study}{title}), sample {sample}, {organism}."
    return Finding("project", (project, sample), text)


def project(session: Session, accession: str) -> Finding:
    """Return what a project is about."""
    ids, _ = session.search("bioproject", accession, most=1)
    documents = session.documents("bioproject", ids)
    if not documents:
        raise NothingFound(f"NCBI has no project {accession}")
    document = next(iter(documents.values()))
    title, about = (str(document.get(key, "")) for key in ("project_title", "project_description"))
    text = f"{accession}: {title}. {about}".strip()
    return Finding("title", (title,), text)


def record(session: Session, accession: str) -> Finding:
    """Return what a nucleotide record is: its title, organism and length."""
    documents = session.documents("nuccore", [accession])
    ids = list(documents) or session.search("nuccore", f"{accession}[Accession]", most=1)[0]
    found = documents or session.documents("nuccore", ids)
    if not found:
        raise NothingFound(f"GenBank has no record {accession}")
    document = next(iter(found.values()))
    length, organism = document.get("slen", ""), document.get("organism", "")
    about = listed([part for part in (f"{length} bases", str(organism)) if part])
    title = str(document.get("title", ""))
    return Finding("title", (title,), f"{accession}: {title} ({about}).")


def _as_organism(taxon: str) -> str:
    return taxon if taxon.endswith("]") else f'"{taxon}"[Organism]'


def _accession(document: Document) -> str:
    return str(document.get("accessionversion") or document.get("caption") or "")


def _titled(document: Document) -> str:
    length = document.get("slen")
    bases = f", {int(length):,} bases" if isinstance(length, int) else ""
    return f"{_accession(document)} ({document.get('title', '')}{bases})"


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found[1] if found else "not stated"

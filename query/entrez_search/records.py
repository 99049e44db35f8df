"""Records: genomes and sequences of a taxon, the project of a run, one nucleotide record."""

from __future__ import annotations

import re
from typing import Final

from index.claims.phrases import counted, listed
from query.entrez_search.session import NcbiFinding, NothingFound, Session
from query.entrez_search.summaries import Document, text_of

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
    ids, references = session.search("nuccore", f"{organism} AND {_REFERENCE}", most=SHOWN)
    _, complete = session.search("nuccore", f"{organism} AND {_COMPLETE}", most=SHOWN)
    if not complete and not references:
        raise NothingFound(f"GenBank has no genome of {taxon}")
    accessions, titles = _listed(session, ids)
    shown = f": {titles}" if titles else ""
    text = (
        f"GenBank has {counted(complete, 'record')} of {taxon} titled a complete genome, "
        f"and RefSeq {counted(references, 'reference record')}{shown}."
    )
    return NcbiFinding("accession", accessions, text)


def records_of_taxon(session: Session, taxon: str) -> NcbiFinding:
    """Return how many nucleotide records a taxon has, and those that NCBI ranks first."""
    ids, count = session.search("nuccore", _as_organism(taxon), most=SHOWN)
    if not count:
        raise NothingFound(f"GenBank has no record of {taxon}")
    accessions, titles = _listed(session, ids)
    text = f"GenBank has {count:,} nucleotide records of {taxon}; the first are {titles}."
    return NcbiFinding("accession", accessions, text)


def _listed(session: Session, ids: list[str]) -> tuple[tuple[str, ...], str]:
    """Return the accessions of nucleotide records, and their titles in words."""
    documents = session.documents("nuccore", ids).values()
    return tuple(map(_accession, documents)), "; ".join(map(_titled, documents))


def project_of_run(session: Session, run: str) -> NcbiFinding:
    """Return the project, study, sample and organism of a run."""
    document = _best_match(session, "sra", run, absent=f"the SRA has no {run}")
    described = text_of(document, "expxml")
    if run not in _RUN.findall(text_of(document, "runs")):
        raise NothingFound(f"the SRA has no run {run}")
    project, sample = _first(_PROJECT, described), _first(_SAMPLE, described)
    organism = _first(_ORGANISM, described)
    text = f"{run} is of {project} ({_study(described)}), sample {sample}, {organism}."
    return NcbiFinding("project", (project, sample), text)


def _best_match(session: Session, database: str, term: str, *, absent: str) -> Document:
    """Return the record that NCBI ranks first for ``term``; raises ``NothingFound``."""
    ids, _ = session.search(database, term, most=1)
    for document in session.documents(database, ids).values():
        return document
    raise NothingFound(absent)


def _study(described: str) -> str:
    """Return the accession of the study, with its title where it has one."""
    found = _STUDY.search(described)
    title = found[2] if found else ""
    accession = _first(_STUDY, described)
    return f"{accession}, {title}" if title else accession


def project(session: Session, accession: str) -> NcbiFinding:
    """Return what a project is about."""
    absent = f"NCBI has no project {accession}"
    document = _best_match(session, "bioproject", accession, absent=absent)
    title = text_of(document, "project_title")
    text = f"{accession}: {title}. {text_of(document, 'project_description')}"
    return NcbiFinding("title", (title,), text.strip())


def record(session: Session, accession: str) -> NcbiFinding:
    """Return what a nucleotide record is: its title, organism and length."""
    absent = f"GenBank has no record {accession}"
    document = session.documents("nuccore", [accession]).get(accession)
    if document is None:
        document = _best_match(session, "nuccore", f"{accession}[Accession]", absent=absent)
    title = text_of(document, "title")
    about = [f"{text_of(document, 'slen')} bases", text_of(document, "organism")]
    text = f"{accession}: {title} ({listed([part for part in about if part])})."
    return NcbiFinding("title", (title,), text)


def _as_organism(taxon: str) -> str:
    return taxon if taxon.endswith("]") else f'"{taxon}"[Organism]'


def _accession(document: Document) -> str:
    return str(document.get("accessionversion") or document.get("caption") or "")


def _titled(document: Document) -> str:
    length = document.get("slen")
    bases = f", {length:,} bases" if isinstance(length, int) else ""
    return f"{_accession(document)} ({document.get('title', '')}{bases})"


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return "not stated" if found is None else found[1]

"""``query term``: how a text is grounded, and where the term occurs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Final, Literal

from index.claims.phrases import counted
from query.cli.console import AsJson, Database, opened, print_json, print_table, print_tables, say
from query.cli.listing import columns_of
from query.cli.usage import argument, optional

if TYPE_CHECKING:
    from query.browsing.terms import Related, TermReading

READINGS: Final = columns_of(
    "facet, matched, term, label, outcome, because, score, runs, ontology, above it, also called",
    cut="matched, label, above it, also called, because",
    numbers="score, runs",
    least="also called, score, ontology, above it",
)
OCCURRENCES: Final = columns_of(
    "term, runs, as, attribute, written, facet, method",
    cut="as, attribute, written",
    numbers="runs",
    least="facet, method",
)
COMMUNITIES: Final = columns_of("term, community, title", cut="title")


def term(
    text: Annotated[str, argument("A name, a metadata value, any text.")],
    facet: Annotated[
        Literal["label", "tissue", "disease", "virus", "geography"] | None,
        optional("Read it for this facet only."),
    ] = None,
    db: Database = None,
    as_json: AsJson = False,
) -> None:
    """Show which ontology terms a text is grounded to, and where they occur in the index.

    \b
    Examples:
      query term "little brown bat"
      query term "stool" --facet tissue
      query term "SARS-CoV-2 B.1.1.7" --facet virus
      query term "Baltic Sea" --facet geography
      query term "COVID-19 patient, nasal swab" --json
    """
    with opened(db, as_json=as_json) as con:
        from query.browsing.terms import read_term

        readings = read_term(con, text, facet=facet)
    if as_json:
        print_json({"text": text, "groundings": [asdict(reading) for reading in readings]})
        return
    _print(readings)


def _print(readings: Sequence[TermReading]) -> None:
    """Print what the text says, where each term found occurs, and the communities that have it."""
    print_table(READINGS, [_reading_row(reading) for reading in readings])
    occurrences = [
        (reading.curie or reading.label, f"{seen.runs:,}", seen.label, seen.attribute, seen.text,
         seen.facet, seen.method)
        for reading in readings
        for seen in reading.occurrences
    ]  # fmt: skip
    communities = [
        (reading.curie or reading.label, community.curie, community.label)
        for reading in readings
        for community in reading.communities
    ]
    print_tables((OCCURRENCES, occurrences), (COMMUNITIES, communities))
    say(_footer(readings), err=True)


def _footer(readings: Sequence[TermReading]) -> str:
    """Return how many terms were found, and what the lists of each hold at most."""
    from query.browsing.terms import SHOWN

    found = [reading for reading in readings if reading.label]
    if not found:
        return "no term found"
    terms = counted(len(found), "term")
    return (
        f"{terms} found; of each at most {SHOWN} ways it is written "
        f"and {SHOWN} communities, the largest first"
    )


def _reading_row(reading: TermReading) -> tuple[object, ...]:
    from ontology_etl.curies import ontology_of

    return (
        reading.facet,
        reading.matched,
        reading.curie,
        _named(reading),
        reading.outcome,
        reading.because,
        None if reading.score is None else f"{reading.score:g}",
        f"{reading.runs:,}" if reading.label else None,
        ontology_of(reading.curie) if reading.curie else None,
        " < ".join(ancestor.label for ancestor in reading.ancestors),
        ", ".join(reading.synonyms),
    )


def _named(reading: TermReading) -> str:
    """Return what a term is called; for an ambiguous name the terms that it may mean."""
    if reading.called:
        return f"{reading.called} ({reading.label})"
    candidates = _listed(reading.candidates)
    named = reading.label or (f"one of {candidates}" if candidates else "")
    also = _listed(reading.also_meant)
    return f"{named} (also meant: {also})" if also else named


def _listed(terms: Sequence[Related]) -> str:
    return ", ".join(f"{term.curie} {term.label}" for term in terms)

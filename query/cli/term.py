"""``query term``: how a text is grounded, and where the term occurs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from query.cli.console import AsJson, Database, index_opened, print_json, print_prose, reported

if TYPE_CHECKING:
    from query.browsing.terms import TermReading


def term(
    text: Annotated[
        str, typer.Argument(help="A name, a metadata value, any text.", show_default=False)
    ],
    facet: Annotated[
        Literal["label", "tissue", "disease"] | None,
        typer.Option(help="Read it for this facet only.", show_default=False),
    ] = None,
    db: Database = None,
    as_json: AsJson = False,
) -> None:
    """Show how a text is grounded in the ontologies, by the engine of the index, and where the term
    occurs in it.

    \b
    Examples:
      query term "little brown bat"
      query term "stool" --facet tissue
      query term "COVID-19 patient, nasal swab" --json
    """
    with reported(as_json=as_json), index_opened(db) as con:
        from query.browsing.terms import read_term

        readings = read_term(con, text, facet=facet)
    if as_json:
        print_json({"text": text, "groundings": [asdict(reading) for reading in readings]})
        return
    print_prose("\n\n".join(_show(reading) for reading in readings))


def _show(reading: TermReading) -> str:
    if reading.curie is None:
        one_of = (
            f": {', '.join(f'{one.curie} {one.label}' for one in reading.candidates)}"
            if reading.candidates
            else ""
        )
        return f"{reading.facet}: {reading.outcome}{one_of}"
    lines = [
        f"{reading.facet}: {reading.curie} {reading.label} "
        f"({reading.outcome} by {reading.method}, score {reading.score:g}, matched {reading.matched!r})",
        f"  above it: {' < '.join(one.label for one in reading.ancestors) or 'nothing'}",
    ]
    lines += [f"  also called: {', '.join(reading.synonyms)}"] if reading.synonyms else []
    lines.append(f"  runs with it or a term below it: {reading.runs:,}")
    lines += [
        f"    {one.runs:,} as {one.label} from {one.attribute} = {one.text!r} ({one.facet}, {one.method})"
        for one in reading.occurrences
    ]
    lines += [f"  community {one.curie}: {one.label}" for one in reading.communities]
    return "\n".join(lines)

"""``query mwas``: associations of a virus family with metadata values."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from query.console import AsJson, Database, index_opened, print_json, print_table, reported


def mwas(
    family: Annotated[str, typer.Option(help="Virus family, e.g. Picornaviridae.", show_default=False)],
    term: Annotated[
        str | None, typer.Option(help="Facet, attribute, value or ontology term, e.g. tissue.", show_default=False)
    ] = None,
    bioproject: Annotated[str | None, typer.Option(help="Only this BioProject.", show_default=False)] = None,
    limit: Annotated[int, typer.Option(help="Lines to show.", min=1)] = 50,
    db: Database = None,
    as_json: AsJson = False,
) -> None:
    """List metadata-wide associations of a virus family, those that hold after correction first.

    fold is the log2 fold change of mean reads per million; n is samples with and without the value; a flag says why to
    be careful.

    \b
    Examples:
      query mwas --family Coronaviridae
      query mwas --family Picornaviridae --term tissue
      query mwas --family Endornaviridae --bioproject PRJNA398089 --json
    """
    with reported(as_json=as_json), index_opened(db) as con:
        from query.mwas import find_associations

        found = find_associations(con, family, term=term, bioproject=bioproject, limit=limit)
    if as_json:
        listed = [{**asdict(item), "significant": item.significant} for item in found.shown]
        print_json({"family": family, "total": found.total, "significant": found.significant, "associations": listed})
        return
    rows = [
        (
            item.bioproject,
            item.attribute,
            item.value,
            f"{item.num_true}/{item.num_false}",
            "" if item.fold_change is None else f"{item.fold_change:+.2f}",
            "" if item.p_value is None else f"{item.p_value:.2g}",
            "" if item.q_value is None else f"{item.q_value:.2g}",
            "yes" if item.significant else "no",
            item.flag,
        )
        for item in found.shown
    ]
    columns = ("bioproject", "attribute", "value", "n", "fold", "p", "q", "significant", "flag")
    print_table(columns, rows, wide="value")
    typer.echo(f"{len(found.shown)} of {found.total:,} shown, {found.significant:,} hold at q <= 0.05", err=True)

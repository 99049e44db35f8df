"""``query mwas``: associations of a virus family with metadata values."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from query.cli.console import AsJson, Database, index_opened, print_json, print_table, reported

if TYPE_CHECKING:
    import polars as pl

    from query.browsing.associations import Associations, CombinedEffect

COLUMNS: Final = ("bioproject", "attribute", "value", "n", "fold", "p", "q", "significant", "flag")
COMBINED_COLUMNS: Final = (
    "over projects",
    "attribute",
    "value",
    "alike",
    "g",
    "95 % interval",
    "q",
    "significant",
)


def mwas(
    family: Annotated[
        str, typer.Option(help="Virus family, e.g. Picornaviridae.", show_default=False)
    ],
    term: Annotated[
        str | None,
        typer.Option(
            help="Facet, attribute, value or ontology term, e.g. tissue.", show_default=False
        ),
    ] = None,
    bioproject: Annotated[
        str | None, typer.Option(help="Only this BioProject.", show_default=False)
    ] = None,
    limit: Annotated[int, typer.Option(help="Lines to show.", min=1)] = 50,
    plot: Annotated[
        Path | None,
        typer.Option(help="Write a volcano plot to this SVG or PNG file.", show_default=False),
    ] = None,
    forest: Annotated[
        Path | None,
        typer.Option(help="Write a forest plot to this SVG or PNG file.", show_default=False),
    ] = None,
    db: Database = None,
    as_json: AsJson = False,
) -> None:
    """List metadata-wide associations of a virus family, those that hold after correction first.

    fold is the log2 fold change of mean reads per million; n is samples with and without the value;
    a flag says why to be careful. Terms tested in two projects or more are listed once more with
    their effect over projects: g is the standardised difference of means, alike how many projects
    have its sign.

    \b
    Examples:
      query mwas --family Coronaviridae
      query mwas --family Picornaviridae --term tissue
      query mwas --family Picornaviridae --plot volcano.svg --forest forest.svg
      query mwas --family Endornaviridae --bioproject PRJNA398089 --json
    """
    with reported(as_json=as_json), index_opened(db) as con:
        from query.browsing.associations import associations_table, find_associations

        found = find_associations(con, family, term=term, bioproject=bioproject, limit=limit)
        if plot is not None or forest is not None:
            table = associations_table(con, family, term=term, bioproject=bioproject)
            _draw(
                table, family if term is None else f"{family}, {term}", volcano=plot, forest=forest
            )
    if as_json:
        listed = [{**asdict(item), "significant": item.significant} for item in found.shown]
        combined = [
            {**asdict(item), "significant": item.combined.significant} for item in found.combined
        ]
        counts = {"total": found.total, "significant": found.significant}
        print_json({"family": family, **counts, "associations": listed, "combined": combined})
        return
    _print(found)


def _print(found: Associations) -> None:
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
    print_table(COLUMNS, rows, wide="value")
    if found.combined:
        typer.echo("")
        print_table(
            COMBINED_COLUMNS, [_combined_row(item) for item in found.combined], wide="value"
        )
    typer.echo(
        f"{len(found.shown)} of {found.total:,} shown, {found.significant:,} hold at q <= 0.05",
        err=True,
    )


def _combined_row(item: CombinedEffect) -> tuple[str, ...]:
    over = item.combined
    interval = f"{over.ci_low:+.2f} to {over.ci_high:+.2f}"
    return (
        str(over.projects), item.attribute, item.value, f"{over.projects_agreeing}/{over.projects}",
        f"{over.effect:+.2f}", interval, f"{over.q_value:.2g}", "yes" if over.significant else "no",
    )  # fmt: skip


def _draw(table: pl.DataFrame, title: str, *, volcano: Path | None, forest: Path | None) -> None:
    """Write the figures asked for; the forest shows effects over projects where there are any, else
    each project.
    """
    from index.mwas.figures import plot_combined, plot_forest, plot_volcano
    from index.mwas.meta import study_effects

    if volcano is not None:
        typer.echo(f"volcano plot: {plot_volcano(table, volcano, title=title)}", err=True)
    if forest is None:
        return
    studies = study_effects(table)
    own = table.filter(table["m_projects"].is_not_null()).select(
        "family", "attribute", "curie", "value", projects="m_projects", effect="m_effect", ci_low="m_ci_low",
        ci_high="m_ci_high", q_value="m_q_value",
    )  # fmt: skip
    combined = own.unique(["family", "attribute", "curie"], keep="first", maintain_order=True)
    drawn = (
        plot_forest(table, forest, title=title)
        if combined.is_empty()
        else plot_combined(studies, combined, forest, title=title)
    )
    typer.echo(f"forest plot: {drawn}", err=True)

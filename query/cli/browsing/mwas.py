"""``query mwas``: associations of a virus family with metadata values."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import duckdb

from query.cli.browsing.browse import more_with
from query.cli.console import AsJson, Database, opened, print_json, print_table, print_tables, say
from query.cli.listing import columns_of
from query.cli.usage import LinesShown, file_option, optional, takes

if TYPE_CHECKING:
    from query.browsing.associations import Associations, CombinedEffect, ListedAssociation

COLUMNS: Final = columns_of(
    "bioproject, attribute, value, against, n, fold, p, q, holds, source, flag",
    cut="attribute, value, against, source, flag",
    numbers="n, fold, p, q",
    least="p, holds, flag",
)
COMBINED_COLUMNS: Final = columns_of(
    "over projects, attribute, value, alike, g, 95 % interval, q, holds",
    cut="attribute, value",
    numbers="over projects, alike, g, 95 % interval, q",
    least="95 % interval, holds",
)


@dataclass(frozen=True)
class MwasOptions:
    """Options of ``query mwas``."""

    family: Annotated[str, optional("Virus family, e.g. Picornaviridae.")]
    term: Annotated[
        str | None, optional("Facet, attribute, value or ontology term, e.g. tissue.")
    ] = None
    bioproject: Annotated[str | None, optional("Only this BioProject.")] = None
    limit: LinesShown = 50
    plot: Annotated[Path | None, file_option("Write a volcano plot, SVG or PNG.")] = None
    forest: Annotated[Path | None, file_option("Write a forest plot, SVG or PNG.")] = None
    db: Database = None
    as_json: AsJson = False


@takes(MwasOptions)
def mwas(options: MwasOptions) -> None:
    """List metadata-wide associations of a virus family, significant ones first.

    fold is the log2 fold change of mean reads per million; n is samples with and without the value;
    against is the other value if the attribute has just two (such a test is listed once). holds
    says whether q is at most 0.05. source is "computed" or the imported file. flag says why to be
    careful.

    Terms tested in at least two projects are listed again with their combined effect: g is the
    standardised difference of means; alike is the number of projects with the same sign. Without
    --term only significant effects are listed.

    \b
    Examples:
      query mwas --family Coronaviridae
      query mwas --family Coronaviridae --term tissue
      query mwas --family Picornaviridae --plot volcano.svg --forest forest.svg
      query mwas --family Endornaviridae --bioproject SYNP0000021 --json
    """
    with opened(options.db, as_json=options.as_json) as con:
        from query.browsing.associations import find_associations

        found = find_associations(
            con,
            options.family,
            term=options.term,
            bioproject=options.bioproject,
            limit=options.limit,
        )
        if options.plot is not None or options.forest is not None:
            _draw(con, options)
    if options.as_json:
        print_json({"family": options.family, **_record(found)})
    else:
        _print(found, every_effect=options.term is not None)


def _record(found: Associations) -> dict[str, object]:
    return {
        "total": found.total,
        "significant": found.significant,
        "associations": [{**asdict(item), "significant": item.significant} for item in found.shown],
        "combined": [
            {**asdict(item), "significant": item.combined.significant} for item in found.combined
        ],
    }


def _print(found: Associations, *, every_effect: bool) -> None:
    """Print associations, then effects over projects: those that hold, or every one."""
    print_table(COLUMNS, [_row(item) for item in found.shown])
    effects = [item for item in found.combined if every_effect or item.combined.significant]
    print_tables((COMBINED_COLUMNS, [_combined_row(item) for item in effects]))
    shown = len(found.shown)
    say(
        f"{shown:,} of {found.total:,} associations shown{more_with(shown, found.total)}; "
        f"{found.significant:,} of the {found.total:,} hold at q <= 0.05",
        err=True,
    )
    say(_effects_line(found, len(effects)), err=True)


def _effects_line(found: Associations, shown: int) -> str:
    """Return how many effects over projects there are, are shown and hold."""
    why = "" if shown == found.combined_total else " (others: --json, or --term and --limit)"
    return (
        f"{shown:,} of {found.combined_total:,} effects over projects shown{why}; "
        f"{found.combined_significant:,} of the {found.combined_total:,} hold"
    )


def _row(item: ListedAssociation) -> tuple[str | None, ...]:
    return (
        item.bioproject,
        item.attribute,
        item.value,
        item.against,
        f"{item.num_true}/{item.num_false}",
        "" if item.fold_change is None else f"{item.fold_change:+.2f}",
        "" if item.p_value is None else f"{item.p_value:.2g}",
        "" if item.q_value is None else f"{item.q_value:.2g}",
        "yes" if item.significant else "no",
        item.source,
        item.flag,
    )


def _combined_row(item: CombinedEffect) -> tuple[str, ...]:
    over = item.combined
    return (
        str(over.projects),
        item.attribute,
        item.value,
        f"{over.projects_agreeing}/{over.projects}",
        f"{over.effect:+.2f}",
        f"{over.ci_low:+.2f} to {over.ci_high:+.2f}",
        f"{over.q_value:.2g}",
        "yes" if over.significant else "no",
    )


def _draw(con: duckdb.DuckDBPyConnection, options: MwasOptions) -> None:
    """Draw the figures that ``options`` name.

    The forest shows effects over projects where there are any, else each project.
    """
    from index.drawing import save_figure
    from index.mwas.figures import draw_combined, draw_forest, draw_volcano
    from index.mwas.meta import EFFECT, study_effects
    from query.browsing.associations import associations_table

    family, term = options.family, options.term
    table = associations_table(con, family, term=term, bioproject=options.bioproject)
    title = family if term is None else f"{family}, {term}"
    if options.plot is not None:
        save_figure(draw_volcano(table, title=title), options.plot)
        say(f"volcano plot: {options.plot}", err=True)
    if options.forest is None:
        return
    effects = {name: f"m_{name}" for name in ("projects", "effect", "ci_low", "ci_high", "q_value")}
    own = table.filter(table["m_projects"].is_not_null()).select(*EFFECT, "value", **effects)
    combined = own.unique(EFFECT, keep="first", maintain_order=True)
    if combined.is_empty():
        drawn = draw_forest(table, title=title)
    else:
        drawn = draw_combined(study_effects(table), combined, title=title)
    save_figure(drawn, options.forest)
    say(f"forest plot: {options.forest}", err=True)

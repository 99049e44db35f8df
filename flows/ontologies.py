"""Fetch ontologies from their official addresses, and show what a new release changes.

The command ``python -m flows.ontologies``; what it compares is in ``flows/releases.py``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from flows.console import make_app, run_app
from query.cli.console import AsJson, reported

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

NAME: Final = "python -m flows.ontologies"
ROWS_SHOWN: Final = 20
_STATES: Final = {
    "same": "the file at hand",
    "other": "the file is another release: see what it changes with `diff`, then rebuild the index",
    "absent": "there is no file to compare with",
}
app = make_app("""Fetch ontologies, or compare two releases of one.

\b
Examples:
  python -m flows.ontologies fetch
  python -m flows.ontologies diff old/bto.obo new/bto.obo
  python -m flows.ontologies diff --help
""")


@app.command()
def fetch(
    folder: Annotated[
        Path | None, typer.Option(help="Folder for them; default: data/raw.", show_default=False)
    ] = None,
) -> None:
    """Fetch the newest releases, resuming interrupted downloads; print their paths.

    \b
    Examples:
      python -m flows.ontologies fetch
      python -m flows.ontologies fetch --folder data/raw/new
    """
    with reported(as_json=False):
        from ontology_etl.config import OntologyConfig
        from ontology_etl.releases.download import RAW, fetch_ontologies

        paths = fetch_ontologies(OntologyConfig(), folder or RAW, progress=_show_share)
    _print_json({name: str(path) for name, path in paths.items()})


@app.command()
def diff(
    old: Annotated[Path, typer.Argument(help="The release at hand.", show_default=False)],
    new: Annotated[Path, typer.Argument(help="The release to compare.", show_default=False)],
    db: Annotated[
        Path | None,
        typer.Option(help="Index whose annotations and reports to check.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what changed between two files of an ontology.

    \b
    Examples:
      python -m flows.ontologies diff old/bto.obo new/bto.obo
      python -m flows.ontologies diff old/taxdump.tar.gz new/taxdump.tar.gz \\
          --db data/index/virome.duckdb --json
    """
    with reported(as_json=as_json):
        from flows.releases import diff_releases

        tables = diff_releases(old, new, db)
    if as_json:
        _print_json({name: table.to_dicts() for name, table in tables.items()})
    else:
        _print_changes(tables)


@app.command()
def check(
    inputs: Annotated[Path, typer.Option(help="Inputs manifest, TOML.", show_default=False)],
    db: Annotated[Path, typer.Option(help="Index to check.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Say whether an index was built from these ontologies.

    \b
    Examples:
      python -m flows.ontologies check --inputs data/sample/inputs.toml --db data/index/demo.duckdb
      python -m flows.ontologies check --inputs my/inputs.toml --db data/index/virome.duckdb --json

    \b
    Exit codes: 0 it was, 1 it was not.
    """
    with reported(as_json=as_json):
        from flows.releases import check_releases

        releases = check_releases(db, inputs)
    if as_json:
        _print_json(releases.to_dicts())
    else:
        _print_states(releases)
    raise typer.Exit(int("other" in releases["state"]))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code."""
    return run_app(app, arguments, name=NAME)


def _print_json(record: object) -> None:
    text = json.dumps(record, indent=2)
    typer.echo(text)


def _print_changes(tables: Mapping[str, pl.DataFrame]) -> None:
    """Print the number of terms per kind of change, then the changes that affect the index."""
    changes = tables["changes"]["change"].value_counts().sort("change")
    counts = ", ".join(f"{rows:,} {change}" for change, rows in changes.iter_rows())
    typer.echo(counts or "nothing changed")
    for name in tables:
        if name != "changes":
            _print_uses(name, tables[name])


def _print_uses(name: str, changes: pl.DataFrame) -> None:
    typer.echo(f"\nused in {name}: {len(changes):,} changed terms")
    for row in changes.head(ROWS_SHOWN).iter_rows(named=True):
        uses = f"{row['uses']:>8,} x {row['curie']}"
        new = row["new"] or "(gone)"
        change = f"{row['change']}: {row['old']} -> {new}"
        typer.echo(f"  {uses} {change}")


def _print_states(releases: pl.DataFrame) -> None:
    for row in releases.iter_rows(named=True):
        state = _STATES[row["state"]]
        release = f"{row['ontology']:<10} {row['version']}"
        typer.echo(f"{release} from {row['source']}: {state}")


def _show_share(name: str, done: int, total: int | None) -> None:
    """Show the share of a file downloaded so far, on one line that is overwritten."""
    share = f"{done:,} bytes"
    if total:
        share = f"{done / total:6.1%}"
    ending = "\n" if done == total else ""
    print(
        f"\r{name}: {share}",
        end=ending,
        file=sys.stderr,
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())

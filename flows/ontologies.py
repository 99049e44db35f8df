"""Fetch ontologies from their official addresses, and say what a new release changes.

python -m flows.ontologies fetch --folder data/raw python -m flows.ontologies diff
data/raw/old/doid.obo data/raw/doid.obo --db data/index/virome.duckdb python -m flows.ontologies
check --inputs data/sample/inputs.toml --db data/index/virome.duckdb
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import polars as pl

from index.sources.manifest import read_manifest
from index.store.build import open_index, read_table
from ontology_etl.config import OntologyConfig
from ontology_etl.download import RAW, fetch_ontologies
from ontology_etl.drift import compare_releases, drift, touched
from ontology_etl.errors import MissingFileError, ViromeError
from ontology_etl.load import digest, load_ontology

ROWS_SHOWN: Final = 20
_STATES: Final = {
    "same": "the file at hand",
    "other": "the file at hand is another release: see what it changes with `diff`, then rebuild the index",
    "absent": "no file at hand to compare with",
}
EPILOG: Final = """examples:
  python -m flows.ontologies fetch
  python -m flows.ontologies diff old/bto.obo new/bto.obo
  python -m flows.ontologies diff old/taxdump.tar.gz new/taxdump.tar.gz --db data/index/virome.duckdb --json
  python -m flows.ontologies check --inputs data/sample/inputs.toml --db data/index/virome.duckdb

exit codes of check: 0 the index was built on the files at hand, 1 on others
"""


def diff_releases(old: Path, new: Path, db: Path | None) -> dict[str, pl.DataFrame]:
    """Return ``changes`` between two files of one ontology and, with an index, the changes that
    touch it.

    ``annotations`` and ``reports`` are the changes whose term annotates runs or stands in the facts
    of reports, with the number of ``uses``.
    """
    name = ontology_of(old)
    changes = drift(load_ontology(name, old).term, load_ontology(name, new).term)
    if db is None:
        return {"changes": changes}
    with open_index(db) as connection:
        annotated = connection.sql("SELECT curie FROM annotation WHERE curie IS NOT NULL").pl()[
            "curie"
        ]
        reported = connection.sql(
            "SELECT DISTINCT community, curie FROM fact WHERE curie IS NOT NULL"
        ).pl()["curie"]
    return {
        "changes": changes,
        "annotations": touched(changes, annotated),
        "reports": touched(changes, reported),
    }


def check_releases(db: Path, inputs: Path) -> pl.DataFrame:
    """Return ontology, version, source, state: is the index ``db`` built on the ontologies that
    ``inputs`` names?

    A file that the manifest leaves to be fetched is looked for in ``data/raw``; nothing is fetched
    here.
    """
    sources = read_manifest(inputs).ontologies.sources()
    files = {
        source.name: source.path or RAW / Path(urlsplit(source.url).path).name for source in sources
    }
    digests = {name: digest(path) for name, path in files.items() if path.exists()}
    with open_index(db) as connection:
        return compare_releases(read_table(connection, "ontology_release"), digests)


def ontology_of(path: Path) -> str:
    """Return which ontology a file holds, by its name.

    Raises ``MissingFileError`` where there is no file.
    """
    if not path.exists():
        raise MissingFileError(path)
    stem = path.name.lower()
    return (
        "BTO" if "bto" in stem else "DOID" if "doid" in stem or "disease" in stem else "NCBITaxon"
    )


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return its exit code."""
    args = _parser().parse_args(arguments)
    try:
        return int(args.run(args))
    except ViromeError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code


def _fetch(args: argparse.Namespace) -> int:
    paths = fetch_ontologies(OntologyConfig(), args.folder, progress=_show)
    print(json.dumps({name: str(path) for name, path in paths.items()}, indent=2))
    return 0


def _diff(args: argparse.Namespace) -> int:
    tables = diff_releases(args.old, args.new, args.db)
    if args.json:
        print(json.dumps({name: table.to_dicts() for name, table in tables.items()}, indent=2))
        return 0
    counts = dict(tables["changes"]["change"].value_counts().sort("change").iter_rows())
    print(", ".join(f"{rows:,} {change}" for change, rows in counts.items()) or "nothing changed")
    for name, table in list(tables.items())[1:]:
        print(f"\nused in {name}: {len(table):,} changed terms")
        for row in table.head(ROWS_SHOWN).iter_rows(named=True):
            print(
                f"  {row['uses']:>8,} x {row['curie']} {row['change']}: {row['old']} -> {row['new'] or '(gone)'}"
            )
    return 0


def _check(args: argparse.Namespace) -> int:
    releases = check_releases(args.db, args.inputs)
    if args.json:
        print(json.dumps(releases.to_dicts(), indent=2))
    else:
        for row in releases.iter_rows(named=True):
            print(
                f"{row['ontology']:<10} {row['version']} from {row['source']}: {_STATES[row['state']]}"
            )
    return int("other" in releases["state"])


def _show(name: str, done: int, total: int | None) -> None:
    share = f"{done / total:6.1%}" if total else f"{done:,} bytes"
    print(f"\r{name}: {share}", end="" if done != total else "\n", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m flows.ontologies",
        description="Fetch ontologies, or compare two releases of one.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True)
    fetch = commands.add_parser("fetch", help="fetch the newest releases, resuming what broke off")
    fetch.add_argument(
        "--folder", type=Path, default=RAW, help="where to keep them (default: %(default)s)"
    )
    fetch.set_defaults(run=_fetch)
    diff = commands.add_parser("diff", help="say what changed between two files of one ontology")
    diff.add_argument("old", type=Path)
    diff.add_argument("new", type=Path)
    diff.add_argument("--db", type=Path, help="index whose annotations and reports to check")
    diff.add_argument("--json", action="store_true", help="print every row as JSON")
    diff.set_defaults(run=_diff)
    check = commands.add_parser(
        "check", help="say whether an index was built on the ontologies at hand"
    )
    check.add_argument("--inputs", type=Path, required=True, help="inputs manifest, TOML")
    check.add_argument("--db", type=Path, required=True, help="index to check")
    check.add_argument("--json", action="store_true", help="print JSON")
    check.set_defaults(run=_check)
    return parser


if __name__ == "__main__":
    sys.exit(main())

"""What each search can find: only these viruses can be absent from a run.

Each file of a source lists what one search found, in all runs or some, of all viruses or of those
that were searched for. A manifest says which for an ``[[input]]``:

    scope = "rows"               the viruses that its rows name, below the threshold too (default)
    scope = "everything"         all viruses
    scope = "NCBITaxon:2732396"  a taxon and all below it
    scope = "references.tsv"     a table with the column taxid

A run in which a search found nothing lacks the viruses of its scope, and no others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import polars as pl

from index.records import SCOPE_SCHEMA, Records
from index.sources.layout import Layout, required
from index.sources.numbers import taxid
from index.sources.tabular import read_table
from index.tables import SearchedRun
from ontology_etl.curies import NCBI_TAXON, taxon_curie
from ontology_etl.errors import EmptyTableError
from ontology_etl.tables import conform, with_absent

VIRUSES: Final = f"{NCBI_TAXON}:10239"
"""The taxon of all viruses."""
ANY_SEARCH: Final = "*"
"""In ``Records.searched``: every search of the source; a list of runs does not distinguish them."""
ROWS: Final = "rows"
EVERYTHING: Final = "everything"
TAXON: Final = re.compile(rf"{NCBI_TAXON}:[1-9]\d*")
_TAXA: Final = Layout(
    "scope",
    (required("taxid", "NCBI taxonomy identifier of a virus that is searched for", "10376"),),
)
_NUMBER: Final = re.compile(r"\d+")
_NAMED: Final = ("sotu", "virus", "reported_name", "family", "phylum")


def search_of(path: Path) -> str:
    """Return the name of the search that the file at ``path`` lists: the file's, without endings.

    >>> search_of(Path("serratus_nt_human_viruses.tsv.gz"))
    'serratus_nt_human_viruses'
    """
    return path.name.split(".")[0]


def shared_searches(files: Sequence[Path]) -> dict[Path, str]:
    """Return the search of each of ``files`` that is only a part of it: what one glob matches, and
    names that differ in numbers alone, as of samples, months or shards.

    >>> shared_searches([Path("hits-01.tsv"), Path("hits-02.tsv"), Path("other.tsv")])
    {PosixPath('hits-01.tsv'): 'hits', PosixPath('hits-02.tsv'): 'hits'}
    """
    named = {
        file: _NUMBER.sub("", search_of(file)).strip("-_ ") or file.parent.name for file in files
    }
    parts = Counter(named.values())
    return {file: name for file, name in named.items() if parts[name] > 1}


def viruses_of(detections: pl.DataFrame, search: str | pl.Expr) -> pl.DataFrame:
    """Return the scope of a search that lists ``detections``: each virus once.

    ``detections`` has source, sotu and what else is known of them. Of several identities the
    highest counts: at that the search can find it.
    """
    name = pl.lit(search) if isinstance(search, str) else search
    below = pl.lit(None, pl.Boolean)
    whole = with_absent(detections.with_columns(search=name, below=below), SCOPE_SCHEMA)
    key = ["source", "search", *_NAMED, "below"]
    viruses = whole.group_by(key).agg(pl.col("identity").cast(pl.Float64).max())
    columns = [pl.col(name).cast(kind) for name, kind in SCOPE_SCHEMA.items()]
    return viruses.select(columns)


def with_searches(
    records: Records, path: Path, scope: str | Path = ROWS, *, shared: str = ""
) -> Records:
    """Return the records of the file at ``path`` with its searches and their scopes complete.

    Every run with a detection was searched; a reader that knows nothing else of its searches has
    one, of the viruses that its rows name. Files that are parts of one search have its name,
    ``shared``.
    """
    search = shared or search_of(path)
    named = pl.col("search").replace(search_of(path), search)
    records = replace(
        records,
        searched=records.searched.with_columns(named),
        scope=records.scope.with_columns(named),
    )
    found = records.detection.select("run", "source").unique()
    listed = records.searched.select("run", "source")
    more = found.join(listed, on=["run", "source"], how="anti").with_columns(search=pl.lit(search))
    searched = records.searched
    if len(more):
        searched = pl.concat([searched, more.select("run", "source", "search")])

    if scope != ROWS:
        own = pl.col("search").replace(ANY_SEARCH, search)
        searched = searched.with_columns(own)

    is_complete = more.is_empty() and scope == ROWS and not shared
    scopes = [records.scope]
    if records.scope.is_empty():
        scopes.append(viruses_of(records.detection, search))
    if scope != ROWS:
        scopes.append(_declared(searched, _taxa_of(scope)))
    return replace(
        records,
        searched=searched if is_complete else conform(searched.unique(), SearchedRun),
        scope=pl.concat(scopes),
    )


def _taxa_of(scope: str | Path) -> Sequence[str]:
    """Return the taxa of a declared scope. Raises what is wrong with the table at ``scope``."""
    if scope == EVERYTHING:
        return [VIRUSES]
    if isinstance(scope, str):
        return [scope]
    taxa = read_table(scope, _TAXA).select(taxon=taxid("taxid")).drop_nulls().unique().sort("taxon")
    if taxa.is_empty():
        raise EmptyTableError(scope, what="taxid")
    return taxa.select(taxon_curie(pl.col("taxon"))).to_series().to_list()


def _declared(searched: pl.DataFrame, taxa: Sequence[str]) -> pl.DataFrame:
    """Return the scope ``taxa``, and all below them, of every search of ``searched``."""
    searches = searched.select("source", "search").unique()
    declared = searches.join(pl.DataFrame({"virus": taxa}), how="cross")
    named = viruses_of(declared, pl.col("search"))
    return named.with_columns(below=pl.lit(True))

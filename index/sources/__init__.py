"""Record sources: a table format each, with ``read(path, **options) -> Records`` and ``SOURCE``.

A format whose rows need special code is a module of ``formats`` and a line here; one that only
calls its columns by other names is a TOML file of ``layouts`` (``index.sources.specs``). A package
of somebody else adds its own as an entry point of the group ``virome_graphrag.sources``, which
names a ``Source``.

A reader is pure but for opening its file: equal files give equal tables. It raises an
``InputError`` where the file as a whole cannot be used, and rejects and counts the rows it cannot
use.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import Final

from index.sources.source import Source
from index.sources.specs import declared_sources

GROUP: Final = "virome_graphrag.sources"
"""Entry points of packages that add formats."""
FORMATS: Final = (
    "biom",
    "biosample_attributes",
    "biosample_facets",
    "biosample_xml",
    "geo_samples",
    "geography",
    "known_hosts",
    "kraken_report",
    "mwas_csv",
    "ncbi_stat",
    "palm_virome",
    "record_table",
    "run_attributes",
    "run_studies",
    "searched_runs",
    "serratus_nt",
    "serratus_rdrp",
    "sotu_alignment",
    "sra_metadata",
    "sra_run_info",
    "sra_run_table",
    "studies",
    "table",
    "virome_records",
)


def _source(name: str) -> Source:
    source: Source = import_module(f"index.sources.formats.{name}").SOURCE
    return source


def _added() -> dict[str, Source]:
    """Return the sources of other packages; none of them replaces one of this."""
    return {point.name: point.load() for point in entry_points(group=GROUP)}


def _all_sources() -> dict[str, Source]:
    own = {name: _source(name) for name in FORMATS} | declared_sources()
    return dict(sorted((_added() | own).items()))


SOURCES: Final[dict[str, Source]] = _all_sources()

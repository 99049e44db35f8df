"""Record sources: one module per table format, with ``read(path, **options) -> Records`` and
``SOURCE``.

A reader is pure but for opening its file: equal files give equal tables. It raises an
``InputError`` where the file as a whole cannot be used, and rejects and counts the rows it cannot
use. A new format is a new module and a line here.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

from index.sources.source import Source

FORMATS: Final = (
    "biosample_attributes",
    "biosample_facets",
    "biosample_xml",
    "geo_samples",
    "geography",
    "known_hosts",
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
    "virome_records",
)


def _source(name: str) -> Source:
    source: Source = import_module(f"index.sources.formats.{name}").SOURCE
    return source


SOURCES: Final[dict[str, Source]] = {name: _source(name) for name in FORMATS}

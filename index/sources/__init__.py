"""Record sources: one module per virome table format, each with ``read(path, **options) ->
Records``.

A reader is pure but for opening its file: equal files give equal tables. It raises an
``InputError`` where the file as a whole cannot be used, and rejects and counts the rows it cannot
use.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, get_type_hints

from index.records import Records
from index.sources import (
    biosample_attributes,
    biosample_xml,
    geo_samples,
    geography,
    mwas_csv,
    ncbi_stat,
    palm_virome,
    record_table,
    serratus_nt,
    sotu_alignment,
    sra_metadata,
    sra_run_info,
    sra_run_table,
    studies,
    virome_records,
)


@dataclass(frozen=True)
class Source:
    """One format: how to read it, what it is and under which licence its data come."""

    read: Callable[..., Records]
    description: str
    licence: str

    @property
    def options(self) -> dict[str, Any]:
        """Return the type of each option: the keyword-only parameters of the reader."""
        hints = get_type_hints(self.read)
        parameters = inspect.signature(self.read).parameters.values()
        return {
            item.name: hints[item.name] for item in parameters if item.kind is item.KEYWORD_ONLY
        }


_NCBI: Final = "US public domain (NCBI)"
_SERRATUS: Final = "public domain (Serratus, Edgar et al. 2022)"

SOURCES: Final[dict[str, Source]] = {
    "biosample_attributes": Source(
        biosample_attributes.read, "BioSample attributes, long form (TSV)", _NCBI
    ),
    "biosample_xml": Source(biosample_xml.read, "NCBI BioSampleSet (XML, streamed)", _NCBI),
    "geo_samples": Source(
        geo_samples.read, "NCBI GEO samples with their BioSamples (TSV)", "public (NCBI GEO)"
    ),
    "geography": Source(
        geography.read, "place and habitat per run (TSV)", "Apache-2.0 (LucaProt); places: NCBI"
    ),
    "mwas_csv": Source(mwas_csv.read, "published metadata-wide associations (CSV)", _SERRATUS),
    "ncbi_stat": Source(ncbi_stat.read, "k-mer shares per run and taxon, NCBI STAT (TSV)", _NCBI),
    "palm_virome": Source(
        palm_virome.read, "virus sOTUs assembled per run, Serratus palmprints (TSV)", _SERRATUS
    ),
    "record_table": Source(
        record_table.read, "Parquet files of the record contracts", "that of the data in them"
    ),
    "serratus_nt": Source(
        serratus_nt.read, "runs aligned to RefSeq virus genomes, Serratus (TSV)", _SERRATUS
    ),
    "sotu_alignment": Source(sotu_alignment.read, "identity of sOTU pairs (TSV)", _SERRATUS),
    "sra_metadata": Source(
        sra_metadata.read, "SRA metadata of the cloud database, attributes as JSON (TSV)", _NCBI
    ),
    "sra_run_info": Source(sra_run_info.read, "SRA RunInfo (CSV)", _NCBI),
    "sra_run_table": Source(sra_run_table.read, "SRA Run Selector table (CSV)", _NCBI),
    "studies": Source(
        studies.read,
        "titles and abstracts of studies (TSV, CSV)",
        f"{_NCBI}; recount: Artistic-2.0",
    ),
    "virome_records": Source(
        virome_records.read,
        "host, tissue, disease and place of runs (TSV)",
        f"{_SERRATUS}; {_NCBI}",
    ),
}

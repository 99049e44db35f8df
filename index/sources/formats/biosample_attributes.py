"""BioSample attributes in long form: one row per run, sample, attribute and value, tab-separated.

Licence: US public domain (NCBI BioSample). Values stay as submitted; reading them is grounding's
work.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from index.records import Records
from index.sources.accessions import BIOPROJECT, BIOSAMPLE, RUN
from index.sources.layout import Layout, optional, required
from index.sources.rejection import STATED_ATTRIBUTE
from index.sources.source import NCBI, Source
from index.sources.tabular import read_sound, to_table
from index.tables import Biosample, BiosampleAttribute, Run

LAYOUT: Final = Layout(
    "biosample_attributes",
    (
        required("biosample", "BioSample accession", "SAMN14511305").must_be(BIOSAMPLE),
        required("attribute", "name of the attribute as submitted", "tissue"),
        required("value", "its value as submitted", "midgut"),
        optional("run", "run of the sample", "SRR11829101").may_be(RUN),
        optional("bioproject", "BioProject of the run", "PRJNA620308").may_be(BIOPROJECT),
        optional("organism", "organism of the run as submitted", "Apis mellifera"),
    ),
)


def read(path: Path) -> Records:
    """Return samples, their attributes, and the runs that the rows name."""
    kept, rejected, counts = read_sound(path, LAYOUT, *STATED_ATTRIBUTE)
    return Records(
        run=to_table(kept.select("run", "biosample", "bioproject", "organism"), Run),
        biosample=to_table(kept.select("biosample"), Biosample),
        biosample_attribute=to_table(
            kept.select("biosample", "attribute", "value"), BiosampleAttribute
        ),
        rejected=rejected,
        rows=counts,
    )


SOURCE: Final = Source(
    read, "BioSample attributes, one row per sample and attribute", NCBI, (LAYOUT,)
)

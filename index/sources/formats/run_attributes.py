"""Attributes of runs in long form: one row per run, attribute and value, tab-separated.

Licence: that of the collection. For those that describe runs and name no BioSample. Values stay as
stated; reading them is grounding's work. What a run is must come from another file: an attribute
alone makes no run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from index.records import Records
from index.sources.accessions import RUN
from index.sources.layout import Layout, required
from index.sources.rejection import STATED_ATTRIBUTE
from index.sources.source import Source
from index.sources.tabular import read_sound, to_table
from index.tables import RunAttribute

LAYOUT: Final = Layout(
    "run_attributes",
    (
        required("run", "run accession; another input describes it", "SRR11829101").must_be(RUN),
        required("attribute", "name of the attribute", "cell line"),
        required("value", "its value", "BCBL-1"),
    ),
)


def read(path: Path) -> Records:
    """Return the attributes of the runs that the rows name."""
    kept, rejected, counts = read_sound(path, LAYOUT, *STATED_ATTRIBUTE)
    return Records(run_attribute=to_table(kept, RunAttribute), rejected=rejected, rows=counts)


SOURCE: Final = Source(
    read,
    "attributes of runs, one row per run and attribute",
    "that of the collection",
    (LAYOUT,),
)

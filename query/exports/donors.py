"""Attributes of samples that may identify the people they come from: exports leave them out.

They are recognised by words of their names (``host_subject_id``, ``donor``, ``age (years)``),
whatever the host is: identifiers, and properties that narrow a cohort down to a few. Sex does not.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import duckdb

OF_SAMPLES: Final = ("biosample_attribute", "run_attribute", "stated_attribute", "annotation")
"""Tables and views that have a row per attribute of a sample or run."""
_WORDS: Final = (
    "donor|patient|subject|subjectid|individual|participant|volunteer|proband|pedigree|relation|"
    "isolate|initials|surname|birth|age|ethnicity|race|ancestry|consent|submitter|provider|"
    "collector|collected by|contact|e mail|email|phone|address|medical record"
)
MAY_IDENTIFY: Final = (
    "regexp_matches(' ' || regexp_replace(lower(attribute), '[^a-z]+', ' ', 'g') || ' ', "
    f"' (?:{_WORDS})s? ')"
)
"""Condition on a row with ``attribute``."""


def count_personal(con: duckdb.DuckDBPyConnection, table: str) -> int:
    """Return how many rows of ``table`` are of attributes that may identify donors."""
    if table not in OF_SAMPLES:
        return 0
    ((rows,),) = con.execute(f'SELECT count(*) FROM "{table}" WHERE {MAY_IDENTIFY}').fetchall()
    return int(rows)


def remove_personal(path: Path) -> int:
    """Delete attributes that may identify donors from the copy at ``path``; return how many."""
    with duckdb.connect(path) as con:
        stored = [name for name in OF_SAMPLES if name != "stated_attribute"]
        removed = sum(count_personal(con, name) for name in stored)
        for name in stored if removed else ():
            con.execute(f"DELETE FROM {name} WHERE {MAY_IDENTIFY}")
    return removed

"""A register of risk groups: one row per taxon, ``name``, ``ncbi_taxid``, ``rg_human_derived``.

The last is RG1 to RG4. None is shipped, because the published ones (ePATHogen, HSE, BMBL) have
their own terms; without one every risk group is unknown.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final

import polars as pl

from index.exposure import GROUPS
from index.sources.tabular import collect
from ontology_etl.errors import ColumnError, EmptyTableError, MissingFileError

_COLUMNS: Final = ("name", "ncbi_taxid", "rg_human_derived")
_log = logging.getLogger(__name__)


def read_register(path: Path) -> pl.DataFrame:
    """Return ``row, name, curie, severity`` of the listed taxa; ``curie`` is null where the file
    gives only a name.

    ``row`` is the 1-based row in the file, header counted.

    Rows without a risk group are left out and counted in the log. Raises ``MissingFileError``,
    ``ColumnError`` or ``EmptyTableError``: a register that cannot be read must stop the build, not
    open the gate.
    """
    if not path.exists():
        raise MissingFileError(path)
    table = collect(pl.scan_csv(path, separator="\t", infer_schema=False, quote_char=None), path)
    missing = [name for name in _COLUMNS if name not in table.columns]
    if missing:
        raise ColumnError(
            path, missing=missing, found=table.columns, format_name="risk group register"
        )
    numbered = table.with_row_index("row", offset=2)
    listed = numbered.filter(pl.col("rg_human_derived").is_in(["RG1", "RG2", "RG3", "RG4"]))
    if listed.is_empty():
        raise EmptyTableError(path, what="taxon with a risk group")
    _log.info(
        "risk groups: %d taxa listed, %d rows without a group",
        len(listed),
        len(table) - len(listed),
    )
    return listed.select(
        pl.col("row").cast(pl.Int64),
        "name",
        curie="NCBITaxon:" + pl.col("ncbi_taxid"),
        severity=_severity("rg_human_derived"),
    )


def empty_register() -> pl.DataFrame:
    """Return a register that lists nothing."""
    return pl.DataFrame(
        schema={"row": pl.Int64, "name": pl.String, "curie": pl.String, "severity": pl.Int32}
    )


def _severity(column: str) -> pl.Expr:
    severities = {group: position for position, group in enumerate(GROUPS)}
    return pl.col(column).replace_strict(severities, return_dtype=pl.Int32)

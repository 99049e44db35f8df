"""Scientific names of NCBI Taxonomy, for tables that name taxa without identifiers."""

from __future__ import annotations

import tarfile
from pathlib import Path

import polars as pl

from index.sources.packed import open_bytes, unpacking
from ontology_etl.errors import ColumnError, EmptyTableError, TruncatedFileError
from ontology_etl.sources.taxdump import open_member


def taxon_ids(taxdump: Path, names: pl.Series) -> pl.DataFrame:
    """Return the taxon of each of ``names`` (any case): columns name (lower case) and curie;
    unknown names are absent.

    Scientific names win over synonyms, and the lowest identifier where several taxa have a name.
    Raises ``TruncatedFileError`` for an archive that ends early, ``ColumnError`` where it holds no
    names.dmp.
    """
    wanted = names.drop_nulls().str.to_lowercase().unique()
    return (
        _names_dmp(taxdump)
        .filter(pl.col("name").is_in(wanted.implode()))
        .sort(pl.col("kind") != "scientific name", pl.col("tax_id"))
        .unique("name", keep="first", maintain_order=True)
        .select("name", pl.format("NCBITaxon:{}", "tax_id").alias("curie"))
    )


def _names_dmp(taxdump: Path) -> pl.DataFrame:
    try:
        with (
            unpacking(taxdump),
            open_bytes(taxdump) as stream,
            tarfile.open(fileobj=stream, mode="r|") as archive,
        ):
            found = next(
                (member for member in archive if Path(member.name).name == "names.dmp"), None
            )
            text = None if found is None else open_member(taxdump, archive, found).read()
    except tarfile.ReadError as error:
        raise TruncatedFileError(taxdump, str(error)) from error
    if text is None:
        raise ColumnError(taxdump, missing=["names.dmp"], found=[], format_name="taxdump")
    if not text.strip():
        raise EmptyTableError(f"{taxdump}:names.dmp")
    lines = pl.read_csv(
        text,
        separator="\t",
        has_header=False,
        quote_char=None,
        schema={f"cell{place}": pl.String() for place in range(8)},
        missing_columns="insert",
        truncate_ragged_lines=True,
        encoding="utf8-lossy",
    )
    names = lines.select(
        pl.col("cell0").cast(pl.Int64, strict=False).alias("tax_id"),
        pl.col("cell2").str.to_lowercase().alias("name"),
        pl.col("cell6").alias("kind"),
    )
    return names.drop_nulls(["tax_id", "name"])

"""How often grounding is right: hand-checked values, and ids that others made.

    python -m benchmarks.grounding_accuracy           gold and silver, per facet and method
    python -m benchmarks.grounding_accuracy --record  the figures go to benchmarks/results

Gold: ``tests/gold``, attribute values of public BioSample and GEO records grounded by hand. Silver:
the tissue, disease and host ids of the joined records, made by exact match of names and thus
neither complete nor always right.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import polars as pl

from benchmarks.places import data_parser, results_folder
from ontology_etl.grounding import ground
from ontology_etl.load import load_ontologies
from ontology_etl.vocabulary import Vocabulary, build_vocabulary

GOLD: Final = Path(__file__).parent.parent / "tests" / "gold"
ONTOLOGY_FILES: Final = {"NCBITaxon": "taxdump.tar.gz", "BTO": "bto.obo", "DOID": "doid.obo"}
FACETS: Final = ("label", "tissue", "disease")
SILVER: Final = {
    "label": ("host", "host_name", pl.format("NCBITaxon:{}", "host_taxid")),
    "tissue": ("tissue", "tissue_raw", pl.col("bto_id")),
    "disease": ("disease", "disease_raw", pl.col("doid")),
}
"""Facet -> attribute to read the text for, column of the text, CURIE."""
_KEY: Final = ["attribute", "text", "facet", "curie"]


def read_gold(folder: Path = GOLD) -> pl.DataFrame:
    """Return [attribute, text, facet, curies]; ``curies`` is |-separated, empty where the value
    names no term.
    """
    listed = pl.concat([read_tsv(folder / f"{facet}.tsv", comment="#") for facet in FACETS])
    return listed.with_columns(pl.col("curies").fill_null(""))


def read_unseen(folder: Path = GOLD) -> pl.DataFrame:
    """Return values as ``read_gold`` does that no rule or reviewed name was made from."""
    return read_tsv(folder / "unseen.tsv", comment="#").with_columns(pl.col("curies").fill_null(""))


def read_tsv(path: Path, *, comment: str | None = None) -> pl.DataFrame:
    """Return a tab-separated file as strings; lines that begin with ``comment`` are left out."""
    return pl.read_csv(
        path, separator="\t", quote_char=None, infer_schema=False, comment_prefix=comment
    )


def read_silver(data: Path) -> pl.DataFrame:
    """Return [attribute, text, facet, curies] of the distinct values of the joined records that
    have an id.
    """
    path = data / "virome" / "virome_records.tsv.gz"
    records = read_tsv(path)
    parts = [
        records.select(
            pl.lit(attribute).alias("attribute"), text=column, facet=pl.lit(facet), curies=curie
        )
        for facet, (attribute, column, curie) in SILVER.items()
    ]
    return pl.concat(parts).drop_nulls().unique().sort("facet", "text", "curies")


def score(listed: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
    """Return [facet, method, values, given, right, wanted, precision, recall, f1] of ``found``
    against ``listed``.

    One row per facet and method, and one per facet over all methods. ``wanted`` counts the terms a
    curator would give.
    """
    wanted = (
        listed.with_columns(curie=pl.col("curies").str.split("|"))
        .explode("curie")
        .filter(pl.col("curie") != "")
    )
    asked = listed.select(_KEY[:3]).unique()
    stored = (
        found.filter(pl.col("outcome") == "grounded")
        .join(asked, on=_KEY[:3], how="semi")
        .unique(_KEY)
    )
    marked = stored.join(wanted.select(_KEY).unique().with_columns(right=True), on=_KEY, how="left")
    by_method = pl.concat(
        [
            marked.select("facet", "method", "right"),
            marked.select("facet", pl.lit("all").alias("method"), "right"),
        ]
    )
    counted = by_method.group_by("facet", "method").agg(
        pl.len().alias("given"), pl.col("right").sum().cast(pl.Int64)
    )
    sizes = asked.group_by("facet").agg(pl.len().alias("values"))
    terms = wanted.select(_KEY).unique().group_by("facet").agg(pl.len().alias("wanted"))
    rows = counted.join(sizes, on="facet").join(terms, on="facet")
    right, given, wanted_terms = pl.col("right"), pl.col("given"), pl.col("wanted")
    measured = rows.select(
        "facet",
        "method",
        "values",
        "given",
        "right",
        "wanted",
        precision=right / given,
        recall=right / wanted_terms,
        f1=2 * right / (given + wanted_terms),
    )
    return measured.sort("facet", "method")


def agreement(silver: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return [facet, verdict, values] of silver values: same, narrower, wider, other, or why ours
    has none.
    """
    found = ground(silver.select("attribute", "text"), vocabulary).join(silver, on=_KEY[:3])
    ours, theirs = found["curie"].fill_null(""), found["curies"]
    judged = found.with_columns(
        narrower=vocabulary.is_ancestor(theirs, ours),
        wider=vocabulary.is_ancestor(ours, theirs),
        same=ours == theirs,
    )
    verdict = (
        pl.when(pl.col("outcome") != "grounded")
        .then(pl.concat_str(pl.lit("none: "), "outcome"))
        .when("same")
        .then(pl.lit("same"))
        .when("narrower")
        .then(pl.lit("narrower"))
        .when("wider")
        .then(pl.lit("wider"))
        .otherwise(pl.lit("other"))
    )
    order = pl.Enum(["same", "narrower", "wider", "other"])
    ranked = judged.with_columns(verdict=verdict).with_columns(
        rank=pl.col("verdict").cast(order, strict=False)
    )
    best = ranked.sort("rank", nulls_last=True).unique(
        [*_KEY[:3], "curies"], keep="first", maintain_order=True
    )
    return (
        best.group_by("facet", "verdict")
        .agg(pl.len().alias("values"))
        .sort("facet", "values", descending=[False, True])
    )


def load_vocabulary(data: Path) -> Vocabulary:
    """Return the vocabulary of the three ontologies under ``data``."""
    tables = load_ontologies(
        {name: data / "ontologies" / file for name, file in ONTOLOGY_FILES.items()}
    )
    return build_vocabulary(tables.term, tables.synonym, tables.term_edge)


def main() -> None:
    """Print the figures and write them."""
    parser = data_parser(__doc__)
    options = parser.parse_args()
    vocabulary, gold = load_vocabulary(options.data), read_gold()
    measured: dict[str, Any] = {
        "gold": score(gold, ground(gold.select("attribute", "text"), vocabulary)).to_dicts()
    }
    measured["silver"] = agreement(read_silver(options.data), vocabulary).to_dicts()
    for name, rows in measured.items():
        print(f"\n{name}")
        for row in rows:
            print("  ".join(_cell(value) for value in row.values()))
    kept = results_folder(record=options.record) / "grounding_accuracy.json"
    before = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    kept.write_text(json.dumps(before | measured, indent=1) + "\n", encoding="utf-8")


def _cell(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else f"{value!s:>10}"


if __name__ == "__main__":
    main()

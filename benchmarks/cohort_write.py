"""Write the tables of a cohort: in the formats real files have, or as Parquet files of the record
contracts.
"""

from __future__ import annotations

import gzip
import io
from dataclasses import replace
from pathlib import Path
from typing import IO, Final, cast
from xml.sax.saxutils import escape, quoteattr

import polars as pl

from benchmarks.cohort_tables import Tables

EXCEL_PROJECT: Final = 5  # every fifth project went through a spreadsheet, which rewrites dates
KMERS: Final = 40_000_000  # k-mers of a run in the STAT files

Frames = dict[str, pl.DataFrame]


class TextFiles:
    """Files of one folder that grow block by block; gzip without time stamps, so that equal rows
    are equal bytes.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._open: dict[str, io.TextIOWrapper] = {}
        self._raw: list[IO[bytes]] = []

    def append(self, name: str, frame: pl.DataFrame, *, separator: str = "\t") -> None:
        """Append ``frame`` to the delimited file ``name``; the first call writes the header."""
        first = name not in self._open
        self.write(name, frame.write_csv(separator=separator, include_header=first))

    def write(self, name: str, text: str) -> None:
        """Append ``text`` to the file ``name``."""
        if name not in self._open:
            raw = (self.folder / name).open("wb")
            self._raw.append(raw)
            packed = (
                gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0)
                if name.endswith(".gz")
                else raw
            )
            self._open[name] = io.TextIOWrapper(
                cast(IO[bytes], packed), encoding="utf-8", newline=""
            )
        self._open[name].write(text)

    def close(self) -> None:
        """Finish every file."""
        for text in self._open.values():
            text.close()
        for raw in self._raw:
            raw.close()


def append_formats(files: TextFiles, tables: Tables) -> None:
    """Append one block in the formats of the archives; samples of every other project are in XML,
    the rest in TSV.
    """
    run = tables.run
    files.append("runs.csv.gz", _run_info(run), separator=",")
    even = pl.col("project") % 2 == 0
    attributes = tables.biosample_attribute.join(
        tables.biosample.select("biosample", "bioproject", "organism", "project"),
        on="biosample",
        maintain_order="left",
    )
    _append_xml(files, tables.biosample.filter(even), attributes.filter(even))
    long_form = attributes.filter(~even).join(
        run.unique(
            "biosample",
            keep="first",
            maintain_order=True,
        ).select("biosample", "run"),
        on="biosample",
        maintain_order="left",
    )
    columns = ("run", "biosample", "bioproject", "organism", "attribute", "value")
    files.append("biosample_attributes.tsv.gz", long_form.select(columns))
    files.append("palm_virome.tsv.gz", _palm_virome(tables))
    stat = tables.stat_hit.join(
        run.select("run", "project"),
        on="run",
        maintain_order="left",
    )
    files.append("stat_taxa.tsv.gz", _stat_taxa(stat.filter(even)))
    files.append("stat_orders.tsv.gz", _stat_orders(stat.filter(~even)))
    files.append("bioprojects.tsv", tables.bioproject)
    files.append("studies.tsv", tables.study.select("study", "title", "abstract"))
    studied = run.drop_nulls("study")
    files.append("run_attributes.tsv", tables.run_attribute)
    files.append("run_studies.tsv", studied.select("run", "study", "organism"))
    files.append("searched_runs.tsv", _searched_runs(tables))
    files.append("geography.tsv.gz", _geography(tables))


def leave_undescribed(tables: Tables, *, described_share: float) -> Tables:
    """Return ``tables`` in which only a share of the projects describe their samples, spread
    evenly.
    """
    number = pl.col("project")
    described = (number * described_share).floor() > ((number - 1) * described_share).floor()
    sample = tables.biosample.filter(described)
    kept = tables.biosample_attribute.join(
        sample, on="biosample", how="semi", maintain_order="left"
    )
    return replace(
        tables, biosample=sample, biosample_attribute=kept, place=tables.place.filter(described)
    )


def write_parquet(folder: Path, tables: Tables, number: int) -> None:
    """Write one block as ``TABLE-NUMBER.parquet``, in the columns of the record contracts."""
    folder.mkdir(parents=True, exist_ok=True)
    curie = pl.format("NCBITaxon:{}", "tax_id")
    parts: Frames = {
        "run": tables.run.with_columns(curie.alias("organism_curie")).drop("tax_id", "project"),
        "biosample": tables.biosample.select("biosample", "title"),
        "biosample_attribute": tables.biosample_attribute,
        "run_attribute": tables.run_attribute,
        "bioproject": tables.bioproject,
        "study": tables.study,
        "searched": tables.searched.with_columns(pl.lit("palm_virome").alias("source")),
        "place": tables.place.drop("place", "project"),
        "detection": tables.detection.drop("node_identity"),
        "stat_hit": tables.stat_hit.group_by("run", curie.alias("curie"))
        .agg(pl.col("share").max())
        .sort("run", "curie"),
    }
    for name, frame in parts.items():
        frame.write_parquet(folder / f"{name}-{number:05}.parquet")


def _run_info(run: pl.DataFrame) -> pl.DataFrame:
    date = pl.col("release_date")
    excel = pl.format("{}/{}/{} 0:00", date.dt.year(), date.dt.month(), date.dt.day())
    spreadsheet = pl.col("project") % EXCEL_PROJECT == 0
    return run.select(
        pl.col("run").alias("Run"),
        pl.when(spreadsheet)
        .then(excel)
        .otherwise(pl.format("{} 00:00:00", date.dt.strftime("%Y-%m-%d")))
        .alias("ReleaseDate"),
        "spots",
        "bases",
        pl.col("library_strategy").alias("LibraryStrategy"),
        pl.col("library_source").alias("LibrarySource"),
        pl.lit("PAIRED").alias("LibraryLayout"),
        pl.lit("ILLUMINA").alias("Platform"),
        pl.col("bioproject").alias("BioProject"),
        pl.col("biosample").alias("BioSample"),
        pl.col("tax_id").alias("TaxID"),
        pl.col("organism").alias("ScientificName"),
    )


def _searched_runs(tables: Tables) -> pl.DataFrame:
    """Return the listed runs, and whether a virus was found in them."""
    found = pl.col("run").is_in(tables.detection["run"].implode())
    return tables.searched.select(
        "run",
        pl.when(found).then(pl.lit("True")).otherwise(pl.lit("False")).alias("virus_positive"),
    )


def _append_xml(files: TextFiles, samples: pl.DataFrame, attributes: pl.DataFrame) -> None:
    items = attributes.group_by("biosample", maintain_order=True).agg("attribute", "value")
    rows = samples.join(
        items,
        on="biosample",
        how="left",
        maintain_order="left",
    )
    columns = ("biosample", "title", "organism", "bioproject", "attribute", "value")
    files.write(
        "biosamples.xml.gz", "".join(_sample_xml(*row) for row in rows.select(columns).iter_rows())
    )


def _sample_xml(
    accession: str,
    title: str,
    organism: str,
    project: str | None,
    names: list[str] | None,
    values: list[str] | None,
) -> str:
    items = "".join(
        f"<Attribute attribute_name={quoteattr(name)}>{escape(value)}</Attribute>"
        for name, value in zip(names or [], values or [], strict=True)
    )
    entry = f'<Link type="entrez" target="bioproject" label="{project}"/>'
    link = f"<Links>{entry}</Links>" if project else ""
    return (
        f'<BioSample access="public" accession="{accession}">'
        f"<Description><Title>{escape(title)}</Title>"
        f"<Organism taxonomy_name={quoteattr(organism)}/></Description>"
        f"<Attributes>{items}</Attributes>{link}</BioSample>\n"
    )


def _palm_virome(tables: Tables) -> pl.DataFrame:
    runs = tables.run.select("run", "organism", "biosample", "bioproject")
    return tables.detection.join(runs, on="run", maintain_order="left").select(
        "run",
        pl.col("organism").alias("scientific_name"),
        pl.col("biosample").alias("bio_sample"),
        pl.col("bioproject").alias("bio_project"),
        pl.col("sotu").alias("palm_id"),
        "sotu",
        pl.col("identity").alias("gb_pid"),
        pl.col("species").alias("tax_species"),
        pl.col("family").alias("tax_family"),
        pl.col("coverage").alias("node_coverage"),
        pl.col("node_identity").alias("node_pid"),
        pl.col("phylum").alias("tax_phylum"),
        pl.col("reads").alias("n_reads"),
    )


def _stat_taxa(stat: pl.DataFrame) -> pl.DataFrame:
    counts = stat.select(
        pl.col("run").alias("acc"),
        "tax_id",
        (pl.col("share") * KMERS).round().cast(pl.Int64).alias("total_count"),
    )
    roots = (
        counts.select("acc")
        .unique(maintain_order=True)
        .with_columns(
            pl.lit(1, pl.Int64).alias("tax_id"), pl.lit(KMERS, pl.Int64).alias("total_count")
        )
    )
    own = (pl.col("total_count") // 10).alias("self_count")
    return pl.concat([roots, counts]).sort("acc", "tax_id").with_columns(own)


def _stat_orders(stat: pl.DataFrame) -> pl.DataFrame:
    return stat.select(
        pl.col("run").alias("run_id"),
        pl.col("taxon").alias("order_name"),
        (pl.col("share") * KMERS).round().cast(pl.Int64).alias("kmer"),
        (pl.col("share") * 100).round(2).alias("kmer_perc"),
    )


def _geography(tables: Tables) -> pl.DataFrame:
    placed = tables.run.select("run", "biosample").join(
        tables.place, on="biosample", maintain_order="left"
    )
    return placed.select(
        pl.col("run").alias("SRA_Run"),
        "biosample",
        pl.col("place").alias("geographic_location(region_and_locality)"),
        pl.col("biome").alias("Habitat"),
        pl.col("latitude").alias("lat"),
        pl.col("longitude").alias("lon"),
    )

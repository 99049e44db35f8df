"""Make a synthetic cohort of any size: plausible hosts, viruses, tissues and studies, untidy
metadata, planted effects.

    python -m benchmarks.cohort --runs 100000 --seed 1 --out benchmarks/out/100k --format parquet
    python -m benchmarks.cohort --sample --out data/sample

Marginals are calibrated on public data (``calibration.toml``), who carries what on
``cohort_ecology.toml``. Equal arguments give equal bytes. Accessions start with SYN: no archive
issues them.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import polars as pl

from benchmarks.cohort_calibration import read_calibration
from benchmarks.cohort_draw import draw_blocks
from benchmarks.cohort_ecology import RULED, SLICES, read_ecology, read_taxa
from benchmarks.cohort_extras import (
    accession_table,
    nucleotide_hits,
    planted_table,
    published_associations,
)
from benchmarks.cohort_planted import planted_facets
from benchmarks.cohort_risk import REGISTER, risk_register
from benchmarks.cohort_shape import Cohort, Shape, draw_cohort
from benchmarks.cohort_tables import alignments, block_tables
from benchmarks.cohort_viruses import ICTV_SLICE, KNOWN_HOSTS
from benchmarks.cohort_write import TextFiles, append_formats, leave_undescribed, write_parquet

SAMPLE: Final = Shape(
    runs=2_500, seed=172, projects=68, positive_share=0.8, sotus_per_run="sotus_per_run"
)
SLICED: Final = {
    "NCBITaxon": SLICES / "taxdump.tar.gz",
    "BTO": SLICES / "bto.obo",
    "DOID": SLICES / "doid.obo",
    "ICTV": SLICES / ICTV_SLICE,
}
NOTE: Final = (
    "# Synthetic records made by `python -m benchmarks.cohort`; every accession starts with SYN.\n"
)
FORMATS: Final = {
    "sra_run_info": "runs.csv.gz",
    "palm_virome": "palm_virome.tsv.gz",
    "biosample_xml": "biosamples.xml.gz",
    "biosample_attributes": "biosample_attributes.tsv.gz",
    "ncbi_stat": "stat_taxa.tsv.gz",
    "studies": "bioprojects.tsv",
    "geography": "geography.tsv.gz",
    "sotu_alignment": "sotu_alignment.tsv.gz",
    "mwas_csv": "mwas.csv",
    "run_studies": "run_studies.tsv",
    "run_attributes": "run_attributes.tsv",
    "searched_runs": "searched_runs.tsv",
}


HIT_FILE: Final = "serratus_nt.tsv.gz"
HITS: Final = (
    f'[[input]]\nformat = "serratus_nt"\npath = "{HIT_FILE}"\naccessions = "virus_accessions.tsv"\n'
)
BIOSAFETY: Final = f'[biosafety]\nrisk_groups = "{REGISTER}"\n'


def main() -> None:
    """Make the cohort that the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cohort", description=__doc__)
    parser.add_argument("--runs", type=int, default=SAMPLE.runs, help="number of sequencing runs")
    parser.add_argument("--seed", type=int, default=SAMPLE.seed)
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument(
        "--format",
        choices=("csv", "parquet"),
        default="csv",
        help="archive formats, or Parquet tables",
    )
    parser.add_argument(
        "--sample", action="store_true", help="the bundled sample: fewer, deeper projects"
    )
    asked = parser.parse_args()
    shape = SAMPLE if asked.sample else Shape(runs=asked.runs, seed=asked.seed)
    print(write_cohort(asked.out, shape, as_parquet=asked.format == "parquet"))


SEARCHED: Final = "\n".join(
    f'[[searched]]\nsource = "{source}"\nlibrary_strategy = ["{RULED}"]\n'
    'library_source = ["TRANSCRIPTOMIC", "METATRANSCRIPTOMIC"]\n'
    for source in ("palm_virome", "serratus_nt")
)
"""Every RNA-Seq run of a cohort is searched by both sources: what is not found there, is not
there.
"""


def write_cohort(
    folder: Path, shape: Shape, *, as_parquet: bool = False, ontologies: Mapping[str, Path] = SLICED
) -> str:
    """Write the cohort to ``folder`` with its inputs manifest; return a line that says what was
    written.

    ``ontologies`` are the files the manifest names: those of the sample, or the full releases.
    """
    cohort = draw_cohort(shape, read_ecology(), read_calibration())
    folder.mkdir(parents=True, exist_ok=True)
    if as_parquet:
        _write_parquet(folder, cohort)
        entry = '[[input]]\nformat = "record_table"\nglob = "*.parquet"\n'
        ontology_lines = _ontologies(folder, ontologies)
        parts = (
            NOTE,
            entry,
            _known_hosts(folder),
            _hits(folder),
            SEARCHED,
            ontology_lines,
            BIOSAFETY,
        )
        (folder / "inputs.toml").write_text("\n".join(parts), encoding="utf-8")
    else:
        _write_formats(folder, cohort)
    sotus = int(cohort.sotus.count.sum())
    return f"{folder}: {shape.runs:,} runs, {sotus:,} sOTUs, seed {shape.seed}"


def _write_parquet(folder: Path, cohort: Cohort) -> None:
    seed, share = cohort.shape.seed, cohort.shape.described_share
    taxa = read_taxa()
    files = TextFiles(folder)
    for number, block in enumerate(draw_blocks(cohort)):
        tables = block_tables(block, cohort, taxa)
        write_parquet(folder, leave_undescribed(tables, described_share=share), number)
        _append_hits(files, nucleotide_hits(block, tables, cohort))
    _append_lists(files, cohort)
    files.close()
    alignments(cohort.sotus, seed=seed).write_parquet(folder / "sotu_alignment-00000.parquet")


def _write_formats(folder: Path, cohort: Cohort) -> None:
    taxa = read_taxa()
    files = TextFiles(folder)
    files.write("biosamples.xml.gz", '<?xml version="1.0" encoding="UTF-8"?>\n<BioSampleSet>\n')
    for block in draw_blocks(cohort):
        tables = block_tables(block, cohort, taxa)
        append_formats(files, tables)
        hits = nucleotide_hits(block, tables, cohort)
        planted = planted_table(block, tables, cohort.ecology)
        files.append("planted.tsv", planted)
        files.append("planted.tsv", planted_facets(tables, hits, cohort.ecology))
        files.append("mwas.csv", published_associations(block, tables, planted), separator=",")
        _append_hits(files, hits)
    files.write("biosamples.xml.gz", "</BioSampleSet>\n")
    _append_lists(files, cohort)
    files.append(
        "sotu_alignment.tsv.gz",
        alignments(
            cohort.sotus,
            seed=cohort.shape.seed,
        ),
    )
    files.close()
    (folder / "inputs.toml").write_text(_manifest(folder), encoding="utf-8")


def _append_hits(files: TextFiles, hits: pl.DataFrame) -> None:
    """Write hits to genomes; a cohort of a few runs may have none, and then has no such file."""
    if len(hits):
        files.append(HIT_FILE, hits)


def _append_lists(files: TextFiles, cohort: Cohort) -> None:
    """Write what hits and risk groups are read with."""
    files.append("virus_accessions.tsv", accession_table(cohort.ecology))
    files.append(REGISTER, risk_register(cohort.ecology))


def _manifest(folder: Path) -> str:
    taxdump = os.path.relpath(SLICES / "taxdump.tar.gz", folder)
    entries = [f'[[input]]\nformat = "{name}"\npath = "{file}"\n' for name, file in FORMATS.items()]
    entries.append('[[input]]\nformat = "studies"\npath = "studies.tsv"\n')
    entries.append(_known_hosts(folder))
    entries.append(
        f'[[input]]\nformat = "ncbi_stat"\npath = "stat_orders.tsv.gz"\ntaxdump = "{taxdump}"\n'
    )
    entries.append(_hits(folder))
    return "\n".join([NOTE, *entries, SEARCHED, _ontologies(folder, SLICED), BIOSAFETY])


def _hits(folder: Path) -> str:
    return HITS if (folder / HIT_FILE).exists() else ""


def _known_hosts(folder: Path) -> str:
    path = os.path.relpath(SLICES / KNOWN_HOSTS, folder)
    return f'[[input]]\nformat = "known_hosts"\npath = "{path}"\n'


def _ontologies(folder: Path, files: Mapping[str, Path]) -> str:
    lines = [f'{name} = "{os.path.relpath(file, folder)}"' for name, file in files.items()]
    return "\n".join(["[ontologies]", *lines, ""])


if __name__ == "__main__":
    main()

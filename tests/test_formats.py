"""Formats of other programs: what each file gives, by small tables of our own."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.annotation.askable import askable
from index.records import Records, merge_records
from index.sources import SOURCES
from index.sources.column_guess import guess_columns
from index.sources.inputs import read_input
from index.sources.manifest import read_manifest
from index.sources.proposal import propose
from index.sources.recognition import recognise_tables
from ontology_etl.load import load_ontologies
from ontology_etl.vocabulary import Vocabulary, build_vocabulary
from tests.conftest import ROOT
from tests.spreadsheet import write_xlsx

ZIKA, ROTA, HUMAN = "64320", "28875", "9606"


FORMATS = """
kraken_report  SRR9000001.report.txt
 90.00\t900\t900\tU\t0\tunclassified
 10.00\t100\t1\tR\t1\troot
  6.00\t60\t0\tD\t2\t  Bacteria
  6.00\t60\t60\tS\t562\t    Escherichia coli
  3.90\t39\t0\tD\t10239\t  Viruses
  3.00\t30\t2\tG\t10912\t    Rotavirus
  2.80\t28\t20\tS\t28875\t      Rotavirus A
  0.80\t8\t8\tS1\t10941\t        Human rotavirus A
  0.90\t9\t0\tS\t3048459\t    Orthoflavivirus zikaense
  0.90\t9\t9\tS1\t64320\t      Zika virus
> searched  SRR9000001
> hit  SRR9000001  NCBITaxon:10912  2  -  -
> hit  SRR9000001  NCBITaxon:28875  28  -  -
> hit  SRR9000001  NCBITaxon:64320  9  -  -

bracken  SRR9000001.S.bracken
name  taxonomy_id  taxonomy_lvl  kraken_assigned_reads  added_reads  new_est_reads  fraction
Zika virus  64320  S  9  3  12  0.1
> searched  SRR9000001
> hit  SRR9000001  NCBITaxon:64320  12  -  -

taxpasta  merged.tsv
taxonomy_id  name  lineage  SRR9000001  SRR9000002
9606  Homo sapiens  cellular organisms;Eukaryota  70  80
64320  Zika virus  Viruses;Riboviria;Flaviviridae;Zika virus  0  12
> searched  SRR9000001  SRR9000002
> hit  SRR9000002  NCBITaxon:64320  12  -  -

biom_tsv  table.tsv
# Constructed from biom file
#OTU ID  SRR9000001  SRR9000002  taxonomy
562  70.0  80.0  k__Bacteria; s__Escherichia coli
OTU_7  0.0  12.0  k__Viruses; f__Flaviviridae; s__Zika virus
> searched  SRR9000001  SRR9000002
> hit  SRR9000002  Zika virus  12  -  -

biom  table.biom
{"id": "x", "format": "Biological Observation Matrix 1.0.0", "matrix_type": "dense",
"rows": [{"id": "64320", "metadata": {"taxonomy": ["k__Viruses", "s__Zika virus"]}}],
"columns": [{"id": "SRR9000001", "metadata": null}], "data": [[12]]}
> searched  SRR9000001
> hit  SRR9000001  NCBITaxon:64320  12  -  -

genomad  x_virus_summary.tsv
seq_name  length  virus_score  taxonomy
SRR9000001_k141_7  3636  0.99  Viruses;Riboviria;Kitrinoviricota;Flaviviridae
SRR9000001_k141_8  1209  0.71  Unclassified
> searched  SRR9000001
> hit  SRR9000001  Flaviviridae  -  -  99.0
> hit  SRR9000001  SRR9000001_k141_8  -  -  71.0
> sequence  SRR9000001_k141_7  SRR9000001
> sequence  SRR9000001_k141_8  SRR9000001

checkv  SRR9000001_quality_summary.tsv
contig_id  contig_length  checkv_quality  completeness
k141_7  3636  High-quality  93.4
> sequence  SRR9000001_k141_7  SRR9000001

virsorter2  final-viral-score.tsv
seqname  RNA  max_score  max_score_group  length
SRR9000001_k141_7||full  0.98  0.98  RNA  3636
> searched  SRR9000001
> hit  SRR9000001  SRR9000001_k141_7  -  -  98.0
> sequence  SRR9000001_k141_7  SRR9000001

blast_tabular  hits.m8
SRR9000001_k141_7  P1.1  85.0  210  16  0  1  630  1  210  1.1e-98  352  28875
SRR9000001_k141_7  P2.1  97.5  40  1  0  1  120  1  40  1.1e-8  60  64320
> searched  SRR9000001
> hit  SRR9000001  NCBITaxon:28875  -  85.0  -
> sequence  SRR9000001_k141_7  SRR9000001

ncbi_virus  sequences.csv
Accession,SRA_Accession,Organism_Name,Family,BioSample,Host
ZZ000001.1,SRR9000001,Zika virus,Flaviviridae,SAMN90000001,Aedes aegypti
ZZ000002.1,,Rotavirus A,Sedoreoviridae,SAMN90000002,Sus scrofa
> searched  SRR9000001
> hit  SRR9000001  Zika virus  -  -  -
> sequence  ZZ000001.1  SRR9000001
> sequence  ZZ000002.1  -

ena_filereport  filereport.tsv
run_accession  sample_accession  read_count  first_public
ERR9000001  SAMEA90000001  2000  2020-02-01

run_selector_old  SraRunTable.txt
Run_s  BioSample_s  MBases_l  host_s
SRR9000001  SAMN90000001  3  Sus scrofa

nfcore_samplesheet  samplesheet.csv
sample,run_accession
bat_1,SRR9000001
"""
"""The name of a format, a file of it, and what is read: runs searched; the run, virus or its
family, reads, identity and score of detections; the name and run of sequences.
"""


def tabbed(line: str) -> str:
    """Return a line whose cells are set apart by two blanks as tab-separated text."""
    return line if "\t" in line else line.replace("  ", "\t")


@dataclass(frozen=True)
class Case:
    """A file of a format and what is read of it."""

    name: str
    text: str
    searched: set[str]
    detections: set[tuple[object, ...]]
    sequences: set[tuple[object, ...]]


def cases() -> Iterator[tuple[str, Case]]:
    for block in FORMATS.strip().split("\n\n"):
        (name, file), *lines = block.split("\n")[0].split("  "), *block.split("\n")[1:]
        expected = [line[2:].split("  ") for line in lines if line.startswith("> ")]
        parts: dict[str, list[list[object]]] = {"searched": [], "hit": [], "sequence": []}
        for kind, *cells in expected:
            parts[kind].append([None if cell == "-" else cell for cell in cells])
        hits = {(run, key, *map(_number, rest)) for run, key, *rest in parts["hit"]}
        yield (
            name,
            Case(
                file,
                "".join(f"{tabbed(line)}\n" for line in lines if not line.startswith("> ")),
                {str(run) for runs in parts["searched"] for run in runs},
                hits,
                {tuple(cells) for cells in parts["sequence"]},
            ),
        )


def _number(cell: object) -> float | None:
    return None if cell is None else float(str(cell))


CASES = dict(cases())
KRAKEN = CASES["kraken_report"].text


def proposed(folder: Path, *names: str, **said: str) -> Records:
    """Return what a build reads of files by the manifest that is proposed for them."""
    guesses = [guess for name in names for guess in recognise_tables(folder / name, said)]
    (folder / "inputs.toml").write_text(propose(guesses, folder, said))
    manifest = read_manifest(folder / "inputs.toml")
    return merge_records([read_input(item) for item in manifest.inputs])


def found(records: Records) -> set[tuple[object, ...]]:
    key = pl.coalesce("virus", "reported_name", "family", "sotu")
    return set(records.detection.select("run", key, "reads", "identity", "score").rows())


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_file_is_recognised_and_gives_its_rows(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    (tmp_path / case.name).write_text(case.text)
    (guess,) = recognise_tables(tmp_path / case.name)
    assert guess.name == name
    records = proposed(tmp_path, case.name)
    assert set(records.searched["run"]) == case.searched
    assert found(records) == case.detections
    assert set(records.viral_sequence.select("sequence", "run").rows()) == set(case.sequences)
    read, kept, rejected = records.rows.select(pl.exclude("source", "format").sum()).row(0)
    assert read == kept + rejected


def test_every_declared_format_has_a_case() -> None:
    declared = {path.stem for path in Path("index/sources/layouts").glob("*.toml")}
    assert declared - set(CASES) == {"logan_search"}


HITS = "ID\tkmer_coverage\torganism\nSRR9000001\t0.83\tSus scrofa\n"


def test_hits_of_a_query_are_read_where_it_is_said_what_was_searched_for(tmp_path: Path) -> None:
    (tmp_path / "hits.tsv").write_text(HITS)
    (guess,) = recognise_tables(tmp_path / "hits.tsv")
    assert [question.of for question in guess.questions] == ["hits_of"]
    silent = proposed(tmp_path, "hits.tsv")
    assert (len(silent.detection), len(silent.rejected)) == (0, 1)
    said = proposed(tmp_path, "hits.tsv", hits_of=f"NCBITaxon:{ZIKA}")
    assert found(said) == {("SRR9000001", f"NCBITaxon:{ZIKA}", None, None, 83.0)}


def test_general_statistics_are_known_and_not_read(tmp_path: Path) -> None:
    path = tmp_path / "multiqc_general_stats.txt"
    path.write_text("Sample\tkraken-pct_top_one\nSRR9000001\t2.4\n")
    (guess,) = recognise_tables(path)
    assert guess.role == "nothing"


def test_nearest_proteins_are_named_by_the_file_of_their_taxa(tmp_path: Path) -> None:
    hit = CASES["blast_tabular"].text.splitlines()[0].rsplit("\t", 1)[0]
    (tmp_path / "hits.m8").write_text(f"{hit}\n")
    (tmp_path / "taxa.tsv").write_text(f"accession.version\ttaxid\nP1.1\t{ROTA}\n")
    assert found(proposed(tmp_path, "hits.m8", "taxa.tsv")) == {
        ("SRR9000001", f"NCBITaxon:{ROTA}", None, 85.0, None)
    }
    unnamed = proposed(tmp_path, "hits.m8")
    assert unnamed.detection["virus"].to_list() == [None]
    assert unnamed.viral_sequence["nearest"].to_list() == ["P1.1"]


def test_contigs_of_two_runs_with_one_name_are_two(tmp_path: Path) -> None:
    for run in ("SRR9000001", "SRR9000002"):
        text = CASES["genomad"].text.replace("SRR9000001_", "")
        (tmp_path / f"{run}_virus_summary.tsv").write_text(text)
    names = [f"{run}_virus_summary.tsv" for run in ("SRR9000001", "SRR9000002")]
    records = proposed(tmp_path, *names)
    assert len(records.viral_sequence) == 4
    assert records.detection.filter(pl.col("family").is_null())["sotu"].n_unique() == 2


def test_a_report_of_three_runs_is_one_entry(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        (tmp_path / f"SRR900000{number}.report.txt").write_text(KRAKEN)
    guesses = [one for path in sorted(tmp_path.glob("*.txt")) for one in recognise_tables(path)]
    text = propose(guesses, tmp_path)
    assert 'glob = "*.report.txt"' in text
    (tmp_path / "inputs.toml").write_text(text)
    assert len(read_manifest(tmp_path / "inputs.toml").inputs) == 3


# --- names of a laboratory's own ------------------------------------------------------------------


def test_names_of_ones_own_are_the_runs_that_a_sheet_links_them_to(tmp_path: Path) -> None:
    (tmp_path / "samplesheet.csv").write_text("sample,run_accession\nBat 1,SRR9000001\n")
    (tmp_path / "merged.tsv").write_text(
        "taxonomy_id\tname\tlineage\tbat 1\tbat 2\n64320\tZika virus\tViruses\t5\t6\n"
    )
    records = proposed(tmp_path, "samplesheet.csv", "merged.tsv")
    linked, unlinked = sorted(records.detection["run"])
    assert linked == "SRR9000001"
    assert unlinked.startswith("SYNR")
    named = records.run_attribute.filter(run=unlinked).select("attribute", "value").rows()
    assert named == [("sample name", "bat 2")]


def test_one_name_in_two_files_is_one_run(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Sample ID,virus,reads\nEX-1,Zika virus,5\n")
    (tmp_path / "b.csv").write_text("Library,Host species\nex-1,Aedes aegypti\n")
    records = proposed(tmp_path, "a.csv", "b.csv")
    assert records.run.height == 1
    assert ("host", "Aedes aegypti") in records.run_attribute.select("attribute", "value").rows()


# --- any table ------------------------------------------------------------------------------------

SEMICOLONS = (
    "run;biosample;spots;virus;identity;reads\n"
    "SRR9000001;SAMN90000001;1.800.000;Zika virus;97,5;1.234\n"
    "SRR9000002;SAMN90000002;900000;;;\n"
)


def test_decimal_commas_between_semicolons(tmp_path: Path) -> None:
    (tmp_path / "excel.csv").write_text(SEMICOLONS)
    records = proposed(tmp_path, "excel.csv")
    assert records.run["spots"].to_list() == [1_800_000, 900_000]
    assert records.detection.select("identity", "reads").rows() == [(97.5, 1234)]
    assert records.searched["run"].to_list() == ["SRR9000001"]


def test_a_sheet_below_a_title_is_a_table_whose_rows_keep_their_numbers(tmp_path: Path) -> None:
    rows = [
        ["Cohort of 2019"],
        ["Run", "BioSample", "Host species", "Notes", "E-mail"],
        ["SRR9000001", "SAMN90000001", "Sus scrofa", "x", "a@b.org"],
        ["SRR9000002", "no sample", "Sus scrofa", "", ""],
    ]
    write_xlsx(tmp_path / "cohort.xlsx", {"Read me": [["nothing"]], "Samples": rows})
    (guess,) = recognise_tables(tmp_path / "cohort.xlsx")
    assert (guess.name, guess.sheet) == ("table", "Samples")
    records = proposed(tmp_path, "cohort.xlsx")
    assert records.biosample_attribute.rows() == [("SAMN90000001", "host", "Sus scrofa")]
    assert records.rejected.rows() == [("cohort.xlsx", 4, "not a BioSample accession: 'no sample'")]


MEANT = """
heading | cells | means
Run | SRR9000001,SRR9000002 | run
anything | SRR9000001,SRR9000002 | run
Species | Zika virus,Rotavirus A | virus
Species | Sus scrofa,Bos taurus | host
what was found | Zika virus,Rotavirus A | virus
best hit | Zika virus,Rotavirus A | virus
best hit | ZZP99005.1,ZZP99006.1 | nearest
Our ID | L-1,L-2 | sample_name
Species (common name) | human,pig | host
Viral reads | 12,8 | reads
Viral reads | many,few | attribute 'viral reads'
pident | 97.5,80 | identity
pident | 0.97,0.8 | identity_share
Scientific Name | Sus scrofa,Bos taurus | organism
Age (months) | 4,6 | attribute 'age (months)'
Libary source | GENOMIC,METAGENOMIC | library_source
Hots species | pig,cow | host
sampling state | Ohio,Iowa | attribute 'sampling state'
disease stage | I,II | attribute 'disease stage'
#sample | L-1,L-2 | sample_name
Notes | x,y |
Patient ID | 4,6 |
"""


def meant() -> Iterator[tuple[str, list[str], str]]:
    for line in MEANT.strip().splitlines()[1:]:
        heading, cells, means = (part.strip() for part in line.split("|"))
        yield heading, cells.split(","), means


@pytest.mark.parametrize(("heading", "cells", "means"), list(meant()))
def test_a_column_is_understood(tmp_path: Path, heading: str, cells: list[str], means: str) -> None:
    samples = ["SAMN90000001", "SAMN90000002"]
    lines = [f"BioSample\t{heading}", *map("\t".join, zip(samples, cells, strict=True))]
    (tmp_path / "t.tsv").write_text("\n".join(lines) + "\n")
    (guess,) = recognise_tables(tmp_path / "t.tsv")
    assert guess.columns is not None
    taken = {one.heading: one.meaning for one in guess.columns.taken}
    assert taken[heading] == means


def test_a_column_that_differs_within_a_sample_is_no_attribute_of_it(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "run,virus,gene,ward\nSRR9000001,Zika virus,E,A\nSRR9000001,Rotavirus A,VP7,A\n"
    )
    stated = proposed(tmp_path, "t.csv").run_attribute.select("attribute", "value").rows()
    assert stated == [("ward", "A")]


def test_a_column_named_by_the_user_is_taken(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("Sample,Other,virus\nA,B,Zika virus\n")
    records = proposed(tmp_path, "t.csv", run="Other")
    assert ("sample name", "B") in records.run_attribute.select("attribute", "value").rows()


MESSY = {
    "samples.csv": (
        "Field season (do not edit!),,,\n"
        "Code on lid,Spp.,Coll. date,Sample weight\n"
        "BR-001,Mus musculus,03/2021,7\n"
        "BR-002,Sus scrofa,2021-03-14,8\n"
    ),
    "runs.tsv": (
        "Written on bag\tacc. no\tLibrary stratgy\nBR-001\tSYNR1\tWGS\nBR-002\tSYNR2\tWGS\n"
    ),
    "found.txt": "#sample\ttax_id\ttaxon_name\tn_reads\nBR-001\t64320\tZika virus\t12\n",
}


def test_three_messy_files_are_of_the_same_runs(tmp_path: Path) -> None:
    for name, text in MESSY.items():
        (tmp_path / name).write_text(text)
    records = proposed(tmp_path, *MESSY)
    assert sorted(records.run["run"]) == ["SYNR1", "SYNR2"]
    assert records.run["library_strategy"].to_list() == ["WGS", "WGS"]
    assert found(records) == {("SYNR1", f"NCBITaxon:{ZIKA}", 12, None, None)}
    stated = records.run_attribute.select("run", "attribute", "value").rows()
    assert ("SYNR1", "host", "Mus musculus") in stated


CELLS = st.sampled_from(["", "x", "12", "1,5", "SRR9000001", "SYNS3", '"', "-"])


@settings(max_examples=12)
@given(cells=st.lists(CELLS, max_size=6))
def test_no_table_of_any_cells_loses_a_row(tmp_path: Path, cells: list[str]) -> None:
    read = SOURCES["table"].read
    columns = {"run": "Run", "virus": "Virus", "reads": "Reads"}
    rows = "\n".join(f"SRR900000{n}\t{cell}\t{cell}" for n, cell in enumerate(cells, 1))
    path = tmp_path / "any.tsv"
    path.write_text(f"Run\tVirus\tReads\nSRR9000009\tZika virus\t1\n{rows}\n")
    ((_, _, read_rows, kept, rejected),) = read(path, columns=columns).rows.rows()
    assert read_rows == kept + rejected == len(cells) + 1


# --- what could be asked --------------------------------------------------------------------------


def test_questions_name_what_is_commonest_and_lacks_are_said(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "run,virus,host,country\n"
        "SRR9000001,Zika virus,Aedes aegypti,Brazil: Recife\n"
        "SRR9000002,Zika virus,Sus scrofa,Brazil\n"
        "SRR9000003,Rotavirus A,Sus scrofa,Brazil\n"
    )
    questions, lacking = askable(proposed(tmp_path, "a.csv"))
    assert questions == [
        "Which runs carry Zika virus?",
        "Which viruses are found in Sus scrofa?",
        "Which viruses are found in Brazil?",
        "Which hosts carry Zika virus?",
    ]
    assert [one.split(":")[0] for one in lacking] == [
        "no run is known to have been searched without a hit"
    ]


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    folder = ROOT / "data" / "sample" / "ontologies"
    loaded = load_ontologies({"NCBITaxon": folder / "taxdump.tar.gz", "BTO": folder / "bto.obo"})
    return build_vocabulary(loaded.term, loaded.synonym, loaded.term_edge, xref=loaded.xref)


BACTERIA = (
    CASES["bracken"].text.splitlines()[0]
    + "\nHomo sapiens\t9606\tS\t900\t0\t900\t0.7\nInfluenza A\t64320\tS\t30\t0\t30\t0.2\n"
)


def test_no_question_is_of_a_taxon_that_is_no_virus(tmp_path: Path, vocabulary: Vocabulary) -> None:
    (tmp_path / "SRR9000001.S.bracken").write_text(BACTERIA)
    (tmp_path / "SRR9000002.S.bracken").write_text(BACTERIA.rsplit("Influenza", 1)[0])
    records = proposed(tmp_path, "SRR9000001.S.bracken", "SRR9000002.S.bracken")
    by_sound, _ = askable(records)
    by_taxonomy, lacking = askable(records, vocabulary)
    assert by_sound[0] == "How many runs carry any virus?"
    assert by_taxonomy[0] == "Which runs carry Influenza A?"
    assert not any("searched without a hit" in one for one in lacking)


def test_a_virus_without_a_name_is_asked_for_by_that_of_its_taxon(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    hit = CASES["blast_tabular"].text.splitlines()[0].replace(ROTA, ZIKA)
    (tmp_path / "hits.m8").write_text(f"{hit}\n")
    questions, _ = askable(proposed(tmp_path, "hits.m8"), vocabulary)
    assert questions[0] == "Which runs carry Zika virus?"


def test_questions_name_values_that_name_a_term(tmp_path: Path, vocabulary: Vocabulary) -> None:
    (tmp_path / "a.csv").write_text(
        "run,virus,host,tissue\n"
        "SRR9000001,Zika virus,not collected,pooled bits\n"
        "SRR9000002,Zika virus,not collected,pooled bits\n"
        "SRR9000003,Zika virus,pig,lung\n"
    )
    questions, _ = askable(proposed(tmp_path, "a.csv"), vocabulary)
    assert questions[1:3] == [
        "Which viruses are found in pig?",
        "Which viruses are found in lung?",
    ]


def test_samples_without_runs_are_said_to_count_nothing() -> None:
    samples = pl.DataFrame(
        {"biosample": ["SAMN90000001"], "attribute": ["host"], "value": ["Sus scrofa"]}
    )
    questions, lacking = askable(Records(biosample_attribute=samples))
    assert questions == []
    assert lacking[0].startswith("no input names a run")


TITLES = {
    "quoted, with commas": '"Cohort 2024, do not edit",,,\n',
    "with a comma": "Cohort 2024, do not edit,,\n",
    "two lines": "Cohort 2024,,,\nof May,,,\n",
    "none": "",
}


@pytest.mark.parametrize("title", TITLES.values(), ids=TITLES)
def test_a_title_above_a_header_is_skipped(tmp_path: Path, title: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{title}Run,Host,Organ,Country\nSYNR1,Sus scrofa,lung,Peru\n")
    columns = guess_columns(path, {}).columns
    assert columns == {"run": "Run", "host": "Host", "tissue": "Organ", "country": "Country"}


def test_a_table_of_thousands_of_columns_is_read_in_seconds(tmp_path: Path) -> None:
    runs = [f"SRR{number:07}" for number in range(3_000)]
    heading = "\t".join(["taxonomy_id", "name", "lineage", *runs])
    counts = "\t".join(["64320", "Zika virus", "Viruses", *("12" for _ in runs)])
    path = tmp_path / "merged.tsv"
    path.write_text(f"{heading}\n{counts}\n")
    began = time.process_time()
    (guess,) = recognise_tables(path)
    assert len(proposed(tmp_path, path.name).detection) == len(runs)
    assert guess.name == "taxpasta"
    assert time.process_time() - began < 30


def test_a_heading_of_a_hundred_thousand_letters_is_no_misspelling(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"Run,{'9' * 100_000}\nSYNR1,x\n")
    began = time.process_time()
    assert guess_columns(path, {}).columns == {"run": "Run"}
    assert time.process_time() - began < 10


COUNTS = {
    "beside a virus": ("Run,Virus name,Read count\nSYNR1,Zika virus,12", "reads"),
    "of a run alone": ("Run,Sample,reads\nSYNR1,X1,12000", "spots"),
    "both are there": ("Run,Virus,reads,total reads\nSYNR1,Zika virus,12,12000", "reads"),
}


@pytest.mark.parametrize(("text", "meaning"), COUNTS.values(), ids=COUNTS)
def test_a_count_is_of_the_virus_where_there_is_one(
    tmp_path: Path, text: str, meaning: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text + "\n")
    columns = guess_columns(path, {}).columns
    counted = next(one for one in text.split("\n")[0].split(",") if one.lower() in
                   ("read count", "reads"))  # fmt: skip
    assert {name: heading for name, heading in columns.items() if heading == counted} == {
        meaning: counted
    }


HEADINGS = """
Run,Virus,Nb reads,ident (%)    SYNR1,Zika virus,12,97     reads=Nb reads identity=ident (%)
Run,Virus,No. of reads,% id     SYNR1,Zika virus,12,97     reads=No. of reads identity=% id
Run,Virus,#reads,Perc. identity SYNR1,Zika virus,12,97     reads=#reads identity=Perc. identity
Run,Host,Num reads              SYNR1,Sus scrofa,12000     host=Host spots=Num reads
Specimen,Host                   BR-01,Sus scrofa           run=Specimen host=Host
Run,Specimen                    SYNR1,nasal swab           tissue=Specimen
Specimen no.,Host               BR-01,Sus scrofa           run=Specimen no. host=Host
"""
"""Header and a row of a person's table, and what its columns mean."""


@pytest.mark.parametrize("case", HEADINGS.strip().splitlines())
def test_headings_that_people_write_are_recognised(tmp_path: Path, case: str) -> None:
    header, row, means = (part.strip() for part in (case[:32], case[32:58], case[58:]))
    path = tmp_path / "t.csv"
    path.write_text(f"{header}\n{row}\n")
    columns = guess_columns(path, {}).columns
    wanted = dict(pair.split("=", 1) for pair in re.split(r" (?=\w+=)", means))
    assert columns | wanted == columns

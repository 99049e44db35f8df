"""Records of any table whose columns have a meaning (``index.sources.meanings``).

One engine reads all formats that differ only in what their columns are called: a spec says what
each means, where the run is named, and what a row is evidence of. Rows read = kept + rejected.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import polars as pl

from index.records import Records
from index.row_counts import counted_rows
from index.sources.accessions import BIOPROJECT, BIOSAMPLE, RUN, STUDY, may_be, must_be
from index.sources.dates import day, unread_day
from index.sources.layout import LINE_FLAGS, Layout
from index.sources.meanings import ATTRIBUTE, ATTRIBUTES, attribute_name, meanings
from index.sources.numbers import number, percentage, position, taxid, whole_number
from index.sources.rejection import NOT_A_VIRUS, Rule, counted
from index.sources.run_names import name_of_file, run_in_file_name, run_of_contig, runs_of_names
from index.sources.scopes import search_of, viruses_of
from index.sources.tabular import dialect_of, read_table, sound_rows, to_table
from index.tables import (
    Bioproject,
    Biosample,
    BiosampleAttribute,
    Detection,
    Place,
    Run,
    RunAttribute,
    SearchedRun,
    ViralSequence,
)
from ontology_etl.curies import NCBI_TAXON, taxon_curie
from ontology_etl.missing import is_no_value
from ontology_etl.tables import gather_rejected, with_absent

RUNS: Final = "runs"
"""``rest`` of a layout whose other columns are runs, with counts in them."""
_COUNTS: Final = "counts:"
_VIRAL: Final = r"(?i)(?:^|[;|]\s*)(?:[a-z]{1,2}__)?viruses\s*(?:[;|]|$)"
_TAXID: Final = r"^(?:NCBITaxon:|txid)?([1-9]\d*)(?:\.0)?$"
_QUERY_TAXON: Final = rf"^{NCBI_TAXON}:[1-9]\d*$"


@dataclass(frozen=True)
class Spec:
    """How a table is read; the ``read_as`` of a column of ``layout`` is its meaning.

    ``source``   what its detections are of; empty: the name of the file
    ``run``      where the run is named: in a column or the contig (""), perhaps ("optional"), or in
                 the name of the file ("file name")
    ``own``      whether a run may have a name of the laboratory's own
    ``ending``   regular expression of what is no part of a heading
    ``viral``    whether the lineage shows which rows are viruses
    ``searched`` whether every run was searched, those without a virus too
    ``detects``  whether a row is a detection
    """

    layout: Layout
    source: str = ""
    run: str = ""
    own: bool = False
    ending: str = ""
    viral: bool = False
    searched: bool = False
    detects: bool = True


@dataclass(frozen=True)
class FileOptions:
    """What a manifest says of a file, apart from its columns."""

    run: str = ""
    hits_of: str = ""
    linked: Mapping[str, str] = field(default_factory=dict)
    taxa: pl.DataFrame | None = None
    """[nearest, taxid]: the taxon of each known sequence."""
    at_least: Mapping[str, float] = field(default_factory=dict)
    """Rows below these numbers count as noise: the virus was searched for and not found."""
    known_runs: bool = False
    """Whether rows make no runs of the index, so that rows of unknown runs are left out."""


def read_mapped(path: Path, spec: Spec, said: FileOptions) -> Records:
    """Return the records of the table at ``path``. Raises as ``read_table``."""
    header = dialect_of(path, spec.layout).header
    also = {name: _rest_name(name, spec) for name in spec.layout.extra(header) if name}
    rows = read_table(path, spec.layout, also=also if spec.layout.rest else ())
    return records_of(rows, path, spec, said)


def _rest_name(heading: str, spec: Spec) -> str:
    if spec.layout.rest == RUNS:
        return f"{_COUNTS}{heading}"
    ending = pl.select(pl.lit(heading).str.replace(spec.ending, "")).item()
    return f"{ATTRIBUTE}{attribute_name(ending if spec.ending else heading)}"


def records_of(rows: pl.DataFrame, path: Path, spec: Spec, said: FileOptions) -> Records:
    """Return the records of ``rows`` [row, LINE_FLAGS, meanings]; those of no virus are counted."""
    complete = _with_taxa(_completed(rows), said)
    viral = complete.filter(_is_viral(spec) | pl.any_horizontal(LINE_FLAGS))
    is_wide = spec.layout.rest == RUNS
    named = viral if is_wide else _with_runs(viral, path, spec, said)
    rules = _rules(rows, spec, said, has_run=not is_wide)
    sound, rejected, _ = sound_rows(named, path, spec.layout, *rules)
    limits_met = [
        (number(name) >= least).fill_null(value=False) for name, least in said.at_least.items()
    ]
    kept = sound.filter(pl.all_horizontal(pl.lit(True), *limits_met))
    limits = " or ".join(f"{name} below {least:,.10g}" for name, least in said.at_least.items())
    noise = counted(path.name, limits, len(sound) - len(kept))
    others = counted(path.name, NOT_A_VIRUS, len(complete) - len(viral))
    counts = counted_rows(
        path.name,
        spec.layout.name,
        read=len(complete),
        kept=len(kept),
        rejected=len(complete) - len(kept),
    )
    long = _of_each_run(kept, said) if is_wide else kept
    runs = _runs_listed(rows, long, path, spec, said)
    found = _assembled(
        _measured(long),
        runs,
        path,
        spec,
        rejected=gather_rejected([rejected, noise, others]),
        counts=counts,
    )
    if said.at_least and not is_wide:
        looked_for = _detections(_measured(sound), spec, _source(path, spec))
        found = replace(found, scope=viruses_of(looked_for, _source(path, spec)))
    return replace(found, run=Run.create_empty()) if said.known_runs else found


def _source(path: Path, spec: Spec) -> str:
    """Return the source of what a file finds, which is its search, too."""
    return spec.source or search_of(path)


def _completed(rows: pl.DataFrame) -> pl.DataFrame:
    """Return ``rows`` with a column of every meaning, null where the table has none."""
    texts = dict.fromkeys((*meanings(), "rank_by"), pl.String)
    complete = with_absent(rows, {**texts, "is_viral": pl.Boolean})
    lineage = pl.col("lineage")
    in_lineage = {
        "family": lineage.str.extract(r"(?:^|[;|_\s])([A-Z][a-z]+viridae)\b"),
        "phylum": lineage.str.extract(r"(?:^|[;|_\s])([A-Z][a-z]+viricota)\b"),
        "virus": lineage.str.extract(r"s__([^;|]+?)\s*$"),
    }
    contig = pl.col("contig").str.replace(r"\|\|.*$", "")
    filled = [pl.coalesce(name, found).alias(name) for name, found in in_lineage.items()]
    return complete.with_columns(*filled, contig.alias("contig"))


def _with_taxa(rows: pl.DataFrame, said: FileOptions) -> pl.DataFrame:
    """Return ``rows`` with taxids that are numbers, those of the nearest sequences, and the query.

    A taxid that is none is a name: that of an OTU.
    """
    taxid = pl.col("taxid").str.extract(r"^([^;]+)").str.extract(_TAXID)
    is_name = pl.col("taxid").str.contains(r"[A-Za-z]{3}") & taxid.is_null()
    read = rows.with_columns(
        taxid=taxid,
        virus=pl.coalesce("virus", pl.when(is_name).then("taxid")),
        has_taxid=pl.col("taxid").is_not_null() & ~is_name,
    )
    if said.taxa is not None:
        of_nearest = said.taxa.rename({"taxid": "its_taxid"})
        joined = read.join(of_nearest, on="nearest", how="left", maintain_order="left")
        read = joined.with_columns(taxid=pl.coalesce("taxid", "its_taxid")).drop("its_taxid")
    if not said.hits_of:
        return read
    is_taxon = pl.select(pl.lit(said.hits_of).str.contains(_QUERY_TAXON)).item()
    column = "taxid" if is_taxon else "virus"
    return read.with_columns(pl.lit(said.hits_of.removeprefix(f"{NCBI_TAXON}:")).alias(column))


def _is_viral(spec: Spec) -> pl.Expr:
    """Return whether a row may be of a virus; without a lineage, the taxonomy decides later."""
    by_lineage = pl.col("lineage").str.contains(_VIRAL).fill_null(False)
    return by_lineage if spec.viral else pl.col("is_viral").fill_null(True)


def _with_runs(rows: pl.DataFrame, path: Path, spec: Spec, said: FileOptions) -> pl.DataFrame:
    """Return ``rows`` with the run of each and the name that its laboratory gave it.

    Assemblers number the contigs of every run in the same way, so names without the run get it.
    """
    if said.run:
        rows = rows.with_columns(said_run=pl.lit(said.run))
    elif spec.run == "file name":
        rows = rows.with_columns(said_run=pl.lit(name_of_file(path)))
    elif any(column.read_as == "run" for column in spec.layout.columns):
        rows = rows.with_columns(said_run=pl.col("run"))
    else:
        of_contig = run_of_contig(pl.col("contig"), said.linked)
        in_name = pl.lit(run_in_file_name(path), pl.String)
        rows = rows.with_columns(said_run=pl.coalesce(of_contig, in_name))
    own = spec.own or bool(said.linked) or spec.run == "file name"
    runs = runs_of_names(rows["said_run"], said.linked, own=own)
    named = rows.drop("run").join(
        runs, left_on="said_run", right_on="said", how="left", maintain_order="left"
    )
    shown = pl.coalesce("run", "said_run").alias("run")
    in_run = pl.format("{}_{}", "run", "contig")
    of_run = pl.col("run").is_null() | pl.col("contig").str.starts_with(pl.col("run"))
    is_record = pl.lit(spec.run == "optional")
    return named.with_columns(
        shown,
        contig=pl.when(of_run | is_record).then("contig").otherwise(in_run),
        sample_name=pl.coalesce("sample_name", "own_name"),
    )


def _rules(rows: pl.DataFrame, spec: Spec, said: FileOptions, *, has_run: bool) -> tuple[Rule, ...]:
    of_run = may_be(RUN, "run") if spec.run == "optional" else must_be(RUN, "run")
    others = {"biosample": BIOSAMPLE, "bioproject": BIOPROJECT, "study": STUDY}
    rules = [of_run] if has_run else []
    rules += [may_be(kind, column) for column, kind in others.items() if column in rows.columns]
    if "release_date" in rows.columns:
        rules.append(unread_day("release_date"))
    if "taxid" in rows.columns and said.taxa is None:
        rules.append(Rule("not a taxon", pl.col("has_taxid") & pl.col("taxid").is_null()))
    if spec.layout.needs == "hits_of" and not said.hits_of:
        rules.append(Rule("the virus that was searched for is not said: hits_of", pl.lit(True)))
    return tuple(rules)


def _of_each_run(kept: pl.DataFrame, said: FileOptions) -> pl.DataFrame:
    """Return ``kept`` with a row per run: the columns of counts one below the other."""
    columns = [name for name in kept.columns if name.startswith(_COUNTS)]
    long = kept.drop("reads", "run").unpivot(
        on=columns,
        index=[name for name in kept.columns if name not in (*columns, "reads", "run")],
        variable_name="run",
        value_name="reads",
    )
    headed = long.with_columns(pl.col("run").str.strip_prefix(_COUNTS))
    runs = runs_of_names(headed["run"], said.linked, own=True)
    named = headed.rename({"run": "said_run"}).join(
        runs, left_on="said_run", right_on="said", how="left", maintain_order="left"
    )
    return named.with_columns(sample_name=pl.col("own_name"))


def _runs_listed(
    rows: pl.DataFrame, long: pl.DataFrame, path: Path, spec: Spec, said: FileOptions
) -> pl.DataFrame:
    """Return [run, own_name] of every run that a table is about, with a virus or without."""
    if spec.layout.rest == RUNS:
        headings = [name.removeprefix(_COUNTS) for name in rows.columns if name.startswith(_COUNTS)]
        return runs_of_names(pl.Series(headings, dtype=pl.String), said.linked, own=True).select(
            "run", "own_name"
        )
    if spec.run == "file name":
        name = said.run or name_of_file(path)
        return runs_of_names(pl.Series([name]), said.linked, own=True).select("run", "own_name")
    return long.select("run", "own_name").drop_nulls("run").unique(maintain_order=True)


def _measured(rows: pl.DataFrame) -> pl.DataFrame:
    """Return ``rows`` with numbers as numbers, shares as percentages."""

    def percent(column: str, share: str) -> pl.Expr:
        value = pl.coalesce(number(column), number(share) * 100)
        return pl.when(value.is_between(0, 100)).then(value.round(6))

    megabases = number("mbases") * 1e6
    return rows.with_columns(
        identity=percent("identity", "identity_share"),
        score=percent("score", "score_share"),
        completeness=percentage("completeness"),
        coverage=pl.when(number("coverage") >= 0).then(number("coverage")),
        best=number("rank_by"),
        reads=whole_number("reads"),
        length=whole_number("length"),
        spots=whole_number("spots"),
        bases=pl.coalesce(whole_number("bases"), megabases.cast(pl.Int64, strict=False)),
    )


def _assembled(
    rows: pl.DataFrame,
    runs: pl.DataFrame,
    path: Path,
    spec: Spec,
    *,
    rejected: pl.DataFrame,
    counts: pl.DataFrame,
) -> Records:
    source = _source(path, spec)
    detections = _detections(rows, spec, source)
    with_run = rows.drop_nulls("run")
    listed = runs.select("run") if spec.searched else detections.select("run")
    searched = listed.unique().with_columns(source=pl.lit(source), search=pl.lit(source))
    of_samples, of_runs = _attributes(rows, runs)
    return Records(
        run=to_table(pl.concat([_runs(with_run), runs.select("run")], how="diagonal"), Run),
        biosample=to_table(rows.select("biosample").drop_nulls(), Biosample),
        bioproject=to_table(_projects(rows), Bioproject),
        biosample_attribute=to_table(of_samples, BiosampleAttribute),
        run_attribute=to_table(of_runs, RunAttribute),
        place=to_table(_places(rows), Place),
        detection=to_table(detections, Detection),
        viral_sequence=to_table(_sequences(rows, source), ViralSequence),
        searched=to_table(searched, SearchedRun),
        scope=viruses_of(detections, source),
        rejected=rejected,
        rows=counts,
    )


def _runs(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.select(
        "run",
        "biosample",
        "bioproject",
        "study",
        "organism",
        "library_strategy",
        "library_source",
        "spots",
        "bases",
        day("release_date").alias("release_date"),
        organism_curie=taxon_curie(taxid("organism_taxid")),
    )


def _detections(rows: pl.DataFrame, spec: Spec, source: str) -> pl.DataFrame:
    """Return what was found, the best row of each virus and run first; zero reads do not count."""
    taxon = pl.col("taxid").cast(pl.Int64, strict=False)
    by_taxid = pl.when(taxon > 0).then(pl.format("txid{}", taxon))
    found = rows.drop_nulls("run").with_columns(
        key=pl.coalesce("sotu", "genome", by_taxid, "virus", "family", "contig")
    )
    if not spec.detects:
        found = found.clear()
    seen = found.filter(pl.col("key").is_not_null(), (pl.col("reads") > 0).fill_null(True))
    best = seen.sort("best", descending=True, nulls_last=True, maintain_order=True)
    if "rank_by" in {column.read_as for column in spec.layout.columns}:
        best = best.unique(["run", "contig"], keep="first", maintain_order=True)
    ordered = best.sort(
        "identity", "reads", "score", descending=True, nulls_last=True, maintain_order=True
    )
    is_called = pl.col("virus").is_not_null() | pl.col("family").is_null()
    return ordered.select(
        "run",
        "family",
        "phylum",
        "identity",
        "coverage",
        "reads",
        "score",
        sotu="key",
        virus=pl.when(taxon > 0).then(taxon_curie(taxon)),
        reported_name=pl.when(is_called).then("virus"),
        source=pl.lit(source),
    )


def _sequences(rows: pl.DataFrame, source: str) -> pl.DataFrame:
    """Return the contigs and records of ``rows``, of several hits the best."""
    taxon = pl.col("taxid").cast(pl.Int64, strict=False)
    named = rows.drop_nulls("contig").sort(
        "best", descending=True, nulls_last=True, maintain_order=True
    )
    return named.select(
        "run",
        "biosample",
        "family",
        "virus_group",
        "nearest",
        "identity",
        "score",
        "length",
        "quality",
        "completeness",
        source=pl.lit(source),
        sequence="contig",
        reported_name="virus",
        virus=pl.when(taxon > 0).then(taxon_curie(taxon)),
    )


def _attributes(rows: pl.DataFrame, runs: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the attributes of samples [biosample, attribute, value] and of runs [run, …].

    What is said of a run without a sample, and the name of a library, is an attribute of the run.
    """
    names = {name: name.removeprefix(ATTRIBUTE) for name in rows.columns
             if name.startswith(ATTRIBUTE)}  # fmt: skip
    said = ATTRIBUTES | names
    stated = rows.unpivot(
        on=list(said),
        index=["run", "biosample"],
        variable_name="column",
        value_name="value",
    )
    named = stated.with_columns(attribute=pl.col("column").replace_strict(said))
    stated_values = named.filter(pl.col("value").is_not_null(), ~is_no_value(pl.col("value")))
    labels = pl.concat(
        [rows.select("run", value="sample_name"), runs.select("run", value="own_name")]
    ).drop_nulls()
    own = labels.select("run", "value", attribute=pl.lit("sample name"))
    of_runs = stated_values.filter(pl.col("biosample").is_null()).drop_nulls("run")
    return (
        stated_values.drop_nulls("biosample").select("biosample", "attribute", "value"),
        pl.concat([of_runs, own], how="diagonal").select("run", "attribute", "value"),
    )


def _projects(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the titles of bioprojects that state one, the first of each."""
    titled = rows.select("bioproject", title="study_title").drop_nulls()
    return titled.unique("bioproject", keep="first", maintain_order=True)


def _places(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the positions of samples that state one."""
    placed = rows.select("biosample", *position("latitude", "longitude"))
    return placed.drop_nulls(["latitude", "longitude"])

"""How much of a virus family there is in each biosample: zero where it was searched and not found.

Abundance is reads per million spots (RPM): the reads of all detections of the family (all segments
of all its viruses) in the searched runs of the biosample, divided by the spots of those runs, times
a million. Thresholds and tests see the sum, never a single detection. A source without read counts
(palm_virome) has the mean coverage of its contigs instead, which is proportional to reads as long
as contigs and read lengths are alike; such families say so in ``coverage_based`` and carry a flag.

A zero needs a search. The table ``searched`` says which runs a source searched, and the scope of a
search which families it looks for (``index.store.scopes``). A biosample none of whose runs was
searched for a family is in no test of it.

A run without a biosample counts as a sample under its own accession, so that a search counts
whether or not the submitter described the sample. The project of a run without a bioproject is its
SRA study; a run with neither is in no test, since a test between projects would test the projects.

Where no run of a project states its spots, reads cannot be compared between samples. Whether the
family was found, its presence, can be.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import polars as pl

from index.mwas.skipped import USABLE, count_reasons, runs_of_presence
from index.records import Records

SAMPLE: Final = ["bioproject", "biosample"]

_NAMED: Final = pl.col("family").is_not_null()
_MEASURED: Final = pl.col("reads").is_not_null() | pl.col("coverage").is_not_null()


def name_samples(run: pl.DataFrame) -> pl.DataFrame:
    """Return ``run`` with a ``biosample`` in every row: the run itself where none is stated."""
    return run.with_columns(biosample=pl.coalesce("biosample", "run"))


@dataclass(frozen=True)
class Abundance:
    """Abundance of families in the biosamples that one source searched for them.

    ``searched`` [bioproject, biosample, spots]; ``found`` [bioproject, biosample, family, rpm], rpm
    above 0; ``families`` [bioproject, family, coverage_based]; ``skipped`` [reason, count]. Where
    ``is_presence``, ``rpm`` is 1 for every biosample with the family.
    """

    source: str
    searched: pl.DataFrame
    found: pl.DataFrame
    families: pl.DataFrame
    skipped: pl.DataFrame
    is_presence: bool = False


def measure_abundance(records: Records, *, source: str) -> list[Abundance]:
    """Return the abundance that the detections of ``source`` give, per bioproject and biosample.

    Families that the same searches look for are measured together (``records.searches``).
    A run with a detection of neither reads nor coverage is left out: how much it holds is unknown,
    and unknown is not zero. In projects none of whose runs states its spots, presence is measured.
    """
    detection = records.detection.filter(pl.col("source") == source)
    unmeasured = detection.filter(~_MEASURED).select("run").unique()
    looked_at = records.searched.filter(pl.col("source") == source)
    samples = name_samples(records.run)
    usable = samples.filter(USABLE).join(looked_at, on="run", how="semi")
    counted = usable.join(unmeasured, on="run", how="anti")
    uncounted = runs_of_presence(samples).join(looked_at, on="run", how="semi")

    named = detection.filter(_NAMED)
    tested = pl.concat([usable.select("run"), uncounted.select("run")])
    homeless = named.join(tested, on="run", how="anti")
    skipped = {
        "detection without a virus family": len(detection) - len(named),
        "detection in a run without a study, or without spots beside runs with them": len(homeless),
        "run with a detection of unknown abundance": len(usable) - len(counted),
    }
    measured: list[Abundance] = []
    own = records.searches.filter(pl.col("source") == source)
    for of_families, searches in _searched_together(named, own):
        hits = named.join(of_families, on="family", how="semi")
        in_scope = (
            looked_at if searches is None else looked_at.join(searches, on="search", how="semi")
        )
        for runs, is_presence in ((counted, False), (uncounted, True)):
            searched = runs.join(in_scope, on="run", how="semi")
            of_source = _measure(hits.join(runs, on="run"), searched, source, is_presence)
            if not is_presence or len(of_source.families):
                measured.append(of_source)
    if measured:
        measured[0] = replace(measured[0], skipped=count_reasons(skipped))
    return measured


def _measure(
    hits: pl.DataFrame, searched: pl.DataFrame, source: str, is_presence: bool
) -> Abundance:
    """Return the abundance or presence of the families of ``hits`` in the runs ``searched``."""
    families = _families(hits)
    if is_presence:
        families = families.with_columns(coverage_based=pl.lit(False))
    spots = _sum_spots(searched, families)
    found = _find_present(hits, spots) if is_presence else _sum_abundance(hits, spots, families)
    return Abundance(source, spots, found, families, count_reasons({}), is_presence)


def _find_present(hits: pl.DataFrame, searched: pl.DataFrame) -> pl.DataFrame:
    """Return 1 in place of an abundance where a biosample has a family."""
    key = [*SAMPLE, "family"]
    present = hits.select(key).unique().join(searched, on=SAMPLE, how="semi")
    return present.with_columns(rpm=pl.lit(1.0)).sort(key)


def _searched_together(
    named: pl.DataFrame, searches: pl.DataFrame
) -> list[tuple[pl.DataFrame, pl.DataFrame | None]]:
    """Return the families of the detections ``named`` [family] with the searches [search] that look
    for them; all searches of a source do if it says nothing about them.
    """
    found = named.select("family").unique()
    if searches.is_empty():
        return [(found, None)]
    by_family = searches.join(found, on="family").group_by("family").agg(pl.col("search").sort())
    by_searches = by_family.group_by("search").agg(pl.col("family").sort())
    ordered = by_searches.sort(pl.col("family").list.first())
    return [
        (pl.DataFrame({"family": families}), pl.DataFrame({"search": names}))
        for names, families in ordered.iter_rows()
    ]


def _families(hits: pl.DataFrame) -> pl.DataFrame:
    """Return each family of each project, and whether its abundance is based on coverage.

    It is where none of the detections of the family in the project has a read count.
    """
    key = ["bioproject", "family"]
    without_reads = pl.col("reads").is_null().all()
    families = hits.group_by(key).agg(without_reads.alias("coverage_based"))
    return families.sort(key)


def _sum_spots(runs: pl.DataFrame, families: pl.DataFrame) -> pl.DataFrame:
    """Return the spots of each biosample in the projects where a family was found."""
    tested = runs.join(families, on="bioproject", how="semi")
    spots = tested.group_by(SAMPLE).agg(pl.col("spots").sum())
    return spots.sort(SAMPLE)


def _sum_abundance(
    hits: pl.DataFrame,
    searched: pl.DataFrame,
    families: pl.DataFrame,
) -> pl.DataFrame:
    key = [*SAMPLE, "family"]
    reads = pl.col("reads").cast(pl.Float64)
    amount = pl.when("coverage_based").then("coverage").otherwise(reads)
    measured = hits.join(families, on=["bioproject", "family"])
    summed = measured.group_by(key).agg(amount.sum().alias("amount"))

    rpm = pl.col("amount") / pl.col("spots") * 1e6
    per_sample = summed.join(searched, on=SAMPLE).select(*key, rpm.alias("rpm"))
    positive = pl.col("rpm") > 0
    finite = pl.col("rpm").is_finite()
    return per_sample.filter(positive & finite).sort(key)

"""The association engine on small cohorts: what is tested, what is counted, and what the numbers
are.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import stats

from index.config import MwasConfig
from index.mwas.associate import AssociationTests, associate
from index.mwas.correction import adjust
from index.mwas.flags import is_designed
from index.records import Records
from index.tables import Annotation, BiosampleAttribute, Detection, Run, RunAttribute, SearchedRun
from ontology_etl.reviewed_lists import read_reviewed
from ontology_etl.tables import conform
from tests.graph_zoo import filled

CONFIG = MwasConfig(resamples=999, max_resamples=9_999)
DAY = dt.date(2020, 1, 1)


def cohort(text: str, *, project: str = "SYNP1", spots: int = 1_000_000) -> Records:
    """Return records of a text table: biosample, reads of SYNviridae (. for none), then
    attribute=value pairs.
    """
    lines = [line.split() for line in text.strip().splitlines()]
    runs = [(f"{name}-R", name, project, spots, DAY) for name, *_ in lines]
    hits = [(f"{name}-R", int(reads)) for name, reads, *_ in lines if reads != "."]
    pairs = [(name, *pair.split("=", 1)) for name, _, *rest in lines for pair in rest]
    return Records(
        run=run_table(runs),
        detection=detection_table(hits),
        searched=searched_table([run for run, *_ in runs]),
        biosample_attribute=attribute_table(pairs),
    )


def run_table(
    rows: Sequence[tuple[str, str | None, str | None, int | None, dt.date | None]],
) -> pl.DataFrame:
    columns = ["run", "biosample", "bioproject", "spots", "release_date"]
    return filled(pl.DataFrame(rows, schema=columns, orient="row"), Run)


def detection_table(rows: list[tuple[str, int]], *, family: str = "SYNviridae") -> pl.DataFrame:
    frame = pl.DataFrame(rows, schema={"run": pl.String, "reads": pl.Int64}, orient="row")
    return filled(frame, Detection, sotu="u1", family=family, source="serratus_nt")


def searched_table(runs: Sequence[str], *, source: str = "serratus_nt") -> pl.DataFrame:
    frame = pl.DataFrame({"run": list(runs)}, schema={"run": pl.String})
    return filled(frame, SearchedRun, source=source, search=source)


def attribute_table(rows: list[tuple[str, ...]]) -> pl.DataFrame:
    frame = pl.DataFrame(
        rows, schema=dict.fromkeys(BiosampleAttribute.column_names(), pl.String), orient="row"
    )
    return conform(frame.unique(), BiosampleAttribute)


def annotation_table(rows: list[tuple[str, str, str, str]]) -> pl.DataFrame:
    """Return annotations from (run, facet, name, CURIE), read from an attribute of that name."""
    frame = pl.DataFrame(rows, schema=["run", "facet", "value", "curie"], orient="row")
    return annotated(frame.with_columns(attribute=pl.col("facet")))


def taxon_table(rows: list[tuple[str, str, str, str]]) -> pl.DataFrame:
    """Return annotations of organisms from (run, attribute, name, CURIE)."""
    frame = pl.DataFrame(rows, schema=["run", "attribute", "value", "curie"], orient="row")
    return annotated(frame.with_columns(facet=pl.lit("host")))


def annotated(frame: pl.DataFrame) -> pl.DataFrame:
    named = frame.with_columns(text=pl.col("value"))
    return filled(named, Annotation, method="dictionary", score=1.0)


def run_mwas(
    records: Records, annotation: pl.DataFrame | None = None, config: MwasConfig = CONFIG
) -> AssociationTests:
    table = Annotation.create_empty() if annotation is None else annotation
    return associate(records, table, config=config)


def skipped(result: AssociationTests) -> dict[str, int]:
    return dict(result.skipped.iter_rows())


TWO_TISSUES = """
S1  10 tissue=Leaf
S2  20 tissue=leaf
S3  30 tissue=leaf
S4  40 tissue=leaf
S5   . tissue=root
S6   2 tissue=root
S7   4 tissue=root
S8   . tissue=root
S9   9 tissue=missing
"""


def test_values_are_compared_folded_and_missing_is_no_value() -> None:
    """The other half of a split is the same test turned round."""
    result = run_mwas(cohort(TWO_TISSUES))
    leaf, root = result.association.rows(named=True)
    groups = [
        (row["attribute"], row["value"], row["num_true"], row["num_false"]) for row in (leaf, root)
    ]
    assert groups == [("tissue", "leaf", 4, 4), ("tissue", "root", 4, 4)]
    assert result.tests == 1
    assert (leaf["split"], leaf["p_value"]) == (root["split"], root["p_value"])
    assert leaf["test_statistic"] == -root["test_statistic"]
    assert (leaf["ci_low"], leaf["ci_high"]) == (-root["ci_high"], -root["ci_low"])


def test_numbers_are_those_of_the_groups() -> None:
    leaf = run_mwas(cohort(TWO_TISSUES)).association.row(0, named=True)
    true, false = np.array([10.0, 20, 30, 40]), np.array([0.0, 2, 4, 0])
    interval = stats.ttest_ind(true, false, equal_var=False).confidence_interval(0.95)
    expected = {
        "mean_rpm_true": true.mean(),
        "mean_rpm_false": false.mean(),
        "sd_rpm_true": true.std(ddof=1),
        "sd_rpm_false": false.std(ddof=1),
        "fold_change": np.log2((true.mean() + 1) / (false.mean() + 1)),
        "test_statistic": true.mean() - false.mean(),
        "p_value": 2 / 70,  # the most extreme of C(8, 4) arrangements, both tails
        "ci_low": interval.low,
        "ci_high": interval.high,
    }
    assert leaf["test"] == "permutation"
    assert {name: leaf[name] for name in expected} == pytest.approx(expected)


def test_reads_and_spots_are_summed_over_the_runs_of_a_biosample() -> None:
    records = cohort("S1 10 t=a\nS2 20 t=a\nS3 30 t=b\nS4 . t=b")
    second = run_table(
        [("S1-R", "S1", "SYNP1", 1_000_000, DAY), ("S1-R2", "S1", "SYNP1", 3_000_000, DAY)]
    )
    both = replace(
        records,
        run=pl.concat([records.run.filter(pl.col("run") != "S1-R"), second]),
        searched=pl.concat([records.searched, searched_table(["S1-R2"])]),
    )
    assert run_mwas(both).association["mean_rpm_true"][0] == pytest.approx((10 / 4 + 20) / 2)


def test_grounded_annotations_are_attributes_with_a_curie() -> None:
    leaf = [(f"S{i}-R", "tissue", "leaf", "BTO:0000713") for i in range(1, 5)]
    root = [(f"S{i}-R", "tissue", "root", "BTO:0001188") for i in range(5, 9)]
    rows = run_mwas(cohort(TWO_TISSUES), annotation_table(leaf + root)).association
    assert rows.select("attribute", "value", "curie", "flag").rows() == [
        ("tissue", "leaf", None, "duplicate of tissue (BTO)=leaf"),
        ("tissue", "root", None, "duplicate of tissue (BTO)=root"),
        ("tissue (BTO)", "leaf", "BTO:0000713", None),
        ("tissue (BTO)", "root", "BTO:0001188", None),
    ]


def test_rows_of_a_project_depend_on_no_order_and_on_no_other_project() -> None:
    rng = np.random.default_rng(5)
    lines = [f"S{i:02} {rng.integers(0, 99)} a={i % 2} b={i % 3} c={i % 5}" for i in range(40)]
    alone = cohort("\n".join(lines))
    other = cohort("\n".join(lines).replace("S", "T"), project="SYNP0")
    names = ("run", "detection", "searched", "biosample_attribute")
    pair = Records(**{
        name: pl.concat([getattr(other, name), getattr(alone, name)]).sample(
            fraction=1, shuffle=True, seed=3
        )
        for name in names
    })  # fmt: skip
    both = run_mwas(pair).association
    assert both.filter(pl.col("bioproject") == "SYNP1").equals(run_mwas(alone).association)


def test_every_drop_is_counted() -> None:
    text = """
    S1 10 constant=x id=1 tissue=leaf
    S2 20 constant=x id=2 tissue=leaf
    S3 30 constant=x id=3 tissue=root
    S4  . constant=x id=4 tissue=root
    """
    assert skipped(run_mwas(cohort(text))) == {
        "pair whose value is constant within its project": 1,
        "pair with a group of one biosample": 4,
    }


def test_runs_that_cannot_be_used_are_counted_once_however_many_sources_there_are() -> None:
    records = cohort("S1 10 t=a\nS2 20 t=a\nS3 30 t=b\nS4 40 t=b")
    odd = run_table(
        [
            ("R5", "S5", "SYNP1", None, DAY),
            ("R6", "S6", "SYNP1", 0, DAY),
            ("R7", "S7", None, 100, DAY),
            ("R8", "S8", "SYNP1", 100, DAY),
            ("R9", None, None, 100, DAY),
            ("R10", None, None, 100, DAY),
        ]
    )
    unusable = detection_table([("R5", 3), ("R10", 1), ("R99", 1)])
    elsewhere = records.detection.with_columns(source=pl.lit("palm_virome"))
    also = records.searched.with_columns(source=pl.lit("palm_virome"))
    more = replace(
        records,
        run=pl.concat([records.run, odd]),
        detection=pl.concat([records.detection, unusable, elsewhere]),
        searched=pl.concat([records.searched, searched_table(["R5", "R9", "R10", "R99"]), also]),
    )
    assert skipped(run_mwas(more)) == {
        "detection in a run without a study, or without spots beside runs with them": 3,
        "run that no source searched": 1,
        "run without a study, not searched": 1,
        "run without spots in a study of runs with them": 2,
        "searched run without a study, a virus found": 1,
        "searched run without a study, nothing found": 1,
    }


def test_a_run_that_names_no_biosample_is_a_sample_of_its_own() -> None:
    """Its organism was read from the run, so it is a negative of that organism."""
    named = cohort("S1 10\nS2 20\nS3 30\nS4 40\nS5 .\nS6 .\nS7 .\nS8 .")
    stated = pl.col("biosample").is_in(["S1", "S2", "S3", "S4"])
    nameless = named.run.with_columns(biosample=pl.when(stated).then("biosample"))
    bat, pig = ("Chiroptera", "NCBITaxon:9397"), ("Sus scrofa", "NCBITaxon:9823")
    carriers = [(f"S{number}-R", "organism", *bat) for number in range(1, 5)]
    others = [(f"S{number}-R", "organism", *pig) for number in range(5, 9)]
    result = run_mwas(replace(named, run=nameless), taxon_table([*carriers, *others]))
    counted = result.association.filter(value="Chiroptera").select("num_true", "num_false")
    assert counted.rows() == [(4, 4)]
    assert result.association.filter(value="Chiroptera")["num_found"].to_list() == [4]


def test_what_runs_state_themselves_groups_samples_like_what_samples_state() -> None:
    """Without a biosample a run is its own sample; with one, its attributes are the sample's."""
    by_sample = cohort(TWO_TISSUES)
    stated = by_sample.biosample_attribute.with_columns(run=pl.format("{}-R", "biosample"))
    of_runs = conform(stated.select(RunAttribute.column_names()), RunAttribute)
    by_run = replace(by_sample, biosample_attribute=attribute_table([]), run_attribute=of_runs)
    unnamed = by_run.run.with_columns(biosample=pl.lit(None, pl.String))
    expected = run_mwas(by_sample).association
    assert len(expected) == 2
    assert run_mwas(by_run).association.equals(expected)
    assert (
        run_mwas(replace(by_run, run=unnamed))
        .association.drop("split")
        .equals(expected.drop("split"))
    )


def test_presence_is_compared_where_no_run_of_a_project_states_its_spots() -> None:
    """Fisher's exact test, twice the smaller tail; no column says anything of reads."""
    samples = [("gut", 10), ("gut", 20), ("gut", 5), ("gut", 9), ("gut", None)]
    samples += [("lung", None)] * 6
    text = "\n".join(
        f"S{number} {reads or '.'} tissue={tissue}"
        for number, (tissue, reads) in enumerate(samples)
    )
    records = cohort(text)
    spotless = replace(records, run=records.run.with_columns(spots=pl.lit(None, pl.Int64)))
    rows = run_mwas(spotless).association
    counts = rows.select("value", "num_true", "num_false", "num_found", "found_true", "test")
    assert counts.rows() == [("gut", 5, 6, 4, 4, "fisher"), ("lung", 6, 5, 4, 0, "fisher")]
    exact = stats.hypergeom.sf(3, 11, 4, 5)
    assert rows["p_value"].to_list() == pytest.approx([2 * exact, 2 * exact])
    assert rows["test_statistic"].to_list() == pytest.approx([0.8, -0.8])
    of_reads = rows.select(pl.selectors.matches("rpm|fold|ci_|p_rank"))
    assert of_reads.null_count().row(0) == (2,) * of_reads.width
    assert rows["flag"].to_list() == [None, None]
    assert run_mwas(records).association["found_true"].null_count() == 2
    all_found = cohort(text.replace("S4 .", "S4 8"))
    all_or_none = replace(all_found, run=spotless.run)
    assert run_mwas(all_or_none).association["flag"].to_list() == ["all or none"] * 2


def test_what_an_experiment_sets_itself_is_flagged() -> None:
    """By every reviewed word of an attribute, or where a value of it is a mock infection."""
    listed = read_reviewed("design_attributes.tsv")
    assert (listed["reason"].str.len_chars() > 0).all()
    assert listed["words"].is_unique().all()
    names = [words.replace(" ", "_") for words in listed["words"]]
    inside = [
        f"level_of_{name}_used"
        for name, whole in zip(names, listed["whole"], strict=True)
        if whole is None
    ]
    designed = [*names, *inside]
    alike = ["disease_vector", "infection_status", "viral_load", "spike_length", "drugged"]

    def flagged(attribute: list[str], value: str) -> list[bool]:
        frame = pl.DataFrame({"attribute": attribute}).with_columns(
            bioproject=pl.lit("P1"), value=pl.lit(value)
        )
        rule = is_designed(pl.col("attribute"), pl.col("value"))
        return frame.select(rule)["attribute"].to_list()

    assert all(flagged(designed, "5"))
    assert not any(flagged(alike, "5"))
    assert all(flagged(alike, "mock, 24 h"))
    assert not any(flagged(alike, "hammock"))


def test_a_biosample_that_nobody_searched_is_no_negative() -> None:
    text = "S1 10 t=a\nS2 20 t=a\nS3 . t=b\nS4 . t=b\nS5 . t=b\nS6 . t=b"
    records = cohort(text)
    some = replace(records, searched=searched_table(["S1-R", "S2-R", "S3-R", "S4-R"]))
    sizes = [
        run_mwas(one).association.select("value", "num_true", "num_false").rows()
        for one in (records, some)
    ]
    assert sizes == [[("a", 2, 4), ("b", 4, 2)], [("a", 2, 2), ("b", 2, 2)]]
    elsewhere = searched_table([f"S{number}-R" for number in range(3, 7)], source="palm_virome")
    apart = pl.concat([searched_table(["S1-R", "S2-R"]), elsewhere])
    assert skipped(run_mwas(replace(records, searched=apart))) == {
        "pair whose value is constant within its project": 1
    }


def test_segments_are_summed_before_anything_is_judged() -> None:
    records = cohort("S1 1 t=a\nS2 2 t=a\nS3 3 t=b\nS4 4 t=b")
    other_segment = records.detection.with_columns(sotu=pl.lit("u2"))
    both = replace(records, detection=pl.concat([records.detection, other_segment]))
    assert run_mwas(both).association["mean_rpm_true"].to_list() == [3.0, 7.0]


def test_unknown_abundance_is_not_zero() -> None:
    records = cohort("S1 1 t=a\nS2 2 t=a\nS3 3 t=b\nS4 4 t=b\nS5 5 t=b")
    unknown = pl.when(pl.col("run") != "S5-R").then("reads").alias("reads")
    result = run_mwas(replace(records, detection=records.detection.with_columns(unknown)))
    assert result.association["num_false"].to_list() == [2, 2]
    assert skipped(result) == {"run with a detection of unknown abundance": 1}


def test_a_host_that_is_not_stated_is_not_another_host() -> None:
    """Every sample has an organism, some have a host: the organism is no second value of it."""
    text = "\n".join(f"S{i} {i}" for i in range(1, 9))
    organism = [(f"S{i}-R", "organism", "gut metagenome", "NCBITaxon:749906") for i in range(1, 9)]
    bats = [(f"S{i}-R", "host", "bat", "NCBITaxon:9397") for i in range(1, 5)]
    mice = [(f"S{i}-R", "host", "mouse", "NCBITaxon:10088") for i in range(5, 7)]
    unstated = run_mwas(cohort(text), taxon_table(organism + bats))
    assert len(unstated.association) == 0
    stated = run_mwas(cohort(text), taxon_table(organism + bats + mice)).association
    assert stated.select("attribute", "value", "num_true", "num_false").rows() == [
        ("host (NCBITaxon)", "bat", 4, 2),
        ("host (NCBITaxon)", "mouse", 2, 4),
    ]


def test_a_family_in_every_biosample_has_no_negatives() -> None:
    everywhere = "\n".join(f"S{i:02} {10 + i} a={i % 2}" for i in range(12))
    nearly = everywhere.replace("S03 13", "S03 .")
    flags = [run_mwas(cohort(text)).association["flag"].to_list() for text in (everywhere, nearly)]
    assert flags == [["no negatives"] * 2, [None] * 2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("S1 . t=a\nS2 . t=a\nS3 . t=b\nS4 . t=b", 0),  # nothing was found anywhere
        ("S1 5 t=a", 0),  # one sample
        ("S1 5\nS2 6", 0),  # no attribute
        ("S1 5 t=a\nS2 5 t=a\nS3 5 t=b\nS4 5 t=b", 2),  # constant groups, equal
    ],
)
def test_degenerate_cohorts_are_defined(text: str, expected: int) -> None:
    rows = adjust(run_mwas(cohort(text)).association)
    assert rows["p_value"].null_count() == rows["q_value"].null_count() == len(rows) == expected
    assert rows["flag"].to_list() == ["no negatives; tiny group; no spread"] * expected


def test_family_absent_from_a_universe_is_counted_not_tested() -> None:
    text = "S1 . t=a\nS2 . t=a\nS3 . t=b\nS4 . t=b\nS5 9"
    assert skipped(run_mwas(cohort(text))) == {"pair with no reads in either group": 2}


def test_coverage_is_used_where_a_source_has_no_reads_and_only_there() -> None:
    records = cohort("S1 1 t=a\nS2 2 t=a\nS3 3 t=b\nS4 4 t=b")
    covered = records.detection.with_columns(
        coverage=pl.col("reads").cast(pl.Float64) * 2,
        reads=pl.lit(None, pl.Int64),
        source=pl.lit("palm_virome"),
    )
    searched = records.searched.with_columns(source=pl.lit("palm_virome"))
    row = run_mwas(replace(records, detection=covered, searched=searched)).association.row(
        0, named=True
    )
    assert row["mean_rpm_true"] == pytest.approx(3.0)
    assert row["flag"] == "no negatives; tiny group; coverage-based abundance"
    both = run_mwas(replace(records, detection=pl.concat([covered, records.detection])))
    assert both.association["mean_rpm_true"].to_list() == [1.5, 3.5], "tested once, on reads"


def test_q_values_count_a_test_once_and_keep_sources_apart() -> None:
    text = "\n".join(f"S{i} {i} a={i < 6} b={i < 6} c={i % 2} d={i % 3}" for i in range(12))
    computed = run_mwas(cohort(text)).association
    imported = computed.with_columns(
        source=pl.lit("study.csv"), split=pl.lit(None, pl.String), p_value=pl.lit(0.04)
    )
    adjusted = adjust(pl.concat([computed, imported]))
    mine = adjusted.filter(pl.col("source") == "computed")
    tests = mine.unique("split", maintain_order=True)
    assert len(tests) == 5  # a and b are one, c one, d three
    assert tests["q_value"].to_list() == pytest.approx(
        stats.false_discovery_control(tests["p_value"].to_numpy()).tolist()
    )
    assert mine["q_value"].to_list() == mine["q_value_project"].to_list()
    theirs = adjusted.filter(pl.col("source") == "study.csv")
    assert theirs["q_value"].to_list() == pytest.approx([0.04] * len(theirs))


def test_two_lucky_zeros_are_not_significant() -> None:
    """Welch's t believes two equal samples have no variance; the q-value does not."""
    rng = np.random.default_rng(8)
    lines = [
        f"S{i:02} {0 if i < 2 else rng.integers(90, 110)} t={'a' if i < 2 else 'b'}"
        for i in range(20)
    ]
    lines += [f"T{i:02} {0 if i < 9 else 5} u={i % 3}" for i in range(10)]
    row = (
        adjust(run_mwas(cohort("\n".join(lines))).association)
        .filter(attribute="t")
        .row(0, named=True)
    )
    assert row["p_value"] < 1e-12
    assert row["p_rank"] == pytest.approx(
        2 / 190
    )  # of the C(20, 2) pairs this one ranks last, both tails
    assert row["q_value"] >= row["p_rank"]


def test_a_value_that_never_varies_within_a_host_is_flagged() -> None:
    lines = [f"S{i} {i} site={'wet' if i < 6 else 'dry'} biorep={i % 2}" for i in range(12)]
    host = [
        (f"S{i}-R", "host", *(("frog", "NCBITaxon:8342") if i < 6 else ("newt", "NCBITaxon:8316")))
        for i in range(12)
    ]
    rows = run_mwas(cohort("\n".join(lines)), taxon_table(host)).association
    flags = dict(rows.select(pl.format("{}={}", "attribute", "value"), "flag").iter_rows())
    assert flags == {
        "biorep=0": "batch-like field",
        "biorep=1": "batch-like field",
        "site=wet": "duplicate of host (NCBITaxon)=frog; constant within host",
        "site=dry": "duplicate of host (NCBITaxon)=newt; constant within host",
        "host (NCBITaxon)=frog": None,
        "host (NCBITaxon)=newt": None,
    }


def test_a_difference_that_one_biosample_makes_is_flagged() -> None:
    lines = [f"S{i} {1000 if i == 0 else 1 + i % 2} a={i % 2} b={i < 6}" for i in range(12)]
    even = [f"T{i} {5 + i} c={i % 2}" for i in range(12)]
    rows = run_mwas(cohort("\n".join(lines + even))).association
    driven = rows.filter(pl.col("flag").str.contains("single-run driver"))
    assert sorted(driven["attribute"].unique()) == ["a", "b"]


def test_a_family_in_two_biosamples_is_shown_but_neither_called_nor_counted() -> None:
    lines = [f"S{i:02} {10 + i} a={i < 6}" for i in range(12)]
    common = cohort("\n".join(lines))
    rare = detection_table([("S00-R", 900), ("S01-R", 800)], family="SYNraridae")
    both = adjust(
        run_mwas(replace(common, detection=pl.concat([common.detection, rare]))).association
    )
    alone = adjust(run_mwas(common).association)
    assert both.filter(family="SYNviridae").equals(alone)
    shown = both.filter(family="SYNraridae")
    assert shown["p_value"].null_count() == 0
    assert shown.select("num_found", "q_value", "flag").rows() == [(2, None, "rare family")] * 2

"""Which communities have a report, and the table of studies that speaks for the others."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from index.reports.clades import community_clades
from index.reports.compose import gather_profiles
from index.reports.evidence_rows import (
    WHOLE,
    Deposit,
    Provenance,
    Searched,
    Studies,
    StudyShare,
    Support,
)
from index.reports.fact_rows import FactRow
from index.reports.profiles import Profile
from index.reports.rating import rate
from index.reports.study_rows import find_study_rows
from index.reports.worth import is_worth_reporting, worth_reporting
from tests.tiny_index import tiny_index

ABOVE = FactRow("species", "Zika virus", None, 60, 100, 9.0, 1e-9)
MOSQUITO = FactRow("host", "Aedes aegypti", None, 90, 100, 9.0, 1e-9)
PARENT = Profile(
    "C0-p", 0, None, 100, {"species": (ABOVE,), "host": (MOSQUITO,)},
    children=(("C1-a", 20), ("C1-b", 10)), studies=Studies(4, 100, "P1"),
    searched=Searched(100, 100, 100),
)  # fmt: skip
DENGUE = FactRow("species", "Dengue virus", None, 20, 20, 5.0, 1e-9, 22, 90)
SAME = DENGUE._replace(parent_runs=90)
ALSO = MOSQUITO._replace(runs=20, known=20, parent_runs=90, parent_known=100)
CHILD = Profile(
    "C1-a", 1, "C0-p", 20, {"species": (DENGUE,), "host": (ALSO,)},
    studies=Studies(4, 20, "P1"), searched=Searched(20, 20, 20), parent_runs=100,
    support={DENGUE.facet_value: Support(20, studies=4, sourced=20, sources=(("Aedes", 20),))},
)  # fmt: skip
ONE_STUDY = Studies(1, 20, "P1")
TITLED = StudyShare("P1", "bioproject", 20, "Viruses of mosquitoes in two cities")


@pytest.mark.parametrize(
    ("changes", "is_worth"),
    [
        ({}, True),
        ({"facts": {"species": (SAME,), "host": (ALSO,)}}, False),
        ({"facts": {"species": (DENGUE,)}}, False),
        ({"facts": {"host": (ALSO,)}}, False),
        ({"studies": ONE_STUDY}, False),
        ({"studies": ONE_STUDY, "largest_studies": (TITLED,)}, True),
        ({"runs": 14}, False),
        ({"parent_runs": 22}, False),
        ({"parent": None}, True),
        ({"parent": None, "facts": {}}, False),
    ],
    ids=[
        "several studies and a mark", "several studies alike", "one thing to tell", "no virus",
        "one study", "one study with a title", "single samples",
        "most of its parent", "without a parent", "nothing to tell",
    ],
)  # fmt: skip
def test_a_community_has_a_report_where_it_adds_something(
    changes: dict[str, object], is_worth: bool
) -> None:
    child = replace(CHILD, **changes)  # type: ignore[arg-type]
    above = PARENT if child.parent else None
    assert is_worth_reporting(child, above) is is_worth


FRAGMENTS = {
    "its own virus": (PARENT, {}, True),
    "the virus of the report above": (
        replace(PARENT, facts={"species": (ABOVE._replace(value="Dengue virus"),)}), {}, False,
    ),
    "of a few runs of it": (
        replace(PARENT, facts={"species": (ABOVE._replace(value="Dengue virus", runs=40),)}), {},
        True,
    ),
    "in another host": (
        replace(PARENT, facts={"species": (ABOVE._replace(value="Dengue virus"),)}),
        {"facts": {"species": (DENGUE,), "host": (ALSO._replace(parent_runs=20),)}}, True,
    ),
    "of a laboratory as the report above": (
        replace(PARENT, origins={WHOLE: Provenance(100, 90)}),
        {"origins": {WHOLE: Provenance(20, 20)}}, False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FRAGMENTS)
def test_a_fragment_of_the_report_above_has_none(name: str) -> None:
    above, changes, is_worth = FRAGMENTS[name]
    assert is_worth_reporting(replace(CHILD, **changes), above) is is_worth


def test_a_parent_lists_children_with_a_report() -> None:
    other = replace(CHILD, community="C1-b", runs=10, studies=ONE_STUDY)
    parent, child = worth_reporting([PARENT, CHILD, other])
    assert parent.children == (("C1-a", 20),)
    assert child.children == ()


INDEX = {
    "run": """
        run | biosample | bioproject | study
        R1 | S1 | P1 |
        R2 | S2 | P1 |
        R3 | S3 | | T1
        R4 | S4 | |
    """,
    "bioproject": "bioproject | title\nP1 | Viruses of bats",
    "study": "study | title\nT1 | Viruses of mice",
    "community": "community | level | parent | runs\nC0-a | 0 | | 4\nC1-a | 1 | C0-a | 3\n"
    "C1-b | 1 | C0-a | 1",
    "community_member": "community | entity\nC0-a | R1\nC0-a | R2\nC0-a | R3\nC0-a | R4\n"
    "C1-a | R1\nC1-a | R2\nC1-a | R4\nC1-b | R3",
    "detection": "run | sotu | stated\nR1 | u1 | Bat virus\nR2 | u1 | Bat virus\nR3 | u2 |",
    "annotation": "run | facet | value | curie\nR1 | host | Myotis myotis | NCBITaxon:51298\n"
    "R3 | host | Mus musculus | NCBITaxon:10090",
    "term": """
        curie           | label         | rank
        NCBITaxon:51298 | Myotis myotis | species
        NCBITaxon:10090 | Mus musculus  | species
        NCBITaxon:40674 | Mammalia      | class
        NCBITaxon:33208 | Metazoa       | kingdom
        NCBITaxon:9397  | Chiroptera    | order
    """,
    "closure": """
        descendant      | ancestor        | distance
        NCBITaxon:51298 | NCBITaxon:9397    | 1
        NCBITaxon:51298 | NCBITaxon:40674   | 1
        NCBITaxon:51298 | NCBITaxon:33208   | 1
        NCBITaxon:10090 | NCBITaxon:40674   | 1
        NCBITaxon:10090 | NCBITaxon:33208   | 1
    """,
}


def test_rows_of_studies_add_up_to_the_runs_of_a_community_and_name_parts_without_a_report() -> (
    None
):
    con = tiny_index(**INDEX)
    rows = find_study_rows(con, pl.DataFrame({"community": ["C0-a", "C1-a"]}))
    shown = rows.drop("title").rows()
    assert shown == [
        ("C0-a", "P1", 2, 2, "Bat virus", 2, "Myotis myotis", 1, None),
        ("C0-a", "T1", 1, 1, None, 0, "Mus musculus", 1, "C1-b"),
        ("C0-a", "not stated", 1, 0, None, 0, None, 0, None),
        ("C1-a", "P1", 2, 2, "Bat virus", 2, "Myotis myotis", 1, None),
        ("C1-a", "not stated", 1, 0, None, 0, None, 0, None),
    ]
    assert dict(rows.drop_nulls("title").select("study", "title").iter_rows()) == {
        "P1": "Viruses of bats", "T1": "Viruses of mice",
    }  # fmt: skip


def test_a_clade_is_the_lowest_taxon_that_nearly_all_hosts_share() -> None:
    assert community_clades(tiny_index(**INDEX)).rows() == [
        ("C0-a", "mammals", 2, "class"),
        ("C1-a", "Chiroptera", 1, "order"),
        ("C1-b", "mammals", 1, "class"),
    ]  # fmt: skip


def test_the_largest_studies_of_a_community_are_known_to_its_profile() -> None:
    profile = gather_profiles(tiny_index(**INDEX), min_runs=4)[0]
    assert [one.study for one in profile.largest_studies] == ["P1", "T1"]
    assert [one.key for one in profile.largest_studies] == ["bioproject", "study"]
    assert profile.clade == ("mammals", 2, "class")


RATED = """
    studies | largest | of a host | stating | of a tissue | pathogen | laboratory | rating
    10      | 20      | 100       | 100     |             |          |            | 5.0
    10      | 20      | 100       | 100     | 100         |          |            | 7.0
    3       | 20      | 100       | 100     | 100         |          |            | 5.5
    10      | 90      | 100       | 100     | 100         |          |            | 4.0
    10      | 20      | 40        | 100     |             |          |            | 4.0
    10      | 20      | 10        | 10      |             |          |            | 3.5
    10      | 20      | 100       | 100     | 100         | yes      |            | 6.0
    10      | 20      | 100       | 100     | 100         | yes      | 100        | 4.0
    0       | 0       | 0         | 0       |             |          |            | 0.0
"""


@pytest.mark.parametrize("row", RATED.strip().splitlines()[1:])
def test_a_rating_weighs_studies_home_and_pathogens_and_not_size(row: str) -> None:
    """Of 100 runs with the virus: those of one study, of one host, with any host, of one tissue and
    of a laboratory. Nobody knows where the others of a pathogen are from.
    """
    *cells, expected = (cell.strip() for cell in row.split("|"))
    studies, largest, of_host, sourced, tissue = (int(cell or 0) for cell in cells[:5])
    virus = DENGUE._replace(runs=100, known=100)
    said = [virus, FactRow("tissue", "blood", None, tissue, 100, 9.0, 1e-9)][: 1 + bool(tissue)]
    support = Support(
        100, studies=studies, sourced=sourced, sources=(("Homo sapiens", of_host),),
        deposits=(Deposit("P1", largest, "R1", "R9"),) if largest else (),
    )  # fmt: skip
    origin = Provenance(100, int(cells[6] or 0), of_vertebrates=bool(cells[5]))
    profile = replace(
        CHILD, runs=100, facts={"species": (virus,)}, searched=Searched(100, 100, 100),
        support={virus.facet_value: support}, origins={virus.facet_value: origin},
    )  # fmt: skip
    assert rate(profile, said)[0] == float(expected)
    assert rate(replace(profile, searched=Searched(9999, 9999, 9999)), said)[0] == float(expected)


def test_a_report_that_warns_is_rated_higher_and_one_by_k_mers_alone_lower() -> None:
    virus = DENGUE._replace(runs=100, known=100)
    own = Support(100, studies=10, sourced=100, sources=(("Mus musculus", 60),))
    profile = replace(
        CHILD, runs=100, facts={"species": (virus,)}, searched=Searched(100, 100, 100),
        support={virus.facet_value: own},
    )  # fmt: skip
    plain, reasons = rate(profile, [virus])
    assert "warns" not in reasons
    warned = replace(
        profile, support={virus.facet_value: own._replace(unexpected=["Mus musculus"])}
    )
    rating, reasons = rate(warned, [virus])
    assert rating > plain
    assert "warns of a wrong name, host or infection" in reasons
    by_kmers = replace(profile, searched=Searched(100, 100, 0, classified=100))
    assert rate(by_kmers, [virus])[0] < plain

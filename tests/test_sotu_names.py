"""An sOTU is named by what else its runs hold where that contradicts the name of its source."""

from __future__ import annotations

import pytest

from index.annotation.sotu_names import LEAST_RUNS
from tests.test_viruses import ResolvedViruses, resolved

HEADER = "run sotu virus reported_name family identity coverage source\n"
TYPES = """
    NCBITaxon:50 Duo_virus        NCBITaxon no_rank false .
    NCBITaxon:51 Duo_virus_type_2 NCBITaxon no_rank false .
    NCBITaxon:60 Otherviridae     NCBITaxon family  false .
    NCBITaxon:61 Other_virus      NCBITaxon species false .
    NCBITaxon:62 Bigvirus_tres    NCBITaxon species false .
"""
PARENTS = """
    NCBITaxon:50 parent NCBITaxon:27
    NCBITaxon:51 parent NCBITaxon:50
    NCBITaxon:60 parent NCBITaxon:22
    NCBITaxon:61 parent NCBITaxon:60
    NCBITaxon:62 parent NCBITaxon:24
"""


def judged(hits: list[str], labels: list[str]) -> ResolvedViruses:
    """Return what is found of ``hits`` in runs r0, r1, … of organisms ``labels``."""
    runs = [f"r{number} {label}" for number, label in enumerate(labels)]
    return resolved(
        HEADER + "\n".join(hits),
        terms=TYPES.strip(),
        edges=PARENTS.strip(),
        runs="\n".join(["run organism", *runs]),
    )


SEEN = "r0 NC_2 NCBITaxon:50 . . 97 . nt"
"""A hit of another source that agrees with the labels."""


def reported(runs: int, *, start: int = 0) -> list[str]:
    """Return hits of u1, reported as Big virus 1 without an identity, in ``runs`` runs."""
    return [f"r{run} u1 . Big_virus_1 . . 5 palm" for run in range(start, start + runs)]


def test_a_sotu_of_libraries_of_another_virus_is_named_after_it() -> None:
    labels = ["Duo_virus"] * LEAST_RUNS + ["Mus_musculus"] * 5
    found = judged([*reported(LEAST_RUNS + 5), SEEN], labels)
    columns = ["virus", "stated", "taxon", "species", "reported_name"]
    said = found.detection.filter(sotu="u1").select(columns).unique()
    assert said.rows() == [("NCBITaxon:50", "Bigvirus duo", "NCBITaxon:27", None, "Big virus 1")]
    assert found.sotu_name.rows() == [
        ("palm", "u1", "Big virus 1", "NCBITaxon:26", "NCBITaxon:50",
         LEAST_RUNS + 5, LEAST_RUNS, LEAST_RUNS, 1, 0),
    ]  # fmt: skip


def test_labels_alone_leave_the_name_of_the_source() -> None:
    found = judged(reported(LEAST_RUNS), ["Duo_virus"] * LEAST_RUNS)
    assert found.sotu_name["runs_with_hits"].to_list() == [0]
    assert set(found.detection["stated"]) == {"reported as Big virus 1"}


def test_a_type_is_named_where_the_libraries_that_say_one_agree() -> None:
    labels = ["Duo_virus"] * 20 + ["Duo_virus_type_2"] * LEAST_RUNS
    found = judged(reported(len(labels)), labels)
    assert found.sotu_name["virus"].to_list() == ["NCBITaxon:51"]


def test_hits_of_another_source_at_the_identity_of_a_species_are_evidence() -> None:
    hits = [f"r{run} NC_2 NCBITaxon:27 . . 97 . nt" for run in range(LEAST_RUNS)]
    found = judged([*reported(LEAST_RUNS), *hits], ["Mus_musculus"] * LEAST_RUNS)
    assert found.sotu_name["virus"].to_list() == ["NCBITaxon:27"]


@pytest.mark.parametrize(
    "labels",
    [
        ["Duo_virus"] * (LEAST_RUNS - 1),  # few runs
        ["Duo_virus"] * 20 + ["Bigvirus_unum"] * 5,  # runs of the virus that it is reported as
        ["Duo_virus"] * 20 + ["Bigvirus_tres"] * 10,  # runs that disagree
        ["Other_virus"] * 20,  # libraries of another family
    ],
)
def test_weak_evidence_overturns_no_name(labels: list[str]) -> None:
    found = judged(reported(len(labels)), labels)
    assert found.sotu_name.is_empty()
    assert set(found.detection.filter(sotu="u1")["stated"]) == {"reported as Big virus 1"}


def test_a_label_speaks_for_the_deepest_sotu_of_its_family() -> None:
    deeper = [f"r{run} u2 . Bigvirus_unum . . 900 palm" for run in range(20)]
    found = judged([*reported(20), *deeper], ["Duo_virus"] * 20)
    assert found.sotu_name["sotu"].to_list() == ["u2"]


def test_a_name_with_an_identity_is_never_overturned() -> None:
    hits = [f"r{run} u1 . Big_virus_1 . 99 5 palm" for run in range(20)]
    found = judged(hits, ["Duo_virus"] * 20)
    assert set(found.detection["stated"]) == {"Big virus 1"}


def test_a_virus_that_no_list_has_keeps_its_name_and_one_without_a_name_is_no_species() -> None:
    found = judged(
        [
            "r1 u1 . New_bat_virus_3 Bigviridae 99 5 palm",
            "r1 u2 . New_bat_virus_3 Bigviridae 60 5 palm",
            "r1 u3 . New_bat_virus_3 Bigviridae .  5 palm",
            "r1 u4 . uncultured_virus Bigviridae 99 5 palm",
            "r1 u5 . Unclassified_viruses . 99 5 palm",
        ],
        [],
    )
    columns = ["sotu", "stated", "species", "taxon", "family"]
    assert found.detection.sort("sotu").select(columns).rows() == [
        ("u1", "New bat virus 3", "New bat virus 3", "NCBITaxon:23", "Bigviridae"),
        ("u2", "Bigviridae-like", None, "NCBITaxon:23", "Bigviridae"),
        ("u3", "reported as New bat virus 3", None, "NCBITaxon:23", "Bigviridae"),
        ("u4", None, None, "NCBITaxon:23", "Bigviridae"),
        ("u5", None, None, None, None),
    ]

"""Imported associations: the flags they can have, what counts as one test, and what their p-values
may claim.
"""

from __future__ import annotations

import polars as pl
import pytest

from index.mwas.correction import adjust
from index.mwas.imported import check_imported
from index.tables import AssociationTest
from tests.graph_zoo import filled

DUPLICATE = "duplicate of another field"


def published(
    rows: list[tuple[str, str, int, int, float, str | None]], *, project: str = "SYNP1"
) -> pl.DataFrame:
    """Return imported rows of attribute, value, group sizes, p-value and the publisher's flag."""
    columns = ["attribute", "value", "num_true", "num_false", "p_value", "flag"]
    frame = pl.DataFrame(rows, schema=columns, schema_overrides={"flag": pl.String}, orient="row")
    said = {"test": "imported", "source": "mwas.csv", "fold_change": 2.0}
    return filled(frame, AssociationTest, bioproject=project, family="SYNviridae", **said)


TECHNICAL = """
    replicate, BioSample, SampleName, sampling campaign, Name, samp_size, Ribozero?, biorep, model
    collection_date, ENA checklist, RNA_extractor, genome build, replicate_group, annotation file
    pi_first_name, host_subject_id, Patient, subject, organism_taxonomy_id, isolate, Block
"""
BIOLOGICAL = """
    tissue, host name, body size, repeat-rich, disease_model, sampling station, body mass index
    candidate_host, host_taxon_id, hidden_state, gender, dev_stage, subject_status
"""


def test_fields_about_handling_are_known_by_whole_words() -> None:
    names = {text: text.strip().replace("\n", ",").split(",") for text in (TECHNICAL, BIOLOGICAL)}
    for text, flag in ((TECHNICAL, "batch-like field"), (BIOLOGICAL, None)):
        rows = [(name.strip(), "x", 12, 20, 0.01, None) for name in names[text]]
        assert set(check_imported(published(rows), min_group=4)["flag"]) == {flag}


def test_flags_of_the_publisher_stay_beside_those_of_groups() -> None:
    rows = [("replicate", "1", 3, 20, 0.01, DUPLICATE), ("stage", "1", 12, 3, 0.01, None)]
    flags = check_imported(published(rows), min_group=4)["flag"].to_list()
    assert flags == [f"{DUPLICATE}; batch-like field; tiny group", "tiny group"]


def test_fields_published_as_duplicates_count_as_one_test() -> None:
    rows = published(
        [
            ("host", "bat", 12, 20, 0.01, None),
            ("isolate", "bat", 12, 20, 0.01, DUPLICATE),
            ("sex", "male", 15, 17, 0.04, None),
        ]
    )
    corrected = adjust(check_imported(rows, min_group=4)).sort("attribute")
    assert corrected["q_value"].to_list() == pytest.approx([0.02, 0.02, 0.04])


@pytest.mark.parametrize(
    ("num_true", "num_false", "least"), [(1, 19, 0.1), (2, 8, 2 / 45), (12, 20, 1e-8)]
)
def test_no_imported_p_value_counts_for_more_than_its_groups_can_show(
    num_true: int, num_false: int, least: float
) -> None:
    [row] = adjust(published([("tissue", "leaf", num_true, num_false, 1e-8, None)])).iter_rows(
        named=True
    )
    assert (row["p_value"], row["q_value"]) == (1e-8, pytest.approx(least))


def test_nothing_imported_is_nothing_checked() -> None:
    assert check_imported(AssociationTest.create_empty(), min_group=4).is_empty()
    assert adjust(AssociationTest.create_empty()).is_empty()

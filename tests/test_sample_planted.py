"""What ``data/sample/planted.tsv`` lists is in the built index, each kind by a query of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import duckdb
import polars as pl
import pytest

FOUND: Final = {
    "environment": """
        -- runs of the metagenome have it as environment, never as host, and the host of its name
        SELECT p.* FROM planted AS p WHERE samples_true = (
            SELECT count(DISTINCT e.run) FROM run AS r JOIN annotation AS e USING (run)
            WHERE r.bioproject = p.bioproject AND e.facet = 'environment' AND e.value = p.value
              AND (p.other_value IS NULL OR EXISTS (
                  FROM annotation AS h WHERE h.run = r.run AND h.facet = 'host'
                    AND h.method = 'context' AND h.value = p.other_value)))
          AND NOT EXISTS (FROM annotation AS a WHERE a.facet = 'host' AND a.value = p.value)
    """,
    "virus library": """
        SELECT p.* FROM planted AS p WHERE samples_true = (
            SELECT count(DISTINCT run) FROM run JOIN annotation AS a USING (run)
            WHERE bioproject = p.bioproject AND a.facet = 'virus' AND a.value = p.other_value)
          AND NOT EXISTS (FROM annotation AS a WHERE a.facet = 'host' AND a.value = p.value)
    """,
    "other name": """
        -- the taxon of the other name, or one below it, is what the reported name resolves to
        SELECT DISTINCT p.* FROM planted AS p
        JOIN detection AS d ON d.reported_name = p.value
        JOIN run AS r ON r.run = d.run AND r.bioproject = p.bioproject
        JOIN closure AS c ON c.descendant = d.virus
        JOIN (SELECT curie, label AS name FROM term UNION SELECT curie, synonym FROM synonym) AS t
          ON t.curie = c.ancestor AND lower(t.name) = lower(p.other_value)
    """,
    "ambiguous name": """
        SELECT p.* FROM planted AS p WHERE samples_true = (
            SELECT count(DISTINCT d.run) FROM detection AS d JOIN run AS r USING (run)
            WHERE r.bioproject = p.bioproject AND reported_name = p.value
              AND CASE p.value WHEN 'RSV' THEN stated = 'Rice stripe virus'
                -- its sOTU is named by the hits that say which
                ELSE stated = 'Influenza A virus' END)
          AND (p.value = 'RSV' OR EXISTS (
            FROM rejected WHERE contains(reason, p.value || ' is several taxa')))
    """,
    "identity": """
        SELECT p.* FROM planted AS p WHERE samples_true = (
            SELECT count(DISTINCT d.run) FROM detection AS d JOIN run AS r USING (run)
            WHERE d.source = 'palm_virome'
              AND (p.bioproject IS NULL OR r.bioproject = p.bioproject)
              AND CASE p.value
                WHEN 'species' THEN identity >= 90
                WHEN 'genus-like' THEN identity >= 70 AND identity < 90 AND species IS NULL
                WHEN 'family-like' THEN identity < 70 AND species IS NULL
                ELSE identity IS NULL AND species IS NULL
                  AND starts_with(stated, p.other_value) END)
    """,
    "searched, not found": """
        SELECT p.* FROM planted AS p WHERE samples_true = (
            SELECT count(*) FROM run AS r JOIN searched AS s USING (run)
            WHERE r.bioproject = p.bioproject AND s.source = 'palm_virome'
              AND r.run NOT IN (SELECT run FROM detection))
    """,
    "not searched": """
        SELECT p.* FROM planted AS p WHERE samples_true = (
            SELECT count(*) FROM run AS r
            WHERE r.bioproject = p.bioproject AND r.run NOT IN (SELECT run FROM searched))
    """,
    "no negatives": """
        SELECT p.* FROM planted AS p
        JOIN association AS a ON a.bioproject = p.bioproject AND a.family = p.value
        WHERE a.test IS DISTINCT FROM 'imported'
        GROUP BY ALL HAVING bool_and(contains(a.flag, 'no negatives'))
    """,
    "pair": """
        SELECT DISTINCT p.* FROM planted AS p JOIN plausibility AS l
          ON p.planted = l.plausibility || ' pair'
        JOIN term AS v ON v.curie = l.virus AND lower(v.label) = lower(p.value)
        JOIN term AS h ON h.curie = l.host AND lower(h.label) = lower(p.other_value)
    """,
    "segments": """
        -- several segments are several detections in a run, of one virus
        SELECT p.* FROM planted AS p WHERE samples_true = (
            SELECT count(*) FROM (
                SELECT d.run FROM detection AS d JOIN run AS r USING (run)
                JOIN virus AS v USING (virus)
                WHERE r.bioproject = p.bioproject AND v.name = p.value
                  AND d.source = 'serratus_nt'
                GROUP BY d.run HAVING count(DISTINCT d.sotu) > 1 AND count(DISTINCT d.virus) = 1))
    """,
    "former place": """
        SELECT p.* FROM planted AS p WHERE EXISTS (
            FROM annotation AS a JOIN run AS r USING (run) WHERE r.bioproject = p.bioproject
              AND a.facet = 'geography' AND a.value = p.other_value)
          AND NOT EXISTS (FROM annotation AS a WHERE a.facet = 'geography'
              AND starts_with(a.value, split_part(p.value, ':', 1)))
    """,
    "finer place": """
        SELECT p.* FROM planted AS p WHERE 2 = (
            SELECT count(DISTINCT a.value) FROM annotation AS a JOIN run AS r USING (run)
            WHERE r.bioproject IS NOT DISTINCT FROM p.bioproject AND a.facet = 'geography'
              AND lower(a.value) IN (lower(p.value), lower(p.other_value)))
    """,
    "no place": """
        SELECT DISTINCT p.* FROM planted AS p JOIN ungrounded AS u ON u.text = p.value
        WHERE u.facet = 'geography' AND u.runs = p.samples_true
          AND NOT EXISTS (FROM annotation AS a WHERE a.facet = 'geography' AND a.value = p.value)
    """,
    "study": """
        SELECT p.* FROM planted AS p JOIN study AS s ON s.study = p.value
        WHERE samples_true = (SELECT count(*) FROM run AS r
            WHERE r.study = p.value AND r.bioproject IS NULL)
          AND EXISTS (FROM relationship WHERE p.value IN (source, target))
    """,
    "attribute of runs": """
        -- the runs have it of their own, no sample has it, and it is read like any other
        SELECT p.* FROM planted AS p WHERE samples_true = (
            SELECT count(DISTINCT a.run) FROM run_attribute AS o JOIN annotation AS a USING (run)
            WHERE o.attribute = p.attribute AND o.value = p.value
              AND a.attribute = p.attribute AND a.value = p.other_value)
          AND NOT EXISTS (FROM biosample_attribute AS b
              WHERE b.attribute = p.attribute AND b.value = p.value)
    """,
}
"""Kind -> the rows of ``planted`` (those of the kind) that the index holds."""


@pytest.fixture(scope="module")
def planted() -> pl.DataFrame:
    """Return what is planted beside associations, pairs of all plausibilities as one kind."""
    path = Path(__file__).resolve().parents[1] / "data" / "sample" / "planted.tsv"
    rows = pl.read_csv(path, separator="\t", null_values="")
    kind = pl.col("planted").str.replace(r"^.* pair$", "pair").alias("kind")
    return rows.with_columns(kind).filter(pl.col("kind") != "association")


def test_every_kind_that_is_planted_is_looked_for(planted: pl.DataFrame) -> None:
    assert set(planted["kind"]) == set(FOUND)


@pytest.mark.parametrize("kind", FOUND)
def test_what_is_planted_is_found(
    kind: str, planted: pl.DataFrame, sample_db: duckdb.DuckDBPyConnection
) -> None:
    listed = planted.filter(pl.col("kind") == kind)
    assert not listed.is_empty()
    sample_db.register("planted", listed)
    found = sample_db.sql(FOUND[kind]).pl()
    missed = listed.join(found, on=["planted", "bioproject", "value"], how="anti", nulls_equal=True)
    assert missed.is_empty(), missed


def test_some_associations_have_negatives_and_some_families_have_none(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    query = "SELECT DISTINCT coalesce(contains(flag, 'no negatives'), false) FROM association"
    assert sorted(sample_db.sql(query).fetchall()) == [(False,), (True,)]


def test_segments_of_a_virus_weigh_once_in_a_run(sample_db: duckdb.DuckDBPyConnection) -> None:
    query = """
        SELECT target, count(*), round(sum(weight), 6) FROM relationship
        WHERE predicate = 'run-sotu' AND starts_with(source, 'NC_01439') GROUP BY target
    """
    runs = sample_db.sql(query).fetchall()
    assert len(runs) > 20
    assert {(segments, weight) for _, segments, weight in runs} == {(3, 0.5)}

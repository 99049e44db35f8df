"""Bioprojects of a run or two that were registered together count as one study."""

from __future__ import annotations

from index.reports.campaigns import CAMPAIGN_OF_RUN, FEWEST, MOST_APART
from tests.tiny_index import tiny_index


def campaigns(numbers: list[int], organism: str = "soil metagenome") -> set[str]:
    """Return what stands for the studies of runs of one bioproject each."""
    rows = "\n".join(f"R{number} | PRJNA{number} | {organism}" for number in numbers)
    con = tiny_index(run=f"run | bioproject | organism\n{rows}")
    return {name for (name,) in con.sql(f"SELECT campaign FROM ({CAMPAIGN_OF_RUN})").fetchall()}


def test_neighbouring_bioprojects_of_one_organism_are_one_campaign() -> None:
    series = [1000 + MOST_APART * place for place in range(FEWEST)]
    assert campaigns(series) == {"PRJNA1000"}
    assert len(campaigns(series[1:])) == FEWEST - 1, "a few neighbours are chance"
    apart = series[-1] + MOST_APART + 1
    assert campaigns([*series, apart]) == {"PRJNA1000", f"PRJNA{apart}"}


def test_a_bioproject_of_several_runs_is_a_study() -> None:
    rows = [f"R{number} | PRJNA{number}" for number in range(100, 100 + FEWEST)]
    rows += [f"S{number} | PRJNA105" for number in range(2)]
    con = tiny_index(run="run | bioproject | organism\n" + "\n".join(f"{row} | x" for row in rows))
    found = con.sql(f"SELECT count(DISTINCT campaign) FROM ({CAMPAIGN_OF_RUN})").fetchall()
    assert found == [(FEWEST,)]

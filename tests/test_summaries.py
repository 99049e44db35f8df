"""Summaries of reports: what of the title marks a community, and what was searched."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from index.reports.profiles import FactRow, Profile, Searched
from index.reports.templates import template_reports

EBOLA = FactRow("species", "Zaire ebolavirus", None, 30, 30, 13.0, 1e-9, 190, 200)
MOUSE = FactRow("host", "Mus musculus", None, 30, 30, 8.0, 1e-9, 32, 60)
INFECTED = Profile(
    "C1-m", 1, "C0-e", 30, {"species": (EBOLA,), "host": (MOUSE,)},
    joints={(("host", "Mus musculus"), ("species", "Zaire ebolavirus")): 30},
    searched=Searched(30, 30, 30), parent_runs=200,
)  # fmt: skip
WATER = FactRow("environment", "freshwater metagenome", None, 24, 24, 27.0, 1e-9)
DRY = Profile("C0-w", 0, None, 24, {"environment": (WATER,)}, searched=Searched(24, 0, 0))


def summary(profile: Profile) -> str:
    (text,) = template_reports([profile]).report["summary"]
    return re.sub(r" \[Filters:.*?\]", "", text)


def test_a_value_of_the_title_that_marks_the_community_is_compared_with_its_parent() -> None:
    """Virus and host are of the same runs: the host is what its siblings do not have."""
    (title,) = template_reports([INFECTED]).report["title"]
    assert title == "Zaire ebolavirus in Mus musculus"
    marked = "The host is Mus musculus in all 30 runs, against 2 of 30 (7%) in the rest of its"
    assert marked in summary(INFECTED)
    alike = MOUSE._replace(parent_runs=56)
    facts = {"species": (EBOLA,), "host": (alike,)}
    assert "The host is" not in summary(replace(INFECTED, facts=facts))


@pytest.mark.parametrize(
    ("searched", "said"),
    [
        (Searched(24, 0, 0), "Viruses were found in 0 of 24 runs searched."),
        (Searched(20, 20, 3), "Viruses were found in 20 of 20 runs searched."),
        (Searched(0, 0, 0), "0 of its 24 runs were searched for viruses."),
    ],
)
def test_a_community_without_a_named_virus_says_what_was_searched(
    searched: Searched, said: str
) -> None:
    assert said in summary(replace(DRY, searched=searched))


def test_what_was_searched_is_not_said_beside_a_named_virus() -> None:
    assert "searched" not in summary(INFECTED)

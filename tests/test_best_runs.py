"""The runs that reports name: identity, reads and run are those of one detection, the best."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any

import duckdb
import polars as pl
import pytest

from index.reports.support import EXAMPLES, find_support
from query.browsing.communities import read_report
from query.browsing.risks import RiskVirus, risk_lines
from tests.tiny_index import tiny_index

RUNS = 4


@dataclass(frozen=True)
class Hit:
    """A detection, as a table has it and as it is ranked here."""

    run: str
    sotu: str
    stated: str
    identity: float | None
    reads: int | None

    def rank(self) -> tuple[bool, int, float, str, str]:
        """Return its place: at 90 % first, then by reads, then by identity."""
        is_alike = self.identity is not None and self.identity >= 90
        reads = -1 if self.reads is None else self.reads
        return not is_alike, -reads, -(self.identity or -1.0), self.run, self.sotu


def some_hits(seed: int) -> list[Hit]:
    """Return detections of several runs, each at most once for a run and an sOTU."""
    chance = random.Random(seed)
    keys = [(f"R{number}", sotu) for number in range(1, RUNS + 1) for sotu in "abcd"]
    return [
        Hit(
            run, sotu, chance.choice(["Lassa virus", "reported as Lassa virus"]),
            chance.choice([None, 85.0, 90.0, 97.0, 99.0]), chance.choice([None, 3, 120, 5000]),
        )
        for run, sotu in chance.sample(keys, 9)
    ]  # fmt: skip


def index_of(hits: list[Hit], runs: int = RUNS) -> duckdb.DuckDBPyConnection:
    """Return an index whose one community has all ``runs``."""
    names = [f"R{number}" for number in range(1, runs + 1)]
    rows = [
        f"{one.run} | {one.sotu} | NCBITaxon:1 | {one.stated} | "
        f"{'' if one.identity is None else one.identity} | "
        f"{'' if one.reads is None else one.reads} | nt"
        for one in hits
    ]
    return tiny_index(
        run="run\n" + "\n".join(names),
        community=f"community | level | runs\nC0-a | 0 | {runs}",
        community_member="community | entity\n" + "\n".join(f"C0-a | {run}" for run in names),
        report="community | title | label | summary | rating | rating_explanation | risk_group"
        " | dropped | facts_hash | prompt_tokens | completion_tokens\n"
        "C0-a | Lassa | Lassa | Runs. | 5 | Few runs. | RG4 | 0 | x | 0 | 0",
        detection="run | sotu | virus | stated | identity | reads | source\n" + "\n".join(rows),
        virus_risk="virus | risk_group\nNCBITaxon:1 | RG4",
        virus="virus | name\nNCBITaxon:1 | Lassa virus",
        annotation="run | facet | value | curie\nR4 | virus | Lassa virus | NCBITaxon:1",
    )


@pytest.mark.parametrize("seed", range(4))
def test_a_sentence_names_identity_and_reads_of_one_detection(seed: int) -> None:
    hits = some_hits(seed)
    con = index_of(hits)
    stated = sorted({hit.stated for hit in hits})
    wanted = pl.DataFrame(
        {"community": "C0-a", "facet": "species", "value": name} for name in stated
    )
    support = find_support(con, wanted)
    for name in stated:
        most_read: dict[str, Hit] = {}
        own = [one for one in hits if one.stated == name]
        for hit in sorted(
            own, key=lambda one: -1 if one.reads is None else one.reads, reverse=True
        ):
            before = most_read.setdefault(hit.run, hit)
            if hit.reads == before.reads:
                most_read[hit.run] = min(hit, before, key=lambda one: Hit.rank(one)[1:])
        best = sorted(most_read.values(), key=lambda one: Hit.rank(one)[1:])[:EXAMPLES]
        expected = [(one.run, one.identity, one.reads) for one in best]
        rows = support.filter(pl.col("value") == name).select("run", "identity", "reads").rows()
        assert rows == expected


@pytest.mark.parametrize("seed", range(4))
def test_a_risk_line_names_identity_and_reads_of_one_detection(seed: int) -> None:
    hits = some_hits(seed)
    (risk,) = read_report(index_of(hits), "C0-a").risks
    best = min(hits, key=Hit.rank)
    assert (risk.run, risk.identity, risk.reads) == (best.run, best.identity, best.reads)
    most = {hit.run: max(one.reads or 0 for one in hits if one.run == hit.run) for hit in hits}
    named = [hit for hit in hits if hit.stated == "Lassa virus"]
    alike = [hit for hit in named if hit.identity is not None and hit.identity >= 90]
    sure = {hit.run for hit in alike if hit.reads is None or hit.reads >= most[hit.run] / 500}
    found = {hit.run for hit in hits}
    assert risk.runs == len(found), "a label is no finding"
    assert risk.confirmed == len(sure)
    assert risk.most_reads == max((hit.reads for hit in hits if hit.reads), default=None)


def test_a_run_counts_by_its_best_supported_hit() -> None:
    hits = [
        Hit("R1", "a", "Lassa virus", 93.0, 40),
        Hit("R1", "b", "reported as Lassa virus", None, 90),
        Hit("R2", "a", "Lassa virus", None, None),
        Hit("R3", "a", "Lassa virus", 85.0, 50),
        Hit("R4", "a", "Lassa virus", 99.0, 1),
        Hit("R4", "b", "Other virus", 99.0, 5000),
    ]
    lassa, other = read_report(index_of(hits), "C0-a").risks
    assert (lassa.runs, lassa.confirmed, lassa.deposited, lassa.labelled) == (4, 1, 1, 1)
    assert lassa.others == ["deposited", "trace", "below"]
    assert (lassa.low, lassa.high) == (93, 93)
    assert (other.runs, other.confirmed, other.others, other.labelled) == (1, 1, [], 0)


LASSA = RiskVirus("Lassa virus", "RG4", 9, "SRR1", 98.0, 12, 12, False, 20, 9)
FAINT = RiskVirus("Ebola virus", "RG4", 1, "SRR2", None, 3, 3, True, 20)


MORE = replace(FAINT, virus="Nipah virus", group="RG3", most_reads=40)
RISKS = """
    viruses                                        | lines
    LASSA                                          | Risk group RG4: Lassa virus
    LASSA group=RG2                                | Risk group RG2: Lassa virus
    LASSA confirmed=0 others=below                 | Not confirmed: Lassa virus (9 runs; below 90% identity)
    LASSA confirmed=0 others=trace,name            | Not confirmed: Lassa virus (9 runs; traces only or by name alone)
    LASSA confirmed=1                              | Confirmed in one or two runs only: Lassa virus (1 of 9 runs; 12 reads)
    LASSA confirmed=2 runs=2 low=94 high=95        | Confirmed in one or two runs only: Lassa virus (2 runs; 94 to 95% identity, up to 12 reads)
    LASSA outweighed=9 positive=95                 | Not confirmed: Lassa virus (9 runs; in 9 further runs a relative has more reads)
    LASSA positive=95                              | RG4 in some of its runs: Lassa virus in 9 runs (best in SRR1: 98% identity, 12 reads)
    LASSA positive=95 confirmed=4 outweighed=1     | RG4 in some of its runs: Lassa virus in 10 runs, 4 of them confirmed (best in SRR1: 98% identity, 12 reads)
    LASSA confirmed=0 deposited=9                  | Risk group RG4: Lassa virus (by a polymerase that was deposited under another name)
    LASSA confirmed=1 deposited=8                  | Risk group RG4: Lassa virus (by a polymerase that was deposited under another name; confirmed in 1)
    LASSA confirmed=0 deposited=9 positive=95 others=deposited | Not confirmed: Lassa virus (9 runs; by a polymerase that was deposited under another name)
    FAINT                                          |
    FAINT runs=9                                   |
    FAINT most_reads=100 others=k-mers             | Not confirmed: Ebola virus (1 run; by k-mers alone)
    FAINT labelled=2                               |
    FAINT runs=0 labelled=9                        | Risk group RG4: Ebola virus (by the label of 9 runs)
    FAINT + MORE                                   |
    LASSA + LASSA group=RG3                        | Risk group RG4: Lassa virus / RG3 in some of its runs: Lassa virus in 9 runs (best in SRR1: 98% identity, 12 reads)
"""  # noqa: E501


def virus_of(text: str) -> RiskVirus:
    name, *changes = text.split()
    changed: dict[str, Any] = dict(one.split("=") for one in changes)
    numbers = {key: int(value) if value.isdigit() else value for key, value in changed.items()}
    if "others" in changed:
        numbers["others"] = changed["others"].split(",")
    return replace({"LASSA": LASSA, "FAINT": FAINT, "MORE": MORE}[name], **numbers)


@pytest.mark.parametrize("row", RISKS.strip().splitlines()[1:])
def test_risk_lines_say_what_is_reported_or_faint(row: str) -> None:
    viruses, lines = (cell.strip() for cell in row.split("|"))
    expected = lines.split(" / ") if lines else []
    assert risk_lines([virus_of(one) for one in viruses.split(" + ")]) == expected


def test_a_run_far_below_the_usual_identity_is_not_the_best_of_many() -> None:
    usual = [Hit(f"R{place}", "a", "Lassa virus", 99.0, place) for place in range(1, 12)]
    hits = [*usual, Hit("R12", "a", "Lassa virus", 92.0, 5000)]
    con = index_of(hits, runs=12)
    wanted = pl.DataFrame({"community": ["C0-a"], "facet": ["species"], "value": ["Lassa virus"]})
    assert find_support(con, wanted)["run"].to_list() == ["R11", "R10"]

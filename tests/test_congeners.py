"""A species is stated only where no other species of its genus explains the reads of the run."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.reports.fact_rows import FactRow
from index.reports.naming.title_values import is_nameable
from index.stated import CLOSEST, EXPLAINED, names_no_species
from query.browsing.communities import read_report
from query.browsing.risks import risk_lines
from tests.test_viruses import resolved
from tests.tiny_index import tiny_index

HEADER = "run sotu virus identity reads coverage score source\n"
KIN = """
    NCBITaxon:40 Bigvirus_tres NCBITaxon species false .
    NCBITaxon:41 Farvirus      NCBITaxon genus   false .
    NCBITaxon:42 Farvirus_unum NCBITaxon species false .
"""
PARENTS = """
    NCBITaxon:40 parent NCBITaxon:24
    NCBITaxon:41 parent NCBITaxon:23
    NCBITaxon:42 parent NCBITaxon:41
"""


def stated(rows: str) -> list[tuple[str, str | None, str | None, float | None]]:
    """Return stated, species, closest, congener_ratio of each hit."""
    found = resolved(HEADER + rows.strip(), terms=KIN.strip(), edges=PARENTS.strip())
    columns = ["stated", "species", "closest", "congener_ratio"]
    return found.detection.sort("run", "sotu").select(columns).rows()


CASES = """
# below a twentieth of a congener: reads of the genus
r01 A1 NCBITaxon:27 98 100  . 90 nt          | Bigvirus~Bigvirus duo | -             | NCBITaxon:27 | 30
r01 A2 NCBITaxon:26 99 3000 . 90 nt          | Big virus 1           | Bigvirus unum | -            | -
# a twentieth: a species with the congener beside
r02 A1 NCBITaxon:27 98 100  . 90 nt          | Bigvirus duo          | Bigvirus duo  | -            | 20
r02 A2 NCBITaxon:26 99 2000 . 90 nt          | Big virus 1           | Bigvirus unum | -            | -
# segments of a virus are added before it is compared
r03 A1.1 NCBITaxon:27 98 60 . 90 nt          | Bigvirus duo          | Bigvirus duo  | -            | 50/3
r03 A1.2 NCBITaxon:27 98 60 . 40 nt          | Bigvirus duo          | Bigvirus duo  | -            | 50/3
r03 A2 NCBITaxon:26 99 2000 . 90 nt          | Big virus 1           | Bigvirus unum | -            | -
# only hits of one run, source and genus are compared
r04 A1 NCBITaxon:27 98 10   . 90 nt          | Bigvirus duo          | Bigvirus duo  | -            | -
r04 A4 NCBITaxon:42 99 9000 . 90 nt          | Farvirus unum         | Farvirus unum | -            | -
r04 A2 NCBITaxon:26 99 9000 . 90 other       | Big virus 1           | Bigvirus unum | -            | -
r05 A2 NCBITaxon:26 99 9000 . 90 nt          | Big virus 1           | Bigvirus unum | -            | -
# contigs are not compared
r06 u1 NCBITaxon:27 98 10   3 . palm_virome  | Bigvirus duo          | Bigvirus duo  | -            | -
r06 u2 NCBITaxon:26 99 9000 8 . palm_virome  | Big virus 1           | Bigvirus unum | -            | -
# hits below the identity of a species are: reads of one lyssavirus fall on another at 85 %
r07 A1 NCBITaxon:27 85 10   . 90 nt          | Bigvirus~Bigvirus duo | -             | NCBITaxon:27 | 900
r07 A2 NCBITaxon:26 98 9000 . 90 nt          | Big virus 1           | Bigvirus unum | -            | -
# aligned reads near one species alone are of it: types of a virus are less alike than 90 % in
# nucleotides; contigs are amino acids
r08 A1 NCBITaxon:27 85 10 . 90 nt            | Bigvirus duo          | -             | -            | -
r09 A1 NCBITaxon:27 85 10 . 90 nt            | Bigvirus-like         | -             | -            | -
r09 A2 NCBITaxon:26 84 10 . 90 nt            | Bigvirus-like         | -             | -            | -
r10 A1 NCBITaxon:27 79 10 . 90 nt            | Bigvirus-like         | -             | -            | -
r11 u3 NCBITaxon:27 85 10 3 .  palm_virome   | Bigvirus-like         | -             | -            | -
"""  # noqa: E501


def test_a_species_is_stated_where_no_congener_explains_its_reads() -> None:
    lines = [line for line in CASES.strip().splitlines() if not line.startswith("#")]
    cells = [[cell.strip() for cell in line.split("|")] for line in lines]
    expected = {" ".join(hit.split()[:2]): stated_as for hit, *stated_as in cells}
    found = stated("\n".join(hit for hit, *_ in sorted(cells)))
    for (key, stated_as), hit in zip(sorted(expected.items()), found, strict=True):
        said = [str(part) if part else "-" for part in hit[:3]]
        assert said == [stated_as[0].replace("~", CLOSEST), *stated_as[1:3]], key
        assert (hit[3] is None) == (stated_as[3] == "-"), key
        assert hit[3] is None or hit[3] == pytest.approx(float(Fraction(stated_as[3]))), key


READS = st.integers(1, 10_000)


@settings(max_examples=5)
@given(st.lists(st.tuples(READS, READS, READS), min_size=9, max_size=9))
def test_what_is_stated_follows_from_the_most_reads(runs: list[tuple[int, int, int]]) -> None:
    hits = stated(
        "\n".join(
            f"r{run} A1.1 NCBITaxon:27 98 {first}  . 90 nt\n"
            f"r{run} A2.1 NCBITaxon:26 99 {second} . 90 nt\n"
            f"r{run} A3.1 NCBITaxon:40 99 {third}  . 90 nt"
            for run, (first, second, third) in enumerate(runs)
        )
    )
    most = [(own, max(reads)) for reads in runs for own in reads]
    for (own, of_run), (name, species, closest, ratio) in zip(most, hits, strict=True):
        is_explained = of_run > EXPLAINED * own
        assert names_no_species(name) is is_explained
        assert (species is None) is (closest is not None) is is_explained
        assert (ratio is None) is (own == of_run)


def test_no_title_is_of_a_virus_that_a_congener_outweighs() -> None:
    often = FactRow("species", "A virus", None, 6, 9, 3.0, 0.001, beside=4)
    seldom = often._replace(beside=1)
    assert (is_nameable(often), is_nameable(seldom)) == (False, True)
    assert not is_nameable(often._replace(value=f"Bigvirus{CLOSEST}A virus", beside=0))


def test_the_risk_lines_of_a_report_leave_out_runs_where_a_congener_has_more_reads() -> None:
    con = tiny_index(
        community="community | level | runs\nC0-a | 0 | 3",
        community_member="community | entity\nC0-a | R1\nC0-a | R2\nC0-a | R3",
        report="community | title | label | summary | rating | rating_explanation | risk_group"
        " | dropped | facts_hash | prompt_tokens | completion_tokens\n"
        "C0-a | Pox | Pox | Three runs. | 5 | Few runs. | RG4 | 0 | x | 0 | 0",
        community_risk="community | risk_group | taxon | name | rule | row | listed | register\n"
        "C0-a | RG4 | NCBITaxon:1 | Big virus | listed | 7 | NCBITaxon:1 | shipped",
        detection="""
        run | sotu | virus       | stated    | congener    | congener_ratio | identity | reads
        R1  | u1   | NCBITaxon:1 | Big virus | NCBITaxon:2 | 4              | 99       | 40
        R2  | u1   | NCBITaxon:1 | Big virus | NCBITaxon:2 | 2              | 99       | 20
        R3  | u1   | NCBITaxon:1 | Big virus |             |                | 98       | 12
        """,
        virus_risk="virus | risk_group\nNCBITaxon:1 | RG4",
    )
    (risk,) = read_report(con, "C0-a").risks
    assert (risk.runs, risk.positive, risk.run) == (1, 3, "R3")
    assert (risk.confirmed, risk.outweighed) == (1, 2)
    (line,) = risk_lines([risk])
    assert line.endswith("Big virus (1 run; in 2 further runs a relative has more reads)")
    seen = replace(risk, runs=3, confirmed=3, outweighed=0)
    assert risk_lines([replace(seen, positive=90)]) == [
        "RG4 in some of its runs: Big virus in 3 runs (best in R3: 98% identity, 12 reads)"
    ]
    defining = replace(risk, runs=3, confirmed=3)
    assert risk_lines([defining]) == ["Risk group RG4: Big virus"]
    assert risk_lines([replace(risk, group="RG2")]) == []

"""A species is stated only where no other species of its genus explains the reads of the run."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from index.reports.fact_rows import FactRow
from index.reports.naming.title_values import is_nameable
from index.stated import CLOSEST, EXPLAINED, names_no_species
from query.browsing.communities import read_report, risk_lines
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


def stated(rows: str) -> list[tuple[str, str, str | None, str, str | None, float | None]]:
    """Return sotu, stated, species, taxon, closest, congener_ratio of each hit."""
    found = resolved(HEADER + rows.strip(), terms=KIN.strip(), edges=PARENTS.strip())
    columns = ["sotu", "stated", "species", "taxon", "closest", "congener_ratio"]
    return found.detection.sort("run", "sotu").select(columns).rows()


def test_a_hit_below_a_twentieth_of_a_congener_is_reads_of_the_genus() -> None:
    assert stated("""
        r1 A1.1 NCBITaxon:27 98 100  . 90 nt
        r1 A2.1 NCBITaxon:26 99 3000 . 90 nt
    """) == [
        ("A1.1", f"Bigvirus{CLOSEST}Bigvirus duo", None, "NCBITaxon:24", "NCBITaxon:27", 30),
        ("A2.1", "Big virus 1", "Bigvirus unum", "NCBITaxon:25", None, None),
    ]  # fmt: skip


def test_a_twentieth_of_a_congener_is_a_species_with_the_congener_beside() -> None:
    ((_, name, species, _, closest, ratio), _) = stated("""
        r1 A1.1 NCBITaxon:27 98 100  . 90 nt
        r1 A2.1 NCBITaxon:26 99 2000 . 90 nt
    """)
    assert (name, species, closest, ratio) == ("Bigvirus duo", "Bigvirus duo", None, 20)


def test_segments_of_a_virus_are_added_before_it_is_compared() -> None:
    hits = stated("""
        r1 A1.1 NCBITaxon:27 98 60   . 90 nt
        r1 A1.2 NCBITaxon:27 98 60   . 40 nt
        r1 A2.1 NCBITaxon:26 99 2000 . 90 nt
    """)
    assert [name for _, name, *_ in hits] == ["Bigvirus duo", "Bigvirus duo", "Big virus 1"]


def test_only_hits_of_one_run_source_and_genus_are_compared() -> None:
    hits = stated("""
        r1 A1.1 NCBITaxon:27 98 10   . 90 nt
        r1 A2.1 NCBITaxon:42 99 9000 . 90 nt
        r1 A3.1 NCBITaxon:26 99 9000 . 90 other
        r2 A4.1 NCBITaxon:26 99 9000 . 90 nt
    """)
    assert all(ratio is None for *_, ratio in hits)


def test_contigs_are_not_compared() -> None:
    hits = stated("""
        r1 u1 NCBITaxon:27 98 10   3 . palm_virome
        r1 u2 NCBITaxon:26 99 9000 8 . palm_virome
    """)
    assert all(ratio is None for *_, ratio in hits)


def test_hits_below_the_identity_of_a_species_are_compared_too() -> None:
    """Reads of one lyssavirus fall on the reference of another at 85 %."""
    ((_, name, *_), (_, other, *_)) = stated("""
        r2 A1 NCBITaxon:27 85 10   . 90 nt
        r2 A2 NCBITaxon:26 98 9000 . 90 nt
    """)
    assert (name, other) == (f"Bigvirus{CLOSEST}Bigvirus duo", "Big virus 1")


def test_aligned_reads_near_one_species_alone_are_of_it() -> None:
    """Types of a virus are less alike than 90 % in nucleotides; contigs are amino acids."""
    rows = """
        r1 A1 NCBITaxon:27 85 10 . 90 nt
        r2 A1 NCBITaxon:27 85 10 . 90 nt
        r2 A2 NCBITaxon:26 84 10 . 90 nt
        r3 A1 NCBITaxon:27 79 10 . 90 nt
        r4 u1 NCBITaxon:27 85 10 3 .  palm_virome
    """
    names = [(name, species) for _, name, species, *_ in stated(rows)]
    like = ("Bigvirus-like", None)
    assert names == [("Bigvirus duo", None), like, like, like, like]


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
    for (own, of_run), (_, name, species, _, closest, ratio) in zip(most, hits, strict=True):
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
    assert line.endswith("a relative or a name alone): Big virus (1 run)")
    seen = replace(risk, confirmed=3)
    assert risk_lines([replace(seen, positive=90)]) == [
        "RG4 in some of its runs: Big virus in 3 runs (best in R3: 98% identity, 12 reads)"
    ]
    defining = replace(risk, runs=3, confirmed=3)
    assert risk_lines([defining]) == ["Risk group RG4: Big virus"]
    assert risk_lines([replace(risk, group="RG2")]) == []

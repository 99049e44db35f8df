"""Template reports: distinct names, a number and a citation in each finding, nothing that is not a
fact.
"""

from __future__ import annotations

import re
from dataclasses import replace

import duckdb
import pytest

from benchmarks.reports import is_joined
from index.reports.citations import read_citations
from index.reports.compose import build_reports, gather_profiles
from index.reports.evidence_rows import (
    Example,
    FarVirus,
    OftenOther,
    Searched,
    Studies,
    StudyCount,
    StudyShare,
    Support,
)
from index.reports.fact_rows import AssociationRow, FactRow, Value
from index.reports.facts import compute_facts
from index.reports.findings.marks import kmer_findings, novel_findings
from index.reports.findings.sentences import statement
from index.reports.findings.studies import association_finding, of_studies
from index.reports.findings.write import write_findings
from index.reports.naming.labels import organism_word, propose_labels
from index.reports.naming.named_values import key
from index.reports.naming.titles import distinct_names, propose_titles
from index.reports.profiles import Profile
from index.reports.quotes import study_title
from index.reports.redundancy import Said
from index.reports.templates import Reports, template_reports
from tests.tiny_index import tiny_index

LEAF = FactRow("tissue", "leaf", "BTO:0000713", 9, 12, 3.2, 0.001)
RICE = FactRow("host", "Oryza sativa", "NCBITaxon:4530", 38, 40, 12.4, 1e-20)
VIRUS = FactRow("species", "Oryza sativa alphaendornavirus", None, 30, 32, 250.0, 1e-20)
OTHER = FactRow("species", "Rice tungro bacilliform virus", None, 4, 32, 80.0, 1e-3)
FAMILY = FactRow("family", "Endornaviridae", None, 30, 32, 20.0, 1e-20)
CHINA = FactRow("geography", "China", None, 22, 30, 2.0, 0.2)
STUDIES = (
    FactRow("bioproject", "SYNP1", None, 25, 40, 30.0, 1e-9),
    FactRow("bioproject", "SYNP2", None, 15, 40, 9.0, 1e-9),
)
BOTH = Studies(2, 40, "SYNP1")
LARGEST = (StudyShare("SYNP1", "bioproject", 25), StudyShare("SYNP2", "bioproject", 15))
TESTED = AssociationRow(
    "SYNP1", "Endornaviridae", "cultivar", "Nipponbare", 6, 19, 2.0, 0.004, None
)

SOIL = FactRow("environment", "soil metagenome", None, 2, 2, 8.0, 0.01)


def joints(*pairs: tuple[FactRow, FactRow, int]) -> dict[tuple[Value, Value], int]:
    """Return the joints of a profile from pairs of facts and the runs that carry both."""
    keyed = ((sorted([key(one), key(other)]), runs) for one, other, runs in pairs)
    return {(first, second): runs for (first, second), runs in keyed}


RICE_FIELD = Profile(
    community="C0-rice",
    level=0,
    parent=None,
    runs=40,
    facts={
        "species": (VIRUS, OTHER),
        "family": (FAMILY,),
        "host": (RICE,),
        "tissue": (LEAF,),
        "geography": (CHINA,),
        "bioproject": STUDIES,
    },
    children=(("C1-a", 25), ("C1-b", 15)),
    associations=(TESTED,),
    biosamples=39,
    bioprojects=2,
    studies=BOTH,
    largest_studies=LARGEST,
    joints=joints(
        (VIRUS, FAMILY, 30),
        (VIRUS, RICE, 29),
        (VIRUS, CHINA, 16),
        (VIRUS, LEAF, 4),
        (FAMILY, RICE, 29),
        (FAMILY, CHINA, 16),
        (RICE, CHINA, 19),
        (RICE, LEAF, 9),
    ),
)
SILENT = Profile("C0-silent", 0, None, 2, {}, biosamples=2)
SMALL = Profile(
    "C0-small", 0, None, 2, {"environment": (SOIL,)}, bioprojects=1, searched=Searched(2)
)
PROFILES = [RICE_FIELD, SILENT, SMALL]


def reports_by_community() -> dict[str, tuple[str, str, str]]:
    report = template_reports(PROFILES).report
    return {
        row[0]: row[1:]
        for row in report.select("community", "title", "label", "summary").iter_rows()
    }


def test_title_names_virus_host_and_what_most_runs_share() -> None:
    names = {name: (title, label) for name, (title, label, _) in reports_by_community().items()}
    assert names == {
        "C0-rice": ("Oryza sativa alphaendornavirus in Oryza sativa, China", "Rice Endornaviridae"),
        "C0-silent": (
            "Runs with little metadata, not searched for viruses",
            "Unspecified Not-searched",
        ),
        "C0-small": ("Soil metagenomes, no virus found", "Soil No-virus"),
    }


def test_summary_reads_as_english() -> None:
    assert re.sub(r" \[Filters:.*?\]", "", reports_by_community()["C0-rice"][2]) == (
        "Oryza sativa alphaendornavirus is found in 30 of the 32 runs with a named virus (94%); "
        "next comes Rice tungro bacilliform virus (4 runs; none with both viruses). The host is "
        "Oryza sativa in 38 of the 40 runs (95%). The place of origin is China in 22 of the 30 "
        "runs with a stated place of origin (73%). This community has 40 runs from 2 studies; 25 "
        "are from SYNP1."
    )


STATED = [
    (LEAF, 15, "the tissue is leaf in 9 of the 12 runs with a stated tissue (75%)"),
    (LEAF, 20, "the tissue is leaf in 9 of the 12 runs with a stated tissue (of 20 in all)"),
    (LEAF, 12, "the tissue is leaf in 9 of the 12 runs (75%)"),
    (LEAF._replace(runs=12), 12, "the tissue is leaf in all 12 runs"),
    (LEAF._replace(runs=2, known=2), 2, "the tissue is leaf in both runs"),
    (VIRUS._replace(runs=1, known=3000), 3000,
     f"{VIRUS.value} is found in 1 of the 3,000 runs (<0.1%)"),
    (CHINA._replace(runs=999, known=1000), 1000,
     "the place of origin is China in 999 of the 1,000 runs (99.9%)"),
]  # fmt: skip


@pytest.mark.parametrize(("fact", "runs", "expected"), STATED)
def test_statement_has_its_denominator(fact: FactRow, runs: int, expected: str) -> None:
    assert statement(fact, runs) == expected


def test_association_says_direction_groups_and_caution() -> None:
    assert association_finding(TESTED).summary == (
        "Endornaviridae are 4 times as abundant in the 6 samples with cultivar “Nipponbare” as in "
        "the other 19 samples of SYNP1 (q = 0.004) [Filters: {{bioproject: SYNP1}}, "
        "{{family: Endornaviridae}}]."
    )
    flagged = association_finding(
        TESTED._replace(fold_change=-2.0, flag="tiny group;batch-like field")
    )
    assert "are 4 times less abundant" in flagged.summary
    assert "caution: tiny group and batch-like field" in flagged.summary
    present = association_finding(TESTED._replace(found_true=5, num_found=7, fold_change=None))
    assert "are found in 5 of the 6 samples with" in present.summary
    assert "and in 2 of the other 19 samples of SYNP1" in present.summary


def said(profile: Profile, *titled: FactRow) -> list[str]:
    """Return the claims of a profile's findings, without references."""
    found = write_findings(profile, Said.of((), titled))
    return [re.sub(r" \[Filters:.*?\]", "", one.summary).rstrip(".") for one in found]


def test_findings_come_in_the_order_of_what_they_tell() -> None:
    """Sound tests, then facts; what flagged tests say comes behind."""
    flagged = replace(RICE_FIELD, associations=(TESTED._replace(flag="tiny group"),))
    expected = ["Endornaviridae are 4 times", "The place"]
    claims = said(RICE_FIELD, VIRUS, RICE, FAMILY)
    assert [claim[: len(start)] for claim, start in zip(claims, expected, strict=True)] == expected
    later = said(flagged, VIRUS, RICE, FAMILY)
    assert later[-1].startswith("Endornaviridae are 4 times")


def test_what_the_title_and_earlier_findings_say_is_not_said_again() -> None:
    """The family of a species in all its runs, and what the title says of all runs."""
    whole = RICE._replace(runs=40)
    profile = replace(RICE_FIELD, facts={**RICE_FIELD.facts, "host": (whole,)})
    claims = " ".join(said(profile, whole))
    assert "Oryza sativa alphaendornavirus is found in 30 of the 32" in claims
    assert "Endornaviridae are found" not in claims
    assert "The host is" not in claims


def test_a_fact_is_a_finding_where_the_parent_has_less_of_it() -> None:
    leaf = LEAF._replace(runs=20, known=24, parent_runs=22, parent_known=80, lift=9.0)
    profile = Profile("C1-a", 1, "C0-rice", 30, {"tissue": (leaf,)})
    assert said(profile) == ["The tissue is leaf in 20 of the 24 runs with a stated tissue (83%)"]
    alike = leaf._replace(parent_runs=70)
    assert said(replace(profile, facts={"tissue": (alike,)})) == []


def test_the_most_frequent_value_comes_first_then_the_rarer_one() -> None:
    leaf = LEAF._replace(runs=20, known=40, lift=1.0)
    silique = LEAF._replace(value="silique", runs=14, known=40, lift=30.0)
    profile = Profile("C1-a", 1, None, 40, {"tissue": (leaf, silique)})
    assert said(profile) == [
        "The tissue is leaf in 20 of the 40 runs (50%); then silique (14 runs)"
    ]


def test_a_sentence_says_which_study_has_most_of_its_runs() -> None:
    said = {
        StudyCount(30, 6, "SYNP1", "bioproject", 9, 30): ", in 6 studies",
        StudyCount(30, 2, "SYNP2", "bioproject", 27, 30): ", all but 3 from SYNP2",
        StudyCount(30, 2, "SYNP2", "bioproject", 18, 30): ", 18 of them from SYNP2",
        StudyCount(30, 1, "SYNP2", "bioproject", 30, 30): ", all from SYNP2",
        StudyCount(30, 2, "SYNP1", "bioproject", 27, 30): "",
        StudyCount(30, 2, "SYNP1", "bioproject", 9, 12): "",
    }
    itself = (key(VIRUS), key(VIRUS))
    profiles = {behind: replace(RICE_FIELD, behind={itself: behind}) for behind in said}
    assert {behind: of_studies(one, key(VIRUS)) for behind, one in profiles.items()} == said


def test_a_virus_says_how_many_of_its_runs_are_of_other_types_than_its_reference() -> None:
    own = FactRow(
        "species", "aichivirus A1", None, 100, 173, 99.0, 0.001, below=58, low=83.0, high=89.0
    )
    profile = Profile("C0-k", 0, None, 173, {"species": (own,)})
    (text,) = template_reports([profile]).report["summary"]
    assert (
        "In 58 of the 100 runs with Aichivirus A1 the identity is below 90% (83 to 89%), so it may "
        "be another type of the species or a close relative."
    ) in re.sub(r" \[Filters:.*?\]", "", text)


def test_viruses_far_from_every_reference_are_a_finding_where_runs_share_one() -> None:
    far = (FarVirus("u7", "Alpha-like", 41.2, 12, 2, 14), FarVirus("u8", None, 60.0, 3, 2, 14))
    (found,) = novel_findings(replace(RICE_FIELD, far_viruses=far))
    assert "2 viruses in 14 of the 40 runs (35%) are below 90% identity to every" in found.summary
    most = "u7 (12 runs), nearest to Alpha (41% identity) and u8 (3 runs), nearest to"
    assert most in found.explanation
    rare = (FarVirus("u7", None, 41.2, 2, 1, 2),)
    assert not novel_findings(replace(RICE_FIELD, far_viruses=rare))


def test_runs_of_other_organisms_by_kmers_add_up_whatever_the_organisms() -> None:
    pairs = tuple(OftenOther(name, "rice", 2, 4, 30) for name in ("Primates", "Diptera"))
    (found,) = kmer_findings(replace(RICE_FIELD, other_by_kmers=pairs))
    assert (
        "in 4 of the 30 runs whose k-mers were counted, most k-mers are from"
        in found.summary.lower()
    )
    few = tuple(pair._replace(number=3) for pair in pairs)
    assert not kmer_findings(replace(RICE_FIELD, other_by_kmers=few))


def test_one_run_is_no_pattern_and_no_finding() -> None:
    """A single run of a rare value, or of each of several bioprojects, marks nothing."""
    lone = {
        "tissue": (FactRow("tissue", "silique", None, 1, 2, 900.0, 0.001),),
        "bioproject": tuple(FactRow("bioproject", f"SYNP{n}", None, 1, 2, 9.0, 1.0) for n in "12"),
    }
    pair = Profile("C0-pair", 0, None, 2, lone, biosamples=2, bioprojects=2)
    assert write_findings(pair) == []
    several = {"tissue": (FactRow("tissue", "silique", None, 3, 3, 900.0, 0.001),)}
    (found,) = write_findings(replace(pair, runs=3, facts=several))
    assert found.summary.startswith("The tissue is silique in all 3 runs")


def test_a_title_joins_only_what_runs_join() -> None:
    """Two marginals are not a joint: the virus and the host are in different runs."""
    apart = replace(RICE_FIELD, joints=joints((VIRUS, FAMILY, 30), (VIRUS, RICE, 5)))
    title = next(propose_titles(apart))
    assert title == "Oryza sativa alphaendornavirus"
    assert is_joined(title, apart)
    assert not is_joined("Oryza sativa alphaendornavirus in Oryza sativa", apart)
    assert is_joined("Oryza sativa alphaendornavirus in Oryza sativa", RICE_FIELD)


def test_every_finding_has_a_number_and_a_citation() -> None:
    for profile in PROFILES:
        findings = template_reports([profile]).finding
        assert len(findings) <= 8
        for summary in findings["summary"]:
            assert re.search(r"\d", summary)
            assert read_citations(summary)


def test_labels_and_titles_are_distinct_where_a_fact_sets_communities_apart() -> None:
    """Labels never tell identical communities apart by an identifier."""
    identical = [replace(RICE_FIELD, community=f"C1-{number:03}", runs=40) for number in range(40)]
    titles, labels = (
        distinct_names(identical, propose_titles),
        distinct_names(identical, propose_labels),
    )
    assert [labels[f"C1-{number:03}"] for number in range(4)] == [
        "Rice Endornaviridae",
        "Rice Oryza-sativa-alphaendornavirus",
        "Rice China",
        "Rice SYNP1",
    ]
    last = "Oryza sativa alphaendornavirus in Oryza sativa, China, 40 runs"
    numbered = [f"{last} ({number})" for number in range(2, 5)]
    assert set(numbered) < set(titles.values())
    assert {"Rice Endornaviridae (2)", "Rice Endornaviridae-China"} < set(labels.values())
    assert len(set(titles.values())) == len(set(labels.values())) == len(identical)
    assert (titles["C1-000"], labels["C1-000"]) == (
        "Oryza sativa alphaendornavirus in Oryza sativa, China",
        "Rice Endornaviridae",
    )
    plain = [re.sub(r" \(\d+\)$", "", label) for label in labels.values()]
    assert all(len(label.split()) == 2 for label in plain)
    assert all("C1-" not in name for name in [*titles.values(), *labels.values()])


def test_a_label_joins_only_what_runs_join() -> None:
    """The host of one run is no part of what a community of a virus is called."""
    guest = FactRow("host", "Phytophthora infestans", "NCBITaxon:4787", 1, 1, 90.0, 0.1)
    profile = replace(
        RICE_FIELD, facts={**RICE_FIELD.facts, "host": (guest,)}, joints=joints((VIRUS, FAMILY, 30))
    )
    assert next(propose_labels(profile)) == "Oryza-sativa-alphaendornavirus Endornaviridae"


def test_the_largest_studies_have_their_titles_and_what_they_hold() -> None:
    titled = LARGEST[0]._replace(title="Viruses of rice under drought")
    largest = (titled, StudyShare("SRP9", "study", 15, organism="Zea mays", organism_runs=14))
    profile = replace(
        RICE_FIELD, facts={**RICE_FIELD.facts, "species": ()}, largest_studies=largest
    )
    (quoted,) = [one for one in write_findings(profile) if "studies are" in one.summary]
    assert quoted.summary == (
        "Its largest studies are SYNP1 “Viruses of rice under drought” (25 runs) and SRP9 "
        "(15; Zea mays in 14) [Filters: {{bioproject: SYNP1}}, {{study: SRP9}}]."
    )


def test_the_size_says_of_how_many_studies_where_most_are_known() -> None:
    def size(studies: Studies) -> str:
        (summary,) = template_reports([replace(RICE_FIELD, studies=studies)]).report["summary"]
        return re.sub(r" \[Filters:.*?\]", "", summary).split(". ")[-1].rstrip(".")

    of_one = "; 25 are from SYNP1"
    assert size(Studies(2, 40, "P1")) == f"This community has 40 runs from 2 studies{of_one}"
    assert size(Studies(2, 20, "P1")) == (
        f"This community has 40 runs, 20 of them from 2 known studies{of_one}"
    )
    assert (
        size(Studies(2, 19, "P1"))
        == "This community has 40 runs; the study is known for 19 of them"
    )


def test_what_is_not_known_is_one_closing_sentence() -> None:
    few = CHINA._replace(runs=2, known=4)
    facts = {"species": (VIRUS,), "geography": (few,)}
    found = Searched(30, 20, 0)
    profile = replace(RICE_FIELD, facts=facts, searched=found, studies=Studies(1, 9, "SYNP1"))
    reports = template_reports([profile])
    (gaps,) = reports.report["gaps"]
    assert gaps == (
        "The host or environment is not recorded in all 40 runs; the identity to a reference is "
        "not known in all 20 runs with a virus; nobody searched for viruses in 10 of the 40 runs "
        "[Filters: {{community: C0-rice}}]."
    )
    said = " ".join([*reports.report["summary"], *reports.finding["summary"]])
    assert "not recorded" not in said
    (known,) = template_reports(
        [replace(RICE_FIELD, searched=Searched(40, 40, 40, measured=40))]
    ).report["gaps"]
    assert known is None


def test_a_virus_is_said_with_its_best_runs_identity_and_studies() -> None:
    best = (Example("R7", 99.5, 1200, source=RICE.value), Example("R2", 97.0, 80, source="maize"))
    support = Support(30, 28, 98.0, 6, known=30, examples=best)
    profile = replace(RICE_FIELD, support={VIRUS.facet_value: support})
    (summary,) = template_reports([profile]).report["summary"]
    assert (
        "The runs with the most reads of Oryza sativa alphaendornavirus are R7 (1,200 reads; 99.5% "
        "identity) and R2 (80; 97% identity, maize) [Filters: {{runId: R7}}, {{runId: R2}}]."
    ) in summary
    assert "(94%), in 6 studies, with a median identity of 98%; next" in summary
    few = support._replace(measured=9)
    (summary,) = template_reports([replace(profile, support={VIRUS.facet_value: few})]).report[
        "summary"
    ]
    assert "median" not in summary


def test_titles_and_organisms_are_shortened_to_what_they_say() -> None:
    titles = {
        "Viruses of rice under drought.": "Viruses of rice under drought",
        "Homo sapiens Raw sequence reads": "",
        "We " + "word " * 40: "We " + " ".join(["word"] * 29) + " …",
        "Other": "",
        None: "",
    }
    words = {
        "Homo sapiens": "Human",
        "Triticum aestivum subsp. spelta": "Wheat",
        "marine sediment metagenome": "Marine-sediment",
        "Zika virus": "Zika",
        "uncultured Prevotella sp.": "Prevotella",
        "metagenome": None,
    }
    assert {title: study_title(title) for title in titles} == titles
    assert {name: organism_word(name) for name in words} == words


def test_hash_changes_with_what_is_said_and_with_nothing_else() -> None:
    def hashed(**changes: object) -> str:
        leaf = LEAF._replace(**changes)  # type: ignore[arg-type]
        return replace(RICE_FIELD, facts={**RICE_FIELD.facts, "tissue": (leaf,)}).facts_hash

    assert hashed(lift=3.21, q_value=0.00101) == RICE_FIELD.facts_hash
    assert hashed(runs=10) != RICE_FIELD.facts_hash
    assert hashed(lift=3.9) != RICE_FIELD.facts_hash
    assert hashed(value="root") != RICE_FIELD.facts_hash
    assert replace(RICE_FIELD, associations=()).facts_hash != RICE_FIELD.facts_hash


INDEX = {
    "run": "run | biosample | bioproject\n" + "\n".join(f"R{n} | S{n} | P{1 + n // 5}" for n in range(1, 11)),  # noqa: E501
    "bioproject": "bioproject | title\nP1 | Phage therapy of chickens\nP2 | Leaf viruses of "
        "chickens",
    "community": """
        community | level | parent | runs
        C0-a | 0 | | 10
        C1-a | 1 | C0-a | 5
        C1-b | 1 | C0-a | 4
        C1-c | 1 | C0-a | 1
    """,
    "community_member": "community | entity\n"
    + "\n".join(f"C0-a | R{n}\nC1-{'a' if n < 6 else 'b' if n < 10 else 'c'} | R{n}" for n in range(1, 11)),  # noqa: E501
    "detection": "run | sotu | species | family\n"
    + "\n".join(f"R{n} | u{n} | Virus {n % 3} | Testviridae" for n in range(1, 9)),
    "annotation": """
        run | facet | value
        R1 | geography | China: Yunnan
        R1 | geography | China
        R2 | geography | China
        R6 | geography | Canada: Quebec
        R6 | geography | Canada
        R8 | geography | Peru: Robot
        R8 | geography | Peru
        R7 | tissue | {{braces}} make no citation
    """,
}  # fmt: skip


def reports_of(con: duckdb.DuckDBPyConnection) -> tuple[list[Profile], Reports]:
    con.register("computed", compute_facts(con))
    con.execute("INSERT INTO fact SELECT * FROM computed")
    profiles = gather_profiles(con, of_parts=2)
    return profiles, build_reports(con, profiles)


def test_reports_of_an_index_are_complete_whatever_the_order_of_rows() -> None:
    con = tiny_index(**INDEX)
    profiles, reports = reports_of(con)
    assert reports.report["community"].to_list() == ["C0-a", "C1-a", "C1-b"]
    assert reports.citation["verified"].all()
    assert reports.report["risk_group"].unique().to_list() == ["unknown"]
    assert [profile.children for profile in profiles] == [(("C1-a", 5), ("C1-b", 4)), (), ()]
    places = {fact.value for fact in profiles[0].of("geography")}
    assert places == {"China", "Canada: Quebec", "Peru"}, "a country or its places; no robot"

    backward = tiny_index(**INDEX)
    backward.execute(
        "CREATE TABLE reversed AS SELECT * FROM community_member ORDER BY entity DESC, community "
        "DESC"
    )
    backward.execute(
        "DELETE FROM community_member; INSERT INTO community_member SELECT * FROM reversed"
    )
    _, same = reports_of(backward)
    for name in ("report", "finding", "citation"):
        assert getattr(reports, name).equals(getattr(same, name)), name


HALVES = {
    "run": "run | biosample | bioproject\n"
    + "\n".join(f"R{n} | S{n} | {'P1' if n < 6 else 'P2'}" for n in range(1, 9)),
    "community": """
        community | level | parent | runs
        C0-a | 0 | | 4
        C0-b | 0 | | 4
        C1-a | 1 | C0-a | 4
        C1-c | 1 | C0-b | 2
        C1-d | 1 | C0-b | 2
    """,
    "community_member": "community | entity\n" + "\n".join(
        [f"C0-a | R{n}\nC1-a | R{n}" for n in range(1, 5)]
        + [f"C0-b | R{n}\n{'C1-c' if n < 7 else 'C1-d'} | R{n}" for n in range(5, 9)]
    ),
    "detection": "run | sotu | family\n" + "\n".join(f"R{n} | u1 | Aviridae" for n in range(1, 5)),
    "association": """
        bioproject|family|attribute|value|num_true|num_false|fold_change|q_value|flag|split
        P1 | Aviridae | tissue | leaf | 3 | 2 | 2.0 | 0.01 | | s1
        P1 | Aviridae | tissue | root | 3 | 2 | -2.0 | 0.01 | | s1
        P1 | Aviridae | organ | leaf | 3 | 2 | 2.0 | 0.01 | duplicate of tissue=leaf | s1
        P1 | Aviridae | biorep | 1 | 3 | 2 | 9.0 | 0.001 | batch-like field | s2
        P1 | Aviridae | season | wet | 3 | 2 | 1.0 | 0.2 | | s3
    """,
}  # fmt: skip


def test_a_community_carried_down_has_no_report_and_its_children_are_its_parents() -> None:
    con = tiny_index(**HALVES)
    reports = build_reports(con, gather_profiles(con, of_parts=2))
    assert reports.report["community"].to_list() == ["C0-a", "C0-b", "C1-c", "C1-d"]
    pointer = "SELECT carried_from FROM community_overview WHERE community = 'C1-a'"
    assert con.sql(pointer).fetchall() == [("C0-a",)]


def test_what_chance_may_explain_in_a_few_runs_is_no_finding() -> None:
    sex = FactRow("sex", "male", None, 7, 9, 1.4, 0.18, 16, 39)
    profile = replace(RICE_FIELD, facts={**RICE_FIELD.facts, "sex": (sex,)})
    assert not [claim for claim in said(profile) if "male" in claim]
    more = sex._replace(runs=24, known=30, parent_runs=25, parent_known=90)
    sure = replace(profile, facts={**profile.facts, "sex": (more,)})
    assert [claim for claim in said(sure) if "male" in claim]

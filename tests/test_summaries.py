"""Summaries of reports: what of the title marks a community, and what was searched."""

from __future__ import annotations

import re
from dataclasses import replace

import polars as pl
import pytest

from index.reports.compose import gather_profiles
from index.reports.evidence_rows import (
    SOTU,
    Carrier,
    Deposit,
    Provenance,
    Searched,
    StudyCount,
    Support,
    Weighed,
)
from index.reports.fact_rows import FactRow
from index.reports.facts import compute_facts
from index.reports.findings.evidence import classified_clauses, evidence_clauses, print_clauses
from index.reports.findings.own_runs import source_clauses, study_words
from index.reports.findings.studies import study_findings
from index.reports.findings.unnamed import unnamed_clauses
from index.reports.findings.viruses import mixture_clauses, virus_findings
from index.reports.profiles import Profile
from index.reports.templates import template_reports
from index.store.origins import HUMAN, KINDS, OF_RUN
from tests.tiny_index import tiny_index

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


@pytest.mark.parametrize(
    ("searched", "said"),
    [
        (Searched(23, 0, 0), "No virus was found in 23 runs searched; 1 was never searched."),
        (
            Searched(24, 0, 0, sources=("here", "there")),
            "No virus was found in 24 runs searched for what here and there can find.",
        ),
        (Searched(20, 20, 3), "Viruses were found in all 20 runs searched; 4 were never searched."),
        (Searched(0, 0, 0), "0 of its 24 runs were searched for viruses."),
    ],
)
def test_a_community_without_a_named_virus_says_what_was_searched(
    searched: Searched, said: str
) -> None:
    assert said in summary(replace(DRY, searched=searched))
    infected = summary(replace(INFECTED, searched=searched))
    assert "searched" not in infected
    assert "The host is Mus musculus in all 30 runs" in infected, "what its siblings do not have"


SHARED = Searched(24, 20, 0, "u7", 15, 16)
FLY = Carrier("Glossina", False, 11, 2.0, 20.0, "Diptera", False)
TRYPANOSOME = Carrier("Trypanosoma", False, 4, 162.0, 600.0, "Trypanosomatida", True)


def unnamed(profile: Profile) -> str:
    return ". ".join(clause.text for clause in unnamed_clauses(profile))


def test_an_unnamed_virus_that_many_runs_share_is_reported() -> None:
    profile = replace(DRY, searched=SHARED, sources=(TRYPANOSOME, FLY))
    assert unnamed(profile).startswith(
        "the unnamed virus u7 is found in 15 of the 20 runs with a virus (75%), and in 1 run out"
    )
    alone = replace(profile, searched=SHARED._replace(unnamed_everywhere=15))
    assert "and in no runs outside this community" in unnamed(alone)
    places = (("Chad", 6), ("Niger", 2))
    support = Support(15, deposits=(Deposit("P1", 12, "R1", "R9"),), places=places, placed=8)
    said = unnamed(replace(profile, support={(SOTU, "u7"): support}))
    assert "(75%), all but 3 from P1, and in 1" in said
    assert "the runs with u7 come from Chad (6 runs); for 7 of the 15 runs no place of" in said
    few = replace(profile, searched=SHARED._replace(unnamed_runs=4))
    assert unnamed(few) == ""
    assert profile.home == ("Trypanosoma", "Glossina"), "by coverage: tsetse flies feed on them"
    nowhere = replace(profile, sources=(FLY,))
    assert (nowhere.home, unnamed(nowhere)) == ((), "")


def test_the_unnamed_virus_of_a_community_is_counted_over_runs() -> None:
    con = tiny_index(
        run="run\nR1\nR2\nR3\nR4",
        community="community | runs\nC0-a | 3\nC0-b | 1",
        community_member="community | entity\nC0-a | R1\nC0-a | R2\nC0-a | R3\nC0-b | R4",
        detection="""
            run | sotu | family
            R1 | u1 |
            R2 | u1 |
            R2 | u2 | Flaviviridae
            R3 | u2 | Flaviviridae
            R4 | u1 |
        """,
    )
    (profile,) = gather_profiles(con)
    assert profile.searched == Searched(3, 3, 0, "u1", 2, 3)


GRASS = Carrier("Avena", False, 3, 90.0, 330.0, "Poales", True)
COW = Carrier("Bos", False, 3, 90.0, 330.0, "Artiodactyla", True, is_large=True)
GUT = Carrier("gut metagenome", True, 5, 80.0, 300.0, None, True)
PORCINE = FactRow("virus", "Porcine virus", None, 12, 12, 9.0, 0.001)
SOURCES = """
    sources         | labelled | said                                   | not said
    TRYPANOSOME FLY |          | coverage in Glossina is typically at most a fifth of that in Trypanosoma, so food, a parasite or carry-over may explain it there | no such
    TRYPANOSOME     |          | median coverage 162-fold) and other sources (11) | a fifth
    TRYPANOSOME GRASS |        | such different hosts rarely share a vi | a fifth
    TRYPANOSOME COW |          | one of these organisms may live or feed on the other | a fifth
    GRASS GUT       |          | also hold microbes and food, so that the true host is unknown, as for me | seldom share
    TRYPANOSOME GUT | 11       | 11 of the 12 runs labelled Porcine virus carry it | microbes
    TRYPANOSOME GRASS | 12     | all 12 runs labelled Porcine virus carry it | a parasite
    TRYPANOSOME FLY | 11       | 11 of the 12 runs labelled Porcine virus carry it | a parasite
"""  # noqa: E501


@pytest.mark.parametrize("row", SOURCES.strip().splitlines()[1:])
def test_what_explains_an_unnamed_virus_is_said_of_the_sources_that_it_holds_for(row: str) -> None:
    names, labelled, said, unsaid = (cell.strip() for cell in row.split("|"))
    known = {"TRYPANOSOME": TRYPANOSOME, "FLY": FLY, "GRASS": GRASS, "COW": COW, "GUT": GUT}
    label = PORCINE._replace(unnamed="u7", unnamed_runs=int(labelled or 0), unnamed_elsewhere=True)
    text = unnamed(
        replace(
            DRY, searched=SHARED, sources=tuple(known[name] for name in names.split()),
            facts={"virus": (label,) if labelled else ()},
        )
    )  # fmt: skip
    assert said in text
    assert unsaid not in text.replace(said, "")


def test_a_host_whose_runs_are_of_one_study_is_given_with_it() -> None:
    pepper, gourd = ("host", "Capsicum"), ("host", "Cucurbita")
    virus = ("species", "Pepper virus")
    support = Support(25, sourced=25, sources=(("Capsicum", 15), ("Cucurbita", 10)))
    behind = {
        (pepper, virus): StudyCount(15, 1, "P1", "bioproject", 15, 15),
        (gourd, virus): StudyCount(10, 1, "P2", "bioproject", 10, 10),
    }
    profile = replace(DRY, support={virus: support}, behind=behind)
    said = "Pepper virus is found in Capsicum (15 runs) and Cucurbita (10"
    (clause,) = source_clauses(profile, virus)
    assert clause.text == f"{said}; all from P2)", "most runs of a report have its studies"
    behind[gourd, virus] = behind[gourd, virus]._replace(study_runs=9)
    (clause,) = source_clauses(profile, virus)
    assert clause.text == f"{said})"


LABELS = """
    virus   | runs | labelled | titled | labelled Bovine | probably
    Porcine | 30   | 12       | 0      | 0               | yes
    Equine  | 30   | 12       | 5      | 3               | yes
    Ovine   | 30   | 12       | 0      | 4               | no
    Caprine | 30   | 10       | 6      | 4               | yes
    Canine  | 20   | 12       | 0      | 0               | yes
    Feline  | 20   | 9        | 0      | 0               | no
"""


def test_labels_and_titles_of_studies_say_which_virus_an_unnamed_one_is() -> None:
    """Four fifths of the runs with it that name any virus must name the same, whatever others
    carry it.
    """
    tables = {
        "run": ["run | bioproject"], "bioproject": ["bioproject | title"],
        "community": ["community | runs"], "community_member": ["community | entity"],
        "annotation": ["run | facet | value"], "detection": ["run | sotu"],
    }  # fmt: skip
    cases = [[cell.strip() for cell in line.split("|")] for line in LABELS.strip().splitlines()[1:]]
    for name, *numbers, _ in cases:
        runs, labelled, titled, cattle = map(int, numbers)
        tables["community"].append(f"C0-{name} | {runs}")
        tables["bioproject"].append(f"P-{name} | Cells infected with {name.lower()} virus")
        for n in range(1, runs + 1):
            run = f"{name}{n}"
            study = "P" if labelled < n <= labelled + titled else "Q"
            tables["run"].append(f"{run} | {study}-{name}")
            tables["community_member"].append(f"C0-{name} | {run}")
            tables["detection"].append(f"{run} | u-{name}")
            if n <= labelled or n > runs - cattle:
                label = name if n <= labelled else "Bovine"
                tables["annotation"].append(f"{run} | virus | {label} virus")
    con = tiny_index(**{name: "\n".join(rows) for name, rows in tables.items()})
    con.register("computed", compute_facts(con))
    con.execute("INSERT INTO fact SELECT * FROM computed")
    profiles = {profile.community: profile for profile in gather_profiles(con)}
    for name, _, labelled, titled, _, probably in cases:
        labels = profiles[f"C0-{name}"].of("virus")
        (label,) = [fact for fact in labels if fact.value == f"{name} virus"]
        is_probable = probably == "yes"
        assert label.unnamed == (f"u-{name}" if is_probable else ""), name
        assert label.unnamed_titled == (int(titled) if is_probable else 0), name
        assert not is_probable or (label.unnamed_runs, label.unnamed_elsewhere) == (
            int(labelled), True,
        ), name  # fmt: skip


def test_a_virus_that_fills_the_runs_without_the_main_one_is_named() -> None:
    """Of 54 runs without Zaire ebolavirus, all have Marburg virus."""
    marburg = EBOLA._replace(value="Marburg virus", runs=74, known=2131)
    many = EBOLA._replace(runs=2077, known=2131)
    pair, alone = sorted([marburg.facet_value, EBOLA.facet_value]), marburg.facet_value
    profile = replace(
        INFECTED, runs=2131, facts={"species": (many, marburg)},
        joints={(pair[0], pair[1]): 20, (alone, alone): 74},
    )  # fmt: skip
    assert "next comes Marburg virus (74 runs; 20 with both viruses)" in summary(profile)
    usual = replace(profile, joints={(pair[0], pair[1]): 60, (alone, alone): 74})
    assert "Marburg" not in summary(usual)


def test_a_study_is_named_with_what_was_sequenced_and_no_virus_of_its_other_runs() -> None:
    """Worms from mice, a gut metagenome of humans without a virus, and a virus that no run of the
    plant has.
    """
    runs = [(f"R{one}", f"P{(one + 2) // 3}") for one in range(1, 10)]
    host = "R{} | host | {} | {}\n"
    con = tiny_index(
        run="run | bioproject\n" + "\n".join(f"{run} | {study}" for run, study in runs),
        community="community | runs\nC0-a | 9",
        community_member="community | entity\n" + "\n".join(f"C0-a | {run}" for run, _ in runs),
        annotation="run | facet | value | curie\n"
        + "".join(host.format(one, "Mus musculus", "NCBITaxon:10090") for one in (1, 2, 3))
        + "".join(host.format(one, "Homo sapiens", "NCBITaxon:9606") for one in (4, 5, 6))
        + "".join(f"R{one} | environment | gut metagenome | NCBITaxon:4\n" for one in (4, 5, 6))
        + "".join(host.format(one, "Arachis", "NCBITaxon:3817") for one in (7, 8)).strip(),
        sequenced="run | host | organism\n"
        + "\n".join(f"R{one} | NCBITaxon:10090 | NCBITaxon:6183" for one in (1, 2, 3)),
        term="curie | label\nNCBITaxon:6183 | Schistosoma mansoni",
        detection="run | sotu | stated\nR1 | u1 |\nR2 | u1 |\nR3 | u1 |\nR9 | u2 | B virus",
    )
    (profile,) = gather_profiles(con)
    (found,) = study_findings(profile)
    assert found.summary.partition(" [")[0] == (
        "Its largest studies are P1 (3 runs; Schistosoma mansoni from Mus musculus, with unnamed "
        "virus u1) and P3 (3; with B virus in 1)"
    )


def test_viruses_left_out_are_said_to_be_left_out() -> None:
    weak = EBOLA._replace(value="reported as Weak virus", reads=3.0)
    stray = EBOLA._replace(value="reported as Stray virus", beside=20)
    text = summary(replace(INFECTED, faint=(weak,), facts={"species": (EBOLA, stray)}))
    assert (
        "Not counted, with fewer than 20 k-mer reads in most of their runs: Weak virus (30" in text
    )
    assert (
        "Stray virus is left out: in 20 of its 30 runs another virus of its genus has more" in text
    )


DEPOSITS = """
    deposits                                | expected
    P1 12                                   | all but 3 from P1
    P1 6; P2 5                              | 6 of them from P1 and 5 from P2
    P1 5; P2 2                              | in 4 studies
    - 12 R1 R13                             | all but 3 from what is probably one study (R1 to R13)
    - 6 R1 R7; - 4 R90 R94                  | 6 of them from what is probably one study (R1 to R7) and 4 from another (R90 to R94)
"""  # noqa: E501


@pytest.mark.parametrize("row", DEPOSITS.strip().splitlines()[1:])
def test_one_or_two_studies_behind_most_runs_of_a_virus_are_named(row: str) -> None:
    written, expected = (cell.strip() for cell in row.split("|"))
    deposits = []
    for one in written.split("; "):
        study, runs, *ends = one.split()
        first, last = ends or ("R1", "R9")
        deposits.append(Deposit(study.strip("-"), int(runs), first, last))
    support = Support(15, studies=4, known=15, deposits=tuple(deposits))
    profile = replace(INFECTED, support={EBOLA.facet_value: support})
    assert study_words(profile, EBOLA.facet_value) == f", {expected}"


def test_a_virus_is_described_by_the_hosts_of_its_own_runs() -> None:
    own = Support(20, sourced=18, sources=(("Homo sapiens", 12), ("bat metagenome", 6), ("Sus", 1)))
    text = summary(replace(INFECTED, support={EBOLA.facet_value: own}))
    assert (
        "Zaire ebolavirus is found in Homo sapiens (12 runs) and bat metagenomes (6); for 2 of the "
        "20 runs no host or environment is recorded."
    ) in text
    assert "The host is Mus musculus" not in text


def labelled_runs(label: str, number: int, silent: int) -> dict[str, str]:
    """Return the tables of a community of one study whose first ``number`` runs state a label."""
    runs = [f"R{one}" for one in range(1, number + silent + 1)]
    return {
        "run": "run | bioproject\n" + "\n".join(f"{run} | P1" for run in runs),
        "community": f"community | runs\nC0-a | {len(runs)}",
        "community_member": "community | entity\n" + "\n".join(f"C0-a | {run}" for run in runs),
        "annotation": "run | facet | value\n" + "\n".join(f"{r} | {label}" for r in runs[:number]),
    }


def profile_of_index(**tables: str) -> Profile:
    con = tiny_index(**tables)
    con.register("computed", compute_facts(con))
    con.execute("INSERT INTO fact SELECT * FROM computed")
    (profile,) = gather_profiles(con)
    return profile


def test_a_name_by_polymerase_print_alone_is_called_so() -> None:
    assert print_clauses(EBOLA._replace(by_print=15)) == []
    (doubt,) = print_clauses(EBOLA._replace(by_print=16))
    assert doubt.text.startswith(
        "in 16 of the 30 runs with Zaire ebolavirus the only evidence of it is"
    )
    hits = "run | sotu | stated | reads | source\nR1 | u1 | A virus | | palm_virome\n"
    hits += "R2 | u1 | A virus | | palm_virome\nR2 | u2 | A virus | 9 | serratus_nt"
    profile = profile_of_index(**labelled_runs("host | bats", 2, 1), detection=hits)
    (virus,) = profile.of("species")
    assert (virus.runs, virus.by_print) == (2, 1)


def test_of_a_mixture_the_host_and_the_study_of_each_virus_are_said() -> None:
    names = ("A virus", "B virus", "C virus")
    viruses = tuple(FactRow("species", name, None, 20, 60, 9.0, 0.001) for name in names)
    man = FactRow("host", "Homo sapiens", None, 55, 60, 1.0, 1.0)
    behind = Support(
        20, studies=3, sources=(("Homo sapiens", 18),), deposits=(Deposit("P1", 9, "R1", "R9"),)
    )
    supports = {one.facet_value: behind for one in viruses}
    facts = {"species": viruses, "host": (man,)}
    mixed = Profile("C0-m", 0, None, 60, facts, support=supports)
    (text,) = [clause.text for clause in mixture_clauses(mixed)]
    assert text.startswith("this community is a mixture: no species of virus is in half of its")
    (found,) = virus_findings(mixed)
    said = (
        "B virus is found in 20 runs, all but 2 from Homo sapiens; 9 are from P1, the largest of 3"
    )
    assert said in re.sub(r" \[Filters:.*?\]", "", found.explanation)
    last = viruses[2]._replace(below=5)
    unlike = replace(mixed, facts={**facts, "species": (*viruses[:2], last)})
    low = "in 5 of its runs the identity is below 90%"
    assert low in virus_findings(unlike)[0].explanation
    assert low not in virus_findings(unlike, [last.facet_value])[0].explanation
    most = (viruses[0]._replace(runs=50), *viruses[1:])
    assert virus_findings(replace(mixed, facts={**mixed.facts, "species": most})) == []


def test_reads_of_another_species_below_a_gap_of_identity_are_not_counted() -> None:
    """Three runs lie at 83 to 86 %, three at 95 %, and none between."""
    hits = "run | sotu | stated | identity | reads\n" + "\n".join(
        f"R{n} | u1 | A virus | {identity} | 9"
        for n, identity in enumerate([83, 85, 86, 95, 96, 97], start=1)
    )
    profile = profile_of_index(**labelled_runs("host | bats", 6, 0), detection=hits)
    (virus,) = profile.of("species")
    assert (virus.runs, virus.far, virus.below) == (3, 3, 0)
    further = (
        "at only 83 to 86% identity and are not counted: no run of the index lies between 86 and "
        "95%, so this is probably another species"
    )
    (clause,) = evidence_clauses([virus], profile)
    assert clause.text == f"3 further runs match A virus {further}"
    (clause,) = evidence_clauses([], profile)
    assert clause.text == f"A virus is found in 3 runs; 3 further runs match it {further}"


def test_viruses_are_counted_in_the_runs_that_a_value_is_counted_in() -> None:
    """Of five runs from the intestine three are from the colon, and count for that alone."""
    tissues = [(n, "intestine", "UBERON:2") for n in range(1, 6)]
    tissues += [(n, "colon", "UBERON:1") for n in range(1, 4)]
    annotation = "run | facet | value | curie\n" + "\n".join(
        f"R{n} | tissue | {value} | {curie}" for n, value, curie in tissues
    )
    runs = labelled_runs("", 0, 5) | {"annotation": annotation}
    profile = profile_of_index(
        **runs,
        closure="descendant | ancestor | distance\nUBERON:1 | UBERON:2 | 1",
        detection="run | sotu | stated\n" + "\n".join(f"R{n} | u1 | A virus" for n in range(1, 6)),
    )
    counted = {fact.value: fact.runs for fact in profile.of("tissue")}
    assert counted == {"intestine": 2, "colon": 3}
    for tissue, number in counted.items():
        assert profile.together(("species", "A virus"), ("tissue", tissue)) == number


def test_hits_count_before_the_name_of_a_polymerase() -> None:
    """What a reference shows is said with its reads, also beside a more frequent deposited name."""
    hits = ["run | sotu | stated | reported_name | identity | reads | coverage | family | source"]
    hits += [f"R{n} | u2 | reported as C | C | | | 8 | F | palm_virome" for n in range(1, 6)]
    hits += [f"R{n} | u1 | A virus | B virus | | | 90 | F | palm_virome" for n in range(6, 10)]
    hits += [f"R{n} | N1 | A virus | A virus | 96 | 5{n} | | F | serratus_nt" for n in range(6, 9)]
    names = "source | sotu | reported_name | reported | virus | runs | runs_with_evidence"
    names += " | runs_agreeing | runs_with_hits | runs_as_reported\n"
    names += "palm_virome | u1 | B virus | NCBITaxon:2 | NCBITaxon:1 | 9 | 9 | 9 | 9 | 0"
    profile = profile_of_index(
        **labelled_runs("virus | D", 3, 6), detection="\n".join(hits), sotu_name=names
    )  # fmt: skip
    assert profile.inferred[("species", "A virus")].runs == 1
    text = summary(profile)
    assert "C (5 runs; a name that nothing else supports: 3 of these are labelled D)" in text
    assert "The runs with the most reads of A virus are R8 (58 reads; 96% identity)" in text


WEIGHED = """
    congeners | runs | more  | far   | said
    yes       | 9    | 7 2   | 0 0   | A virus has more reads than B virus in 7 of the 9 runs with both: hits
    no        | 9    | 9 0   | 9 0   | A virus has over 20 times the reads of B virus in all 9 runs with both
    no        | 10   | 0 10  | 0 9   | B virus has over 20 times the reads of A virus in 9 of the 10 runs with both
    no        | 9    | 5 4   | 3 2   | in 5 of the 9 runs with both A virus and B virus, one has over 20 times the reads of the other
    no        | 9    | 9 0   | 2 0   |
"""  # noqa: E501


@pytest.mark.parametrize("row", WEIGHED.strip().splitlines()[1:])
def test_fewer_reads_than_those_of_another_virus_may_be_strays(row: str) -> None:
    congeners, runs, more, far, said = (cell.strip() for cell in row.split("|"))
    first, second = (
        FactRow("species", name, None, 20, 30, 9.0, 0.001) for name in ("A virus", "B virus")
    )
    counted = [int(number) for number in (*more.split(), *far.split())]
    pair = Weighed(first.value, second.value, congeners == "yes", int(runs), *counted)
    profile = replace(INFECTED, facts={"species": (first, second)}, weighed=(pair,))
    texts = [clause.text for clause in evidence_clauses([first, second], profile)]
    assert [text.startswith(said) for text in texts] == [True] * bool(said)


def test_the_identity_of_a_virus_is_that_of_its_most_read_segment() -> None:
    hits = "run | sotu | stated | identity | reads\nR1 | u1 | Rotavirus C | 100 | 3\n"
    hits += "R1 | u2 | Rotavirus C | 85 | 900\nR2 | u1 | Rotavirus C | 97 | 80"
    profile = profile_of_index(**labelled_runs("host | bats", 2, 1), detection=hits)
    (virus,) = profile.of("species")
    support = profile.support["species", "Rotavirus C"]
    assert (profile.searched.identified, virus.below, virus.low) == (1, 1, 85)
    assert support.identity == 91
    assert [one.identity for one in support.examples] == [85, 97]


def test_viruses_by_k_mers_alone_are_counted_and_a_caution() -> None:
    con = tiny_index(
        run="run\nR1\nR2",
        community="community | runs\nC0-a | 2",
        community_member="community | entity\nC0-a | R1\nC0-a | R2",
        detection="run | sotu | stated | source\nR1 | a | A | k\nR2 | a | A | k\nR2 | b | B | palm",
        search_method="source | method | evidence\nk | by k-mers | reads",
    )
    (profile,) = gather_profiles(con, min_runs=1)
    assert (profile.searched.positive, profile.searched.classified) == (2, 1)
    found = Searched(24, 20, 0, classified=15)
    (caution,) = classified_clauses(replace(DRY, searched=found))
    assert caution.text.startswith(
        "in 15 of the 20 runs with a virus (75%) the named viruses rest on k-mers of reads"
    )
    assert classified_clauses(replace(DRY, searched=found._replace(classified=5))) == []


ORIGINS = """
    runs    | open | heavy | kinds | said
    30 0 0  | 0    | 0     | 0 0   |
    30 30 0 | 0    | 0     | 0 30  | All of the runs with Zaire ebolavirus are from cell cultures.
    30 9 9  | 12   | 0     | 9 0   | For the other 12 runs the records do not say whether these are natural infections or laboratory material.
    30 9 9  | 12   | 0     | 2 7   | are laboratory material: 7 from cell cultures and 2 from experimental infections; 9 are from patients
    30 0 0  | 30   | 4     | 0 0   | For all 30 runs the records do not say whether these are natural infections or laboratory material; 4 of them have over
"""  # noqa: E501


@pytest.mark.parametrize("row", ORIGINS.strip().splitlines()[1:])
def test_where_runs_come_from_and_how_many_may_be_of_either_is_said(row: str) -> None:
    numbers, silent, heavy, kinds, said = (cell.strip() for cell in row.split("|"))
    runs, laboratory, natural = map(int, numbers.split())
    by_kind = [int(number) for number in kinds.split()]
    origin = Provenance(runs, laboratory, natural, True, int(silent), int(heavy), by_kind)
    text = summary(replace(INFECTED, origins={EBOLA.facet_value: origin}))
    assert said in text if said else "natural infections" not in text


def test_each_run_counts_as_the_first_evidence_that_it_has() -> None:
    con = tiny_index(
        run="run | bioproject\n" + "\n".join(
            ["R1 | P1", "R2 | P1", "R3 | P2", "R4 | P2", "R5 |", "R6 |", "R7 |", "R8 |"]
        ),
        community="community | runs\nC0-a | 8",
        community_member="community | entity\n" + "\n".join(f"C0-a | R{n}" for n in range(1, 9)),
        study_design="study | design | source | words | runs | study_runs\n"
        "P1 | cell culture | title | hela | 2 | 2\n"
        "P1 | experimental infection | sample | infected with | 1 | 2\n"
        "P2 | cell culture | treatment | moi | 1 | 3",
        virus_risk="virus | risk_group\nNCBITaxon:2 | RG2",
        run_plausibility="run | virus | host | organism | plausibility\n"
        "R3 | NCBITaxon:1 | NCBITaxon:9606 | NCBITaxon:9606 | resident",
        detection="run | sotu | stated | virus\n"
        + "\n".join(f"R{n} | a | Human mastadenovirus C | NCBITaxon:2" for n in range(1, 9)),
        virus="virus | name\nNCBITaxon:2 | Human mastadenovirus C",
        annotation="run | facet | value | curie\n"
        "R1 | tissue | cervix |\nR3 | tissue | cervix |\nR4 | tissue | MRC-5 cell |\n"
        "R5 | host | Mus musculus | NCBITaxon:10090\nR6 | geography | Chile |\n"
        "R6 | host | Mus musculus | NCBITaxon:10090\nR7 | host | Vulpes vulpes | NCBITaxon:9627",
    )  # fmt: skip
    con.register("computed", compute_facts(con))
    con.execute("INSERT INTO fact SELECT * FROM computed")
    (profile,) = gather_profiles(con, min_runs=1)
    assert profile.origin[:4] == (8, 5, 0, False)
    assert sum(profile.origin.kinds) == 5
    vector = profile.origins["species", "Human mastadenovirus C"]
    assert vector[:6] == (8, 7, 0, True, 0, 0), "a vector counts unless the run has a place"
    assert dict(zip(KINDS, vector.kinds, strict=True))["vector"] == 3
    (cervix,) = [fact for fact in profile.of("tissue") if fact.value == "cervix"]
    assert (cervix.runs, cervix.cultured, cervix.is_of_cells) == (2, 2, True)


@pytest.mark.parametrize(
    ("group", "host", "is_open"),
    [("RG2", "", True), ("unknown", "NCBITaxon:10090", True), ("unknown", "NCBITaxon:7227", False)],
)
def test_a_virus_of_vertebrates_may_be_of_patients_or_of_a_laboratory(
    group: str, host: str, is_open: bool
) -> None:
    """A register lists it, or it is recorded in a vertebrate."""
    runs = {**labelled_runs("host | bats", 0, 3), "annotation": "run | facet | value"}
    recorded = f"\nNCBITaxon:2 | {host} | virion" if host else ""
    profile = profile_of_index(
        **runs,
        detection="run | sotu | stated | virus\n"
        + "\n".join(f"R{n} | a | A virus | NCBITaxon:2" for n in (1, 2, 3)),
        virus_risk=f"virus | risk_group\nNCBITaxon:2 | {group}",
        virus="virus | name\nNCBITaxon:2 | A virus",
        known_host=f"virus | host | source{recorded}",
        closure="descendant | ancestor | distance\nNCBITaxon:10090 | NCBITaxon:7742 | 9",
    )
    assert profile.origins["species", "A virus"].open == (3 if is_open else 0)


NATURAL = """
    of the study               | tissue | host | evidence
    patients, cell culture     |        |      | open
    cell culture               |        |      | cultured
    patients                   |        |      | natural
    surveillance, cell culture |        |      | cultured
                               | urine  | man  | natural
                               | urine  |      | open
                               | B-lymphocyte | man | open
                               | pluripotent stem cell | man | cultured
    cell culture               | urine  | man  | cultured
"""


def test_mixed_studies_say_nothing_and_a_tissue_of_a_person_is_no_culture() -> None:
    cases = [
        [cell.strip() for cell in line.split("|")] for line in NATURAL.strip().splitlines()[1:]
    ]
    designs, said = [], []
    for n, (words, tissue, host, _) in enumerate(cases):
        named = words.replace("patients", "patients or field samples").split(", ")
        designs += [f"P{n} | {one} | abstract | words | 1 | 1" for one in named if one]
        said += [f"R{n} | tissue | {tissue} |"] if tissue else []
        said += [f"R{n} | host | Homo sapiens | {HUMAN}"] if host else []
    con = tiny_index(
        run="\n".join(["run | bioproject", *(f"R{n} | P{n}" for n in range(len(cases)))]),
        study_design="\n".join(["study | design | source | words | runs | study_runs", *designs]),
        annotation="\n".join(["run | facet | value | curie", *said]),
    )
    found = con.sql(f"WITH {OF_RUN} SELECT run, cultured, is_natural FROM of_run").fetchall()
    evidence = {(True, False): "cultured", (True, True): "cultured", (False, True): "natural"}
    shown = {run: evidence.get((cultured, natural), "open") for run, cultured, natural in found}
    assert [shown.get(f"R{n}", "open") for n in range(len(cases))] == [case[-1] for case in cases]


def test_the_words_of_a_sample_hold_for_its_run_alone() -> None:
    """A tick without a place may be of a laboratory; a virus of pepper in a mouse was its food."""
    con = tiny_index(
        run="run\nR1\nR2\nR3\nR4\nR5",
        community="community | runs\nC0-a | 5",
        community_member="community | entity\n" + "\n".join(f"C0-a | R{n}" for n in range(1, 6)),
        virus_risk="virus | risk_group\nNCBITaxon:2 | RG3",
        run_plausibility="run | virus | host | organism | plausibility\n"
        "R3 | NCBITaxon:3 | NCBITaxon:10090 | NCBITaxon:10090 | unexpected",
        detection="run | sotu | stated | virus\n"
        + "\n".join(f"R{n} | a | Powassan virus | NCBITaxon:2" for n in (1, 2, 4, 5))
        + "\nR3 | b | Bell pepper virus | NCBITaxon:3",
        virus="virus | name\nNCBITaxon:2 | Powassan virus\nNCBITaxon:3 | Bell pepper virus",
        annotation="run | facet | value | curie\n"
        "R1 | host | Ixodes ricinus | NCBITaxon:34613\n"
        "R3 | host | Mus musculus | NCBITaxon:10090\n"
        "R4 | host | Ixodes ricinus | NCBITaxon:34613\nR4 | geography | Norway |\n"
        "R5 | host | Homo sapiens | NCBITaxon:9606",
    )
    designs = pl.DataFrame({"run": ["R2"], "design": ["experimental infection"]})
    con.register("computed", compute_facts(con))
    con.execute("INSERT INTO fact SELECT * FROM computed")
    (profile,) = gather_profiles(con, designs=designs, min_runs=1)
    powassan = profile.origins["species", "Powassan virus"]
    assert (powassan.runs, powassan.laboratory, powassan.open) == (4, 1, 2)
    assert profile.origins["species", "Bell pepper virus"].laboratory == 0

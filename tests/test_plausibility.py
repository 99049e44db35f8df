"""How expected a virus is in a host: recorded, new within its class, unexpected, resident, in each
run and in what was sequenced.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from index.reports.plausibility import count_pairs, weigh_plausibility
from index.reports.sequenced import find_sequenced
from ontology_etl.reviewed_lists import read_reviewed
from tests.taxa import taxa
from tests.tiny_index import tiny_index

TAXA = """
1 | root
  10239 | Viruses
    100 | Flaviviridae | family
      101 | West Nile virus | species
        105 | West Nile 385
      102 | Insect virus | species
      106 | New flavivirus | species
    103 | Lonely virus | species
    104 | Stray virus | species
    10376 | EBV | species
  131567 | cellular
    200 | Animals
      201 | Mammalia | class
        9606 | Homo sapiens | species
        203 | Mus musculus | species
      204 | Insecta | class
        205 | Aedes aegypti | species
      208 | Schistosoma | genus
        209 | S. mansoni | species
    206 | Plants | class
      207 | Capsicum annuum | species
  408169 | metagenomes
    410 | gut metagenome | species
"""
KNOWN = """
    virus           | host           | source
    NCBITaxon:101   | NCBITaxon:9606 | virion
    NCBITaxon:102   | NCBITaxon:204  | ICTV
    NCBITaxon:103   | NCBITaxon:9606 | virion
    NCBITaxon:10376 | NCBITaxon:9606 | virion
"""
EBV, WNV, STRAIN, INSECT = (f"NCBITaxon:{n}" for n in (10376, 101, 105, 102))
GENUS, WORM, GUT = (f"NCBITaxon:{n}" for n in (208, 209, 410))
LONELY, STRAY, NEW, FAMILY = (f"NCBITaxon:{n}" for n in (103, 104, 106, 100))
HUMAN, MOUSE, MOSQUITO, PEPPER = (f"NCBITaxon:{n}" for n in (9606, 203, 205, 207))


def weigh_runs(
    detected: str, annotated: str, closure: str = "", known: str = KNOWN
) -> pl.DataFrame:
    """Return the table ``run_plausibility`` of detections and annotations."""
    detections = f"run | sotu | virus | taxon | species | identity\n{detected}"
    annotations = f"run | facet | value | curie\n{annotated}"
    closed = f"descendant | ancestor | distance\n{closure}"
    con = tiny_index(
        **taxa(TAXA),
        known_host=known,
        detection=detections,
        annotation=annotations,
        closure=closed if closure else "descendant | ancestor | distance\nBTO:1 | BTO:1 | 0",
    )
    sequenced = find_sequenced(con)
    con.register("found", sequenced)
    con.execute("INSERT INTO sequenced SELECT * FROM found")
    return weigh_plausibility(con)


def weigh(
    detected: str, annotated: str, closure: str = "", known: str = KNOWN
) -> list[tuple[object, ...]]:
    """Return plausibility and runs of each pair."""
    pairs = count_pairs(weigh_runs(detected, annotated, closure, known))
    return [row[2:] for row in pairs.iter_rows()]


JUDGED = [
    (WNV, HUMAN, "recorded"),
    (STRAIN, HUMAN, "recorded"),
    (INSECT, MOSQUITO, "recorded"),
    (WNV, MOUSE, "new within class"),
    (NEW, MOUSE, "new within class"),
    (INSECT, HUMAN, "unexpected"),
    (WNV, PEPPER, "unexpected"),
    (LONELY, PEPPER, "unexpected"),
    (STRAY, HUMAN, "unknown"),
]


def test_a_pair_is_judged_by_the_hosts_recorded_for_the_virus_then_its_family() -> None:
    detected = "\n".join(f"R{n} | u1 | {v} | {v} | S | 99" for n, (v, _, _) in enumerate(JUDGED))
    hosts = "\n".join(f"R{n} | host | H | {host}" for n, (_, host, _) in enumerate(JUDGED))
    found = weigh_runs(detected, hosts).sort("run").select("virus", "host", "plausibility")
    assert found.rows() == JUDGED


ONE_VIRUS = "\n".join(f"R1 | u{n} | {WNV} | {WNV} | S | 99" for n in range(3))


@pytest.mark.parametrize(
    ("annotated", "found"),
    [
        (f"R2 | host | Homo sapiens | {HUMAN}", []),  # no run carries both
        (f"R1 | host | Homo sapiens | {HUMAN}", [("recorded", 1)]),  # once for three detections
        (f"R1 | virus | West Nile virus | {WNV}", [("library", 1)]),  # no host
    ],
)
def test_a_pair_is_counted_once_in_the_runs_that_carry_both(
    annotated: str, found: list[tuple[str, int]]
) -> None:
    assert weigh(ONE_VIRUS, annotated) == found


def test_a_virus_of_a_cell_line_is_resident_in_the_runs_of_that_line_only() -> None:
    detected = "\n".join(f"R{n} | u1 | {EBV} | {EBV} | S | 99" for n in (1, 2, 3))
    lines = "R1 | tissue | lymphoblastoid | BTO:0000773\nR2 | tissue | a line | BTO:9"
    hosts = "\n".join(f"R{n} | host | Homo sapiens | {HUMAN}" for n in (1, 2, 3))
    found = weigh(detected, f"{lines}\n{hosts}", "BTO:9 | BTO:0000773 | 1")
    assert found == [("recorded", 1), ("resident", 2)]


def test_every_reviewed_resident_lives_in_its_line_and_in_no_other() -> None:
    """HPV18 in HeLa is one of them: no real run of today's inputs carries both."""
    residents = read_reviewed("resident_viruses.tsv").select("virus", "site").rows()
    runs = [
        (f"{kind}{number}", virus, place)
        for number, (virus, site) in enumerate(residents)
        for kind, place in (("at home ", site), ("elsewhere ", "BTO:0"))
    ]
    detected = "\n".join(f"{run} | u1 | {virus} | {virus} | S | 99" for run, virus, _ in runs)
    lines = "\n".join(f"{run} | tissue | a line | {place}" for run, _, place in runs)
    hosts = "\n".join(f"{run} | host | Homo sapiens | {HUMAN}" for run, _, _ in runs)
    found = weigh_runs(detected, f"{lines}\n{hosts}").select("run", "plausibility").rows()
    assert len(found) == len(runs) == 2 * len(residents) > 20
    assert [run for run, kind in found if (kind == "resident") != run.startswith("at home")] == []


def test_a_host_that_a_virus_is_named_after_is_recorded_and_rules_no_other_out() -> None:
    """The group that a taxonomy states rules hosts out; a name records one host, as VIRION does."""
    named = KNOWN + f"    {STRAY} | {MOUSE} | name\n    {LONELY} | {MOUSE} | name\n"
    carried = f"R1 | u1 | {STRAY} | {STRAY} | S | 99"
    assert weigh(carried, f"R1 | host | H | {MOUSE}", known=named) == [("recorded", 1)]
    assert weigh(carried, f"R1 | host | H | {HUMAN}", known=named) == [("new within class", 1)]
    assert weigh(carried, f"R1 | host | H | {PEPPER}", known=named) == [("unexpected", 1)]


def test_below_the_identity_of_a_species_its_family_is_judged() -> None:
    detected = f"R1 | u1 | {INSECT} | {FAMILY} |  | 50"
    assert weigh(detected, f"R1 | host | Homo sapiens | {HUMAN}") == [("recorded", 1)]


SEQUENCED = [
    (WORM, MOUSE, WORM, "unexpected"),
    (MOSQUITO, MOUSE, MOSQUITO, "recorded"),  # an insect virus in an insect from a mouse
    (MOUSE, MOSQUITO, MOSQUITO, "recorded"),  # recorded in the host that was stated
    (MOUSE, MOUSE, MOUSE, "unexpected"),
    (GENUS, WORM, WORM, "unexpected"),  # an organism above the host is the host
    (WORM, GENUS, GENUS, "unexpected"),
    (GUT, MOUSE, MOUSE, "unexpected"),  # a metagenome is no organism
    (INSECT, MOUSE, MOUSE, "unexpected"),  # nor is a virus
]
"""Label and host of a run, the organism that is judged, and how."""


def test_a_virus_is_judged_in_each_run_in_what_was_sequenced() -> None:
    numbers = range(len(SEQUENCED))
    detected = "\n".join(f"R{n} | u1 | {INSECT} | {INSECT} | S | 99" for n in numbers)
    annotated = "\n".join(
        f"R{n} | host | H | {host}\nR{n} | label | L | {label}"
        for n, (label, host, _, _) in enumerate(SEQUENCED)
    )
    found = weigh_runs(detected, annotated).sort("run").select("organism", "plausibility")
    assert found.rows() == [(organism, kind) for _, _, organism, kind in SEQUENCED]


def test_a_run_that_holds_its_host_among_other_organisms_is_of_its_host() -> None:
    detected = f"R1 | u1 | {INSECT} | {INSECT} | S | 99"
    annotated = f"R1 | host | H | {MOUSE}\nR1 | label | L | {WORM}\nR1 | label | M | {MOUSE}"
    assert weigh_runs(detected, annotated)["organism"].to_list() == [MOUSE]


@pytest.mark.real
def test_reviewed_residents_name_terms_of_the_ontologies(shared_data: Path) -> None:
    listed = read_reviewed("resident_viruses.tsv")
    text = (shared_data / "ontologies" / "bto.obo").read_text(encoding="utf-8")
    unnamed = [
        site
        for site, label in listed.select("site", "site_label").iter_rows()
        if f"id: {site}\nname: {label}\n" not in text
    ]
    assert unnamed == []
    assert listed.select(pl.struct("virus", "site").is_unique()).to_series().all()

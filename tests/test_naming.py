"""Names of communities: what a title may call their viruses, organisms and what sets them apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from index.reports.compose import gather_profiles
from index.reports.evidence_rows import (
    SOTU,
    Carrier,
    Clade,
    Pairing,
    Provenance,
    Searched,
    SequencedApart,
    Studies,
    StudyCount,
    Support,
)
from index.reports.fact_rows import FactRow, Value
from index.reports.facts import compute_facts
from index.reports.findings.marks import caveat_findings, leading_caveat
from index.reports.naming.labels import propose_labels
from index.reports.naming.titles import propose_titles
from index.reports.profiles import Profile
from tests.tiny_index import tiny_index


def fact(facet: str, value: str, runs: int, known: int) -> FactRow:
    return FactRow(facet, value, None, runs, known, 9.0, 0.001)


def profile_of(*facts: FactRow, runs: int = 40, together: int = 0) -> Profile:
    """Return the profile of ``facts``, each two of which ``together`` runs carry."""
    by_facet: dict[str, tuple[FactRow, ...]] = {}
    for one in facts:
        by_facet[one.facet] = (*by_facet.get(one.facet, ()), one)
    values: list[Value] = [(one.facet, one.value) for one in facts]
    joints = {(a, b): together for a in values for b in values if a < b} if together else {}
    searched = Searched(searched=runs)
    profile = Profile("C0-x", 0, None, runs, by_facet, joints=joints, searched=searched)
    families = [one.value for one in facts if one.facet == "family"]
    of_one = {one.value: families[0] for one in facts} if len(families) == 1 else {}
    return replace(profile, family_of=of_one)


def title(profile: Profile) -> str:
    return next(propose_titles(profile))


def described(text: str) -> Profile:
    """Return a profile of facts (``host Sus scrofa 8/14 positive=7``: runs of those with the facet)
    and of what else is known of the community, divided by semicolons.
    """
    facts: list[FactRow] = []
    known: dict[str, Any] = {}
    together, apart, unexpected = 0, [], []
    for part in text.split("; "):
        facet, *words = part.split()
        numbers = [int(word) for word in words if word.isdigit()]
        given = {name: int(value) for name, _, value in (word.partition("=") for word in words)
                 if value}  # fmt: skip
        match facet:
            case "together":
                together = numbers[0]
            case "apart":
                apart.append([(place.split(maxsplit=1)[0], place.split(maxsplit=1)[1])
                              for place in part.removeprefix("apart ").split(", ")])  # fmt: skip
            case "searched":
                known["searched"] = Searched(*numbers, **given)
            case "clade":
                known["clade"] = Clade(" ".join(words[:-1]), numbers[0])
            case "studies":
                known["studies"] = Studies(*numbers, "P1")
            case "laboratory":
                known["origins"] = {facts[0].facet_value: Provenance(facts[0].runs, *numbers)}
            case "largest":
                itself = facts[-1].facet_value
                study = StudyCount(30, 2, "P1", "bioproject", numbers[0], 30)
                known["behind"] = {(itself, itself): study}
            case "unexpected":
                virus, _, host = part.removeprefix("unexpected ").partition(" in ")
                of = "family" if virus.endswith("dae") else "species"
                unexpected.append(Pairing(virus, host, "unexpected", together, of))
            case _:
                place = next(n for n, word in enumerate(words) if "/" in word)
                runs, stated = (int(number) for number in words[place].split("/"))
                row = fact(facet, " ".join(words[:place]), runs, stated)
                facts.append(row._replace(**given))
    profile = profile_of(*facts, together=together)
    joints = dict(profile.joints)
    for one, other in apart:
        joints[(one, other) if one < other else (other, one)] = 0
    return replace(profile, joints=joints, pairings=tuple(unexpected), **known)


TITLES = """
species Parechovirus-like 38/40; family Picornaviridae 40/40; together 38 | Parechovirus-like viruses
species Parechovirus-like 24/40; family Picornaviridae 40/40; together 24 | Parechovirus-like and other Picornaviridae
species Parechovirus-like 24/40; family Picornaviridae 30/40; together 24 | Mostly Parechovirus-like viruses
species Parechovirus-like 19/40; family Picornaviridae 40/40; together 19 | Picornaviridae
species Picornaviridae-like 38/40; family Picornaviridae 40/40; together 38 | Picornaviridae
host Bemisia tabaci 7/36; host Asobara tabida 3/36 | Many organisms, no virus found
host Bemisia tabaci 7/36; host Asobara tabida 3/36; clade insects 34 | Insects, no virus found
host Bemisia tabaci 7/36; host Asobara tabida 3/36; clade insects 12 | Many organisms, no virus found
host Bemisia tabaci 7/19; host Asobara tabida 3/19 | Runs with little metadata, no virus found
environment food metagenome 24/26 positive=2; searched 40 15 0 sourced=12 | Many organisms, most without a virus
environment food metagenome 24/26 positive=8; searched 40 15 0 sourced=12 | Food metagenomes, most without a virus
environment food metagenome 24/26 positive=8; searched 40 15 0 sourced=7 | Many organisms, most without a virus
environment food metagenome 24/26 positive=2; host Sus scrofa 8/14 positive=7; searched 40 15 0 sourced=12 | Food metagenomes and Sus scrofa, most without a virus
species Zika virus 20/20; tissue liver 25/30 positive=9; together 9; searched 40 20 0 | Zika virus
species Zika virus 20/20; tissue liver 25/30 positive=11; together 11; searched 40 20 0 | Zika virus, liver
host Homo sapiens 20/40; host Calliphora vicina 20/40; clade animals 36 | Animals, no virus found
host Homo sapiens 20/40; host Calliphora vicina 20/40 | Many organisms, no virus found
host Homo sapiens 24/40; clade animals 36 | Homo sapiens and other animals, no virus found
host Homo sapiens 21/40; host Calliphora vicina 20/40 | Homo sapiens, no virus found
host Homo sapiens 18/20 | Many organisms, no virus found
family Endornaviridae 38/40; host Ovis aries 30/40; together 20 | Endornaviridae in Ovis aries
family Endornaviridae 38/40; host Ovis aries 30/40; together 20; unexpected Endornaviridae in Ovis aries | Endornaviridae
species Vaccinia virus 36/36; host Mus musculus 21/26; together 16 | Vaccinia virus
species Vaccinia virus 36/36; host Mus musculus 21/26; together 18 | Vaccinia virus in Mus musculus
species Vaccinia virus 36/36; host Mus musculus 20/26; together 18 | Vaccinia virus
species Vaccinia virus 36/36; host Mus musculus 21/26; together 16; clade mammals 16 | Vaccinia virus
species Vaccinia virus 36/36; host Mus musculus 21/26; together 16; clade mammals 24 | Vaccinia virus in mammals
family Coronaviridae 38/40 by_kmers=18 | Coronaviridae
family Coronaviridae 38/40 by_kmers=30 | Coronaviridae (as reported)
species Zika virus 30/36; virus Zika virus 22/40; together 22 | Zika virus libraries
species Zika virus 30/36; virus West Nile virus 24/40; virus Zika virus 22/40; together 22 | Zika virus
species Zika virus 14/22; virus West Nile virus 18/30 | Mostly Zika virus
virus West Nile virus 40/40; family Flaviviridae 40/40; together 40 | Flaviviridae
virus West Nile virus 40/40; species West Nile virus 24/32; together 24 | Libraries of mostly West Nile virus
virus West Nile virus 40/40; species West Nile virus 24/32; together 19 | Mostly West Nile virus
species Human alphaherpesvirus 1 40/40; tissue uterine cervix 30/40; together 30 | Human alphaherpesvirus 1, uterine cervix
species Human alphaherpesvirus 1 40/40; tissue uterine cervix 30/40 cultured=30; together 30 | Human alphaherpesvirus 1, cultured cells from uterine cervix
species Human alphaherpesvirus 1 40/40; tissue uterine cervix 30/40 cultured=20; together 30 | Human alphaherpesvirus 1
species Human alphaherpesvirus 1 40/40; tissue HeLa cell 30/40 cultured=30; together 30 | Human alphaherpesvirus 1, HeLa cell
species Chikungunya virus 28/40; species Mayaro virus 8/40; family Togaviridae 40/40; host Homo sapiens 40/40; together 28 | Chikungunya virus, Mayaro virus and others in Homo sapiens
species Chikungunya virus 28/40; species Mayaro virus 5/40; family Togaviridae 40/40; host Homo sapiens 40/40; together 28 | Chikungunya virus and other Togaviridae in Homo sapiens
species Chikungunya virus 28/40; species Mayaro virus 8/40; host Homo sapiens 40/40; tissue blood 30/40; together 28; apart species Mayaro virus, tissue blood | Mostly Chikungunya virus in Homo sapiens, blood
environment soil metagenome 40/40; searched 0 | Soil metagenomes, not searched for viruses
environment soil metagenome 40/40; searched 6 0 | Soil metagenomes, few searched for viruses
environment soil metagenome 40/40; searched 40 0 | Soil metagenomes, no virus found
environment soil metagenome 40/40; searched 40 7 | Soil metagenomes, few viruses found
environment soil metagenome 40/40; searched 40 12 | Soil metagenomes, most without a virus
environment soil metagenome 40/40; searched 40 30 | Unnamed viruses in soil metagenomes
environment soil metagenome 40/40; species Maize streak virus 4/4; searched 40 30 | Mostly unnamed viruses in soil metagenomes
environment lake water metagenome 18/40; environment sediment metagenome 16/40; searched 40 30 | Unnamed viruses in lake water and sediment metagenomes
species Rice virus 40/40; tissue leaf 30/40; together 30; studies 3 40; largest 12 | Rice virus, leaf
species Rice virus 40/40; tissue leaf 30/40; together 30; studies 3 40; largest 28 | Rice virus
species Rabies virus 40/40; laboratory 30 | Rabies virus, largely laboratory material
species Rabies virus 40/40; laboratory 30 10 | Rabies virus
species Rotavirus A 18/40; species adeno-associated virus 2 12/40 | Mixture of Rotavirus A, adeno-associated virus 2 and others
species Dengue virus 36/40; virus dengue virus type 1 32/40; together 32 | Dengue virus libraries
species Dengue virus 36/40; virus Dengue virusoid 32/40; together 32 | Dengue virus
biome soil crust 40/40; geography Antarctica 24/40; geography Norway 24/40; together 20 | Soil crust samples, Antarctica, Norway, no virus found
biome soil crust 40/40; geography Antarctica 24/40; geography Norway 24/40; together 20; apart geography Antarctica, geography Norway | Soil crust samples, Antarctica, no virus found
species Human mastadenovirus F 24/40; family Papillomaviridae 40/40; together 24 | Human mastadenovirus F and other Papillomaviridae
species reported as Dengue virus 24/40; species Dengue virus 20/40; together 10 | Mostly Dengue virus (as reported)
species Dengue virus 20/20; host Lactococcus garvieae 6/8; together 6; unexpected Dengue virus in Lactococcus garvieae | Dengue virus
species Dengue virus 20/20; host Lactococcus garvieae 21/24; together 16; unexpected Dengue virus in Lactococcus garvieae | Dengue virus
"""  # noqa: E501


@pytest.mark.parametrize("row", TITLES.strip().splitlines())
def test_a_community_is_titled_by_what_most_of_its_runs_are(row: str) -> None:
    """``together``: the runs that carry any two of the facts."""
    community, expected = row.split(" | ")
    assert title(described(community)) == expected


def test_a_label_has_the_clade_of_a_title() -> None:
    insects = described("host Bemisia tabaci 7/36; host Asobara tabida 3/36; clade insects 34")
    assert next(propose_labels(insects)) == "Insects No-virus"


def test_few_viruses_of_a_rare_host_do_not_name_the_metagenomes_that_most_runs_are() -> None:
    facts = "{}; host Cyamopsis tetragonoloba 8/12; environment food metagenome 30/30"
    family = ("family", "Endornaviridae")

    def joined(stated: str, in_guar: int, in_food: int) -> Profile:
        profile = described(facts.format(f"family Endornaviridae {stated}"))
        guar, food = (
            one.facet_value for one in profile.facts["host"] + profile.facts["environment"]
        )
        runs = {guar: in_guar, food: in_food}
        joints = {pair: runs[one] for one in runs for pair in ((family, one), (one, family))}
        return replace(profile, joints=joints)

    assert title(joined("12/12", 8, 8)) == "Food metagenomes, no virus found"
    assert title(joined("30/30", 8, 6)) == "Endornaviridae"
    assert title(joined("30/30", 8, 20)) == "Endornaviridae in food metagenomes"


def test_a_species_in_a_host_that_it_is_not_expected_in_is_warned_of() -> None:
    """A new virus of a family may have any host."""
    virus = Pairing("Bell pepper alphaendornavirus", "Ovis aries", "unexpected", 20)
    profile = profile_of(fact("host", "Ovis aries", 30, 40))

    def warned(*pairs: Pairing) -> list[str]:
        paired = replace(profile, pairings=pairs)
        warnings = [clause.text for clause in leading_caveat(paired)]
        warnings += [one.summary for one in caveat_findings(paired)]
        return [" ".join(warnings)] if warnings else []

    (alone,) = warned(virus)
    assert alone.startswith("Bell pepper alphaendornavirus is not expected in Ovis aries (20 runs)")
    assert warned(virus._replace(virus="Endornaviridae", facet="family")) == []
    assert warned(virus._replace(virus="Endornaviridae-like")) == []
    assert warned(virus._replace(metagenomes=18)) == [], "dung is of no sheep"
    (fewer,) = warned(virus._replace(metagenomes=16))
    assert "in Ovis aries (4 runs): contamination is more likely than a new host" in fewer
    other = "contamination, diet or another organism of the sample is more likely than a new host"
    for known in (virus._replace(eaten=10), virus._replace(is_recorded=True)):
        (doubt,) = warned(known)
        assert other in doubt
    assert not warned(virus._replace(runs=1)), "one run is no pattern"
    cells = virus._replace(plausibility="resident")
    assert warned(cells)
    assert not warned(cells._replace(runs=1))


SOURCES = """
    Puccinia | Triticum | soil | litter | others | title
    22       | 2        |      |        |        | Unnamed virus u7 in Puccinia
    12       | 9        |      |        |        | Unnamed virus u7 in Puccinia and Triticum
    14       | 5        | 4    |        |        | Unnamed virus u7 in Puccinia and Triticum
    10       | 7        | 6    |        |        | Unnamed virus u7 in Puccinia and Triticum and in soil metagenomes
    16       | 3        |      |        | 9      | Unnamed virus u7 in several sources, mostly Puccinia
    8        | 5        | 3    | 4      | 9      | Unnamed virus u7 in several sources
             | 2        | 14   | 9      |        | Unnamed virus u7 in soil and litter metagenomes
             |          | 14   | 7      | 8      | Unnamed virus u7 in several sources
"""  # noqa: E501
KINDS = {
    "Puccinia": "Pucciniales",
    "Triticum": "Poales",
    "soil metagenome": None,
    "litter metagenome": None,
}


@pytest.mark.parametrize("row", SOURCES.strip().splitlines()[1:])
def test_a_title_says_what_four_fifths_of_the_runs_with_a_virus_share(row: str) -> None:
    """Sources are in the order of their coverage; ``others`` are runs of rarer ones."""
    *cells, others, expected = (cell.strip() for cell in row.split("|"))
    sources = tuple(
        Carrier(name, KINDS[name] is None, int(runs), 90.0, 400.0, KINDS[name], True)
        for name, runs in zip(KINDS, cells, strict=True)
        if runs
    )
    sourced = sum(source.runs for source in sources) + int(others or 0)
    wheat = profile_of(fact("host", "Triticum aestivum", 18, 40))
    titled = replace(
        wheat, searched=Searched(40, 40, 0, "u7", 32, 32), sources=sources,
        support={(SOTU, "u7"): Support(32, sourced=sourced)},
    )  # fmt: skip
    assert title(titled) == expected


def test_a_family_with_many_runs_of_other_viruses_is_a_mixture() -> None:
    family = fact("family", "Orthoherpesviridae", 22, 40)
    species = [fact("species", name, 9, 40) for name in ("Virus A", "Virus B", "BK virus")]
    family_of = {"Virus A": family.value, "Virus B": family.value}
    mixed = replace(profile_of(family, *species), family_of=family_of)
    assert title(mixed) == "Mixture of Orthoherpesviridae, BK virus and others"


def test_two_viruses_of_a_family_that_no_run_joins_are_named_together() -> None:
    family = ("family", "Sedoreoviridae")
    joints = {(family, ("species", "Rotavirus A")): 18, (family, ("species", "Rotavirus C")): 12}
    text = "species Rotavirus A {}/40; species Rotavirus C 12/40; family Sedoreoviridae 36/40"
    apart, joined = (replace(described(text.format(runs)), joints=joints) for runs in (18, 22))
    fewer = replace(described(text.replace("36/40", "30/40").format(18)), joints=joints)
    unlike = replace(apart, family_of={"Rotavirus A": "Sedoreoviridae"})
    assert title(apart) == "Sedoreoviridae: Rotavirus A, Rotavirus C and others"
    assert title(fewer) == title(unlike) == "Mixture of Rotavirus A, Rotavirus C and others"
    assert title(joined) == "Rotavirus A and Rotavirus C", "34 of 40 runs have one of them"


def test_a_virus_is_named_with_those_of_its_own_family_only() -> None:
    mixed = described(
        "species Human mastadenovirus F 24/40; family Papillomaviridae 40/40; together 24"
    )
    own = replace(mixed, family_of={"Human mastadenovirus F": "Adenoviridae"})
    assert title(own) == "Mostly Human mastadenovirus F"


UNNAMED = """
Bos      | 32 | 34  | Unnamed virus u7 in Bos
Bos      | 9  | 32  | Unnamed viruses in Homo
Bos      | 30 | 400 | Unnamed viruses in Homo
Puccinia | 24 | 24  | Mostly unnamed virus u7 in Puccinia
Puccinia | 20 | 20  | Unnamed virus u7 in Puccinia, with other viruses
"""


@pytest.mark.parametrize("row", UNNAMED.strip().splitlines())
def test_a_virus_without_a_name_that_most_runs_share_is_named_by_its_sotu(row: str) -> None:
    source, here, everywhere, expected = (cell.strip() for cell in row.split("|"))
    found = Searched(40, 40, 0, "u7", int(here), int(everywhere))
    carrier = Carrier(source, False, min(int(here), 32), 30.0, 90.0, "an order", True)
    community = replace(described("host Homo 38/38"), searched=found, sources=(carrier,))
    assert title(community) == expected


def test_a_title_says_that_an_unnamed_virus_is_as_frequent_as_those_it_names() -> None:
    shared = Searched(40, 40, 0, "u7", 32, 34, next_unnamed="u8", next_runs=16)
    carrier = Carrier("Bos", False, 32, 30.0, 90.0, "an order", True)
    cattle = replace(described("host Homo 38/38"), searched=shared, sources=(carrier,))
    assert title(cattle) == "Unnamed virus u7 in Bos, with other viruses"
    fewer = replace(cattle, searched=shared._replace(next_runs=15))
    assert title(fewer) == "Unnamed virus u7 in Bos"
    named = described("species Rotavirus A 24/40")
    beside = replace(named, searched=Searched(40, 40, 0, "u7", 25, 99))
    assert title(beside) == f"{title(named)}, with unnamed virus u7"
    assert title(replace(beside, searched=Searched(40, 40, 0, "u7", 24, 99))) == title(named)


def test_the_phylum_of_viruses_without_a_name_is_in_the_title() -> None:
    waters = described(
        "environment lake water metagenome 18/40; environment sediment metagenome 16/40"
    )
    for runs, viruses in ((25, "Pisuviricota"), (15, "Unnamed viruses")):
        broad = Searched(40, 30, phylum="Pisuviricota", phylum_runs=runs)
        expected = f"{viruses} in lake water and sediment metagenomes"
        assert title(replace(waters, searched=broad)) == expected


def test_what_is_not_stated_sets_runs_apart_before_their_number_does() -> None:
    ebola = fact("species", "Zaire ebolavirus", 40, 40)
    proposed = list(propose_titles(profile_of(ebola)))
    assert proposed[0] == "Zaire ebolavirus"
    studied = replace(profile_of(ebola), studies=Studies(4, 30))
    assert not [one for one in propose_titles(studied) if "stud" in one], "which may not carry it"
    assert proposed[-1] == "Zaire ebolavirus, 40 runs"
    man = fact("host", "Homo sapiens", 3, 3)
    assert "Zaire ebolavirus, few with a stated host" in propose_titles(profile_of(ebola, man))
    many = man._replace(runs=20, known=20)
    assert not [one for one in propose_titles(profile_of(ebola, many)) if "stated host" in one]
    birds = fact("statOrganism", "Pelecaniformes", 22, 30)
    assert "Zaire ebolavirus, k-mers of Pelecaniformes" in propose_titles(profile_of(ebola, birds))


SHEEP = {
    "run": "run | biosample\n" + "\n".join(f"R{n} | S{n}" for n in range(1, 7)),
    "community": "community | runs\nC0-a | 4\nC0-b | 2",
    "community_member": "community | entity\nC0-a | R1\nC0-a | R2\nC0-a | R3\nC0-a | R4\n"
    "C0-b | R5\nC0-b | R6",
    "detection": """
        run | sotu | virus | species | stated | taxon | family | identity
        R1 | u1 | NCBITaxon:12 | | | NCBITaxon:12 | Endornaviridae | 60
        R2 | u1 | NCBITaxon:12 | | | NCBITaxon:12 | Endornaviridae | 60
        R3 | u1 | NCBITaxon:12 | | | NCBITaxon:12 | Endornaviridae | 60
        R5 | u2 | NCBITaxon:99 | Strain virus | Strain virus | NCBITaxon:9 | Strainviridae | 99
        R6 | u2 | NCBITaxon:99 | Strain virus | Strain virus | NCBITaxon:9 | Strainviridae | 99
    """,
    "annotation": "run | facet | value | curie\n"
    + "\n".join(f"R{n} | host | Ovis aries | NCBITaxon:9940" for n in range(1, 7))
    + "\nR3 | tissue | feces |\nR3 | environment | feces metagenome |",
    "term": """
        curie          | label
        NCBITaxon:12   | Endornaviridae
        NCBITaxon:9    | Strain virus
        NCBITaxon:9940 | Ovis aries
        NCBITaxon:6183 | Schistosoma mansoni
    """,
    "run_plausibility": """
        run | virus | host | organism | plausibility
        R1 | NCBITaxon:12 | NCBITaxon:9940 | NCBITaxon:9940 | unexpected
        R2 | NCBITaxon:12 | NCBITaxon:9940 | NCBITaxon:6183 | unexpected
        R3 | NCBITaxon:12 | NCBITaxon:9940 | NCBITaxon:6183 | unexpected
        R5 | NCBITaxon:99 | NCBITaxon:9940 | NCBITaxon:9940 | unexpected
        R6 | NCBITaxon:99 | NCBITaxon:9940 | NCBITaxon:9940 | recorded
    """,
    "sequenced": """
        run | host | organism
        R2 | NCBITaxon:9940 | NCBITaxon:6183
        R3 | NCBITaxon:9940 | NCBITaxon:6183
        R4 | NCBITaxon:9940 | NCBITaxon:6183
    """,
}


def profiles_of_sheep() -> dict[str, Profile]:
    con = tiny_index(**SHEEP)
    con.register("computed", compute_facts(con))
    con.execute("INSERT INTO fact SELECT * FROM computed")
    return {one.community: one for one in gather_profiles(con)}


def test_a_reader_is_warned_of_the_runs_of_a_pair_that_the_warning_is_true_of() -> None:
    """Families and strains are called as facts call them, and a worm is no sheep."""
    pairings = {name: one.pairings for name, one in profiles_of_sheep().items()}
    sheep = Pairing("Endornaviridae", "Ovis aries", "unexpected", 1, "family")
    worm = sheep._replace(runs=2, organism="Schistosoma mansoni", metagenomes=1, eaten=1)
    assert pairings == {
        "C0-a": (worm, sheep),
        "C0-b": (
            Pairing("Strain virus", "Ovis aries", "unexpected", 1, is_recorded=True),
            Pairing("Strainviridae", "Ovis aries", "unexpected", 1, "family", is_recorded=True),
        ),
    }


def test_a_title_names_what_was_sequenced_from_a_host() -> None:
    worms = profiles_of_sheep()["C0-a"]
    named = "Doubtful viruses in Schistosoma mansoni (from Ovis aries)"
    assert title(worms) == named
    assert next(propose_labels(worms)).startswith("Schistosoma ")
    assert leading_caveat(worms) == [], "two runs are no pattern"
    more = [pair._replace(runs=3, metagenomes=0, facet="species") for pair in worms.pairings]
    clauses = [clause.text for clause in leading_caveat(replace(worms, pairings=tuple(more)))]
    expected = "Endornaviridae is not expected in Schistosoma mansoni (from Ovis aries) (3 runs)"
    assert clauses[0].startswith(expected)
    without_virus = profile_of(fact("host", "Ovis aries", 40, 40))
    apart = (SequencedApart("Ovis aries", "Schistosoma mansoni", 30),)
    assert title(replace(without_virus, sequenced=apart)) == (
        "Schistosoma mansoni (from Ovis aries), no virus found"
    )
    few = (apart[0]._replace(runs=20),)
    assert title(replace(without_virus, sequenced=few)) == "Ovis aries, no virus found"

"""Names of communities: what a title may call their viruses, organisms and what sets them apart."""

from __future__ import annotations

from dataclasses import replace

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
from index.reports.naming.named_values import key
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


def test_a_genus_that_most_are_like_is_named_before_its_family() -> None:
    like = fact("species", "Parechovirus-like", 38, 40)
    family = fact("family", "Picornaviridae", 40, 40)
    assert title(profile_of(like, family, together=38)) == "Parechovirus-like viruses"
    mixed = profile_of(like._replace(runs=24), family, together=24)
    assert title(mixed) == "Parechovirus-like and other Picornaviridae"
    apart = profile_of(like._replace(runs=24), family._replace(runs=30), together=24)
    assert title(apart) == "Mostly Parechovirus-like viruses"
    rare = profile_of(like._replace(runs=19), family, together=19)
    assert title(rare) == "Picornaviridae"
    above = profile_of(like._replace(value="Picornaviridae-like"), family, together=38)
    assert title(above) == "Picornaviridae"


def test_organisms_of_which_none_is_common_are_called_by_their_clade() -> None:
    whitefly = fact("host", "Bemisia tabaci", 7, 36)
    wasp = fact("host", "Asobara tabida", 3, 36)
    mixed = profile_of(whitefly, wasp)
    assert title(mixed) == "Many organisms, no virus found"
    assert title(replace(mixed, clade=Clade("insects", 34))) == "Insects, no virus found"
    assert next(propose_labels(replace(mixed, clade=Clade("insects", 34)))) == "Insects No-virus"
    assert title(replace(mixed, clade=Clade("insects", 12))) == "Many organisms, no virus found"
    silent = [one._replace(known=19) for one in (whitefly, wasp)]
    assert title(profile_of(*silent)) == "Runs with little metadata, no virus found"


def test_a_title_names_what_the_runs_with_a_virus_are_of() -> None:
    """A third of the runs with a virus may be of others; two organisms may hold for them."""
    food = fact("environment", "food metagenome", 24, 26)._replace(positive=2)
    found = Searched(40, 15, 0, sourced=12)
    mixed = replace(profile_of(food), searched=found)
    assert title(mixed) == "Many organisms, most without a virus"
    most = food._replace(positive=8)
    assert title(replace(profile_of(most), searched=found)).startswith("Food metagenomes")
    unsourced = found._replace(sourced=7)
    assert title(replace(profile_of(most), searched=unsourced)).startswith("Many organisms")
    pig = fact("host", "Sus scrofa", 8, 14)._replace(positive=7)
    assert title(replace(profile_of(food, pig), searched=found)) == (
        "Food metagenomes and Sus scrofa, most without a virus"
    )


def test_a_detail_of_a_title_holds_for_half_of_the_runs_with_a_virus() -> None:
    virus = fact("species", "Zika virus", 20, 20)
    liver = fact("tissue", "liver", 25, 30)._replace(positive=9)
    found = Searched(40, 20, 0)
    few = replace(profile_of(virus, liver, together=9), searched=found)
    assert title(few) == "Zika virus"
    most = profile_of(virus, liver._replace(positive=11), together=11)
    assert title(replace(most, searched=found)) == "Zika virus, liver"


def test_hosts_of_half_of_the_runs_or_fewer_are_called_by_their_clade() -> None:
    man = fact("host", "Homo sapiens", 20, 40)
    fly = fact("host", "Calliphora vicina", 20, 40)
    animals = Clade("animals", 36)
    assert title(replace(profile_of(man, fly), clade=animals)) == "Animals, no virus found"
    assert title(profile_of(man, fly)) == "Many organisms, no virus found"
    most = replace(profile_of(man._replace(runs=24)), clade=animals)
    assert title(most) == "Homo sapiens and other animals, no virus found"
    assert title(profile_of(man._replace(runs=21), fly)) == "Homo sapiens, no virus found"
    few_stated = man._replace(runs=18, known=20)
    assert title(profile_of(few_stated)) == "Many organisms, no virus found"


def test_a_family_is_not_named_in_a_host_that_it_is_not_expected_in() -> None:
    family = fact("family", "Endornaviridae", 38, 40)
    sheep = fact("host", "Ovis aries", 30, 40)
    plain = profile_of(family, sheep, together=20)
    assert title(plain) == "Endornaviridae in Ovis aries"
    pair = Pairing("Endornaviridae", "Ovis aries", "unexpected", 20, "family")
    assert title(replace(plain, pairings=(pair,))) == "Endornaviridae"
    of_species = replace(plain, pairings=(pair._replace(facet="species"),))
    assert "in Ovis aries" in title(of_species)


def test_few_viruses_of_a_rare_host_do_not_name_the_metagenomes_that_most_runs_are() -> None:
    family = fact("family", "Endornaviridae", 12, 12)
    guar = fact("host", "Cyamopsis tetragonoloba", 8, 12)
    food = fact("environment", "food metagenome", 30, 30)
    profile = profile_of(family, guar, food)

    def joined(in_guar: int, in_food: int) -> Profile:
        values = {guar: in_guar, food: in_food}
        joints = {
            pair: runs
            for one, runs in values.items()
            for pair in [(key(family), key(one)), (key(one), key(family))]
        }
        return replace(profile, joints=joints)

    assert title(joined(8, 8)) == "Food metagenomes, no virus found"
    many = fact("family", "Endornaviridae", 30, 30)
    of_most = {**profile.facts, "family": (many,)}
    assert title(replace(joined(8, 6), facts=of_most)) == "Endornaviridae"
    assert title(replace(joined(8, 20), facts=of_most)) == "Endornaviridae in food metagenomes"


def test_a_title_joins_a_virus_to_the_host_of_most_of_its_runs_only() -> None:
    virus = fact("species", "Vaccinia virus", 36, 36)
    mouse = fact("host", "Mus musculus", 21, 26)
    profile = profile_of(virus, mouse, together=16)
    assert title(profile) == "Vaccinia virus"
    assert title(profile_of(virus, mouse, together=18)) == "Vaccinia virus in Mus musculus"
    half = profile_of(virus, mouse._replace(runs=20), together=18)
    assert title(half) == "Vaccinia virus", "half of all runs are not most"
    assert title(replace(profile, clade=Clade("mammals", 16))) == "Vaccinia virus"
    assert title(replace(profile, clade=Clade("mammals", 24))) == "Vaccinia virus in mammals"


def test_a_family_that_only_kmers_show_is_named_as_reported() -> None:
    family = fact("family", "Coronaviridae", 38, 40)
    assert title(profile_of(family._replace(by_kmers=18))) == "Coronaviridae"
    assert title(profile_of(family._replace(by_kmers=30))) == "Coronaviridae (as reported)"


def test_a_title_of_libraries_needs_the_virus_that_most_are_labelled_as() -> None:
    zika = fact("species", "Zika virus", 30, 36)
    library = fact("virus", "Zika virus", 22, 40)
    others = fact("virus", "West Nile virus", 24, 40)
    labelled = profile_of(zika, library, together=22)
    assert title(labelled) == "Zika virus libraries"
    others_are_most = {**labelled.facts, "virus": (others, library)}
    assert title(replace(labelled, facts=others_are_most)) == "Zika virus"


def test_a_title_names_no_virus_that_only_a_label_names() -> None:
    zika = fact("species", "Zika virus", 14, 22)
    nile = fact("virus", "West Nile virus", 18, 30)
    assert title(profile_of(zika, nile)) == "Mostly Zika virus"


def test_the_origin_of_cultured_cells_is_no_tissue_of_an_infection() -> None:
    virus = fact("species", "Human alphaherpesvirus 1", 40, 40)
    cervix = fact("tissue", "uterine cervix", 30, 40)
    assert title(profile_of(virus, cervix, together=30)).endswith(", uterine cervix")
    cells = profile_of(virus, cervix._replace(cultured=30), together=30)
    assert title(cells) == "Human alphaherpesvirus 1, cultured cells from uterine cervix"
    mixed = profile_of(virus, cervix._replace(cultured=20), together=30)
    assert title(mixed) == "Human alphaherpesvirus 1"
    line = cervix._replace(value="HeLa cell", cultured=30)
    assert title(profile_of(virus, line, together=30)) == "Human alphaherpesvirus 1, HeLa cell"


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
    assert "in Ovis aries (4 runs): contamination is likelier than a new host" in fewer
    other = "contamination, diet or another organism of the sample is likelier than a new host"
    for known in (virus._replace(eaten=10), virus._replace(is_recorded=True)):
        (doubt,) = warned(known)
        assert other in doubt
    assert not warned(virus._replace(runs=1)), "one run is no pattern"
    cells = virus._replace(plausibility="resident")
    assert warned(cells)
    assert not warned(cells._replace(runs=1))


def test_a_second_virus_that_many_runs_name_is_named_where_it_fits() -> None:
    chikungunya = fact("species", "Chikungunya virus", 28, 40)
    mayaro = fact("species", "Mayaro virus", 8, 40)
    family = fact("family", "Togaviridae", 40, 40)
    man = fact("host", "Homo sapiens", 40, 40)
    both = profile_of(chikungunya, mayaro, family, man, together=28)
    assert title(both) == "Chikungunya virus, Mayaro virus and others in Homo sapiens"
    few = profile_of(chikungunya, mayaro._replace(runs=5), family, man, together=28)
    assert title(few) == "Chikungunya virus and other Togaviridae in Homo sapiens"
    blood = fact("tissue", "blood", 30, 40)
    in_blood = profile_of(chikungunya, mayaro, man, blood, together=28)
    second = (("species", "Mayaro virus"), ("tissue", "blood"))
    apart = replace(in_blood, joints={**in_blood.joints, second: 0})
    assert title(apart) == "Mostly Chikungunya virus in Homo sapiens, blood"


def test_libraries_have_a_title_where_half_of_them_have_the_virus_of_their_label() -> None:
    library = fact("virus", "West Nile virus", 40, 40)
    family = fact("family", "Flaviviridae", 40, 40)
    assert title(profile_of(library, family, together=40)) == "Flaviviridae"
    own = fact("species", "West Nile virus", 24, 32)
    assert title(profile_of(library, own, together=24)) == "Libraries of mostly West Nile virus"
    assert title(profile_of(library, own, together=19)) == "Mostly West Nile virus"


def test_what_was_found_of_viruses_without_a_name_is_in_the_title() -> None:
    soil = profile_of(fact("environment", "soil metagenome", 40, 40))
    found = {
        Searched(): "Soil metagenomes, not searched for viruses",
        Searched(6, 0): "Soil metagenomes, few searched for viruses",
        Searched(40, 0): "Soil metagenomes, no virus found",
        Searched(40, 7): "Soil metagenomes, few viruses found",
        Searched(40, 12): "Soil metagenomes, most without a virus",
        Searched(40, 30): "Unnamed viruses in soil metagenomes",
    }
    assert [title(replace(soil, searched=one)) for one in found] == list(found.values())
    virus = fact("species", "Maize streak virus", 4, 4)
    named = replace(soil, facts={**soil.facts, "species": (virus,)}, searched=Searched(40, 30))
    assert title(named) == "Mostly unnamed viruses in soil metagenomes"


def test_metagenomes_are_titled_by_their_kinds_and_the_phylum_of_their_viruses() -> None:
    lake = fact("environment", "lake water metagenome", 18, 40)
    mud = fact("environment", "sediment metagenome", 16, 40)
    waters = replace(profile_of(lake, mud), searched=Searched(40, 30))
    assert title(waters) == "Unnamed viruses in lake water and sediment metagenomes"
    broad = Searched(40, 30, phylum="Pisuviricota", phylum_runs=25)
    expected = "Pisuviricota in lake water and sediment metagenomes"
    assert title(replace(waters, searched=broad)) == expected
    few = broad._replace(phylum_runs=15)
    assert title(replace(waters, searched=few)).startswith("Unnamed viruses")


def test_a_virus_without_a_name_is_titled_by_the_taxon_of_its_runs() -> None:
    found = Searched(40, 40, 0, "u7", 32, 32)
    rust = Clade("Puccinia", 22, "genus")
    wheat = profile_of(fact("host", "Triticum aestivum", 18, 40))
    fungus = Carrier("Puccinia", False, 22, 90.0, 400.0, "Pucciniales", True)
    carried = replace(wheat, searched=found, carriers=rust, sources=(fungus,))
    assert title(carried) == "Unnamed virus u7 in Puccinia"


SOURCES = """
    Puccinia | Triticum | soil | litter | others | title
    22       | 2        |      |        |        | Unnamed virus u7 in Puccinia
    12       | 9        |      |        |        | Unnamed virus u7 in Puccinia and Triticum
    14       | 5        | 4    |        |        | Unnamed virus u7 in Puccinia and Triticum
    10       | 7        | 6    |        |        | Unnamed virus u7 in soil metagenomes, Puccinia and Triticum
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


def test_a_title_says_that_other_runs_have_other_viruses() -> None:
    rust = Carrier("Puccinia", False, 12, 90.0, 400.0, "Pucciniales", True)
    for runs, expected in {
        32: "Unnamed virus u7 in Puccinia",
        24: "Mostly unnamed virus u7 in Puccinia",
        20: "Unnamed virus u7 in Puccinia, with other viruses",
    }.items():
        found = Searched(40, 40, 0, "u7", runs, runs)
        wheat = profile_of(fact("host", "Triticum aestivum", 18, 40))
        assert title(replace(wheat, searched=found, sources=(rust,))) == expected


def test_no_title_has_a_tissue_that_one_study_of_several_brings() -> None:
    virus, leaf = fact("species", "Rice virus", 40, 40), fact("tissue", "leaf", 30, 40)
    field = replace(profile_of(virus, leaf, together=30), studies=Studies(3, 40, "P1"))
    itself = (("tissue", "leaf"), ("tissue", "leaf"))
    for of_one, expected in ((12, "Rice virus, leaf"), (28, "Rice virus")):
        behind = {itself: StudyCount(30, 2, "P1", "bioproject", of_one, 30)}
        assert title(replace(field, behind=behind)) == expected


def test_a_title_says_that_runs_are_largely_of_a_laboratory() -> None:
    rabies = fact("species", "Rabies virus", 40, 40)
    origins = {("species", "Rabies virus"): Provenance(40, 30)}
    made = replace(profile_of(rabies), origins=origins)
    assert title(made) == "Rabies virus, largely laboratory material"
    sampled = {("species", "Rabies virus"): Provenance(40, 30, 10)}
    assert title(replace(made, origins=sampled)) == "Rabies virus"


def test_a_family_with_many_runs_of_other_viruses_is_a_mixture() -> None:
    family = fact("family", "Orthoherpesviridae", 22, 40)
    species = [fact("species", name, 9, 40) for name in ("Virus A", "Virus B", "BK virus")]
    family_of = {"Virus A": family.value, "Virus B": family.value}
    mixed = replace(profile_of(family, *species), family_of=family_of)
    assert title(mixed) == "Mixture of Orthoherpesviridae, BK virus and others"


def test_two_viruses_that_no_run_joins_are_named_together_only_as_kin() -> None:
    rota = fact("species", "Rotavirus A", 24, 40)
    dependo = fact("species", "adeno-associated virus 2", 12, 40)
    apart = profile_of(rota._replace(runs=18), dependo)
    assert title(apart) == "Mixture of Rotavirus A, adeno-associated virus 2 and others"
    family = fact("family", "Sedoreoviridae", 36, 40)
    kin = replace(
        profile_of(rota._replace(runs=18), dependo._replace(value="Rotavirus C"), family),
        joints={
            (("family", family.value), ("species", "Rotavirus A")): 18,
            (("family", family.value), ("species", "Rotavirus C")): 12,
        },
    )
    assert title(kin) == "Mixture of Rotavirus A, Rotavirus C and others"
    whole = [rota._replace(runs=22), dependo._replace(value="Rotavirus C"), family]
    joined = replace(kin, facts={"species": tuple(whole[:2]), "family": (family,)})
    assert title(joined) == "Rotavirus A and Rotavirus C", "34 of 40 runs have one of them"


def test_two_places_are_both_named_only_where_runs_join_them() -> None:
    crust = fact("biome", "soil crust", 40, 40)
    south = fact("geography", "Antarctica", 24, 40)
    north = fact("geography", "Norway", 24, 40)
    joined = profile_of(crust, south, north, together=20)
    assert title(joined) == "Soil crust samples, Antarctica, Norway, no virus found"
    places = (("geography", "Antarctica"), ("geography", "Norway"))
    apart = replace(joined, joints={**joined.joints, places: 0})
    assert title(apart) == "Soil crust samples, Antarctica, no virus found"


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


def test_a_virus_is_named_with_those_of_its_own_family_only() -> None:
    adeno = fact("species", "Human mastadenovirus F", 24, 40)
    papilloma = fact("family", "Papillomaviridae", 40, 40)
    mixed = profile_of(adeno, papilloma, together=24)
    assert title(mixed) == "Human mastadenovirus F and other Papillomaviridae"
    own = replace(mixed, family_of={"Human mastadenovirus F": "Adenoviridae"})
    assert title(own) == "Mostly Human mastadenovirus F"


def test_a_virus_is_named_once_whether_its_name_is_supported_or_reported() -> None:
    reported = fact("species", "reported as Dengue virus", 24, 40)
    sure = fact("species", "Dengue virus", 20, 40)
    assert title(profile_of(reported, sure, together=10)) == "Mostly Dengue virus (as reported)"


def test_an_unexpected_host_of_few_runs_is_in_no_title() -> None:
    virus = fact("species", "Dengue virus", 20, 20)
    host = fact("host", "Lactococcus garvieae", 6, 8)
    pair = Pairing("Dengue virus", "Lactococcus garvieae", "unexpected", 6)
    few = replace(profile_of(virus, host, together=6), pairings=(pair,))
    assert title(few) == "Dengue virus"
    most = replace(
        profile_of(virus, host._replace(runs=21, known=24), together=16),
        pairings=(pair._replace(runs=16),),
    )
    assert title(most) == "Dengue virus"


SHARED = """
    runs with it | everywhere | title
    32           | 34         | Unnamed virus u7 in Bos
    9            | 32         | Unnamed viruses in Bos taurus
    30           | 400        | Unnamed viruses in Bos taurus
"""


@pytest.mark.parametrize("row", SHARED.strip().splitlines()[1:])
def test_a_virus_without_a_name_that_most_runs_share_is_named_by_its_sotu(row: str) -> None:
    here, everywhere, expected = (cell.strip() for cell in row.split("|"))
    found = Searched(40, 40, 0, "u7", int(here), int(everywhere))
    cattle = profile_of(fact("host", "Bos taurus", 38, 38))
    cow = Carrier("Bos", False, int(here), 30.0, 90.0, "Artiodactyla", True)
    assert title(replace(cattle, searched=found, sources=(cow,))) == expected

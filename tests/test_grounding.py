"""Grounding on a handful of public terms: each table row is a value and what it must become."""

from __future__ import annotations

import subprocess
import sys

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ontology_etl.abbreviations import complete_cut_words
from ontology_etl.attributes import route_attributes
from ontology_etl.curies import ontology_of
from ontology_etl.folding import fold, fold_one, separate
from ontology_etl.grounding import ground, ground_text
from ontology_etl.matching import find_spans, keep_longest
from ontology_etl.meaning.finding import LONGEST_TEXT
from ontology_etl.possible_names import prune
from ontology_etl.tables import Grounding, TermEdge
from ontology_etl.vocabulary import Vocabulary, build_vocabulary

TERMS = """
NCBITaxon:1       root                  -
NCBITaxon:10239   Viruses               -
NCBITaxon:64320   Zika virus            -
NCBITaxon:408169  metagenomes           -
NCBITaxon:410658  soil metagenome       -
NCBITaxon:12908   unclassified sequences  -
NCBITaxon:36469   prion                 -
NCBITaxon:9606    Homo sapiens          -
NCBITaxon:10088   Mus                   -
NCBITaxon:10090   Mus musculus          -
NCBITaxon:9823    Sus scrofa            -
NCBITaxon:4530    Oryza sativa          -
NCBITaxon:9397    Chiroptera            -
NCBITaxon:6754    Cancer                -
NCBITaxon:48479   environmental samples  -
NCBITaxon:7434    Hippocampus           -
NCBITaxon:9837    Camelus bactrianus    -
NCBITaxon:9838    Camelus dromedarius   -
BTO:0000713       leaf                  -
BTO:0000763       lung                  -
BTO:0000567       HeLa cell             -
BTO:0000440       feces                 -
BTO:0000776       B-lymphocyte          -
BTO:0000018       A-549 cell            -
BTO:0001025       peripheral blood mononuclear cell  -
BTO:0000404       epidermis             -
BTO:0001253       skin                  -
BTO:0001518       B-cell lymphoma cell line  -
BTO:0001461       whole plant           -
BTO:0000093       MCF-7 cell            -
BTO:0000007       HEK-293 cell          -
BTO:0003509       HEK-293H cell         -
BTO:0003600       M cell                -
BTO:0000651       small intestine       -
BTO:0001363       testis                -
BTO:0000753       lymphoid tissue       -
BTO:0002719       primary effusion lymphoma cell line  -
BTO:0000868       milk                  -
BTO:0001419       urine                 -
BTO:0000671       kidney                -
BTO:0000208       caryopsis             -
BTO:0001020       periodontal ligament  -
BTO:0000646       left colon            -
BTO:0000773       lymphoblastoid cell line  -
BTO:0002333       Mono-Mac-6 cell       -
NCBITaxon:59276   Orchis purpurea       -
DOID:399          tuberculosis          -
DOID:9471         meningitis            -
DOID:9074         systemic lupus erythematosus  -
DOID:0060478      Zika fever            -
BTO:9999999       obsolete foliage      BTO:0000713
DOID:4            disease               -
DOID:162          cancer                -
DOID:8778         Crohn's disease       -
DOID:0050589      inflammatory bowel disease  -
DOID:8577         ulcerative colitis    -
DOID:2841         asthma                -
DOID:8469         influenza             -
DOID:707          B-cell lymphoma       -
DOID:635          acquired immunodeficiency syndrome  -
DOID:0111947      immunodeficiency 21   -
DOID:0060578      Noonan syndrome 1     -
DOID:12785        retired colitis       DOID:8577
"""
SYNONYMS = """
NCBITaxon:9606   human      EXACT
NCBITaxon:10088  mice       RELATED
NCBITaxon:9823   pig        EXACT
NCBITaxon:9397   bats       RELATED
NCBITaxon:9837   camel      RELATED
NCBITaxon:9838   camel      RELATED
BTO:0001025      PBMC       RELATED
BTO:0000776      B-cell     RELATED
BTO:0000567      HeLa-like  NARROW
BTO:0000567      HELA cell  RELATED
BTO:0001363      orchis     RELATED
BTO:0000208      grain      RELATED
DOID:635         AIDS       EXACT
DOID:0111947     MonoMAC    EXACT
DOID:0060578     NS1        EXACT
DOID:8778        CD         EXACT
"""
EDGES = """
NCBITaxon:10239   parent   NCBITaxon:1
NCBITaxon:64320   parent   NCBITaxon:10239
NCBITaxon:408169  parent   NCBITaxon:1
NCBITaxon:410658  parent   NCBITaxon:408169
NCBITaxon:12908   parent   NCBITaxon:1
NCBITaxon:36469   parent   NCBITaxon:12908
NCBITaxon:9606    parent   NCBITaxon:1
NCBITaxon:10088   parent   NCBITaxon:1
NCBITaxon:10090   parent   NCBITaxon:10088
NCBITaxon:4530    parent   NCBITaxon:1
NCBITaxon:9823    parent   NCBITaxon:1
NCBITaxon:9397    parent   NCBITaxon:1
BTO:0000404       part_of  BTO:0001253
DOID:8577         is_a     DOID:0050589
DOID:8778         is_a     DOID:0050589
DOID:0050589      is_a     DOID:4
"""


def columns(table: str) -> list[list[str]]:
    return [
        [cell for cell in line.split("  ") if cell.strip()] for line in table.strip().splitlines()
    ]


def term_table(table: str) -> pl.DataFrame:
    rows = [
        (curie, label.strip(), ontology_of(curie), new.strip())
        for curie, label, new in columns(table)
    ]
    frame = pl.DataFrame(rows, schema=["curie", "label", "ontology", "replaced_by"], orient="row")
    gone = pl.col("replaced_by") != "-"
    return frame.with_columns(
        pl.lit(None, dtype=pl.String).alias("rank"),
        gone.alias("obsolete"),
        pl.when(gone).then("replaced_by").alias("replaced_by"),
    )


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    names = [[cell.strip() for cell in row] for row in columns(SYNONYMS)]
    edges = [[cell.strip() for cell in row] for row in columns(EDGES)]
    return build_vocabulary(
        term_table(TERMS),
        pl.DataFrame(names, schema=["curie", "synonym", "scope"], orient="row"),
        pl.DataFrame(edges, schema=["subject", "predicate", "object"], orient="row"),
    )


VALUES = """
tissue          | Leaves                                        | BTO:0000713
host_tissue_sampled| LUNG                                          | BTO:0000763
tissue          | stool                                         | BTO:0000440
tissue          | faeces                                        | BTO:0000440
cell line       | HeLa                                          | BTO:0000567
cell_line       | a549                                          | BTO:0000018
cell type       | B cells                                       | BTO:0000776
cell type       | PBMCs from blood donors                       | BTO:0001025
source cell type| B cells                                       | BTO:0000776
histological type| lung                                          | BTO:0000763
diseaseclass    | asthmatic                                     | DOID:2841
zikv status     | Positive                                      | DOID:0060478
host            | mouse infestation                             | other NCBITaxon:10090  # mice infest
tissue          | skin epidermis                                | BTO:0000404
tissue          | old foliage                                   | BTO:0000713
tissue          | BTO_0000763                                   | BTO:0000763
disease         | Crohn’s disease                               | DOID:8778
disease state   | asthmatic                                     | DOID:2841
disease         | inflammatory bowel disease;ulcerative colitis | DOID:8577
host_disease    | retired colitis                               | DOID:8577
diagnosis       | AIDS                                          | DOID:635
diagnosis       | aids                                          | DOID:635
host            | Swiss Webster female mice                     | NCBITaxon:10090
host            | bat                                           | NCBITaxon:9397
host_taxid      | 9606                                          | NCBITaxon:9606
organism        | soil metagenome                               | NCBITaxon:410658
organism        | Hippocampus                                   | NCBITaxon:7434
# what is no annotation says why
tissue          | not applicable                                | null
host            | Missing                                       | null
disease         | healthy                                       | negated
disease         | no asthma                                     | negated DOID:2841
disease         | influenza negative                            | negated DOID:8469
disease         | Cancer                                        | generic DOID:162
tissue          | Whole plant                                   | generic BTO:0001461
infection       | influenza A virus                             | other DOID:8469
host            | Zika virus                                    | other NCBITaxon:64320
host            | soil metagenome                               | other NCBITaxon:410658
host            | prion                                         | other NCBITaxon:36469
organism        | Rice stripe tenuivirus                        | other NCBITaxon:4530
host            | camel                                         | ambiguous
tissue          | water column                                  | other
host            | cancer                                        | other
title           | AIDS_rep2                                     | other DOID:635
cell line       | T-AIDS                                        | other DOID:635
cell type       | AIDS                                          | DOID:635
cell type       | NS-1                                          | other DOID:0060578
disease         | NS-1                                          | DOID:0060578
cell type       | Mono-Mac-6                                    | BTO:0002333
tissue          | xyz 17                                        | ungrounded
host            | environmental sample                          | ungrounded
# lookalikes are not names
disease         | patients with aids for walking                | -  # an acronym inside a text keeps its capitals
disease         | CD8 T cells                                   | -  # an acronym before a number names something else
host            | cage of hippocampus donors                    | -  # a genus inside a text begins with a capital
host            | hippocampus                                   | -  # a word without a capital is no small genus
tissue          | lungfish                                      | -  # words match whole
# slips, and what only looks like one
source_name     | MCF-7M cells                                  | BTO:0000093  # M is written on to a number
source_name     | HOK16B cells                                  | -
source_name     | HEK293 H3K27me3                               | BTO:0000007  # the H is the histone's
title           | HEK293H1                                      | BTO:0003509
cell_type       | CD8B cells                                    | BTO:0000776  # what follows a CD marker is a word
source_name     | HeLa_NLS Parkin                               | BTO:0000567  # HELA beside HeLa is no acronym
tissue          | on Orchis purpurea                            | -  # a tissue that begins the name of an organism
tissue          | milk grains                                   | BTO:0000208
tissue          | kidney/urinary tissue                         | BTO:0000671
tissue          | urinary sediment                              | BTO:0001419
tissue          | plants at four-leaf stage                     | -
tissue          | Lymphoid                                      | BTO:0000753
tissue          | Lymphoid stroma                               | -
tissue          | leftcolon                                     | BTO:0000646
tissue          | peridontal ligament                           | BTO:0001020
cell line       | human primary effusion lymphoma               | BTO:0002719
cell line       | GM18508                                       | BTO:0000773  # a number of a cell bank
source_name     | RNA of NA19238_30min                          | BTO:0000773
cell line       | GM17223                                       | -  # outside the ranges whose lines are of one kind
cell type       | HG00706 B cells                               | BTO:0000776  # what the text names is meant
tissue          | human primary effusion lymphoma               | -
disease         | Pediatric TB meningitis                       | DOID:399 DOID:9471
disease         | TB lab                                        | -  # too short a name inside a text
disease         | tissue adjacent to tuberculosis               | -
disease         | non-risk for the IRF5-SLE risk haplotype      | -
disease         | family history of asthma                      | -
viral infection | ZIKV-infected                                 | DOID:0060478
viral infection | ZIKV                                          | -
tissue          | small intest.                                 | BTO:0000651
tissue          | Small intest., male                           | BTO:0000651
tissue          | small intest                                  | -  # no period, not cut short
tissue          | near small intest.                            | -  # the clause is no name
tissue          | l. lung                                       | BTO:0000763
organism        | agricultural soil                             | NCBITaxon:410658  # a word for an environment
organism        | soil crust metagenome                         | -  # the beginning of another metagenome
host            | soil                                          | -  # an environment is no host
host            | 9606                                          | NCBITaxon:9606
organism        | 9606                                          | NCBITaxon:9606
host            | 960                                           | -  # more likely the number of an animal
host_taxid      | 9606                                          | NCBITaxon:9606
# infection by an agent is its disease where it is said
infection       | cells infected with H3N2, MOI 2               | DOID:8469
infection       | NIG ZIKV infected cells for 12h               | DOID:0060478
zikv infection  | Infected 9h before harvesting                 | DOID:0060478  # by its attribute
zikv infection  | Mock-infected 9h before                       | -
zikv infection  | 9 h                                           | -
infection       | ZIKV strain MR766                             | -  # a pathogen is no disease
infection       | ZIKV                                          | -  # it may have been given to cells
disease         | ZIKV                                          | DOID:0060478  # the diagnosis, where nothing else is said
diagnosis       | H3N2 and ZIKV+                                | DOID:0060478 DOID:8469
disease         | ZIKV negative                                 | -
disease         | ZIKV strain MR766                             | -
infection       | uninfected, ZIKV medium                       | -
infection       | infected with irradiated ZIKV                 | -
infection       | infected with XZIKV9                          | -
isolation_source| cells infected with H3N2                      | -  # no attribute of a disease
"""  # noqa: E501
"""Attribute, value, and the terms it grounds in or, for none, the outcome."""


def rows_of(table: str) -> list[list[str]]:
    lines = [line for line in table.strip().splitlines() if not line.startswith("#")]
    return [[cell.strip() for cell in line.partition("  #")[0].split("|")] for line in lines]


def outcomes(values: list[list[str]], vocabulary: Vocabulary) -> dict[tuple[str, str], set[str]]:
    """Return the terms that each value grounds in, or why it grounds in none."""
    asked = pl.DataFrame([value[:2] for value in values], ["attribute", "text"], orient="row")
    found: dict[tuple[str, str], set[str]] = {(value[0], value[1]): set() for value in values}
    rows = ground(asked, vocabulary).select("attribute", "text", "outcome", "curie").iter_rows()
    for attribute, text, outcome, curie in rows:
        said = curie if outcome == "grounded" else f"{outcome} {curie or ''}".strip()
        found[attribute, text].add(said)
    return found


def test_values_ground_in_their_terms_or_say_why_not(vocabulary: Vocabulary) -> None:
    values = rows_of(VALUES)
    found = outcomes(values, vocabulary)
    for attribute, text, expected in values:
        said = found[attribute, text]
        grounded = {one for one in said if ":" in one.split()[0]}
        if expected[0].islower():
            assert expected in said, (attribute, text, said)
        wanted = set(expected.split()) if expected[0].isupper() else set()
        assert grounded == wanted, (attribute, text, said)


def test_cut_word_with_two_completions_is_left_alone() -> None:
    texts = pl.DataFrame({"text": ["small int."], "cased": ["small int"], "folded": ["small int"]})
    one, two = pl.Series(["small intestine"]), pl.Series(["small intestine", "small intron"])
    assert complete_cut_words(texts, one)["folded"].to_list() == ["small intestine"]
    assert complete_cut_words(texts, two)["folded"].to_list() == ["small int"]


def test_value_over_the_limit_is_not_read_and_says_so(vocabulary: Vocabulary) -> None:
    longest = "lung".ljust(LONGEST_TEXT, ".")
    values = [["tissue", longest], ["tissue", f"{longest}."]]
    assert list(outcomes(values, vocabulary).values()) == [{"BTO:0000763"}, {"too long"}]


MEASURED = """
import resource
import polars as pl
from ontology_etl.grounding import ground
from ontology_etl.meaning.finding import LONGEST_TEXT
from ontology_etl.vocabulary import build_vocabulary

words = [f"{first}{second}xy" for first in "bcdfghklmnpr" for second in "aeioubcdfghklmnpr"]
term = pl.DataFrame(
    {"curie": [f"BTO:{number:07}" for number in range(len(words))], "label": words}
).with_columns(
    ontology=pl.lit("BTO"), rank=pl.lit(None, pl.String), obsolete=pl.lit(False),
    replaced_by=pl.lit(None, pl.String),
)
synonym = pl.DataFrame(schema={"curie": pl.String, "synonym": pl.String, "scope": pl.String})
edge = pl.DataFrame(schema={"subject": pl.String, "predicate": pl.String, "object": pl.String})
vocabulary = build_vocabulary(term, synonym, edge)
long = " ".join(words * 80)
texts = [long[start:] for start in range(20)]
texts += [long[start : start + LONGEST_TEXT] for start in range(150)]
asked = pl.DataFrame({"text": texts}).with_columns(attribute=pl.lit("tissue"))
ground(asked.head(1), vocabulary)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
ground(asked, vocabulary)
print(len(long), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_memory_is_bounded_for_texts_of_64_kilobytes() -> None:
    done = subprocess.run(
        [sys.executable, "-c", MEASURED], capture_output=True, text=True, check=True
    )
    characters, megabytes = map(int, done.stdout.split())
    assert characters > 64_000
    assert megabytes < 2_000


def test_ambiguous_name_lists_its_candidates(vocabulary: Vocabulary) -> None:
    row = ground_text("camel", vocabulary, facet="label").row(0, named=True)
    assert (row["curie"], row["candidates"]) == (None, ["NCBITaxon:9837", "NCBITaxon:9838"])


def test_disease_of_cells_is_stated_by_a_value_and_not_by_a_question(
    vocabulary: Vocabulary,
) -> None:
    text = "B-cell lymphoma cell line"
    values = pl.DataFrame({"attribute": ["tissue", "cell line"], "text": text})
    stated = ground(values, vocabulary).filter(pl.col("outcome") == "grounded")
    asked = ground_text(text, vocabulary).filter(pl.col("outcome") == "grounded")
    assert stated["curie"].to_list() == ["DOID:707", "BTO:0001518"] * 2
    assert asked["curie"].to_list() == ["BTO:0001518"]


def test_question_is_read_for_every_facet(vocabulary: Vocabulary) -> None:
    said = ground_text("Which viruses are in human lung of asthma patients?", vocabulary)
    hits = said.filter(pl.col("outcome") == "grounded").select("facet", "curie").rows()
    assert hits == [
        ("disease", "DOID:2841"),
        ("label", "NCBITaxon:9606"),
        ("tissue", "BTO:0000763"),
    ]


SAYING = st.sampled_from([
    "mice", "Mus", "HeLa", "HELA", "cells", "faeces", "leaves", "foliage", "Crohns", "disease;",
    "not", "no",
    "infected", "human", "lung", "B cell", "B-cell", "lymphoma line", "A-549", "A549", "a 549",
    "colitis",
    "(influenza)", "soil metagenome's", "Zika virus", "²", "é", "DOID:2841", "9606",
])  # fmt: skip


@settings(max_examples=6)
@given(st.lists(SAYING, min_size=1, max_size=6).map(" ".join))
def test_vocabulary_for_texts_finds_the_same(vocabulary: Vocabulary, text: str) -> None:
    names = [[cell.strip() for cell in row] for row in columns(SYNONYMS)]
    edges = [[cell.strip() for cell in row] for row in columns(EDGES)]
    small = build_vocabulary(
        term_table(TERMS),
        pl.DataFrame(names, schema=["curie", "synonym", "scope"], orient="row"),
        pl.DataFrame(edges, schema=["subject", "predicate", "object"], orient="row"),
        texts=pl.Series([text]),
    )
    assert len(small.names) < len(vocabulary.names)
    assert ground_text(text, small).equals(ground_text(text, vocabulary))


def test_nothing_in_gives_an_empty_table(vocabulary: Vocabulary) -> None:
    empty = pl.DataFrame(schema={"attribute": pl.String, "text": pl.String})
    assert ground(empty, vocabulary).equals(Grounding.create_empty())
    unread = pl.DataFrame({"attribute": ["plate"], "text": ["leaf"]})
    assert len(ground(unread, vocabulary)) == 0


@pytest.mark.parametrize(
    ("attribute", "facets"),
    [
        ("Host disease", ["disease"]),
        ("host_tissue_sampled", ["disease", "tissue"]),
        ("host cell line", ["disease", "tissue"]),
        ("rna source", ["disease", "tissue"]),
        ("cell line passage", []),
        ("histological tumor classification", ["disease"]),
        ("tissue_sam_ss_dpl262", ["disease", "tissue"]),
        ("specific-host", ["label"]),
        ("collection_date", []),
    ],
)
def test_attribute_name_decides_the_facets(attribute: str, facets: list[str]) -> None:
    assert route_attributes(pl.Series([attribute]))["facet"].to_list() == facets


@given(st.lists(st.text(max_size=30), min_size=1, max_size=5))
def test_folding_keeps_tokens_aligned(texts: list[str]) -> None:
    frame = pl.DataFrame({"text": texts}).with_columns(cased=separate(pl.col("text")))
    folded = frame.with_columns(folded=fold(pl.col("cased")))
    blanks = folded.select(pl.col("cased", "folded").str.count_matches(" "))
    assert blanks["cased"].to_list() == blanks["folded"].to_list()


@given(st.text(alphabet="abAB βé'-;_2 ", max_size=20))
def test_folding_twice_changes_nothing_but_endings(text: str) -> None:
    once = fold_one(text)
    assert once == once.strip()
    assert "  " not in once


WORDS = st.lists(st.sampled_from(["a", "b", "c", "ab", "é"]), min_size=1, max_size=6).map(" ".join)


@given(
    st.lists(WORDS, min_size=1, max_size=4), st.lists(WORDS, min_size=1, max_size=5, unique=True)
)
def test_spans_are_all_word_sequences(texts: list[str], patterns: list[str]) -> None:
    spans = find_spans(pl.Series(texts), pl.Series(patterns))
    expected = []
    first = 0
    for row, text in enumerate(texts):
        tokens = text.split(" ")
        for number, pattern in enumerate(patterns):
            wanted = pattern.split(" ")
            places = range(len(tokens) - len(wanted) + 1)
            hits = [first + at for at in places if tokens[at : at + len(wanted)] == wanted]
            expected += [(row, number, at, at + len(wanted)) for at in hits]
        first += len(tokens)
    assert sorted(spans.rows()) == sorted(expected)


@given(
    st.lists(WORDS, min_size=1, max_size=4), st.lists(WORDS, min_size=1, max_size=5, unique=True)
)
def test_pruning_loses_no_match(texts: list[str], patterns: list[str]) -> None:
    parts = [pattern.split(" ") for pattern in patterns]
    names = pl.DataFrame(
        {
            "facet": "tissue",
            "folded": patterns,
            "curie": patterns,
            "first_token": [tokens[0] for tokens in parts],
            "last_token": [tokens[-1] for tokens in parts],
        }
    )
    kept = prune(names, pl.Series(texts).str.split(" ").explode())
    found = find_spans(pl.Series(texts), pl.Series(patterns))["pattern"]
    assert {patterns[number] for number in found} <= set(kept["folded"])


def test_longest_span_wins_and_shorter_ones_inside_it_fall() -> None:
    spans = pl.DataFrame({"text": [0, 0, 0, 1], "start": [0, 0, 1, 5], "end": [1, 3, 2, 6]})
    assert keep_longest(spans).rows() == [(0, 0, 3), (1, 5, 6)]


NAMED = """
disease | adenocarcinoma of the prostate           | DOID:1    | words
disease | prostatic adenocarcinoma                 | DOID:1    | words
disease | Prostate adenocarcinoma, NOS             | DOID:1    | words
disease | other disorders of prostate              | DOID:3    | words
disease | renal clear cell                         | DOID:2    | words
disease | left prostate adenocarcinoma, stage III  | DOID:1    | words
disease | adenoma of pancreas                      | DOID:9    | words
disease | cancer of the colon                      | DOID:11   | words
disease | CCRCC of an adult                        | DOID:2    | words
disease | diabetes mellitus                        | -         |
disease | mixed                                    | -         |
disease | prostate adenocarcinoma                  | DOID:1    | dictionary
disease | no adenocarcinoma of prostate            | -         |
disease | HIV-                                     | -         |
disease | Zika virus                               | -         |
disease | OMIM:219700                              | DOID:4    | dictionary
disease | C0011860                                 | DOID:5    | dictionary
disease | UMLS_CUI:C0011860                        | DOID:5    | dictionary
disease | OMIM:999999                              | -         |
disease | lung tumors                              | DOID:8    | words
tissue  | adenocarcinoma of the prostate           | DOID:1    | words
tissue  | renal clear cell                         | -         |
tissue  | lung tumors                              | -         |
"""


@pytest.fixture(scope="module")
def few_diseases() -> Vocabulary:
    labels = {
        1: "prostate adenocarcinoma", 2: "clear cell renal cell carcinoma", 3: "prostate disease",
        4: "cystic fibrosis", 5: "type 2 diabetes mellitus", 6: "HIV",
        7: "Zika virus disease", 8: "lung benign neoplasm",
        9: "pancreatic adenoma", 10: "clear cell sarcoma of kidney", 11: "colon carcinoma",
    }  # fmt: skip
    curies = [f"DOID:{number}" for number in labels]
    named = pl.DataFrame({"curie": curies, "label": list(labels.values())})
    nothing = pl.lit(None, pl.String)
    term = named.with_columns(
        ontology=pl.lit("DOID"), rank=nothing, obsolete=pl.lit(False), replaced_by=nothing
    )
    xref = pl.DataFrame(
        {"curie": ["DOID:4", "DOID:5"], "xref": ["OMIM:219700", "UMLS_CUI:C0011860"]}
    )
    synonym = pl.DataFrame(
        {"curie": ["DOID:2", "DOID:8"], "synonym": ["CCRCC", "lung neoplasm"], "scope": "EXACT"}
    )
    return build_vocabulary(term, synonym, TermEdge.create_empty(), xref=xref)


def test_a_disease_is_known_by_its_words_in_any_order_and_by_identifiers(
    few_diseases: Vocabulary,
) -> None:
    rows = rows_of(NAMED)
    values = [(attribute, text) for attribute, text, *_ in rows]
    asked = pl.DataFrame(values, ["attribute", "text"], orient="row")
    found = ground(asked, few_diseases).filter(outcome="grounded")
    said = {
        (attribute, text): found.filter(attribute=attribute, text=text)
        .select("curie", "method")
        .rows()
        for attribute, text in values
    }
    assert said == {(where, text): [(*how,)] if how[0] != "-" else [] for where, text, *how in rows}

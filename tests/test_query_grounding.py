"""One text means the same to ``query term`` and to a question, and to both what grounding makes of
it.
"""

from __future__ import annotations

import duckdb
import polars as pl
import pytest

from ontology_etl.grounding import ground_text
from ontology_etl.vocabulary import build_vocabulary
from query.browsing.terms import read_term
from query.reading.held.mentions import ASKED_TOGETHER
from query.reading.names.named_terms import name_words
from query.reading.names.unlisted import KINGDOMS
from query.reading.names.vocabulary import vocabulary_for
from query.reading.question import read_question
from query.reading.written.identifiers import with_labels

TEXTS = """
lung
lungs
pulmonary
Pulmonary tissue
small intestine
small-intestine
intestine, small
gut
feces
faeces
stools
guano
leaf
leaves
HeLa
HeLa cells
HUH-7
HuH7
A549
A-549 cells
LCL
lcl
PBMC
peripheral blood mononuclear cells
human
humans
Homo sapiens
homo sapiens
bat
bats
Chiroptera
chiroptera
Rousettus
rousettus
mouse
mice
mosquitoes
pigs and cattle
rice
Oryza sativa
asthma
COVID-19
covid 19
AIDS
aids
not asthma
without diarrhoea
diarrhea
hepatitis C
Crohn's disease
cancer
tumour
colorectal adenocarcinoma and adenoma
healthy
missing
children
cell
adult
virus
coronaviruses
bat coronaviruses
bat coronavirus
rice stripe virus
dengue
influenza
plants
bacteria
root
roots; leaves
NCBITaxon:9606
BTO_0000763
human/bat lung
sea water
sewage
tissue of the brain (human)
"""
LISTED = TEXTS.strip().splitlines()
OF_A_HOST = "bat coronavirus"
"""The part of a name in metadata; in a question the host of a group of viruses."""


def terms_of(con: duckdb.DuckDBPyConnection, text: str, *outcomes: str) -> set[str]:
    """Return the terms that ``query term`` shows for ``text``, with those asked for together."""
    readings = [one for one in read_term(con, text) if one.outcome in outcomes]
    curies = {one.curie for one in readings if one.curie}
    curies |= {term.curie for one in readings for term in one.candidates}
    together = (ASKED_TOGETHER.get(curie, ((curie, ""),)) for curie in curies)
    return {curie for terms in together for curie, _ in terms}


@pytest.mark.parametrize("sentence", ["{}", "Which viruses turn up with {}?"])
@pytest.mark.parametrize("text", [one for one in LISTED if one != OF_A_HOST])
def test_question_and_term_agree_on_a_text(
    sample_db: duckdb.DuckDBPyConnection, text: str, sentence: str
) -> None:
    asked = sentence.format(text)
    question = read_question(sample_db, asked)
    mentions = (*question.mentions, *question.absent)
    named = {curie for one in mentions for curie in one.curies}
    viruses = {curie for one in mentions if one.group == "virus" for curie in one.curies}
    labelled = with_labels(sample_db, asked)  # an identifier within a sentence is read as its label
    meant = terms_of(sample_db, labelled, "grounded", "ambiguous")
    generic = terms_of(sample_db, labelled, "generic")  # a question may use it to ask, not to name
    kingdoms = named & {curie for curie, _ in KINGDOMS.values()}
    other_sense = meant if kingdoms else set()  # plants of a question are hosts, no whole plants
    # A question also names viruses by what people call them: flu, coronaviruses.
    assert meant - ASKS - other_sense <= named <= meant | generic | viruses | kingdoms


ASKS = {"NCBITaxon:10239"}
"""Viruses as a whole: the word asks for them in a question, and names nothing."""
COLLECTIVE = ("chiroptera", "rousettus", "bat coronaviruses")
"""Read otherwise than in metadata: a carried taxon in small letters, a plural of viruses."""


@pytest.mark.parametrize("text", [one for one in LISTED if one not in COLLECTIVE])
def test_part_of_the_vocabulary_reads_a_text_as_the_whole_does(
    sample_db: duckdb.DuckDBPyConnection, text: str
) -> None:
    tables = (sample_db.table(name).pl() for name in ("term", "synonym", "term_edge"))
    whole = ground_text(text, build_vocabulary(*tables, texts=pl.Series([text])))
    part = ground_text(text, vocabulary_for(sample_db, text))
    assert part.rows() == whole.rows()


ENVIRONMENTS = """
viruses in sea water           | seawater metagenome
viruses of seawater            | seawater metagenome
Which viruses are in sewage?   | wastewater metagenome
Which runs are of waste water? | wastewater metagenome
viruses in fresh water         | freshwater metagenome
viruses in faeces of pigs      | feces
"""


@pytest.mark.parametrize("row", ENVIRONMENTS.strip().splitlines())
def test_words_for_environments_are_understood(
    sample_db: duckdb.DuckDBPyConnection, row: str
) -> None:
    text, label = (part.strip() for part in row.split("|"))
    question = read_question(sample_db, text)
    assert label in {one.label for one in (*question.mentions, *question.absent)}
    assert not question.left_out


def test_host_before_a_group_of_viruses_is_a_host(sample_db: duckdb.DuckDBPyConnection) -> None:
    question = read_question(sample_db, f"Which {OF_A_HOST} is there?")
    assert [one.label for one in question.mentions] == ["Chiroptera", "Coronaviridae"]
    assert not question.left_out


DENIED = """
viruses of patients without asthma   |
stool of children                    | children: no name
viruses of bats                      |
"""


@pytest.mark.parametrize("row", DENIED.strip().splitlines())
def test_name_that_is_not_asked_for_is_kept_with_the_reason(
    sample_db: duckdb.DuckDBPyConnection, row: str
) -> None:
    text, expected = (part.strip() for part in row.split("|"))
    left_out = read_question(sample_db, text).left_out
    assert ", ".join(f"{one.text}: {one.reason}" for one in left_out) == expected


@pytest.mark.parametrize(
    ("text", "words", "places"),
    [
        ("SARS-CoV-2 in lung", ["SARS-CoV-2", "in", "lung"], [0, 0, 0, 1, 2]),
        ("human/bat lung", ["human", "bat", "lung"], [0, 1, 2]),
        ("roots; leaves", ["roots", "leaves"], [0, -1, 1]),
        ("Crohn's disease?", ["Crohn's", "disease"], [0, 1]),
        ("β-catenin HEK293", ["β-catenin", "HEK293"], [0, 0, 1, 1]),
    ],
)
def test_tokens_of_grounding_belong_to_words_of_the_question(
    text: str, words: list[str], places: list[int]
) -> None:
    assert name_words(text) == (words, places)


@pytest.mark.parametrize("text", ["small intest.", "Small intest., ileum", "lung."])
def test_word_cut_short_is_completed_as_in_metadata(
    sample_db: duckdb.DuckDBPyConnection, text: str
) -> None:
    tables = (sample_db.table(name).pl() for name in ("term", "synonym", "term_edge"))
    whole = ground_text(text, build_vocabulary(*tables, texts=pl.Series([text])), facet="tissue")
    part = ground_text(text, vocabulary_for(sample_db, text), facet="tissue")
    assert part.rows() == whole.rows()
    assert set(part["outcome"]) == {"grounded"}

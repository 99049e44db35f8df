"""Sentences of a model: one that restates the index is printed in the index's own words, one with a
number of its own never, and interpretation only where it names what the statements name.

Measured on sentences that were judged by hand, and on the same with wrong numbers and names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.sentences import FATES, fates, read_evidence, read_judged, table
from index.checking.evidence import ShownEvidence
from index.checking.interpretation import MAX_SENTENCES, JudgedSentence, interpretation_of, judge
from index.checking.matching import match_sentence
from index.checking.names import IndexNames
from index.checking.quantities import read_text
from index.store.build import open_index
from tests.conftest import BuiltIndex
from tests.tiny_index import tiny_index

DOCS = Path(__file__).resolve().parents[1] / "docs"
NAMES = IndexNames(
    tiny_index(
        term="""
        curie          | label      | ontology  | rank
        NCBITaxon:4751 | Fungi      | NCBITaxon | kingdom
        NCBITaxon:11118 | Coronaviridae | NCBITaxon | family
        NCBITaxon:694009 | SARS virus | NCBITaxon | species
        BTO:0000776    | B-lymphocyte | BTO     |
        DOID:2841      | asthma     | DOID      |
        NCBITaxon:9397 | Chiroptera | NCBITaxon | order
        NCBITaxon:9971 | Pholidota  | NCBITaxon | order
        NCBITaxon:7157 | Culicidae  | NCBITaxon | family
        NCBITaxon:1    | Data       | NCBITaxon | genus
        BTO:0000759    | liver      | BTO       |
        BTO:0001281    | spleen     | BTO       |
        DOID:2985      | rejection  | DOID      |
        """,
        synonym="""
        curie          | synonym
        NCBITaxon:4751 | moulds
        BTO:0000776    | B cell
        NCBITaxon:694009 | SARSV
        NCBITaxon:9397 | bats
        NCBITaxon:9971 | pangolins
        NCBITaxon:7157 | mosquitos
        DOID:2985      | CAN
        """,
        annotation="""
        run | facet   | value      | curie
        R1  | host    | Chiroptera | NCBITaxon:9397
        R1  | tissue  | liver      | BTO:0000759
        R1  | disease | rejection  | DOID:2985
        R1  | disease | asthma     | DOID:2841
        R1  | tissue  | B-lymphocyte | BTO:0000776
        """,
        closure="""
        descendant       | ancestor        | distance
        NCBITaxon:694009 | NCBITaxon:11118 | 1
        NCBITaxon:694009 | NCBITaxon:10239 | 2
        NCBITaxon:11118  | NCBITaxon:10239 | 1
        """,
        virus_name="""
        key | name       | virus       | kind
        flu | flu        | NCBITaxon:2 | everyday
        hiv | HIV        | NCBITaxon:3 | abbreviation
        can | CAN        | NCBITaxon:4 | abbreviation
        wes | West Nile virus | NCBITaxon:5 | name
        """,
        fact="""
        community | facet     | value      | runs | share | background_share | lift | q_value | rank
        C0-a      | geography | Egypt: Giza | 3   | 1     | 0.5              | 2    | 1       | 1
        C0-a      | tissue    | Field       | 3   | 1     | 0.5              | 2    | 1       | 2
        C0-a      | tissue    | Liv         | 3   | 1     | 0.5              | 2    | 1       | 3
        """,
    )
)

EVIDENCE = ShownEvidence(
    [
        "Coronaviridae is found in 12 of 40 runs (30%), against 2 of 60 (3%) in the rest. That is "
        "10 times its share in the whole index (q < 0.001). Next come Astroviridae (8 runs) and "
        "Flaviviridae (4 runs).",
        "Astroviridae and Flaviviridae are found together in 3 of 40 runs (8%).",
        "In SYNP0000001, Coronaviridae is 5 times less abundant where disease is rejection (6 "
        "biosamples against 9; q = 0.2).",
        "The host is Chiroptera in all 40 runs. The tissue is liver in 9 of 20 runs with a stated "
        "tissue (45%), but no run is of spleen.",
    ],
    NAMES,
)
RESTATED = """
1 | Coronaviridae is found in 12 of 40 runs (30%).
1 | Twelve of 40 runs carry Coronaviridae.
1 | Coronaviridae is found in twelve of forty runs.
1 | Coronaviridae lead with 12 runs, followed by Astroviridae (8) and Flaviviridae (4).
1 | Coronaviridae are more frequent here (30% against 3%).
1 | Coronaviridae are 10 times as frequent as in the whole index (q < 0.001).
1 | Astroviridae are found in twice as many runs as Flaviviridae.
1 | Coronaviridae are found in more than a quarter of the 40 runs (12), so over two thirds have none.
1 | 12 of 40 searched runs carry Coronaviridae.
2 | Astroviridae and Flaviviridae share 3 runs.
3 | In SYNP0000001, Coronaviridae are 5 times less abundant with rejection, not significantly (q = 0.2).
4 | All 40 runs are bats.
4 | Just under half of the runs with a stated tissue are liver (9 of 20).
"""  # noqa: E501
PRINTED = {
    "Such hits may come from what the host has eaten.": None,
    "Whether these are real infections cannot be told from counts.": None,
    "Coronaviridae are shed in stool. [LLM: verify]": None,
    "A bat could carry Coronaviridae without harm.": None,
    "It may depend on the type I response.": None,
    "Such hits could come from the cirrhotic spleen.": None,
    "Coronaviridae may be the ones of a meal.": None,
    "One explanation may be contamination.": None,
    "Such pairs may be contaminants.": None,
    "Such hits could come from B cells.": None,
    "Such hits may come from field samples, or from what lives in them.": None,
    "It may follow the season above all, or enrichment before sequencing.": None,
    "Coronaviridae are shed in stool, so these runs may hold some of it. [LLM: verify]": None,
    "Coronaviridae are also seen in asthma. [LLM: verify]": None,
    "Coronaviridae may lead where bats were sampled [2].": (
        "Coronaviridae may lead where bats were sampled (Astroviridae and Flaviviridae are found "
        "together in 3 of 40 runs (8%))."
    ),
}
DROPPED = {
    "Coronaviridae is found in 8 runs.": "belongs to another name (8)",
    "Coronaviridae is found in 13 runs.": "no statement holds its number (13)",
    "Coronaviridae is found in 12 of 60 runs.": "of another whole (12)",
    "Coronaviridae is found in 12% of runs.": "no statement holds its number (12%)",
    "Coronaviridae is found in 12 patients.": "counts what no statement counts (patients)",
    "Flaviviridae are found in twice as many runs as Astroviridae.": "two such numbers (twice)",
    "Coronaviridae are found in 12 of 40 runs, so a third have none.": "that share (a third)",
    "Coronaviridae is found in more than 12 runs.": "says more than 12",
    "Coronaviridae is found in 12 runs because of the season.": "cause (because)",
    "Astroviridae lead with 8 runs.": "led by it (lead)",
    "Coronaviridae are rarer here (30% against 3%).": "has that direction (rarer)",
    "8 runs carry both Astroviridae and Flaviviridae.": "the number belongs to",
    "Coronaviridae are not found in 12 runs.": "denies it (not)",
    "Coronaviridae are 5 times less abundant with rejection.": "the test is of one project",
    "In SYNP0000001, Coronaviridae are 5 times as abundant with rejection.": "direction",
    "In SYNP0000001, Coronaviridae are 5 times less abundant (q < 0.2).": "that sign before",
    "Astrovirus 7 is found in 8 runs.": "no statement names",
    "All 40 runs are pangolins.": "no statement names (pangolins)",
    "Coronaviridae are common.": "say that it may be so",
    "Coronaviridae cause rejection.": "claims something about a name (cause)",
    "Coronaviridae were not detected. [LLM: verify]": "no general knowledge (detected)",
    "Pangolins could carry Coronaviridae.": "no statement names (Pangolins)",
    "Coronaviridae are found with flu. [LLM: verify]": "no general knowledge (found)",
    "Coronaviridae are easier to see than hiv. [LLM: verify]": "no statement names (hiv)",
    "Ebolavirus may be there.": "no statement names (Ebolavirus)",
    "Such hits may be seen in Wuhan.": "no statement names (Wuhan)",
    "Such hits may come with asthma.": "no statement names (asthma)",
    "Such hits may come from the Field.": "no statement names (Field)",
    "Most hosts may be ill.": "how much of a whole (most)",
    "It may be enriched.": "states a test (enriched)",
    "½ of the runs may differ.": "holds a number (½)",
    "The Ⅳ runs may differ.": "holds a number (Ⅳ)",
    "The ٧ runs may differ.": "no statement holds its number (٧)",
    "The 三 runs may differ.": "holds a number (三)",
    "The IV runs may differ.": "holds a number (IV runs)",
    "A score of runs may be wrong.": "holds a number (score)",
    "One virus may be a contaminant.": "holds a number (one)",
    "One run may be wrong.": "no statement holds its number (One)",
    "The twentieth run may be wrong.": "holds a number (twentieth)",
    "The majority may be contaminated. [LLM: verify]": "holds a number (majority)",
    "It may follow the diet [9].": "there is no statement [9]",
    "Visit example.org to see.": "address (example.org)",
    "Please believe it.": "speaks to the reader (Please)",
    "It may be <b>so</b>.": "sign",
    "It may be so": "does not end",
    "": "empty",
    f"It may be {'so ' * 200}bad.": "too long",
}


def test_sentence_that_restates_gives_the_statement_in_its_place() -> None:
    for row in RESTATED.strip().splitlines():
        number, _, sentence = row.partition(" | ")
        shown = EVIDENCE.statements[int(number) - 1].shown
        assert judge(sentence, EVIDENCE) == JudgedSentence(restated=(shown,)), sentence


@pytest.mark.parametrize("sentence", PRINTED)
def test_interpretation_is_printed_with_the_words_of_what_it_refers_to(sentence: str) -> None:
    assert judge(sentence, EVIDENCE) == JudgedSentence(printed=PRINTED[sentence] or sentence)


@pytest.mark.parametrize("sentence", DROPPED)
def test_a_sentence_that_no_statement_supports_is_dropped(sentence: str) -> None:
    judged = judge(sentence, EVIDENCE)
    assert (judged.printed, judged.restated) == (None, ())
    assert DROPPED[sentence] in judged.fault


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("one biosample and a pair of tick runs", [1, 2]),
        ("one of the runs, seventeen samples, ninety tests", [1, 17, 90]),
        ("one explanation of the pairs of one study", []),
    ],
)
def test_numbers_in_words_equal_their_digits(text: str, numbers: list[float]) -> None:
    assert [number.value for number in read_text(text, {}).quantities] == numbers


def test_titles_and_quoted_values_may_be_named() -> None:
    shown = ["In SYNP0000001, it is 5 times as abundant where stage is “pangolins”."]
    guess = "The excess in pangolins may follow travel from Egypt."
    assert "(Egypt)" in judge(guess, ShownEvidence(shown, NAMES)).fault
    titled = ShownEvidence(shown, NAMES, about=["Viruses of Egypt"])
    assert judge(guess, titled).printed == guess


def test_kind_of_a_virus_that_is_shown_may_be_named() -> None:
    guess = "A related coronavirus may explain it."
    unrelated = ShownEvidence(["West Nile virus is found in 3 runs."], NAMES)
    assert "coronavirus" in judge(guess, unrelated).fault
    assert judge(guess, ShownEvidence(["SARS virus is found in 3 runs."], NAMES)).printed == guess


def test_clause_that_shares_a_name_is_a_statement() -> None:
    shown = [
        "The host is Chiroptera in 9 runs (8 of one study; 1 more); next comes liver (2 runs)."
    ]
    judged = judge("The liver may be of a bat [1].", ShownEvidence(shown, NAMES))
    assert judged.printed == (
        "The liver may be of a bat (The host is Chiroptera in 9 runs (8 of one study; 1 more))."
    )
    judged = judge("The liver may be a mistake [1].", ShownEvidence(shown, NAMES))
    assert judged.printed == "The liver may be a mistake (next comes liver (2 runs))."


def test_unnamed_virus_may_be_named_by_its_sotu() -> None:
    shown = ShownEvidence(["One unnamed virus, sOTU u736734, is shared by 641 of 678 runs."], NAMES)
    assert judge("A reagent may carry u736734.", shown).printed
    assert "u9" in judge("A reagent may carry u9.", shown).fault


def test_sentences_beyond_the_first_three_are_dropped_unread() -> None:
    given = interpretation_of(["It may be so.", "It may be so.", "It is 9.", "Or so."], EVIDENCE)
    assert (given.sentences, given.dropped, given.unread) == (("It may be so.",), 2, 1)


@settings(max_examples=60)
@given(st.lists(st.text(max_size=80), max_size=5))
def test_whatever_is_written_nothing_numeric_and_no_markup_is_printed(texts: list[str]) -> None:
    given = interpretation_of(texts, EVIDENCE)
    printed = " ".join(given.sentences)
    assert not any(one.isnumeric() or one in "<>{}[]`|\\\n\x1b" for one in printed)
    assert len(given.sentences) <= MAX_SENTENCES


# --- sentences judged by hand ---------------------------------------------------------------------


def judged_folder() -> Path:
    folder = Path(os.environ.get("VIROME_SHARED_DATA", ".")).parent / "cases" / "sentences"
    if not folder.exists():
        pytest.skip(f"judged sentences are absent: no {folder}")
    return folder


@pytest.fixture(scope="module")
def evidence(sample_index: BuiltIndex) -> Iterator[dict[str, ShownEvidence]]:
    """Yield what the judged sentences are about: to read it takes longer than to match them."""
    with open_index(sample_index.path) as con:
        yield read_evidence(judged_folder(), con)


@pytest.mark.real
def test_no_false_sentence_is_printed_and_most_true_ones_are(
    evidence: dict[str, ShownEvidence],
) -> None:
    """docs/models-tried.md has this table."""
    counts = fates(judged_folder(), evidence)
    counted, own, neither = FATES
    assert counts["false", counted] == counts["false", own] == 0
    printed = counts["true", counted] + counts["true", own]
    assert printed > 0.85 * (printed + counts["true", neither])
    assert table(counts) in (DOCS / "models-tried.md").read_text()


@pytest.mark.real
def test_wrong_numbers_are_seen(evidence: dict[str, ShownEvidence]) -> None:
    """Each number of a true sentence in turn becomes each other number of its evidence."""
    wrong = matched = 0
    for one in read_judged(judged_folder())[::12]:
        shown = evidence[one["evidence"]]
        if one["label"] != "true" or match_sentence(shown.read(one["text"]), shown).fault:
            continue
        texts = " ".join(statement.shown for statement in shown.statements)
        others = sorted(set(_NUMBER.findall(texts)))[::7]
        for number in _NUMBER.finditer(one["text"]):
            for other in [other for other in others if other != number[0]]:
                text = one["text"][: number.start()] + other + one["text"][number.end() :]
                wrong += 1
                matched += not match_sentence(shown.read(text), shown).fault
    assert wrong > 100
    assert matched < 0.03 * wrong


_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?!\w)")

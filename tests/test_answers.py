"""Answers in words: what they say of how sure a number is, of names, of doubt, and of sides."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from hypothesis import given

from index.claims import (
    Claim,
    Compared,
    Counted,
    Fisher,
    FoundIn,
    NamedNumber,
    NeverSearched,
    NotFound,
    Ranking,
    ShareOf,
    SpeciesInstead,
    Supported,
    YesOrNo,
)
from query.answers import answer_reading, answer_request
from query.answers.answering import in_doubt
from query.answers.charts import chart_of, draw_chart
from query.answers.doubting import Findings, judge
from query.answers.names import CalledNames
from query.answers.run_words import runs_words
from query.compiler.expecting import Relative, Relatives
from query.reading.reading import NameInQuestion, Reading
from query.request import (
    And,
    Carries,
    Compare,
    Count,
    Evidence,
    Exists,
    Has,
    Hit,
    Not,
    Or,
    Range,
    Records,
    Request,
    Share,
    Top,
    Values,
    Where,
)
from query.request.run_sets import EVERYTHING, RunSet
from tests.request_world import World, fill, run_sets, world_index

ONE, TWO, BETA = "Alpha virus one", "Alpha virus two", "Beta virus one"
STRAIN = "NCBITaxon:30"

HITS = """
run virus           identity closest
R1  NCBITaxon:3     97       -
R2  NCBITaxon:3     85       -
R3  NCBITaxon:3     95       NCBITaxon:4
R4  NCBITaxon:4     99       -
R5  NCBITaxon:4     99       -
"""
HOSTS = {"R1": "NCBITaxon:22", "R2": "NCBITaxon:22", "R3": "NCBITaxon:24", "R4": "NCBITaxon:24",
         "R6": "NCBITaxon:22", "R7": "NCBITaxon:24"}  # fmt: skip
LABELS = {"NCBITaxon:22": "Homo testus", "NCBITaxon:24": "Myotis testus"}


def small_world() -> World:
    """Return seven runs: R1 to R5 with hits, R6 and R7 searched in vain; R8 is never searched."""
    world = World()
    for number in range(1, 9):
        world.run.append({"run": f"R{number}", "study": "S1", "biosample": None,
                          "release_date": None, "spots": None})  # fmt: skip
        if number < 8:
            world.searched.append({"run": f"R{number}", "source": "nt", "search": "first"})
    for virus in ("NCBITaxon:3", "NCBITaxon:4"):
        world.source_scope.append(
            {"source": "nt", "search": "first", "virus": virus, "below": True}
        )
    for line in HITS.strip().splitlines()[1:]:
        run, virus, identity, closest = line.split()
        near = None if closest == "-" else closest
        species = {"NCBITaxon:3": ONE, "NCBITaxon:4": TWO}[virus]
        is_species = float(identity) >= 90 and near is None
        world.detection.append({
            "run": run, "sotu": "u1", "source": "nt", "virus": virus, "identity": float(identity),
            "closest": near, "species": species if is_species else None, "stated": species,
            "taxon": virus, "family": "Alphaviridae", "reads": 50,
        })  # fmt: skip
    for run, curie in HOSTS.items():
        world.annotation.append({"run": run, "facet": "host", "value": LABELS[curie],
                                 "curie": curie, "text": "", "attribute": "host",
                                 "method": "dictionary", "score": 1.0})  # fmt: skip
    return world


@pytest.fixture(scope="module")
def index() -> Iterator[duckdb.DuckDBPyConnection]:
    with world_index() as con:
        term = [STRAIN, "Alpha one strain X", "NCBITaxon", "no rank", False]
        con.execute(
            "INSERT INTO term (curie, label, ontology, rank, obsolete) VALUES (?, ?, ?, ?, ?)", term
        )
        con.execute(f"INSERT INTO term_edge VALUES ('{STRAIN}', 'parent', 'NCBITaxon:3')")
        con.execute("UPDATE virus SET rank = 'species' WHERE species IS NOT NULL")
        fill(con, small_world())
        yield con


def carries(virus: str) -> Carries:
    return Carries(Hit((virus,)))


def host(name: str) -> Has:
    return Has("host", (name,))


# --- what is answered beside what is asked --------------------------------------------------------


def _answered(index: duckdb.DuckDBPyConnection, request: Request) -> list[Request]:
    answer = answer_reading(index, Reading("", (request,)))
    return [result.request for result in answer.results]


def test_studies_are_bioprojects_where_runs_state_no_other(
    index: duckdb.DuckDBPyConnection,
) -> None:
    request = Request(Values(("study",)), carries(ONE))
    assert _answered(index, request)[:1] == [request]
    index.execute("UPDATE run SET study = NULL")
    try:
        assert _answered(index, request)[0] == Request(Values(("project",)), carries(ONE))
    finally:
        index.execute("UPDATE run SET study = 'S1'")


def test_effects_that_were_not_tested_are_followed_by_single_tests(
    index: duckdb.DuckDBPyConnection,
) -> None:
    where = (Where("value", values=("rumen",)), Where("q_value", range=Range(at_most=0.05)))
    asked = _answered(index, Request(Records("effects", where=where)))
    tables = [request.measure.table for request in asked if isinstance(request.measure, Records)]
    assert list(dict.fromkeys(tables)) == ["effects", "tests"]


# --- how sure ------------------------------------------------------------------------------------


def test_runs_whose_match_is_weaker_are_counted_apart(index: duckdb.DuckDBPyConnection) -> None:
    answer = answer_request(index, Request(Count(), of=carries(ONE)))
    found = answer.claims[0]
    assert isinstance(found, FoundIn)
    assert (found.number, found.searched, found.supported) == (3, 7, True)
    assert found.confirmed == Supported(
        number=1, whole=3, others=("below 90 %", "nearer a relative")
    )


def test_a_lack_is_not_said_of_runs_that_nobody_searched(
    index: duckdb.DuckDBPyConnection,
) -> None:
    (claim, *more) = answer_request(index, Request(Count(), of=Not(carries(BETA)))).claims
    assert isinstance(claim, NeverSearched)
    assert more == []


def test_runs_that_the_index_lacks_are_not_unsearched(index: duckdb.DuckDBPyConnection) -> None:
    of = Has("host", ("Aedes testus",)) & carries(ONE)
    answer = answer_request(index, Request(Exists(), of=of))
    assert answer.text == "The index has no runs from Aedes testus."


def test_seas_are_no_countries(index: duckdb.DuckDBPyConnection) -> None:
    con = index.cursor()
    for name, place in (("R1", "Peru: Lima"), ("R2", "Peru: Cusco"), ("R3", "North Sea")):
        con.execute("INSERT INTO annotation (run, facet, value) VALUES (?, 'geography', ?)",
                    [name, place])  # fmt: skip
    countries, seas = (
        answer_request(con, Request(Values((field,)))).text for field in ("country", "sea")
    )
    con.execute("DELETE FROM annotation WHERE facet = 'geography'")
    assert "Peru" in countries
    assert "North Sea" not in countries
    assert "North Sea" in seas
    assert "Peru" not in seas


def test_supported_hits_are_the_virus(index: duckdb.DuckDBPyConnection) -> None:
    answer = answer_request(index, Request(Count(), of=carries(TWO)))
    assert isinstance(answer.claims[0], FoundIn)
    assert answer.claims[0].supported


@pytest.mark.parametrize(
    ("virus", "where", "verdict", "claim"),
    [
        (TWO, EVERYTHING, "Yes", FoundIn),
        (TWO, host("Homo testus"), "Not in these data", NotFound),
        (ONE, host("Myotis testus"), "Perhaps", FoundIn),
    ],
)
def test_yes_needs_support_and_no_needs_a_search(
    index: duckdb.DuckDBPyConnection, virus: str, where: RunSet, verdict: str, claim: type[Claim]
) -> None:
    of: RunSet = carries(virus) if where == EVERYTHING else And((carries(virus), where))
    lead = answer_request(index, Request(Exists(), of=of)).claims[0]
    assert isinstance(lead, YesOrNo)
    assert (lead.verdict, type(lead.because)) == (verdict, claim)


def test_a_strain_is_answered_by_its_species(index: duckdb.DuckDBPyConnection) -> None:
    answer = answer_request(index, Request(Count(), of=carries(STRAIN)))
    lead = answer.claims[0]
    assert isinstance(lead, SpeciesInstead)
    assert lead.virus == "Alpha one strain X"
    assert lead.numbers()[0] == 3
    exists = answer_request(index, Request(Exists(), of=carries(STRAIN)))
    assert exists.lead.startswith("Perhaps")


BATS = Has("host", ("Myotis testus",))


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (Values(by="virus", at_least=900), "No virus is found in at least 900 runs from Myotis"),
        (Values(by="virus", absent_in=BATS), "None: every virus found in runs from Myotis testus"),
        (
            Values(by="host", absent_in=BATS),
            "None: every host recorded",
        ),
        (Values(by="host", at_least=900), "No host is recorded for at least 900 runs from Myotis"),
    ],
)
def test_a_list_that_its_limits_leave_empty_says_them(
    index: duckdb.DuckDBPyConnection, values: Values, text: str
) -> None:
    assert answer_request(index, Request(values, of=BATS)).lead.startswith(text)


def test_runs_that_are_not_there_were_not_left_unsearched(
    index: duckdb.DuckDBPyConnection,
) -> None:
    neither = And((BATS, Not(BATS), carries(BETA)))
    lead = answer_request(index, Request(Count(), of=neither)).lead
    assert lead.startswith("The index has no runs")


# --- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("corrected", "said"), [(False, "alfa one"), (True, ONE)], ids=["as written", "mended"]
)
def test_a_virus_is_called_as_the_user_calls_it_unless_misspelt(
    index: duckdb.DuckDBPyConnection, corrected: bool, said: str
) -> None:
    name = NameInQuestion("alfa one", 0, 8, "virus", ONE, "NCBITaxon:3", corrected)
    answer = answer_request(index, Request(Count(), of=carries(ONE)), names=[name])
    assert said.lower() in answer.lead.lower()


def test_the_formal_name_is_said_once(index: duckdb.DuckDBPyConnection) -> None:
    name = NameInQuestion("A1V", 0, 3, "virus", ONE, "NCBITaxon:3")
    answer = answer_request(index, Request(Count(), of=carries(ONE)), names=[name], full=True)
    assert answer.text.count("(Alpha one)") == 1
    assert answer.text.count("A1V") >= 1


@given(of=run_sets())
def test_no_condition_is_lost_in_words(of: RunSet) -> None:
    said = runs_words(of, CalledNames()).lower()
    for name in _names(of):
        assert name.lower() in said, name


def _names(of: RunSet) -> list[str]:
    """Return the names that the words for a set of runs must hold."""
    match of:
        case Carries(hit):
            return [*hit.virus, *hit.other_than, *hit.source, *hit.sotu, *hit.reported]
        case Has():
            return [*of.values, *([of.contains] if of.contains else [])]
        case Not(inner):
            return _names(inner)
        case Top():
            return _names(of.of)
        case And(parts) | Or(parts):
            return [name for part in parts for name in _names(part)]
    return []


# --- what comes next -----------------------------------------------------------------------------


def test_an_answer_has_three_bullets_at_most_and_all_when_asked(
    index: duckdb.DuckDBPyConnection,
) -> None:
    request = Request(Count(), of=carries(ONE))
    brief, full = (answer_request(index, request, full=full) for full in (False, True))
    assert len(brief.bullets) <= 3
    assert len(full.bullets) >= len(brief.bullets)


def test_parts_of_a_question_are_one_answer(index: duckdb.DuckDBPyConnection) -> None:
    requests = (Request(Count(), of=carries(ONE)), Request(Values(("host",)), of=carries(TWO)))
    reading = Reading("", requests)
    answer = answer_reading(index, reading)
    first, second = (answer_request(index, request) for request in requests)
    parts = [f"{part.lead} {part.certainty}".strip() for part in (first, second)]
    assert answer.lead.splitlines() == parts
    assert not answer.certainty
    assert not answer.bullets
    assert answer.table is not None


# --- doubt ---------------------------------------------------------------------------------------


def findings(strict: int, expected: dict[str, int], beside: int = 0, clean: int = 10) -> Findings:
    """Return findings on ten runs, ``beside`` of which have more reads of a relative."""
    listed = (Relative("Beta", beside, 30.0),) if beside else ()
    classes = frozenset({"species", "nearer a relative"} if beside else {"species"})
    return Findings(10, strict, True, classes, expected, Relatives(listed, clean), 500.0)


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (findings(10, {"recorded": 8}), "probably real"),
        (findings(10, {}), "probably real"),
        (findings(10, {"unexpected": 6, "recorded": 1}), "possibly contamination"),
        (findings(10, {"of its group": 5}), "probably real"),
        (findings(10, {"library": 9}), "sequenced on purpose"),
        (findings(10, {"other library": 9}), "possibly contamination"),
        (findings(10, {"resident": 7, "recorded": 3}), "from the cell line"),
        (findings(4, {"recorded": 9}, beside=9, clean=1), "probably a relative"),
        (findings(8, {"recorded": 9}, beside=3, clean=6), "real in part"),
        (findings(0, {"recorded": 9}, beside=10, clean=0), "probably a relative"),
        (Findings(10, 0, True, frozenset({"reported only"}), {}, Relatives((), 0), None),
         "cannot be said"),
        (Findings(10, 0, False, frozenset({"nearer a relative"}), {}, Relatives((), 0), None),
         "cannot be said"),
        (Findings(10, 10, True, frozenset({"species"}), {}, Relatives((), 10), 3.0),
         "cannot be said"),
    ],
)  # fmt: skip
def test_a_verdict_follows_from_identity_relatives_and_hosts(found: Findings, verdict: str) -> None:
    assert judge(found)[0] == verdict


def test_evidence_says_how_many_runs_are_of_a_laboratory(
    index: duckdb.DuckDBPyConnection,
) -> None:
    con = index.cursor()
    con.execute("UPDATE annotation SET value = 'Mus musculus', curie = 'NCBITaxon:10090' "
                "WHERE run = 'R1' AND facet = 'host'")  # fmt: skip
    answer = answer_request(con, Request(Evidence(Hit((ONE,)))))
    con.execute("UPDATE annotation SET value = 'Homo testus', curie = 'NCBITaxon:22' "
                "WHERE run = 'R1' AND facet = 'host'")  # fmt: skip
    assert "1 of the runs is of laboratory mice or other rodents" in answer.text


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (Request(Count(), of=carries(ONE)), Request(Evidence(Hit((ONE,))))),
        (Request(Exists(), of=And((carries(ONE), host("bats")))),
         Request(Evidence(Hit((ONE,))), of=host("bats"))),
        (Request(Count("run", Hit((ONE,))), of=host("bats")),
         Request(Evidence(Hit((ONE,))), of=host("bats"))),
        (Request(Values(("host",)), of=carries(ONE)), Request(Values(("host",)), of=carries(ONE))),
    ],
)  # fmt: skip
def test_doubt_asks_for_the_evidence_of_the_hits(request_: Request, expected: Request) -> None:
    assert in_doubt(request_) == expected


# --- sides ---------------------------------------------------------------------------------------


def compared(index: duckdb.DuckDBPyConnection, *sides: RunSet) -> list[Claim]:
    request = Request(Compare(Share(carries(ONE)), sides))
    return list(answer_request(index, request).claims)


def test_disjoint_sides_are_tested_and_sides_that_share_runs_are_not(
    index: duckdb.DuckDBPyConnection,
) -> None:
    human, bat, all_hosts = host("Homo testus"), host("Myotis testus"), Has("host")
    disjoint, shared = compared(index, human, bat), compared(index, human, all_hosts)
    assert isinstance(disjoint[0], Compared)
    assert [(side.part, side.whole) for side in disjoint[0].sides] == [(2, 3), (1, 3)]
    assert any(isinstance(claim, Fisher) for claim in disjoint)
    assert not any(isinstance(claim, Fisher) for claim in shared)


# --- charts --------------------------------------------------------------------------------------

RANKED = Ranking(
    begin="", places=(NamedNumber(name="a", number=30), NamedNumber(name="b", number=15))
)
SHARED = ShareOf(part=1, whole=4, runs="runs", does="carry EBV")


@pytest.mark.parametrize(
    ("claim", "quantity", "bars"),
    [
        (RANKED, "runs", [("a", 30.0, "30"), ("b", 15.0, "15")]),
        (SHARED, "share that carry EBV", [("runs", 0.25, "1 of 4, 25%")]),
        (
            YesOrNo(verdict="Yes", because=SHARED),
            "share that carry EBV",
            [("runs", 0.25, "1 of 4, 25%")],
        ),
        (Counted(number=3), None, []),
    ],
)
def test_a_chart_has_the_numbers_of_its_claim(
    claim: Claim, quantity: str | None, bars: list[tuple[str, float, str]], tmp_path: Path
) -> None:
    chart = chart_of([claim])
    if chart is None:
        assert quantity is None
        return

    draw_chart(chart, tmp_path / "chart.svg", title="Which?")

    assert chart.quantity == quantity
    assert [(bar.name, bar.value, bar.said) for bar in chart.bars] == bars
    assert (tmp_path / "chart.svg").stat().st_size > 1_000

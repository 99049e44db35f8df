"""Canonical English is read back as the request it was said for, and other texts are not read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from query.reading import read
from query.reading.canonical import has_known_names, read_canonical
from query.request import (
    Between,
    Carries,
    Compare,
    Count,
    Describe,
    Evidence,
    Has,
    Hit,
    Mentions,
    Range,
    Records,
    Request,
    Rows,
    Searched,
    SortBy,
    Summary,
    Top,
    Values,
    Where,
    say,
)
from query.request.fields import REGISTRY, fields_of
from query.request.wording import RESERVED
from tests.request_world import hits, requests, run_sets, world_index

EBV = Carries(Hit("EBV"))


@settings(max_examples=200)
@given(requests())
def test_what_is_said_of_a_request_is_read_as_that_request(request: Request) -> None:
    assert read_canonical(say(request)) == request


@given(run_sets(3), hits())
def test_evidence_and_deeper_sets_are_read_back(runs: Any, found: Hit) -> None:
    for request in (Request(Evidence(found), runs), Request(Count(), runs)):
        assert read_canonical(say(request)) == request


_WORDS = [*sorted(RESERVED), "EBV", "virus", "viruses", "tissue", "cell", '"', "\\", ",", ";", "(",
          ")", "1", ".", "X y", ":", "sp.", "ssRNA(+)", "(A", "B)", "a", "an", "é"]  # fmt: skip
NASTY = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=4).map(" ".join)


@settings(max_examples=100)
@given(NASTY, NASTY)
def test_names_made_of_the_words_of_the_grammar_are_read_back(a: str, b: str) -> None:
    for request in (
        Request(Count(), Carries(Hit((a, b), other_than=b, reported=a)) | Has("host", b)),
        Request(Count(hits=Hit(a, source=b)), ~Has("host", (a, b), below=False)),
        Request(Count(), Has("label", (a, b)) & Has("tissue", a) & Has("disease", b)),
        Request(Count(), Has(f"attribute:{a}", contains=b) & Mentions((a, b), "title")),
        Request(Count(), Top(f"attribute:{a}", Has("study", b), 3) & Searched(a, b)),
        Request(Values("host", under=(a, b))),
        Request(Values(("virus", f"attribute:{a}"), absent_in=Has("place", b))),
        Request(Describe("term", a)),
        Request(Records("pairs", (Where("virus", (a, b)), Where("host", contains=a)))),
        Request(Compare(Count(hits=Hit(a)), (Carries(Hit(a)), Has("sex", b)))),
    ):
        assert read_canonical(say(request)) == request


def test_every_field_is_read_back_wherever_it_may_stand() -> None:
    made = []
    for name in fields_of(number=False):
        made += [Request(Values((name,))), Request(Count(name)),
                 Request(Values(("attribute:age", name), each=Count(name)))]  # fmt: skip
    for name in fields_of(number=True):
        made += [Request(Summary(name)), Request(Values("host", each=Summary(name)))]
    for name in fields_of():
        made.append(Request(Rows(("run", name), order=SortBy(name, descending=True), limit=3)))
    for field in REGISTRY:
        if field.of == "run":
            made.append(Request(Count(), Has(field.name) & ~EBV))
            values = Range(2017, None, None, 2019) if field.is_ordered else None
            made.append(Request(Count(), ~Between(field.name, values) if values
                                else ~Has(field.name, ("a b", "c"), below=False)))  # fmt: skip
    for request in made:
        assert read_canonical(say(request)) == request, say(request)


@pytest.mark.parametrize(
    "records",
    [
        Records("tests"),
        Records("studies", count=True),
        Records("communities", (Where("level", range=Range(1, 1)),)),
        Records("communities", columns=("community", "title"), order=SortBy("runs"), limit=7),
        Records("pairs", by=("plausibility", "family"), order=SortBy("records", descending=True)),
        Records("tests", (Where("q_value", range=Range(at_most=1e-7)), Where("family", "x and y"),
                          Where("ci_low", range=Range(above=-0.5, at_most=3)))),
    ],
)  # fmt: skip
def test_stored_rows_are_read_back(records: Records) -> None:
    assert read_canonical(say(Request(records))) == Request(records)


@pytest.mark.parametrize(
    "text",
    [
        "how many runs carry EBV",
        "How many runs carry EBV?",
        "how many runs carry EBV?",
        "How  many runs carry EBV ?".replace(" ?", ""),
    ],
)
def test_a_small_letter_and_a_missing_mark_are_forgiven(text: str) -> None:
    assert read_canonical(text) == Request(Count(), EBV)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "?",
        "How many",
        "How many runs?",
        "How many runs carry?",
        "How many runs carry EBV in bats?",
        "How many runs carry EBV and HBV?",
        "How many runs carry EBV and carry HBV or carry HCV?",
        "How many runs carry EBV at 95 percent identity or more?",
        "How many runs have a latitude above soon?",
        "How many runs were released after 2018-13?",
        'How many runs carry "EBV?',
        "HOW MANY RUNS CARRY EBV?",
        "List hosts in all runs; the first 0.",
        "List colours in all runs.",
        "List tests; where colour is red.",
        "Compare all runs with all runs: how many runs are there?",
        "Compare (all runs): how many runs are there?",
        "How many runs are " + "not among those that (are " * 200 + "in the index" + ")" * 200,
        "How many runs carry " + "(" * 5_000,
    ],
)
def test_other_texts_are_not_read(text: str) -> None:
    assert read_canonical(text) is None


@settings(max_examples=100)
@given(st.lists(st.sampled_from([*_WORDS, "How many runs", "List", "hosts", "Show", "runs that",
                                 "carry", "are", "from"]), max_size=12).map(" ".join))  # fmt: skip
def test_a_text_is_read_only_as_what_says_it(text: str) -> None:
    request = read_canonical(text)
    if request is not None:
        assert say(request).rstrip("?.").lower() == text.rstrip("?.").lower()


@pytest.mark.parametrize(
    "runs",
    [
        Between("released", Range("2018", "2018")),
        Between("collected", Range("2018-05-31", "2018-05-31")),
        Between("year", Range(2018, 2018)),
        Between("latitude", Range(-3.5, -3.5)),
        Carries(Hit("EBV", reads=Range(5, 5), genome=("ssRNA(+)", "RT"))),
    ],
)
def test_a_single_value_is_read_back(runs: Any) -> None:
    assert read_canonical(say(Request(Count(), runs))) == Request(Count(), runs)


@pytest.mark.usefixtures("composed_only")
@pytest.mark.parametrize(
    ("of", "known"),
    [
        (Carries(Hit("Alpha virus one")) & Has("host", "Testmammalia"), True),
        (Carries(Hit("Alpha virus one")) & Has("host", "purple martians"), False),
        (~Carries(Hit("double stranded agents")), False),
    ],
)
def test_names_that_the_index_does_not_know_are_left_to_other_readers(of: Any, known: bool) -> None:
    with world_index() as con:
        request = Request(Count(), of)
        assert has_known_names(con, request) is known
        assert (read(con, say(request)).requests == (request,)) is known

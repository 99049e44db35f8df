"""Communities with a model, against a real server that misbehaves: it may rank and leave out, and
choose statements and interpret; it changes nothing that is counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest

from index.checking.interpretation import MAX_SENTENCES
from index.exposure import POLICIES
from index.models.choose import Patience, profile_of
from query.answer import Point
from query.config import QueryConfig
from query.global_search.answering import answer_globally
from query.global_search.interpreting import best_statements, interpreted, planned
from query.global_search.mapping import Ratings, batch_prompt, split_batches
from query.global_search.material import Shown, Writer, gather_material
from query.global_search.prompting import answer_prompt, choosing_prompt
from query.global_search.quoting import quotable
from query.global_search.selecting import CommunityEvidence, communities_of
from query.mode import Asking
from query.request import Carries, Count, Has, Hit, Request, Values
from tests.community_index import make_community_index
from tests.hostile_texts import TEXTS
from tests.query_index import opened
from tests.scripted_openai import Reply, Script, error, serve

SNAPSHOTS = Path(__file__).parent / "snapshots"
TEXT = "Which viruses turn up in mammals, and what goes with them?"
MAMMALS = Request(Values(by="family"), of=Has("host", "Mammalia"))
YELLOW_FEVER = Request(Values(by="host"), of=Carries(Hit("Flaviviridae")))
SAID = "Such hits may come from what was eaten rather than from an infection."
LEAD = "Of 30 runs of mammals, 24 carry a virus."
CONFIG = QueryConfig(policy=POLICIES["open"])
ALL = {"C1-bat", "C1-pig", "C1-lung"}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_community_index(tmp_path_factory.mktemp("model") / "index.duckdb")


def facts_of(con: duckdb.DuckDBPyConnection, request: Request = MAMMALS) -> CommunityEvidence:
    return communities_of(con, request, text=TEXT, config=CONFIG, level=1)


def ask(
    index: Path,
    script: Script,
    *,
    name: str = "scripted-8b",
    request: Request = MAMMALS,
    config: QueryConfig = CONFIG,
    local: bool = False,
    plan: bool = False,
    question: str = TEXT,
    asked: list[str] | None = None,
    **options: Any,
) -> Any:
    """Return the communities with a model of that name whose server answers as scripted.

    The prompts that reach the server are added to ``asked``.
    """
    with serve(script) as server, opened(index) as con:
        choice = server.choice(name, local=local, patience=Patience(max_retries=1))
        asking = Asking(question, con, index, config, choice, **options)
        evidence = from_facts(index, request)
        given = (planned if plan else interpreted)(asking, evidence, lead=LEAD)
        if asked is not None:
            asked += [request["messages"][-1]["content"] for request in server.requests]
        return given


@cache
def from_facts(index: Path, request: Request = MAMMALS) -> CommunityEvidence:
    with opened(index) as con:
        return facts_of(con, request)


def answers(
    *sentences: str,
    relevance: Mapping[str, int] | None = None,
    repaired: Sequence[str] = (),
    groups: Sequence[Mapping[str, Any]] = (),
) -> Callable[[dict[str, Any]], Reply]:
    """Return a server that rates communities by their titles, and interprets as scripted."""
    scores = relevance or {}

    def answer(request: dict[str, Any]) -> Reply:
        shape = request["response_format"]["json_schema"]["schema"]["properties"]
        asked = request["messages"][-1]["content"]
        if "communities" not in shape:
            again = asked.startswith("These sentences cannot be printed")
            said = repaired if again else sentences
            return Reply(json.dumps({"groups": list(groups), "sentences": said}))
        rated = []
        for place, entry in enumerate(entries(asked), 1):
            found = [score for title, score in scores.items() if title in entry]
            rated.append({"community": place, "relevance": found[0] if found else 2})
        return Reply(json.dumps({"communities": rated}))

    return answer


def entries(prompt: str) -> list[str]:
    """Return the first lines of the numbered communities of a prompt."""
    return [entry for entry in prompt.split("\n") if entry[:1].isdigit()]


def names(evidence: CommunityEvidence) -> list[str]:
    return [point.community for point in evidence.points]


def said(evidence: CommunityEvidence) -> dict[str, str]:
    return {point.community: point.description for point in evidence.points}


def test_relevance_ranks_before_evidence_and_0_is_left_out_and_in_the_ledger(index: Path) -> None:
    facts = from_facts(index)
    assert set(names(facts)) == ALL
    ratings = {"kobuvirus": 3, "orthopneumovirus": 0}
    answer = ask(index, answers(SAID, relevance=ratings))
    assert names(answer) == ["C1-pig", "C1-bat"]
    assert said(answer).items() <= said(facts).items()
    assert [part.community for part in answer.facts] == names(answer)
    assert (answer.coverage.passed_over, answer.coverage.read) == (1, 3)
    assert (answer.interpretation, answer.usage.calls) == ((SAID,), 2)


def test_what_a_model_leaves_unrated_is_left_out(index: Path) -> None:
    rated = [{"community": 1, "relevance": 1}, {"community": 99, "relevance": 3}]
    first = Reply(json.dumps({"communities": rated}))
    answer = ask(index, [first])
    assert names(answer) == names(from_facts(index))[:1]
    assert answer.coverage.passed_over == 2


def test_a_model_that_finds_no_counted_community_useful_is_not_believed(index: Path) -> None:
    nothing = {"intestine": 0, "orthopneumovirus": 0}
    answer = ask(index, answers(relevance=nothing))
    assert (answer.points, answer.coverage.passed_over) == (from_facts(index).points, 0)


def test_where_reports_are_only_alike_a_model_may_leave_all_out(index: Path) -> None:
    everything = {"": 0}
    answer = ask(index, answers(relevance=everything), request=Request(Count()))
    assert answer.points == ()
    assert answer.coverage.passed_over == answer.coverage.read > 0


FALSE = "Coronaviridae is found in 99 runs."
"""What else is false: tests/test_interpretation.py."""


def test_sentence_that_nothing_supports_goes_back_once_and_is_dropped(index: Path) -> None:
    plan = ask(index, answers(FALSE), plan=True).plan
    answer = ask(index, answers(FALSE, repaired=[FALSE]))
    assert (answer.interpretation, answer.coverage.sentences_dropped) == ((), 1)
    assert (said(answer), answer.usage.calls) == (said(from_facts(index)), 3)
    assert (plan.calls, plan.map_calls, plan.communities) == (answer.usage.calls, 1, 3)


def chosen(*numbers: int, heading: str = "Viruses") -> dict[str, Any]:
    return {"heading": heading, "statements": numbers}


def test_statements_are_printed_as_the_index_says_them_under_the_heading_chosen(
    index: Path,
) -> None:
    facts = from_facts(index)
    groups = [chosen(2, 1, 2, 99), chosen(1, 3, heading="How sure it is")]
    answer = ask(index, answers(SAID, groups=groups))
    assert [group.heading for group in answer.groups] == ["Viruses", "How sure it is"]
    first, second = (group.statements for group in answer.groups)
    assert (len(first), len(second)) == (2, 1)
    said_of_facts = " ".join(point.description for point in facts.points)
    for statement in (*first, *second):
        title, _, text = statement.partition(": ")
        assert title in said_of_facts
        assert text in said_of_facts


def test_statements_that_the_map_chose_come_first(index: Path) -> None:
    asked: list[str] = []

    def answer(request: dict[str, Any]) -> Reply:
        asked.append(request["messages"][-1]["content"])
        rated = {"community": 2, "relevance": 3, "statements": [first_of_second(asked[0]), 99]}
        return Reply(json.dumps({"communities": [rated]})) if len(asked) == 1 else good(request)

    good = answers(SAID)
    ask(index, answer)
    number = first_of_second(asked[0])
    line = next(line for line in asked[0].split("\n") if line.startswith(f"[{number}] "))
    text = line.partition("] ")[2]
    (first,) = [line for line in asked[1].split("\n") if line.startswith("[1] ")]
    assert first.endswith(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2 of its 9 runs match.", "Bats: 2 of its 9 runs match."),
        ("The virus is X throughout.", "Bats (2 of 9 runs match): The virus is X throughout."),
        ("SYNP1 Coronaviridae: age = juvenile", "SYNP1 Coronaviridae: age = juvenile"),
    ],
)
def test_statement_torn_from_its_community_says_what_it_is_of(text: str, said: str) -> None:
    statements = ("2 of its 9 runs match.", "The virus is X throughout.")
    test = "SYNP1 Coronaviridae: age = juvenile"
    point = Point("C1-bat", 1.0, "", ())
    bats = Shown(point, "Bats", (*statements, test), tests=(test,), extent="2 of 9 runs match")
    assert bats.titled(text) == said


def test_test_of_a_study_in_two_communities_is_offered_once() -> None:
    shown = [
        Shown(Point(name, 1.0, "", ()), name, ("SYNP1 a = b",), tests=("SYNP1 a = b",))
        for name in ("C1-bat", "C1-pig")
    ]
    assert best_statements(shown, ["C1-bat", "C1-pig"], Ratings()) == ["SYNP1 a = b"]


def test_names_of_the_question_may_be_named(index: Path) -> None:
    guess = "The virus of Gallus gallus may come from feed."
    asked = ask(index, answers(guess), question="Which viruses turn up in Gallus gallus?")
    assert asked.interpretation == (guess,)


def test_communities_are_those_of_the_first_request_that_has_any(index: Path) -> None:
    nothing = Request(Count(), of=Has("host", "Mammalia") & Carries(Hit("Flaviviridae")))
    with opened(index) as con:
        asking = Asking(TEXT, con, index, CONFIG, level=1, requests=(nothing, MAMMALS))
        assert answer_globally(asking).points == facts_of(con).points


def first_of_second(prompt: str) -> int:
    """Return the number of the first statement of the second community of a prompt."""
    behind = prompt.partition("\n2. ")[2]
    return int(behind.partition("[")[2].partition("]")[0])


def test_model_below_4_billion_parameters_only_chooses(index: Path) -> None:
    shapes: list[set[str]] = []

    def answer(request: dict[str, Any]) -> Reply:
        shape = request["response_format"]["json_schema"]["schema"]["properties"]
        shapes.append(set(shape))
        return Reply(json.dumps({"groups": [chosen(1)]}))

    given = ask(index, answer, name="scripted-1.5b")
    plan = ask(index, answer, name="scripted-1.5b", plan=True)
    assert (shapes, plan.plan.calls) == ([{"groups"}], 1)
    assert (given.points, given.interpretation) == (from_facts(index).points, ())
    assert len(given.groups[0].statements) == 1


def test_sentence_that_restates_prints_the_statement_in_its_place(index: Path) -> None:
    with opened(index) as con:
        evidence = facts_of(con)
    point = next(point for point in evidence.points if "Coronaviridae" in point.description)
    number = re.search(r"Coronaviridae \((\d+)\)", point.description)
    assert number is not None
    answer = ask(index, answers(f"Coronaviridae lead with {number[1]} runs."))
    assert answer.interpretation == ()
    (group,) = answer.groups
    assert f"Coronaviridae ({number[1]})" in group.statements[0]


def test_repaired_sentence_is_printed_and_no_more_than_are_read(index: Path) -> None:
    asked: list[str] = []
    many = [f"It may be so for reason {letter}." for letter in ("a", "b", "c", "d", "e")]
    script = answers(*many[:2], FALSE, repaired=many[2:])
    given = ask(index, script, asked=asked)
    assert given.interpretation == tuple(many[:MAX_SENTENCES])
    assert given.coverage.sentences_dropped == 0
    assert f"no statement holds its number (99): {FALSE}" in asked[-1]
    assert many[0] not in asked[-1]


BROKEN = {
    "relevance beyond 3": Reply('{"communities": [{"community": 1, "relevance": 9}]}'),
    "server error": error(500, "out of memory"),
}
"""One of each kind; every other way to fail is an error of the model (tests/test_llm.py)."""


@pytest.mark.parametrize("case", BROKEN)
def test_model_that_fails_costs_no_point(index: Path, case: str) -> None:
    answer, facts = ask(index, [BROKEN[case]]), from_facts(index)
    assert answer.points == facts.points
    assert answer.coverage.failed == len(facts.points)
    assert answer.coverage.notes


def test_smallest_model_is_not_asked_and_that_is_said(index: Path) -> None:
    asked: list[str] = []
    given = ask(index, [Reply("{}")], name="scripted-135m", asked=asked)
    assert (given.points, asked) == (from_facts(index).points, [])
    assert "below 0.4 billion parameters" in given.coverage.notes[0]


@pytest.mark.parametrize(
    ("local", "policy", "gated"),
    [
        (True, "strict", 1),
        (True, "careful", 0),
        (False, "careful", 1),
    ],
)
def test_community_of_rg3_is_shown_to_the_models_of_the_policy(
    index: Path, local: bool, policy: str, gated: int
) -> None:
    prompts: list[str] = []
    given: dict[str, Any] = {
        "request": YELLOW_FEVER,
        "config": replace(CONFIG, policy=POLICIES[policy]),
    }
    shown = ask(index, answers(SAID), local=local, asked=prompts, **given)
    plan = ask(index, answers(SAID), local=local, plan=True, asked=prompts, **given)
    assert shown.coverage.gated == gated
    assert names(shown) == ["C1-aedes"]
    assert (prompts == []) == bool(gated)
    assert (plan.plan.communities, plan.plan.calls) == (1 - gated, 3 * (1 - gated))


def test_a_model_that_may_not_see_all_gets_the_other_communities_and_lines(index: Path) -> None:
    prompts: list[str] = []
    config = replace(CONFIG, policy=POLICIES["careful"])
    both = Request(Values(by="virus"), of=Has("host"))
    given = ask(index, answers(SAID), request=both, config=config, asked=prompts)
    assert len(entries(prompts[0])) == 3
    assert "Coronaviridae in Rhinolophus" in prompts[0]
    assert not any("Yellow" in prompt or "astrovirus" in prompt for prompt in prompts)
    assert any(LEAD in prompt for prompt in prompts)
    assert given.coverage.gated == 1
    assert "communities: RG3 1; lines of others: unknown risk group" in given.coverage.notes[0]


def test_what_is_about_an_unseen_virus_is_kept_as_a_whole(index: Path) -> None:
    asked: list[str] = []
    config = replace(CONFIG, policy=POLICIES["careful"])
    bats = Request(Values(by="country"), of=Carries(Hit("NCBITaxon:900002")))
    given = ask(index, [Reply("{}")], request=bats, config=config, asked=asked)
    assert (asked, given.coverage.gated) == ([], len(given.points))
    assert len(given.points) == 1
    assert "communities: unknown risk group 1" in given.coverage.notes[0]


def test_budget_that_is_spent_leaves_the_points(index: Path) -> None:
    answer = ask(index, answers(SAID), budget_tokens=10)
    assert (answer.points, answer.interpretation) == (from_facts(index).points, ())
    assert (answer.coverage.failed, answer.usage.calls) == (3, 0)
    assert all("10 are left" in note for note in answer.coverage.notes)


def test_batches_hold_what_fits_and_lose_nothing(index: Path) -> None:
    points = from_facts(index).points
    shown = [Shown(point, "title", ("x" * 253,)) for point in points]
    assert [len(batch) for batch in split_batches(shown, max_tokens=250)] == [2, 1]
    assert [len(batch) for batch in split_batches(shown, max_tokens=1)] == [1, 1, 1]


def test_every_prompt_is_as_reviewed(index: Path) -> None:
    with opened(index) as con:
        evidence = facts_of(con)
        profile = profile_of("scripted-8b")
        writer = Writer(None, profile, CONFIG, local=True)  # type: ignore[arg-type]
        material = gather_material(con, evidence, writer, question=TEXT, lead=LEAD)
    statements = [shown.titled(text) for shown in material.shown for text in shown.statements]
    prompts = {
        "communities_rate": batch_prompt(TEXT, material.shown),
        "communities_choose": choosing_prompt(TEXT, LEAD, statements[:4]),
        "communities_answer": answer_prompt(TEXT, LEAD, statements),
    }
    for name, prompt in prompts.items():
        shown = "\n\n".join(f"[{turn['role']}]\n{turn['content']}" for turn in prompt.messages())
        path = SNAPSHOTS / f"{name}.txt"
        if not path.exists():
            path.write_text(f"{shown}\n", encoding="utf-8")
        assert path.read_text(encoding="utf-8") == f"{shown}\n"


@pytest.mark.parametrize("text", [
    "High-throughput phenotyping to understand the etiology of host-pathogen interaction",
    "Effects of β-catenin (α) on WNT signalling have been largely ignored [1]; p <0.05, n = 12",
    "We report that 16S rRNA of the gut answers to diet: see https://example.org/data",
    "Étude des virus de la chauve-souris, Ñandú y São Paulo",
])  # fmt: skip
def test_what_scientists_write_is_quoted(text: str) -> None:
    assert quotable(text, characters=200).startswith("“")


def test_hostile_texts_never_close_their_quotation_marks() -> None:
    for text in TEXTS:
        shown = quotable(text, characters=200)
        assert shown == "" or (shown[0], shown[-1]) == ("“", "”")
        assert not set(shown[1:-1]) & {"“", "”", "\n"}
        assert shown.isprintable()

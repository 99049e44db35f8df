"""One gate for every prompt: what names a dangerous agent reaches no model that may not see it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path

import duckdb
import pytest

from index.checking.unseen import group_of_report, shown_lines, unseen_names
from index.config import ReportConfig
from index.errors import ModelRefusalError
from index.exposure import POLICIES
from index.models.choose import ModelChoice, OpenAIModel, Prompt
from index.models.gated import GatedModel, WithheldNames, spelled_name
from index.models.openai_batch import CollectingModel
from index.store.build import open_index
from index.store.dangerous_names import dangerous_names, names_around
from index.wording.interpret import interpret_reports
from index.wording.job import WordingJob
from index.wording.tally import WITHHELD
from query.config import QueryConfig
from query.errors import QueryError
from query.global_search.answering import answer_globally
from query.mode import Asking
from tests.community_index import make_community_index
from tests.conftest import BuiltIndex
from tests.recorded_prompts import register_names, register_of
from tests.scripted_openai import Reply, serve
from tests.test_llm import Host
from tests.tiny_index import tiny_index
from tests.wording_cases import INTERPRETS, PROFILES, templates
from tests.wording_cases import NAMES as NAMES_OF_INDEX

NAMES = WithheldNames({"Zaire ebolavirus": "RG4", "EBOV": "RG4", "HIV-1": "RG3", "virus": ""})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Where is Zaire ebolavirus found?", "zaire ebolavirus"),
        ("where is zaire-EBOLAVIRUS?", "zaire ebolavirus"),
        ("(EBOV)", "ebov"),
        ("HIV 1 and HIV-1", "hiv 1"),
        ("HIV-10", None),
        ("Ebovirus", None),
        ("bats", None),
    ],
)
def test_a_name_is_found_as_a_whole_however_it_is_spelled(text: str, found: str | None) -> None:
    names = WithheldNames({"Zaire ebolavirus": "RG4", "EBOV": "RG4", "HIV-1": "RG3"})
    name = names.found_in(text)
    assert (name and name[0]) == found


KNOWN = """
virus | name | key | kind
NCBITaxon:1 | B virus | bvirus | name
NCBITaxon:2 | Influenza B virus | influenzabvirus | name
NCBITaxon:3 | Monkey B virus | monkeybvirus | name
NCBITaxon:4 | Odd B virus | oddbvirus | name
"""
TAXA = """
curie | label | ontology | rank | obsolete
NCBITaxon:1 | one | NCBITaxon | species | false
NCBITaxon:2 | two | NCBITaxon | species | false
NCBITaxon:3 | three | NCBITaxon | species | false
NCBITaxon:4 | four | NCBITaxon | species | false
NCBITaxon:10 | Herpesviridae | NCBITaxon | family | false
NCBITaxon:20 | Orthomyxoviridae | NCBITaxon | family | false
"""
PARENTS = """
subject | predicate | object
NCBITaxon:1 | parent | NCBITaxon:10
NCBITaxon:2 | parent | NCBITaxon:20
NCBITaxon:3 | parent | NCBITaxon:10
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Where is influenza B virus?", None),
        ("Is the B virus here?", "b virus"),
        ("influenza B virus and B virus", "b virus"),
        ("Influenza-B-viruses", None),
        ("monkey B virus, of its own family", "b virus"),
        ("odd B virus, of no known family", "b virus"),
        ("unheard-of B virus, of no taxon", "b virus"),
    ],
)
def test_a_name_within_that_of_another_family_does_not_count(text: str, found: str | None) -> None:
    names = {"B virus": "RG4"}
    con = tiny_index(virus_name=KNOWN, term=TAXA, term_edge=PARENTS)
    longer = names_around(con, names, spelled_name)
    assert longer == ["influenza b virus"]
    name = WithheldNames(names, longer).found_in(text)
    assert (name and name[0]) == found


def test_a_prompt_that_names_one_is_refused_counted_and_not_sent() -> None:
    with serve([Reply('{"name": "bat"}')]) as server:
        model = GatedModel(OpenAIModel("m", base_url=server.base_url), lambda: NAMES)

        async def run() -> None:
            for user in ("Where is EBOV?", "Is HIV-1 here?"):
                prompt = Prompt(system="s", user=user)
                with pytest.raises(ModelRefusalError, match="for biosafety"):
                    await model.complete(prompt, Host, max_tokens=9)
                assert not (await model.count_tokens(prompt)).exact
            await model.aclose()

        asyncio.run(run())
        assert server.requests == []
    assert model.refused == {"RG4": 1, "RG3": 1}


def test_what_was_said_before_is_read_too() -> None:
    prompt = Prompt(system="EBOV", user="Say it again.")
    assert NAMES.found_in_prompt(prompt) is None
    for answer, question in (("EBOV", "x"), ("x", "HIV-1?")):
        assert NAMES.found_in_prompt(prompt.follow_up(answer, question)) is not None


UNSEEN = WithheldNames({"Partitiviridae": "RG3", "sativa in 38 of": "unknown"})


def test_lines_about_what_a_model_may_not_see_are_left_out_of_calls_and_of_batches() -> None:
    job = WordingJob(
        templates(), PROFILES, INTERPRETS, ReportConfig(), NAMES_OF_INDEX, unseen=UNSEEN
    )
    model = CollectingModel(OpenAIModel("m", base_url="http://127.0.0.1:9/v1"))
    given = asyncio.run(interpret_reports(job, model))
    asked = [ask.prompt.user for ask in model.asks.values()]
    assert job.withheld == {"C1-root": "RG3"}
    assert given.tally.left[WITHHELD] == 1
    assert [UNSEEN.found_in(text) for text in asked] == [None, None]
    assert job.lines_withheld == {"unknown": 1}
    assert "left out for biosafety: unknown risk group" in given.tally.text()


LINES = """
EBV is found in 5 of 9 runs; next comes Lassa virus (3 runs; 1 with both). | EBV is found in 5 of 9 runs.
Viruses are named for 9: EBV (5), Lassa virus (3) and u7 (1).              | Viruses are named for 9: EBV (5) and u7 (1).
Lassa virus is found in 3 of 9 runs; next comes EBV (2 runs).              |
2 of the runs are from cell cultures.                                      |
For the other 2 runs the records do not say whether these are natural.     |
One of these organisms may live or feed on the other.                      |
The runs with the most reads are SRR1 (9 reads) and SRR2 (8).              |
The host is Homo sapiens in 8 runs.                                        | The host is Homo sapiens in 8 runs.
4 of the runs are from cell cultures.                                      | 4 of the runs are from cell cultures.
One unnamed virus, sOTU u9, is shared by 4 runs.                           |
"""  # noqa: E501


def test_what_is_about_an_unseen_virus_is_left_out_of_a_line_or_with_the_line() -> None:
    rows = [[part.strip() for part in line.split(" | ")] for line in LINES.strip().splitlines()]
    names = WithheldNames({"Lassa virus": "RG4", "u9": "unknown"})
    lines, counts = shown_lines([row[0].removesuffix(" |") for row in rows], names)
    assert list(lines) == [row[1] for row in rows if len(row) > 1]
    assert counts == {"RG4": 7, "unknown": 1}


def test_a_report_is_withheld_where_title_or_lead_is_about_an_unseen_virus() -> None:
    names = WithheldNames({"Lassa virus": "RG4"})
    size = "This community has 9 runs."
    aside = "EBV is found in 5 runs; next comes Lassa virus (3 runs)."
    assert group_of_report("Lassa virus in Mali", size, names) == "RG4"
    assert group_of_report("Mali", f"{size} Lassa virus is found in 5 runs.", names) == "RG4"
    assert group_of_report("Mali", f"{size} {aside}", names) is None
    assert group_of_report("Mali", f"{size} {aside} Lassa virus is in 3.", names) is None


def test_a_virus_without_a_risk_group_is_not_seen(tmp_path: Path) -> None:
    make_community_index(tmp_path / "index.duckdb")
    with duckdb.connect(tmp_path / "index.duckdb") as con:
        con.execute("DELETE FROM virus_risk WHERE virus = 'NCBITaxon:900004'")
        con.execute("UPDATE detection SET reported_name = 'cave virus X', virus = NULL "
                    "WHERE virus = 'NCBITaxon:900006'")  # fmt: skip
        names = unseen_names(con, POLICIES["careful"], local=False)
        assert names.found_in("Bat coronavirus HKU5") is None
        for name in ("Porcine kobuvirus", "Cave virus X", "Bat astrovirus 1", "Astroviridae"):
            assert names.found_in(name) == (name.lower(), "unknown")
        assert names.found_in("Yellow fever virus") == ("yellow fever virus", "RG3")
        assert not unseen_names(con, POLICIES["careful"], local=True)


def test_names_of_the_register_are_known_though_no_run_carries_them(
    sample_inputs: Path, sample_db: duckdb.DuckDBPyConnection
) -> None:
    never = WithheldNames(dangerous_names(sample_db, ("RG3", "RG4")))
    listed = register_names(register_of(sample_inputs), sample_db)
    assert len(listed) > 20
    assert [name for name in listed if never.found_in(f"Where is {name} found?") is None] == []
    held = {name for (name,) in sample_db.execute(_HELD).fetchall()}
    assert any(never.found_in(name) for name in listed - held)


_HELD = "SELECT lower(name) FROM virus UNION SELECT lower(reported_name) FROM detection"


QUESTIONS = (
    "Where is Ebola virus found?",
    "Is HIV-1 more common in blood than in brain?",
    "Which viruses are found in honey bees?",
    "Which viruses are found in honey bees without RVFV?",
)


@pytest.mark.usefixtures("composed_only")
def test_no_question_brings_a_dangerous_name_to_a_model_elsewhere(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    never = WithheldNames(dangerous_names(sample_db, ("RG3", "RG4")))
    assert len(never) > 20
    said = {"points": [], "sentences": [{"points": [1], "text": "x"}]}
    with serve([Reply(json.dumps(said))]) as server:
        for question in QUESTIONS:
            ask_quietly(sample_index, question, server.choice(local=False))
        prompts = [request["messages"][-1]["content"] for request in server.requests]
    assert prompts
    assert [never.found_in(prompt) for prompt in prompts] == [None] * len(prompts)


def ask_quietly(index: BuiltIndex, question: str, choice: ModelChoice) -> None:
    """Ask; that the sample does not know a name, and sends nothing, is no matter here."""
    config = QueryConfig(policy=POLICIES["careful"])
    with open_index(index.path) as con, contextlib.suppress(QueryError):
        answer_globally(Asking(question, con, index.path, config, choice))


def test_every_way_of_asking_gets_its_model_behind_the_gate(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    with serve([Reply("{}")]) as server:
        choice = server.choice(local=False)
        asking = Asking("bats", sample_db, sample_index.path, QueryConfig(), choice)
    assert asking.choice is not None
    assert isinstance(asking.choice.model, GatedModel)


def test_every_virus_of_the_index_has_a_risk_group(sample_db: duckdb.DuckDBPyConnection) -> None:
    unjudged = "SELECT count(*) FROM virus ANTI JOIN virus_risk USING (virus)"
    assert sample_db.execute(unjudged).fetchall() == [(0,)]
    groups = sample_db.execute("SELECT DISTINCT risk_group FROM virus_risk").fetchall()
    assert {"RG2", "RG3", "RG4", "unknown"} <= {group for (group,) in groups}

"""Titles and themes that a model proposes are checked, and what a lead may not say."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import duckdb
import pytest

from index.checking.evidence import gather_evidence
from index.models.choose import ModelChoice, OpenAIModel, Patience
from index.models.profiles import SMALL
from index.reports.citations import CitedValue
from index.reports.findings.marks import INTRODUCED
from index.reports.quotes import Quote
from index.wording.briefs import Brief, BriefStatement, write_briefs
from index.wording.judging import judge_draft
from index.wording.prompting import Draft, draft_schema, show_lead
from index.wording.tasks import theme_faults, title_faults
from index.wording.trial import Task, Trial, try_model
from tests.conftest import BuiltIndex
from tests.scripted_openai import Reply, serve
from tests.wording_cases import LEAF, PROFILES, RICE, templates

QUOTE = Quote("SYNP1", "bioproject", 25, "Viruses of rice under drought in Japan", is_title=True)


def brief_of(community: str) -> Brief:
    briefs = write_briefs(templates(), PROFILES, model=SMALL)
    (brief,) = [one for one in briefs if one.community == community]
    return brief


@pytest.mark.parametrize(
    ("title", "fault"),
    [
        ("Endornaviridae in leaf", None),
        ("Endornaviridae in root", "root: is in none of the statements"),
        ("Endornaviridae in 5 leaf samples", "5: "),
        ("Viruses", "it names nothing of the community"),
        (" ".join(["Endornaviridae", *["in leaf"] * 6]), "more than 12 words"),
        ("Endornaviridae in Japan", "it joins what runs do not join"),
    ],
)
def test_a_title_of_a_model_names_and_joins_what_runs_do(title: str, fault: str | None) -> None:
    faults = title_faults(title, brief_of("C1-leaf"), LEAF)
    if fault is None:
        assert faults == []
    else:
        assert [one for one in faults if one.startswith(fault)]


@pytest.mark.parametrize(
    ("theme", "fault"),
    [
        ("Viruses of rice under drought.", None),
        ("Viruses of wheat under drought.", "wheat: "),
        ("Viruses of 3 rice plants under drought.", "3: "),
        (" ".join(["rice"] * 16), "more than 15 words"),
    ],
)
def test_a_theme_of_a_model_uses_the_words_of_the_authors(theme: str, fault: str | None) -> None:
    faults = theme_faults(theme, QUOTE)
    if fault is None:
        assert faults == []
    else:
        assert [one for one in faults if one.startswith(fault)]


def test_a_lead_is_asked_for_with_its_caution() -> None:
    brief = brief_of("C0-rice")
    assert brief.caution is not None
    assert show_lead(brief).endswith("Caution: All 40 runs are without a stated place of origin.")
    schema = draft_schema(brief, SMALL).model_json_schema()["properties"]["summary"]
    assert (schema["minItems"], schema["maxItems"]) == (3, 3)
    without = replace(brief, caution=None)
    schema = draft_schema(without, SMALL).model_json_schema()["properties"]["summary"]
    assert (schema["minItems"], schema["maxItems"]) == (2, 2)


@pytest.mark.parametrize(
    ("sentence", "fault"),
    [
        ("The host is Oryza sativa in 38 of 40 runs (95%).", None),
        ("It is mostly Oryza sativa, the host in 38 of 40 runs (95%).", None),
        ("Oryza sativa in 38 of 40 runs (95%).", "it has no verb"),
        ("This is 38 runs.", "it counts what it does not name"),
        ("This is 95% of the rest of its parent.", "it counts what it does not name"),
        ("This community holds 40 runs.", None),
        ("The tissue is mostly leaf.", "mostly: no share in it is above half"),
        ("Oryza sativa is not expected in 38 of 40 runs.", "expected: the facts do not say so"),
    ],
)
def test_a_lead_is_a_sentence_and_says_no_more_than_its_facts(
    sentence: str, fault: str | None
) -> None:
    brief = brief_of("C0-rice")
    evidence = gather_evidence(RICE)
    (judged,) = judge_draft(Draft(summary=[sentence]), brief, evidence)
    if fault is None:
        assert judged.problems == ()
    else:
        assert fault in judged.problems


def test_the_last_sentence_of_a_lead_gives_way_to_the_caution() -> None:
    brief = brief_of("C0-rice")
    evidence = gather_evidence(RICE)
    draft = Draft(summary=["It is of rice.", "Rabies virus marks it.", "Rabies virus is here."])
    *_, last = judge_draft(draft, brief, evidence)
    assert last.problems
    assert last.fact == brief.caution


def trials(sample: BuiltIndex, reply: str, task: Task) -> list[Trial]:
    """Return what a scripted model of 1 B makes of two communities of the sample."""

    async def run(base_url: str) -> list[Trial]:
        patience = Patience(timeout_s=30.0, max_retries=0)
        model = OpenAIModel("scripted-1b", base_url=base_url, patience=patience)
        choice = ModelChoice(model, SMALL, "scripted")
        with duckdb.connect(sample.path, read_only=True) as con:
            found = [one async for one in try_model(con, choice, task=task, communities=2)]
        await model.aclose()
        return found

    with serve(lambda _: Reply(reply, prompt_tokens=300, completion_tokens=20)) as server:
        return asyncio.run(run(server.base_url))


def test_a_model_that_builds_do_not_use_is_tried_all_the_same(sample_index: BuiltIndex) -> None:
    assert SMALL.max_worded == 0
    leads = trials(sample_index, '{"summary": ["All 987,654 runs are of rabies."]}', "lead")
    assert [one.replaced for one in leads] == [1, 1]
    assert all(one.stored == one.template for one in leads), "what fails gives way"
    titles = trials(sample_index, '{"text": "Rabies virus in Mus musculus"}', "title")
    assert [one.held for one in titles] == [0, 0]
    assert all(one.faults and one.stored == one.title for one in titles)
    themes = trials(sample_index, '{"text": "What they wrote."}', "theme")
    assert [one.held for one in themes] == [0, 0]
    assert all(one.template for one in themes)


def test_a_caveat_is_said_of_its_own_virus_and_host() -> None:
    brief = brief_of("C0-rice")
    pair = (CitedValue("family", "Endornaviridae"), CitedValue("host", "Oryza sativa"))
    text = f"{INTRODUCED['resident']}: Endornaviridae in Oryza sativa (30 runs)."
    caution = BriefStatement("association", text, pair)
    warned = replace(brief, caution=caution)
    evidence = gather_evidence(RICE)
    wrong = Draft(summary=["It is leaf.", "The tissue is leaf, so no sign of an infection."])
    *_, last = judge_draft(wrong, warned, evidence)
    assert last.problems == ("its caveat is of other names",)
    own = "Endornaviridae in Oryza sativa is known to live in the cells sequenced."
    *_, last = judge_draft(Draft(summary=["It is leaf.", own]), warned, evidence)
    assert "its caveat is of other names" not in last.problems

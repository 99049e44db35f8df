"""The tool ``explain``: what numbers and words mean here, or an answer in words."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated, Any, Final

import duckdb
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from index.reports.citations import strip_references
from query.ask.ask import answer_by
from query.config import QueryConfig
from query.mcp.served import Opened, Record
from query.mode import Asking
from query.request import json_schema
from query.request.fields import FIELDS
from query.request.records import TABLES

DEFAULTS: Final = (
    "All hits count; at_90 has those of 90 % identity and more.",
    "All conditions of a hit are on one detection.",
    "A filter by a term includes what is below it; a list shows values as stated.",
    "host is a cellular organism; label is what the submitter calls the library.",
    "Counts are of runs; samples counts BioSamples.",
    "No virus is said only of runs searched for it; never searched is not negative.",
    "not keeps to runs of which it is known: searched without a hit, or another value stated.",
    "A share is of the runs of which it is known.",
    "Averages take the best hit of each run and virus.",
    "Ties at a cut are all shown. After 2018 begins in 2019. Communities are of level 0.",
)
"""What two people would choose differently."""
MEANINGS: Final = {
    "runs": "Sequencing runs (SRA accessions) in the set of the request.",
    "searched": "Runs that would be in the set if they had the virus, and that were searched for "
    "it: the whole in 'found in N of M'.",
    "positive": "Runs of the set with such a hit.",
    "at_90": "The same by hits of 90 % identity or more that no congener explains better.",
    "samples": "Distinct BioSamples of the runs that are counted; many runs name none.",
    "stated": "Runs that state the fields of the request, with whatever value.",
    "left_out": "Runs that could not be counted, as something about them is not known, and why.",
    "hit": "A virus detected in a run: a detection. One row per sOTU and source.",
    "virus": "Viral taxon that a hit resolves to: a species, or a family or phylum if no more "
    "is known.",
    "stated virus": "What may be said of a hit: the species from 90 % identity (from 80 % for "
    "aligned reads near no other species), X-like below that, reported as X if only the source "
    "says so, reads closest to X if a congener explains them better.",
    "plausibility": TABLES["pairs"].comment,
    "association": TABLES["tests"].comment
    + ". Permutation test, Benjamini–Hochberg; fold_change of mean RPM with over without.",
    "community": "Cluster of the graph of runs and what they are linked to (weighted Leiden); "
    "level 0 is the coarsest. Two values of one community need not be in the same runs.",
    "risk": "Human risk group of a virus by the register; unknown is not safe.",
}
TOPICS: Final = ("defaults", "index", "sources", "policy", "request", "fields", *MEANINGS)
_EXAMPLES: Final = (
    {"measure": {"type": "values", "by": "family", "absent_in": {"type": "has", "field": "host",
     "values": ["human"]}}, "of": {"type": "has", "field": "host", "values": ["mouse"]}},
    {"measure": {"type": "summary", "number": "identity", "hits": {"virus": "Zika virus"}}},
    {"measure": {"type": "values", "by": "virus", "each": {"type": "count", "unit": "host"},
     "limit": 5}},
    {"measure": {"type": "records", "table": "studies", "where": [{"column": "title", "contains":
     "carcinoma"}]}},
)  # fmt: skip

TopicGiven = Annotated[
    str | None, Field(description=f"{', '.join(TOPICS)}, or a field or table of query")
]
QuestionGiven = Annotated[
    str | None, Field(description="a question in plain English, answered in words from facts")
]


def explain(opened: Opened, topic: TopicGiven = None, question: QuestionGiven = None) -> Record:
    """Say what a number or word means, the defaults, the sources and what they can find, how
    fresh the index is, or the whole schema of requests (topic). Or answer a free question in
    sentences (question): slower and longer than query; for prose.
    """
    if (topic is None) == (question is None):
        raise ToolError(f"give a topic or a question. Topics: {', '.join(TOPICS)}")
    if question is not None:
        return _answered(opened, question)
    return opened.withholding.result(_about(opened, str(topic)))


def _about(opened: Opened, topic: str) -> Record:
    """Return what ``topic`` means; raises ``ToolError`` with the nearest topics."""
    key = " ".join(topic.lower().split())
    if key == "defaults":
        return {"defaults": list(DEFAULTS)}
    if key == "index":
        return _index(opened.con)
    if key == "sources":
        return _sources(opened.con)
    if key == "policy":
        gate = opened.gate
        where = "on this machine" if gate.local else "elsewhere"
        return {"policy": gate.policy.name, "client": where, "groups_seen": gate.groups,
                "is": "rows about other risk groups are left out and counted"}  # fmt: skip
    if key == "request":
        return {"examples": _EXAMPLES, "schema": json_schema()}
    if key == "fields":
        return {name: field.comment for name, field in FIELDS.items()}
    if key in MEANINGS:
        return {key: MEANINGS[key]}
    if key in FIELDS:
        field = FIELDS[key]
        return {"field": key, "of": field.of, "is": field.comment, "unit": field.unit}
    if key in TABLES:
        table = TABLES[key]
        return {"table": key, "is": table.comment, "columns": list(table.columns)}
    known = [*TOPICS, *FIELDS, *TABLES]
    near = get_close_matches(key, known, n=3)
    meant = f"Did you mean {', '.join(near)}?" if near else f"Topics: {', '.join(TOPICS)}"
    raise ToolError(f"{topic!r} is not a topic. {meant} Names of viruses and terms: resolve")


def _index(con: duckdb.DuckDBPyConnection) -> Record:
    """Return how large and how fresh the index is, and its vocabularies."""
    build = dict(con.execute(_BUILD).fetchall())
    ((runs, first, last, dated),) = con.execute(_RUNS).fetchall()
    releases = dict(con.execute("SELECT ontology, version FROM ontology_release").fetchall())
    return {
        "built": build.pop("run_at.published", None),
        "counts": {key.removeprefix("counts."): int(value) for key, value in build.items()},
        "runs": runs,
        "released": {"first": first, "last": last, "runs_with_a_date": dated},
        "vocabularies": releases,
    }


def _sources(con: duckdb.DuckDBPyConnection) -> Record:
    """Return what each search of each source can find, and the runs it looked at."""
    columns = "source search runs_searched taxa_in_scope families"
    return {
        "columns": columns.split(),
        "rows": con.execute(_SOURCES).fetchall(),
        "note": "a run lacks a virus only where a search whose scope holds it looked at the run",
    }


def _answered(opened: Opened, question: str) -> Record:
    """Return a worded answer: how the question was read, what it says, and what it rests on."""
    answer = answer_by(Asking(question, opened.con, opened.db, QueryConfig()), "global")
    record: dict[str, Any] = {
        "question": question,
        "read_as": answer.read_as,
        "requests": list(answer.requests),
        "answer": strip_references(answer.answer),
        "communities": list(dict.fromkeys(point.community for point in answer.points)),
    }
    return opened.withholding.result(record, about=(question, answer.read_as))


_BUILD: Final = """
SELECT key, value FROM build WHERE key = 'run_at.published' OR key IN
    ('counts.detection', 'counts.community', 'counts.report', 'counts.association')
"""
_RUNS: Final = """
SELECT count(*), min(release_date)::VARCHAR, max(release_date)::VARCHAR, count(release_date)
FROM run
"""
_SOURCES: Final = """
WITH scope AS (
    SELECT source, search, count(*) AS taxa, coalesce(bool_or(virus = 'NCBITaxon:10239'), false)
           AS everything, count(DISTINCT family) AS families
    FROM source_scope GROUP BY ALL
), looked AS (SELECT source, search, count(DISTINCT run) AS runs FROM searched GROUP BY ALL)
SELECT s.source, s.search, coalesce(l.runs, 0),
       CASE WHEN everything THEN 'every virus' ELSE taxa::VARCHAR END, families
FROM scope s LEFT JOIN looked l USING (source, search) ORDER BY ALL
"""

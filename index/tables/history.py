"""Contracts of what an index remembers: how it was built, and what it answered before."""

from __future__ import annotations

import dataframely as dy

from index.facets import CITATION_KEYS
from index.tables.patterns import one_of


class BuildEntry(dy.Schema):
    """How the index was made: versions, parameters, seeds, input hashes, timings, counts."""

    key = dy.String(
        primary_key=True, description="dotted name, e.g. counts.run, seconds.communities"
    )
    value = dy.String(description="as text; JSON if structured")


class PastBuild(dy.Schema):
    """The ``build`` tables of earlier builds of this index."""

    published = dy.String(
        primary_key=True, description="UTC time of publishing, ISO 8601, or unknown"
    )
    key = dy.String(primary_key=True, description="as in build")
    value = dy.String(description="as in build")


class PastAnswer(dy.Schema):
    """A question asked of an earlier index, and its answer (query/journal.py)."""

    answer = dy.String(
        primary_key=True, description="A- plus a digest of question, mode, text and time"
    )
    question = dy.String(description="as asked")
    mode = dy.String(description="way of answering: global")
    text = dy.String(description="answer with its citations")
    asked_at = dy.String(description="UTC, ISO 8601")
    seconds = dy.Float64(min=0, description="time it took")
    model = dy.String(
        nullable=True, description="model that worded it; null where composed from facts"
    )
    prompt_tokens = dy.Int64(min=0, description="tokens sent for it")
    completion_tokens = dy.Int64(min=0, description="tokens received for it")
    runs_matching = dy.Int64(min=0, description="runs that match the question")
    runs_covered = dy.Int64(min=0, description="matching runs in the communities read")
    communities_read = dy.Int64(min=0, description="communities read for it")


class PastPoint(dy.Schema):
    """One scored partial answer."""

    answer = dy.String(primary_key=True, description="answer")
    ordinal = dy.Int32(primary_key=True, min=1, description="1 is the best")
    community = dy.String(description="community it came from, in the index at that time")
    description = dy.String(description="what it says")
    score = dy.Float64(min=0, max=100, description="0-100")


class PastCitation(dy.Schema):
    """A citation in a point of an answer, as resolved when asked."""

    answer = dy.String(primary_key=True, description="answer")
    ordinal = dy.Int32(primary_key=True, min=1, description="number of its point")
    key = dy.String(primary_key=True, regex=one_of(CITATION_KEYS), description="kind of item cited")
    value = dy.String(primary_key=True, description="the item cited")
    runs = dy.Int64(min=0, description="distinct runs it resolved to")
    verified = dy.Bool(description="true where runs > 0")

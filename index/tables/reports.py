"""Contracts of what is said about communities: facts, risk groups, reports and vectors."""

from __future__ import annotations

from typing import Final

import dataframely as dy

from index.exposure import GROUPS
from index.facets import CITATION_KEYS, FACT_FACETS
from index.tables.patterns import one_of
from ontology_etl.curies import CURIE

NO_STUDY: Final = "not stated"
"""In place of the accession of a study where runs state none."""
RISK_GROUP: Final = one_of(GROUPS)
"""Pattern of a risk group."""


class Fact(dy.Schema):
    """A number about a community, computed in SQL over distinct runs."""

    community = dy.String(primary_key=True, description="community")
    facet = dy.String(
        primary_key=True, regex=one_of(FACT_FACETS), description="what the value describes"
    )
    value = dy.String(primary_key=True, description="label of the term, name or accession")
    curie = dy.String(nullable=True, regex=CURIE, description="term of the value, if it has one")
    runs = dy.Int64(
        min=1,
        description="distinct runs of the community that have the value; a run counts only under "
        "its most specific term: colon runs are not counted under intestine",
    )
    share = dy.Float64(
        min=0, max=1, description="runs / (runs of the community with any value of the facet)"
    )
    background_share = dy.Float64(min=0, max=1, description="the same share in the whole index")
    lift = dy.Float64(min=0, description="share / background_share")
    q_value = dy.Float64(
        min=0,
        max=1,
        description="hypergeometric upper tail, Benjamini-Hochberg over the index; 1: not tested",
    )
    rank = dy.Int32(
        min=1, description="1 is strongest in its facet: ordered by q_value, runs, lift, name"
    )


class CommunityRisk(dy.Schema):
    """The risk group of a community, and the taxon and row of the register that decided it."""

    community = dy.String(primary_key=True, description="community")
    risk_group = dy.String(
        regex=RISK_GROUP,
        description="highest human risk group of its viruses and organisms",
    )
    taxon = dy.String(
        nullable=True, regex=CURIE, description="agent that decided it; null if a name alone did"
    )
    name = dy.String(nullable=True, description="its name; null where no agent is named")
    rule = dy.String(
        regex="^(listed|inherited|floor|floor only|members|unread|no vertebrate host|not listed|"
        "no agent)$",
        description="listed: a register row refers to the agent; inherited: a row refers to its "
        "ancestor; floor: a row sets a minimum of RG3 or RG4; floor only: rows set a minimum of "
        "RG1 or RG2, which clears nothing; members: it is above species and a member is listed "
        "higher; unread: the row's group cannot be read; no vertebrate host: no row refers to it, "
        "and none of its recorded hosts is a vertebrate; not listed: no row refers to it; no "
        "agent: no agent is named",
    )
    register = dy.String(
        nullable=True,
        regex="^(shipped|added)$",
        description="deciding register: shipped with the program, or added by the manifest",
    )
    row = dy.Int64(
        nullable=True, min=2, description="deciding row of the register, counting the header"
    )
    listed = dy.String(nullable=True, regex=CURIE, description="taxon that the row refers to")


class VirusRisk(dy.Schema):
    """The risk group of each virus of the index, by the register."""

    virus = dy.String(primary_key=True, regex=CURIE, description="viral taxon")
    risk_group = dy.String(regex=RISK_GROUP, description="its human risk group")
    register = dy.String(
        nullable=True,
        regex="^(shipped|added)$",
        description="deciding register: shipped with the program, or added by the manifest",
    )
    row = dy.Int64(
        nullable=True, min=2, description="deciding row of the register, counting the header"
    )
    listed = dy.String(nullable=True, regex=CURIE, description="taxon that the row refers to")


class DangerousName(dy.Schema):
    """A name of an agent listed in the register as RG3 or RG4, or of a taxon below it."""

    name = dy.String(primary_key=True, description="name, as its source spells it")
    risk_group = dy.String(regex="^RG[34]$", description="highest among agents with that name")


class GateDecision(dy.Schema):
    """What the biosafety gate decided for each report: whether a model may see it, and why."""

    community = dy.String(primary_key=True, description="community of the report")
    risk_group = dy.String(regex=RISK_GROUP, description="risk group of the community")
    model = dy.String(description="model that interprets reports")
    destination = dy.String(regex="^(this machine|elsewhere)$", description="where the model runs")
    decision = dy.String(
        regex="^(shown|withheld)$",
        description="shown to the model, or withheld from it",
    )
    basis = dy.String(
        regex="^policy (open|careful|strict)$", description="the risk policy of the build"
    )
    lines_withheld = dy.Int64(
        min=0,
        description="lines withheld from the model because they concern viruses it may not see",
    )


class Report(dy.Schema):
    """What is said about a community."""

    community = dy.String(primary_key=True, description="community")
    title = dy.String(description="names the report's main entities")
    label = dy.String(description="two words: organism and topic")
    summary = dy.String(description="a few sentences with citations")
    gaps = dy.String(
        nullable=True,
        description="one sentence on what is unknown for most runs; null if little is",
    )
    rating = dy.Float64(min=0, max=10, description="0-10: usefulness of the report to a virologist")
    rating_explanation = dy.String(description="what the rating rests on")
    risk_group = dy.String(
        regex=RISK_GROUP, description="highest risk group of its viruses and hosts"
    )
    interpretation = dy.String(
        nullable=True,
        description="sentences by a model, with no numbers of its own, not counted in the index; "
        "null if none",
    )
    model = dy.String(nullable=True, description="model that wrote the interpretation")
    dropped = dy.Int64(
        min=0, description="model sentences left out because no statement supports them"
    )
    facts_hash = dy.String(description="digest of the facts it was worded from")
    prompt_tokens = dy.Int64(min=0, description="tokens sent for it")
    completion_tokens = dy.Int64(min=0, description="tokens received for it")


class StudyRow(dy.Schema):
    """A study with runs in a community that has a report or is at level 0, and what is known about
    it.

    The rows of a community add up to its runs.
    """

    community = dy.String(primary_key=True, description="community with a report, or of level 0")
    study = dy.String(
        primary_key=True,
        description="bioproject, or SRA study of runs without one; not stated: runs with neither",
    )
    title = dy.String(nullable=True, description="title of the study; null where none is known")
    runs = dy.Int64(min=1, description="runs of the study in the community")
    positive = dy.Int64(min=0, description="of these, runs with a virus")
    virus = dy.String(
        nullable=True, description="stated name of their most frequent virus; null if none"
    )
    virus_runs = dy.Int64(min=0, description="of these, runs with that virus")
    organism = dy.String(
        nullable=True,
        description="host or environment they state most often; null if none",
    )
    organism_runs = dy.Int64(min=0, description="of these, runs of that host or environment")
    part = dy.String(
        nullable=True,
        description="child community, without its own report, that holds most of these runs; null "
        "if none",
    )


class ReportFinding(dy.Schema):
    """One finding of a report."""

    community = dy.String(primary_key=True, description="community")
    ordinal = dy.Int32(
        primary_key=True,
        min=1,
        description="1 is the first; 0 is reserved for the summary's citations",
    )
    summary = dy.String(description="one sentence")
    explanation = dy.String(description="sentences with numbers and citations")


class ReportCitation(dy.Schema):
    """A citation in a report, resolved against the runs of its community."""

    community = dy.String(primary_key=True, description="community")
    ordinal = dy.Int32(primary_key=True, min=0, description="finding it is in; 0 for the summary")
    key = dy.String(primary_key=True, regex=one_of(CITATION_KEYS), description="kind of item cited")
    value = dy.String(primary_key=True, description="the item cited")
    runs = dy.Int64(min=0, description="distinct runs of the community it resolves to")
    verified = dy.Bool(description="true where runs > 0")


class Embedding(dy.Schema):
    """Unit-length text embedding (all-MiniLM-L6-v2)."""

    kind = dy.String(primary_key=True, description="report, finding or term")
    id = dy.String(primary_key=True, description="community, community#ordinal or CURIE")
    vector = dy.Array(
        dy.Float32(), 384, description="unit length, so the dot product is the cosine"
    )

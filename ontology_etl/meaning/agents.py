"""Diseases named by their agent: cells ``infected with H3N2`` have influenza.

Agents are those of the reviewed names of infections (``reviewed/names.tsv``). They count only in an
attribute of a disease: if the value or the attribute says that the agent infected something, or if
a field for diagnoses has only agents (``HBV``, ``HIV/HCV``).
"""

from __future__ import annotations

import re
from typing import Final

import polars as pl

from ontology_etl.curies import DOID
from ontology_etl.meaning.interpretation import VALUE, whole_findings
from ontology_etl.reviewed_lists import read_reviewed
from ontology_etl.vocabulary import Vocabulary

ROLE: Final = "disease"
"""Role of the attributes whose values may name a disease by its agent."""
REASON: Final = "diagnosis by its agent"
"""Reason of reviewed names that consist of an agent and a word for its infection."""
_ENDING: Final = " infection"
_OF_DIAGNOSES: Final = r"(?i)disease|diagnos|disorder|illness|condition"
_LIST: Final = r"\s*(?:[;,/|&]|\band\b)\s*"
_AROUND: Final = (
    r"(?i)^(?:unspecified|chronic|acute|active)\s+|\s*(?:\(?\+\)?|\bpositive|\bpatients?)\s*$"
)
"""Words that an agent alone may have around it."""
_DENIED: Final = (
    r"(?i)mock|\b(?:un|non|not|no|without|anti|pre)\b|\b(?:un|non)-?infect|negative|free|naive"
    r"|vaccin|immuni[sz]|inactivat|irradiat|suscepti|resistan|[-–−]\s*$"
)
"""Values that name an agent but no infection with it."""
_INFECTS: Final = r"(?i)\binfect(?:ed|ion)\b"
_INFECTED: Final = r"(?i)^\s*(?:infected|infection|positive|yes|true|\+)(?:\W|$)"
"""Values that only say that the infection named by their attribute is there."""


def read_agents(routed: pl.DataFrame, said: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return the diseases of values that name an agent of infection but no disease.

    ``routed`` has attribute, text, facet, role; ``said`` what was found in it, with the same
    columns as the result.
    """
    named = routed.filter(pl.col("role") == ROLE, ~pl.col("text").str.contains(_DENIED))
    unclear = said.filter(pl.col("outcome").is_in(["negated", "ambiguous"]))
    open_values = named.join(unclear, on=VALUE, how="anti")
    agents = _agents(vocabulary)
    if open_values.is_empty() or agents.is_empty():
        return said.clear()

    diagnoses = open_values.filter(pl.col("attribute").str.contains(_OF_DIAGNOSES))
    alone = _alone(diagnoses, agents)
    grounded = said.filter(pl.col("outcome") == "grounded")
    settled = pl.concat([grounded.select(VALUE), alone.select(VALUE)])
    silent = open_values.join(settled, on=VALUE, how="anti")
    found = pl.concat([alone, _infecting(silent, agents)])
    is_alone = pl.col("key") == _key(pl.col("text"))
    return whole_findings(found, matched="key", whole=is_alone).select(said.columns)


def _alone(values: pl.DataFrame, agents: pl.DataFrame) -> pl.DataFrame:
    """Return [*values, key, curie]: the agents of ``values`` that name only agents."""
    listed = pl.col("text").str.replace_all(_LIST, "\n").str.split("\n")
    parts = values.with_columns(part=listed, parts=listed.list.len()).explode("part")
    bare = pl.col("part").str.replace_all(_AROUND, "")
    named = parts.with_columns(key=_key(bare)).join(agents.select("key", "curie"), on="key")
    whole = named.filter(pl.len().over("attribute", "text") == pl.col("parts"))
    return whole.select(*values.columns, "key", "curie")


def _infecting(silent: pl.DataFrame, agents: pl.DataFrame) -> pl.DataFrame:
    """Return [*silent, key, curie]: agents stated by a value, or by an attribute it affirms."""
    pattern = _pattern(agents["agent"].to_list())
    spelled = pl.when(pl.col("text").str.contains(_INFECTS)).then(
        pl.col("text").str.extract(pattern, 1)
    )
    of_attribute = pl.col("attribute").str.extract(f"(?i){pattern}", 1)
    stated = pl.when(pl.col("text").str.contains(_INFECTED)).then(of_attribute)
    named = silent.with_columns(key=_key(pl.coalesce(spelled, stated))).drop_nulls("key")
    found = named.join(agents.select("key", "curie"), on="key")
    return found.select(*silent.columns, "key", "curie")


def _agents(vocabulary: Vocabulary) -> pl.DataFrame:
    """Return agent, key, curie of the reviewed agents whose disease is a current term."""
    reviewed = read_reviewed("names.tsv").filter(pl.col("reason") == REASON)
    infections = reviewed.filter(pl.col("curie").str.starts_with(f"{DOID}:"))
    agent = pl.col("name").str.strip_suffix(_ENDING)
    listed = infections.select(agent.alias("agent"), "curie")
    labels = vocabulary.labels_of(listed["curie"])
    live = listed.join(labels, on="curie", how="semi")
    keyed = live.with_columns(key=_key(pl.col("agent")))

    return keyed.unique("key", keep="first", maintain_order=True)


def _key(agent: pl.Expr) -> pl.Expr:
    """Return only the letters and digits of an agent, so that ``HSV-1`` and ``HSV 1`` are equal."""
    lowered = agent.str.to_lowercase()
    return lowered.str.replace_all(r"[^\p{L}\p{N}]", "")


def _pattern(agents: list[str]) -> str:
    """Return a pattern for any of ``agents`` as a word, longest first, hyphens optional."""
    longest_first = sorted(agents, key=lambda agent: (-len(agent), agent))
    spellings = []
    for agent in longest_first:
        escaped = re.escape(agent)
        spellings.append(re.sub(r"\\?[- ]", "[- ]?", escaped))
    any_of_them = "|".join(spellings)
    return rf"(?:^|[^\pL\pN])({any_of_them})(?:$|[^\pL\pN])"

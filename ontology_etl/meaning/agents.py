"""Diseases named by their agent: cells ``infected with H3N2`` have influenza.

Agents are those of the reviewed names that end in "infection" (``reviewed/names.tsv``). A pathogen
alone is no disease: that it infected something must be said, by the value or by its attribute and a
value that affirms it. Only an attribute of a disease is read so.
"""

from __future__ import annotations

import re
from typing import Final

import polars as pl

from ontology_etl.curies import DOID
from ontology_etl.reviewed_lists import read_reviewed
from ontology_etl.vocabulary import Vocabulary

ROLE: Final = "disease"
"""Role of the attributes whose values may name a disease by its agent."""
_ENDING: Final = " infection"
_DENIED: Final = (
    r"(?i)mock|\b(?:un|non|not|no|without|anti|pre)\b|\b(?:un|non)-?infect|negative|free|naive"
    r"|vaccin|immuni[sz]|inactivat|irradiat|suscepti|resistan|[-–−]\s*$"
)
"""Values that name an agent and no infection with it."""
_INFECTS: Final = r"(?i)\binfect(?:ed|ion)\b"
_INFECTED: Final = r"(?i)^\s*(?:infected|infection|positive|yes|true|\+)(?:\W|$)"
"""Values that say no more than that the infection their attribute names is there."""


def read_agents(routed: pl.DataFrame, said: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return the diseases of values that say "infected" with an agent, which no name covers.

    ``routed`` has attribute, text, facet, role; ``said`` what was found in it, whose columns the
    rows have. Values that say or deny something as they are, are not read again.
    """
    decided = said.filter(pl.col("outcome").is_in(["grounded", "negated", "ambiguous"]))
    silent = routed.filter(pl.col("role") == ROLE).join(
        decided,
        on=["attribute", "text", "facet"],
        how="anti",
    )
    open_values = silent.filter(~pl.col("text").str.contains(_DENIED))
    agents = _agents(vocabulary)
    if open_values.is_empty() or agents.is_empty():
        return said.clear()

    pattern = _pattern(agents["agent"].to_list())
    spelled = pl.when(pl.col("text").str.contains(_INFECTS)).then(
        pl.col("text").str.extract(pattern, 1)
    )
    of_attribute = pl.col("attribute").str.extract(f"(?i){pattern}", 1)
    stated = pl.when(pl.col("text").str.contains(_INFECTED)).then(of_attribute)
    named = open_values.with_columns(pl.coalesce(spelled, stated).alias("matched"))
    keyed = named.drop_nulls("matched").with_columns(key=_key(pl.col("matched")))
    found = keyed.join(
        agents.select("key", "curie"),
        on="key",
    )
    return _as_said(found, said)


def _agents(vocabulary: Vocabulary) -> pl.DataFrame:
    """Return agent, key, curie of the reviewed agents whose disease is a live term."""
    reviewed = read_reviewed("names.tsv")
    of_disease = pl.col("curie").str.starts_with(f"{DOID}:")
    name = pl.col("name")
    infections = reviewed.filter(of_disease, name.str.ends_with(_ENDING))
    agent = name.str.strip_suffix(_ENDING)
    listed = infections.select(agent.alias("agent"), "curie")
    labels = vocabulary.labels_of(listed["curie"])
    live = listed.join(labels, on="curie", how="semi")
    keyed = live.with_columns(key=_key(pl.col("agent")))

    return keyed.unique("key", keep="first", maintain_order=True)


def _key(agent: pl.Expr) -> pl.Expr:
    """Return the letters and digits of an agent: ``HSV-1`` and ``HSV 1`` are one."""
    lowered = agent.str.to_lowercase()
    return lowered.str.replace_all(r"[^\p{L}\p{N}]", "")


def _pattern(agents: list[str]) -> str:
    """Return the pattern of one of ``agents`` as a word, the longest first, hyphens optional."""
    longest_first = sorted(agents, key=lambda agent: (-len(agent), agent))
    spellings = []
    for agent in longest_first:
        escaped = re.escape(agent)
        spellings.append(re.sub(r"\\?[- ]", "[- ]?", escaped))
    any_of_them = "|".join(spellings)
    return rf"(?:^|[^\pL\pN])({any_of_them})(?:$|[^\pL\pN])"


def _as_said(found: pl.DataFrame, said: pl.DataFrame) -> pl.DataFrame:
    """Return ``found`` in the columns of ``said``, grounded to one candidate."""
    constants = {
        "outcome": pl.lit("grounded"),
        "whole": pl.col("matched") == pl.col("text"),
        "candidates": pl.concat_list("curie"),
        "start": pl.lit(0, said.schema["start"]),
        "end": pl.lit(0, said.schema["end"]),
        "coded": pl.lit(False),
        "no_organism": pl.lit(False),
    }
    filled = found.with_columns(pl.col("key").alias("matched"), **constants)
    return filled.select(said.columns)

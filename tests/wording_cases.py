"""Three small communities with reports, and models for them: one careful, others scripted by a
test.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from index.checking.names import IndexNames
from index.config import ReportConfig
from index.models.choose import OpenAIModel, Patience, ResponseCache
from index.models.gated import WithheldNames
from index.models.profiles import SMALL, ModelProfile
from index.reports.fact_rows import FactRow
from index.reports.profiles import Profile
from index.reports.templates import Reports, template_reports
from index.wording.interpret import Interpretations, OnProgress, interpret_reports
from index.wording.job import WordingJob
from tests.scripted_openai import Reply
from tests.tiny_index import tiny_index

RICE = Profile(
    community="C0-rice",
    level=0,
    parent=None,
    runs=40,
    facts={
        "species": (
            FactRow("species", "Oryza sativa alphaendornavirus", None, 30, 32, 250.0, 1e-20),
        ),
        "family": (FactRow("family", "Endornaviridae", None, 30, 32, 20.0, 1e-20),),
        "host": (FactRow("host", "Oryza sativa", "NCBITaxon:4530", 38, 40, 12.4, 1e-20),),
        "tissue": (FactRow("tissue", "leaf", "BTO:0000713", 9, 12, 3.2, 0.001),),
        "bioproject": (
            FactRow("bioproject", "SYNP1", None, 25, 40, 30.0, 1e-9),
            FactRow("bioproject", "SYNP2", None, 15, 40, 9.0, 1e-9),
        ),
    },
    children=(("C1-leaf", 25), ("C1-root", 15)),
    biosamples=39,
    bioprojects=2,
)
LEAF = Profile(
    community="C1-leaf",
    level=1,
    parent="C0-rice",
    runs=25,
    facts={
        "family": (FactRow("family", "Endornaviridae", None, 20, 25, 16.0, 1e-12),),
        "tissue": (FactRow("tissue", "leaf", "BTO:0000713", 9, 9, 4.0, 0.002),),
        "geography": (FactRow("geography", "Japan", None, 5, 20, 1.4, 0.3),),
    },
    bioprojects=1,
    joints={(("family", "Endornaviridae"), ("tissue", "leaf")): 9},
)
ROOT = Profile(
    community="C1-root",
    level=1,
    parent="C0-rice",
    runs=15,
    facts={
        "family": (FactRow("family", "Partitiviridae", None, 6, 15, 9.0, 1e-4),),
        "tissue": (FactRow("tissue", "root", None, 4, 15, 3.0, 0.03),),
    },
    bioprojects=1,
    joints={(("family", "Partitiviridae"), ("tissue", "root")): 4},
)
PROFILES = (RICE, LEAF, ROOT)
INTERPRETS = replace(SMALL, max_worded=None)
"""A model that interprets one report after the other."""
KEPT = "The pattern may follow from how the hosts were sampled."
BROKEN = "Half of the runs carry it."
NAMES = IndexNames(
    tiny_index(
        term="""
        curie          | label        | rank
        NCBITaxon:4530 | Oryza sativa | species
        """,
        synonym="""
        curie          | synonym
        NCBITaxon:4530 | rice
        """,
        annotation="""
        run  | facet  | value        | curie
        SYN1 | host   | Oryza sativa | NCBITaxon:4530
        """,
    )
)


@cache
def templates() -> Reports:
    """Return the template reports of ``PROFILES``, their citations resolved."""
    reports = template_reports(PROFILES)
    return Reports(
        reports.report,
        reports.finding,
        reports.citation.with_columns(runs=pl.lit(7, dtype=pl.Int64), verified=pl.lit(True)),
    )


def asked(request: dict[str, Any]) -> str:
    """Return the last message of a request."""
    return str(request["messages"][-1]["content"])


def careful(request: dict[str, Any]) -> Reply:
    """Answer with a sentence that may be printed, and one that may not."""
    return answer(KEPT, BROKEN)


def answer(*sentences: str) -> Reply:
    """Return an interpretation as a server sends it."""
    text = json.dumps({"sentences": sentences})
    return Reply(text, prompt_tokens=300, completion_tokens=90)


def interpret(
    base_url: str,
    *,
    cache: Path | None = None,
    config: ReportConfig | None = None,
    model_profile: ModelProfile = INTERPRETS,
    unseen: WithheldNames | None = None,
    on_progress: OnProgress | None = None,
    timeout_s: float = 30.0,
    repairs: bool = False,
) -> Interpretations:
    """Have the reports interpreted by the model at ``base_url``."""

    async def run() -> Interpretations:
        model = OpenAIModel(
            "scripted-1b", base_url=base_url, patience=Patience(timeout_s=timeout_s, max_retries=0)
        )
        opened = None if cache is None else ResponseCache(cache)
        try:
            job = WordingJob(
                templates(),
                PROFILES,
                model_profile,
                config or ReportConfig(),
                NAMES,
                cache=opened,
                unseen=unseen or WithheldNames(),
                repairs=repairs,
            )
            return await interpret_reports(job, model, on_progress=on_progress)
        finally:
            await model.aclose()
            if opened is not None:
                opened.close()

    return asyncio.run(run())

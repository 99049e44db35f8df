"""Briefs: what a model is shown of a community, in the words of its report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from index.checking.sentences import split_sentences
from index.checking.unseen import shown_lines
from index.claims.phrases import in_quotes
from index.models.gated import WithheldNames
from index.models.profiles import ModelProfile
from index.reports.citations import strip_references
from index.reports.findings.studies import large_studies
from index.reports.profiles import Profile
from index.reports.templates import Reports


@dataclass(frozen=True)
class Brief:
    """The title of a report and its sentences without references, the most important first.

    ``studies`` are what the authors of its largest studies call them; ``withheld`` counts lines and
    studies that were left out or cut, by risk group.
    """

    community: str
    title: str
    level: int
    lines: tuple[str, ...]
    studies: tuple[str, ...] = ()
    withheld: Counter[str] = field(default_factory=Counter)

    def without(self, names: WithheldNames) -> Brief:
        """Return the brief without what is about one of ``names``."""
        lines, of_lines = shown_lines(self.lines, names)
        studies, of_studies = shown_lines(self.studies, names)
        return replace(self, lines=lines, studies=studies, withheld=of_lines + of_studies)


def write_briefs(
    reports: Reports, profiles: Sequence[Profile], *, model: ModelProfile
) -> list[Brief]:
    """Return a brief per report: by highest rating, then most runs, then identifier.

    ``reports`` have one profile each in ``profiles``; ``model`` says how many findings it is shown.
    """
    findings = _findings(reports.finding)
    profile_of = {profile.community: profile for profile in profiles}
    rows = reports.report.select("community", "title", "summary", "rating").rows()

    def value(row: tuple[str, str, str, float]) -> tuple[float, int, str]:
        community, _, _, rating = row
        return -rating, -profile_of[community].runs, community

    briefs = []
    for community, title, summary, _ in sorted(rows, key=value):
        said = [*split_sentences(summary), *findings.get(community, [])[: model.facts]]
        lines = dict.fromkeys(strip_references(sentence).strip() for sentence in said)
        level = profile_of[community].level
        largest = large_studies(profile_of[community])
        studies = tuple(
            f"{study.study} {in_quotes(study.title)}" for study in largest if study.title
        )
        briefs.append(Brief(community, title, level, tuple(lines), studies))
    return briefs


def _findings(finding: pl.DataFrame) -> dict[str, list[str]]:
    """Return the sentences of the findings of each community, in their order."""
    found: dict[str, list[str]] = {}
    for community, summary in finding.sort("community", "ordinal")["community", "summary"].rows():
        found.setdefault(community, []).append(summary)
    return found

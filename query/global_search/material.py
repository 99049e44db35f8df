"""What a model may see of the communities of a request, and the model that reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

from index.models.metered import Spent
from index.models.profiles import ModelProfile
from index.models.protocol import ChatModel
from index.reports.citations import strip_references
from query.answer import Association, Point
from query.answer_text import association_line
from query.config import QueryConfig
from query.global_search.describing import report_lead
from query.global_search.facts import CommunityFacts
from query.global_search.prompting import OVERHEAD_TOKENS
from query.global_search.quoting import harmless, quotable
from query.global_search.selecting import CommunityEvidence
from query.watching import UNWATCHED, Watch

_LEAD: Final = 3
_FINDINGS: Final = 3
_TESTS: Final = 2
_TITLE_CHARACTERS: Final = 160
_ABSTRACT_CHARACTERS: Final = 320


@dataclass(frozen=True, slots=True)
class Writer:
    """A model that adds to an answer; ``local`` where it runs on this machine; ``watch`` sees it
    work.
    """

    model: ChatModel
    profile: ModelProfile
    config: QueryConfig
    local: bool
    spent: Spent
    watch: Watch = UNWATCHED

    @property
    def reads(self) -> bool:
        """Whether it reads communities at all: a model below 4 billion parameters does not."""
        return self.profile.is_large

    @property
    def batch_tokens(self) -> int:
        """Tokens of the communities in one prompt."""
        most = min(self.profile.map_batch_tokens, self.config.batch_tokens)
        return max(0, most - OVERHEAD_TOKENS)

    @property
    def answer_tokens(self) -> int:
        """Tokens of the longest interpretation."""
        return min(self.config.answer_tokens, self.profile.report_tokens)

    @property
    def reduce_tokens(self) -> int:
        """Tokens of points in the prompt that asks for the interpretation."""
        left = self.profile.context_tokens - self.answer_tokens
        return min(self.config.reduce_tokens, left) - OVERHEAD_TOKENS


@dataclass(frozen=True, slots=True)
class Shown:
    """A community as a model sees it: its point, and all that is known of it as text."""

    point: Point
    text: str


@dataclass(frozen=True, slots=True)
class Material:
    """The communities that the model may see, and the risk groups of those it may not.

    ``lead`` is the counted answer, which is over all runs: empty where something is withheld.
    """

    question: str
    lead: str
    shown: tuple[Shown, ...]
    withheld: tuple[str, ...]


def gather_material(
    con: duckdb.DuckDBPyConnection,
    evidence: CommunityEvidence,
    writer: Writer,
    *,
    question: str,
    lead: str,
) -> Material:
    """Return what the model of ``writer`` may see of ``evidence``, by its policy."""
    findings = _findings(con, [facts.community for facts in evidence.facts])
    shown, withheld = [], []
    for facts, point in zip(evidence.facts, evidence.points, strict=True):
        group = facts.candidate.risk_group
        if not writer.config.policy.may_see(group, local=writer.local):
            withheld.append(group)
            continue
        tests = _tests_of(facts.community, evidence.associations)
        text = _text(facts, point, findings.get(facts.community, ()), tests)
        shown.append(Shown(point, text))
    answer = "" if withheld else "".join(harmless([strip_references(lead)]))
    return Material(question, answer, tuple(shown), tuple(withheld))


def _text(
    facts: CommunityFacts, point: Point, findings: Sequence[str], tests: Sequence[Association]
) -> str:
    """Return a community as lines: what is counted, cautions, tests, report, studies."""
    title = facts.candidate.title
    counted = [point.description.removeprefix(f"{title}.").strip()]
    report = [report_lead(facts, sentences=_LEAD), *map(strip_references, findings)]
    lines = harmless([title]) or [facts.community]
    lines += [f"Counted: {text}" for text in harmless(counted)]
    lines += [f"Caution: {text}" for text in harmless(facts.cautions[1:])]
    lines += [f"Test: {text}" for text in harmless(map(association_line, tests))]
    lines += [f"Report: {text}" for text in harmless(report) if text]
    for study in facts.studies:
        said = quotable(study.title, characters=_TITLE_CHARACTERS)
        abstract = quotable(study.abstract, characters=_ABSTRACT_CHARACTERS)
        if said or abstract:
            lines.append(f"Study: {study.accession} {said} {abstract}".replace("  ", " ").rstrip())
    return "\n".join(lines)


def _tests_of(community: str, associations: Sequence[Association]) -> list[Association]:
    """Return the strongest tests of the projects of a community that hold."""
    own = [test for test in associations if test.significant and community in test.communities]
    return own[:_TESTS]


def _findings(
    con: duckdb.DuckDBPyConnection, communities: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return the first findings of each report; those that quote a study are left out."""
    found: dict[str, tuple[str, ...]] = {}
    for community, summary in con.execute(_SUMMARIES, [list(communities)]).fetchall():
        earlier = found.get(community, ())
        if len(earlier) < _FINDINGS:
            found[community] = (*earlier, str(summary))
    return found


_SUMMARIES: Final = """
SELECT community, summary FROM finding
WHERE list_contains($1::VARCHAR[], community) AND NOT contains(summary, '“')
ORDER BY community, ordinal
"""

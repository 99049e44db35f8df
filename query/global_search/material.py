"""What a model may see of the communities of a request, and the model that reads it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import duckdb

from index.checking.sentences import split_sentences
from index.checking.unseen import group_of_lead, shown_lines, unseen_names
from index.models.gated import WithheldNames
from index.models.profiles import ModelProfile
from index.models.protocol import ChatModel
from index.reports.citations import strip_references
from query.answer import Association, Point
from query.answer_text import association_line
from query.compiler.resolving import Resolver
from query.compiler.run_tables import hits_named, run_tables
from query.config import QueryConfig
from query.global_search.describing import report_lead
from query.global_search.facts import CommunityFacts
from query.global_search.prompting import OVERHEAD_TOKENS
from query.global_search.quoting import harmless, quotable
from query.global_search.selecting import CommunityEvidence
from query.metering import Metered
from query.request import Request
from query.request.saying import say
from query.watching import UNWATCHED, Watch

_LEAD: Final = 3
_FINDINGS: Final = 3
_TESTS: Final = 2
_SPOKEN_FOR: Final = 0.1
"""Share of the runs of a community that must match before its report says something of them."""
_TITLE_CHARACTERS: Final = 160
_ABSTRACT_CHARACTERS: Final = 320


@dataclass(frozen=True, slots=True)
class Writer:
    """A model that adds to an answer, ``local`` if it runs here; ``watch`` sees it work."""

    metered: Metered
    profile: ModelProfile
    config: QueryConfig
    local: bool
    watch: Watch = UNWATCHED

    @property
    def model(self) -> ChatModel:
        """The model, within its budget."""
        return self.metered.model

    @property
    def reads(self) -> bool:
        """Whether it reads communities at all: a model below 4 billion parameters does not."""
        return self.profile.is_large

    @property
    def chooses(self) -> bool:
        """Whether it chooses statements at all: the embedded model of 135 M does not."""
        return self.profile.tier != "tiny"

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
        most = left if self.reads else self.profile.map_batch_tokens
        return min(self.config.reduce_tokens, most) - OVERHEAD_TOKENS


@dataclass(frozen=True, slots=True)
class Shown:
    """A community as a model sees it.

    ``statements`` are counted and true, and can be chosen. The first says how many runs match; the
    others are about these runs, except ``tests``, which are about a study. ``extent`` says briefly
    how many match; "" if all do. ``about`` are lines of its report and of its studies.
    """

    point: Point
    title: str
    statements: tuple[str, ...]
    about: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    extent: str = ""

    def text(self, first: int) -> str:
        """Return the community as lines of a prompt, statements numbered from ``first``."""
        numbered = [f"[{place}] {text}" for place, text in enumerate(self.statements, first)]
        return "\n".join([self.title, *numbered, *self.about])

    def titled(self, statement: str) -> str:
        """Return a statement with the title of its community, as an answer shows it.

        A test names its study, and may be of several communities, so it has no title.
        """
        if statement in self.tests:
            return statement
        if not self.extent or statement == self.statements[0]:
            return f"{self.title}: {statement}"
        return f"{self.title} ({self.extent}): {statement}"


@dataclass(frozen=True, slots=True)
class Material:
    """The communities that the model may see, and the risk groups of those that it may not.

    ``lead`` is the counted answer without what the model may not see; ``lines`` counts the lines
    left out of it and of the communities shown, by risk group.
    """

    question: str
    lead: str
    shown: tuple[Shown, ...]
    withheld: tuple[str, ...]
    lines: Counter[str]


def gather_material(
    con: duckdb.DuckDBPyConnection,
    evidence: CommunityEvidence,
    writer: Writer,
    *,
    question: str,
    lead: str,
) -> Material:
    """Return what the model of ``writer`` may see of ``evidence``, according to its policy.

    If the question, or the request that it was read as, names what the model may not see, all of
    the evidence counts as being about that.
    """
    names = unseen_names(con, writer.config.policy, local=writer.local)
    subject = names.found_in(". ".join([question, *_subjects(con, evidence.request)]))
    if subject is not None:
        kept = tuple(subject[1] for _ in evidence.points)
        return Material(question, "", (), kept, Counter())
    findings = _findings(con, [facts.community for facts in evidence.facts])
    answer, lines = shown_lines(harmless(split_sentences(strip_references(lead))), names)
    shown: list[Shown] = []
    withheld: list[str] = []
    for facts, point in zip(evidence.facts, evidence.points, strict=True):
        tests = _tests_of(facts.community, evidence.associations)
        whole = _shown(facts, point, findings.get(facts.community, ()), tests)
        group = group_of_lead(whole.title, whole.statements[:1], names)
        if group is not None:
            withheld.append(group)
            continue
        part, left_out = _without(whole, names)
        shown.append(part)
        lines += left_out
    return Material(question, " ".join(answer), tuple(shown), tuple(withheld), lines)


def _subjects(con: duckdb.DuckDBPyConnection, request: Request) -> list[str]:
    """Return ``request`` in words, and what the index calls the viruses that it names."""
    resolver = Resolver(con)
    for hit in hits_named(run_tables(con, request).about.whole):
        resolver.viruses(hit.virus)
    return [say(request), *(name.label for name in resolver.resolved.values())]


def _without(community: Shown, names: WithheldNames) -> tuple[Shown, Counter[str]]:
    """Return a community without lines about one of ``names``, and how many were left out."""
    statements, of_statements = shown_lines(community.statements, names)
    about, of_about = shown_lines(community.about, names)
    return replace(community, statements=statements, about=about), of_statements + of_about


def _shown(
    facts: CommunityFacts, point: Point, findings: Sequence[str], tests: Sequence[Association]
) -> Shown:
    """Return a community with what is counted of it, cautions and tests; its report and studies."""
    title = facts.candidate.title
    counted = split_sentences(point.description.removeprefix(f"{title}.").strip())
    lines = harmless(map(association_line, tests))
    said = [*counted, *facts.cautions[1:], *lines]
    report = [report_lead(facts, sentences=_LEAD), *map(strip_references, findings)]
    if facts.counts.runs < _SPOKEN_FOR * facts.candidate.runs:
        report = []
    about = [f"Report: {text}" for text in harmless(report) if text]
    for study in facts.studies:
        name = quotable(study.title, characters=_TITLE_CHARACTERS)
        abstract = quotable(study.abstract, characters=_ABSTRACT_CHARACTERS)
        if name or abstract:
            text = " ".join(part for part in (study.accession, name, abstract) if part)
            about.append(f"Study: {text}")
    named = harmless([title]) or [facts.community]
    statements = tuple(dict.fromkeys(harmless(said)))
    return Shown(point, named[0], statements, tuple(about), tuple(lines), _extent(facts))


def _extent(facts: CommunityFacts) -> str:
    """Return in short how many runs match; "" where all do."""
    runs = facts.candidate.runs
    matching = facts.counts.runs
    return f"{matching:,} of {runs:,} runs match" if matching < runs else ""


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

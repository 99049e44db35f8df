"""What there is to word: the template reports, the facts behind them, and what the model may do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from index.checking.evidence import Evidence, Synonyms, gather_evidence
from index.config import ReportConfig
from index.models.cache import ResponseCache
from index.models.gated import WithheldNames
from index.models.profiles import ModelProfile
from index.reports.profiles import Profile
from index.reports.templates import Reports
from index.wording.briefs import Brief, write_briefs
from index.wording.prompting import report_prompt
from index.wording.tally import NAMED, NOT_CHOSEN, WITHHELD, Tally


@dataclass(frozen=True)
class WordingJob:
    """What wording needs, by any model and in any way.

    ``reports``        template reports with resolved citations, one per profile
    ``profiles``       the facts they were written from
    ``model_profile``  what the model can take in and be trusted with
    ``config``         ``max_worded``, ``budget_tokens``, ``max_seconds`` and ``concurrency``
    ``cache``          answers paid for before, kept as they come; None keeps none
    ``synonyms``       other names of a value that a sentence may use, by folded value
    ``vocabulary``     folded names of the index, by which a foreign name is recognised
    ``withheld``       communities this model may not see; they keep their template
    ``never_named``    names that no prompt to this model may hold
    """

    reports: Reports
    profiles: Sequence[Profile]
    model_profile: ModelProfile
    config: ReportConfig
    cache: ResponseCache | None = None
    synonyms: Synonyms | None = None
    vocabulary: frozenset[str] = frozenset()
    withheld: frozenset[str] = field(default=frozenset())
    never_named: WithheldNames = field(default_factory=WithheldNames)

    @cached_property
    def by_name(self) -> dict[str, Profile]:
        """Profiles by community."""
        return {profile.community: profile for profile in self.profiles}

    @cached_property
    def labels(self) -> dict[str, str]:
        """Labels of all communities, by community."""
        labels = self.reports.report.select("community", "label")
        return dict(labels.iter_rows())

    @property
    def workers(self) -> int:
        """How many reports are asked for at a time."""
        wanted = self.config.concurrency
        most = self.model_profile.concurrency
        return min(wanted, most)

    @cached_property
    def briefs(self) -> list[Brief]:
        """What there is to word, the most valuable first."""
        return write_briefs(
            self.reports,
            self.profiles,
            model=self.model_profile,
        )

    @cached_property
    def named(self) -> frozenset[str]:
        """Communities that this model might see but for a name in their prompt."""
        found = set()
        for brief in self.briefs:
            if brief.community in self.withheld:
                continue
            prompt = report_prompt(brief, self.model_profile)
            if self.never_named.found_in_prompt(prompt) is not None:
                found.add(brief.community)
        return frozenset(found)

    def choose_briefs(self) -> tuple[list[Brief], Tally]:
        """Return the briefs to word, the most valuable first, and a tally of those left out."""
        briefs = self.briefs
        allowed = [brief for brief in briefs if brief.community not in self.withheld]
        shown = [brief for brief in allowed if brief.community not in self.named]
        most = self.config.max_worded
        if most is None:
            most = self.model_profile.max_worded
        chosen = shown[:most]

        left: Counter[str] = Counter()
        left[WITHHELD] = len(briefs) - len(allowed)
        left[NAMED] = len(allowed) - len(shown)
        left[NOT_CHOSEN] = len(shown) - len(chosen)
        above_zero = +left
        return chosen, Tally(reports=len(briefs), left=above_zero)

    def evidence_of(self, community: str) -> Evidence:
        """Return what sentences about ``community`` may cite, count and name.

        What its parts are about may be named, but not counted.
        """
        profile = self.by_name[community]
        evidence = gather_evidence(
            profile,
            synonyms=self.synonyms,
            labels=self.labels,
            vocabulary=self.vocabulary,
        )
        children = [name for name, _ in profile.children]
        parts = [self.by_name[name] for name in children if name in self.by_name]
        names = dict.fromkeys(_leading_values(parts), ())
        return replace(evidence, names={**names, **evidence.names})


def _leading_values(parts: Sequence[Profile]) -> list[str]:
    """Return the two most salient values of every facet of ``parts``, folded."""
    values = []
    for part in parts:
        for facet in part.facts:
            first_two = part.salient(facet)[:2]
            values += [fact.value.casefold() for fact in first_two]
    return values

"""What there is to word: the template reports, the facts behind them, and what the model may do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from index.checking.evidence import Evidence, Synonyms, gather_evidence
from index.config import ReportConfig
from index.models.cache import ResponseCache
from index.models.profiles import ModelProfile
from index.reports.profiles import Profile
from index.reports.templates import Reports
from index.wording.briefs import Brief, write_briefs
from index.wording.tally import NOT_CHOSEN, WITHHELD, Tally


@dataclass(frozen=True)
class WordingJob:
    """Everything that wording by any model, in any way, is done from.

    ``reports``        template reports with resolved citations, one per profile
    ``profiles``       the facts they were written from
    ``model_profile``  what the model can take in and be trusted with
    ``config``         ``max_worded``, ``budget_tokens``, ``max_seconds`` and ``concurrency``
    ``cache``          answers paid for before, kept as they come; None keeps none
    ``synonyms``       other names of a value that a sentence may use, by folded value
    ``vocabulary``     folded names of the index, by which a foreign name is recognised
    ``withheld``       communities this model may not see; they keep their template
    """

    reports: Reports
    profiles: Sequence[Profile]
    model_profile: ModelProfile
    config: ReportConfig
    cache: ResponseCache | None = None
    synonyms: Synonyms | None = None
    vocabulary: frozenset[str] = frozenset()
    withheld: frozenset[str] = field(default=frozenset())

    @cached_property
    def by_name(self) -> dict[str, Profile]:
        """Profiles by community."""
        return {profile.community: profile for profile in self.profiles}

    @cached_property
    def labels(self) -> dict[str, str]:
        """Labels of all communities, by community."""
        return dict(self.reports.report.select("community", "label").iter_rows())

    @property
    def workers(self) -> int:
        """How many reports are asked for at a time."""
        return min(self.config.concurrency, self.model_profile.concurrency)

    def choose_briefs(self) -> tuple[list[Brief], Tally]:
        """Return the briefs to word, the most valuable first, and a tally of those left out."""
        briefs = write_briefs(self.reports, self.profiles, model=self.model_profile)
        shown = [brief for brief in briefs if brief.community not in self.withheld]
        most = self.config.max_worded
        chosen = shown[: self.model_profile.max_worded if most is None else most]
        left = {WITHHELD: len(briefs) - len(shown), NOT_CHOSEN: len(shown) - len(chosen)}
        return chosen, Tally(reports=len(briefs), left=+Counter(left))

    def evidence_of(self, community: str) -> Evidence:
        """Return what sentences about ``community`` may cite, count and name.

        What its parts are about may be named, but not counted.
        """
        profile = self.by_name[community]
        evidence = gather_evidence(
            profile, synonyms=self.synonyms, labels=self.labels, vocabulary=self.vocabulary
        )
        parts = [self.by_name[name] for name, _ in profile.children if name in self.by_name]
        leading = dict.fromkeys(_leading_values(parts), ())
        return replace(evidence, names={**leading, **evidence.names})


def _leading_values(parts: Sequence[Profile]) -> list[str]:
    """Return the two most telling values of every facet of ``parts``, folded."""
    facets = [(part, facet) for part in parts for facet in part.facts]
    return [fact.value.casefold() for part, facet in facets for fact in part.salient(facet)[:2]]

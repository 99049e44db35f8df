"""What there is to interpret: reports, the facts behind them, and what the model may do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from index.checking.evidence import NameFinder
from index.config import ReportConfig
from index.models.cache import ResponseCache
from index.models.gated import WithheldNames
from index.models.profiles import ModelProfile
from index.reports.profiles import Profile
from index.reports.templates import Reports
from index.wording.brief import Brief, write_briefs
from index.wording.prompting import report_prompt
from index.wording.tally import NAMED, NOT_CHOSEN, WITHHELD, Tally


@dataclass(frozen=True)
class WordingJob:
    """What interpretation needs, by any model and in any way.

    ``reports``        reports with resolved citations, one per profile
    ``profiles``       the facts they were written from
    ``model_profile``  what the model can take in and be trusted with
    ``config``         ``max_worded``, ``budget_tokens``, ``max_seconds`` and ``concurrency``
    ``names``          the names of the index
    ``cache``          answers paid for before, kept as they come; None keeps none
    ``withheld``       communities this model may not see; they get no interpretation
    ``never_named``    names that no prompt to this model may hold
    ``repairs``        whether sentences that cannot be printed go back once
    """

    reports: Reports
    profiles: Sequence[Profile]
    model_profile: ModelProfile
    config: ReportConfig
    names: NameFinder
    cache: ResponseCache | None = None
    withheld: frozenset[str] = field(default=frozenset())
    never_named: WithheldNames = field(default_factory=WithheldNames)
    repairs: bool = True

    @property
    def workers(self) -> int:
        """How many reports are asked for at a time."""
        return min(self.config.concurrency, self.model_profile.concurrency)

    @cached_property
    def briefs(self) -> list[Brief]:
        """What there is to interpret, the most valuable first."""
        return write_briefs(self.reports, self.profiles, model=self.model_profile)

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
        """Return the briefs to show, the most valuable first, and a tally of those left out."""
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

"""The material to interpret: reports, the facts behind them, and what the model may do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from index.checking.names import IndexNames
from index.checking.unseen import group_of_report
from index.config import ReportConfig
from index.exposure import count_groups, group_counts
from index.models.cache import ResponseCache
from index.models.gated import WithheldNames
from index.models.profiles import ModelProfile
from index.reports.profiles import Profile
from index.reports.templates import Reports
from index.wording.brief import Brief, write_briefs
from index.wording.tally import NOT_CHOSEN, WITHHELD, Tally


@dataclass(frozen=True)
class WordingJob:
    """What interpretation needs, by any model and in any way.

    ``reports``        reports with resolved citations, one per profile
    ``profiles``       the facts they were written from
    ``model_profile``  what the model can take in and be trusted with
    ``config``         ``max_worded``, ``budget_tokens``, ``max_seconds`` and ``concurrency``
    ``names``          the names of the index
    ``cache``          answers paid for before, stored as they come; None stores none
    ``unseen``         names of viruses that this model may not read of, in no line shown
    ``never_named``    names that no prompt to this model may hold, whoever wrote it
    ``repairs``        whether sentences that cannot be printed go back once
    """

    reports: Reports
    profiles: Sequence[Profile]
    model_profile: ModelProfile
    config: ReportConfig
    names: IndexNames
    cache: ResponseCache | None = None
    unseen: WithheldNames = field(default_factory=WithheldNames)
    never_named: WithheldNames = field(default_factory=WithheldNames)
    repairs: bool = True

    @property
    def workers(self) -> int:
        """How many reports are requested at a time."""
        return min(self.config.concurrency, self.model_profile.concurrency)

    @cached_property
    def withheld(self) -> dict[str, str]:
        """Reports about things that this model may not see, with their risk group."""
        columns = self.reports.report.select("community", "title", "summary").iter_rows()
        groups = [
            (community, group_of_report(title, summary, self.unseen))
            for community, title, summary in columns
        ]
        return {name: group for name, group in groups if group is not None}

    @cached_property
    def briefs(self) -> list[Brief]:
        """What this model may interpret, the most valuable first."""
        briefs = write_briefs(self.reports, self.profiles, model=self.model_profile)
        shown = (brief for brief in briefs if brief.community not in self.withheld)
        return [brief.without(self.unseen) for brief in shown]

    @property
    def lines_withheld(self) -> dict[str, int]:
        """Lines left out of the reports that this model may interpret, by risk group."""
        return count_groups(group for brief in self.briefs for group in brief.withheld.elements())

    def choose_briefs(self) -> tuple[list[Brief], Tally]:
        """Return the briefs to show, the most valuable first, and a tally of those left out."""
        most = self.config.max_worded
        if most is None:
            most = self.model_profile.max_worded
        chosen = self.briefs[:most]

        left: Counter[str] = Counter()
        left[WITHHELD] = len(self.withheld)
        left[NOT_CHOSEN] = len(self.briefs) - len(chosen)
        notes = []
        if self.lines_withheld:
            notes.append(f"lines left out for biosafety: {group_counts(self.lines_withheld)}")
        reports = len(self.briefs) + len(self.withheld)
        return chosen, Tally(reports=reports, left=+left, notes=notes)

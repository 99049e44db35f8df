"""The communities of a request, with a model: it rates them and their statements (map), then
chooses among the best and interprets them (reduce).

The counted points are complete before the model is called, and it changes none of them. A model
below 4 billion parameters only chooses statements, in one call; below 0.4 billion it does nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from index.checking.names import IndexNames
from index.exposure import count_groups, group_counts
from query.answer import Point
from query.gate import ungated
from query.global_search.facts import CommunityFacts
from query.global_search.mapping import Ratings, rate_communities, split_batches
from query.global_search.material import Material, Shown, Writer, gather_material
from query.global_search.planning import PricedPlan, plan_prompts, priced
from query.global_search.reducing import Reduced, reduce_statements
from query.global_search.selecting import CommunityEvidence
from query.metering import run_closing
from query.mode import Asking
from query.watching import UNWATCHED, Noting

_MOST_TO_CHOOSE: Final = 24
"""Statements that a model chooses from."""


def interpreted(
    asking: Asking, evidence: CommunityEvidence, *, lead: str = ""
) -> CommunityEvidence:
    """Return ``evidence`` as the model of ``asking`` ranks it, with its interpretation.

    ``lead`` is the counted answer. Communities withheld by the policy are never shown to the model.
    If a call fails, its part stays as it was without the model, and the failure is counted. With a
    watch, Ctrl-C stops the model and keeps what has come so far; without one,
    ``KeyboardInterrupt`` is raised.
    """
    writer = _writer(asking)
    if writer is None:
        return evidence
    material = gather_material(asking.con, evidence, writer, question=asking.question, lead=lead)
    noting = Noting(asking.watch or UNWATCHED)
    writer = replace(writer, watch=noting)
    if not writer.chooses or not material.shown:
        return _noted(evidence, material, writer)
    try:
        return run_closing(writer.model, _answered(asking, evidence, material, writer))
    except KeyboardInterrupt:
        if asking.watch is None:
            raise
        stopped = Reduced(
            sentences=tuple(noting.sentences), reasons=(f"{writer.model.name} was stopped",)
        )
        return _with_model(evidence, material, Ratings(), stopped, writer)


def planned(asking: Asking, evidence: CommunityEvidence, *, lead: str = "") -> PricedPlan | None:
    """Return what ``interpreted`` would take at most; None where it would use no model."""
    writer = _writer(asking)
    if writer is None:
        return None
    material = gather_material(asking.con, evidence, writer, question=asking.question, lead=lead)
    plan = run_closing(writer.model, plan_prompts(material, writer))
    return priced(plan, writer)


def _writer(asking: Asking) -> Writer | None:
    """Return the model of ``asking`` with a meter; None if it has none."""
    choice = asking.choice
    if choice is None or choice.model is None or choice.profile is None:
        return None
    from index.models.choose import OpenAIModel

    is_elsewhere = isinstance(ungated(choice.model), OpenAIModel)
    silence_s = asking.config.silence_s if is_elsewhere else None
    metered = asking.metered(silence_s=silence_s)
    assert metered is not None
    return Writer(metered, choice.profile, asking.config, choice.local)


async def _answered(
    asking: Asking, evidence: CommunityEvidence, material: Material, writer: Writer
) -> CommunityEvidence:
    ratings = Ratings()
    if writer.reads:
        batches = split_batches(material.shown, max_tokens=writer.batch_tokens)
        ratings = await rate_communities(material.question, batches, writer)
    ranked = [point.community for point, _ in ranked_points(evidence, ratings)]
    statements = best_statements(material.shown, ranked, ratings)
    names = IndexNames(asking.con)
    reduced = await reduce_statements(material.question, material.lead, statements, names, writer)
    return _with_model(evidence, material, ratings, reduced, writer)


def best_statements(shown: Sequence[Shown], ranked: Sequence[str], ratings: Ratings) -> list[str]:
    """Return the statements to choose from: those that the map chose, then those of the best
    communities, each with the title of its community.
    """
    community_of = {community.point.community: community for community in shown}
    visible = [community_of[name] for name in ranked if name in community_of]
    chosen, others = [], []
    for community in visible:
        answering = ratings.chosen.get(community.point.community, ())
        chosen += [community.titled(text) for text in answering]
        others += [community.titled(text) for text in community.statements]
    return list(dict.fromkeys([*chosen, *others]))[:_MOST_TO_CHOOSE]


def ranked_points(
    evidence: CommunityEvidence, ratings: Ratings
) -> list[tuple[Point, CommunityFacts]]:
    """Return the points by relevance, then by evidence, without those of relevance 0.

    Points that the model did not see rank among those that help. If the model finds that no
    community of counted runs helps, it is not believed: all points stay in their order.
    """
    pairs = list(zip(evidence.points, evidence.facts, strict=True))
    if _left_out(evidence, ratings):
        pairs = [pair for pair in pairs if _relevance(pair[0], ratings)]
    return sorted(pairs, key=lambda pair: -_relevance(pair[0], ratings))


def _left_out(evidence: CommunityEvidence, ratings: Ratings) -> int:
    """Return how many communities are left out for relevance 0."""
    useless = sum(not _relevance(point, ratings) for point in evidence.points)
    everything = useless == len(evidence.points)
    return 0 if everything and not evidence.by_text else useless


def _relevance(point: Point, ratings: Ratings) -> int:
    """Return the relevance of a point; one that was not rated counts as one that helps."""
    return ratings.relevance.get(point.community, 2)


def _with_model(
    evidence: CommunityEvidence,
    material: Material,
    ratings: Ratings,
    added: Reduced,
    writer: Writer,
) -> CommunityEvidence:
    """Return ``evidence`` ranked and interpreted, with the outcome in the ledger."""
    pairs = ranked_points(evidence, ratings)
    noted = _noted(evidence, material, writer)
    notes = (*noted.coverage.notes, *ratings.reasons, *added.reasons)
    coverage = replace(
        noted.coverage,
        failed=ratings.failed,
        passed_over=_left_out(evidence, ratings),
        sentences_dropped=added.dropped,
        notes=tuple(dict.fromkeys(notes)),
    )
    return replace(
        noted,
        points=tuple(point for point, _ in pairs),
        facts=tuple(facts for _, facts in pairs),
        groups=added.groups,
        interpretation=added.sentences,
        coverage=coverage,
    )


def _noted(evidence: CommunityEvidence, material: Material, writer: Writer) -> CommunityEvidence:
    """Return ``evidence`` with what was withheld from the model and what it has cost."""
    coverage = replace(
        evidence.coverage, gated=len(material.withheld), notes=tuple(_notes(material, writer))
    )
    return replace(evidence, coverage=coverage, usage=writer.metered.usage())


def _notes(material: Material, writer: Writer) -> list[str]:
    """Return, in words, what was withheld from the model for biosafety, or why it is not used."""
    name = writer.model.name
    if not writer.chooses:
        return [f"{name} is below 0.4 billion parameters and is not asked about communities"]
    groups = count_groups(material.withheld)
    lines = count_groups(material.lines.elements())
    kept = [f"communities: {group_counts(groups)}"] if groups else []
    kept += [f"lines of others: {group_counts(lines)}"] if lines else []
    if not kept:
        return []
    remedy = "docs/biosafety.md"
    if not writer.local and writer.config.policy.here_besides([*groups, *lines]):
        remedy = f"a model on this machine may see them: {remedy}"
    return [f"kept from {name} for biosafety, {'; '.join(kept)} ({remedy})"]

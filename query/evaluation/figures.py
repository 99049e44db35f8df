"""The figures of a set of scored questions, each with what it was counted among."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import median, quantiles
from typing import Final

from query.evaluation.scoring import Scored
from query.evaluation.triage_units import triage_measures

_TO_REFUSE: Final = ("none", "propose")
"""What is asked of questions that a refusal may answer."""


@dataclass(frozen=True, slots=True)
class Share:
    """``part`` of ``whole``; unknown, not zero, where the whole is empty."""

    part: int
    whole: int

    @property
    def value(self) -> float | None:
        """Return the share, 0-1, None where nothing was counted."""
        if not self.whole:
            return None
        return self.part / self.whole

    def __str__(self) -> str:
        """Return the share in words: ``58 of 85 (68.2 %)``."""
        share = self.value
        if share is None:
            return "not measured"
        percent = f"{100 * share:.1f} %"
        return f"{self.part:,} of {self.whole:,} ({percent})"


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured of one set of questions.

    ``headline``          headlines that are right, of the questions that have an answer
    ``refused``           refusals among what is to be refused
    ``refused_wrongly``   refusals among what has an answer
    ``kind``              readings of the right kind
    ``entities``          names of the gold that the answers hold
    ``citations``         citations whose value their community holds
    ``numbers``           citations that count its runs exactly
    ``lost``              answers that dropped a name without a word
    ``unused``            words said to be not understood, a question
    ``triage``            P@1, P@5, RR@10, R@10, AP@10 (``triage_units``)
    ``seconds``           median and 95th percentile, without opening the index
    ``deterministic``     answers that were the same when asked again
    """

    name: str
    questions: int
    headline: Share
    refused: Share
    refused_wrongly: Share
    kind: Share
    entities: Share
    citations: Share
    numbers: Share
    lost: Share
    unused: float
    triage: dict[str, float]
    seconds: tuple[float, float]
    deterministic: Share


def measure(name: str, scored: Sequence[Scored], *, again: Sequence[bool] = ()) -> Figures:
    """Return the figures of ``scored``; ``again``: whether each repeated answer was the same."""
    answerable = [one for one in scored if not one.question.to_be_refused]
    beyond = [one for one in scored if one.question.to_be_refused]
    asked = [one for one in answerable if one.question.asked.asks not in _TO_REFUSE]
    answered = [one for one in asked if not one.seen.refused]
    gold_names = sum(len(one.entities) for one in asked)
    found_names = sum(one.found for one in asked)
    not_understood = [len(one.seen.reading.not_understood) for one in answered]
    units = {str(place): one.units for place, one in enumerate(scored) if one.units}
    return Figures(
        name=name,
        questions=len(scored),
        headline=_share(one.verdict.right for one in answerable),
        refused=_share(one.verdict.right for one in beyond),
        refused_wrongly=_share(one.verdict.fault == "refused wrongly" for one in asked),
        kind=_share(one.kind_right for one in scored),
        entities=Share(found_names, gold_names),
        citations=_checked(scored, "valid", "cited"),
        numbers=_checked(scored, "exact", "valid"),
        lost=_share(bool(one.lost) for one in answered),
        unused=_mean(not_understood),
        triage=triage_measures(units),
        seconds=_times([one.seen.seconds for one in scored]),
        deterministic=_share(again),
    )


def faults_of(scored: Sequence[Scored]) -> dict[str, list[Scored]]:
    """Return the wrong answers by what is wrong with them, the commonest fault first."""
    by_fault: dict[str, list[Scored]] = {}
    for one in scored:
        if not one.verdict.right:
            wrong = by_fault.setdefault(str(one.verdict.fault), [])
            wrong.append(one)

    def commonest(fault: str) -> tuple[int, str]:
        return -len(by_fault[fault]), fault

    return {fault: by_fault[fault] for fault in sorted(by_fault, key=commonest)}


def by_theme(scored: Sequence[Scored]) -> dict[str, Share]:
    """Return how many answers of each theme are right."""
    right: dict[str, list[bool]] = {}
    for one in scored:
        of_theme = right.setdefault(one.question.theme, [])
        of_theme.append(one.verdict.right)
    return {theme: _share(flags) for theme, flags in right.items()}


def figures_record(figures: Figures) -> dict[str, object]:
    """Return ``figures`` as plain values; a share has its parts and its value."""
    record = asdict(figures)
    for name in record:
        share = getattr(figures, name)
        if isinstance(share, Share):
            record[name] = {"part": share.part, "whole": share.whole, "share": share.value}
    return record


def _share(flags: Iterable[bool]) -> Share:
    held = list(flags)
    whole = len(held)
    return Share(sum(held), whole)


def _checked(scored: Sequence[Scored], part: str, whole: str) -> Share:
    parts, wholes = 0, 0
    for one in scored:
        parts += int(getattr(one.citations, part))
        wholes += int(getattr(one.citations, whole))
    return Share(parts, wholes)


def _mean(values: Sequence[int]) -> float:
    if not values:
        return 0.0
    mean = sum(values) / len(values)
    return round(mean, 3)


def _times(seconds: Sequence[float]) -> tuple[float, float]:
    if not seconds:
        return 0.0, 0.0
    if len(seconds) < 2:
        return seconds[0], seconds[0]
    *_, slow = quantiles(seconds, n=20)
    return round(median(seconds), 3), round(slow, 3)

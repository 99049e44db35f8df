"""The figures of a set of scored questions, each with what it was counted among."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import median, quantiles

from query.evaluation.scoring import Scored
from query.evaluation.triage_units import triage_measures


@dataclass(frozen=True, slots=True)
class Share:
    """``part`` of ``whole``; unknown, not zero, where the whole is empty."""

    part: int
    whole: int

    @property
    def value(self) -> float | None:
        """Return the share, 0-1, None where nothing was counted."""
        return self.part / self.whole if self.whole else None

    def __str__(self) -> str:
        """Return the share in words: ``58 of 85 (68.2 %)``."""
        if not self.whole:
            return "not measured"
        return f"{self.part:,} of {self.whole:,} ({100 * self.part / self.whole:.1f} %)"


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
    asked = [one for one in answerable if one.question.asked.asks not in ("none", "propose")]
    answered = [one for one in asked if not one.seen.refused]
    named = [one for one in asked if one.entities]
    units = {str(place): one.units for place, one in enumerate(scored) if one.units}
    return Figures(
        name=name,
        questions=len(scored),
        headline=_share(one.verdict.right for one in answerable),
        refused=_share(one.verdict.right for one in beyond),
        refused_wrongly=_share(one.verdict.fault == "refused wrongly" for one in asked),
        kind=_share(one.kind_right for one in scored),
        entities=Share(sum(one.found for one in named), sum(len(one.entities) for one in named)),
        citations=_checked(scored, "valid", "cited"),
        numbers=_checked(scored, "exact", "valid"),
        lost=_share(bool(one.lost) for one in answered),
        unused=_mean([len(one.seen.reading.not_understood) for one in answered]),
        triage=triage_measures(units),
        seconds=_times([one.seen.seconds for one in scored]),
        deterministic=_share(again),
    )


def faults_of(scored: Sequence[Scored]) -> dict[str, list[Scored]]:
    """Return the wrong answers by what is wrong with them, the commonest fault first."""
    wrong = [one for one in scored if not one.verdict.right]
    counted = Counter(str(one.verdict.fault) for one in wrong)
    return {
        fault: [one for one in wrong if one.verdict.fault == fault]
        for fault, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    }


def by_theme(scored: Sequence[Scored]) -> dict[str, Share]:
    """Return how many answers of each theme are right."""
    themes = dict.fromkeys(one.question.theme for one in scored)
    return {
        theme: _share(one.verdict.right for one in scored if one.question.theme == theme)
        for theme in themes
    }


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
    return Share(sum(held), len(held))


def _checked(scored: Sequence[Scored], part: str, whole: str) -> Share:
    checks = [one.citations for one in scored]
    return Share(
        sum(int(getattr(one, part)) for one in checks),
        sum(int(getattr(one, whole)) for one in checks),
    )


def _mean(values: Sequence[int]) -> float:
    return round(sum(values) / len(values), 3) if values else 0.0


def _times(seconds: Sequence[float]) -> tuple[float, float]:
    if len(seconds) < 2:
        return (seconds[0], seconds[0]) if seconds else (0.0, 0.0)
    return round(median(seconds), 3), round(quantiles(seconds, n=20)[-1], 3)

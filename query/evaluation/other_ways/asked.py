"""What the other ways of answering write with the configured model in place.

``other_ways.counted`` counts what a model would read, an upper bound. Here the model is asked, a
few questions only, since each call takes seconds to minutes. Names and numbers of the gold are
looked for in what it writes; numbers that are in nothing it was shown are invented.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from index.errors import ModelUnavailableError
from index.exposure import RiskPolicy
from index.models.choose import ChatModel, ModelChoice, ModelProfile
from query.evaluation.figures import Share
from query.evaluation.judging import numbers_in
from query.evaluation.other_ways.counted import BATCH_TOKENS, gold_in, has_gold
from query.evaluation.other_ways.model_ways import FreeAnswer, ModelWays, Way
from query.evaluation.other_ways.reports import ReportCorpus, shown_to
from query.evaluation.scoring import Report, Scored

_NO_MODEL: Final = "set OPENAI_BASE_URL, or leave --ask-model out"
_NO_VECTORS: Final = "build the index with its embeddings, or leave --ask-model out"
_PROMPT_PART: Final = 4
"""What is shown takes this part of the context at most: names have fewer than four characters a
token.
"""


@dataclass(frozen=True, slots=True)
class AskedBaseline:
    """What a way of answering wrote with a model; calls, tokens and seconds are of one question on
    average.

    ``withheld``  reports that the model may not see, for biosafety
    ``failed``    calls that gave no answer, of all calls
    ``entities``  names of the gold in the answers
    ``exact``     answers that state the exact number of the gold
    ``invented``  numbers in the answers that were in nothing the model was shown
    """

    name: str
    questions: int
    withheld: int
    calls: float
    tokens: float
    seconds: float
    failed: Share
    entities: Share
    exact: Share
    invented: Share


def ask_baselines(
    reports: ReportCorpus,
    scored: Sequence[Scored],
    choice: ModelChoice,
    *,
    policy: RiskPolicy,
    say: Callable[[str], Report],
) -> tuple[AskedBaseline, ...]:
    """Return what the model of ``choice`` answers to the questions of ``scored`` that name
    something, way by way; nothing where there is no such question.

    It is shown only reports that ``policy`` lets it see. The ways that read every report are left
    out where these hold more than ``MOST_MAPPED`` tokens. ``say`` is called with the name of each
    way and returns what hears of its questions.

    Raises:
        ModelUnavailableError: there is no model to ask, or the reports have no vectors.
    """
    model, profile = model_to_ask(choice)
    if reports.vectors is None:
        raise ModelUnavailableError("of vectors", "the index has no vectors", remedy=_NO_VECTORS)
    asked = [one for one in scored if has_gold(one)]
    if not asked:
        return ()
    shown = shown_to(reports, policy, local=choice.local)
    budget = min(BATCH_TOKENS, profile.context_tokens // _PROMPT_PART)
    ways = ModelWays(shown, model, budget)
    withheld = len(reports.texts) - len(shown.texts)
    lines = asyncio.run(_ask_all(ways, asked, say))
    return (_product(asked), *(replace(line, withheld=withheld) for line in lines))


def model_to_ask(choice: ModelChoice) -> tuple[ChatModel, ModelProfile]:
    """Return the model of ``choice`` and its limits; raise ``ModelUnavailableError`` where there is
    none.
    """
    if choice.model is None or choice.profile is None:
        raise ModelUnavailableError("for --ask-model", choice.reason, remedy=_NO_MODEL)
    return choice.model, choice.profile


async def _ask_all(
    ways: ModelWays, asked: Sequence[Scored], say: Callable[[str], Report]
) -> list[AskedBaseline]:
    lines = []
    try:
        for name, way in ways.by_name().items():
            line = await _ask(ways, f"{name}, model asked", way, asked, say(name))
            lines.append(line)
    finally:
        await ways.aclose()
    return lines


async def _ask(
    ways: ModelWays, name: str, way: Way, asked: Sequence[Scored], report: Report
) -> AskedBaseline:
    """Return what came of going ``way`` for each question of ``asked``."""
    answered, tokens, failed = ways.spent.calls, ways.spent.tokens, ways.failed
    started = time.perf_counter()
    written = []
    for done, one in enumerate(asked, 1):
        written.append(await way(one.question.text))
        report(done, len(asked))
    seconds = time.perf_counter() - started
    failed = ways.failed - failed
    calls = ways.spent.calls - answered + failed
    entities, exact = gold_in(asked, [one.answer for one in written])
    return AskedBaseline(
        name=name,
        questions=len(asked),
        withheld=0,
        calls=round(calls / len(asked), 1),
        tokens=round((ways.spent.tokens - tokens) / len(asked)),
        seconds=round(seconds / len(asked), 1),
        failed=Share(failed, calls),
        entities=entities,
        exact=exact,
        invented=_invented(written),
    )


def _product(asked: Sequence[Scored]) -> AskedBaseline:
    """Return the product itself on the same questions, which asks no model."""
    entities, exact = gold_in(asked, [one.seen.text for one in asked])
    seconds = sum(one.seen.seconds for one in asked)
    return AskedBaseline(
        name="this product, no model",
        questions=len(asked),
        withheld=0,
        calls=0,
        tokens=0,
        seconds=round(seconds / len(asked), 1),
        failed=Share(0, 0),
        entities=entities,
        exact=exact,
        invented=Share(0, 0),
    )


def _invented(written: Sequence[FreeAnswer]) -> Share:
    """Return how many numbers of the answers are in nothing that was shown."""
    invented = 0
    stated = 0
    for one in written:
        numbers = numbers_in(one.answer)
        invented += len(numbers - numbers_in(one.shown))
        stated += len(numbers)
    return Share(invented, stated)


def asked_record(one: AskedBaseline) -> Mapping[str, object]:
    """Return ``one`` as plain values."""
    return {
        "name": one.name,
        "questions": one.questions,
        "reports_withheld": one.withheld,
        "calls": one.calls,
        "tokens": one.tokens,
        "seconds": one.seconds,
        "failed": str(one.failed),
        "entity_recall": one.entities.value,
        "exact_numbers": one.exact.value,
        "invented_numbers": str(one.invented),
    }

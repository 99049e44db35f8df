"""Other ways of answering from the same reports, on the same questions: what a model would read,
and which names of the gold are in it.

vector          reports by cosine to the question, as many as fit the budget
every community each report is shown to a model, a call each (the deployed reference does so); the
                points that come back are the best that a lexical map could give
batched         the same reports in batches of 12,000 tokens (Microsoft's GraphRAG); the reduce step
                reads the best points up to 12,000 tokens

A model is not asked (``other_ways.asked`` asks one). What it would read is counted,
and gold that is not in what the last step reads cannot be in its answer: recall is an upper bound
for the baselines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

import numpy as np

from index.models.embeddings import embed
from index.models.protocol import estimate_tokens
from query.evaluation.figures import Share
from query.evaluation.other_ways.reports import ReportCorpus, fitting, nearest, words_of
from query.evaluation.scoring import Scored, count_named

INSTRUCTIONS: Final = 500
"""Tokens of the fixed part of a prompt."""
POINT_TOKENS: Final = 60
"""Tokens of the points that a model writes for a community that helps."""
ANSWER_TOKENS: Final = 120
BATCH_TOKENS: Final = 12_000
REDUCE_TOKENS: Final = 12_000
SMALL_PROMPT: Final = 600
"""Tokens that a small model reads for an answer of the product, at most."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a way of answering would cost a question on average, and the names of the gold that its
    last step reads.
    """

    name: str
    calls: float
    tokens: float
    entities: Share
    exact: Share
    """Questions whose exact numbers are in what the last step reads."""


def compare_baselines(reports: ReportCorpus, scored: Sequence[Scored]) -> tuple[Baseline, ...]:
    """Return the product and every baseline on the questions of ``scored`` that name something.

    At equal budget, the vector baseline reads as many tokens as the product's whole answer has.
    """
    asked = [one for one in scored if has_gold(one)]
    if not asked or not reports.texts:
        return ()
    products = [one.seen.text for one in asked]
    small_model = SMALL_PROMPT + ANSWER_TOKENS
    lines = [
        _baseline("this product, no model", asked, products, 0, 0.0),
        _baseline("this product, small model", asked, products, 1, small_model),
    ]
    if reports.vectors is not None:
        budgets = [estimate_tokens(text) for text in products]
        lines += _by_vector(reports, asked, budgets)
    lines += _by_map(reports, asked)
    return tuple(lines)


def _by_map(reports: ReportCorpus, asked: Sequence[Scored]) -> list[Baseline]:
    """Return the two baselines that show every report to a model before one call reduces the
    points: reports in batches, and a call for each report.
    """
    mapped = [_lexical_map(reports, one.question.text) for one in asked]
    read = sum(estimate_tokens(text) for text in mapped) / len(mapped)
    reduce_tokens = read + INSTRUCTIONS + ANSWER_TOKENS
    tokens = sum(reports.tokens)
    batches = ceil(tokens / (BATCH_TOKENS - INSTRUCTIONS))
    batch_tokens = tokens + batches * INSTRUCTIONS + reduce_tokens
    calls = len(reports.texts)
    call_tokens = tokens + calls * (INSTRUCTIONS + POINT_TOKENS) + reduce_tokens
    return [
        _baseline("batches of reports", asked, mapped, batches + 1, batch_tokens),
        _baseline("every community", asked, mapped, calls + 1, call_tokens),
    ]


def _by_vector(
    reports: ReportCorpus, asked: Sequence[Scored], budgets: Sequence[int]
) -> list[Baseline]:
    questions = [one.question.text for one in asked]
    rankings = [nearest(reports, vector) for vector in embed(questions)]
    large = [REDUCE_TOKENS] * len(asked)
    lines = []
    for name, limits in (("vector, equal budget", budgets), ("vector, 12,000 tokens", large)):
        contexts = []
        for ranking, budget in zip(rankings, limits, strict=True):
            contexts.append(fitting(reports, ranking, budget))
        read = sum(map(estimate_tokens, contexts)) / len(contexts)
        tokens = read + INSTRUCTIONS + ANSWER_TOKENS
        lines.append(_baseline(name, asked, contexts, 1, tokens))
    return lines


def _baseline(
    name: str, asked: Sequence[Scored], texts: Sequence[str], calls: float, tokens: float
) -> Baseline:
    """Return how much of the gold of ``asked`` is in the ``texts`` read for each."""
    entities, exact = gold_in(asked, texts)
    return Baseline(
        name=name, calls=round(calls, 1), tokens=round(tokens), entities=entities, exact=exact
    )


def gold_in(asked: Sequence[Scored], texts: Sequence[str]) -> tuple[Share, Share]:
    """Return how many names of the gold of ``asked`` are in the text of each, and how many of the
    texts state the exact number, where the gold is one.
    """
    names_read, names, numbers_read, numbers = 0, 0, 0, 0
    for one, text in zip(asked, texts, strict=True):
        if one.entities:
            names_read += count_named(one.entities, text)
            names += len(one.entities)
        elif one.gold.runs:
            numbers_read += _states(text, one.gold.runs)
            numbers += 1
    return Share(names_read, names), Share(numbers_read, numbers)


def _states(text: str, runs: int) -> bool:
    number = rf"(?<![\d,]){runs:,}(?![\d,])"
    found = re.search(number, text)
    return found is not None


def has_gold(one: Scored) -> bool:
    """Return whether the gold of ``one`` is names or a number above 0."""
    if one.entities:
        return True
    return one.question.asked.asks == "found" and one.gold.runs > 0


def _lexical_map(reports: ReportCorpus, question: str) -> str:
    """Return what a reduce step reads when each report that shares telling words with ``question``
    gives its best sentences, most telling first.

    A word counts for more the fewer reports have it.
    """
    asked = sorted(words_of(question))
    held = np.array([[word in words for word in asked] for words in reports.words])
    having = held.sum(axis=0)
    weights = np.log(1 + len(held) / (1 + having))
    scores = held @ weights
    shown = []
    left = REDUCE_TOKENS
    for row in np.argsort(-scores, kind="stable"):
        if scores[row] <= 0 or left <= 0:
            break
        point = _best_sentences(reports.texts[row], frozenset(asked))
        shown.append(point)
        left -= estimate_tokens(point)
    return "\n".join(shown)


def _best_sentences(text: str, asked: frozenset[str]) -> str:
    """Return the sentences of ``text`` that share most words with the question, as long as a point
    is.
    """

    def shared(sentence: str) -> int:
        return len(asked & words_of(sentence))

    sentences = re.split(r"(?<=[.\]])\s+", text)
    ranked = sorted(sentences, key=shared, reverse=True)
    point = " ".join(ranked)
    return point[: 4 * POINT_TOKENS]


def baseline_record(one: Baseline) -> Mapping[str, object]:
    """Return ``one`` as plain values."""
    return {
        "name": one.name,
        "calls": one.calls,
        "tokens": one.tokens,
        "entity_recall": one.entities.value,
        "exact_numbers": one.exact.value,
    }

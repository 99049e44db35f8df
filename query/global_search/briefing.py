"""The few facts that a small model chooses from: the headline, and what else is known of the
matching runs.

Models of 0.5 to 1.5 billion parameters say things of their own when they word facts; which of them
to read next they can say, in a tenth of the tokens. Their sentences are those of the index.
Measured with 1.5 billion on eight questions of the real index: 304 to 482 prompt and 10 answer
tokens, and mostly the first facts that were offered, so that the choice helps little.

A model of 1.5 billion parameters on two cores reads 16 to 40 tokens a second, so every token of
its prompt is waited for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from index.reports.phrases import counted
from query.global_search.matched_values import COMPANY, ValueCount
from query.global_search.naming import names_of
from query.global_search.prompting import choice_prompt
from query.global_search.statements import FACET_TITLES
from query.reading.intent import DEFAULT_FACETS

if TYPE_CHECKING:
    from index.models.protocol import Prompt
    from query.global_search.search import Selection

PROMPT_TOKENS: Final = 600
"""Tokens of the longest prompt."""
ANSWER_TOKENS: Final = 40
"""Tokens of the longest answer: two numbers."""
_CHARACTERS_PER_TOKEN: Final = 2.8
"""Fewest seen in prompts of names and counts; where no tokenizer is at hand the prompt is taken to
be as long as that makes it.
"""
_TURN_TOKENS: Final = 8
"""Marks around each message."""
_VALUES: Final = 3
_HEADLINE_CHARACTERS: Final = 330


def brief_facts(selection: Selection, headline: str) -> tuple[str, ...]:
    """Return the headline, and a sentence for each other facet that the matching runs state."""
    first_paragraph, *_ = headline.split("\n\n")
    opening = _leading_sentences(first_paragraph)
    others = _facet_facts(selection)
    return (opening, *others)


def prompt_within(question: str, facts: Sequence[str], *, tokens: int = PROMPT_TOKENS) -> Prompt:
    """Return the prompt of as many of ``facts`` as fit ``tokens``, the first ones; at least one."""
    for kept in range(len(facts), 1, -1):
        prompt = choice_prompt(question, facts[:kept])
        if longest_tokens(prompt) <= tokens:
            return prompt
    return choice_prompt(question, facts[:1])


def longest_tokens(prompt: Prompt) -> int:
    """Return how many tokens ``prompt`` has at most."""
    messages = prompt.messages()
    marks = _TURN_TOKENS * len(messages)
    characters = sum(len(message["content"]) for message in messages)
    words = round(characters / _CHARACTERS_PER_TOKEN)
    return words + marks


def _leading_sentences(text: str) -> str:
    """Return the sentences of ``text`` that fit, at least the first, which is cut at a comma."""
    from index.checking.sentences import split_sentences

    sentences = split_sentences(text)
    kept = sentences[0]
    for sentence in sentences[1:]:
        if len(kept) + len(sentence) > _HEADLINE_CHARACTERS:
            break
        kept = f"{kept} {sentence}"
    if len(kept) <= _HEADLINE_CHARACTERS:
        return kept
    return f"{kept[:_HEADLINE_CHARACTERS].rpartition(',')[0]}."


def _facet_facts(selection: Selection) -> Iterator[str]:
    """Yield what the matching runs state beside what the headline lists."""
    matched = selection.matching
    facets = _facets_left(selection)
    values = matched.value_counts(facets, limit=_VALUES)
    for facet in facets:
        if facet in values:
            yield _facet_fact(facet, values[facet], _runs_meant(selection))


def _runs_meant(selection: Selection) -> str:
    """Return which runs the facts are about: where none joins all that is asked, say so."""
    matched = selection.matching
    if matched.dropped and matched.kept:
        return f"the runs of {names_of(selection.question, matched.kept)}"
    return "these runs"


def _facets_left(selection: Selection) -> list[str]:
    """Return the facets that neither the headline lists nor the question names."""
    reading = selection.question.reading
    listed = reading.kind in ("list", "rank", "count") and reading.explicit
    listed_facets = set(reading.facets) if listed else set()
    mentions = selection.question.mentions
    named = {facet for one in mentions for facet in one.facets}
    if any(one.group == "virus" for one in mentions):
        named |= {"family", "species"}
    usual = (*DEFAULT_FACETS, COMPANY)
    return [facet for facet in usual if facet not in listed_facets | named]


def _facet_fact(facet: str, values: Sequence[ValueCount], runs: str) -> str:
    counts = [f"{one.value} ({counted(one.runs, 'run')})" for one in values]
    shown = ", ".join(counts)
    title = FACET_TITLES[facet]
    if facet == COMPANY:
        return f"{title}: {shown}."
    return f"{title} of {runs}: {shown}."

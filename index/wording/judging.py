"""Drafts: each sentence of a model checked against the evidence, accepted, sent back once, or
replaced by its fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from index.checking.evidence import Evidence, folded
from index.checking.verification import split_sentences, verify
from index.reports.citations import MAX_PER_REFERENCE, Citation, strip_references
from index.wording.briefs import Brief, Statement, with_reference
from index.wording.prompting import Corrections, Draft

MAX_SENTENCES: Final = 3
"""A model may take three sentences for one fact and its detail; more is rambling."""
_OPINION: Final = re.compile(
    r"\b(?:largest|biggest|smallest|highest|lowest|world|unique|novel|important|interesting|dangerous|harmful|"
    r"caus(?:e|es|ed|ing)|because|due to|suggest\w*|indicat\w*|impl(?:y|ies)|infect\w*|transmi\w*|reservoir\w*|"
    r"pathogen\w*|spread\w*|evol\w*|likely|probabl\w*)\b",
    re.IGNORECASE,
)
"""What no count of runs can say: it may stand only where the facts themselves use the word."""


@dataclass(frozen=True)
class Judged:
    """A sentence of a draft with its reference, the fact it should state, and what is wrong with
    it.
    """

    finding: int
    """Ordinal of the finding it words; 0 for the summary."""
    fact: Statement
    sentence: str
    problems: tuple[str, ...] = ()
    repaired: bool = False
    replaced: bool = False

    @property
    def ok(self) -> bool:
        """Whether the sentence can stand."""
        return not self.problems


def judge_draft(draft: Draft, brief: Brief, evidence: Evidence) -> list[Judged]:
    """Return every sentence of ``draft`` with its problems, the summary first."""
    sentences = [sentence for text in draft.summary for sentence in split_sentences(text) or [text]]
    named = [_named(text, brief, evidence) for text in sentences]
    summary = [
        judge_sentence(0, facts[0] if facts else brief.size, text, brief, evidence)
        for text, facts in zip(sentences, named, strict=True)
    ]
    findings = [
        judge_sentence(ordinal, fact, text, brief, evidence)
        for ordinal, (fact, text) in enumerate(
            zip(brief.facts, draft.findings, strict=False), start=1
        )
    ]
    return [*summary, *findings]


def judge_sentence(
    finding: int, fact: Statement, text: str, brief: Brief, evidence: Evidence
) -> Judged:
    """Return ``text`` with its reference and what is wrong with it.

    It cites its fact and every other fact it names. A finding must speak of its own fact; numbers,
    names and claims are the verifier's to judge.
    """
    bare = strip_references(text).strip()
    if not bare:
        return Judged(finding, fact, "", ("it says nothing",))
    named = _named(bare, brief, evidence)
    cites = dict.fromkeys([fact, *named] if finding or not named else named)
    sentence = with_reference(bare, _citations(list(cites)))
    if finding and not _is_named(fact, _said(bare, evidence)):
        return Judged(finding, fact, sentence, (f"it does not speak of its fact: {fact.text}",))
    faults = verify(sentence, evidence, must_cite=True)
    problems = [f"{fault.text}: {fault.reason}" for fault in faults]
    return Judged(finding, fact, sentence, (*_faults(bare, brief), *problems))


def apply_corrections(
    judged: Sequence[Judged], answer: Corrections, brief: Brief, evidence: Evidence
) -> list[Judged]:
    """Return ``judged`` with each failing sentence that was written again, and now holds, in its
    place.
    """
    rewritten: Iterator[str] = iter(answer.sentences)
    return [
        one if one.ok else _corrected(one, next(rewritten, ""), brief, evidence) for one in judged
    ]


def replace_failures(judged: Sequence[Judged]) -> list[Judged]:
    """Return ``judged`` with each sentence that still fails replaced by the sentence of its fact."""
    return [
        one if one.ok else Judged(one.finding, one.fact, one.fact.sentence, replaced=True)
        for one in judged
    ]


def summary_text(judged: Sequence[Judged]) -> str:
    """Return the sentences of the summary in order, none twice."""
    return " ".join(dict.fromkeys(one.sentence for one in judged if not one.finding))


def findings_by_ordinal(judged: Sequence[Judged]) -> dict[int, str]:
    """Return the sentence of each finding a model was asked to word."""
    return {one.finding: one.sentence for one in judged if one.finding}


def _corrected(failed: Judged, text: str, brief: Brief, evidence: Evidence) -> Judged:
    again = judge_sentence(failed.finding, failed.fact, text, brief, evidence)
    return replace(again, repaired=True) if again.ok else failed


def _faults(text: str, brief: Brief) -> Iterator[str]:
    """Yield what is wrong with ``text`` apart from its numbers, names and claims: unfinished,
    rambling, opinion.
    """
    if text[-1] not in ".!?":
        yield "it does not end"
    if len(split_sentences(text)) > MAX_SENTENCES:
        yield "it is more than one sentence"
    shown = " ".join(f"{one.text} {one.detail}" for one in brief.statements).casefold()
    for word in _OPINION.findall(text):
        if word.casefold() not in shown:
            yield f"{word}: the facts do not say so"


def _named(text: str, brief: Brief, evidence: Evidence) -> list[Statement]:
    """Return the statements whose subject ``text`` names, in the order shown."""
    said = _said(text, evidence)
    return [one for one in (*brief.facts, *brief.context) if _names(one) and _is_named(one, said)]


def _said(text: str, evidence: Evidence) -> frozenset[str]:
    """Return the names in ``text``, by whatever synonym, in lower case; none that stands inside a
    longer one.
    """
    found = frozenset(name.lower() for name in evidence.name_pattern.findall(text))
    return found.union(fact.value.lower() for name in found for fact in evidence.names[name])


def _is_named(fact: Statement, said: frozenset[str]) -> bool:
    """Return whether ``said`` holds a name that ``fact`` cites; an association is named by its
    bioproject and family.

    A fact about the community itself needs no name.
    """
    named = [name.lower() in said for name in _names(fact)]
    return not named or (all(named) if fact.kind == "association" else any(named))


def _names(fact: Statement) -> list[str]:
    """Return what a sentence can name of ``fact``; nothing where it is about the community itself."""
    return (
        [fact.name]
        if fact.name
        else [one.value for one in fact.citations if one.key != "community"]
    )


def _citations(statements: Sequence[Statement]) -> list[Citation]:
    """Return the citations of the facts a sentence states, each fact's first one before any second
    one.
    """
    depth = max((len(one.citations) for one in statements), default=0)
    ordered = [
        one.citations[rank]
        for rank in range(depth)
        for one in statements
        if rank < len(one.citations)
    ]
    return list({folded(one): one for one in ordered}.values())[:MAX_PER_REFERENCE]

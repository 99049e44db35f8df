"""Drafts: each sentence of a model is checked against the evidence.

It is accepted, sent back once, or replaced by its fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Final

from index.checking.evidence import Evidence, folded
from index.checking.sentences import split_sentences
from index.checking.verification import verify
from index.reports.citations import MAX_PER_REFERENCE, CitedValue, strip_references
from index.reports.findings.marks import is_caveat, warns
from index.wording.briefs import Brief, BriefStatement, with_reference
from index.wording.prompting import Corrections, Draft

MAX_SENTENCES: Final = 3
"""A model may take three sentences for one fact and its detail; more is rambling."""
_OPINION: Final = re.compile(
    r"\b(?:largest|biggest|smallest|highest|lowest|world|"
    r"unique|novel|important|interesting|dangerous|harmful|"
    r"expected|unexpected|contaminat\w*|"
    r"caus(?:e|es|ed|ing)|because|due to|suggest\w*|indicat\w*|impl(?:y|ies)|"
    r"infect\w*|transmi\w*|reservoir\w*|pathogen\w*|spread\w*|evol\w*|likely|probabl\w*)\b",
    re.IGNORECASE,
)
"""What no count of runs can say: allowed only where the facts themselves use the word."""
_VERB: Final = re.compile(
    r"\b(?:is|are|was|were|be|has|have|had|found|"
    r"(?:hold|come|mark|divide|share|occur|contain|include|write|turn|show|make|dominate|"
    r"consist|span|appear|account|represent|originate|derive|belong|live|lack|differ|describe|"
    r"prevail|join)s?|carry|carries|comprises?)\b",
    re.IGNORECASE,
)
"""A list of names with numbers is no sentence, however true."""
COUNT: Final = re.compile(r"\d[\d,.]*\d|\d")
_MOST: Final = re.compile(r"\b(?:mostly|mainly|majority|predominantly)\b", re.IGNORECASE)
_PERCENT: Final = re.compile(r"(\d+(?:\.\d+)?)%")
_HALF: Final = 50


@dataclass(frozen=True)
class Judged:
    """A sentence of a draft with its reference, its fact, and what is wrong with it."""

    finding: int
    """Ordinal of the finding it words; 0 for the summary."""
    fact: BriefStatement
    sentence: str
    problems: tuple[str, ...] = ()
    repaired: bool = False
    replaced: bool = False

    @property
    def ok(self) -> bool:
        """Whether the sentence can be used."""
        return not self.problems


def judge_draft(draft: Draft, brief: Brief, evidence: Evidence) -> list[Judged]:
    """Return every sentence of ``draft`` with its problems, the summary first."""
    judged = []
    for place, text in enumerate(draft.summary):
        last = place == len(draft.summary) - 1
        for sentence in split_sentences(text) or [text]:
            fact = _wanted(sentence, brief, evidence, first=place == 0, last=last)
            judged.append(judge_sentence(0, fact, sentence, brief, evidence))
    pairs = zip(brief.facts, draft.findings, strict=False)
    for ordinal, (fact, sentence) in enumerate(pairs, start=1):
        judged.append(judge_sentence(ordinal, fact, sentence, brief, evidence))
    return judged


def _wanted(
    text: str, brief: Brief, evidence: Evidence, *, first: bool, last: bool
) -> BriefStatement:
    """Return the statement that a sentence of a summary words: the first of a lead is the size, the
    last its caution, where it has one; else the first that the sentence names, or the size.
    """
    if first and not brief.facts:
        return brief.size
    if last and brief.caution is not None:
        return brief.caution
    named = _named(text, brief, evidence)
    return named[0] if named else brief.size


def judge_sentence(
    finding: int, fact: BriefStatement, text: str, brief: Brief, evidence: Evidence
) -> Judged:
    """Return ``text`` with its reference and what is wrong with it.

    It cites its fact and every other fact it names; a sentence of the summary cites its fact only
    where it names none. A finding must speak of its own fact; numbers, names and claims are the
    verifier's to judge.
    """
    bare = strip_references(text).strip()
    if not bare:
        return Judged(finding, fact, "", ("it says nothing",))
    named = _named(bare, brief, evidence)
    in_summary = finding == 0
    stated = named if in_summary and named else [fact, *named]
    citations = _citations(list(dict.fromkeys(stated)))
    sentence = with_reference(bare, citations)

    said = _names_said(bare, evidence)
    if not in_summary and not _is_named(fact, said):
        problem = f"it does not speak of its fact: {fact.text}"
        return Judged(finding, fact, sentence, (problem,))
    if _warns_of_others(bare, said, brief):
        return Judged(finding, fact, sentence, ("its caveat is of other names",))
    if in_summary and not named and _counts_the_unnamed(bare, brief):
        return Judged(finding, fact, sentence, ("it counts what it does not name",))
    faults = verify(sentence, evidence, must_cite=True, statements=_shown(brief))
    problems = [f"{fault.text}: {fault.reason}" for fault in faults]
    return Judged(
        finding,
        fact,
        sentence,
        problems=(*_faults(bare, brief), *problems),
    )


def _warns_of_others(text: str, said: frozenset[str], brief: Brief) -> bool:
    """Return whether ``text`` has the words of the caution of a lead and not all of its names."""
    caution = brief.caution
    if caution is None or not is_caveat(caution.text):
        return False
    return warns(text) and not _is_named(caution, said)


def _counts_the_unnamed(text: str, brief: Brief) -> bool:
    """Return whether a sentence of a lead that names nothing counts what neither the size nor
    one statement about the community itself does.
    """
    if brief.facts:
        return False
    counted = set(COUNT.findall(text))
    itself = [one for one in brief.nameable if not _names(one)]
    return not any(counted.issubset(COUNT.findall(one.text)) for one in (brief.size, *itself))


def apply_corrections(
    judged: Sequence[Judged], answer: Corrections, brief: Brief, evidence: Evidence
) -> list[Judged]:
    """Return ``judged`` with failing sentences replaced where they were written again and now hold.

    ``answer`` has the failing sentences in their order.
    """
    rewritten = iter(answer.sentences)
    corrected = []
    for sentence in judged:
        if sentence.ok:
            corrected.append(sentence)
            continue
        text = next(rewritten, "")
        corrected.append(_corrected(sentence, text, brief, evidence))
    return corrected


def replace_failures(judged: Sequence[Judged]) -> list[Judged]:
    """Return ``judged`` with each sentence that still fails replaced by that of its fact."""
    return [sentence if sentence.ok else _fact_sentence(sentence) for sentence in judged]


def _fact_sentence(failed: Judged) -> Judged:
    return Judged(
        finding=failed.finding,
        fact=failed.fact,
        sentence=failed.fact.sentence,
        replaced=True,
    )


def summary_text(judged: Sequence[Judged]) -> str:
    """Return the sentences of the summary in order, none twice."""
    sentences = [judgement.sentence for judgement in judged if not judgement.finding]
    distinct = dict.fromkeys(sentences)
    return " ".join(distinct)


def findings_by_ordinal(judged: Sequence[Judged]) -> dict[int, str]:
    """Return the sentence of each finding a model was asked to word."""
    findings = {}
    for judgement in judged:
        if judgement.finding:
            findings[judgement.finding] = judgement.sentence
    return findings


def _corrected(failed: Judged, text: str, brief: Brief, evidence: Evidence) -> Judged:
    again = judge_sentence(
        failed.finding,
        failed.fact,
        text,
        brief,
        evidence,
    )
    if not again.ok:
        return failed
    return replace(again, repaired=True)


def _faults(text: str, brief: Brief) -> Iterator[str]:
    """Yield what is wrong with ``text`` apart from its numbers, names and claims.

    It may be unfinished, rambling or opinion.
    """
    if text[-1] not in ".!?":
        yield "it does not end"
    if not _VERB.search(text):
        yield "it has no verb"
    if text.count("(") != text.count(")"):
        yield "a bracket of it is not closed"
    if (most := _MOST.search(text)) and not _is_most(text):
        yield f"{most[0]}: no share in it is above half"
    sentences = split_sentences(text)
    if len(sentences) > MAX_SENTENCES:
        yield "it is more than one sentence"
    all_shown = " ".join(_shown(brief)).casefold()
    for word in _OPINION.findall(text):
        if word.casefold() not in all_shown:
            yield f"{word}: the facts do not say so"


def _is_most(text: str) -> bool:
    """Return whether ``text`` gives a share above half, or speaks of all runs."""
    shares = [float(share) for share in _PERCENT.findall(text)]
    return " all " in text or max(shares, default=0) > _HALF


def _shown(brief: Brief) -> list[str]:
    """Return the statements of ``brief`` as the model was shown them."""
    return [f"{statement.text} {statement.detail}" for statement in brief.statements]


def _named(text: str, brief: Brief, evidence: Evidence) -> list[BriefStatement]:
    """Return the statements whose subject ``text`` names, in the order shown."""
    said = _names_said(text, evidence)
    nameable = [statement for statement in brief.nameable if _names(statement)]
    return [statement for statement in nameable if _is_named(statement, said)]


def _names_said(text: str, evidence: Evidence) -> frozenset[str]:
    """Return the names in ``text`` and the values they are synonyms of, in lower case.

    A name inside a longer name does not count.
    """
    said = {name.lower() for name in evidence.name_pattern.findall(text)}
    for name in tuple(said):
        facts = evidence.names[name]
        said.update(fact.value.lower() for fact in facts)
    return frozenset(said)


def _is_named(fact: BriefStatement, said: frozenset[str]) -> bool:
    """Return whether ``said`` holds a name that ``fact`` cites.

    An association is named by its bioproject and family together. A fact about the community itself
    needs no name.
    """
    named = [name.lower() in said for name in _names(fact)]
    if not named:
        return True
    if fact.kind == "association":
        return all(named)
    return any(named)


def _names(fact: BriefStatement) -> list[str]:
    """Return what a sentence can name of ``fact``, nothing where it is about the community."""
    if fact.name:
        return [fact.name]
    return [citation.value for citation in fact.citations if citation.key != "community"]


def _citations(statements: Sequence[BriefStatement]) -> list[CitedValue]:
    """Return the citations of the facts that a sentence states, at most ``MAX_PER_REFERENCE``.

    The first citation of each fact comes before the second of any.
    """
    first_to_last = zip_longest(*(statement.citations for statement in statements))
    ordered = {}
    for of_rank in first_to_last:
        for citation in of_rank:
            if citation is not None:
                ordered[folded(citation)] = citation
    return list(ordered.values())[:MAX_PER_REFERENCE]

"""Questions that the index cannot answer: beyond counts, or about a subject that it does not know.

Each leaves with the reason, the nearest names and the nearest question that can be answered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import duckdb

from index.reports.phrases import counted, is_or_are
from query.errors import BeyondCountsError, NoEvidenceError
from query.reading.held.unlike import species_named, unlike_hits
from query.reading.kinds import NUMBERS
from query.reading.mentions import Mention
from query.reading.nearest import WORDING, nearest_terms
from query.reading.question import Question
from query.reading.reading import proposal_text

_ASIDE: Final = frozenset({"geography", "sex", "biome", "title"})
"""Groups that are no subject by themselves where other words were not understood."""
_COUNTS_RUNS: Final = re.compile(
    r"(?i)\b(?:how many|number of|total|count)\b.*\b(?:runs|samples|biosamples|records)\b"
)
"""Asks for the size of the index, which needs no name."""
_KINDS: Final = "hosts|host species|animals|plants|insects|organisms"
_NAME_LIKE: Final = re.compile(
    r"(?i:.*vir(?:us|uses|idae|ids?|al))|[A-Z][\w-]*[A-Z\d][\w-]*|\d{1,3}[A-Za-z]?|[A-Z]"
)


_HAS_TESTS: Final = """
SELECT 1 FROM association
WHERE list_contains($1::VARCHAR[], family) OR list_contains($2::VARCHAR[], lower(value))
   OR list_contains($3::VARCHAR[], curie) LIMIT 1
"""


def check_answerable(
    con: duckdb.DuckDBPyConnection, question: Question, *, none_answers: bool = False
) -> None:
    """Return where ``question`` can be answered.

    ``none_answers``: that no run carries a virus is said where it is an answer; a table has no row
    to say it in.

    Raises:
        BeyondCountsError: it asks for what counts cannot tell (cause, cure, dates, …).
        NoEvidenceError: its subject is not understood, or no run carries it.
    """
    beyond = question.reading.beyond
    if beyond is not None:
        raise BeyondCountsError(
            question.text, beyond.why, nearest=_names(con, question), ask=nearest_question(question)
        )
    unknown = _unknown_accessions(question)
    if unknown:
        reason = f"no run, sample, project or community of this index is {', '.join(unknown)}"
        raise NoEvidenceError(question.text, reason, nearest=(), ask=nearest_question(question))
    subject = _unknown_subject(question)
    if subject:
        proposed = [name for word, name in question.reading.proposals if word in subject]
        near = [name for name in proposed if name not in WORDING]
        names = [*near, *_names(con, question)]
        reason = _with_proposal(f"not understood: {', '.join(subject)}", question)
        raise NoEvidenceError(
            question.text, reason, nearest=list(dict.fromkeys(names)), ask=_respelled(question)
        )
    if not (none_answers and is_answered_by_none(question)):
        _check_carried(con, question)
    if not _names_anything(question):
        raise NoEvidenceError(
            question.text,
            _with_proposal("it names nothing to look for", question),
            nearest=(),
            ask=nearest_question(question),
        )


def is_not_understood(question: Question) -> bool:
    """Return whether ``question`` is refused for its words, and neither for what it asks nor for a
    name that is misspelt.
    """
    reading = question.reading
    if reading.beyond is not None or reading.proposals or _unknown_accessions(question):
        return False
    return bool(_unknown_subject(question)) or not _names_anything(question)


def _names_anything(question: Question) -> bool:
    """Return whether ``question`` names something to look for, or asks of the whole index."""
    reading = question.reading
    if question.mentions or question.absent or reading.without:
        return True
    if question.intent.explicit or reading.kind == "associate" or reading.unexpected:
        return True
    if reading.communities is not None or reading.figure is not None:
        return True
    return _COUNTS_RUNS.search(question.text) is not None


def _with_proposal(reason: str, question: Question) -> str:
    """Return ``reason`` with why the reading of a model does not help."""
    proposed = question.reading.proposed
    if proposed is None or proposed.taken:
        return reason
    return f"{reason}. {proposal_text(proposed)[:-1]}"


def nearest_question(question: Question) -> str:
    """Return a question about the same names that counts can answer."""
    viruses = [one.text for one in question.mentions if one.group == "virus"]
    others = [one.text for one in question.mentions if one.group != "virus"]
    if viruses and others:
        return f"{is_or_are(viruses[0]).capitalize()} {viruses[0]} found in {others[0]}?"
    if viruses:
        return f"Where {is_or_are(viruses[0])} {viruses[0]} found?"
    if others:
        return f"Which viruses are found in {others[0]}?"
    return "What are the most common virus families?"


def _respelled(question: Question) -> str:
    """Return the question with the proposed names, else the nearest question."""
    if not question.reading.proposals:
        return nearest_question(question)
    text = question.text
    for word, name in question.reading.proposals:
        text = text.replace(word, name)
    return text


def _unknown_subject(question: Question) -> tuple[str, ...]:
    """Return the words not understood without which the question has no subject."""
    slips = tuple(word for word, _ in question.reading.proposals)
    if slips:
        return slips
    reading = question.reading
    if reading.kind == "compare" and reading.without and not reading.sides:
        return tuple(f"compared without {one.text}" for one in reading.without)
    unknown = reading.not_understood
    if not unknown:
        return ()
    if _misses_a_value(question):
        return unknown
    named = [*question.mentions, *question.absent, *question.reading.without]
    if question.reading.unanswerable:
        return question.reading.unanswerable
    narrowing = tuple(word for word in unknown if _is_before_a_name(word, question.text, named))
    if narrowing:
        return narrowing
    if question.reading.kind in ("exists", "compare"):  # every word counts for a yes or no
        return unknown
    groups = {one.group for one in named}
    asks_values = groups and question.intent.explicit
    if groups <= _ASIDE and not asks_values:
        return unknown
    if len(unknown) >= 2 and len(unknown) > len(named):
        return unknown
    first = question.text.split()[0]
    return tuple(word for word in unknown if _is_proper(word, first=first))


def _is_before_a_name(word: str, text: str, named: Sequence[Mention]) -> bool:
    """Return whether ``word`` is right before one of the names in ``text``, or a noun for hosts,
    which it narrows: cucurbit plants are not all plants.
    """
    if word.lower() in NUMBERS:
        return False
    names = "|".join([*(re.escape(one.text) for one in named), _KINDS])
    return re.search(rf"(?i)\b{re.escape(word)} (?:{names})\b", text) is not None


def _misses_a_value(question: Question) -> bool:
    """Return whether tests are asked for, and what they are of may be what is not understood: else
    all tests of a family would answer for those of one value.
    """
    tests = question.reading.associations
    if tests is None or question.reading.kind != "associate":
        return False
    return not (tests.values or tests.written or tests.attributes or tests.facets or tests.projects)


def _is_proper(word: str, *, first: str) -> bool:
    """Return whether ``word`` looks like the name of something."""
    capital = word[:1].isupper()
    if capital and word != first:
        return True
    named = _NAME_LIKE.fullmatch(word)
    return named is not None


def _unknown_accessions(question: Question) -> list[str]:
    asked = question.reading.accessions
    held = {one.text.upper() for one in question.mentions}
    tests = question.reading.associations
    if tests is not None:
        held |= {one.upper() for one in tests.projects}
    return [one for one in asked if one.upper() not in held]


def _names(con: duckdb.DuckDBPyConnection, question: Question) -> list[str]:
    held = [one.label for one in question.mentions]
    if held:
        return held
    return nearest_terms(con, question)


def _check_carried(con: duckdb.DuckDBPyConnection, question: Question) -> None:
    """Raise ``NoEvidenceError`` where the virus or organism asked about is absent; a family with
    associations is known to projects whose finds are counted elsewhere.
    """
    if question.reading.kind == "associate" and _has_associations(con, question):
        return
    missing = [
        one
        for one in question.missing
        if one.group in ("virus", "organism") or not question.mentions
    ]
    if missing:
        raise NoEvidenceError(
            question.text,
            f"{_in_no_run(missing)}{_unlike(con, missing)}",
            nearest=nearest_terms(con, question),
            ask=nearest_question(question),
        )


def is_answered_by_none(question: Question) -> bool:
    """Return whether it is an answer that no run carries the viruses which ``question`` names: to
    whether, how often or in how many runs they are found, and to what is said of them in something
    else (PRRSV in pigs).
    """
    missing = question.missing
    viruses = bool(missing) and all(one.group == "virus" for one in missing)
    asks_no_more = not (question.reading.sides or question.reading.without)
    kind = question.reading.kind
    counts = kind in ("exists", "count", "share") or (kind == "describe" and question.mentions)
    return viruses and asks_no_more and bool(counts)


def _in_no_run(missing: Sequence[Mention]) -> str:
    """Return that no run carries the viruses among ``missing``, nor states the others."""
    viruses = [one.name for one in missing if one.group == "virus"]
    stated = [one.name for one in missing if one.group != "virus"]
    parts = []
    if viruses:
        parts.append(f"no run carries {', '.join(viruses)}")
    if stated:
        parts.append(f"no run states {', '.join(stated)}")
    return "; ".join(parts)


def _unlike(con: duckdb.DuckDBPyConnection, missing: Sequence[Mention]) -> str:
    """Return how many runs have hits that are reported as a species that none carries."""
    sentences = []
    for found in unlike_hits(con, species_named(missing)):
        runs_have = counted(found.runs, "run has", "runs have")
        sentences.append(f"; {found.text('it', runs_have).removesuffix('.')}")
    return "".join(sentences)


def _has_associations(con: duckdb.DuckDBPyConnection, question: Question) -> bool:
    """Return whether a virus that ``question`` names, its family, or a value has associations
    though no run carries it.
    """
    tests = question.reading.associations
    families = [one.label for one in question.absent]
    families += tests.families if tests else ()
    values = [one.label.lower() for one in question.absent]
    curies = [curie for one in question.absent for curie in one.curies]
    return bool(con.execute(_HAS_TESTS, [families, values, curies]).fetchall())

"""Which names of the setting of a question say which runs are meant, and which only tell a story.

"We culture lung cells of PRJNA1, that big pig project" means a project. Culture is a verb there,
and pig says what the project is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from query.reading.mentions import Mention
from query.reading.names.named_terms import name_words, pauses_in
from query.reading.scope.clauses import Clauses
from query.reading.scope.talk import is_expectation

ACCESSIONS: Final = ("run", "biosample", "bioproject", "community")
"""Groups of what is named by its accession: mere setting only where the question names another."""
_WHO: Final = frozenset({"i", "we", "they", "you", "who", "to"})
_ADVERBS: Final = frozenset({
    "mostly", "mainly", "also", "often", "sometimes", "usually", "only", "just", "currently",
    "once", "always", "never", "normally", "routinely", "regularly",
})  # fmt: skip
_DETERMINERS: Final = frozenset({"the", "a", "an", "that", "those", "our", "this", "these", "your"})
_VERBS: Final = frozenset({
    "is", "are", "was", "were", "has", "have", "had", "do", "does", "did", "will", "would", "can",
    "in", "from", "and", "or", "with",
})  # fmt: skip
"""Words that no name of a thing goes on with."""
_RELEASED: Final = re.compile(
    r"\b(?:releas|publish|deposit|public|submitt|upload)\w*", re.IGNORECASE
)


def telling_names(
    setting: Sequence[Mention], clauses: Clauses, *, asks_viruses: bool
) -> list[Mention]:
    """Return the names of the ``setting`` that say which runs are meant.

    They are no verbs (we culture), do not only say what the name before them is (Globodera pallida,
    the potato cyst nematode), stand beside no accession, and are no years but those of release.
    Where a question ``asks_viruses``, they are no viruses that somebody expects it to find.
    """
    telling: list[Mention] = []
    end = len(name_words(clauses.asked)[0])

    for clause in clauses.clauses[1:]:
        words, _ = name_words(clause)
        start = end + 1
        end = start + len(words)
        here = [one for one in setting if start <= one.start < end]
        exact = [one for one in here if one.group in ACCESSIONS]
        expected = asks_viruses and not clauses.points and is_expectation(clause)
        for one in exact or here:
            past = one.group == "year" and not _RELEASED.search(clause)
            guessed = expected and one.group == "virus"
            said = _is_verb(words, one.start - start) or _is_apposed(clause, start, one, here)
            if not (past or guessed or said):
                telling.append(one)
    return telling


def _is_verb(words: Sequence[str], place: int) -> bool:
    """Return whether the word at ``place`` is what somebody does: we culture, we mostly culture."""
    before = [word.lower() for word in words[max(0, place - 2) : place]]
    if before and before[-1] in _ADVERBS:
        before.pop()
    return bool(before) and before[-1] in _WHO and words[place].islower()


def _is_apposed(clause: str, start: int, one: Mention, here: Sequence[Mention]) -> bool:
    """Return whether ``one`` only says what the name before it is, behind a comma; ``here`` are the
    names of the ``clause``, which begins at the word ``start``.
    """
    words, _ = name_words(clause)
    pauses = sorted(pauses_in(clause))

    for other in here:
        first = other.end - start
        if other.end > one.start or first - 1 not in pauses:
            continue
        last = next((place for place in pauses if place >= first), len(words) - 1)
        stretch = [word.lower() for word in words[first : last + 1]]
        within = one.start - start <= last
        if within and stretch[0] in _DETERMINERS and _VERBS.isdisjoint(stretch):
            return True
    return False

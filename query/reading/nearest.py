"""What the index does hold, for a question that it cannot answer: names close in the tree, then
close in spelling.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Final

import duckdb

from index.errors import ModelUnavailableError
from index.store.edges_above import edges_above
from index.store.frames import rows_over
from query.reading.intent import singular
from query.reading.names.labels import LABELS

if TYPE_CHECKING:
    from query.reading.question import Question


_SHOWN: Final = 5
_LEAST_LETTERS: Final = 4
"""Shorter words are one letter away from too much."""
_MOST_WORDS: Final = 6
"""Words of the longest name of a virus that is proposed."""
_LETTERS_PER_SLIP: Final = 6
"""Letters of a name of several words for each that may be wrong."""
_LONG: Final = 9
"""Letters from which a word may be two letters away."""


def nearest_terms(con: duckdb.DuckDBPyConnection, question: Question) -> list[str]:
    """Return the labels nearest to what the question names and no run carries: relatives first,
    then like spellings. Relatives are at most eight steps away in the ontology.
    """
    curies = []
    words = [*question.keywords]
    for mention in question.absent:
        words.append(mention.text)
        curies += [sense.curie for sense in mention.senses if sense.curie]
    near = [*_relatives(con, curies), *_alike(con, words)]
    distinct = list(dict.fromkeys(near))
    return distinct[:_SHOWN]


def _relatives(con: duckdb.DuckDBPyConnection, curies: Sequence[str]) -> list[str]:
    if not curies:
        return []
    above = edges_above(con, curies, ("is_a", "part_of", "parent"), most_steps=5)
    query = _RELATIVES.format(labels=LABELS)
    asked = {"curies": list(curies), "n": _SHOWN}
    found = rows_over(con, query, {"edge_above": above}, params=asked)
    return [str(label) for label in found["label"]]


def propose_names(
    con: duckdb.DuckDBPyConnection, words: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    """Return for each of ``words`` the word of a name that is one letter away, or two where it is
    long, with the word; proposed, never assumed. Words of four letters and more, hyphens between
    them; the first letter is taken to be right, an abbreviation is no slip of a word in small
    letters, and a common word is no slip.
    """
    long = [word for word in words if _is_long(word) and not is_common(word)]
    if not long:
        return ()
    spelled = {word: _without_plural(word) for word in long}
    asked = sorted(set(itertools.chain(long, *spelled.values())))
    found = {
        str(word): str(name) for word, name in con.execute(_ONE_AWAY, [asked, _LONG]).fetchall()
    }
    proposals = {}
    for word in sorted(long):
        near = next((found[one] for one in spelled[word] if one in found), None)
        if near and singular(near) != singular(word):
            proposals[word] = near
    return tuple(proposals.items())


def propose_wording(
    con: duckdb.DuckDBPyConnection, words: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    """Return for each of ``words`` the word that questions are asked in, one letter away, with the
    word: how mny runs.
    """
    short = sorted({word for word in words if word.isalpha() and word.islower() and len(word) > 1})
    short = [word for word in short if not is_common(word)]
    if not short:
        return ()
    found = con.execute(_SLIPS_OF_WORDING, [short, sorted(WORDING)]).fetchall()
    return tuple((str(slip), str(word)) for slip, word in found)


def propose_viruses(
    con: duckdb.DuckDBPyConnection, words: Sequence[str], unknown: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    """Return the names of viruses found that stretches of ``words`` with an ``unknown`` one may be
    slips of, with the stretch: about a letter in six is wrong, the first one and numbers are right.
    """
    stretches = sorted(_stretches_with(words, {word.lower() for word in unknown}))
    if not stretches:
        return ()
    found = con.execute(_SLIPS_OF_VIRUSES, [stretches, _LETTERS_PER_SLIP]).fetchall()
    proposals: dict[str, str] = {}
    for stretch, name in found:
        if not any(stretch in known for known in proposals):
            proposals[str(stretch)] = str(name)
    return tuple(proposals.items())


def _stretches_with(words: Sequence[str], unknown: Collection[str]) -> set[str]:
    """Return the stretches of several ``words`` that have an ``unknown`` one, and look like the
    name of a virus.
    """
    stretches = set()
    for start, end in itertools.combinations(range(len(words) + 1), 2):
        several = words[start:end]
        has_unknown = any(word.lower() in unknown for word in several)
        viral = any(word.lower().endswith(("virus", "viruses")) for word in several)
        if 1 < len(several) <= _MOST_WORDS and has_unknown and viral:
            stretches.add(" ".join(several))
    return stretches


def _without_plural(word: str) -> list[str]:
    """Return the ways in which ``word`` may be spelled in the singular, itself first."""
    if not word.islower():
        return [word]
    endings = ("s", "es")
    ended = [word.removesuffix(ending) for ending in endings if word.endswith(ending)]
    shorter = [one for one in ended if len(one) >= _LEAST_LETTERS]
    return list(dict.fromkeys([word, singular(word), *shorter]))


def is_common(word: str) -> bool:
    """Return whether ``word`` is usual in English, as no name with a hyphen is; none is where no
    sentence model is installed.
    """
    if "-" in word and not word.islower():
        return False
    from index.models import embeddings

    try:
        return embeddings.is_common(word)
    except ModelUnavailableError:
        return False


def _is_long(word: str) -> bool:
    letters = word.replace("-", "")
    return letters.isalpha() and len(letters) >= _LEAST_LETTERS


def _alike(con: duckdb.DuckDBPyConnection, words: Sequence[str]) -> list[str]:
    """Return the values spelled like each of ``words``, those of the first word first."""
    if not words:
        return []
    lowered = [word.lower() for word in words]
    found = con.execute(_ALIKE, {"words": lowered, "n": _SHOWN})
    return [str(value) for value, *_ in found.fetchall()]


def nearest_communities(con: duckdb.DuckDBPyConnection, community: str) -> list[str]:
    """Return identifiers spelled most like ``community``."""
    query = """
        SELECT community FROM community
        ORDER BY jaro_winkler_similarity(community, $1) DESC, community LIMIT 3
    """
    return [str(row[0]) for row in con.execute(query, [community]).fetchall()]


def nearest_families(con: duckdb.DuckDBPyConnection, family: str) -> list[str]:
    """Return virus families with associations, those spelled most like ``family`` first."""
    query = """
        SELECT family FROM association GROUP BY family
        ORDER BY jaro_winkler_similarity(lower(family), lower($1)) DESC, family LIMIT 5
    """
    return [str(row[0]) for row in con.execute(query, [family]).fetchall()]


WORDING: Final = frozenset({
    "how", "many", "much", "which", "what", "where", "have", "has", "with", "without", "virus",
    "viruses", "runs", "found", "hosts", "tissues", "diseases", "countries", "families", "species",
    "samples", "share", "most", "carry", "between",
})  # fmt: skip
"""Words that questions are asked in, and that a slip is proposed for."""
_SLIPS_OF_WORDING: Final = """
SELECT slip, min(word) FROM (SELECT unnest($1::VARCHAR[]) AS slip),
    (SELECT unnest($2::VARCHAR[]) AS word)
WHERE damerau_levenshtein(slip, word) = 1 AND slip[1] = word[1] GROUP BY slip ORDER BY slip
"""

# Along the edges of the ontology, because the closure holds taxa that some run carries and an
# absent term is none. Five steps up and eight in all: further off are only strangers.
_RELATIVES: Final = """
WITH RECURSIVE carried AS (
    SELECT curie, run FROM annotation WHERE facet NOT IN ('statOrganism', 'virus')
    UNION ALL SELECT virus, run FROM detection WHERE virus IS NOT NULL AND stated IS NOT NULL
),
up AS (
    SELECT unnest($curies::VARCHAR[]) AS curie, 0 AS distance
    UNION
    SELECT e.object, u.distance + 1 FROM up u JOIN edge_above e ON e.subject = u.curie
    WHERE u.distance < 5
)
SELECT t.label, count(DISTINCT a.run) AS runs, min(u.distance + c.distance) AS distance
FROM up u JOIN closure c ON c.ancestor = u.curie JOIN carried a ON a.curie = c.descendant
JOIN ({labels}) t ON t.curie = a.curie
WHERE u.distance + c.distance <= 8
GROUP BY t.label ORDER BY distance, runs DESC, t.label LIMIT $n
"""

_ONE_AWAY: Final = """
WITH held AS (
    SELECT value AS name, count(*) AS runs FROM annotation
    WHERE facet <> 'statOrganism' GROUP BY value
    UNION ALL SELECT family, count(*) FROM detection WHERE family IS NOT NULL GROUP BY family
    UNION ALL SELECT regexp_replace(stated, '^reported as ', ''), count(*) FROM detection
    WHERE stated IS NOT NULL GROUP BY stated
    UNION ALL SELECT name, 1 FROM virus_name WHERE kind IN ('everyday', 'former', 'name')
    UNION ALL SELECT synonym, 2 FROM synonym s
    WHERE curie IN (SELECT curie FROM annotation WHERE curie IS NOT NULL)
),
asked AS (SELECT DISTINCT unnest($1::VARCHAR[]) AS word),
spelled AS (
    SELECT unnest(string_split_regex(name, '[^[:alpha:]-]+')) AS name, runs FROM held
),
near AS (
    SELECT a.word, s.name, sum(s.runs) AS runs FROM asked a JOIN spelled s
    ON lower(s.name[1]) = lower(a.word[1]) AND abs(length(s.name) - length(a.word)) <= 2
    WHERE damerau_levenshtein(lower(s.name), lower(a.word)) <= if(length(a.word) >= $2, 2, 1)
      AND (s.name <> upper(s.name) OR a.word = upper(a.word)) GROUP BY ALL
)
SELECT word, arg_max(name, (runs, name)) FROM near
GROUP BY word HAVING NOT bool_or(lower(name) = lower(word)) ORDER BY word
"""

_SLIPS_OF_VIRUSES: Final = r"""
WITH
asked AS (SELECT DISTINCT unnest($1::VARCHAR[]) AS stretch),
found AS (
    SELECT DISTINCT name FROM virus_name WHERE virus IN (SELECT virus FROM virus)
    UNION SELECT DISTINCT regexp_replace(stated, '^reported as ', '') FROM detection
    WHERE stated IS NOT NULL
),
near AS (
    SELECT a.stretch, f.name, damerau_levenshtein(lower(f.name), lower(a.stretch)) AS slips
    FROM asked a JOIN found f ON lower(f.name[1]) = lower(a.stretch[1])
        AND abs(length(f.name) - length(a.stretch)) <= length(f.name) / $2
        AND regexp_extract_all(f.name, '\d+') = regexp_extract_all(a.stretch, '\d+')
)
SELECT stretch, name FROM near WHERE slips > 0 AND slips <= length(name) / $2
QUALIFY row_number() OVER (PARTITION BY stretch ORDER BY slips, name) = 1
ORDER BY slips, length(stretch) DESC, stretch
"""

_ALIKE: Final = """
WITH held AS (
    SELECT DISTINCT value FROM annotation WHERE facet <> 'statOrganism'
    UNION SELECT DISTINCT stated FROM detection WHERE stated IS NOT NULL
    UNION SELECT DISTINCT family FROM detection WHERE family IS NOT NULL
),
asked AS (SELECT DISTINCT unnest($words::VARCHAR[]) AS word),
alike AS (
    SELECT h.value, a.word, jaro_winkler_similarity(lower(h.value), a.word) AS likeness
    FROM held h, asked a WHERE likeness >= 0.85
)
SELECT value FROM alike
QUALIFY row_number() OVER (PARTITION BY word ORDER BY likeness DESC, value) <= $n
ORDER BY list_position($words::VARCHAR[], word), likeness DESC, value
"""

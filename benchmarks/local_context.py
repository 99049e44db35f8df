"""Which context ``query local`` should keep: ``python -m benchmarks.local_context --db INDEX``.

Planted questions of one hop (the hosts, tissues, places of a virus family) and of two (the tissues
or places of its hosts, all of them or the one of most runs) have known answers, by SQL of their
own. For each context volume and percentile: Jaccard of the values said and the values of the
answer, as in KG-RAG. Beside it the whole graph and plain vector retrieval, with tokens.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb
import numpy as np
from query.reading.question import read_question

from index.models.embeddings import embed
from index.models.protocol import estimate_tokens
from index.store.read import open_index
from query.local_search.chains import HopChain, chain_of
from query.local_search.gathering import gather_triples
from query.local_search.pruning import ScoredTriple, prune
from query.local_search.seeds import named_seeds
from query.local_search.triples import Triple
from query.local_search.vectors import cosines

VOLUMES: Final = (10, 25, 50, 100, 150, 200)
PERCENTILES: Final = (10.0, 25.0, 50.0, 75.0, 90.0)
_FAMILIES: Final = 8
_LEAST: Final = 20
"""Runs that a family needs for a planted question."""
_ASKED: Final = {"host": "hosts", "tissue": "tissues", "geography": "countries"}
TWO_HOPS: Final = (
    "From which {noun} are the hosts in which {family} is found?",
    "Which {noun} come from the hosts that carry {family}?",
    "In which {noun} were the animals with {family} sampled?",
    "What {noun} are the reservoirs of {family} from?",
)


@dataclass(frozen=True, slots=True)
class PlantedQuestion:
    """A question with the values that answer it, and its triples with their cosines."""

    hops: int
    text: str
    facet: str
    answer: frozenset[str]
    scored: tuple[ScoredTriple, ...]
    asked: tuple[str, ...]
    chain: HopChain | None


def plant(con: duckdb.DuckDBPyConnection) -> list[PlantedQuestion]:
    """Return the planted questions over the families of most runs."""
    families = [str(row[0]) for row in con.execute(_FREQUENT, [_LEAST, _FAMILIES]).fetchall()]
    planted = []
    for place, family in enumerate(families):
        facet = list(_ASKED)[place % len(_ASKED)]
        text = f"Which {_ASKED[facet]} have {family}?"
        planted.append(_planted(con, 1, text, facet, _values(con, _OF_FAMILY, family, facet)))
        second = "tissue" if place % 2 else "geography"
        planted += _of_hosts(con, family, second, TWO_HOPS[place % len(TWO_HOPS)])
    return planted


def _of_hosts(
    con: duckdb.DuckDBPyConnection, family: str, facet: str, wording: str
) -> list[PlantedQuestion]:
    """Return what is asked of all hosts of ``family``, and of the one of most runs by its name."""
    text = wording.format(noun=_ASKED[facet], family=family)
    of_all = _planted(con, 2, text, facet, _values(con, _OF_HOSTS, family, facet))
    ((host,),) = con.execute(_TOP_HOST, [family]).fetchall()
    text = f"{text.rstrip('?')}, such as {host}?"
    of_one = _planted(con, 2, text, facet, _values(con, _OF_HOST, host, facet))
    return [of_all, of_one]


def _planted(
    con: duckdb.DuckDBPyConnection, hops: int, text: str, facet: str, answer: frozenset[str]
) -> PlantedQuestion:
    question = read_question(con, text)
    chain = chain_of(question)
    asked = question.reading.facets if question.reading.explicit else ()
    triples = gather_triples(con.cursor(), named_seeds(question), asked=asked, chain=chain)
    scores = cosines(embed, text, [one.text for one in triples])
    scored = tuple(ScoredTriple(*pair) for pair in zip(triples, scores, strict=True))
    return PlantedQuestion(hops, text, facet, answer, scored, asked, chain)


def _values(con: duckdb.DuckDBPyConnection, query: str, name: str, facet: str) -> frozenset[str]:
    return frozenset(str(row[0]) for row in con.execute(query, [name, facet]).fetchall())


def jaccard(said: Collection[str], answer: Collection[str]) -> float:
    """Return shared values / all values, 0-1."""
    either = set(said) | set(answer)
    return len(set(said) & set(answer)) / len(either) if either else 1.0


def said_values(triples: Iterable[Triple], facet: str) -> set[str]:
    """Return the values of ``facet`` that ``triples`` tell."""
    return {one.value for one in triples if one.facet == facet}


def study(planted: Sequence[PlantedQuestion], *, by_reading: bool) -> str:
    """Return mean Jaccard by volume and percentile as a Markdown table, one and two hops apart."""
    lines = [f"| volume | {' | '.join(f'{one:g} %' for one in PERCENTILES)} |"]
    lines.append("|---" * (len(PERCENTILES) + 1) + "|")
    for volume in VOLUMES:
        cells = [_cell(planted, volume, one, by_reading=by_reading) for one in PERCENTILES]
        lines.append(f"| {volume} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(
    planted: Sequence[PlantedQuestion], volume: int, percentile: float, *, by_reading: bool
) -> str:
    means = []
    for hops in (1, 2):
        own = [one for one in planted if one.hops == hops]
        scores = [_score(one, volume, percentile, by_reading=by_reading)[0] for one in own]
        means.append(f"{float(np.mean(scores)):.2f}")
    return " / ".join(means)


def _score(
    one: PlantedQuestion, volume: int, percentile: float, *, by_reading: bool
) -> tuple[float, int]:
    """Return the Jaccard and the tokens of the context of one question."""
    kept = prune(
        one.scored,
        volume=volume,
        percentile=percentile,
        least_cosine=0.0,
        asked=one.asked if by_reading else (),
        chain=one.chain if by_reading else None,
    )
    return _measured([each.triple for each in kept], one)


def _measured(triples: Sequence[Triple], one: PlantedQuestion) -> tuple[float, int]:
    tokens = sum(estimate_tokens(triple.sentence) for triple in triples)
    return jaccard(said_values(triples, one.facet), one.answer), tokens


def compare(planted: Sequence[PlantedQuestion]) -> str:
    """Return Jaccard, recall and tokens of four contexts as a Markdown table."""
    graph = list({each.triple.sentence: each for one in planted for each in one.scored}.values())
    vectors = embed([each.triple.text for each in graph])
    rows: dict[str, list[tuple[float, float, int]]] = {}
    for one in planted:
        contexts = {
            "`query local`: pruned, what is asked for first": _kept(one, by_reading=True),
            "pruned by cosine alone": _kept(one, by_reading=False),
            "vector retrieval, 40 nearest": _nearest(one, graph, vectors),
            "full graph": [each.triple for each in graph],
        }
        for name, triples in contexts.items():
            score, tokens = _measured(triples, one)
            said = said_values(triples, one.facet)
            recall = len(said & one.answer) / len(one.answer) if one.answer else 1.0
            rows.setdefault(name, []).append((score, recall, tokens))
    lines = ["| context | Jaccard | recall | tokens |", "|---|---|---|---|"]
    for name, measured in rows.items():
        means = np.mean(np.array(measured), axis=0)
        lines.append(f"| {name} | {means[0]:.2f} | {means[1]:.2f} | {means[2]:,.0f} |")
    return "\n".join(lines)


def _kept(one: PlantedQuestion, *, by_reading: bool) -> list[Triple]:
    asked, chain = (one.asked, one.chain) if by_reading else ((), None)
    return [each.triple for each in prune(one.scored, asked=asked, chain=chain)]


def _nearest(
    one: PlantedQuestion, graph: Sequence[ScoredTriple], vectors: np.ndarray
) -> list[Triple]:
    near = vectors @ embed([one.text])[0]
    return [graph[place].triple for place in np.argsort(-near, kind="stable")[:40]]


def main() -> int:
    """Print the tables; return 0."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--db", type=Path, required=True, help="index to plant questions over")
    options = parser.parse_args()
    with open_index(options.db) as con:
        planted = plant(con)
    print(f"{len(planted)} planted questions; Jaccard of one hop / two hops\n")
    print("By cosine alone:\n")
    print(study(planted, by_reading=False))
    print("\nValues of a facet that is asked for kept first:\n")
    print(study(planted, by_reading=True))
    print(f"\n{compare(planted)}")
    return 0


_FREQUENT: Final = """
SELECT family FROM detection WHERE family IS NOT NULL GROUP BY family
HAVING count(DISTINCT run) >= $1 ORDER BY count(DISTINCT run) DESC, family LIMIT $2
"""
_TOP_HOST: Final = """
SELECT value FROM annotation WHERE facet = 'host'
AND run IN (SELECT run FROM detection WHERE family = $1)
GROUP BY value ORDER BY count(DISTINCT run) DESC, value LIMIT 1
"""
_OF_FAMILY: Final = """
SELECT DISTINCT value FROM annotation WHERE facet = $2 AND NOT contains(value, ':')
AND run IN (SELECT run FROM detection WHERE family = $1)
"""
_OF_HOST: Final = """
SELECT DISTINCT value FROM annotation WHERE facet = $2 AND NOT contains(value, ':')
AND run IN (SELECT run FROM annotation WHERE facet = 'host' AND value = $1)
"""
_OF_HOSTS: Final = """
SELECT DISTINCT value FROM annotation WHERE facet = $2 AND NOT contains(value, ':')
AND run IN (SELECT run FROM annotation WHERE facet = 'host' AND value IN (
    SELECT value FROM annotation WHERE facet = 'host'
    AND run IN (SELECT run FROM detection WHERE family = $1)))
"""

if __name__ == "__main__":
    sys.exit(main())

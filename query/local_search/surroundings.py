"""Answer from what surrounds the names of a question: relevant triples, links, associations.

Triples of one and two hops with counts, p and q; pruned by cosine; what joins two entities;
hosts that are not expected; associations; all with provenance (KG-RAG).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import duckdb

from index.claims.phrases import counted, listed
from index.reports.citations import CitedValue, format_reference, is_citable
from query.answer import Answer, Association, Citation, Point, Usage
from query.answer_text import bullet_list
from query.answers import answer_reading
from query.errors import NoEvidenceError
from query.global_search.associations import ASSOCIATION_COLUMNS, WITH_COMBINED, read_association
from query.global_search.citing import FACET_OF
from query.local_search.chains import chain_in, chain_sentence
from query.local_search.gathering import gather_triples
from query.local_search.named import Embed, Seed, cosines, seeds_named, seeds_nearest
from query.local_search.paths import Joint, join_pairs
from query.local_search.pruning import prune
from query.local_search.triples import Triple, cited_pairs
from query.mode import Asking
from query.reading.reading import NameInQuestion
from query.request import Request, Values
from query.request.request import to_json

MODE_LOCAL: Final = "local"
SHOWN: Final = 8
"""Statements that an answer shows; all of them are its points."""
_ASSOCIATIONS: Final = 5
_PAIRS: Final = 6
_CAUTIONS: Final = {"unexpected": ": possibly contamination or a new host"}
_USUAL_OF_VIRUS: Final = ("host", "geography")
_USUAL: Final = ("family", "species")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What was found around the entities of a question; ``points`` best first.

    ``candidates``  triples considered
    ``unexpected``  sentences on hosts in which a virus is not expected
    ``along``       the values of the bridges, for a question of two hops
    """

    seeds: tuple[Seed, ...]
    candidates: int
    points: tuple[Point, ...]
    joints: tuple[Joint, ...]
    unexpected: tuple[str, ...]
    associations: tuple[Association, ...]
    along: str = ""

    @property
    def names(self) -> str:
        """The entities, listed."""
        return listed([seed.name for seed in self.seeds])

    @property
    def steps(self) -> tuple[str, ...]:
        """What was done, for the steps of an answer."""
        how = "nearest by meaning" if self.seeds[0].nearest else "named"
        kept = f"{len(self.points):,} of {self.candidates:,} triples kept by relevance"
        return f"entities ({how}): {', '.join(seed.name for seed in self.seeds)}", kept


def answer_locally(asking: Asking) -> Answer:
    """Return the answer from the surroundings of the names in the question of ``asking``.

    Raises:
        BeyondCountsError: the index cannot answer it.
        NoEvidenceError: the index holds no run.
        UnknownNameError, AmbiguousNameError: of a name.
    """
    started = time.perf_counter()
    reading = asking.read()
    if reading.refusal is not None and "links" not in reading.needs:
        asking.readable()
    request = reading.requests[0] if reading.requests else None
    found = surroundings_of(asking.con, request, names=reading.names, text=reading.text)
    lead = answer_reading(asking.con, reading).lead if reading.requests else ""
    shown = asking.config.max_points if asking.config.shows_all else SHOWN
    return Answer(
        question=reading.text,
        mode=MODE_LOCAL,
        answer=surroundings_text(found, lead=lead, shown=shown),
        points=found.points,
        evidence=found.associations,
        usage=Usage(seconds=round(time.perf_counter() - started, 3)),
        steps=found.steps,
        read_as=reading.read_as,
        corrected=reading.corrected,
        form=reading.form,
        requests=tuple(to_json(one) for one in reading.requests),
    )


def surroundings_of(
    con: duckdb.DuckDBPyConnection,
    request: Request | None,
    *,
    names: Sequence[NameInQuestion],
    text: str,
    embed: Embed | None = None,
) -> Surroundings:
    """Return what surrounds the ``names`` of a question, or the nearest entities if it has no
    names.

    The fields that ``request`` lists come first; ``text`` ranks the rest by meaning.

    Raises:
        NoEvidenceError: the index has no run.
        UnknownNameError, AmbiguousNameError: for a name.
    """
    own = con.cursor()
    from index.models.embeddings import embed as usual

    embedding = embed or usual
    seeds = seeds_named(own, names) or seeds_nearest(own, text, embedding)
    if not seeds:
        raise NoEvidenceError(text, "the index holds no run")
    chain = chain_in(request) if request is not None else None
    listed_facets = _facets_listed(request)
    triples = gather_triples(own, seeds, asked=listed_facets, chain=chain)
    scores = cosines(embedding, text, [triple.text for triple in triples])
    scored = [replace(triple, cosine=score) for triple, score in zip(triples, scores, strict=True)]
    first = listed_facets or _usual_facets(seeds)
    pruned = prune(scored, asked=first, chain=chain)
    return Surroundings(
        seeds=tuple(seeds),
        candidates=len(triples),
        points=points_of(own, pruned),
        joints=tuple(join_pairs(own, seeds)),
        unexpected=tuple(_unexpected_hosts(own, seeds)),
        associations=associations_of(own, seeds),
        along="" if chain is None else chain_sentence(chain, triples),
    )


def _facets_listed(request: Request | None) -> tuple[str, ...]:
    if request is None or not isinstance(request.measure, Values):
        return ()
    return tuple(FACET_OF.get(field, field) for field in request.measure.by)


def _usual_facets(seeds: Sequence[Seed]) -> tuple[str, ...]:
    """Return the facets that come first for one name: hosts and places, or viruses."""
    if len(seeds) != 1:
        return ()
    return _USUAL_OF_VIRUS if seeds[0].own else _USUAL


def associations_of(
    con: duckdb.DuckDBPyConnection, seeds: Sequence[Seed]
) -> tuple[Association, ...]:
    """Return the strongest associations of the families of ``seeds``, in projects of their runs."""
    viral = [seed for seed in seeds if seed.own]
    if not viral:
        return ()
    own = " OR ".join(f"({seed.own})" for seed in viral)
    runs = "\nUNION ".join(f"({seed.runs})" for seed in viral)
    rows = con.execute(_TESTS.format(own=own, runs=runs), [_ASSOCIATIONS]).fetchall()
    return tuple(read_association(row) for row in rows)


def _unexpected_hosts(con: duckdb.DuckDBPyConnection, seeds: Sequence[Seed]) -> list[str]:
    """Return in which hosts the viruses among ``seeds`` are not expected, unexpected ones first."""
    return [sentence for seed in seeds if seed.own for sentence in _unusual(con, seed)]


def _unusual(con: duckdb.DuckDBPyConnection, seed: Seed) -> list[str]:
    rows = con.execute(_UNUSUAL.format(own=seed.own), [_PAIRS]).fetchall()
    return [
        f"{virus} in {host} is {how} ({counted(runs, 'run')}){_CAUTIONS.get(how, '')}"
        for virus, host, how, runs in rows
    ]


def points_of(con: duckdb.DuckDBPyConnection, kept: Sequence[Triple]) -> tuple[Point, ...]:
    """Return the triples as points, each with the citations that resolve to runs."""
    pairs = sorted(cited_pairs(kept))
    facets = [facet for facet, _ in pairs]
    values = [value for _, value in pairs]
    rows = con.execute(_RESOLVED, {"facets": facets, "values": values}).fetchall()
    resolved = {(facet, value): runs for facet, value, runs in rows}
    return tuple(_point(triple, resolved) for triple in kept)


def _point(triple: Triple, resolved: dict[tuple[str, str], int]) -> Point:
    citations = []
    for facet, value in ((triple.subject_facet, triple.subject), (triple.facet, triple.value)):
        runs = resolved.get((facet, value))
        if runs is not None and is_citable(facet, value):
            citations.append(Citation(facet, value, runs, verified=True))
    reference = format_reference([CitedValue(cited.key, cited.value) for cited in citations])
    percent = round(100 * max(triple.cosine, 0.0), 1)
    return Point("", percent, f"{triple.sentence} {reference}", tuple(citations))


def surroundings_text(found: Surroundings, *, lead: str, shown: int = SHOWN) -> str:
    """Return what was found, in words, after the counted ``lead``."""
    points = found.points[:shown]
    around = f"Of the runs of {found.names} nothing else is stated."
    if points:
        around = f"Around {found.names}\n{bullet_list(point.description for point in points)}"
    hidden = len(found.points) - len(points)
    more = f"{counted(hidden, 'more statement')}: --full and the JSON." if hidden else ""
    unusual = bullet_list(found.unexpected)
    cautions = f"Not expected from recorded hosts\n{unusual}" if unusual else ""
    joints = [" ".join(joint.sentences) for joint in found.joints]
    parts = [found.along, lead or _nearest_lead(found), *joints, around, more, cautions]
    return "\n\n".join(part for part in parts if part)


def _nearest_lead(found: Surroundings) -> str:
    """Return which entities are nearest, where the question names none."""
    if not found.seeds[0].nearest:
        return ""
    near = f"the nearest entities are {found.names}"
    return f"The question names nothing that the index knows; {near}."


_TESTS: Final = f"""
SELECT {ASSOCIATION_COLUMNS} FROM ({WITH_COMBINED})
WHERE family IN (SELECT family FROM detection d WHERE {{own}}) AND q_value <= 0.05
  AND bioproject IN (SELECT bioproject FROM run SEMI JOIN ({{runs}}) USING (run))
QUALIFY row_number() OVER (PARTITION BY bioproject, family, coalesce(split, value)
                           ORDER BY fold_change DESC, attribute, value) = 1
ORDER BY flag IS NOT NULL, q_value, abs(fold_change) DESC, bioproject, attribute, value
LIMIT $1
"""
_RESOLVED: Final = """
SELECT facet, value, index_runs FROM background
JOIN (SELECT unnest($facets::VARCHAR[]) AS facet, unnest($values::VARCHAR[]) AS value)
USING (facet, value)
"""
_UNUSUAL: Final = """
SELECT coalesce(v.label, p.virus), coalesce(h.label, p.host), p.plausibility, p.runs
FROM plausibility p LEFT JOIN used_term v ON v.curie = p.virus
LEFT JOIN used_term h ON h.curie = p.host
WHERE p.plausibility IN ('unexpected', 'new within class', 'resident')
  AND p.virus IN (SELECT taxon FROM detection d WHERE {own} UNION SELECT virus FROM detection d
                  WHERE {own})
ORDER BY p.plausibility = 'unexpected' DESC, p.runs DESC, p.virus, p.host
LIMIT $1
"""

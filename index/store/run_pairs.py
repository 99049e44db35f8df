"""Pairs of virus and host, counted run by run: the runs of a community that have each pair.

The plausibility of a pair does not depend on the pair alone: EBV is recorded in humans and lives in
lymphoblastoid lines, and an endornavirus of "mice" belongs to the worms that were sequenced. So
only runs for which it is true are counted (``run_plausibility``), never all that carry both names.
"""

from __future__ import annotations

from typing import Final

from index.store.run_values import COMMUNITY_RUNS, WEIGHED_VIRUS

_MOST_EXPECTED_FIRST: Final = (
    "recorded", "library", "resident", "new within class", "unknown", "unexpected",
)  # fmt: skip
_EXPECTED: Final = f"{list(_MOST_EXPECTED_FIRST)}::VARCHAR[]"

_EATEN: Final = "^(feces|faeces|stool|(fore|mid|hind)?gut|rumen|.*colon|.*intestine)$"
"""Tissues that contain what their host has eaten."""
FOUND_IN: Final = "coalesce(organism_name || ' (from ' || host_name || ')', host_name)"
"""SQL of what ``sequenced_from`` returns."""


def community_pairs(communities: str) -> str:
    """Return a SELECT of ``community, facet, virus_name, host, host_name, organism_name,
    plausibility, runs, metagenomes, eaten, is_recorded``: the pairs of ``communities`` (a relation
    with a column of that name), with the number of runs for each plausibility.

    ``facet`` says what ``virus_name`` is: a species, a family, or "named" for the most telling name
    of a virus. ``organism_name`` is what was sequenced, null if that is the host. If a run has
    several viruses of one name, the most expected counts: a family is unexpected in a host if all
    its viruses in the run are. Of the runs, ``metagenomes`` are labelled as such and ``eaten`` are
    of feces or gut. ``is_recorded`` says that the community has the virus in a recorded host.
    """
    return _COMMUNITY_PAIRS.format(communities=communities)


_COMMUNITY_PAIRS: Final = f"""
WITH
member AS (SELECT * FROM ({COMMUNITY_RUNS}) SEMI JOIN {{communities}} USING (community)),
detected AS (
    SELECT DISTINCT run, stated, family, {WEIGHED_VIRUS} AS virus
    FROM detection
),
named AS (
    SELECT run, 'species' AS facet, stated AS virus_name, virus FROM detected
    WHERE stated IS NOT NULL
    UNION SELECT run, 'family', family, virus FROM detected WHERE family IS NOT NULL
    UNION SELECT run, 'named', coalesce(stated, family), virus FROM detected
    WHERE coalesce(stated, family) IS NOT NULL
),
judged AS (
    SELECT n.run, n.facet, n.virus_name, p.host,
           list_extract({_EXPECTED}, min(list_position({_EXPECTED}, p.plausibility)))
               AS plausibility
    FROM named AS n JOIN run_plausibility AS p USING (run, virus)
    GROUP BY n.run, n.facet, n.virus_name, p.host
),
source AS (
    SELECT run, bool_or(facet = 'environment') AS is_metagenome,
           bool_or(facet = 'tissue' AND regexp_matches(lower(value), '{_EATEN}')) AS is_eaten
    FROM annotation SEMI JOIN run_plausibility USING (run) WHERE value IS NOT NULL GROUP BY run
),
counted AS (
    SELECT m.community, j.facet, j.virus_name, j.host, s.organism, j.plausibility,
           count(*) AS runs, count(*) FILTER (is_metagenome) AS metagenomes,
           count(*) FILTER (is_eaten) AS eaten
    FROM judged AS j JOIN member AS m USING (run) LEFT JOIN source USING (run)
    LEFT JOIN sequenced AS s ON s.run = j.run AND s.host = j.host
    GROUP BY m.community, j.facet, j.virus_name, j.host, s.organism, j.plausibility
)
SELECT c.community, c.facet, c.virus_name, c.host, coalesce(h.label, c.host) AS host_name,
       coalesce(o.label, c.organism) AS organism_name, c.plausibility, c.runs,
       c.metagenomes, c.eaten, bool_or(c.plausibility = 'recorded')
           OVER (PARTITION BY c.community, c.facet, c.virus_name) AS is_recorded
FROM counted AS c
LEFT JOIN used_term AS h ON h.curie = c.host LEFT JOIN used_term AS o ON o.curie = c.organism
"""

COMMUNITY_SEQUENCED: Final = f"""
SELECT m.community, any_value(coalesce(h.label, s.host)) AS host,
       any_value(coalesce(o.label, s.organism)) AS organism, count(*) AS runs
FROM ({COMMUNITY_RUNS}) AS m JOIN sequenced AS s USING (run)
LEFT JOIN used_term AS h ON h.curie = s.host LEFT JOIN used_term AS o ON o.curie = s.organism
GROUP BY m.community, s.host, s.organism
"""
"""SELECT of ``community, host, organism, runs``: the libraries of another organism than their
host.
"""


def mostly_other(members: str) -> str:
    """Return a SELECT of ``community, organism, host, runs, number, whole``: the runs of each
    community that are mostly of another organism than they state, by their k-mers.

    ``members`` is a SELECT of ``community, run``. ``number`` counts these runs, ``whole`` all with
    k-mer counts. What fewer than one in twenty runs show is left out.
    """
    return _MOSTLY_OTHER.format(members=members)


_MOSTLY_OTHER: Final = """
WITH held AS ({members}),
counted AS (
    SELECT community, count(DISTINCT run) AS whole FROM held SEMI JOIN stat_hit USING (run)
    GROUP BY community
),
pair AS (
    SELECT h.community, o.organism, o.host, count(DISTINCT h.run) AS runs
    FROM held AS h JOIN other_by_kmers AS o USING (run)
    GROUP BY h.community, o.organism, o.host
)
SELECT p.community, coalesce(o.label, p.organism) AS organism, coalesce(h.label, p.host) AS host,
       p.runs, sum(p.runs) OVER (PARTITION BY p.community)::BIGINT AS number, c.whole
FROM pair AS p JOIN counted AS c USING (community)
LEFT JOIN used_term AS o ON o.curie = p.organism LEFT JOIN used_term AS h ON h.curie = p.host
QUALIFY 20 * number >= c.whole
ORDER BY p.community, p.runs DESC, organism, host
"""


def far_from_known(members: str) -> str:
    """Return a SELECT of ``community, sotu, nearest, identity, runs, number, whole``: the viruses
    of each community that are below the identity of a species to every reference, most runs first.

    ``members`` is a SELECT of ``community, run``. ``number`` counts these viruses, ``whole`` the
    runs that have any.
    """
    return _FAR_FROM_KNOWN.format(members=members)


_FAR_FROM_KNOWN: Final = """
WITH far AS (
    SELECT sotu, coalesce(nearest, family, phylum) AS nearest, identity FROM novel_virus
    WHERE identity IS NOT NULL
),
found AS (
    SELECT DISTINCT h.community, h.run, d.sotu
    FROM ({members}) AS h JOIN detection AS d USING (run) SEMI JOIN far USING (sotu)
),
counted AS (SELECT community, count(DISTINCT run) AS whole FROM found GROUP BY community)
SELECT f.community, f.sotu, any_value(n.nearest) AS nearest, any_value(n.identity) AS identity,
       count(*) AS runs, count(*) OVER (PARTITION BY f.community) AS number,
       any_value(c.whole) AS whole
FROM found AS f JOIN far AS n USING (sotu) JOIN counted AS c USING (community)
GROUP BY f.community, f.sotu
ORDER BY f.community, runs DESC, f.sotu
"""


def other_libraries(members: str, condition: str = "true") -> str:
    """Return a SELECT of ``organism, host, runs, number``: the runs of ``members`` (a SELECT of
    ``run``) whose library is of another organism than their host, most runs first.

    ``condition`` is one on ``sequenced``; ``number`` counts all of these runs. A run of several
    hosts counts once, as the pair that is most frequent.
    """
    return _OTHER_LIBRARIES.format(members=members, condition=condition)


_OTHER_LIBRARIES: Final = """
WITH other AS (
    SELECT run, host, organism, count(*) OVER (PARTITION BY host, organism) AS often
    FROM sequenced SEMI JOIN ({members}) USING (run) WHERE {condition}
),
once AS (
    FROM other QUALIFY row_number() OVER (PARTITION BY run ORDER BY often DESC, host, organism) = 1
)
SELECT coalesce(o.label, s.organism) AS organism, coalesce(h.label, s.host) AS host,
       count(*) AS runs, (SELECT count(*) FROM once) AS number
FROM once AS s
LEFT JOIN used_term AS h ON h.curie = s.host LEFT JOIN used_term AS o ON o.curie = s.organism
GROUP BY ALL ORDER BY runs DESC, organism, host
"""


def sequenced_from(host: str, organism: str | None) -> str:
    """Return what a virus was found in: the host, or the organism that was sequenced from it.

    >>> sequenced_from("Mus musculus", "Schistosoma mansoni")
    'Schistosoma mansoni (from Mus musculus)'
    """
    return host if organism is None else f"{organism} (from {host})"

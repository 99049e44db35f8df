"""What the index predicts: viruses like one, hosts of a virus, viruses of a host."""

from __future__ import annotations

from typing import Final

from query.compiler.parameters import Parameters
from query.compiler.result import Result, ResultColumn
from query.compiler.statement import RunningRequest
from query.request.fields import field_named
from query.request.measures import Like, Predicted

_LIKE_COLUMNS: Final = (
    ResultColumn("virus"),
    ResultColumn("id"),
    ResultColumn("family"),
    ResultColumn("studies", "studies", "studies and hosts of theirs that it is found in"),
    ResultColumn("similarity", "", "cosine of learned vectors; a prediction"),
    ResultColumn("neighbourhood"),
)
_PAIR_COLUMNS: Final = (
    ResultColumn("virus"),
    ResultColumn("virus_id"),
    ResultColumn("host"),
    ResultColumn("host_id"),
    ResultColumn("probability", "", "that a study of the host that searches for it finds it"),
    ResultColumn("score", "", "cosine of learned vectors"),
    ResultColumn("searched", "studies", "studies of the host that searched, and found none"),
)


def like(asked: RunningRequest, measure: Like) -> Result:
    """Return the viruses whose vectors are nearest to that of a virus, or to the mean of several.

    There are none if the virus has no vector: nothing says what it is found with. Raises
    ``UnknownNameError`` and ``AmbiguousNameError``.
    """
    parameters = Parameters()
    own = _virus_condition(asked, measure.virus, parameters)
    text = _LIKE.format(own=own, limit=parameters.bind(measure.limit))
    return asked.listed(text, parameters, _LIKE_COLUMNS, further=_FURTHER)


def predicted(asked: RunningRequest, measure: Predicted) -> Result:
    """Return the pairs that are predicted of a virus or of a host; raises as ``like``."""
    parameters = Parameters()
    if measure.virus is not None:
        condition = _virus_condition(asked, measure.virus, parameters)
    else:
        hosts = asked.names.terms(field_named("host"), (str(measure.host),))
        condition = _OF_HOSTS.format(below=parameters.bind(list(hosts)))
    text = _PREDICTED.format(condition=condition, limit=parameters.bind(measure.limit))
    return asked.listed(text, parameters, _PAIR_COLUMNS, further=_FURTHER)


def _virus_condition(asked: RunningRequest, name: str, parameters: Parameters) -> str:
    """Return the condition on ``virus`` that it is the sOTU ``name``, or the species of the taxon
    called so, or below it.
    """
    row = asked.con.execute(_SOTU, [name]).fetchone()
    if row is not None:
        return f"virus = {parameters.bind(str(row[0]))}"
    return _OF_TAXA.format(taxa=parameters.bind(list(asked.names.viruses((name,)).curies)))


_FURTHER: Final = "further predictions"
_SOTU: Final = "SELECT virus FROM virus_vector WHERE lower(virus) = lower($1)"
_OF_TAXA: Final = """virus IN (
    SELECT descendant FROM closure WHERE list_contains({taxa}::VARCHAR[], ancestor)
    UNION SELECT ancestor FROM closure WHERE list_contains({taxa}::VARCHAR[], descendant))"""
_OF_HOSTS: Final = """host IN (
    SELECT descendant FROM closure WHERE list_contains({below}::VARCHAR[], ancestor))"""
_LIKE: Final = """
WITH number AS (
    SELECT unnest(vector::FLOAT[]) AS value, generate_subscripts(vector::FLOAT[], 1) AS place
    FROM virus_vector WHERE {own}
),
centre AS (
    SELECT list(value ORDER BY place) AS vector
    FROM (SELECT place, avg(value) AS value FROM number GROUP BY place)
),
near AS (
    SELECT v.name, v.virus, v.family, v.studies,
           round(list_cosine_similarity(v.vector::DOUBLE[], c.vector), 4) AS similarity,
           v.neighbourhood
    FROM virus_vector AS v, centre AS c WHERE c.vector IS NOT NULL AND NOT ({own})
)
SELECT *, count(*) OVER () AS total FROM near ORDER BY similarity DESC, virus LIMIT {limit}
"""
_PREDICTED: Final = """
SELECT v.name, p.virus, coalesce(t.label, p.host) AS host, p.host AS host_id, p.probability,
       p.score, p.searched, count(*) OVER () AS total
FROM (FROM predicted_pair WHERE {condition}) AS p JOIN virus_vector AS v USING (virus)
LEFT JOIN used_term AS t ON t.curie = p.host
ORDER BY p.probability DESC, p.score DESC, p.virus, p.host LIMIT {limit}
"""

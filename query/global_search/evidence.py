"""What is shown beside an answer: the associations of its families in the projects of its runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from index.reports.phrases import counted, listed, q_text
from query.answer import Association, Combined, Point
from query.global_search.matched_runs import MatchedRuns
from query.reading.mentions import Mention


def strongest_associations(
    evidence: Sequence[Association], families: Sequence[str], *, anywhere: bool = False
) -> str:
    """Return the associations that hold, the strongest first, in a sentence; else that none does.

    ``evidence`` has those that hold first and may be cut off, so what is counted of it is "at
    least". ``anywhere``: of all projects, and not of those of some runs only.
    """
    about = f" with {listed(list(families)[:3])}" if families else ""
    holding = [one for one in evidence if one.significant]
    sound = [one for one in holding if not one.flag] or holding
    if not sound:
        where = "any project" if anywhere else "the projects of these runs"
        return f"No association{about} holds after correction in {where}."
    ranked = sorted(sound, key=lambda one: (one.q_value or 0.0, -abs(one.fold_change or 0.0)))
    shown = [_held(one) for one in ranked[:3]]
    others = len(holding) - len(shown)
    more = f" At least {others:,} more hold." if others else ""
    return f"Strongest associations that hold: {'; '.join(shown)}.{more}"


def most_associated(matched: MatchedRuns) -> str:
    """Return how many associations of the index hold, and of which families and projects most."""
    ((holding, tested),) = matched.rows(_HOLDING)
    if not holding:
        return f"No association holds after correction; {counted(int(tested), 'test')} did not."
    sentences = [f"{holding:,} of the {tested:,} associations of the index hold after correction."]
    for column, title in (("family", "Virus families"), ("bioproject", "Projects")):
        most = matched.rows(_MOST.format(column=column))
        named = listed([f"{name} ({rows:,})" for name, rows, _ in most])
        of_how_many = f", {len(most)} of {most[0][2]:,}" if most[0][2] > len(most) else ""
        sentences.append(f"{title} with most that hold{of_how_many}: {named}.")
    return " ".join(sentences)


def _held(one: Association) -> str:
    change = ""
    if one.fold_change is not None:
        change = f", log2 fold change {one.fold_change:+.1f}"
    flag = ""
    if one.flag:
        flag = f" [{one.flag}]"
    chance = q_text(one.q_value or 0.0)
    tested = f"{one.family} with {one.attribute} = {one.value} in {one.bioproject}"
    return f"{tested} ({chance}{change}){flag}"


def related_associations(
    matched: MatchedRuns, points: Sequence[Point], families: Sequence[str], *, limit: int
) -> tuple[Association, ...]:
    """Return the associations of ``families`` in the projects of the matching runs of the cited
    communities.

    Significant and unflagged ones come first, then significant but flagged ones, then one row of
    each effect that holds only when combined over projects; others only where none is significant.
    Per project and family one row is shown of all that compare the same groups: the two sides of a
    split, attributes that duplicate one another, and an imported row beside the computed one.
    """
    communities = sorted({point.community for point in points})
    if not communities or not families:
        return ()
    matched.join_communities()
    parameters = {"communities": communities, "families": list(families), "limit": limit}
    return _read(matched.rows(_RELATED, parameters))


def associations_of(
    matched: MatchedRuns, families: Sequence[str], *, limit: int
) -> tuple[Association, ...]:
    """Return the associations of ``families`` in every project, in the order of
    ``related_associations``.
    """
    if not families:
        return ()
    return _read(matched.rows(_ANYWHERE, {"families": list(families), "limit": limit}))


def associations_naming(
    matched: MatchedRuns, families: Sequence[str], named: Sequence[Mention]
) -> tuple[Association, ...]:
    """Return the associations of ``families`` in every project whose value, or its term, is one of
    ``named``; those of the smallest q first.
    """
    values = [word.lower() for one in named for word in (one.text, one.label)]
    curies = [curie for one in named for curie in one.curies]
    parameters = {"families": list(families), "values": values, "curies": curies}
    return _read(matched.rows(_NAMING, parameters))


def describe_naming(matched: MatchedRuns, families: Sequence[str], named: Sequence[Mention]) -> str:
    """Return in a sentence what holds of the associations of ``families`` that name a value, else
    of how many tests none does.
    """
    found = associations_naming(matched, families, named)
    if any(one.significant for one in found):
        return strongest_associations(found, families, anywhere=True)
    about = listed(list(families)[:3])
    values = listed([one.label for one in named])
    if found:
        tests = counted(len(found), "test")
        projects = counted(len({one.bioproject for one in found}), "project")
        return (
            f"No association of {about} with {values} holds after correction: "
            f"{tests} in {projects} did not."
        )
    ((tested, all_projects),) = matched.rows(_TESTED, {"families": list(families)})
    tests = counted(int(tested), "association")
    projects = counted(int(all_projects), "project")
    return f"Of {tests} tested for {about} in {projects}, none names {values}."


def _read(rows: Sequence[Sequence[Any]]) -> tuple[Association, ...]:
    related = []
    for row in rows:
        association = read_association(row)
        held_in = tuple(row[-1])
        related.append(replace(association, communities=held_in))
    return tuple(related)


def read_association(row: Sequence[Any]) -> Association:
    """Return the association of a row of ``ASSOCIATION_COLUMNS``, whatever follows them."""
    combined = row[12:19]
    association = Association(*row[:12])
    if combined[0] is None:
        return association
    over_projects = Combined(*combined)
    return replace(association, combined=over_projects)


ASSOCIATION_COLUMNS: Final = """
bioproject, family, attribute, value, num_true, num_false, fold_change, test, p_value, q_value,
    flag, source,
m_projects, m_agreeing, m_effect, m_ci_low, m_ci_high, m_i_squared, m_q_value
"""
"""Columns of ``WITH_COMBINED`` that ``read_association`` reads."""
_COMBINED: Final = """
SELECT a.*, m.projects AS m_projects, m.projects_agreeing AS m_agreeing, m.effect AS m_effect,
    m.ci_low AS m_ci_low,
       m.ci_high AS m_ci_high, m.i_squared AS m_i_squared, m.q_value AS m_q_value
FROM {associations} a LEFT JOIN meta_association m USING (family, attribute, curie)
"""
WITH_COMBINED: Final = _COMBINED.format(associations="association")
"""Associations with the effect of their family and term over projects; an imported row has none."""

_COMPARED: Final = """
    bioproject, family, least(num_true, num_false), greatest(num_true, num_false),
    coalesce(round(abs(fold_change), 3)::VARCHAR, split, attribute || value)
"""
"""What rows that compare the same groups of a project have in common."""
_PROJECTS: Final = """
    SELECT r.bioproject, list(DISTINCT m.community ORDER BY m.community) AS communities
    FROM member m JOIN run r USING (run)
    WHERE m.community IN (SELECT unnest($communities::VARCHAR[]))
    GROUP BY r.bioproject
"""
"""SELECT of the projects of the matching runs of communities, with these communities."""
_EVERY_PROJECT: Final = """
    SELECT DISTINCT bioproject, []::VARCHAR[] AS communities FROM association
"""
_SHOWN: Final = _COMBINED.format(
    associations="(FROM association SEMI JOIN shown ON number = association.rowid)"
)
_HELD: Final = f"""
WITH
project AS MATERIALIZED ({{projects}}),
shown AS MATERIALIZED (
    SELECT number FROM (
        SELECT rowid AS number, * FROM association SEMI JOIN project USING (bioproject)
        WHERE lower(family) IN (SELECT lower(unnest($families::VARCHAR[])))
    )
    QUALIFY row_number() OVER (
        PARTITION BY {_COMPARED}
        ORDER BY contains(coalesce(flag, ''), 'duplicate'), flag IS NOT NULL,
            source <> 'computed', fold_change < 0,
                 len(value), attribute, value
    ) = 1
),
related AS (
    SELECT a.*, p.communities, coalesce(a.q_value <= 0.05, false) AS significant
    FROM ({_SHOWN}) a JOIN project p USING (bioproject)
),
held AS (
    SELECT *, NOT significant AND m_q_value <= 0.05 AND row_number() OVER (
        PARTITION BY family, attribute, curie ORDER BY NOT significant, p_value NULLS LAST,
            bioproject, value
    ) = 1 AS held_by_all
    FROM related
)
SELECT {ASSOCIATION_COLUMNS}, communities
FROM held
WHERE significant OR held_by_all OR NOT (SELECT coalesce(bool_or(significant OR held_by_all),
    false) FROM held)
ORDER BY NOT significant, NOT coalesce(held_by_all, false), flag IS NOT NULL, q_value NULLS LAST,
    p_value,
         abs(fold_change) DESC NULLS LAST, bioproject, family, attribute, value
LIMIT CASE WHEN (SELECT bool_or(significant OR held_by_all) FROM held) THEN $limit
    ELSE least($limit, 3) END
"""
_NAMING: Final = f"""
SELECT {ASSOCIATION_COLUMNS}, []::VARCHAR[] FROM ({WITH_COMBINED})
WHERE lower(family) IN (SELECT lower(unnest($families::VARCHAR[])))
    AND (list_contains($values::VARCHAR[], lower(value))
        OR list_contains($curies::VARCHAR[], curie))
ORDER BY q_value NULLS LAST, flag IS NOT NULL, bioproject, attribute, value
"""
_TESTED: Final = """
SELECT count(*), count(DISTINCT bioproject) FROM association
WHERE lower(family) IN (SELECT lower(unnest($families::VARCHAR[])))
"""
_TESTS: Final = f"""
    SELECT * FROM association WHERE q_value IS NOT NULL
    QUALIFY row_number() OVER (
        PARTITION BY {_COMPARED}
        ORDER BY q_value, contains(coalesce(flag, ''), 'duplicate'), attribute, value
    ) = 1
"""
"""Associations, one row of all that compare the same groups."""
_HOLDING: Final = f"SELECT count(*) FILTER (q_value <= 0.05), count(*) FROM ({_TESTS})"
_MOST: Final = f"""
SELECT {{column}}, count(*) AS held, count(*) OVER () FROM ({_TESTS}) WHERE q_value <= 0.05
GROUP BY {{column}} ORDER BY held DESC, {{column}} LIMIT 5
"""
_RELATED: Final = _HELD.format(projects=_PROJECTS)
_ANYWHERE: Final = _HELD.format(projects=_EVERY_PROJECT)

"""Remove what a model may not see from the texts that it reads.

A line about such a virus is left out, and counted by risk group. A report or a community is
withheld as a whole only if its title or its leading sentences are about one. The names are those of
viruses in every group that the policy hides, and sOTUs that belong only to these. A name does not
count if a virus that may be seen has it, too. A genus or family counts only if none of its members
in the index may be seen.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from index.checking.sentences import split_sentences
from index.claims.phrases import listed
from index.exposure import GROUPS
from index.models.gated import WithheldNames, gate_names
from index.reports.citations import strip_references
from index.store.same_for_all import same_for_each

if TYPE_CHECKING:
    import duckdb

    from index.exposure import RiskPolicy

_ITSELF: Final = "This community "
"""Beginning of sentences about a community and no virus; the first other one says what its report
is about."""
_SHORTEST: Final = 5
"""Shortest name of an agent of unknown group, in letters; shorter names mean too many other things.
"""
_CLAUSE: Final = re.compile(r"; (?![^()]*\))")
_ITEM: Final = re.compile(r"(?<=\)), |(?<=\)) and ")
_OF_THE_SAME: Final = re.compile(
    r"(?:[\d,]+ of the|All of the|Both) runs |Of (?:the|these) |The run|It |Its source "
    r"|For (?:all|both|the|[\d,]+) |Coverage in |Most of its |Such different hosts "
    r"|So many sources |Samples of |(?:One|Some) of these organisms |Over a million "
)
"""Beginnings of sentences about the virus of the sentence before."""


@same_for_each
def unseen_names(
    con: duckdb.DuckDBPyConnection, policy: RiskPolicy, *, local: bool
) -> WithheldNames:
    """Return names of viruses and sOTUs that a model here (``local``) or elsewhere may not see."""
    groups = list(policy.shown(local=local))
    if len(groups) == len(GROUPS):
        return WithheldNames()
    never = gate_names(con, policy, local=local)
    rows = con.execute(_UNSEEN, {"groups": groups, "shortest": _SHORTEST}).fetchall()
    names = never.besides(dict(rows))
    codes = hidden_codes(con, groups, names)
    sotus = {code: group for code, group in codes.items() if ":" not in code}
    return names.besides(sotus)


def hidden_codes(
    con: duckdb.DuckDBPyConnection, groups: Sequence[str], names: WithheldNames
) -> dict[str, str]:
    """Return CURIEs of the viruses that may not be named, and sOTUs of these only, with their risk
    groups. ``groups`` are those that may be seen.
    """
    rows = con.execute(_RATED, {"groups": list(groups)}).fetchall()
    hidden = {virus: group for virus, name, group in rows if names.found_in(name)}
    sotus = con.execute(_SOTUS, [list(hidden)]).fetchall()
    return hidden | {sotu: hidden[virus] for sotu, virus in sotus}


def shown_lines(lines: Iterable[str], names: WithheldNames) -> tuple[tuple[str, ...], Counter[str]]:
    """Return ``lines`` without what is about ``names``, and the number of shortened lines by risk
    group.

    >>> names = WithheldNames({"Lassa virus": "RG4"})
    >>> lines = ["EBV is found in 5 runs; next comes Lassa virus.", "Lassa virus is in Mali."]
    >>> shown_lines(lines, names)
    (('EBV is found in 5 runs.',), Counter({'RG4': 2}))
    """
    shown: list[str] = []
    withheld: Counter[str] = Counter()
    group_before = ""
    for line in lines:
        found = names.found_in(line)
        if found is None and group_before and _OF_THE_SAME.match(line):
            withheld[group_before] += 1
            continue
        if found is None:
            group_before = ""
            shown.append(line)
            continue
        withheld[found[1]] += 1
        rest = _without(line, names)
        group_before = "" if rest else found[1]
        shown += [rest] if rest else []
    return tuple(shown), withheld


def group_of_report(title: str, summary: str, names: WithheldNames) -> str | None:
    """Return the risk group for which a report is withheld as a whole; None where it is not."""
    sentences = split_sentences(strip_references(summary))
    lead = [sentence for sentence in sentences if not sentence.startswith(_ITSELF)][:1]
    return group_of_lead(title, lead, names)


def group_of_lead(title: str, lead: Sequence[str], names: WithheldNames) -> str | None:
    """Return the risk group of what ``title`` or a sentence of ``lead`` is about; None where that
    may be seen. A sentence is not about everything that it mentions.
    """
    named = names.found_in(title)
    found = [named[1]] if named else []
    for sentence in lead:
        about = names.found_in(sentence)
        if about is not None and not _without(sentence, names):
            found.append(about[1])
    return max(found, key=GROUPS.index, default=None)


def _without(line: str, names: WithheldNames) -> str:
    """Return ``line`` without clauses and items that hold a name; "" if it begins with one."""
    clauses = [_clause_without(clause, names) for clause in _CLAUSE.split(line.rstrip("."))]
    if not clauses[0]:
        return ""
    rest = f"{'; '.join(clause for clause in clauses if clause)}."
    return "" if names.found_in(rest) else rest


def _clause_without(clause: str, names: WithheldNames) -> str:
    """Return ``clause`` without items that hold a name; "" if other parts of it do."""
    if names.found_in(clause) is None:
        return clause
    head, colon, items = clause.partition(": ")
    shown = [item for item in _ITEM.split(items) if item and names.found_in(item) is None]
    if not shown or names.found_in(head) is not None:
        return ""
    return f"{head}{colon}{listed(shown)}"


_UNSEEN: Final = """
WITH rated AS (
    SELECT v.*, coalesce(r.risk_group, 'unknown') AS risk_group,
           list_contains($groups, coalesce(r.risk_group, 'unknown')) AS seen
    FROM virus v LEFT JOIN virus_risk r USING (virus)
),
ranks AS (
    SELECT unnest([genus, family, "order", phylum, realm]) AS name, risk_group, seen FROM rated
),
higher AS (
    SELECT name, max(risk_group) AS risk_group, bool_or(seen) AS seen
    FROM ranks WHERE name IS NOT NULL GROUP BY name
),
-- A name that a virus which may be seen has, too, is no name of the other alone.
named AS (
    SELECT n.name, r.risk_group, r.seen
    FROM rated r JOIN (SELECT virus, name FROM virus_name UNION SELECT virus, name FROM virus) n
        USING (virus)
    WHERE r.species IS NOT NULL
    UNION SELECT d.reported_name, coalesce(r.risk_group, 'unknown'), coalesce(r.seen, false)
    FROM detection d LEFT JOIN rated r USING (virus) WHERE d.reported_name IS NOT NULL
    UNION SELECT name, risk_group, seen FROM higher
)
SELECT name, max(risk_group) AS risk_group FROM named
WHERE length(name) >= $shortest GROUP BY name HAVING NOT bool_or(seen) ORDER BY name
"""
_RATED: Final = """
SELECT v.virus, v.name, coalesce(r.risk_group, 'unknown') AS risk_group
FROM virus v LEFT JOIN virus_risk r USING (virus)
WHERE NOT list_contains($groups, coalesce(r.risk_group, 'unknown'))
"""
_SOTUS: Final = """
SELECT sotu, max(virus) FROM detection WHERE sotu IS NOT NULL
GROUP BY sotu HAVING bool_and(coalesce(list_contains($1::VARCHAR[], virus), false))
"""

"""What the build measured of the communities and of the graph: how many, how well cut, how stable,
what changed, how many are without a report, how many edges of each kind.
"""

from __future__ import annotations

from typing import Final

from index.reports.phrases import counted, listed, percent
from query.global_search.matched_runs import MatchedRuns

_NOT_MEASURED: Final = "This build did not measure its communities."
_CHANGES: Final = {
    "same": "the same runs as before",
    "changed": "some runs changed",
    "split": "split off",
    "merged": "merged",
    "new": "new",
    "gone": "gone",
}
"""Kind of change -> what it says of communities, in this order."""


def count_communities(matched: MatchedRuns) -> str:
    """Return how many communities each level has, and how many of them a report."""
    ((distinct,),) = matched.rows("SELECT count(*) FROM distinct_community WHERE runs > 1")
    ((reports,),) = matched.rows("SELECT count(*) FROM report")
    rows = matched.rows(_PER_LEVEL)
    levels = [
        f"level {level}: {counted(int(whole), 'community', 'communities')}, {int(single):,} of a "
        f"single run, {int(reported):,} with a report"
        for level, whole, single, reported in rows
    ]
    return (
        f"The hierarchy has {counted(len(rows), 'level')}, 0 the coarsest; each run is in one "
        f"community of each: {'; '.join(levels)}. Without those of a single run, and a community "
        f"that a level repeats counted once, they are {distinct:,}; {reports:,} have a report."
    )


def describe_unreported(matched: MatchedRuns) -> str:
    """Return how many runs are in communities without a report on each level."""
    rows = matched.rows(_UNREPORTED)
    levels = []
    for level, runs, whole, communities in rows:
        share = percent(int(runs) / int(whole)) if whole else "0%"
        without = counted(int(communities), "community", "communities")
        levels.append(f"level {level}: {runs:,} of {whole:,} runs ({share}), in {without}")
    return (
        f"Runs in communities without a report (of fewer than two runs, or not reported): "
        f"{'; '.join(levels)}. All other runs are in communities with one."
    )


def describe_quality(matched: MatchedRuns) -> str:
    """Return how well each level cuts the graph, then how far it is found again."""
    entries = _entries(matched)
    return f"{_cuts(entries)} {_stability(entries)}" if entries else _NOT_MEASURED


def describe_stability(matched: MatchedRuns) -> str:
    """Return how far the communities are found again, then how well they cut the graph."""
    entries = _entries(matched)
    return f"{_stability(entries)} {_cuts(entries)}" if entries else _NOT_MEASURED


def _entries(matched: MatchedRuns) -> dict[str, str]:
    """Return what the build measured of the communities."""
    return {str(key): str(value) for key, value in matched.rows(_MEASURED)}


def _cuts(entries: dict[str, str]) -> str:
    """Return how well each level cuts the graph."""
    levels = sorted({key.split(".")[1] for key in entries if key.startswith("quality.")})
    cuts = []
    for level in levels:
        modularity = entries.get(f"quality.{level}.modularity", "not measured")
        cut = entries.get(f"quality.{level}.conductance, median", "not measured")
        cuts.append(f"level {level} {modularity} (median conductance {cut})")
    return (
        f"Modularity, of the graph at resolution 1: {listed(cuts)}; it is of a whole level, and "
        "not of one community."
    )


def _stability(entries: dict[str, str]) -> str:
    """Return how well level 1 agrees with itself where it is clustered again."""
    tests = []
    for key, value in entries.items():
        if key.startswith("stability.") and key.endswith(".ari"):
            test = key.removeprefix("stability.").removesuffix(".ari")
            tests.append(f"{value} with {test}")
    if not tests:
        return "How stable they are was not measured in this build."
    return (
        "Stability, as the adjusted Rand index of level 1 with itself clustered again (1 is the "
        f"same, 0 is chance): {listed(tests)}; of single communities none is measured."
    )


def describe_changes(matched: MatchedRuns) -> str:
    """Return how the communities of each level differ from those of the index before."""
    found: dict[str, dict[str, int]] = {}
    for key, value in matched.rows(_CHANGED):
        _, level, change = str(key).split(".")
        found.setdefault(level, {})[change] = int(value)
    if not found:
        return "This index was built with none before it, so that no community has changed."
    levels = []
    for level, changes in sorted(found.items()):
        counts = [
            f"{changes[kind]:,} {words}" for kind, words in _CHANGES.items() if changes.get(kind)
        ]
        levels.append(f"level {level}: {listed(counts)}")
    return f"Communities against those of the index before: {'; '.join(levels)}."


def describe_graph(matched: MatchedRuns) -> str:
    """Return how many edges and nodes the graph has, by kind."""
    edges = matched.rows(_EDGES)
    nodes = matched.rows(_NODES)
    kinds = listed([f"{predicate} ({number:,})" for predicate, number in edges])
    entities = listed([f"{kind} ({number:,})" for kind, number in nodes])
    all_edges = sum(int(number) for _, number in edges)
    all_nodes = sum(int(number) for _, number in nodes)
    size = f"{counted(all_edges, 'edge')} between {counted(all_nodes, 'node')}"
    return f"The graph has {size}. Edges by kind: {kinds}. Nodes by kind: {entities}."


_PER_LEVEL: Final = """
SELECT level, count(*), count(*) FILTER (runs = 1), count(r.community)
FROM community LEFT JOIN report r USING (community) GROUP BY level ORDER BY level
"""
_UNREPORTED: Final = """
SELECT level, runs - runs_reported, runs, communities - reports FROM coverage ORDER BY level
"""
_MEASURED: Final = """
SELECT key, value FROM build WHERE key LIKE 'quality.%' OR key LIKE 'stability.%' ORDER BY key
"""
_CHANGED: Final = "SELECT key, value FROM build WHERE key LIKE 'communities.%.%' ORDER BY key"
_EDGES: Final = """
SELECT predicate, count(*) AS edges FROM relationship GROUP BY predicate
ORDER BY edges DESC, predicate
"""
_NODES: Final = "SELECT kind, count(*) AS nodes FROM entity GROUP BY kind ORDER BY nodes DESC, kind"

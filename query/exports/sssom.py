"""Every grounding of the index as SSSOM, the Simple Standard for Sharing Ontological Mappings.

One row per text, attribute and term: the subject is the text as written (an RDF literal), the
object the term that it was grounded to, the justification the method, the confidence the score. A
text that is a name of its term matches it exactly, a related name closely; a text that says more
("lung, left lobe") is narrower. https://mapping-commons.github.io/sssom/
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Final

import duckdb

from index.claims.phrases import counted
from index.store.read import CONTRACT_VERSION
from index.store.whole_file import whole_file
from ontology_etl.curies import ontology_of
from query.exports.donors import MAY_IDENTIFY

FILE: Final = "groundings.sssom.tsv"
PREFIXES: Final = {
    "BTO": "http://purl.obolibrary.org/obo/BTO_",
    "DOID": "http://purl.obolibrary.org/obo/DOID_",
    "NCBITaxon": "http://purl.obolibrary.org/obo/NCBITaxon_",
    "UBERON": "http://purl.obolibrary.org/obo/UBERON_",
    "semapv": "https://w3id.org/semapv/vocab/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
}
SLOTS: Final = (
    "subject_label", "subject_type", "predicate_id", "object_id", "object_label",
    "mapping_justification", "object_source", "object_source_version", "mapping_tool",
    "confidence", "match_string", "comment",
)  # fmt: skip
_SAYS_MORE: Final = "skos:broadMatch"
_MATCHES: Final = {
    "EXACT": "skos:exactMatch",
    "RELATED": "skos:closeMatch",
    "BROAD": "skos:narrowMatch",
    "NARROW": "skos:broadMatch",
}
"""Scope of the name that a text is -> its match with the term: a broader name, a narrower term."""
_LEXICAL: Final = "semapv:LexicalMatching"
JUSTIFICATIONS: Final = {"context": "semapv:LogicalReasoning"}
"""Method of a grounding -> how SSSOM calls it; all others are by names."""


def export_sssom(
    con: duckdb.DuckDBPyConnection, folder: Path, *, donors: bool = False
) -> tuple[Path, int]:
    """Write all groundings of texts to ``folder``; return the file and its rows.

    Attributes that may identify ``donors`` are left out by default. Raises ``OSError`` where
    the file cannot be written.
    """
    condition = "true" if donors else f"NOT {MAY_IDENTIFY}"
    versions = dict(con.execute("SELECT ontology, version FROM ontology_release").fetchall())
    rows = con.execute(_GROUNDINGS.format(kept=condition)).fetchall()
    path = folder / FILE
    with whole_file(path) as working, working.open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"#{line}\n" for line in _metadata(con))
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(SLOTS)
        writer.writerows(_mapping(row, versions) for row in rows)
    return path, len(rows)


def _metadata(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the head of the file, YAML."""
    noted = dict(con.execute("SELECT key, value FROM build").fetchall())
    published = noted.get("run_at.published", "")[:10]
    content = noted.get("content_hash", "unknown")
    lines = ["curie_map:", *(f"  {name}: {url}" for name, url in PREFIXES.items())]
    return [
        *lines,
        f"mapping_set_id: urn:virome-graphrag:groundings:{content}",
        "mapping_set_title: Groundings of sample metadata of sequencing runs",
        f"mapping_set_version: {json.dumps(f'{CONTRACT_VERSION}-{content[:12]}')}",
        "license: https://w3id.org/sssom/license/unspecified",
        *([f"mapping_date: {json.dumps(published)}"] if published else []),
    ]


def _mapping(row: tuple[object, ...], versions: dict[str, str]) -> list[object]:
    text, curie, label, facet, attribute, method, score, runs, name_scope = row
    ontology = ontology_of(str(curie))
    return [
        text,
        "rdfs literal",
        _MATCHES.get(str(name_scope), _SAYS_MORE),
        curie,
        label,
        JUSTIFICATIONS.get(str(method), _LEXICAL),
        PREFIXES.get(ontology, ontology),
        versions.get(ontology, ""),
        "virome-graphrag",
        "" if score is None else f"{score:g}",
        "" if name_scope is None else text,
        f"{facet} by attribute {attribute}, method {method}: {counted(int(str(runs)), 'run')}",
    ]


_GROUNDINGS: Final = """
WITH written AS (
    SELECT text, curie, facet, attribute, method, max(score) AS score, count(DISTINCT run) AS runs
    FROM annotation
    WHERE curie IS NOT NULL AND text IS NOT NULL AND method <> 'stat' AND {kept}
    GROUP BY ALL
    UNION ALL
    SELECT reported_name, virus, 'virus', 'detection of ' || source, 'name', NULL,
           count(DISTINCT run)
    FROM detection WHERE reported_name IS NOT NULL AND virus IS NOT NULL GROUP BY ALL
),
named AS (
    SELECT curie, lower(label) AS name, 'EXACT' AS scope FROM term
    UNION ALL SELECT curie, lower(synonym), replace(scope, 'LABEL', 'EXACT') FROM synonym
    UNION ALL SELECT virus, lower(name), 'EXACT' FROM virus_name
),
scoped AS (
    SELECT curie, name,
           arg_min(scope, list_position(['EXACT', 'NARROW', 'BROAD', 'RELATED'], scope)) AS scope
    FROM named SEMI JOIN written USING (curie) GROUP BY ALL
)
SELECT w.text, w.curie, t.label, w.facet, w.attribute, w.method, w.score, w.runs,
       n.scope
FROM written w JOIN term t USING (curie)
LEFT JOIN scoped n
    ON n.curie = w.curie AND n.name = lower(trim(w.text))
ORDER BY w.facet, w.text, w.curie, w.attribute, w.method
"""

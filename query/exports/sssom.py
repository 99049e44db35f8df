"""Every grounding of the index as SSSOM, the Simple Standard for Sharing Ontological Mappings.

One row per text, attribute and term: the subject is what was written (an RDF literal), the object
the term that it was grounded to, with the method as justification and the score as confidence.
A text that is a name of its term matches it exactly; one that says more ("lung, left lobe") is
narrower. https://mapping-commons.github.io/sssom/
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Final

import duckdb

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
_LEXICAL: Final = "semapv:LexicalMatching"
_JUSTIFICATIONS: Final = {
    "vector": "semapv:SemanticSimilarityThresholdMatching",
    "context": "semapv:LogicalReasoning",
}
"""Method of a grounding -> how SSSOM calls it; all others are by names."""


def export_sssom(
    con: duckdb.DuckDBPyConnection, folder: Path, *, donors: bool = False
) -> tuple[Path, int]:
    """Write all groundings of texts to ``folder``; return the file and its rows.

    Attributes that may identify ``donors`` are left out unless asked for. Raises ``OSError`` where
    the file cannot be written.
    """
    kept = "true" if donors else f"NOT {MAY_IDENTIFY}"
    versions = dict(con.execute("SELECT ontology, version FROM ontology_release").fetchall())
    rows = con.execute(_GROUNDINGS.format(kept=kept)).fetchall()
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
    text, curie, label, facet, attribute, method, score, runs, is_name = row
    ontology = ontology_of(str(curie))
    return [
        text,
        "rdfs literal",
        "skos:exactMatch" if is_name else "skos:broadMatch",
        curie,
        label,
        _JUSTIFICATIONS.get(str(method), _LEXICAL),
        PREFIXES.get(ontology, ontology),
        versions.get(ontology, ""),
        "virome-graphrag",
        "" if score is None else f"{score:g}",
        label if is_name else "",
        f"{facet} by attribute {attribute}, method {method}: {runs} runs",
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
    SELECT curie, lower(label) AS name FROM term
    UNION SELECT curie, lower(synonym) FROM synonym WHERE scope IN ('EXACT', 'LABEL')
    UNION SELECT virus, lower(name) FROM virus_name
)
SELECT w.text, w.curie, t.label, w.facet, w.attribute, w.method, w.score, w.runs,
       n.name IS NOT NULL
FROM written w JOIN term t USING (curie)
LEFT JOIN (SELECT DISTINCT curie, name FROM named SEMI JOIN written USING (curie)) n
    ON n.curie = w.curie AND n.name = lower(trim(w.text))
ORDER BY w.facet, w.text, w.curie, w.attribute, w.method
"""

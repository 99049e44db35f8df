"""The small index of queries with viruses as taxa, for requests that name them."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import duckdb

from index.store.names import hashed_names
from tests.query_index import make_index
from tests.tiny_index import mark_runs, scratch_folder

VIRUSES = """
NCBITaxon:58097  | Bat coronavirus HKU5   | NCBITaxon:11118  | Coronaviridae  | 97.0 | RG2
NCBITaxon:900002 | Bat astrovirus 1       | NCBITaxon:900001 | Astroviridae   | 80.0 | unknown
NCBITaxon:900004 | Porcine kobuvirus      | NCBITaxon:900003 | Picornaviridae |      | RG2
NCBITaxon:900006 | Human orthopneumovirus | NCBITaxon:900005 | Pneumoviridae  | 99.0 | RG2
NCBITaxon:900008 | Yellow fever virus     | NCBITaxon:900007 | Flaviviridae   | 99.0 | RG3
"""
"""Species, its name, its family, the identity of its hits, and its risk group."""
STUDY_TITLE = "Viruses of cave bats in two countries"


def make_community_index(path: Path) -> Path:
    """Copy the index to ``path`` and return that."""
    return Path(shutil.copyfile(_index(), path))


@cache
def _index() -> Path:
    """Return the index, made once for all tests of a program."""
    path = make_index(scratch_folder() / "communities.duckdb")
    with duckdb.connect(path) as con:
        for line in VIRUSES.strip().splitlines():
            parts = [part.strip() for part in line.split("|")]
            species, name, family_id, family, identity, risk_group = parts
            for curie, label, rank in ((species, name, "species"), (family_id, family, "family")):
                con.execute(_TERM, [curie, label, rank])
                con.execute(_ABOVE, [curie, curie, 0])
            con.execute(_ABOVE, [species, family_id, 1])
            con.execute(_SCOPE, [family_id])
            con.execute(_VIRUS, [species, name, name, family])
            con.execute(_RISK, [species, risk_group])
            con.execute(_HIT, [species, float(identity) if identity else None, name])
        con.execute(_UNEXPECTED)
        mark_runs(con)
        con.execute("INSERT INTO bioproject VALUES ('SYNP1', $1, NULL)", [STUDY_TITLE])
        con.register("renamed", hashed_names(con))
        con.execute("DELETE FROM name; INSERT INTO name SELECT * FROM renamed")
    return path


_TERM = """
INSERT INTO term (curie, label, ontology, rank, obsolete)
SELECT $1, $2, 'NCBITaxon', $3, false WHERE $1 NOT IN (SELECT curie FROM term)
"""
_ABOVE = """
INSERT INTO closure (descendant, ancestor, distance) SELECT $1, $2, $3
WHERE NOT EXISTS (SELECT 1 FROM closure WHERE descendant = $1 AND ancestor = $2)
"""
_SCOPE = """
INSERT INTO source_scope (source, search, virus, below) VALUES ('palm_virome', 'one', $1, true)
"""
_VIRUS = "INSERT INTO virus (virus, name, species, family) VALUES ($1, $2, $3, $4)"
_RISK = "INSERT INTO virus_risk (virus, risk_group) VALUES ($1, $2)"
_HIT = "UPDATE detection SET virus = $1, taxon = $1, identity = $2 WHERE species = $3"
_UNEXPECTED = """
INSERT INTO run_plausibility (run, virus, host, organism, plausibility)
SELECT d.run, d.virus, a.curie, a.curie, 'unexpected' FROM detection d JOIN annotation a USING (run)
WHERE a.facet = 'host' AND a.value = 'Sus scrofa'
"""

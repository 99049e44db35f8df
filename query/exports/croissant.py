"""A Croissant description of exported files: what machine-learning tools read a data set by.

The description follows Croissant 1.0 (https://mlcommons.org/croissant/1.0): a file object for each
file, and for each Parquet table a record set with its columns as fields.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import duckdb

from index.store.whole_file import write_whole
from ontology_etl.releases.download import sha256_of
from query.exports.crate import LICENCE, PROJECT

METADATA: Final = "croissant.json"
CONFORMS: Final = "http://mlcommons.org/croissant/1.0"
_TERMS: Final = (
    "citeAs column conformsTo extract field fileProperty fileObject fileSet format includes "
    "isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace "
    "samplingRate separator source subField transform equivalentProperty"
)
CONTEXT: Final[dict[str, Any]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    **{term: f"cr:{term}" for term in _TERMS.split()},
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
}
_TYPES: Final = (
    ("BOOLEAN", "sc:Boolean"), ("DATE", "sc:Date"), ("DOUBLE", "sc:Float"), ("FLOAT", "sc:Float"),
    ("BIGINT", "sc:Integer"), ("INTEGER", "sc:Integer"),
)  # fmt: skip
_FORMATS: Final = {".parquet": "application/x-parquet", ".duckdb": "application/vnd.duckdb"}
_COLUMNS: Final = """
SELECT column_name, data_type, coalesce(comment, '') FROM duckdb_columns()
WHERE table_name = $1 AND NOT internal ORDER BY column_index
"""


def write_croissant(con: duckdb.DuckDBPyConnection, folder: Path, files: Sequence[Path]) -> Path:
    """Write the description of ``files`` of ``folder`` to it; a Parquet file has the name of its
    table. Return the description. Raises ``OSError`` where a file cannot be read or written.
    """
    noted = dict(con.execute("SELECT key, value FROM build").fetchall())
    tables = [path for path in files if path.suffix == ".parquet"]
    described = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS,
        "name": PROJECT,
        "description": "Public sequencing runs with grounded metadata, the viruses found in them, "
        "communities, reports and associations.",
        "license": LICENCE,
        "version": "1.0.0",
        "datePublished": noted.get("run_at.published", "")[:10],
        "citeAs": f"{PROJECT}, index {noted.get('content_hash', '')}",
        "distribution": [_file(path) for path in files],
        "recordSet": [_record_set(con, path) for path in tables],
    }
    target = folder / METADATA
    write_whole(target, json.dumps(described, indent=2, ensure_ascii=False))
    return target


def _file(path: Path) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": path.name,
        "name": path.name,
        "contentUrl": path.name,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": _FORMATS.get(path.suffix, "application/octet-stream"),
        "sha256": sha256_of(path),
    }


def _record_set(con: duckdb.DuckDBPyConnection, path: Path) -> dict[str, Any]:
    columns = con.execute(_COLUMNS, [path.stem]).fetchall()
    return {
        "@type": "cr:RecordSet",
        "@id": path.stem,
        "name": path.stem,
        "field": [_field(path, *column) for column in columns],
    }


def _field(path: Path, name: str, data_type: str, comment: str) -> dict[str, Any]:
    matching = [known for start, known in _TYPES if data_type.startswith(start)]
    is_list = data_type.endswith("]")
    return {
        "@type": "cr:Field",
        "@id": f"{path.stem}/{name}",
        "name": name,
        "description": comment,
        "dataType": matching[0] if matching else "sc:Text",
        **({"repeated": True} if is_list else {}),
        "source": {"fileObject": {"@id": path.name}, "extract": {"column": name}},
    }

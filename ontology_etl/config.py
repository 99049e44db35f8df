"""Where each ontology comes from: official address, licence, and the release that is pinned."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from ontology_etl.curies import BTO, DOID, NCBI_TAXON


class OntologySource(BaseModel):
    """One ontology: what is fetched, or read from ``path`` where that is set."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    latest_url: str = Field(description="official address of the newest release")
    release_url: str = Field(description="official address of one release, with {release} in it")
    licence: str
    release: str | None = Field(
        None, description="pinned release as release_url spells it; null follows the newest"
    )
    sha256: str | None = Field(
        None, pattern="^[0-9a-f]{64}$", description="digest the file must have; null trusts it"
    )
    path: Path | None = Field(None, description="local file to read instead of fetching")
    optional: bool = Field(False, description="loaded only where a manifest names it")

    @property
    def url(self) -> str:
        """Address of the pinned release, or of the newest one."""
        return (
            self.latest_url
            if self.release is None
            else self.release_url.format(release=self.release)
        )


OFFICIAL: Final = (
    OntologySource(
        name=NCBI_TAXON,
        latest_url="https://ftp.ncbi.nlm.nih.gov/pub/taxonomy/new_taxdump/new_taxdump.tar.gz",
        release_url="https://ftp.ncbi.nlm.nih.gov/pub/taxonomy/taxdump_archive/new_taxdump_{release}.zip",
        licence="US public domain (NCBI)",
    ),
    OntologySource(
        name=BTO,
        latest_url="http://purl.obolibrary.org/obo/bto.obo",
        release_url="http://purl.obolibrary.org/obo/bto/releases/{release}/bto.obo",
        licence="CC BY 4.0",
    ),
    OntologySource(
        name=DOID,
        latest_url="http://purl.obolibrary.org/obo/doid.obo",
        release_url="http://purl.obolibrary.org/obo/doid/releases/{release}/doid.obo",
        licence="CC0 1.0",
    ),
    OntologySource(
        name="UBERON",
        latest_url="http://purl.obolibrary.org/obo/uberon.obo",
        release_url="http://purl.obolibrary.org/obo/uberon/releases/{release}/uberon.obo",
        licence="CC BY 3.0",
        optional=True,
    ),
)
"""Every ontology that can be read; an optional one is loaded only where a manifest names it."""


class OntologyConfig(BaseModel):
    """The ontologies an index is built on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    listed: tuple[OntologySource, ...] = tuple(one for one in OFFICIAL if not one.optional)

    def sources(self) -> tuple[OntologySource, ...]:
        """Return the sources of all ontologies, in a fixed order."""
        return self.listed

    def named(self, name: str) -> OntologySource:
        """Return the source of the ontology ``name``; raises ``KeyError`` where it is not listed."""
        return {source.name: source for source in self.listed}[name]

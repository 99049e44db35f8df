"""Where each ontology comes from: official address, licence, and the release that is pinned."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field

from ontology_etl.curies import BTO, DOID, NCBI_TAXON


class OntologySource(BaseModel):
    """One ontology: what is fetched, or read from ``path`` where that is set."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=f"^({NCBI_TAXON}|{BTO}|{DOID})$")
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

    @property
    def url(self) -> str:
        """Address of the pinned release, or of the newest one."""
        return (
            self.latest_url
            if self.release is None
            else self.release_url.format(release=self.release)
        )


class OntologyConfig(BaseModel):
    """The three ontologies an index is built on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ncbi_taxon: OntologySource = OntologySource(
        name=NCBI_TAXON,
        latest_url="https://ftp.ncbi.nlm.nih.gov/pub/taxonomy/new_taxdump/new_taxdump.tar.gz",
        release_url="https://ftp.ncbi.nlm.nih.gov/pub/taxonomy/taxdump_archive/new_taxdump_{release}.zip",
        licence="US public domain (NCBI)",
    )
    bto: OntologySource = OntologySource(
        name=BTO,
        latest_url="http://purl.obolibrary.org/obo/bto.obo",
        release_url="http://purl.obolibrary.org/obo/bto/releases/{release}/bto.obo",
        licence="CC BY 4.0",
    )
    doid: OntologySource = OntologySource(
        name=DOID,
        latest_url="http://purl.obolibrary.org/obo/doid.obo",
        release_url="http://purl.obolibrary.org/obo/doid/releases/{release}/doid.obo",
        licence="CC0 1.0",
    )

    def sources(self) -> tuple[OntologySource, ...]:
        """Return the three sources."""
        return (self.ncbi_taxon, self.bto, self.doid)

    @classmethod
    def of(cls, sources: Iterable[OntologySource]) -> Self:
        """Return the configuration of three ``sources``, in any order."""
        by_name = {source.name: source for source in sources}
        return cls(ncbi_taxon=by_name[NCBI_TAXON], bto=by_name[BTO], doid=by_name[DOID])

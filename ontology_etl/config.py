"""Where each ontology comes from: official address, licence, and the release that is pinned."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from ontology_etl.curies import BTO, DOID, ICTV, NCBI_TAXON
from ontology_etl.frozen import Frozen

THIS_MACHINE: Final = ("127.0.0.1", "localhost", "::1")
"""Hosts that may be reached without encryption."""


def _refuse_plain_http(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme != "https" and parts.hostname not in THIS_MACHINE:
        raise ValueError(f"{url} is not an https address: anybody in between could change the file")
    return url


SafeUrl = Annotated[str, AfterValidator(_refuse_plain_http)]


class OntologySource(Frozen):
    """One ontology: its release to download, or a local ``path``."""

    name: str
    latest_url: SafeUrl = Field(description="official address of the newest release")
    release_url: SafeUrl = Field(
        description="official address of one release, with {release} in it"
    )
    licence: str
    release: str | None = Field(
        None, description="pinned release as release_url spells it; null follows the newest"
    )
    sha256: str | None = Field(
        None,
        pattern="^[0-9a-f]{64}$",
        description="digest the file must have; required with a release, null trusts the newest",
    )
    path: Path | None = Field(None, description="local file to read instead of fetching")
    optional: bool = Field(False, description="loaded only where a manifest names it")

    @model_validator(mode="after")
    def _pin_content_too(self) -> Self:
        if self.release is not None and self.sha256 is None and self.path is None:
            raise ValueError(
                f"release {self.release} has no sha256: fetch {self.url} once, "
                "and write the digest that sha256sum prints next to the release"
            )
        return self

    @property
    def url(self) -> str:
        """Address of the pinned release, or of the newest release."""
        if self.release is None:
            return self.latest_url
        return self.release_url.format(release=self.release)


_NCBI: Final = "https://ftp.ncbi.nlm.nih.gov/pub/taxonomy"
_OBO: Final = "https://purl.obolibrary.org/obo"
_BTO: Final = "https://raw.githubusercontent.com/BRENDA-Enzymes/BTO"


OFFICIAL: Final = (
    OntologySource(
        name=NCBI_TAXON,
        latest_url=f"{_NCBI}/new_taxdump/new_taxdump.tar.gz",
        release_url=f"{_NCBI}/taxdump_archive/new_taxdump_{{release}}.zip",
        licence="US public domain (NCBI)",
    ),
    OntologySource(
        name=BTO,  # tissues, cell types, cell lines: Chang et al. 2021, doi:10.1093/nar/gkaa1025
        latest_url=f"{_OBO}/bto.obo",
        # the release addresses of purl.obolibrary.org lead to a page that GitHub does not have
        release_url=f"{_BTO}/{{release}}/bto.obo",
        licence="CC BY 4.0",
    ),
    OntologySource(
        name=DOID,
        latest_url=f"{_OBO}/doid.obo",
        release_url=f"{_OBO}/doid/releases/{{release}}/doid.obo",
        licence="CC0 1.0",
    ),
    OntologySource(
        name="UBERON",  # anatomy of animals: Mungall et al. 2012, doi:10.1186/gb-2012-13-1-r5
        latest_url=f"{_OBO}/uberon.obo",
        release_url=f"{_OBO}/uberon/releases/{{release}}/uberon.obo",
        licence="CC BY 3.0",
        optional=True,
    ),
    OntologySource(
        name=ICTV,
        latest_url="https://ictv.global/vmr/current",
        release_url="https://ictv.global/sites/default/files/VMR/{release}.xlsx",
        licence="CC BY 4.0",
        optional=True,
    ),
)
"""Every ontology that can be read; optional ones are loaded only if a manifest names them."""


class OntologyConfig(Frozen):
    """The ontologies an index is built on."""

    listed: tuple[OntologySource, ...] = tuple(source for source in OFFICIAL if not source.optional)
    """In a fixed order."""

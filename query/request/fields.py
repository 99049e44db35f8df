"""What can be asked about runs and about hits: every field, declared once.

The JSON Schema, the compiler, canonical English and the documentation all read this registry. A
field added here can at once be filtered by, listed, counted, averaged and sorted by.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

FieldType = Literal["term", "text", "place", "number", "date", "community"]
"""What values are: a term of an ontology, a text, a place with parts (USA: Utah), a number, ..."""
Owner = Literal["run", "hit"]
YEARS: Final = ("year", "collection_year")
"""Numbers that are listed and bounded by dates like values."""


@dataclass(frozen=True, slots=True)
class RequestField:
    """One thing that is known of a run, or of a hit (a virus detected in a run).

    ``name``     key in requests
    ``said``     English name, singular; ``plural`` of many
    ``also``     other English names that are accepted
    ``of``       whether a run has it or each of its hits
    ``column``   expression in SQL, over the columns of ``table``
    ``facet``    rows of ``annotation`` that have it; empty for other tables
    ``attributes``  attributes as submitted that have it, in lower case, blanks for punctuation
    ``unit``     unit of a number
    """

    name: str
    said: str
    plural: str
    comment: str
    of: Owner
    type: FieldType
    table: str
    column: str
    facet: str = ""
    attributes: tuple[str, ...] = ()
    unit: str = ""
    also: tuple[str, ...] = ()

    @property
    def is_number(self) -> bool:
        """Whether values are numbers, which are compared, averaged and sorted, never listed."""
        return self.type == "number"

    @property
    def is_listed(self) -> bool:
        """Whether values are listed and counted: all but numbers other than years."""
        return not self.is_number or self.name in YEARS

    @property
    def is_ordered(self) -> bool:
        """Whether values are compared with ``Between``."""
        return self.type in ("number", "date")


_annotated = partial(RequestField, of="run", type="term", table="annotation", column="value")
_of_run = partial(RequestField, of="run", type="text", table="run")
_of_hit = partial(RequestField, of="hit", type="text", table="detection")


_WRITTEN: Final = r"regexp_extract(value, '^\d{4}(?:-\d{2}){0,2}')"
_COLLECTED: Final = (
    f"try_cast({_WRITTEN} || CASE length({_WRITTEN}) "
    "WHEN 4 THEN '-01-01' WHEN 7 THEN '-01' ELSE '' END AS DATE)"
)

_SAMPLED: Final = ("collection date", "collection timestamp", "sampling date")

REGISTRY: Final = (
    _annotated("host", "host", "hosts", "cellular organism the sample comes from", facet="host"),
    _annotated("label", "organism label", "organism labels",
        "what the submitter calls the library, as a taxon", facet="label"),
    _annotated("tissue", "tissue", "tissues", "tissue, organ, cell type or cell line",
        facet="tissue", also=("organ", "cell type")),
    _annotated("cell_line", "cell line", "cell lines", "tissue that is a cell line",
        facet="tissue"),
    _annotated("disease", "disease", "diseases", "disease state of the sample", facet="disease"),
    _annotated("environment", "environment", "environments",
        "metagenome named by the library's label", facet="environment", also=("metagenome",)),
    _annotated("biome", "biome", "biomes", "biome or habitat", facet="biome", type="text",
        also=("habitat",)),
    _annotated("sex", "sex", "sexes", "sex of the host", facet="sex", type="text",
        also=("gender",)),
    _annotated("country", "country", "countries", "country of origin; lists leave seas out",
        facet="geography", type="place", column="trim(split_part(value, ':', 1))",
        also=("nation",)),
    _annotated("sea", "sea", "seas", "ocean or sea of origin", facet="geography", type="place",
        column="trim(split_part(value, ':', 1))", also=("ocean",)),
    _annotated("place", "place", "places",
        "place of origin: a country, or a part of it (USA: Utah)", facet="geography", type="place",
        also=("location", "region")),
    _annotated("k_mers", "organism by k-mers", "organisms by k-mers",
        "organism that NCBI STAT finds by k-mers", facet="statOrganism",
        also=("k-mers", "stat organism")),
    _of_run("strategy", "library strategy", "library strategies", "e.g. RNA-Seq, WGS",
        column="library_strategy", also=("sequencing strategy",)),
    _of_run("library_source", "library source", "library sources",
        "what was sequenced, e.g. TRANSCRIPTOMIC, METAGENOMIC", column="library_source"),
    _of_run("organism", "organism as submitted", "organisms as submitted",
        "organism of the library in the submitter's words", column="organism"),
    _of_run("study", "study", "studies", "SRA study (SRP, ERP, DRP); not a BioProject",
        column="study"),
    _of_run("project", "BioProject", "BioProjects", "project of the INSDC archives",
        column="bioproject", also=("bioproject",)),
    _of_run("biosample", "BioSample", "BioSamples", "biological sample that a run was made from",
        also=("sample",), column="biosample"),
    _of_run("community", "community", "communities", "cluster of the graph; level 0 is coarsest",
        table="community_member", column="community", type="community"),
    _of_run("released", "release date", "release dates", "day the run became public",
        column="release_date", type="date"),
    _of_run("year", "year of release", "years of release", "year the run became public",
        column="year(release_date)", type="number", also=("release year",)),
    _of_run("collected", "collection date", "collection dates",
        "day the sample was taken, if written as 2016, 2016-04 or 2016-04-15; a month "
        "or year counts as its first day", table="stated_attribute", column=_COLLECTED, type="date",
        attributes=_SAMPLED),
    _of_run("collection_year", "year of collection", "years of collection",
        "year the sample was taken", table="stated_attribute", column=f"year({_COLLECTED})",
        type="number", attributes=_SAMPLED, also=("collection year", "sampling year")),
    _of_run("season", "calendar month of collection", "calendar months of collection",
        "month in which the sample was taken, if stated, e.g. 07 July",
        table="stated_attribute", attributes=_SAMPLED,
        column=f"CASE WHEN length({_WRITTEN}) > 4 THEN strftime({_COLLECTED}, '%m %B') END",
        also=("season", "month of collection", "collection month")),
    _of_run("month", "month of release", "months of release",
        "month the run became public, as 2019-05", column="strftime(release_date, '%Y-%m')",
        also=("release month",)),
    _of_run("design", "study design", "study designs",
        "what the study says it did: cell culture, experimental infection, metagenome, "
        "surveillance", table="study_design", also=("design",), column="design"),
    _of_run("other_organism", "other organism by k-mers", "other organisms by k-mers",
        "organism of most of the run's k-mers, if not the stated host",
        table="other_by_kmers", type="term", column="n.label"),
    _of_run("latitude", "latitude", "latitudes", "of the sampling place", table="place",
        type="number", unit="degrees north", column="latitude"),
    _of_run("longitude", "longitude", "longitudes", "of the sampling place", table="place",
        type="number", unit="degrees east", column="longitude"),
    _of_run("spots", "number of spots", "numbers of spots", "reads or read pairs of the run",
        type="number", unit="spots", also=("depth",), column="spots"),
    _of_run("bases", "number of bases", "numbers of bases", "bases of the run", type="number",
        unit="bases", column="bases"),
    _of_hit("virus", "virus", "viruses", "viral taxon that a hit resolves to, by its usual name",
        table="virus", column="v.name", type="term"),
    _of_hit("species", "virus species", "virus species", "species, where the identity supports one",
        column="d.species"),
    _of_hit("genus", "virus genus", "virus genera", "genus of the virus", table="virus",
        column="v.genus"),
    _of_hit("family", "virus family", "virus families", "family of the virus", column="d.family"),
    _of_hit("phylum", "virus phylum", "virus phyla", "phylum of the virus", column="d.phylum"),
    _of_hit("stated", "virus as stated", "viruses as stated",
        "what may be said of a hit: the species, X-like, or reported as X", column="d.stated"),
    _of_hit("reported", "reported virus", "reported viruses", "virus as the source names it",
        column="d.reported_name", also=("reported name", "strain")),
    _of_hit("sotu", "sOTU", "sOTUs", "palmprint centroid or reference accession", column="d.sotu"),
    _of_hit("source", "source of detections", "sources of detections",
        "source that detected the virus", column="d.source"),
    _of_hit("risk", "risk group", "risk groups", "human risk group of the virus",
        table="virus_risk", column="coalesce(k.risk_group, 'unknown')",
        also=("biosafety level", "bsl")),
    _of_hit("genome", "genome type", "genome types", "genome type as given by ICTV, e.g. ssRNA(+)",
        table="virus", column="v.genome"),
    _of_hit("plausibility", "plausibility", "plausibilities",
        "how expected the virus is in the host of the run", column="p.plausibility"),
    _of_hit("identity", "identity", "identities", "identity to the reference", type="number",
        column="d.identity", unit="percent"),
    _of_hit("reads", "number of reads", "numbers of reads", "reads aligned to the virus",
        type="number", column="d.reads", unit="reads"),
    _of_hit("score", "score", "scores", "Serratus score, 0 to 100; assemblies have none",
        type="number", column="d.score"),
    _of_hit("coverage", "coverage", "coverages", "mean coverage of the palmprint contig",
        type="number", column="d.coverage", unit="fold"),
)  # fmt: skip
"""Every field but attributes as submitted, which are named ``attribute:NAME``."""

FIELDS: Final = {field.name: field for field in REGISTRY}
ATTRIBUTE: Final = "attribute:"
"""Prefix of fields that are attributes in the submitter's words."""
RUN: Final = "run"
_NAMES: Final = {
    name.lower(): field.name
    for field in REGISTRY
    for name in (*field.also, field.plural, field.said, field.name)
}


def field_named(name: str) -> RequestField:
    """Return the field that ``name`` is the key of; raises ``KeyError``."""
    if name.startswith(ATTRIBUTE):
        return _attribute(name.removeprefix(ATTRIBUTE))
    return FIELDS[name]


def key_of(name: str) -> str | None:
    """Return the key of the field called ``name``, by any of its English names.

    >>> key_of("cell line"), key_of("Host"), key_of("attribute:age"), key_of("colour")
    ('cell_line', 'host', 'attribute:age', None)
    """
    text = " ".join(name.split())
    if text.lower().startswith(ATTRIBUTE) and len(text) > len(ATTRIBUTE):
        return ATTRIBUTE + text[len(ATTRIBUTE) :].strip()
    return _NAMES.get(text.lower())


def all_names() -> list[str]:
    """Return every name that a field may be written by."""
    return sorted({*_NAMES, *FIELDS})


def fields_of(owner: Owner | None = None, *, number: bool | None = None) -> list[str]:
    """Return the keys of the fields of runs or of hits, numbers only or all but numbers."""
    return [
        field.name
        for field in REGISTRY
        if owner in (None, field.of) and number in (None, field.is_number)
    ]


def _attribute(name: str) -> RequestField:
    """Return the field of the attribute ``name``, in any spelling of its blanks."""
    return RequestField(
        name=ATTRIBUTE + name,
        said=f"value of {name}",
        plural=f"values of {name}",
        of="run",
        type="text",
        table="stated_attribute",
        column="value",
        attributes=(plain(name),),
        comment=f"attribute {name} of the run or its sample, as submitted",
    )


def plain(text: str) -> str:
    """Return ``text`` in lower case, blanks for all punctuation: how attribute names compare.

    >>> plain("geo_loc_name"), plain("Cell Line")
    ('geo loc name', 'cell line')
    """
    return " ".join(re.findall(r"[^\W_]+", text.lower()))

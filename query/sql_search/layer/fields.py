"""What can be tabulated of runs: dimensions and numbers, where each is held, and the words for it.

A field is a column of a detection, of the virus it names, of a run, of its sample's place, or an
annotated facet of the run. Everything else of a table (rows, counts, means, bounds, orders) is made
of fields, so that a field added here can be grouped by, counted, compared, listed and sorted by.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

Held = Literal["hit", "virus", "risk", "run", "annotation", "rank", "place", "source", "stat",
               "title", "attribute"]  # fmt: skip
"""Where a field is held: what its SQL is an expression of."""


@dataclass(frozen=True, slots=True)
class Field:
    """One thing that rows can be of, or a number that can be compared and averaged.

    ``words``    pattern of what people call it
    ``held``     where it is held, ``sql`` its expression there
    ``numeric``  whether it is a number
    ``plural``   what a column with their number is called
    """

    key: str
    words: str
    held: Held
    sql: str
    plural: str = ""
    numeric: bool = False


RUN: Final = "run"
_VIRAL: Final = r"(?:(?:detected|different|viral|virus(?:es)?)[ -])*"
_TAXA: Final = r"(?: (?:species|taxa|taxon|names?))?"

_DIMENSIONS: Final = (
    ("family", rf"{_VIRAL}famil(?:y|ies)(?: names?)?(?: of virus(?:es)?)?", "hit", "d.family",
     "families"),
    ("species", rf"{_VIRAL}species(?: names?)?(?: of virus(?:es)?)?", "hit", "d.species",
     "species"),
    ("virus", rf"(?:named )?virus(?:es)?(?: names?)?(?: as stated)?|names?(?! the| all| every)"
              rf"|(?:stated|{_VIRAL}) ?names?"
     " of (?:the )?virus(?:es)?|pathogens?", "hit", "d.stated", "viruses"),
    ("reported_name", r"reported (?:virus )?names?|names? (?:as )?reported", "hit",
     "d.reported_name", "reported_names"),
    ("sotu", r"(?:virus )?(?:sotus?|otus?|palmprints?)", "hit", "d.sotu", "sotus"),
    ("phylum", rf"{_VIRAL}phyl(?:um|a)", "hit", "d.phylum", "phyla"),
    ("source", r"(?:detection )?(?:sources?|pipelines?|methods?)(?: of (?:the )?detections?)?",
     "source", "source", "sources"),
    ("taxon", r"(?:viral|virus) tax(?:on|a)", "virus", "v.name", "taxa"),
    ("virus_reported", r"virus(?:es)? (?:names? )?as (?:they are |it is )?reported", "virus",
     "d.virus", "viruses_reported"),
    ("detection", r"(?:(?:virus|viral) )?(?:detections?|hits?|reports)", "hit",
     "concat_ws('|', d.run, d.sotu, d.source)", "detections"),
    ("genus", rf"{_VIRAL}gen(?:us|era)", "virus", "v.genus", "genera"),
    ("virus_order", rf"{_VIRAL}orders?", "virus", 'v."order"', "virus_orders"),
    ("realm", rf"{_VIRAL}realms?", "virus", "v.realm", "realms"),
    ("genome", r"(?:(?:(?:virus|viral|nucleic acid) )*genome(?: types?)?|genome kinds?)"
     r"(?: of (?:the )?(?:detected )?virus(?:es)?)?", "virus", "v.genome", "genome_types"),
    ("virus_rank", r"(?:virus|taxonomic) ranks?", "virus", "v.rank", "ranks"),
    ("ictv_name", r"ictv (?:species )?names?", "virus", "v.ictv_name", "ictv_names"),
    ("abbreviation", r"abbreviations?", "virus", "v.abbreviation", "abbreviations"),
    ("risk_group", r"(?:human |biosafety )?risk[ -]groups?", "risk", "k.risk_group", "risk_groups"),
    ("host", rf"host ranges?|hosts?{_TAXA}(?: names?)?|(?:animals?|plants?) hosts?{_TAXA}"
             "|host organisms?",
     "annotation", "host", "hosts"),
    ("tissue", r"(?:tissues?|organs?)(?: (?:terms?|names?|types?))?"
     r"(?: (?:or|and|/) cell (?:types?|lines?))?|cell types?", "annotation", "tissue", "tissues"),
    ("disease", r"(?:diseases?|illness(?:es)?|health conditions?)(?: (?:terms?|names?))?",
     "annotation", "disease", "diseases"),
    ("geography", r"(?:countr(?:y|ies)|nations?)(?: ?\(?(?:or|and|/) (?:seas?|oceans?)\)?)?"
     r"(?: names?)?|seas?|places?", "annotation", "geography", "countries"),
    ("ocean", "oceanrows", "annotation", "geography", "oceans"),
    ("environment", r"(?:(?:metagenom(?:e|ic) )?environments?|metagenomes?)(?: types?| terms?)?",
     "annotation", "environment", "environments"),
    ("biome", r"biomes?|habitats?", "annotation", "biome", "biomes"),
    ("sex", r"(?:sex(?:es)?|genders?)", "annotation", "sex", "sexes"),
    ("stat_taxon", r"stat (?:tax(?:a|on)|organisms?|hits?)|k-?mer (?:tax(?:a|on)|organisms?)"
     r"|organisms? by k-?mers?", "stat", "t.label", "stat_taxa"),
    ("bioproject", r"bio-?projects?|projects?", "run", "bioproject", "bioprojects"),
    ("study", r"(?:sra )?stud(?:y|ies)|sra projects?", "run", "study", "studies"),
    ("biosample", r"bio-?samples?", "run", "biosample", "biosamples"),
    ("organism", r"(?:submitted )?organisms?(?: (?:names?|labels?|as submitted))?"
     r"|organism labels?", "run", "organism", "organisms"),
    ("library_strategy", r"(?:(?:library|sequencing) )?strateg(?:y|ies)|library types?", "run",
     "library_strategy", "library_strategies"),
    ("library_source", r"library sources?", "run", "library_source", "library_sources"),
    ("year", r"(?:(?:release|publication) )?years?(?: of (?:their )?(?:release|publication))?"
     r"|yearly", "run", "year(release_date)", "years"),
    ("month", r"(?:release )?months?(?: of (?:their )?release)?|monthly", "run",
     "strftime(release_date, '%Y-%m')", "months"),
    ("release_date", r"release dates?|dates? of (?:release|publication)|dates?", "run",
     "release_date", "release_dates"),
    ("title", r"(?:project |study |report )?titles?", "title", "title", "titles"),
)  # fmt: skip
_NUMBERS: Final = (
    ("reads", r"(?:(?:aligned|mapped|viral|virus) )?reads?(?: counts?)?(?: aligned| mapped)?"
     r"(?: to (?:it|the virus))?", "hit", "d.reads"),
    ("identity", r"(?:(?:percent(?:age)?|%|sequence|nucleotide|alignment) )*identit(?:y|ies)"
     r"(?: to (?:the |their |its )?(?:closest |best |nearest )?references?(?: sequences?)?)?"
     r"(?: percent)?", "hit", "d.identity"),
    ("score", r"(?:serratus )?scores?", "hit", "d.score"),
    ("coverage", r"(?:(?:contig|palmprint|fold) )*coverages?", "hit", "d.coverage"),
    ("spots", r"spots?(?: counts?)?|(?:sequencing |read )?depths?(?: ?\(spots\))?|read pairs"
     r"|library sizes?|sequencing depths?", "run", "spots"),
    ("bases", r"(?:sequenced )?bases?(?: counts?)?|base pairs|nucleotides", "run", "bases"),
    ("latitude", r"latitudes?", "place", "latitude"),
    ("longitude", r"longitudes?", "place", "longitude"),
    ("share", r"k-?mer (?:shares?|fractions?)|stat shares?|shares? of k-?mers", "stat", "s.share"),
)  # fmt: skip
_HIT_SOURCE: Final = Field("source", r"\b\B", "hit", "d.source", "sources")
FIELDS: Final = {
    **{key: Field(key, words, held, sql, plural)  # type: ignore[arg-type]
       for key, words, held, sql, plural in _DIMENSIONS},
    **{key: Field(key, words, held, sql, key, numeric=True)  # type: ignore[arg-type]
       for key, words, held, sql in _NUMBERS},
}  # fmt: skip
"""Every field of the runs, by its key."""
FIELDS["hit_source"] = _HIT_SOURCE
RUNS: Final = (
    r"(?:(?:sequencing|sra|sequenced|public) )?(?:runs?|samples?|librar(?:y|ies)|data ?sets?)"
    r"(?: accessions?)?|accessions?|everything|(?:sample )?materials?|specimens?"
)
"""Words for runs, which are what is counted where nothing else is said."""
_HOSTS_BY: Final = {"class": "class(?:es)?", "order": "orders?", "family": "famil(?:y|ies)",
                    "genus": "gen(?:us|era)", "phylum": "phyl(?:um|a)"}  # fmt: skip
_CLADES: Final = {"animal": "NCBITaxon:33208", "plant": "NCBITaxon:33090",
                  "insect": "NCBITaxon:50557"}  # fmt: skip
FIELDS.update({
    f"{hosts}_species": Field(f"{hosts}_species", f"{hosts} species", "rank",
                              f"species|{clade}", f"{hosts}_species")
    for hosts, clade in _CLADES.items()
})  # fmt: skip
FIELDS.update({
    f"{hosts}_{rank}": Field(f"{hosts}_{rank}", f"{hosts}s? {words}", "rank",
                             f"{rank}|{_CLADES.get(hosts, '')}", f"{hosts}_{rank}s")
    for hosts in ("host", *_CLADES) for rank, words in _HOSTS_BY.items()
})  # fmt: skip
NOUN: Final = "|".join([RUNS, *(one.words for one in FIELDS.values())])
"""Words for everything that a table can be of."""
OF_HITS: Final = frozenset({"hit", "virus", "risk"})
"""Where fields are held of which a run has one for each of its detections."""
DESCRIBING: Final = frozenset({"title", "release_date", "organism", "latitude", "longitude"})
"""Fields that describe a row, and are not counted where only their name is said."""
OF_TAXA: Final = frozenset(key for key, one in FIELDS.items() if one.held in ("virus", "risk"))
"""Fields of the taxon that a detection is reported as, whatever its identity."""
FACET_OF: Final = {"organism": ("host",), "tissue": ("tissue",), "disease": ("disease",),
                   "geography": ("geography",), "environment": ("environment",),
                   "biome": ("biome",), "sex": ("sex",)}  # fmt: skip
"""Group of a name -> the field that its values are of."""


_KEYWORDS: Final = frozenset(
    ["all", "and", "as", "case", "column", "end", "from", "group", "in", "limit", "offset", "on",
     "or", "order", "primary", "select", "some", "table", "to", "union", "unique", "using", "when",
     "where", "window", "with"]
)  # fmt: skip
"""Words of SQL that no column can be called."""


def is_of_hits(key: str) -> bool:
    """Return whether a field is one of detections."""
    return key in FIELDS and FIELDS[key].held in OF_HITS


def plural_of(key: str) -> str:
    """Return what a number of values of ``key`` is called."""
    return "runs" if key == RUN else FIELDS[key].plural if key in FIELDS else f"{key}s"


def attribute_field(said: str, names: Sequence[str]) -> Field:
    """Return the field of an attribute as submitted, in any of the spellings ``names``."""
    key = re.sub(r"\W+", "_", said.lower().removesuffix("s")).strip("_")
    key = f"{key}_stated" if key in _KEYWORDS else key
    return Field(key, re.escape(said), "attribute", "|".join(names), f"{key}_values")

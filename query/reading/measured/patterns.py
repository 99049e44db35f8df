"""The wordings of conditions that no name says, as patterns over the words of a question."""

from __future__ import annotations

import re
from typing import Final

from query.reading.measured.amounts import AFTER, BEFORE, NUMBER

_LINKING: Final = r"(?:(?:with|at|having|showing|by|of|from|and|the|is|are|was|were) )*"
_UNITS: Final = (
    r"(?:(?P<diverging>diverg\w+|dissimilar\w*)"
    r"|(?P<identity>(?:(?:sequence|amino acid|aa|nucleotide|protein|percent) )*"
    r"(?:identity|identities|identical|similarity|similar))"
    r"|(?P<reads>(?:(?:mapped|aligned|viral|virus|supporting|matching) )*(?:reads?|read counts?))"
    r"|(?P<score>(?:alignment )?scores?)"
    r"|(?P<coverage>(?:(?:fold|x) )?coverage))(?: values?)?"
)
_AMOUNT: Final = rf"(?P<amount>{NUMBER})(?: (?:percent|fold|x)\b)?"
HITS_IN_FRONT: Final = re.compile(
    rf"\b{_LINKING}(?:(?P<before>{BEFORE}) )?{_AMOUNT}(?: (?P<after>{AFTER}))? {_UNITS}\b"
    rf"(?: (?P<behind>{AFTER})\b)?"
)
"""A threshold before what it measures: at least 98 percent identity."""
HITS_BEHIND: Final = re.compile(
    rf"\b{_LINKING}{_UNITS} {_LINKING}(?:(?P<before>{BEFORE}) )?{_AMOUNT}(?!\w)"
    rf"(?: (?P<after>{AFTER}))?(?: percent)?"
    r"(?: (?:from|to|with) (?:(?:any|all|the|its|their|an?) )*(?:(?:closest|nearest|best|known"
    r"|named|other|reference|described) )*(?:virus(?:es)?|relatives?|references?|species))?"
)
"""A threshold behind what it measures: identity above 95, diverging more than 30 percent."""
HITS_IN_PERCENT: Final = re.compile(
    rf"\b(?:hits?|match(?:es)?|alignments?|detections?) {_LINKING}(?P<before>{BEFORE})"
    rf" (?P<amount>{NUMBER}) percent(?!\w)(?! (?:identi|similar|diverg)\w*)"
)
"""A threshold in percent, of nothing that is named: hits below 70 percent."""
DIVERGENT: Final = re.compile(
    r"\b(?:highly |very |most |strongly |clearly )?"
    r"(?:novel|divergent|undescribed|uncharacteri[sz]ed|(?:previously |yet )unknown"
    r"|distant(?:ly related)?|unknown(?= (?:virus|viruses|viral|hits?|species|sequences?)\b)"
    r"|new(?= (?:virus|viruses|viral|virus species|hits)\b))(?= |$)"
)
"""Hits that are like no known virus: no species is stated of them."""

UNNAMED: Final = re.compile(
    r"\b(?:unnamed|unassigned|unclassified|unclassifiable)"
    r"(?= (?:virus|viruses|viral|hits?|s?otus?|detections?|sequences?)\b)"
    r"|\b(?:that |which )?(?:(?:could|can) not|cannot|couldn t|can t"
    r"|(?:were|was|are|is) not)(?: be)? (?:assigned|classified|resolved)"
    r"(?: to (?:any|a)(?: \w+)? (?:taxon|taxa|virus|name))?"
    r"|\b(?:resolv\w+|assigned|belong\w*) to no (?:\w+ )?(?:taxon|virus)\b"
)
"""Hits of a virus that has no name in any taxonomy."""

_DIFFERENT: Final = r"(?:(?:different|distinct|separate|named|known|kinds? of|types? of|other) )*"
_VIRUSES: Final = (
    r"(?:virus(?:es)?(?: species)?|viral species|species of virus(?:es)?|viral infections?)"
)
_HOW_MANY: Final = r"one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}|a single|single"
SEVERAL: Final = re.compile(
    rf"\b(?:(?P<before>{BEFORE}) )(?P<number>{_HOW_MANY}) {_DIFFERENT}{_VIRUSES}(?! famil)\b"
    rf"|\b(?P<number_after>{_HOW_MANY}) (?P<after>{AFTER}) {_DIFFERENT}{_VIRUSES}(?! famil)\b"
)
"""How many viruses a run has: two or more viruses, more than one virus."""
SEVERAL_OF: Final = re.compile(
    rf"\b(?:(?P<before>{BEFORE}) (?P<number>{_HOW_MANY})"
    rf"|(?P<number_after>{_HOW_MANY}) (?P<after>{AFTER})|several|multiple) {_DIFFERENT}"
    r"(?=(?:\w+ )?[a-z]{3,}(?:virus(?:es)?|viridae)\b)"
)
"""How many species of a group of viruses a run has: two or more flaviviruses."""
SEVERAL_BY_WORD: Final = re.compile(
    r"\b(?:multiple|(?<!which )(?<!what )several|(?<!how )many|simultaneous|mixed"
    r"|a mix(?:ture)? of)"
    rf" {_DIFFERENT}(?:viruses|viral infections|infections?)\b"
    r"|\b(?:mixed|multiple|double|dual|poly\w*) (?:viral )?infections?\b"
    r"|\bco-?infect(?:ed|ions?)\b|\bco-?occurring viruses\b"
)
"""Several viruses in one run, without a number."""

RISK: Final = re.compile(
    r"\briskgroups? (?P<group>[1-4]|iv|iii|ii|i|one|two|three|four)"
    r"(?: (?:or|and|to) (?P<last>[1-4]|higher|above))?(?!\w)"
)
"""A risk group by its number, as ``respelled`` writes it."""

_RELEASED: Final = (
    r"(?:(?:that |which )?(?:were |was |are |is |became |become |made )*"
    r"(?:released|published|deposited|public|submitted|uploaded) )?"
)
_YEAR: Final = r"(?:19|20)\d\d"
IN_YEARS: Final = re.compile(
    rf"\b{_RELEASED}(?:(?:between|from|in) (?:the years )?)?(?P<first>{_YEAR})"
    rf" (?:and|to|till|until|through) (?P<last>{_YEAR})\b"
    rf"|\b{_RELEASED}(?:(?P<how>since|after|before|until|up to|by|from|in|of|during|for|within) "
    rf"(?:the year )?)?(?P<year>{_YEAR})\b(?P<onwards> (?:onwards?|and later|or later|on)\b)?"
)
"""Years, with the word that says whether they begin or end what is asked for."""

_LOOKED: Final = r"(?:searched|screened|looked at|examined|processed|scanned|covered|seen|checked)"
_SOURCES: Final = r"(?: of)?(?: the)?(?: two)? ?(?:detection ?)?sources?"
SEARCHED: Final = re.compile(
    rf"\b(?:(?:that|which) )?(?:(?:was|were|are|is|been|has|have|ever|actually) )*"
    rf"{_LOOKED} by (?P<by>any|both|all|only one|just one|exactly one|one|a single|neither|no|none)"
    rf"{_SOURCES}\b"
    rf"|\b(?:that |which )?(?P<subject>both|all|only one|neither|no|none){_SOURCES}"
    rf"(?: (?:has|have|had|ever))* {_LOOKED}\b"
    rf"|\b(?:(?:was|were|are|is|has|have|had|been) )*(?P<never>never|not)"
    rf"(?: been)? (?:searched|screened)(?! and)(?: for viruses)?"
    rf"(?: by any(?:one|body)?{_SOURCES}?)?\b"
    r"|\b(?:that )?(?:(?:has|have|had) )?(?P<nobody>nobody|no ?one|no source)"
    rf"(?: (?:has|have|had|ever))* {_LOOKED}\b"
)
"""By how many sources runs were searched: by both sources, by neither, never."""

STATED_FACETS: Final = {
    "host": "host", "country": "geography", "place": "geography", "location": "geography",
    "tissue": "tissue", "organ": "tissue", "disease": "disease", "sex": "sex", "biome": "biome",
    "gender": "sex", "environment": "environment", "geography": "geography",
    "bioproject": "bioproject", "project": "bioproject",
    "species": "species", "family": "family", "where": "geography", "date": "release date",
    "year of release": "release date", "years of release": "release date",
    "strategies": "library strategy", "librarysource": "library source", "biosample": "biosample",
    "study": "study", "namedvirus": "virus",
}  # fmt: skip
"""What a run may state, by the word of a question."""
_NOUNS: Final = "|".join(noun for noun in STATED_FACETS if noun not in ("where", "date"))
GIVEN: Final = (
    r"(?:stated|known|given|recorded|annotated|reported|listed|available|on record|noted|documented"
    r"|filled(?: in| out)?|provided|specified|indicated|declared|mentioned|entered)"
)
STATED: Final = re.compile(
    rf"\b(?P<without>without|lacking|with no|no|missing)(?: (?:an?|any|the))?(?: {GIVEN})?"
    rf" (?P<nounless>{_NOUNS})(?: (?:being |is |was )?(?:{GIVEN}|information|at all))?"
    rf"(?= *$| (?:and|or|but|in|of|that|which|carry|have|has|are|is|do)\b)"
    rf"|\b(?:with|of|state|states|stating|have|has|whose|where)(?: (?:an?|any|the|their))?"
    rf" (?:{GIVEN} )(?P<noun>{_NOUNS})\b"
    rf"|\b(?:with|state|states|stating|have|has)(?: (?:an?|any|the|their)) (?P<nounbehind>{_NOUNS})"
    rf" {GIVEN}\b"
    rf"|\b(?:that|which|who) (?:state|name|give|report|record|mention)s?(?: (?:an?|any|the|their))?"
    rf" (?P<nounnamed>{_NOUNS})\b"
    rf"|\b(?:stat|nam|giv|report|record|mention|specif)(?:e|s|es|y|ies|ed|ing)?"
    rf" (?:an?|any|the|their) (?P<nounverb>{_NOUNS})\b(?! (?:other|of|as))"
    rf"|\b(?:for|of) which (?:we|you|one) know (?:an?|any|the|their) (?P<nounknown>{_NOUNS})\b"
    rf"|\b(?:(?:that|which|who) )?(?:state|say|tell|report)s? (?P<origin>where)"
    rf" they (?:come|came|are|were)(?: from)?\b"
    rf"|\b(?:with|stating|having|have|has) (?:both )?(?:an?|any|their) (?P<nounending>{_NOUNS})"
    r"(?=$| (?:and|or) (?:an?|any|their) )"
    r"|\b(?:say|state|tell|report|give)(?:s|ing)? (?P<nothing>nothing|no(?:thing)?)"
    rf"(?: (?:about|of|on|for))?(?: (?:an?|any|the|their))? (?P<nounsilent>{_NOUNS}|date)\b"
    rf"|\b(?:is|are) (?:an?|the) (?P<nounpassive>{_NOUNS}) (?:(?:more|less) )?(?:often )?{GIVEN}\b"
    rf"|\b(?:whose|where the) (?P<nounlacking>{_NOUNS}) (?:is|was) (?P<unknown>not {GIVEN}|unknown"
    rf"|missing)\b"
)
"""Runs that state something, or do not: without a host, with a country stated."""


_OF_LIBRARIES: Final = (
    ("strategy", "RNA-Seq", r"rna-? ?seq(?:uencing)?|rnaseq"),
    (
        "strategy",
        "WGS",
        r"wgs|whole-? ?genome(?: shotgun)?(?: sequencing)?|shotgun(?: sequencing)?",
    ),
    ("strategy", "AMPLICON", r"amplicons?(?: sequencing)?|targeted pcr"),
    ("strategy", "EST", r"est librar(?:y|ies)|expressed sequence tags?"),
    ("strategy", "WGA", r"wga|whole-? ?genome amplification"),
    ("strategy", "FL-cDNA", r"fl-? ?cdna|full-length cdna"),
    ("strategy", "ncRNA-Seq", r"ncrna-? ?seq"),
    ("source", "METATRANSCRIPTOMIC", r"metatranscriptom(?:ic|ics|e|es)"),
    ("source", "METAGENOMIC", r"metagenomics?"),
    ("source", "TRANSCRIPTOMIC", r"transcriptom(?:ic|ics|e|es)"),
    ("source", "GENOMIC", r"genomic(?= (?:runs?|librar|samples?|dna))"),
    ("source", "VIRAL RNA", r"viral rna"),
)
_NOUN_OF_LIBRARY: Final = r"(?: (?:librar(?:y|ies)|source|strategy))?"


class _Libraries:
    """The kinds of library that a question may name."""

    pattern: Final = re.compile(
        rf"\b(?:{'|'.join(wording for _, _, wording in _OF_LIBRARIES)})(?!\w)"
        rf"{_NOUN_OF_LIBRARY}(?!\w)"
    )

    @staticmethod
    def meant(text: str) -> tuple[str, str]:
        """Return the facet and the value of the kind of library that ``text`` names."""
        for facet, value, wording in _OF_LIBRARIES:
            if re.match(wording, text):
                return facet, value
        raise LookupError(text)


LIBRARIES: Final = _Libraries()

"""Words that screening is built from: agents, people, data, and verbs by what they do.

A list is written as words; ``any_of`` makes the pattern that finds one of them, in every form of
a verb. What a question asks for is in ``requests``, what would harm in ``harms``.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_HIDDEN: Final = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_DASHES: Final = re.compile(r"[\u2010-\u2015\u2212]")
_VOWELS: Final = "aeiou"


def plain(text: str) -> str:
    """Return ``text`` in lower case and one spelling, so that no letter hides a word.

    >>> plain("How TO\\u00a0make")
    'how to make'
    """
    visible = _HIDDEN.sub("", unicodedata.normalize("NFKC", text)).replace("’", "'")
    return " ".join(_DASHES.sub("-", visible).casefold().split())


def any_of(words: str) -> str:
    """Return the pattern of one of ``words``, as it is."""
    return f"(?:{'|'.join(words.split())})"


def verbs(words: str) -> str:
    """Return the pattern of every form of one of ``words``, regular verbs in their base form.

    >>> [bool(re.fullmatch(verbs("make stop"), word)) for word in ("making", "stopped", "maker")]
    [True, True, False]
    """
    return f"(?:{'|'.join(_forms(word) for word in words.split())})"


def _forms(verb: str) -> str:
    if verb.endswith("e"):
        return f"{verb[:-1]}(?:e|es|ed|ing|en)"
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return f"{verb[:-1]}(?:y|ies|ied|ying)"
    return f"{verb}{verb[-1]}?(?:s|es|ed|ing)?"


AGENT: Final = (
    r"(?:[\w-]*virus(?:es)?|vir(?:al|ions?|us\w+)|[\w-]*viren|[\w-]*vírus|вирус\w*|"
    r"[\w-]+vir(?:al|id)\w*|"
    r"pathogens?|microbes?|germs?|agents?|strains?|toxins?|variants?|"
    r"ebola\w*|marburg\w*|nipah\w*|hendra\w*|lassa\w*|smallpox|variola\w*|h\d+n\d+|influenza|flu|"
    r"sars[\w-]*|mers[\w-]*|covid[\w-]*|anthrax|plagues?|rabies|measles|zika|dengue|polio\w*|"
    r"mpox|monkeypox|\w+pox|hiv|hepatitis|rift valley fever|yellow fever|swine fever|"
    r"crimean-congo|h(?:a?)emorrhagic fevers?|encephalitis|foot[- ]and[- ]mouth\w*|rinderpest|"
    r"chikungunya|[a-z]{2,5}v|live cultures?|aerosols?|distemper|ébola|"
    r"diseases?|haemagglutinin|hemagglutinin|spike|epidemics?|pandemics?|outbreaks?)"
)
"""An agent of disease, by name or kind, or a part of one that is changed."""

DATA: Final = (
    r"(?:phylogen\w*|trees?|librar(?:y|ies)|tables?|lists?|plots?|maps?|figures?|charts?|"
    r"data\s?sets?|data|matri(?:x|ces)|alignments?|quer(?:y|ies)|reports?|files?|csv|tsv|json|"
    r"spreadsheets?|notebooks?|index(?:es)?|overviews?|summar(?:y|ies)|graphs?|networks?|"
    r"communit(?:y|ies)|citations?|accessions?|runs?|reads?|biosamples?|bioprojects?|projects?|"
    r"stud(?:y|ies)|counts?|numbers?|names?|fasta|famil(?:y|ies)|everything|program|commands?|"
    r"questions?|answers?|filters?|registers?|models?|pages?|results?|associations?|taxa|taxon|"
    r"titles?|shares?|proportions?|percentages?|fractions?|sql|genes?|symbols?|"
    r"chromosomes?|coordinates|terms?|statistics|p-values?|summaries|metadata|exports?|rows?"
    r"|columns?|sotus?|palmprints?|rankings?|pivots?|histograms?|breakdowns?|cross-?tab\w*)"
)
"""What the index holds or gives out."""

TEXTS: Final = (
    r"(?:passages?|paragraphs?|sentences?|sections?|abstracts?|papers?|articles?|publications?|"
    r"texts?|documents?|notes?|pdfs?|write-?ups?|descriptions?|quotes?|literature|accounts?)"
)
"""What is written in studies, reports and documents of one's own."""

RECORD_ID: Final = (
    r"(?:ens[a-z]{0,4}g\d{6,}|rs\d+|[nx][cmprtwz]_\d+|[sed]r[rpxs]\d+|prj[a-z]{2}\d+|sam[a-z]*\d+"
    r"|[a-z]{1,2}\d{5,8}(?:\.\d)?)"
)
"""Identifiers of genes, variants, sequences, runs, projects and samples, in lower case."""

PEOPLE: Final = (
    r"(?:(?:an?|the|some|any|my|our|her|his|no|single|small)\s+){0,2}(?:\w+\s+)?"
    + any_of(
        "persons? people m[ae]n wom[ae]n amateurs? students? beginners? hobbyists? farmers? labs? "
        "laborator(?:y|ies) scientists? researchers? groups? states? arm(?:y|ies) attackers? "
        "terrorists? criminals? villains? enem(?:y|ies) friends? hackers? biologists? chemists? "
        "virologists? experts? adversar(?:y|ies) actors? character killers? thie(?:f|ves) "
        "governments? regimes? militar(?:y|ies) saboteurs? poisoners? cults? spy spies layman"
    )
)
PERSON: Final = any_of("i we you u ya one someone somebody anyone anybody they he she")

LOOKING: Final = (
    verbs(
        "find see list show look search browse count rank compare sort filter export download "
        "save read open cite interpret understand recognise recognize identify distinguish tell "
        "ask know learn view explore check verify examine inspect query access load install "
        "plot draw visualise visualize compute calculate estimate measure summarise summarize "
        "describe explain report name have expect say mean conclude trust believe call choose "
        "select navigate cluster annotate ground think detect contain include differ refer "
        "limit restrict print meet translate align blast mention trace locate relate associate "
        "connect link follow walk dig resolve pull point hang convince "
        "persuade settle decide discuss present confirm refute remind hold own tabulate touch"
    )
    + r"|seen?|saw|found|understood|meant|chosen|written|drawn|counted|told|tell|finding"
    r"|showing|shown|known?|knew|having|has|had"
)
"""What one does with an index, or says."""

PROTECTING: Final = verbs(
    "prevent protect control treat cure detect stop contain reduce diagnose monitor defend survey "
    "vaccinate eradicate combat fight mitigate lower slow block guard"
)
"""What keeps an agent from harm; which questions of them can be answered is decided later."""

HANDLING: Final = (
    verbs(
        "select get give use make build create write generate produce reconstruct turn convert "
        "order add assemble collect put combine merge join group draft start run submit reproduce "
        "recreate repeat rebuild take need want pick obtain fetch retrieve extract bring work do"
    )
    + r"|got|made|making|built|wrote|writing|used|took|put|putting|running"
)
"""What one may do with data and with agents alike: its object decides."""

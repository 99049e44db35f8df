"""Find what a question about genes, variants or sequences names, whatever its words.

Most entities are recognised by their form: rs-numbers, Ensembl identifiers, accessions, sequences,
gene symbols. A disease or an organism has no such form: it is the longest sequence of words that
are not part of the asking.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from index.models.embeddings import is_common
from query.words import STOP_WORDS

SEQUENCE: Final = re.compile(r"(?<![A-Za-z0-9])[ACGTUNacgtun]{20,}(?![A-Za-z0-9])")
_VARIANT: Final = re.compile(r"\brs(\d{1,12})\b", re.IGNORECASE)
_ENSEMBL: Final = re.compile(r"\bENS[A-Z]{0,4}G\d{11}(?:\.\d+)?\b", re.IGNORECASE)
_RUN: Final = re.compile(r"\b(?:[SED]RR|SYNR)\d{5,}\b", re.IGNORECASE)
_PROJECT: Final = re.compile(r"\b(?:PRJ[A-Z]{2}|SYNP)\d+\b", re.IGNORECASE)
_ACCESSION: Final = re.compile(r"\b(?:[NX][CMGRTWZP]_\d{5,}|[A-Z]{1,2}\d{5,8})(?:\.\d+)?\b")
_TAXID: Final = re.compile(r"\b(?:NCBITaxon:|txid|taxid:? ?|taxon:? ?)(\d+)\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9@'’./-]*[A-Za-z0-9@]|[A-Za-z0-9]")
_LOWER: Final = re.compile(r"\b[a-z]{4,}\b")
_DIGIT_OR_CASE: Final = re.compile(r".*\d.*|.+[A-Z].*|[A-Z]{2,}")
_DIGIT_OR_INNER_CAPITAL: Final = re.compile(r"\w*\d\w*|.+[A-Z].*")
_ENDING: Final = re.compile(r'[?!:;"“”]')
_POSSESSIVE: Final = re.compile(r"['’]s$")
_ANTIBODY: Final = re.compile(r"^anti-(?=\w)", re.IGNORECASE)

MEDICAL: Final = re.compile(
    r"syndrome|disease|disorder|deficienc|dystroph|osis\b|[ae]mia\b|opath(?:y|ies)\b|itis\b|ism\b"
    r"|oma\b|plasia\b|uria\b|algia\b|opsia\b|ataxia|seizure|epileps|cancer|tumou?r|malform|defect"
    r"|deafness|blindness|cleft|anomal|rhythmia|malabsorption|delay|palsy|cataract|diabet|dementia",
    re.IGNORECASE,
)
"""Words and endings of diseases."""

_OF_VIRUS: Final = re.compile(r"\w*vir(?:us|idae)", re.IGNORECASE)
_GENERAL: Final = re.compile(r"syndrome|disease|disorder|deficienc|defect", re.IGNORECASE)
"""Words of diseases that a name does not begin with."""
NO_SYMBOLS: Final = frozenset({
    "BLAST", "cDNA", "CSV", "dbSNP", "DNA", "Ensembl", "Entrez", "GRCh37", "GRCh38", "hg19", "hg38",
    "HGNC", "HUGO", "ID", "IDs", "mRNA", "NCBI", "OMIM", "PCR", "PDF", "PDFs", "qPCR", "RNA",
    "RNAlater", "RT-PCR", "SNP", "SNPs", "SQL", "SRA",
})  # fmt: skip
"""Words written like the symbol of a gene that name none."""
ASKING: Final = frozenset({
    "accession", "accessions", "affect", "affected", "affects", "alias", "aliases", "all", "any",
    "are", "associate", "associated", "association", "available", "background", "basis", "behind",
    "belong", "belongs",
    "broken", "called", "can", "causal", "causative", "cause", "caused", "causes", "causing",
    "chromosomal", "chromosome", "chromosomes", "come", "comes", "complete", "connected",
    "contribute", "contributes", "contributing", "could", "damaged", "database", "databases",
    "defective", "defects", "deposited", "disease-causing", "do", "does", "entrez", "entries",
    "entry", "exist", "exists", "explain", "explains", "fetch", "find", "from", "function",
    "functions", "genbank", "gene", "genes", "genetic", "genome", "genomes", "get", "give",
    "harbor", "harbour", "having", "held", "hold", "holds", "how", "human", "humans", "identify",
    "implicate", "implicated", "involved", "is", "isolate", "isolates", "known", "lead", "leading",
    "leads", "led", "lie", "link", "linked", "links", "list", "located", "location", "locations",
    "loci", "locus", "look", "looks", "many", "map", "mapped", "me", "mutant", "mutated",
    "mutation", "mutations", "name", "names", "ncbi", "need", "needed", "nucleotide", "number",
    "official", "omim", "organism", "panel", "panels", "patient", "patients", "people", "play",
    "plays", "please",
    "position", "positions", "predispose", "predisposes", "predisposing", "produce", "produces",
    "provoke", "provokes", "record", "records",
    "reference", "refseq", "related", "report", "responsible", "result", "results", "role",
    "sequence", "show", "sit", "sits", "someone", "species", "susceptibility", "suspect",
    "suspected", "symbol", "symbols", "synonym", "synonyms", "tell", "there", "tied", "trigger",
    "triggers", "underlie",
    "underlies", "underlying", "up", "us", "variant", "variants", "want", "was", "were", "what",
    "when", "where", "which", "who", "whose",
})  # fmt: skip
"""Words that ask, and name no disease and no organism, at either end of what is named."""
_ASKING_OR_NAMING: Final = frozenset({
    "affected", "associated", "behind", "caused", "complete", "defects", "from", "genetic", "hold",
    "human", "known", "leading", "linked", "location", "mutation", "mutations", "reference",
    "related", "susceptibility",
})  # fmt: skip
"""Those of them that the name of a disease may have inside."""
_SEPARATING: Final = ASKING - _ASKING_OR_NAMING
_JOINING: Final = frozenset({
    "a", "an", "and", "as", "at", "by", "due", "for", "in", "of", "on", "or", "the", "to", "with",
    "without",
})  # fmt: skip
_STOPPED: Final = STOP_WORDS - {"type", "types", "case", "thing"}
"""Stop words of questions that no name of a disease ends with."""
_EMPTY: Final = ASKING | _JOINING | _STOPPED
_ALIKE: Final = 0.8
"""Share of letters that a slip has in common with the word that is meant."""
_SPELLED: Final = sorted(word for word in ASKING if len(word) > 3)


@dataclass(frozen=True, slots=True)
class Entities:
    """What a question names; ``symbols`` may be genes, ``phrase`` is what its other words name."""

    sequence: str = ""
    variant: str = ""
    ensembl: str = ""
    run: str = ""
    project: str = ""
    accession: str = ""
    taxid: str = ""
    symbols: tuple[str, ...] = ()
    phrase: str = ""
    frame: str = ""
    """The question in lower case without its sequence: what asks."""


def find_entities(question: str) -> Entities:
    """Return what ``question`` names.

    >>> find_entities("Which gene does rs1217074595 sit in?").variant
    'rs1217074595'
    >>> find_entities("Mutations in which genes lead to Brody myopathy?").phrase
    'Brody myopathy'
    >>> find_entities("hCAP is an old name of what?").symbols
    ('hCAP',)
    """
    text = _LOWER.sub(_without_slip, SEQUENCE.sub(" ", question))
    bare = [_ANTIBODY.sub("", word) for word in _WORD.findall(text)]
    words = [_POSSESSIVE.sub("", word) for word in bare]
    variant = _VARIANT.search(text)
    taxid = _TAXID.search(text)
    return Entities(
        sequence=_first(SEQUENCE, question).replace("U", "T"),
        variant=f"rs{variant[1]}" if variant else "",
        ensembl=_first(_ENSEMBL, text).partition(".")[0],
        run=_first(_RUN, text),
        project=_first(_PROJECT, text),
        accession=_first(_ACCESSION, text),
        taxid=taxid[1] if taxid else "",
        symbols=tuple(_symbols(words)),
        phrase=_phrase(text),
        frame=" ".join(text.lower().split()),
    )


def _without_slip(found: re.Match[str]) -> str:
    """Return the question word that an unknown word misspells, or else the word as written."""
    word = found[0]
    if is_common(word):
        return word
    letters = sorted(word)
    begun = [known for known in _SPELLED if known[0] == word[0]]
    swapped = [known for known in begun if sorted(known) == letters]
    alike = get_close_matches(word, begun, n=1, cutoff=_ALIKE)
    return [*swapped, *alike, word][0]


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return "" if found is None else found[0].upper()


def _symbols(words: list[str]) -> list[str]:
    """Return the words that look like gene symbols, those with a digit first."""
    begun = [word for word in words[:1] if _DIGIT_OR_INNER_CAPITAL.fullmatch(word)]
    odd = [word for word in words[1:] if _DIGIT_OR_CASE.fullmatch(word)]
    symbols = [word for word in (*begun, *odd) if _may_be_symbol(word)]
    with_digit = [word for word in symbols if any(map(str.isdigit, word))]
    return list(dict.fromkeys([*with_digit, *symbols]))


def _may_be_symbol(word: str) -> bool:
    if NO_SYMBOLS.intersection(word.split("-")) or not any(map(str.isalpha, word)):
        return False
    return not any(form.fullmatch(word) for form in (_VARIANT, _ENSEMBL, _RUN, _PROJECT))


def _phrase(text: str) -> str:
    """Return the longest sequence of words that name something; a disease first."""
    stretches = [_trimmed(_without_clause(stretch)) for stretch in _stretches(text)]
    spans = [text[words[0].start() : words[-1].end()] for words in stretches if words]
    medical = [span for span in spans if MEDICAL.search(span)]
    return max(medical or spans, key=len, default="")


def _stretches(text: str) -> list[list[re.Match[str]]]:
    """Return the sequences of words that are not part of the asking; punctuation ends one."""
    stretches: list[list[re.Match[str]]] = [[]]
    previous = 0
    for found in _WORD.finditer(text):
        between = text[previous : found.start()]
        previous = found.end()
        if found[0].lower() in _SEPARATING:
            stretches.append([])
        elif _ENDING.search(between):
            stretches.append([found])
        else:
            stretches[-1].append(found)
    return stretches


def _without_clause(stretch: list[re.Match[str]]) -> list[re.Match[str]]:
    """Return ``stretch`` without a clause around a disease: our clinic sees, runs in the family."""
    words = [found[0] for found in stretch]
    named = [place for place, word in enumerate(words) if MEDICAL.search(word)]
    if not named or any(map(_OF_VIRUS.match, words)):
        return stretch
    first, last = named[0], named[-1]
    own = first - 1 if _GENERAL.match(words[first]) else first
    previous = ["", *words]
    before = [place for place in range(own) if _is_verb(words[place], previous[place])]
    after = [place for place in range(last + 1, len(words)) if _ends_name(words[place])]
    start = before[-1] + 1 if before else 0
    end = after[0] if after else len(stretch)
    return stretch[start:end]


def _is_verb(word: str, before: str = "") -> bool:
    """Return whether a common ``word`` may be a verb, or "with" after a participle."""
    is_with = word == "with" and before.endswith("ed")
    if not (is_with or word.endswith("s") or before == "to"):
        return False
    return word.islower() and is_common(word)


def _ends_name(word: str) -> bool:
    """Return whether ``word`` ends the name of a disease: a word of questions, or a verb."""
    return word.lower() in _EMPTY - _JOINING - _ASKING_OR_NAMING or _is_verb(word)


def _trimmed(stretch: list[re.Match[str]]) -> list[re.Match[str]]:
    """Return ``stretch`` without words at its ends that only ask or join."""
    telling = [place for place, found in enumerate(stretch) if found[0].lower() not in _EMPTY]
    return stretch[telling[0] : telling[-1] + 1] if telling else []

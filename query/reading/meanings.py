"""What sequences of words name: viruses, terms, values of the index, accessions, everyday names."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import duckdb

from index.store.names import rows_named
from index.store.same_for_all import same_for_all
from ontology_etl.curies import NCBI_TAXON
from query.compiler.reviewed import (
    group_key,
    parts_of_the_world,
    reviewed_names,
    virus_groups,
)
from query.reading.index_values import Kinds, index_values
from query.reading.lexicon import everyday_names, foreign_countries
from query.words import STOP_WORDS, singular

if TYPE_CHECKING:
    from query.reading.tokens import Token

_ACCESSIONS: Final = (
    ("run", re.compile(r"(?:[SED]RR|SYNR)\d+$", re.IGNORECASE)),
    ("study", re.compile(r"(?:[SED]RP|SYNS)\d+$", re.IGNORECASE)),
    ("project", re.compile(r"(?:PRJ[A-Z]{2}|SYNP)\d+$", re.IGNORECASE)),
    ("biosample", re.compile(r"(?:SAM[NED][A-Z]?|SYNB)\d+$", re.IGNORECASE)),
    ("community", re.compile(r"C\d+-[0-9a-f]+$")),
    ("sotu", re.compile(r"u\d+$")),
)
_VIRAL: Final = re.compile(r"(?i)vir(?:us|idae|inae|ales|icetes|icota|oid)\b|phage\b")
_KIND_OF_VIRUS: Final = re.compile(r"(?i)^([a-z]+)virus(?:es)?$")
_OF_HUMANS: Final = re.compile(r"(?i)[a-z]+virus [A-Z]?[0-9]{0,2}[A-Z]?")
"""A virus with a type, whose formal name begins with "human": adenovirus C."""
_ROOT: Final = "NCBITaxon:1"
"""The root of the taxonomy, which has the name of a part of a plant."""
_TYPE: Final = re.compile(r"(?i)\b(?:geno|sero)?type (?=[A-Z]?\d|[A-Z]\b)")
"""What a virus may have before its type: adenovirus type C."""
_BRITISH: Final = {"oea": "ea", "aem": "em", "oed": "ed", "umour": "umor"}
"""Letters in British English, and in American: diarrhoea."""
_SHORT: Final = 4
"""Letters of names that are mostly abbreviations: small letters may be plain words."""
_TIERS: Final = {"LABEL": 0, "EXACT": 1, "NARROW": 2, "RELATED": 3, "BROAD": 4}
Place = tuple[int, int]


def meanings_of(
    con: duckdb.DuckDBPyConnection, places: Sequence[Place], tokens: Sequence[Token]
) -> dict[Place, Kinds]:
    """Return what each sequence of words names, by kind."""
    written = {place: _spellings(tokens[place[0] : place[1]]) for place in places}
    every = sorted({spelling for spellings in written.values() for spelling in spellings})
    terms = _terms(con, every)
    diseases = {text for text, kinds in terms.items() if "disease" in kinds}
    viruses = _viruses(con, every, diseases)
    values = index_values(con)
    found: dict[Place, Kinds] = {}
    for place, spellings in written.items():
        kinds: Kinds = {}
        for spelling in spellings:
            is_cells = "cell line" in spellings[0].lower() and "cell line" not in spelling.lower()
            for kinds_here in (
                _settled(spelling),
                None if is_cells else viruses.get(spelling),
                terms.get(spelling),
                values.get(spelling.lower()),
            ):
                for kind, meant in (kinds_here or {}).items():
                    kinds.setdefault(kind, meant)
            if kinds:
                break
        words = tokens[place[0] : place[1]]
        kinds = {} if written[place][0].lower() in _designs() else _likely(kinds, words)
        if kinds:
            found[place] = kinds
    return _with_viruses(con, found)


def _with_viruses(con: duckdb.DuckDBPyConnection, found: dict[Place, Kinds]) -> dict[Place, Kinds]:
    """Return ``found`` with the virus of each disease that a virus is named after: hepatitis E."""
    named = {
        place: f"{kinds['disease'][0]} virus"
        for place, kinds in found.items()
        if "disease" in kinds and "virus" not in kinds
    }
    texts = sorted(set(named.values()))
    absent = {text: kinds for text, kinds in _terms(con, texts).items() if "virus" in kinds}
    viruses = absent | _viruses(con, texts, ())
    return {
        place: {**_virus_of(viruses.get(named.get(place, ""), {})), **kinds}
        for place, kinds in found.items()
    }


@functools.cache
def _designs() -> frozenset[str]:
    """Return the designs of studies, which are not tissues: cell culture."""
    from ontology_etl.reviewed_lists import read_reviewed

    return frozenset(read_reviewed("study_designs.tsv")["design"].unique().to_list())


def _virus_of(kinds: Kinds) -> Kinds:
    return {"virus": kinds["virus"]} if "virus" in kinds else {}


def _settled(text: str) -> Kinds:
    """Return what an accession, a reviewed, an everyday or a foreign name means."""
    kinds: Kinds = {}
    for kind, pattern in _ACCESSIONS:
        if pattern.match(text):
            return {kind: (text.upper() if kind not in ("community", "sotu") else text, None)}
    lower = text.lower()
    if group_key(text) in virus_groups():
        kinds["virus"] = (text, None)
    everyday = everyday_names().get(lower)
    if everyday is not None:
        kinds.setdefault(everyday.kind, (everyday.label, everyday.curie))
    for facet, kind in (("label", "host"), ("tissue", "tissue"), ("disease", "disease")):
        listed = reviewed_names()
        reviewed = listed.get((facet, lower)) or listed.get((facet, lower.removesuffix("n")), {})
        for curie, label in reviewed.items():
            kinds.setdefault("environment" if "metagenome" in label else kind, (label, curie))
    if lower in foreign_countries():
        kinds["country"] = (foreign_countries()[lower], None)
    if lower in parts_of_the_world():
        kinds["place"] = (parts_of_the_world()[lower][0], None)
    return kinds


def _viruses(
    con: duckdb.DuckDBPyConnection, spellings: Sequence[str], diseases: Collection[str]
) -> dict[str, Kinds]:
    """Return the virus names of the index that the spellings are.

    An abbreviation in small letters that is also one of ``diseases`` is not a plain word: mers.
    """
    import polars as pl

    from ontology_etl.viruses.keys import name_key

    texts = pl.DataFrame({"text": list(spellings)}, schema={"text": pl.String})
    keys = texts.with_columns(key=name_key(pl.col("text")))
    wanted = keys["key"].unique().to_list()
    known = con.execute(
        "SELECT DISTINCT key, kind, name FROM virus_name WHERE list_contains($1::VARCHAR[], key)",
        [wanted],
    ).fetchall()
    by_key: dict[str, list[tuple[str, str]]] = {}
    for key, kind, name in known:
        by_key.setdefault(key, []).append((kind, name))
    found: dict[str, Kinds] = {}
    for text, key in keys.iter_rows():
        names = by_key.get(key, [])
        if "," in text:  # influenza B, RSV
            names = [(kind, name) for kind, name in names if "," in name]
        if names and (text in diseases or not _is_accidental(text, names)):
            found[text] = {"virus": (text, None)}
    return found


def _is_accidental(text: str, names: Sequence[tuple[str, str]]) -> bool:
    """Return whether a short word in small letters only looks like an abbreviation."""
    kinds = {kind for kind, _ in names}
    if kinds - {"abbreviation"}:
        return False
    if any(name == text for _, name in names):
        return False
    return _is_short_word(text)


def _is_short_word(text: str) -> bool:
    """Return whether ``text`` is a short word of plain English: hi or Hi, but not HI."""
    is_small = text.islower() or text.istitle()
    return len(text) <= _SHORT and is_small and text.isalpha() and is_common(text.lower())


def _terms(con: duckdb.DuckDBPyConnection, spellings: Sequence[str]) -> dict[str, Kinds]:
    """Return the terms of the ontologies that spellings name."""
    import polars as pl

    from ontology_etl.folding import fold_each, fold_one

    folded = dict(zip(spellings, fold_each(list(spellings)), strict=True))
    families = {text: fold_one(_family_of(text)) for text in spellings}
    wanted = {form for form in (*folded.values(), *families.values()) if form}
    is_usable = ~pl.col("obsolete") & (pl.col("curie") != _ROOT)
    named = rows_named(con, wanted).filter(is_usable)
    carried = carried_terms(con)
    best: dict[str, dict[str, tuple[tuple[bool, int], str, str]]] = {}
    signed: set[tuple[str, str]] = set()
    abbreviated: set[tuple[str, str]] = set()
    for form, name, scope, curie, label, ontology in named.select(
        "folded", "name", "scope", "curie", "label", "ontology"
    ).iter_rows():
        is_latin = ontology == NCBI_TAXON and scope == "LABEL" and " " not in name
        if is_latin and curie not in carried and is_common(name.lower()):
            continue  # Goes, a beetle
        if label.endswith(" viruses"):
            continue  # "DNA viruses" is a genome, not a host
        if name.isupper():
            abbreviated.add((form, curie))
        kind = _kind_of(label, ontology)
        standing = (curie not in carried, _TIERS[scope])
        signed.add((form, _signs_of(name)))
        kinds = best.setdefault(form, {})
        if kind not in kinds or standing < kinds[kind][0]:
            kinds[kind] = (standing, label if scope != "LABEL" else name, curie)
    found: dict[str, Kinds] = {}
    for text in spellings:
        signs = _signs_of(text)
        if signs and (folded[text], signs) not in signed:
            continue
        kinds = best.get(folded[text], {})
        is_word = text in STOP_WORDS or (text.islower() and len(text) < 3)
        usable: Kinds = {
            kind: (label, curie)
            for kind, ((is_absent, tier), label, curie) in kinds.items()
            if (tier < 3 or not is_absent)
            and not (is_word and (folded[text], curie) in abbreviated)  # "goes" is not GO
        }
        family = families[text]
        if not usable and "virus" in best.get(family, {}):
            usable = {"virus": (text, None)}
        if usable:
            found[text] = dict(usable)
        if "virus" in usable:
            found[text]["virus"] = (text, None)
    return found


def _signs_of(text: str) -> str:
    """Return the commas, colons and brackets of ``text``: a list of names is not a name."""
    return "".join(character for character in text if character in ",:()")


def _family_of(text: str) -> str:
    """Return the family that a kind of virus is named after: coronaviruses, Coronaviridae."""
    found = _KIND_OF_VIRUS.match(text)
    return f"{found[1]}viridae" if found else ""


def _kind_of(label: str, ontology: str) -> str:
    if ontology == "DOID":
        return "disease"
    if ontology == "BTO":
        return "cell_line" if "cell line" in label else "tissue"
    if ontology == "ICTV" or _VIRAL.search(label):
        return "virus"
    return "environment" if "metagenome" in label else "host"


@same_for_all
def carried_terms(con: duckdb.DuckDBPyConnection) -> frozenset[str]:
    """Return the terms that some run carries, itself or by a term below."""
    return frozenset(curie for (curie,) in con.execute(_CARRIED).fetchall())


_CARRIED: Final = """
SELECT DISTINCT ancestor FROM closure SEMI JOIN (
    SELECT curie FROM annotation UNION ALL SELECT curie FROM stat_hit
    UNION ALL SELECT virus FROM detection
) held ON held.curie = closure.descendant
"""


def _likely(kinds: Kinds, words: Sequence[Token]) -> Kinds:
    """Return ``kinds`` without those that the spelling makes unlikely."""
    if len(words) > 1:
        return kinds
    text = words[0].text
    if len(text) == 1 and text.isascii():
        return {}
    if "reported" in kinds and "virus" in kinds:
        kinds = {kind: meant for kind, meant in kinds.items() if kind != "reported"}
    if _is_short_word(text):
        trusted = everyday_names().get(text.lower()) is not None or "disease" in kinds
        kinds = {
            kind: meant
            for kind, meant in kinds.items()
            if trusted or kind not in ("virus", "reported", "attribute")
        }
    return kinds


def _spellings(words: Sequence[Token]) -> tuple[str, ...]:
    """Return the words as written, then in the singular, without a possessive."""
    text = text_of(words)
    spellings = [text]
    if text.endswith(("'s", "’s")):
        spellings += [text[:-2], f"{text} disease"]
    untyped = _TYPE.sub("", text)
    spellings.append(untyped)
    if text.lower().endswith(" coronavirus"):
        spellings.append(f"{text[: -len(' coronavirus')]}-related coronavirus")
    for british, american in _BRITISH.items():
        spellings.append(text.replace(british, american))
    head, _, last = text.rpartition(" ")
    last_singular = singular(last)
    if last_singular != last.lower():
        spellings.append(f"{head} {last_singular}".strip())
    if last_singular in ("tissue", "organ") and head:
        spellings.append(f"{head} system")  # respiratory tissue
    endings = (" run", " runs", " sample", " samples", " cell line", " cell lines")
    spellings += [text[: -len(end)] for end in endings if text.lower().endswith(end)]
    if len(words) <= 2 and not text.islower():
        spellings.append(f"{text} cell")
    if len(words) <= 3:
        spellings.append(f"{text} virus")
    if _OF_HUMANS.fullmatch(untyped):
        spellings.append(f"human {untyped}")
    return tuple(dict.fromkeys(spelling for spelling in spellings if spelling))


def text_of(words: Sequence[Token]) -> str:
    """Return the text of neighbouring tokens, with blanks where they were."""
    pieces = [words[0].text]
    for before, word in pairwise(words):
        pieces.append((" " if word.start > before.end else "") + word.text)
    return "".join(pieces)


def is_common(word: str) -> bool:
    """Return whether ``word`` is common in English; never without an installed sentence model."""
    from index.errors import ModelUnavailableError
    from index.models import embeddings

    try:
        return embeddings.is_common(word)
    except ModelUnavailableError:
        return False

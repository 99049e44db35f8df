"""How often grounding gives what other curators gave: values and samples of public golds.

    python -m benchmarks.external_golds              every gold, both halves
    python -m benchmarks.external_golds --faults 1   and the faults of the first half
    python -m benchmarks.external_golds --record     the figures go to benchmarks/results

Each gold is split in two by a digest of its values (of its samples, where a value is one of many).
Rules are made from faults of the first half alone, so the second says what they do elsewhere.

Values: right where the terms given are among those expected. Pairs that a curator rejected: wrong
where the rejected term is given, by its exact name (as the ontology spells it: a name grounds) or
otherwise. Samples: the terms of all attributes that grounding reads.
*MetaSRA* is scored as its authors' terms allow: an answer is right where it is an expected term or
below one, and an expected term is found where it or a term below it is given. ``reachable`` is the
most that names can give: terms that some attribute of the sample spells, by a name of theirs or of
a term below. Generic names (cancer, neoplasm, cell culture) are never given and do not count. The
rest comes from records of cell lines and of studies, not from the sample.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Final

import polars as pl
import polars.selectors as cs

from benchmarks.grounding_accuracy import ONTOLOGY_FILES, read_tsv
from benchmarks.places import data_parser, results_folder
from ontology_etl.folding import fold, folded_column, separate
from ontology_etl.grounding import ground
from ontology_etl.load import load_ontologies
from ontology_etl.matching import find_spans
from ontology_etl.vocabulary import Vocabulary, build_vocabulary

VALUE_GOLDS: Final = {
    "UK Biobank": "disease_ukbb_efo",
    "cBioPortal": "disease_cbioportal_ncit",
    "NCBI disease corpus": "disease_ncbi_corpus",
    "biomappings": "names_biomappings",
}
REJECTED: Final = "wrong_names_biomappings"
CELL_LINES: Final = "samples_cell_line_bsllmner"
METASRA: Final = "samples_metasra"
FACETS: Final = ("tissue", "disease")
"""Facets whose terms the golds of samples expect."""
SAME_ORIGIN: Final = {"DOID:0050686": "DOID:162", "DOID:0050687": "DOID:162"}
"""Terms that one term of the annotators (EFO's cancer) was mapped to beside another."""


def half_of(value: str) -> int:
    """Return the half, 1 or 2, that ``value`` belongs to."""
    return 1 + hashlib.sha256(value.encode()).digest()[-1] % 2


def read_gold(data: Path, name: str) -> pl.DataFrame:
    """Return a gold with its ``half``, by sample where it has samples; empty cells are ``""``."""
    listed = read_tsv(data / "gold" / f"{name}.tsv.gz").with_columns(pl.all().fill_null(""))
    key = "sample" if "sample" in listed.columns else "text"
    halves = [half_of(value) for value in listed[key]]
    return listed.with_columns(pl.Series("half", halves))


def attributes_of(samples: pl.DataFrame) -> pl.DataFrame:
    """Return [sample, attribute, text] of the attributes of ``samples``."""
    rows = [
        (sample, attribute, text)
        for sample, listed in samples.select("sample", "attributes").iter_rows()
        for attribute, text in json.loads(listed).items()
    ]
    return pl.DataFrame(rows, schema=["sample", "attribute", "text"], orient="row")


def judge_values(gold: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return ``gold`` [text, attribute, expected, …] with ``given``, ``right`` and ``renamed``.

    ``renamed`` is true where the value is, letter for letter, a name that the vocabulary has for
    another term than the one expected: giving the expected term would contradict the ontology.
    """
    found = ground(gold.select("attribute", "text").unique(), vocabulary)
    grounded = found.filter(pl.col("outcome") == "grounded")
    given = grounded.group_by("attribute", "text").agg(given=pl.col("curie").unique().sort())
    whole = grounded.filter("whole", pl.col("method") == "dictionary")
    named = whole.select("attribute", "text", named=True).unique()
    joined = gold.join(given, on=["attribute", "text"], how="left", maintain_order="left")
    answered = joined.join(named, on=["attribute", "text"], how="left", maintain_order="left")
    expected = pl.col("expected").str.split("|")
    extra = pl.col("given").list.set_difference(expected).list.len()
    right = ((pl.col("given").list.len() > 0) & (extra == 0)).fill_null(False)
    return answered.with_columns(right=right, renamed=~right & pl.col("named").fill_null(False))


def judge_rejected(pairs: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return ``pairs`` [text, attribute, wrong, …] with ``given`` and ``renamed`` as in
    ``judge_values``, and whether the rejected term is given: ``accepted``.
    """
    judged = judge_values(pairs.with_columns(expected=pl.col("wrong")), vocabulary)
    accepted = pl.col("given").list.contains(pl.col("wrong")).fill_null(False)
    spelled = pl.col("named").fill_null(False)
    return judged.with_columns(accepted=accepted, renamed=accepted & spelled)


def terms_of_samples(samples: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return [sample, curie] of the tissues, cell lines and diseases that ``samples`` state."""
    stated = attributes_of(samples)
    found = ground(stated.select("attribute", "text").unique(), vocabulary)
    grounded = found.filter(pl.col("outcome") == "grounded", pl.col("facet").is_in(FACETS))
    named = stated.join(grounded, on=["attribute", "text"])
    return named.select("sample", "curie").unique().sort("sample", "curie")


def judge_cell_lines(samples: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return the ``samples`` of which a cell line is expected, with ``right``."""
    given = terms_of_samples(samples, vocabulary).group_by("sample").agg(given="curie")
    expecting = samples.filter(pl.col("expected") != "").join(given, on="sample", how="left")
    met = pl.col("given").list.set_intersection(pl.col("expected").str.split("|")).list.len()
    return expecting.with_columns(right=(met > 0).fill_null(False))


def judge_terms(samples: pl.DataFrame, vocabulary: Vocabulary) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the answers [sample, half, curie, right] and the expected terms [sample, half, term,
    found, generic] of ``samples``.

    An answer is right where it is expected, or bears a name of a term that the annotators gave,
    mapped to our vocabularies or not (``U2OS``, ``pancreatic cancer`` of a pancreatic cancer cell
    line), or is below such a term.
    """
    answers = terms_of_samples(samples, vocabulary).join(samples, on="sample")
    expected = samples.select("sample", "half", term=pl.col("expected").str.split("|"))
    listed = expected.explode("term").filter(pl.col("term") != "")
    terms = listed.with_columns(pl.col("term").replace(SAME_ORIGIN)).unique()
    pairs = answers.select("sample", "curie").join(terms.select("sample", "term"), on="sample")
    below = vocabulary.is_ancestor(pairs["term"], pairs["curie"])
    met = pairs.filter(below | (pairs["term"] == pairs["curie"]))
    right = answers.join(met, on=["sample", "curie"], how="semi")
    named = _with_unmapped_name(answers, vocabulary)
    both = pl.concat([right.select("sample", "curie"), named]).unique().with_columns(right=True)
    judged = answers.select("sample", "half", "attributes", "curie")
    judged = judged.join(both, on=["sample", "curie"], how="left").with_columns(
        pl.col("right").fill_null(False)
    )
    found = met.select("sample", "term").unique().with_columns(found=True)
    of_terms = terms.join(found, on=["sample", "term"], how="left").with_columns(
        pl.col("found").fill_null(False),
        generic=pl.col("term").is_in(sorted(vocabulary.generic)),
    )
    return judged.sort("sample", "curie"), of_terms.sort("sample", "term")


def _with_unmapped_name(answers: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return [sample, curie] of the answers that share a name with a term of the annotators, or are
    below one that does.
    """
    labels = vocabulary.labels.join(answers, on="curie", how="semi")
    above = vocabulary.ancestors.join(labels, left_on="descendant", right_on="curie", how="semi")
    own = labels.select(curie="curie", term="curie")
    terms = pl.concat([own, above.select(curie="descendant", term="ancestor")])
    names = vocabulary.names.filter(pl.col("facet").is_in(FACETS))
    spelled = names.select(term="curie", key=_key(pl.col("folded"))).unique()
    keyed = terms.join(spelled, on="term").select("curie", "key").unique()
    original = pl.col("original_id").str.split("|")
    stated = answers.select("sample", "curie", label=original).explode("label")
    label = pl.col("label").str.replace(r"^[^=]*=", "")
    named = stated.with_columns(key=_key(fold(separate(label)))).filter(pl.col("key") != "")
    return named.join(keyed, on=["curie", "key"]).select("sample", "curie").unique()


def _key(name: pl.Expr) -> pl.Expr:
    """Return the letters and digits of a folded name, without the word "cell" behind it."""
    plain = name.str.replace(r" (?:cell line|cell)$", "").str.replace(r"^human ", "")
    return plain.str.replace_all(" ", "", literal=True)


def reachable_terms(
    samples: pl.DataFrame, terms: pl.DataFrame, vocabulary: Vocabulary
) -> pl.DataFrame:
    """Return [sample, term] of the expected ``terms`` that some attribute of the sample, read or
    not, spells by a name of theirs or of a term below them, but for generic names.
    """
    texts = attributes_of(samples).select("sample", text=folded_column("text"))
    whole = texts.group_by("sample").agg(text=pl.col("text").str.join(" ; "))
    is_generic = pl.col("curie").is_in(sorted(vocabulary.generic))
    names = vocabulary.names.filter(pl.col("facet").is_in(FACETS), ~is_generic)
    spelled = find_spans(whole["text"], names["folded"]).select("text", "pattern").unique()
    said = pl.DataFrame(
        {
            "sample": whole["sample"].gather(spelled["text"]),
            "curie": names["curie"].gather(spelled["pattern"]),
        }
    ).unique()
    pairs = terms.select("sample", "term").join(said, on="sample")
    below = vocabulary.is_ancestor(pairs["term"], pairs["curie"])
    return pairs.filter(below | (pairs["term"] == pairs["curie"])).select("sample", "term").unique()


def kinds_of_values(wrong: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return ``wrong`` values with ``kind``: what is given in place of what is expected."""
    listed = pl.col("expected").str.split("|")
    numbered = wrong.with_row_index("value").with_columns(wanted=listed)
    pairs = numbered.explode("given").explode("wanted").drop_nulls(["given", "wanted"])
    wider = pairs.filter(vocabulary.is_ancestor(pairs["given"], pairs["wanted"]))
    narrower = pairs.filter(vocabulary.is_ancestor(pairs["wanted"], pairs["given"]))
    kind = (
        pl.when("renamed")
        .then(pl.lit("a name of another term"))
        .when(pl.col("given").is_null())
        .then(pl.lit("nothing"))
        .when(pl.col("value").is_in(wider["value"].implode()))
        .then(pl.lit("a wider term"))
        .when(pl.col("value").is_in(narrower["value"].implode()))
        .then(pl.lit("a narrower term"))
        .otherwise(pl.lit("another term"))
    )
    return numbered.with_columns(kind=kind).drop("value", "wanted")


def kinds_of_pairs(accepted: pl.DataFrame) -> pl.DataFrame:
    """Return ``accepted`` pairs with ``kind``: how the rejected term is named."""
    kind = (
        pl.when(~pl.col("renamed"))
        .then(pl.lit("a part of the value, or its words in another order"))
        .when(pl.col("attribute") == "host")
        .then(pl.lit("the exact name of a taxon"))
        .otherwise(pl.lit("the exact name of a disease or tissue"))
    )
    return accepted.with_columns(kind=kind)


def kinds_of_terms(missed: pl.DataFrame) -> pl.DataFrame:
    """Return ``missed`` terms [term, generic, reachable, …] with ``kind``: why none is given."""
    kind = (
        pl.when("reachable")
        .then(pl.lit("in a longer name, or in an attribute that is not read"))
        .when("generic")
        .then(pl.lit("too general"))
        .otherwise(pl.lit("no attribute spells it"))
    )
    return missed.with_columns(kind=kind)


def summary(gold: str, measure: str, judged: pl.DataFrame, column: str) -> list[dict[str, Any]]:
    """Return one row per half: how many of ``judged`` there are, and for how many ``column``."""
    counted = judged.group_by("half").agg(of=pl.len(), count=pl.col(column).sum()).sort("half")
    return [
        {"gold": gold, "measure": measure, "half": half, "count": count, "of": of}
        | {"share": round(count / of, 3)}
        for half, of, count in counted.iter_rows()
    ]


def measure(data: Path) -> tuple[list[dict[str, Any]], dict[str, pl.DataFrame]]:
    """Return the figures of every gold, and by gold the values that were judged wrong."""
    values = {label: read_gold(data, name) for label, name in VALUE_GOLDS.items()}
    rejected = read_gold(data, REJECTED)
    samples = {name: read_gold(data, name) for name in (CELL_LINES, METASRA)}
    texts = [gold["text"] for gold in (*values.values(), rejected)]
    texts += [attributes_of(gold)["text"] for gold in samples.values()]
    vocabulary = load_vocabulary(data, pl.concat(texts))
    rows: list[dict[str, Any]] = []
    faults = {}
    for label, gold in values.items():
        judged = judge_values(gold, vocabulary)
        rows += summary(label, "right", judged, "right")
        rows += summary(label, "named otherwise", judged, "renamed")
        faults[label] = kinds_of_values(judged.filter(~pl.col("right")), vocabulary)
    pairs = judge_rejected(rejected, vocabulary)
    rows += summary("rejected pairs", "accepted", pairs, "accepted")
    rows += summary("rejected pairs", "by exact name", pairs, "renamed")
    pairs = pairs.with_columns(loose=pl.col("accepted") & ~pl.col("renamed"))
    rows += summary("rejected pairs", "otherwise", pairs, "loose")
    faults["rejected pairs"] = kinds_of_pairs(pairs.filter("accepted"))
    lines = judge_cell_lines(samples[CELL_LINES], vocabulary)
    rows += summary("cell lines", "right", lines, "right")
    faults["cell lines"] = lines.filter(~pl.col("right"))
    answers, terms = judge_terms(samples[METASRA], vocabulary)
    reachable = reachable_terms(samples[METASRA], terms, vocabulary)
    reach = terms.join(reachable.with_columns(reachable=True), on=["sample", "term"], how="left")
    reach = reach.with_columns(reachable=pl.col("reachable").fill_null(False) | pl.col("found"))
    rows += summary("MetaSRA", "precision", answers, "right")
    rows += summary("MetaSRA", "recall", terms, "found")
    rows += summary("MetaSRA", "reachable", reach, "reachable")
    rows += summary("MetaSRA", "generic", terms, "generic")
    faults["MetaSRA answers"] = answers.filter(~pl.col("right"))
    faults["MetaSRA terms"] = kinds_of_terms(reach.filter(~pl.col("found")))
    return rows, faults


def load_vocabulary(data: Path, texts: pl.Series) -> Vocabulary:
    """Return the vocabulary of the three ontologies under ``data``, with cross-references, of the
    names that ``texts`` can hold.
    """
    paths = {name: data / "ontologies" / file for name, file in ONTOLOGY_FILES.items()}
    tables = load_ontologies(paths)
    return build_vocabulary(
        tables.term, tables.synonym, tables.term_edge, texts=texts, xref=tables.xref
    )


def main() -> None:
    """Print the figures, and with ``--faults`` the faults of one half; write the figures."""
    parser = data_parser(__doc__)
    parser.add_argument("--faults", type=int, choices=(1, 2), help="list the faults of this half")
    options = parser.parse_args()
    rows, faults = measure(options.data)
    for gold, wrong in faults.items() if options.faults else ():
        print(f"\n{gold}")
        shown = wrong.filter(half=options.faults)
        for row in shown.drop("half").with_columns(cs.list().list.join("|")).iter_rows():
            print("  ".join(str(value) for value in row))
    for figures in rows:
        print("{gold:20} {measure:16} {half}  {count:>4} of {of:>4}  {share:.3f}".format(**figures))
    for gold, wrong in faults.items():
        if "kind" in wrong.columns:
            counted = wrong.group_by("half", "kind").len().sort("half", "kind")
            for half, kind, count in counted.iter_rows():
                print(f"{gold:20} {kind:54} {half}  {count:>4}")
    path = results_folder(record=options.record) / "external_golds.json"
    path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

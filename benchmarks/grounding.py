"""Grounding by spaCy's PhraseMatcher, the usual tool, and by ours: same names, same texts.

    python -m benchmarks.grounding                      both engines, both vocabularies
    python -m benchmarks.grounding --peer-python PY     spaCy from another environment
    python -m benchmarks.grounding --stream 10000000    synthetic attributes through ours, in blocks
    python -m benchmarks.grounding --record             the figures go to benchmarks/results

Texts: every attribute value of the BioSample and GEO records. Vocabularies: BTO with DO, and all
three ontologies. Every text is read against every name. Three figures per engine, each in a process
of its own: ``build`` turns names into something to match with (ours looks at the texts first and
folds only the names that they can hold), ``distinct`` grounds each distinct text once, ``rows``
grounds the column as it stands. spaCy matches tokens in lower case and no more; ours also folds
spelling, judges case, denial and generic terms, settles ambiguity and writes a checked table; what
that buys is ``f1`` on the hand-checked values of ``tests/gold``.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Final

import polars as pl

from benchmarks.grounding_stream import FACETS, PREPARED, prepared_table, stream
from benchmarks.places import data_parser, results_folder
from benchmarks.processes import measured_apart, peak_mb, timed

TEXT_FILES: Final = ("biosample_attributes.tsv.gz", "geo_sample_attributes.tsv.gz")
ONTOLOGY_FILES: Final = {"NCBITaxon": "taxdump.tar.gz", "BTO": "bto.obo", "DOID": "doid.obo"}
VOCABULARIES: Final = {"BTO and DO": ("BTO", "DOID"), "all three": ("BTO", "DOID", "NCBITaxon")}


def prepare(data: Path) -> dict[str, Any]:
    """Write terms, names, texts and gold values to ``PREPARED`` as Parquet; return how many there
    are.
    """
    from benchmarks.grounding_accuracy import read_gold, read_tsv
    from ontology_etl.load import load_ontologies

    PREPARED.mkdir(parents=True, exist_ok=True)
    tables = load_ontologies(
        {name: data / "ontologies" / file for name, file in ONTOLOGY_FILES.items()}
    )
    live = tables.term.filter(~pl.col("obsolete")).select("curie", "ontology", name="label")
    synonyms = tables.synonym.join(live.select("curie", "ontology"), on="curie").rename(
        {"synonym": "name"}
    )
    names = pl.concat([live, synonyms.select(live.columns)]).unique().sort("curie", "name")
    texts = pl.concat(
        [read_tsv(data / "virome" / file).select(text="value") for file in TEXT_FILES]
    )
    written = {
        "term": tables.term,
        "synonym": tables.synonym,
        "term_edge": tables.term_edge,
        "names": names,
        "texts": texts.drop_nulls(),
        "gold": read_gold(),
    }
    for name, table in written.items():
        table.write_parquet(PREPARED / f"{name}.parquet")
    return {
        "names": len(names),
        "rows": len(texts),
        "distinct": texts["text"].n_unique(),
        "gold": len(written["gold"]),
    }


def ground_with_ours(ontologies: tuple[str, ...]) -> dict[str, Any]:
    """Return seconds, peak memory and accuracy of our engine."""
    from ontology_etl.grounding import ground
    from ontology_etl.vocabulary import build_vocabulary

    term = prepared_table("term").filter(pl.col("ontology").is_in(ontologies))
    synonym = prepared_table("synonym").join(
        term.select("curie"),
        on="curie",
        how="semi",
    )
    edges = prepared_table("term_edge").join(
        term.select(subject="curie"),
        on="subject",
        how="semi",
    )
    texts = prepared_table("texts")
    facets = pl.DataFrame(
        {"attribute": [facet for facet, name in FACETS.items() if name in ontologies]}
    )
    seconds: dict[str, float] = {}
    gold = prepared_table("gold")
    said = pl.concat([texts["text"], gold["text"]])
    with timed(seconds, "build"):
        vocabulary = build_vocabulary(term, synonym, edges, texts=said)
    with timed(seconds, "distinct"):
        found = ground(texts.unique().join(facets, how="cross"), vocabulary)
    with timed(seconds, "rows"):
        ground(texts.join(facets, how="cross"), vocabulary)
    hits = found.filter(pl.col("outcome") == "grounded")["text"].n_unique()
    peak = peak_mb()
    answers = ground(gold.select("attribute", "text"), vocabulary).filter(
        pl.col("outcome") == "grounded"
    )
    return {
        **seconds,
        "peak_mb": peak,
        "texts_with_a_term": hits,
        "f1": f1_by_facet(answers, gold, ontologies),
    }


def ground_with_spacy(ontologies: tuple[str, ...]) -> dict[str, Any]:
    """Return seconds, peak memory and accuracy of PhraseMatcher over a blank English pipeline,
    longest match kept.
    """
    import spacy  # type: ignore[import-not-found, unused-ignore]
    from spacy.matcher import PhraseMatcher  # type: ignore[import-not-found, unused-ignore]
    from spacy.util import filter_spans  # type: ignore[import-not-found, unused-ignore]

    names = prepared_table("names").filter(pl.col("ontology").is_in(ontologies))
    column = prepared_table("texts")["text"]
    distinct, rows = column.unique(maintain_order=True).to_list(), column.to_list()
    seconds: dict[str, float] = {}
    nlp = spacy.blank("en")
    matcher = PhraseMatcher(nlp.vocab, attr="LOWER")
    with timed(seconds, "build"):
        for ontology in ontologies:
            written = names.filter(pl.col("ontology") == ontology)["name"].unique(
                maintain_order=True
            )
            matcher.add(ontology, [nlp.make_doc(name) for name in written.to_list()])

    def match(texts: list[str]) -> list[tuple[str, str, str]]:
        found = ((doc.text, matcher(doc, as_spans=True)) for doc in nlp.pipe(texts))
        return [
            (text, span.label_, span.text) for text, spans in found for span in filter_spans(spans)
        ]

    with timed(seconds, "distinct"):
        found = match(distinct)
    with timed(seconds, "rows"):
        match(rows)
    peak = peak_mb()
    gold = prepared_table("gold")
    matched = pl.DataFrame(
        match(gold["text"].unique().to_list()), schema=["text", "ontology", "name"], orient="row"
    )
    lower = pl.col("name").str.to_lowercase()
    curies = names.with_columns(lower).join(matched.with_columns(lower), on=["ontology", "name"])
    answers = gold.select("attribute", "text", "facet").join(curies, on="text")
    own = pl.col("facet").replace_strict(
        {
            "label": "NCBITaxon",
            "tissue": "BTO",
            "disease": "DOID",
        }
    )
    answers = answers.filter(pl.col("ontology") == own)
    hits = len({text for text, _, _ in found})
    return {
        **seconds,
        "peak_mb": peak,
        "texts_with_a_term": hits,
        "f1": f1_by_facet(answers, gold, ontologies),
    }


def f1_by_facet(
    answers: pl.DataFrame, gold: pl.DataFrame, ontologies: tuple[str, ...]
) -> dict[str, float]:
    """Return F1 of ``answers`` [attribute, text, facet, curie] against ``gold`` for each facet of
    ``ontologies``.
    """
    key = ["attribute", "text", "facet", "curie"]
    wanted = (
        gold.with_columns(curie=pl.col("curies").str.split("|"))
        .explode("curie")
        .filter(pl.col("curie") != "")
    )
    given = (
        answers.select(key)
        .unique()
        .join(
            gold,
            on=key[:3],
            how="semi",
        )
    )
    measured = {}
    for facet, ontology in (("label", "NCBITaxon"), ("tissue", "BTO"), ("disease", "DOID")):
        if ontology in ontologies:
            mine, right = given.filter(facet=facet), wanted.filter(facet=facet).select(key).unique()
            measured[facet] = round(2 * len(mine.join(right, on=key)) / (len(mine) + len(right)), 3)
    return measured


def plot(measured: dict[str, Any], path: Path) -> None:
    """Write seconds and peak memory of both engines over both vocabularies as bars, logarithmic."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    mpl.rcParams["svg.hashsalt"] = "grounding"
    figure, axes = plt.subplots(1, 3, figsize=(9, 2.8), layout="constrained")
    titles = {
        "build": "build, s",
        "distinct": "ground distinct texts, s",
        "peak_mb": "peak memory, MB",
    }
    for axis, (figure_name, title) in zip(axes, titles.items(), strict=True):
        for offset, engine in enumerate(("ours", "spacy")):
            heights = [
                measured["runs"][vocabulary][engine][figure_name] for vocabulary in VOCABULARIES
            ]
            bars = axis.bar(
                [place + 0.4 * offset for place in range(len(heights))], heights, 0.38, label=engine
            )
            axis.bar_label(bars, fmt="{:,.4g}", fontsize=7)
        axis.set(title=title, yscale="log", xticks=[0.2, 1.2], xticklabels=list(VOCABULARIES))
        axis.margins(y=0.2)
    axes[0].legend(frameon=False, fontsize=8)
    figure.savefig(path, metadata={"Date": None})


def compare(data: Path, *, peer_python: str) -> dict[str, Any]:
    """Return the figures of both engines over both vocabularies, and their ratio."""
    apart = "benchmarks.grounding"
    texts = measured_apart(apart, [str(data), "--one", "prepare", ""])
    runs: dict[str, Any] = {}
    for vocabulary in VOCABULARIES:
        ours = measured_apart(apart, [str(data), "--one", "ours", vocabulary])
        peer = measured_apart(
            apart,
            [str(data), "--one", "spacy", vocabulary],
            python=peer_python,
        )
        runs[vocabulary] = {
            "ours": ours,
            "spacy": peer,
            "ratio": _ratios(ours, peer),
        }
        print(json.dumps({vocabulary: runs[vocabulary]}, indent=2), file=sys.stderr, flush=True)
    return {
        "texts": texts,
        "runs": runs,
    }


def run_apart(engine: str, data: Path, vocabulary: str) -> dict[str, Any]:
    """Return the figures of one step of the comparison, run in this process."""
    if engine == "prepare":
        return prepare(data)
    ground_with = {"ours": ground_with_ours, "spacy": ground_with_spacy}[engine]
    return ground_with(VOCABULARIES[vocabulary])


def main() -> None:
    """Run the comparison or the stream; print its figures and write them."""
    parser = data_parser(__doc__)
    parser.add_argument(
        "--stream", type=int, metavar="ROWS", help="ground so many synthetic attributes instead"
    )
    parser.add_argument(
        "--peer-python", default=sys.executable, help="python that has spaCy and polars"
    )
    parser.add_argument("--one", nargs=2, metavar=("ENGINE", "VOCABULARY"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        engine, vocabulary = options.one
        print(json.dumps(run_apart(engine, options.data, vocabulary)))
        return
    results = results_folder(record=options.record)
    if options.stream:
        measured_apart("benchmarks.grounding", [str(options.data), "--one", "prepare", ""])
        measured = stream(options.stream, seed=42)
        name = "grounding_stream.json"
    else:
        measured = compare(options.data, peer_python=options.peer_python)
        plot(measured, results / "grounding.svg")
        name = "grounding.json"
    (results / name).write_text(json.dumps(measured, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(measured, indent=2))


def _ratios(ours: dict[str, Any], peer: dict[str, Any]) -> dict[str, float]:
    """Return how many times the peer's CPU time is ours: to build, per distinct text, per row, and
    for the whole job.

    CPU time of all threads, because a busy machine slows the two unevenly; ours uses more than one
    thread, spaCy one.
    """
    parts = {
        name: (peer[f"{name}_cpu"], ours[f"{name}_cpu"]) for name in ("build", "distinct", "rows")
    }
    whole = tuple(parts["build"][side] + parts["rows"][side] for side in (0, 1))
    pairs = parts | {"build_and_rows": whole, "peak_mb": (peer["peak_mb"], ours["peak_mb"])}
    return {name: round(theirs / mine, 2) for name, (theirs, mine) in pairs.items()}


if __name__ == "__main__":
    main()

"""Each label and exact synonym of each live term means a term of that very name, or is ambiguous:
in the engine that grounds, and in the names that questions and ``query term`` look up.

Excepted are reviewed names, which settle what an ontology gets wrong, spellings of no value, and
names of unnamed sequences (``uncultured bacterium``), which name nothing.
"""

from __future__ import annotations

import duckdb
import polars as pl
import pytest

from index.store.names import hash_of, rows_named
from ontology_etl.denials import null_spellings
from ontology_etl.facets import FACET_OF_ONTOLOGY
from ontology_etl.folding import fold, separate
from ontology_etl.grounding import ground_text
from ontology_etl.load import OntologyTables
from ontology_etl.reviewed_lists import read_reviewed
from ontology_etl.vocabulary import Vocabulary, build_vocabulary
from query.browsing.terms import read_term
from query.browsing.vocabulary import vocabulary_for
from query.reading.names import find_names
from query.reading.tokens import tokens_of

_UNNAMED = r"^(?:uncultured|unidentified) |^environmental samples$|^culture condition:"


def names_of(term: pl.DataFrame, synonym: pl.DataFrame) -> pl.DataFrame:
    """Return [facet, curie, name] of the labels and exact synonyms of live terms."""
    facet = pl.col("ontology").replace_strict(FACET_OF_ONTOLOGY, default=None)
    live = term.filter(~pl.col("obsolete")).with_columns(facet=facet).drop_nulls("facet")
    labels = live.select("facet", "curie", name="label")
    exact = synonym.filter(pl.col("scope") == "EXACT")
    synonyms = exact.join(live, on="curie").select("facet", "curie", name="synonym")
    return pl.concat([labels, synonyms]).unique()


def folded(named: pl.DataFrame) -> pl.DataFrame:
    """Return ``named`` with the folded form of each name."""
    return named.with_columns(folded=fold(separate(pl.col("name"))))


def some_taxa(named: pl.DataFrame) -> pl.DataFrame:
    """Return all tissues and diseases of ``named``, a fifth of the viruses and a hundredth of the
    other taxa, always the same; names that differ in case only are taken together.
    """
    is_viral = pl.col("name").str.contains(r"(?i)vir(?:us|idae|ales)|phage")
    number = pl.col("name").str.to_lowercase().hash(seed=0)
    share = pl.when(is_viral).then(5).otherwise(100)
    return named.filter((pl.col("facet") != "label") | (number % share == 0))


def telling(named: pl.DataFrame) -> pl.DataFrame:
    """Return ``named`` without what is excepted."""
    reviewed = read_reviewed("names.tsv").select("facet", folded=fold(separate(pl.col("name"))))
    says_nothing = pl.col("folded").is_in(null_spellings().implode())
    has_letters = pl.col("folded").str.contains(r"\p{L}")
    kept = named.filter(~says_nothing, has_letters, ~pl.col("name").str.contains(_UNNAMED))
    return kept.join(reviewed.unique(), on=["facet", "folded"], how="anti").sort("name", "curie")


def astray(named: pl.DataFrame, vocabulary: Vocabulary, all_names: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of ``named`` of one facet that mean a term without their name, or nothing."""
    from ontology_etl.grounding import _ground_routed

    facet = named["facet"][0]
    texts = named.select(text="name").unique()
    routed = texts.with_columns(
        attribute=pl.lit(facet), facet=pl.lit(facet), role=pl.lit("question")
    )
    found = _ground_routed(routed.select("attribute", "facet", "text", "role"), vocabulary)
    is_read = pl.col("outcome").is_in(["grounded", "ambiguous", "generic"])
    read = found.filter(is_read).explode("candidates")
    asked = named.select("name", "folded").unique()
    meant = read.join(asked, left_on="text", right_on="name")
    same = all_names.select("folded", candidates="curie").unique()
    own = meant.join(same, on=["folded", "candidates"], how="semi")
    return named.join(own.select(name="text"), on="name", how="anti")


def test_every_name_of_the_sample_means_a_term_of_that_name(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    tables = [sample_db.table(name).pl() for name in ("term", "synonym", "term_edge")]
    named = folded(names_of(*tables[:2]))
    asked = telling(named)
    vocabulary = build_vocabulary(*tables)
    parts = asked.partition_by("facet")
    lost = pl.concat([astray(part, vocabulary, named) for part in parts])
    assert len(asked) > 1_000
    assert lost["name"].to_list() == []


def test_every_name_of_the_sample_is_found_by_its_folded_form(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    named = folded(names_of(sample_db.table("term").pl(), sample_db.table("synonym").pl()))
    worded = named.filter(pl.col("folded") != "")
    found = rows_named(sample_db, worded["folded"])
    lost = worded.join(found, on=["folded", "curie", "name"], how="anti")
    assert lost["name"].to_list() == []


def test_a_text_is_read_with_all_names_as_by_the_whole_vocabulary(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    tables = [sample_db.table(name).pl() for name in ("term", "synonym", "term_edge")]
    asked = telling(folded(names_of(*tables[:2])))
    several = asked.filter(pl.col("name").str.contains(" "))["name"].unique().sort()
    texts = several.gather_every(max(1, len(several) // 10))
    whole = build_vocabulary(*tables, texts=texts)
    for text in texts:
        part = ground_text(text, vocabulary_for(sample_db, text))
        assert part.rows() == ground_text(text, whole).rows(), text


@pytest.mark.real
def test_every_name_of_the_real_ontologies_means_a_term_of_that_name(
    real_ontologies: OntologyTables,
) -> None:
    term, synonym, term_edge = (
        getattr(real_ontologies, name) for name in ("term", "synonym", "term_edge")
    )
    named = folded(some_taxa(names_of(term, synonym)))
    asked = telling(named)
    assert len(asked) > 50_000
    for part in asked.partition_by("facet"):
        same = named.join(part, on=["facet", "folded"], how="semi")["curie"].unique().implode()
        is_same = pl.col("curie").is_in(same)
        vocabulary = build_vocabulary(term.filter(is_same), synonym.filter(is_same), term_edge)
        assert astray(part, vocabulary, named)["name"].to_list() == []


def test_names_that_share_a_hash_are_distinguished(sample_db: duckdb.DuckDBPyConnection) -> None:
    stored = sample_db.execute("SELECT hash FROM name ORDER BY rowid").fetchall()
    hashes = [value for (value,) in stored]
    assert hashes == sorted(hashes)
    assert hash_of("lung") in hashes
    assert rows_named(sample_db, ["lung"])["label"].unique().to_list() == ["lung"]
    assert rows_named(sample_db, ["no such name at all"]).is_empty()


@pytest.mark.parametrize("label", ["small intestine", "Homo sapiens"])
def test_query_term_reads_a_whole_label_as_its_term(
    sample_db: duckdb.DuckDBPyConnection, label: str
) -> None:
    (reading, *_) = read_term(sample_db, label)
    assert reading.label == label


def test_a_question_reads_a_whole_name_as_its_term(sample_db: duckdb.DuckDBPyConnection) -> None:
    tables = [sample_db.table(name).pl() for name in ("term", "synonym")]
    named = folded(names_of(*tables))
    asked = telling(named).filter(pl.col("facet") != "label")
    begins = "How many runs have "
    some = asked.gather_every(max(1, len(asked) // 200)).gather_every(6)
    astray = []
    for name, form in some.select("name", "folded").iter_rows():
        tokens = tokens_of(f"{begins}{name}?")
        own = set(named.filter(pl.col("folded") == form)["curie"])
        found = find_names(sample_db, tokens)
        whole = [one for one in found if tokens[one.first].start == len(begins)]
        covers = whole and tokens[whole[0].last - 1].end == len(begins) + len(name)
        if len(tokens) > 18:
            continue
        if not covers or (whole[0].curie not in own and whole[0].kind != "virus"):
            astray.append((name, found))
    assert len(some) > 25
    assert [name for name, _ in astray] == [], astray


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("runs from rats", [("host", "rats")]),
        ("runs with hepatitis A", [("virus", "hepatitis A")]),
        ("runs of acute hepatitis B", [("disease", "hepatitis B")]),
        ("runs of lung, liver", [("tissue", "lung"), ("tissue", "liver")]),
    ],
)
def test_what_a_question_names(
    sample_db: duckdb.DuckDBPyConnection, question: str, names: list[tuple[str, str]]
) -> None:
    found = find_names(sample_db, tokens_of(question))
    assert [(one.kind, one.name) for one in found] == names

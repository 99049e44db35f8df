"""A small world for requests: a vocabulary, generated tables, and requests over them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any

import duckdb
from hypothesis import strategies as st

from index.store.names import hashed_names
from query.request import (
    And,
    Between,
    Carries,
    Compare,
    Count,
    Everything,
    Exists,
    Has,
    Hit,
    Mentions,
    Not,
    Or,
    Range,
    Request,
    Rows,
    Searched,
    Share,
    SortBy,
    Summary,
    Top,
    Values,
)
from tests.tiny_index import keep_what_is_read, mark_runs, tiny_index

Row = dict[str, Any]

TERMS = {
    # curie: label, rank, parent
    "NCBITaxon:10239": ("Viruses", "superkingdom", None),
    "NCBITaxon:1": ("Alphaviridae", "family", "NCBITaxon:10239"),
    "NCBITaxon:2": ("Alphagenus", "genus", "NCBITaxon:1"),
    "NCBITaxon:3": ("Alpha virus one", "species", "NCBITaxon:2"),
    "NCBITaxon:4": ("Alpha virus two", "species", "NCBITaxon:2"),
    "NCBITaxon:5": ("Betaviridae", "family", "NCBITaxon:10239"),
    "NCBITaxon:6": ("Beta virus one", "species", "NCBITaxon:5"),
    "NCBITaxon:20": ("Testmammalia", "class", None),
    "NCBITaxon:21": ("Testprimates", "order", "NCBITaxon:20"),
    "NCBITaxon:22": ("Homo testus", "species", "NCBITaxon:21"),
    "NCBITaxon:23": ("Testchiroptera", "order", "NCBITaxon:20"),
    "NCBITaxon:24": ("Myotis testus", "species", "NCBITaxon:23"),
    "NCBITaxon:25": ("Aedes testus", "species", None),
    "BTO:1": ("test respiratory system", None, None),
    "BTO:2": ("test lung", None, "BTO:1"),
    "BTO:3": ("test liver", None, None),
    "BTO:4": ("Test-1 cell line", None, None),
}
VIRUSES = {
    # curie: name, species, genus, family, genome, hosts recorded, risk group
    "NCBITaxon:3": ("Alpha one", "Alpha virus one", "Alphagenus", "Alphaviridae", "ssRNA(+)",
                    "plants", "RG2"),
    "NCBITaxon:4": ("Alpha two", "Alpha virus two", "Alphagenus", "Alphaviridae", "ssRNA(+)",
                    "plants; vertebrates", None),
    "NCBITaxon:6": ("Beta one", "Beta virus one", None, "Betaviridae", "dsDNA-RT",
                    "vertebrates", "RG4"),
    "NCBITaxon:5": ("Betaviridae", None, None, "Betaviridae", "DNA", None, None),
}  # fmt: skip
HOSTS = ("NCBITaxon:22", "NCBITaxon:24", "NCBITaxon:25")
TISSUES = ("BTO:2", "BTO:3", "BTO:4")
SOURCES = ("palm", "nt")
SEARCHES = ("first", "second")
FACET_OF = {"host": HOSTS, "tissue": TISSUES}
TEXTS = {"S1": ("Bats of caves", "zika and dengue"), "S2": (None, "zika"), "S3": (None, None)}


@dataclass
class World:
    """Generated rows of an index, by table."""

    run: list[Row] = field(default_factory=list)
    detection: list[Row] = field(default_factory=list)
    searched: list[Row] = field(default_factory=list)
    source_scope: list[Row] = field(default_factory=list)
    annotation: list[Row] = field(default_factory=list)
    run_attribute: list[Row] = field(default_factory=list)
    place: list[Row] = field(default_factory=list)
    stat_hit: list[Row] = field(default_factory=list)
    community_member: list[Row] = field(default_factory=list)
    run_plausibility: list[Row] = field(default_factory=list)
    study_design: list[Row] = field(default_factory=list)


DESIGNS = ("cell culture", "surveillance")
PLAUSIBILITIES = ("recorded", "unexpected")


def label_of(curie: str) -> str:
    """Return the label of a term of the world."""
    return TERMS[curie][0]


def ancestors(curie: str) -> list[str]:
    """Return ``curie`` and the terms above it."""
    above: list[str] = []
    at: str | None = curie
    while at is not None:
        above.append(at)
        at = TERMS[at][2]
    return above


def world_index() -> duckdb.DuckDBPyConnection:
    """Return an index with the vocabulary of the world and no runs."""
    con = tiny_index()
    for curie, (label, rank, parent) in TERMS.items():
        ontology = curie.partition(":")[0]
        term = [curie, label, ontology, rank]
        con.execute("INSERT INTO term (curie, label, ontology, rank, obsolete) "
                    "VALUES (?, ?, ?, ?, false)", term)  # fmt: skip
        for distance, above in enumerate(ancestors(curie)):
            con.execute("INSERT INTO closure VALUES (?, ?, ?)", [curie, above, distance])
        del parent
    con.register("hashed", hashed_names(con))
    con.execute("INSERT INTO name SELECT * FROM hashed")
    for curie, (name, species, genus, family, genome, hosts, risk) in VIRUSES.items():
        con.execute("INSERT INTO virus (virus, name, species, genus, family, genome, "
                    "hosts_recorded) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    [curie, name, species, genus, family, genome, hosts])  # fmt: skip
        if risk:
            con.execute("INSERT INTO virus_risk (virus, risk_group) VALUES (?, ?)", [curie, risk])
    for community, level in (("C0-a", 0), ("C0-b", 0), ("C1-a", 1)):
        con.execute("INSERT INTO community (community, level, runs, entities) VALUES (?, ?, 0, 0)",
                    [community, level])  # fmt: skip
    for study, (title, abstract) in TEXTS.items():
        con.execute("INSERT INTO study VALUES (?, ?, ?)", [study, title, abstract])
    mark_runs(con)
    return con


def fill(con: duckdb.DuckDBPyConnection, world: World) -> None:
    """Replace the rows of ``con`` by those of ``world``."""
    for table, rows in vars(world).items():
        con.execute(f"DELETE FROM {table}")
        for columns in {tuple(row): None for row in rows}:
            cells = [[*row.values()] for row in rows if tuple(row) == columns]
            marks = ", ".join(f"({', '.join('?' * len(columns))})" for _ in cells)
            insert = f"INSERT INTO {table} ({', '.join(columns)}) VALUES {marks}"
            con.execute(insert, [cell for row in cells for cell in row])
    mark_runs(con)
    keep_what_is_read(con)


# --- tables ---------------------------------------------------------------------------------------

_RUNS = ("R1", "R2", "R3", "R4", "R5")


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Return a strategy for the rows of a small index."""
    world = _first_rows()
    runs = _RUNS[: draw(st.integers(1, len(_RUNS)))]
    for run in runs:
        world.run.append({
            "run": run,
            "biosample": draw(st.sampled_from([None, "B1", "B2"])),
            "study": draw(st.sampled_from([None, "S1", "S2", "S3"])),
            "bioproject": draw(st.sampled_from([None, None, "P1"])),
            "release_date": draw(st.sampled_from(
                [None, date(2017, 12, 31), date(2018, 6, 1), date(2019, 1, 1)])),
            "spots": draw(st.sampled_from([None, 10, 20])),
        })  # fmt: skip
    some = st.sampled_from((*runs, "Z1"))
    for key in draw(st.sets(st.tuples(some, st.sampled_from(["u1", "u2", "u3"]),
                                      st.sampled_from(SOURCES)), max_size=7)):  # fmt: skip
        world.detection.append(_detection(draw, *key))
    for run, source in draw(st.sets(st.tuples(some, st.sampled_from(SOURCES)), max_size=6)):
        if run != "Z1":
            search = draw(st.sampled_from(SEARCHES))
            world.searched.append({"run": run, "source": source, "search": search})
    taxa = st.sampled_from(["NCBITaxon:1", "NCBITaxon:2", "NCBITaxon:3", "NCBITaxon:6"])
    for source, search, virus in draw(st.sets(
        st.tuples(st.sampled_from(SOURCES), st.sampled_from(SEARCHES), taxa), max_size=4
    )):  # fmt: skip
        world.source_scope.append({"source": source, "search": search, "virus": virus,
                                   "below": draw(st.booleans())})  # fmt: skip
    facets = [(facet, curie) for facet, curies in FACET_OF.items() for curie in curies]
    for run, (facet, curie) in draw(st.sets(st.tuples(some, st.sampled_from(facets)), max_size=8)):
        world.annotation.append(_annotation(run, facet, label_of(curie), curie))
    places = ("Chad", "Peru", "Peru: Lima")
    for run, place in draw(st.sets(st.tuples(some, st.sampled_from(places)), max_size=4)):
        world.annotation.append(_annotation(run, "geography", place, None))
    for run, age in draw(st.sets(st.tuples(some, st.sampled_from(["5", "9", "old", "NA"])),
                                 max_size=4)):  # fmt: skip
        world.run_attribute.append({"run": run, "attribute": "host_age", "value": age})
    for run, community in draw(st.sets(
        st.tuples(some, st.sampled_from(["C0-a", "C0-b", "C1-a"])), max_size=5
    )):  # fmt: skip
        world.community_member.append({"community": community, "entity": run})
    cellular = [curie for curie in TERMS if curie.startswith("NCBITaxon:2")]
    for run, curie in draw(st.sets(st.tuples(some, st.sampled_from(cellular)), max_size=6)):
        share = draw(st.sampled_from([0.1, 0.3, 0.6]))
        world.stat_hit.append({"run": run, "curie": curie, "share": share})
    for run, virus in draw(st.sets(st.tuples(some, st.sampled_from([*VIRUSES])), max_size=6)):
        judged = draw(st.sampled_from(PLAUSIBILITIES))
        world.run_plausibility.append({"run": run, "virus": virus, "plausibility": judged})
    for study in draw(st.sets(st.sampled_from(["S1", "S2", "P1"]))):
        world.study_design.append({"study": study, "design": draw(st.sampled_from(DESIGNS))})
    for sample in draw(st.sets(st.sampled_from(["B1", "B2"]))):
        latitude = draw(st.sampled_from([None, -5.0, 12.5]))
        world.place.append({"biosample": sample, "latitude": latitude})
    return world


def _first_rows() -> World:
    """Return two runs that have every value that requests name."""
    empty = {"biosample": None, "bioproject": None, "release_date": None, "spots": None}
    world = World(
        run=[{"run": "Z1", "study": "S1", **empty}, {"run": "Z2", "study": "S2", **empty}],
        searched=[{"run": "Z1", "source": source, "search": "first"} for source in SOURCES],
        community_member=[{"community": c, "entity": "Z2"} for c in ("C0-a", "C1-a")],
        study_design=[{"study": "S1", "design": design} for design in DESIGNS],
    )
    for place in ("Peru", "Peru: Lima", "Chad"):
        world.annotation.append(_annotation("Z2", "geography", place, None))
    return world


def _detection(draw: st.DrawFn, run: str, sotu: str, source: str) -> Row:
    virus = draw(st.sampled_from([None, *VIRUSES]))
    identity = draw(st.sampled_from([None, 85.0, 90.0, 97.0]))
    row: Row = {"run": run, "sotu": sotu, "source": source, "virus": virus, "identity": identity,
                "reads": draw(st.sampled_from([None, 5, 50])),
                "reported_name": draw(st.sampled_from([None, "Alpha strain X", "odd virus"])),
                "closest": draw(st.sampled_from([None, None, "Alpha virus two"])),
                "species": None, "stated": None, "family": None,
                "taxon": draw(st.sampled_from([virus, "NCBITaxon:1"]))}  # fmt: skip
    if virus is not None:
        name, species, _, family, *_ = VIRUSES[virus]
        supported = species is not None and identity is not None and identity >= 90
        supported = supported and row["closest"] is None
        row["species"] = species if supported else None
        row["stated"] = name if supported else f"{family}-like"
        row["family"] = family
    return row


def _annotation(run: str, facet: str, value: str, curie: str | None) -> Row:
    return {"run": run, "facet": facet, "value": value, "curie": curie, "text": value,
            "attribute": facet, "method": "dictionary", "score": 1.0}  # fmt: skip


# --- requests -------------------------------------------------------------------------------------

TAXA = ("Alphaviridae", "Alphagenus", "Alpha virus one", "Beta virus one", "Betaviridae")
RANGES = st.sampled_from(
    [
        Range(at_least=10),
        Range(above=5),
        Range(at_most=90),
        Range(below=90),
        Range(5, None, None, 60),
    ]
)
NAMED = {
    "host": ("Homo testus", "Testmammalia", "Testchiroptera", "Aedes testus"),
    "tissue": ("test lung", "test respiratory system", "test liver"),
    "place": ("Peru", "Peru: Lima", "Chad"),
    "country": ("Peru", "Chad"),
    "study": ("S1", "S2"),
    "design": DESIGNS,
    "community": ("C0-a", "C1-a"),
}


def made(kind: type, *parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return a strategy for ``kind`` made of ``parts``, in their order."""
    return st.tuples(*parts).map(lambda drawn: kind(*drawn))


def few(values: tuple[Any, ...], least: int = 0) -> st.SearchStrategy[tuple[Any, ...]]:
    """Return a strategy for up to two of ``values``."""
    return st.lists(st.sampled_from(values), min_size=least, max_size=2, unique=True).map(tuple)


@st.composite
def hits(draw: st.DrawFn) -> Hit:
    """Return a strategy for hits."""
    chosen = draw(st.sets(st.sampled_from(
        ["virus", "other_than", "evidence", "named", "identity", "reads", "source", "sotu",
         "reported", "risk", "genome", "infects", "plausibility"]), max_size=3))  # fmt: skip
    parts: Row = {
        "virus": draw(few(TAXA, 1)),
        "other_than": draw(few(TAXA, 1)),
        "evidence": draw(st.sampled_from(["species", "known"])),
        "named": draw(st.booleans()),
        "identity": draw(RANGES),
        "reads": draw(RANGES),
        "source": draw(few(SOURCES, 1)),
        "sotu": draw(few(("u1", "U2", "u9"), 1)),
        "reported": draw(few(("strain", "ODD"), 1)),
        "risk": draw(few(("RG2", "RG4", "unknown"), 1)),
        "genome": draw(few(("RNA", "dsDNA", "DNA", "RT", "ssRNA(+)"), 1)),
        "infects": draw(few(("plants", "vertebrates"), 1)),
        "plausibility": draw(few(PLAUSIBILITIES, 1)),
    }
    return Hit(**{name: parts[name] for name in chosen})


@st.composite
def _has(draw: st.DrawFn) -> Has:
    name = draw(st.sampled_from([*NAMED, "attribute:host age", "biosample"]))
    form = draw(st.sampled_from(["values", "contains", "stated", "exactly", "share"]))
    if form == "share":
        taxon = draw(st.sampled_from(["Testmammalia", "Testchiroptera", "Homo testus"]))
        return Has("k_mers", taxon, share=draw(RANGES))
    if form == "contains":
        return Has(name, contains=draw(st.sampled_from(["test", "p", "5"])))
    if form == "stated" or name not in NAMED:
        return Has(name)
    return Has(name, draw(few(NAMED[name], 1)), below=form == "values")


_BETWEEN = st.one_of(
    made(Between, st.just("released"), st.sampled_from(
        [Range(above="2018"), Range(at_least="2018"), Range(below="2018-06"),
         Range(at_most="2018-06-01"), Range(at_least=2017, at_most=2018)])),
    made(Between, st.sampled_from(["spots", "latitude", "attribute:host_age"]), RANGES),
    made(Between, st.just("year"), st.just(Range(above=2017))),
)  # fmt: skip


def run_sets(depth: int = 2) -> st.SearchStrategy[Any]:
    """Return a strategy for sets of runs, nested to ``depth``."""
    leaf = st.one_of(
        st.just(Everything()),
        made(Carries, hits()),
        made(Carries, hits()),
        _has(),
        _BETWEEN,
        made(Searched, few(SOURCES)),
        made(Mentions, few(("zika", "dengue", "bats of", "ika"), 1),
                  st.sampled_from(["text", "title"])),
    )  # fmt: skip
    if depth == 0:
        return leaf
    inner = run_sets(depth - 1)
    pairs = st.tuples(inner, inner).filter(lambda pair: len(set(pair)) == 2)
    return st.one_of(
        leaf,
        pairs.map(_and),
        pairs.map(_or),
        made(Not, inner),
        made(Top, st.sampled_from(["host", "study", "country"]), inner, st.integers(1, 2)),
    )


def _and(pair: tuple[Any, Any]) -> Any:
    return _joined(And, pair)


def _or(pair: tuple[Any, Any]) -> Any:
    return _joined(Or, pair)


def _joined(kind: type, pair: tuple[Any, Any]) -> Any:
    """Return the two sets joined; the first alone where nesting makes them one."""
    try:
        return kind(pair)
    except ValueError:
        return pair[0]


RUN_FIELDS = ("host", "tissue", "country", "place", "study", "biosample", "community", "year",
              "month", "design", "attribute:host_age")  # fmt: skip
HIT_FIELDS = (
    "virus",
    "species",
    "family",
    "genus",
    "stated",
    "sotu",
    "source",
    "risk",
    "plausibility",
)
_OPTIONAL_HITS = st.none() | hits()


@st.composite
def values_measures(draw: st.DrawFn) -> Values:
    """Return a strategy for lists of values."""
    by = draw(few(RUN_FIELDS + HIT_FIELDS, 1))
    more: Row = {}
    kind = draw(st.sampled_from(["count", "count", "unit", "detection", "share", "summary"]))
    if kind == "unit":
        unit = draw(st.sampled_from([f for f in (*RUN_FIELDS, *HIT_FIELDS) if f not in by]))
        more["each"] = Count(unit)
    elif kind == "detection":
        more["each"] = Count("detection")
    elif kind == "share":
        more["each"] = Share(draw(run_sets(0)))
    elif kind == "summary":
        more["each"] = Summary(draw(st.sampled_from(["identity", "reads", "spots"])))
    if "community" in by and draw(st.booleans()):
        more["level"] = draw(st.integers(0, 1))
    elif {"host", "virus"} & set(by) and draw(st.booleans()):
        more["level"] = draw(st.sampled_from(["order", "family", "species"]))
    if by == ("host",) and draw(st.booleans()):
        more[draw(st.sampled_from(["under", "other_than"]))] = draw(few(NAMED["host"], 1))
    if by == ("virus",) and draw(st.booleans()):
        more[draw(st.sampled_from(["under", "other_than"]))] = draw(few(TAXA, 1))
    if draw(st.booleans()):
        more[draw(st.sampled_from(["absent_in", "found_in"]))] = draw(run_sets(0))
    return Values(
        by,
        hits=draw(_OPTIONAL_HITS),
        order=draw(st.sampled_from(["most", "fewest", "value"])),
        limit=draw(st.sampled_from([None, 1, 2])),
        at_least=draw(st.sampled_from([None, 1, 2])),
        **more,
    )


@st.composite
def rows_measures(draw: st.DrawFn) -> Rows:
    """Return a strategy for lists of runs and hits."""
    columns = draw(st.lists(st.sampled_from(
        ["run", "host", "tissue", "study", "released", "spots", "identity", "virus", "stated"]),
        min_size=1, max_size=3, unique=True))  # fmt: skip
    order = draw(st.none() | made(SortBy, st.sampled_from(columns), st.booleans()))
    return Rows(tuple(columns), draw(_OPTIONAL_HITS), order, draw(st.sampled_from([1, 3, 100])))


_UNITS = st.sampled_from(["run", "detection", "biosample", "study", "host", "species", "virus"])
_COUNTS = made(Count, _UNITS, _OPTIONAL_HITS)
_SHARES = made(Share, run_sets(1))
_SUMMARIES = made(
    Summary, st.sampled_from(["identity", "reads", "spots", "latitude"]), _OPTIONAL_HITS
)


@st.composite
def _compares(draw: st.DrawFn) -> Compare:
    sides = draw(st.lists(run_sets(0), min_size=2, max_size=3, unique=True))
    return Compare(draw(st.one_of(_COUNTS, _SHARES, _SUMMARIES)), tuple(sides))


def requests() -> st.SearchStrategy[Request]:
    """Return a strategy for requests about sets of runs."""
    measure = st.one_of(
        _COUNTS, st.just(Exists()), _SHARES, _SUMMARIES, values_measures(), values_measures(),
        rows_measures(), _compares(),
    )  # fmt: skip
    return made(Request, measure, run_sets())

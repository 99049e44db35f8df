"""Vectors of viruses in a small world: bats with their viruses, mosquitoes with theirs."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec

import duckdb
import numpy as np
import polars as pl
import pytest
from scipy import sparse

from benchmarks.virus_baselines import BASELINES, random_walks
from benchmarks.virus_judging import (
    hidden_studies,
    hidden_viruses,
    host_pairs,
    judge,
    judge_hosts,
    judge_links,
    judge_studies,
    without_hosts,
    without_pairs,
)
from index.config import VectorConfig
from index.vectors.factors import walk_vectors
from index.vectors.host_odds import calibration_error, fit_odds
from index.vectors.network import network_vectors
from index.vectors.novel import find_novel
from index.vectors.predicted import Learned, learn_vectors
from index.vectors.sightings import Sightings, direct, read_sightings
from ontology_etl.errors import InputError
from tests.tiny_index import tiny_index

HOSTS = 6
VIRUSES = 12
STUDIES = 60
BATS, MOSQUITOES = "NCBITaxon:100", "NCBITaxon:200"
STRAY_VIRUS, STRAY_HOST = "NCBITaxon:1100", "NCBITaxon:201"
"""A virus of bats that one study of a mosquito has."""
RECORDED = ("NCBITaxon:1101", "NCBITaxon:103")


def world(seed: int = 0) -> duckdb.DuckDBPyConnection:
    """Return an index in which each of 60 studies has a run of one host with viruses of its kind:
    three of twelve, of which each host lacks two.
    """
    draw = np.random.default_rng(seed)
    rows: dict[str, list[tuple[str, ...]]] = {
        "term": [], "closure": [], "run": [], "detection": [], "searched": [], "annotation": [],
    }  # fmt: skip
    for side, order in enumerate((BATS, MOSQUITOES)):
        rows["term"].append((order, f"order {side}", "order"))
        rows["closure"].append((order, order, "0"))
        for number in range(1, HOSTS + 1):
            host = f"NCBITaxon:{(side + 1) * 100 + number}"
            rows["term"].append((host, f"host {side}-{number}", "species"))
            rows["closure"] += [(host, host, "0"), (host, order, "1")]
        for number in range(VIRUSES):
            virus, genus = (
                f"NCBITaxon:1{side + 1}{number:02}",
                f"NCBITaxon:2{side + 1}{number // 3}",
            )
            rows["term"].append((virus, f"virus {side}-{number}", "species"))
            rows["closure"] += [(virus, virus, "0"), (virus, genus, "1")]
            if number % 3 == 0:
                rows["term"].append((genus, f"genus {genus}", "genus"))
                rows["closure"].append((genus, genus, "0"))
    for study in range(STUDIES):
        side, number = study % 2, draw.integers(1, HOSTS + 1)
        run = f"R{study:02}"
        rows["run"].append((run, f"S{study:02}", f"B{study:02}"))
        rows["annotation"] += [
            (run, "host", "h", f"NCBITaxon:{(side + 1) * 100 + number}"),
            (run, "tissue", "t", f"BTO:{side * 3 + draw.integers(3)}"),
            (run, "geography", f"country {draw.integers(6)}: town", ""),
        ]
        rows["searched"].append((run, "palm_virome"))
        may = [place for place in range(VIRUSES) if place % HOSTS + 1 != number]
        for place in draw.choice(may, size=3, replace=False):
            rows["detection"].append((run, f"NCBITaxon:1{side + 1}{place:02}"))
    stray = next(run for run, facet, _, curie in rows["annotation"] if curie == STRAY_HOST)
    rows["detection"].append((stray, STRAY_VIRUS))
    heads = {
        "term": "curie | label | rank", "closure": "descendant | ancestor | distance",
        "run": "run | study | biosample", "detection": "run | virus", "searched": "run | source",
        "annotation": "run | facet | value | curie",
    }  # fmt: skip
    rows["term"].append(("BTO:0", "a tissue", ""))
    texts = {
        name: "\n".join([heads[name], *(" | ".join(row) for row in listed)])
        for name, listed in rows.items()
    }
    texts["detection"] = "run | virus | taxon | sotu\n" + "\n".join(
        f"{run} | {virus} | {virus} | u{virus[10:]}" for run, virus in rows["detection"]
    )
    texts["known_host"] = "virus | host | source\n" + " | ".join((*RECORDED, "virion"))
    return tiny_index(**texts)


@pytest.fixture(scope="module")
def sightings() -> Sightings:
    with world() as con:
        return read_sightings(con)


@pytest.fixture(scope="module")
def learned() -> Learned:
    with world() as con:
        return learn_vectors(con, config=VectorConfig())


def is_of_bats(names: pl.Series) -> np.ndarray:
    return names.str.contains(r"^NCBITaxon:1[01]\d").to_numpy()


def test_a_group_has_its_terms_and_those_above(sightings: Sightings) -> None:
    assert len(sightings.virus) == 2 * VIRUSES
    assert sightings.found.shape[0] == STUDIES
    bats = sightings.term.select((pl.col("term") == BATS).arg_true()).item()
    assert sightings.has[:, [bats]].sum() == STUDIES // 2
    assert direct(sightings)[:, [bats]].sum() == 0
    assert sightings.searched().all()


def test_terms_are_the_same_however_many_groups_are_taken_at_once(
    sightings: Sightings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("index.vectors.sightings.AT_ONCE", 3)
    with world() as con:
        in_parts = read_sightings(con)
        places = con.execute(
            "SELECT count(DISTINCT (run, value)) FROM annotation WHERE facet = 'geography'"
        ).fetchall()
    assert in_parts.term.rows() == sightings.term.rows()
    assert np.array_equal(in_parts.has.toarray(), sightings.has.toarray())
    is_place = (in_parts.term["facet"] == "geography").to_numpy()
    assert places == [(in_parts.has[:, is_place].sum(),)]


def test_runs_of_no_study_and_libraries_of_a_virus_are_left_out() -> None:
    with world() as con:
        con.execute("UPDATE run SET study = NULL WHERE run IN ('R00', 'R01')")
        con.execute("UPDATE annotation SET facet = 'virus' WHERE run = 'R02' AND facet = 'tissue'")
        assert read_sightings(con).found.shape[0] == STUDIES - 3


def test_what_is_of_one_kind_is_hidden_together(sightings: Sightings) -> None:
    """A study under two names, and the viruses of a genus."""
    with world() as con:
        con.execute("UPDATE run SET study = NULL, bioproject = 'P' WHERE run = 'R00'")
        con.execute("UPDATE run SET biosample = 'B00' WHERE run = 'R04'")
        twice = read_sightings(con)
        con.execute("UPDATE detection SET sotu = sotu || '-' || run WHERE run < 'R30'")
        leaky = read_sightings(con, virus="sotu", study_of=lambda run: list(range(len(run))))
        ((segments,),) = con.execute("SELECT count(DISTINCT sotu) FROM detection").fetchall()
    assert len(np.unique(twice.study)) == STUDIES - 1
    assert len(np.unique(leaky.study)) == STUDIES
    assert len(leaky.virus) == segments > 2 * VIRUSES
    for seed in range(5):
        hidden = hidden_studies(twice, seed=seed)
        for study in np.unique(twice.study):
            assert len(set(hidden[twice.study == study].tolist())) == 1
        viruses = pl.Series(hidden_viruses(sightings, seed=seed))
        genera = sightings.virus.with_columns(hidden=viruses).group_by("genus")
        assert genera.agg(pl.col("hidden").n_unique())["hidden"].max() == 1


def test_of_hidden_viruses_no_host_is_left_and_all_else_is(sightings: Sightings) -> None:
    hidden = hidden_viruses(sightings, seed=1)
    bare = without_hosts(sightings, hidden)
    together = (bare.found.T @ bare.has).toarray()
    before = (sightings.found.T @ sightings.has).toarray()
    is_host = (sightings.term["facet"] == "host").to_numpy()
    assert hidden.any()
    assert not together[np.ix_(hidden, is_host)].any()
    assert (together[:, ~is_host] == before[:, ~is_host]).all()
    assert (together[~hidden] == before[~hidden]).all()


@pytest.mark.parametrize("name", [name for name in BASELINES if name != "taxonomy"])
def test_every_score_finds_viruses_of_hidden_studies(sightings: Sightings, name: str) -> None:
    hidden = hidden_studies(sightings, seed=0)
    score = BASELINES[name](sightings.of_groups(~hidden))
    verdict = judge_studies(score, sightings, hidden, seed=0)
    assert verdict.positives > 20
    assert verdict.auc > 0.75


def test_hosts_of_hidden_pairs_are_found_and_recorded_ones_are_no_negatives(
    sightings: Sightings,
) -> None:
    found, searched = host_pairs(sightings)
    pairs = found & (np.random.default_rng(0).random(found.shape) < 0.2)
    bare = without_pairs(sightings, pairs)
    assert pairs.any()
    assert not (host_pairs(bare)[0] & pairs).any()
    score = random_walks(bare)
    assert judge_hosts(score, sightings, pairs, seed=0).auc > 0.75
    recorded = searched[:, sightings.hosts()]
    assert judge_hosts(score, sightings, found, recorded=recorded, seed=0).positives == 0


def test_a_score_of_chance_is_worth_nothing_and_a_perfect_one_all() -> None:
    draw = np.random.default_rng(0)
    positive = draw.random((60, 40)) < 0.2
    every = np.ones_like(positive)
    degree = np.ones(40, dtype=np.float32)
    chance = draw.random(positive.shape).astype(np.float32)
    assert judge(chance, positive, every, degree, seed=0).auc == pytest.approx(0.5, abs=0.05)
    best = judge(positive.astype(np.float32), positive, every, degree, seed=0)
    assert (best.auc, best.ap, best.hits) == (1.0, 1.0, 1.0)
    first = np.array([[True, False, False]])
    scores = np.array([[0.5, 0.9, 0.1]], dtype=np.float32)
    searched = np.array([[True, False, True]])  # what nobody searched is no negative
    assert judge(scores, first, searched, np.ones(3, np.float32), seed=0).auc == 1.0


def test_viruses_of_the_same_hosts_are_near(sightings: Sightings) -> None:
    vectors, _ = walk_vectors(sightings)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    nearness = unit @ unit.T
    first = np.arange(len(unit)) < VIRUSES
    others = nearness[np.ix_(first, ~first)].mean()
    assert nearness[np.ix_(first, first)].mean() > others + 0.2


def test_vectors_have_length_one_and_are_the_same_twice(learned: Learned) -> None:
    vectors = learned.virus_vector["vector"].to_numpy()
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    with world() as con:
        again = learn_vectors(con, config=VectorConfig())
    assert again.virus_vector.equals(learned.virus_vector)
    assert again.predicted_pair.equals(learned.predicted_pair)


def test_no_predicted_pair_is_carried_or_recorded(learned: Learned) -> None:
    predicted = set(learned.predicted_pair.select("virus", "host").iter_rows())
    with world() as con:
        carried = con.execute(
            "SELECT DISTINCT d.virus, a.curie FROM detection d JOIN annotation a USING (run) "
            "WHERE a.facet = 'host'"
        ).fetchall()
    assert predicted
    assert predicted.isdisjoint([*carried, RECORDED])


def test_predicted_hosts_are_of_the_kind_that_a_virus_is_found_in(learned: Learned) -> None:
    best = learned.predicted_pair.sort("score", descending=True).group_by("virus").first()
    of_bats = best["virus"].str.starts_with("NCBITaxon:11").to_numpy()
    assert (is_of_bats(best["host"]) == of_bats).mean() > 0.8


def test_the_pair_that_fits_nothing_fits_least(learned: Learned) -> None:
    least = learned.unlikely_pair.sort("score").row(0, named=True)
    assert (least["virus"], least["host"]) == (STRAY_VIRUS, STRAY_HOST)
    assert least["studies"] == 1


def test_neighbourhoods_hold_viruses_of_the_same_kinds_of_samples(learned: Learned) -> None:
    of_bats = pl.col("virus").str.starts_with("NCBITaxon:11")
    mixed = learned.virus_vector.group_by("neighbourhood").agg(bats=of_bats.mean())
    assert set(mixed["bats"]) == {0.0, 1.0}
    described = learned.virus_neighbourhood
    assert described["viruses"].sum() == len(learned.virus_vector)
    assert described["viruses"].is_sorted(descending=True)
    for row in described.iter_rows(named=True):
        side = 1 - int(mixed.filter(neighbourhood=row["neighbourhood"])["bats"].item())
        assert all(host.startswith(f"host {side}-") for host in row["hosts"].split("; ")[:1])
        assert len(row["members"].split("; ")) == min(5, row["viruses"])


def test_links_hidden_one_by_one_are_found(sightings: Sightings) -> None:
    links = np.zeros(sightings.found.shape, dtype=bool)
    links[::5] = sightings.found.toarray()[::5] > 0
    left = replace(sightings, found=sparse.csr_array(sightings.found.toarray() * ~links))
    verdict = judge_links(random_walks(left), sightings, links, seed=0)
    assert verdict.positives == links.sum()
    assert verdict.auc > 0.7


def test_nothing_is_learned_from_a_handful() -> None:
    learned = learn_vectors(tiny_index(), config=VectorConfig())
    assert len(learned.virus_vector) == len(learned.predicted_pair) == 0
    assert len(learned.virus_neighbourhood) == 0


def test_the_network_says_what_it_needs(sightings: Sightings) -> None:
    if find_spec("jax") is None:
        with pytest.raises(InputError, match="JAX is not installed"):
            network_vectors(sightings, seed=0, steps=4)
        return
    virus, _ = network_vectors(sightings, seed=0, steps=4)
    assert np.isfinite(virus).all()


def test_probabilities_are_shares_found() -> None:
    draw = np.random.default_rng(0)
    scores = draw.normal(size=(80, 60))
    likely = 1 / (1 + np.exp(-(1.5 * scores - 2)))
    searched = np.full(scores.shape, 10.0)
    found = draw.binomial(10, likely).astype(np.float64)
    odds = fit_odds(scores, found, searched)
    assert odds.weights[0] == pytest.approx(1.5, abs=0.1)
    assert odds.error < 0.01
    assert calibration_error(np.full(4, 0.9), np.zeros(4), np.ones(4)) == pytest.approx(0.9)


NOVEL = """
    run | sotu      | virus            | stated       | species   | identity | coverage | family
    R1  | u1        | NCBITaxon:11     | Alpha-like   |           | 60       | 4        | Aviridae
    R2  | u1        | NCBITaxon:11     | Alpha-like   |           | 62       | 9        | Aviridae
    R3  | u2        |                  |              |           |          | 2        |
    R1  | u3        | NCBITaxon:12     | Beta virus   | Beta virus | 95      | 2        | Bviridae
    R1  | NC_001802 | NCBITaxon:12     | Beta-like    |           | 80       |          | Bviridae
    R1  | txid12    | NCBITaxon:12     | reported as  |           |          |          | Bviridae
"""


def test_a_novel_virus_is_far_from_anything_known() -> None:
    con = tiny_index(
        detection=NOVEL,
        run="run | study\nR1 | S1\nR2 | S2\nR3 |",
        annotation="""
            run | facet     | value       | curie
            R1  | host      | bat         | NCBITaxon:9397
            R2  | host      | bat         | NCBITaxon:9397
            R2  | geography | Kenya: coast |
        """,
    )
    known, unnamed = find_novel(con).to_dicts()
    assert known == {
        "sotu": "u1", "identity": 62.0, "nearest": "Alpha-like", "family": "Aviridae",
        "phylum": None, "runs": 2, "studies": 2, "coverage": 9.0, "hosts": "bat",
        "places": "Kenya", "community": None,
    }  # fmt: skip
    assert (unnamed["sotu"], unnamed["studies"], unnamed["nearest"]) == ("u2", 0, None)

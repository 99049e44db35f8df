"""Questions about tests of association, communities and projects, answered from what is stored."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from query.config import QueryConfig
from query.errors import NoEvidenceError
from query.global_search.ask import ask_from_facts
from query.reading.asked.associations import AssociationsAsked
from query.reading.asked.communities import CommunitiesAsked
from query.reading.question import read_question
from tests.query_index import make_index, opened

MORE = """
INSERT INTO association (bioproject, family, attribute, value, curie, num_true, num_false,
    fold_change, test, p_value, q_value, flag, source) VALUES
  ('SYNP1', 'Coronaviridae', 'tissue (BTO)', 'intestine', 'BTO:0000648', 10, 2, 6.1, 'permutation',
   0.0001, 0.004, 'duplicate of tissue=intestine', 'computed'),
  ('SYNP3', 'Coronaviridae', 'tissue', 'lung', NULL, 5, 5, -2.5, 'welch', 0.001, 0.02,
   NULL, 'computed'),
  ('PRJEB99', 'Astroviridae', 'water_temp', '12', NULL, 4, 8, 3.5, 'welch', 0.001, 0.01, NULL,
   'imported'),
  ('PRJEB99', 'Astroviridae', 'depth', '5 m', NULL, 4, 8, 0.2, 'welch', 0.6, 0.8, 'tiny group',
   'imported');
INSERT INTO meta_association (family, attribute, curie, value, projects, projects_agreeing,
    num_true, num_false, effect, ci_low, ci_high, i_squared, p_value, q_value) VALUES
  ('Coronaviridae', 'tissue (BTO)', 'BTO:0000648', 'intestine', 3, 2, 20, 10, 0.4, -0.2, 1.0, 0.25,
   0.1, 0.3);
INSERT INTO detection (run, sotu, stated, family, source)
  VALUES ('SYNR33', 'synthetic', 'Human orthopneumovirus', 'Pneumoviridae', 'serratus');
INSERT INTO build VALUES ('quality.0.modularity', '0.81'),
  ('quality.0.conductance, median', '0.05'), ('stability.other seed.ari', '0.97'),
  ('communities.0.same', '2'), ('communities.1.split', '4');
INSERT INTO relationship VALUES ('a', 'b', 'run-host', 0.5), ('a', 'c', 'run-host', 0.5),
  ('a', 'd', 'run-sotu', 0.9);
INSERT INTO entity VALUES ('a', 'run', 'a'), ('b', 'host', 'b');
UPDATE run SET study = 'SRP900', bioproject = NULL WHERE bioproject = 'SYNP4';
UPDATE report SET rating = 9 WHERE community = 'C1-bat';
INSERT INTO community_risk (community, risk_group, rule) VALUES ('C1-aedes', 'RG3', 'listed');
"""


UNCORRECTED = """
INSERT INTO association (bioproject, family, attribute, value, num_true, num_false, fold_change,
    test, p_value, q_value, flag, source)
VALUES ('SYNP4', 'Pneumoviridae', 'batch', '2', 1, 9, 2.0, 'permutation', 0.2, NULL, 'rare family',
    'computed')
"""


NAMED: tuple[tuple[str, str], ...] = (("C0-gut", "C0-0a1b2c3d"), ("C1-pig", "C1-0a1b2c3e"))
"""Communities that get identifiers as a build gives them."""


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = make_index(tmp_path_factory.mktemp("stored") / "index.duckdb")
    with duckdb.connect(path) as con:
        con.execute(MORE)
        for old, new in NAMED:
            for table in ("community", "community_member", "report", "finding"):
                con.execute(f"UPDATE {table} SET community = ? WHERE community = ?", [new, old])
            con.execute("UPDATE community SET parent = ? WHERE parent = ?", [new, old])
    return path


@pytest.fixture
def con(stored: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with opened(stored) as connection:
        yield connection


def answered(con: duckdb.DuckDBPyConnection, question: str) -> str:
    return ask_from_facts(con, question, config=QueryConfig()).answer


def cells(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()[1:]]


OF_TESTS = """
question                                                    | part       | read
Is there any link between Coronaviridae and sex?            | facets     | sex
Is Coronaviridae tied to intestine?                         | values     | intestine
Which tissues is Coronaviridae significantly higher in?     | direction  | more
Which families are depleted in the lung?                    | direction  | less
virus families enriched or depleted in the lung             | direction  | either
In which projects is Coronaviridae tied to tissue?          | listed     | bioproject
Which families differ between tissues in SYNP1?             | listed     | family
Does any family track water temperature?                    | attributes | water_temp
Combined evidence for Coronaviridae and intestine           | combined   | True
Effects of Coronaviridae when the projects are pooled       | combined   | True
How many associations of Coronaviridae hold?                | counted    | True
What is in PRJEB99?                                         | projects   | PRJEB99
Which metadata fields are significant in SYNP1?             | projects   | SYNP1
Does Bat coronavirus HKU5 correlate with the intestine?     | families   | Coronaviridae
"""


@pytest.mark.parametrize(("question", "part", "read"), cells(OF_TESTS))
def test_which_tests_are_asked_for_is_read(
    con: duckdb.DuckDBPyConnection, question: str, part: str, read: str
) -> None:
    reading = read_question(con, question).reading
    asked = reading.associations
    assert isinstance(asked, AssociationsAsked)
    assert reading.kind == "associate"
    value = getattr(asked, part)
    values = value if isinstance(value, tuple) else (value,)
    assert ", ".join(getattr(one, "label", str(one)) for one in values) == read
    assert not reading.not_understood


OF_RUNS = """
question                                  | kind
How do the viruses of bats differ from those of pigs? | compare
Which viruses are found in the lung?      | list
Which tissues carry Coronaviridae?        | list
Share of bat runs with Coronaviridae      | share
Are SARS-related coronaviruses in bats?   | exists
Which bats tested positive for Coronaviridae? | list
"""


@pytest.mark.parametrize(("question", "kind"), cells(OF_RUNS))
def test_what_is_found_in_runs_is_no_association(
    con: duckdb.DuckDBPyConnection, question: str, kind: str
) -> None:
    reading = read_question(con, question).reading
    assert (reading.kind, reading.associations, reading.communities) == (kind, None, None)


ANSWERS = """
question | holds
Is Coronaviridae linked to intestine? | Yes: 1 of 1 association tested of Coronaviridae with intestine holds
Is Coronaviridae linked to gut? | Yes: 1 of 1 association tested of Coronaviridae with gut holds
Is Coronaviridae linked to intestine at q < 0.05? | Yes: 1 of 1 association tested of Coronaviridae with intestine holds
Is Coronaviridae linked to gut? | Values counted as gut: “intestine”.
Is Coronaviridae linked to gut? | 2 of 3 projects agree in sign, 25% of the variation is between projects, q = 0.3, which does not hold
Is Coronaviridae over-represented in the lung? | No: none of 1 test of Coronaviridae with lung shows more of the family with the value; less is shown by all, and 1 of them hold.
Is Coronaviridae enriched in brain? | This cannot be said: of 3 associations tested for Coronaviridae in 2 projects, none names brain.
Is Astroviridae significantly more abundant in Mammalia? | This cannot be said: of 3 associations tested for Astroviridae in 2 projects, none names Mammalia.
What p-value did Coronaviridae get for the lung? | (p = 0.001, q = 0.02, log2 fold change -2.5, 5 against 5 samples)
How many tests hold?                          | associations tested of the index hold after correction
How many significant tests rest on a tiny group? | No association with the flag tiny group holds after correction: 2 tests
significant associations that are not on a tiny group | without the flag tiny group
list the flagged associations of Coronaviridae | Strongest associations that hold: Coronaviridae with tissue (BTO) = intestine in SYNP1
Any sex differences in virus abundance? | No: no association of any virus family with sex holds after correction: 1 test in 1 project did not.
associations in SYNP1 that survive correction | 2 of 3 associations tested in SYNP1 hold
Do SYNP1 and SYNP3 sit in the same community? | In no community together
Which communities are mostly bats? | Communities mostly of Chiroptera (bats) (12 runs): C1-bat
Which communities hold both kobuvirus and Bat coronavirus HKU5? | but 1 community holds runs of each on the level asked for, else on the coarsest; the rarest of them has most in C0-0a1b2c3d
Which community has the highest share of bats? | Communities of ten runs and more with the largest share of Chiroptera (bats) (12 runs): C1-bat
Is Flaviviridae significantly linked to the lung? | This cannot be said: no association of Flaviviridae is tested in any project.
How many associations of Coronaviridae hold? | In rows of the table association these are 4 of 4; rows that compare the same samples count once here.
What is in PRJEB99? | No run of this index is of PRJEB99: its tests are imported.
Does any family track water temperature? | Each compares samples of one value with the others; no trend is tested.
Does depth correlate with Astroviridae? | No: no association of Astroviridae with “depth” holds after correction: 1 test in 1 project did not.
Is Bat coronavirus HKU5 associated with intestine? | Tests are of whole families: Bat coronavirus HKU5 counts as Coronaviridae.
Do any effects hold when projects are pooled? | No: Combined over projects: Coronaviridae with intestine [tissue (BTO)], Hedges' g +0.40 (95% interval -0.20 to +1.00)
Which families have significant associations in SYNP1? | Of those that hold, 1 has no flag and 1 is flagged, so weaker evidence: batch-like field (1).
Which community is about bats? | Communities nearest to Chiroptera (bats) (12 runs): C1-bat “Coronaviridae in Rhinolophus intestine” (level 1, 12 of its 12 runs, 100%; 100% of all such runs)
Which community has most mosquitoes? | Communities with most runs of Culicidae (mosquitoes) (6 runs): C0-rest
Largest top-level communities | Largest communities of level 0: C0-0a1b2c3d “Gut viruses of bats and pigs” (20 runs); C0-rest
two smallest communities at the finest level | Smallest communities of level 1, 2 of 4: C1-aedes
How many communities are there? | level 0: 2 communities, 0 of a single run, 2 with a report; level 1: 4 communities, 0 of a single run, 4 with a report
What are the parts of C0-0a1b2c3d? | C0-0a1b2c3d has 2 parts: C1-bat “Coronaviridae in Rhinolophus intestine” (12 runs); C1-0a1b2c3e
parent of C1-0a1b2c3e | C1-0a1b2c3e is part of C0-0a1b2c3d “Gut viruses of bats and pigs” (level 0, 20 runs).
Which communities are rated best? | C1-bat “Coronaviridae in Rhinolophus intestine” (9, 12 runs)
What is the risk group of C0-0a1b2c3d? | Risk group, the highest of any virus or organism in it: C0-0a1b2c3d
Which communities are of risk group 3? | 1 community is of RG3, 1 with a report; the coarsest and largest: C1-aedes
What modularity do the communities have? | level 0 0.81 (median conductance 0.05)
How stable are the communities? | 0.97 with other seed; of single communities none is measured.
Did communities split since the last build? | level 0: 2 the same runs as before; level 1: 4 split off.
How many edges are in the graph? | The graph has 3 edges between 2 nodes. Edges by kind: run-host (2) and run-sotu (1).
Which community holds SYNP2? | It is in C0-0a1b2c3d “Gut viruses of bats and pigs” and C1-0a1b2c3e
Which viruses co-occur with yellow fever virus? | of which 1 run carries another virus with a name. Other viruses in the same runs: Human orthopneumovirus (1 run).
How many top-level communities are there? | level 0: 2 communities, 0 of a single run
What share of the runs is covered by communities with a report? | All other runs are in communities with one.
Which projects have most yellow fever virus? | Studies of runs that state no project: SRP900 (6 runs).
Which study has the highest share of yellow fever virus? | SRP900 (6 of 6, 100%)
SYNP1 was odd. How many runs are in SYNP2? | 8 runs of 36 are SYNP2
"""  # noqa: E501


@pytest.mark.parametrize(("question", "holds"), cells(ANSWERS))
def test_answer_says(con: duckdb.DuckDBPyConnection, question: str, holds: str) -> None:
    assert holds in answered(con, question)


def test_viral_communities_are_what_lives_somewhere(con: duckdb.DuckDBPyConnection) -> None:
    reading = read_question(con, "Tell me about viral communities of bats").reading
    assert reading.communities is None
    asked = read_question(con, "Which communities hold bats?").reading.communities
    assert isinstance(asked, CommunitiesAsked)


def test_communities_that_are_named_are_points_that_a_gate_can_see(
    con: duckdb.DuckDBPyConnection,
) -> None:
    answer = ask_from_facts(con, "Which community is about bats?", config=QueryConfig())
    assert {point.community for point in answer.points} == {"C1-bat", "C0-0a1b2c3d"}


def test_other_words_of_a_question_about_communities_are_refused(
    con: duckdb.DuckDBPyConnection,
) -> None:
    with pytest.raises(NoEvidenceError, match="zorvexian"):
        answered(con, "Which community is about the zorvexian?")


def test_unknown_value_of_a_test_is_refused(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(NoEvidenceError, match="not understood: mammals"):
        answered(con, "Is Astroviridae significantly more abundant in mammals?")


def test_studies_stand_in_only_where_no_project_is_stated(con: duckdb.DuckDBPyConnection) -> None:
    assert "Studies" not in answered(con, "Which projects hold bats?")


def test_the_q_value_asked_for_decides_which_associations_hold(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    def holding(question: str) -> int:
        answer = ask_from_facts(sample_db, question, config=QueryConfig()).answer
        found = re.match(r"([\d,]+) of [\d,]+ associations tested", answer)
        assert found, answer
        return int(found[1].replace(",", ""))

    usual = holding("strongest associations")
    assert holding("associations with q < 0.05") == usual
    strict = holding("associations with q below 0.001")
    assert 0 < strict < usual
    assert holding("associations with q below 0.000001") <= strict


def test_a_test_without_a_q_value_is_none_that_did_not_hold(tmp_path: Path) -> None:
    path = make_index(tmp_path / "index.duckdb")
    with duckdb.connect(path) as con:
        con.execute(UNCORRECTED)
    with opened(path) as con:
        answer = answered(con, "Any significant association of Pneumoviridae with anything?")
    assert "1 test in 1 project did not." in answer
    assert "Without a q value, as too few samples have the family: 1 test." in answer

"""Guess what the columns of a table mean, from what the user says, their cells and headings.

Every column is accounted for: it has a meaning, is an attribute of the sample, or is not read, each
with the reason. Where several columns fit equally well, the user is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final

import polars as pl

from index.sources.layout import LINE_FLAGS, Layout, nearest_of_each
from index.sources.meanings import Meaning, attribute_name, fold_heading, meanings
from index.sources.run_names import run_in_file_name
from index.sources.tabular import read_header, read_table
from ontology_etl.errors import ColumnError
from ontology_etl.missing import is_no_value

ROWS: Final = 1_000
"""Number of rows of a table that are looked at."""
MOST: Final = 0.8
"""Minimum share of a column's stated cells that must fit its meaning."""
SOME: Final = 0.5
"""The share that is enough if the heading says the same."""
VIRAL: Final = r"(?i)vir(?:us|oid|idae|inae|ales|icota)|phage|satellite"
"""A pattern in the names of most viruses."""
_NOT_READ: Final = ("remark", "person")
_CODE: Final = r"^[A-Za-z]{1,8}[-_. /]?\d{1,8}[A-Za-z]?$"
"""A name that a laboratory gives to a tube: BR-001."""
_YEAR: Final = r"(?:19|20)\d\d"
_FEWEST_LETTERS: Final = 6
"""Minimum letters of a heading that may be misspelt; shorter ones are too often another word."""
_ALIKE: Final = 0.93
"""Similarity of a misspelt heading: one letter missing of eight, none replaced (disease stage is
not disease state)."""
_UNCERTAIN_VIRUS: Final = frozenset(
    fold_heading(heading)
    for heading in ("species", "taxon", "taxon name", "name", "tax name", "taxname")
)
"""Headings that may be of a virus or of a host: the cells decide."""
_SPECIMEN: Final = fold_heading("specimen")
"""Heading of what a sample is called or is made of: the cells decide."""
_COUNTS: Final = frozenset(
    fold_heading(heading) for heading in ("reads", "read count", "number of reads", "count")
)
"""Headings that may be of a run or of a virus in it: it depends on whether there is a virus."""
_SHARES: Final = {"identity": "identity_share", "score": "score_share"}
_OF_DETECTIONS: Final = ("virus", "taxid", "family", "sotu", "genome", "contig", "lineage")


@dataclass(frozen=True)
class ColumnReading:
    """What a column means, and why."""

    heading: str
    meaning: str
    why: str


@dataclass(frozen=True)
class OpenQuestion:
    """A question to the user about the meaning or option ``of``, and the columns to choose from."""

    of: str
    text: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class ColumnGuess:
    """The columns of a table by meaning, the columns that are not read, and the open questions.

    ``across`` says that the other columns are runs. ``own_names`` are the names of runs that are
    not accessions, ``linked`` the names that the table links to accessions.
    """

    columns: dict[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    taken: tuple[ColumnReading, ...] = ()
    questions: tuple[OpenQuestion, ...] = ()
    run: str = ""
    across: bool = False
    own_names: frozenset[str] = frozenset()
    linked: frozenset[str] = frozenset()

    @property
    def is_usable(self) -> bool:
        """Return whether the table says something of a run or of a sample."""
        return bool({"run", "biosample"} & set(self.columns) or self.run or self.across)


def guess_columns(path: Path, said: Mapping[str, str]) -> ColumnGuess:
    """Return what the columns of the table at ``path`` mean; ``said`` is meaning -> heading.

    Raises ``ColumnError`` for a heading that the table lacks, and what is wrong with the table.
    """
    header = [name for name in read_header(path) if name]
    for meaning, heading in said.items():
        if heading not in header:
            raise ColumnError(
                path,
                missing=[heading],
                found=header,
                format_name=f"--map {meaning}",
                near=nearest_of_each([heading], header),
            )
    return _Guessing(header, _cells(path, header), dict(said)).guess(path)


def _cells(path: Path, header: list[str]) -> pl.DataFrame:
    """Return the first rows of a table, columns named by their headings; no value is null."""
    rows = read_table(path, Layout("table", ()), also={name: f"cell:{name}" for name in header})
    cells = rows.head(ROWS).drop("row", *LINE_FLAGS)
    plain = cells.rename(lambda name: name.removeprefix("cell:"))
    return plain.select(pl.when(~is_no_value(pl.col(name))).then(pl.col(name)).alias(name)
                        for name in header)  # fmt: skip


class _Guessing:
    """A table whose columns are being guessed; earlier decisions win."""

    def __init__(self, header: list[str], cells: pl.DataFrame, said: dict[str, str]) -> None:
        self.header = header
        self.cells = cells
        self.columns = dict(said)
        self.why = dict.fromkeys(said.values(), "as you said")
        self.questions: list[OpenQuestion] = []
        self.not_read: dict[str, str] = {}

    def guess(self, path: Path) -> ColumnGuess:
        """Return what all columns mean."""
        across = self._runs_across()
        self._by_accessions()
        by_heading = [meaning for meaning in meanings().values() if not meaning.pattern]
        for take in (self._by_heading, self._by_spelling):
            for meaning in by_heading:
                if meaning.name not in self.columns:
                    take(meaning)
        self._viruses_by_cells()
        self._species_of_hosts()
        self._names_by_cells(across)
        self._taxid_of_organism()
        self._reads_of_what()
        self._shares()
        run = self._run(path, across)
        self._drop_what_is_no_attribute(across)
        return ColumnGuess(
            columns=self.columns,
            ignored=tuple(self.not_read),
            taken=tuple(self._taken(across)),
            questions=tuple(self.questions),
            run=run,
            across=bool(across),
            own_names=self._own_names(),
            linked=self._linked(),
        )

    def _stated(self, heading: str) -> pl.Series:
        return self.cells[heading].drop_nulls()

    def _share(self, heading: str, pattern: str) -> float:
        """Return the share of the stated cells of a column that fit ``pattern``."""
        stated = self._stated(heading)
        return float(stated.str.contains(pattern).mean() or 0.0) if len(stated) else 0.0  # type: ignore[arg-type]

    def _numbers(self, heading: str) -> pl.Series:
        plain = self._stated(heading).str.replace_all(r"[%\s]", "")
        grouped = plain.str.replace_all(r"[,.](\d{3})", "$1")
        return grouped.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)

    def _open(self) -> list[str]:
        used = set(self.columns.values()) | set(self.not_read)
        return [heading for heading in self.header if heading not in used]

    def _take(self, meaning: str, heading: str, why: str) -> None:
        self.columns[meaning] = heading
        self.why[heading] = why

    def _runs_across(self) -> list[str]:
        """Return the headings that are runs: a table with a column of counts for each."""
        pattern = rf"{meanings()['run'].pattern[:-1]}\b"
        is_run = pl.Series(self.header).str.contains(pattern)
        found = pl.Series(self.header).filter(is_run).to_list()
        return found if len(found) > 1 else []

    def _by_accessions(self) -> None:
        """Take columns whose cells are accessions, by cells and not by headings."""
        for meaning in meanings().values():
            if not meaning.pattern or meaning.name in self.columns:
                continue
            shares = {column: self._share(column, meaning.pattern) for column in self._open()}
            named = [column for column, share in shares.items()
                     if share >= SOME and fold_heading(column) in meaning.headings]  # fmt: skip
            fitting = named or [column for column, share in shares.items() if share >= MOST]
            if not fitting:
                continue
            if len(fitting) > 1 and len(named) != 1:
                self._ask_which(meaning, fitting)
            self._take(meaning.name, fitting[0], f"its cells are {meaning.name} accessions")

    def _by_heading(self, meaning: Meaning) -> None:
        """Take a column whose heading is one of ``meaning``; ask where there are several."""
        headed = [column for column in self._open() if fold_heading(column) in meaning.headings]
        fitting = [column for column in headed if self._fits(meaning, column)]
        if len(fitting) > 1 and meaning.name not in _NOT_READ:
            self._ask_which(meaning, fitting)
        self._take_first(meaning, dict.fromkeys(fitting, "by its heading"))

    def _by_spelling(self, meaning: Meaning) -> None:
        """Take a column whose heading is one of ``meaning``, misspelt; a day has a year."""
        misspelt = {column: _misspelt(column, meaning.headings) for column in self._open()}
        fitting = [
            column
            for column, heading in misspelt.items()
            if heading and self._fits(meaning, column)
        ]
        if meaning.name == "collection_date":
            fitting = [column for column in fitting if self._share(column, _YEAR) >= SOME]
        self._take_first(
            meaning, {column: f"spelt almost like '{misspelt[column]}'" for column in fitting}
        )

    def _take_first(self, meaning: Meaning, fitting: dict[str, str]) -> None:
        """Take the first of the ``fitting`` columns (heading -> why), but never a useless one."""
        if meaning.name in _NOT_READ:
            self.not_read |= dict.fromkeys(fitting, meaning.what)
        elif fitting:
            self._take(meaning.name, *next(iter(fitting.items())))

    def _ask_which(self, meaning: Meaning, fitting: list[str]) -> None:
        text = f"which column is the {meaning.what}"
        self.questions.append(OpenQuestion(meaning.name, text, tuple(fitting)))

    def _names_by_cells(self, across: list[str]) -> None:
        """Take a column of codes, different in each row, for the names of samples."""
        is_named = {"sample_name", "biosample"} & set(self.columns)
        if is_named or across or set(_OF_DETECTIONS) & set(self.columns) or len(self.cells) < 2:
            return
        each_row = [
            column for column in self._open() if len(self._stated(column)) == len(self.cells)
        ]
        unique = [column for column in each_row if self.cells[column].n_unique() == len(self.cells)]
        codes = [column for column in unique if self._share(column, _CODE) >= MOST]
        if codes:
            self._take("sample_name", codes[0], "its cells are codes, another in each row")

    def _fits(self, meaning: Meaning, heading: str) -> bool:
        """Return whether the cells of a column may have ``meaning``."""
        if self._stated(heading).is_empty():
            return False
        if meaning.unit or meaning.name.endswith("taxid"):
            numbers = self._numbers(heading)
            return float(numbers.is_not_null().mean()) >= MOST  # type: ignore[arg-type]
        if meaning.name == "nearest":
            return self._share(heading, VIRAL) < SOME
        if fold_heading(heading) == _SPECIMEN:
            is_code = self._share(heading, _CODE) >= MOST
            return is_code == (meaning.name == "sample_name")
        if meaning.name == "virus" and fold_heading(heading) in _UNCERTAIN_VIRUS:
            return self._share(heading, VIRAL) >= SOME
        return True

    def _viruses_by_cells(self) -> None:
        if {"virus", "lineage"} & set(self.columns):
            return
        viral = [column for column in self._open() if self._share(column, VIRAL) >= MOST]
        if viral:
            self._take("virus", viral[0], "its cells are names of viruses")

    def _species_of_hosts(self) -> None:
        """Use a column of species as the host, unless they are viruses."""
        if {"host", "organism"} & set(self.columns):
            return
        species = [column for column in self._open() if fold_heading(column) == "species"]
        if species:
            self._take("host", species[0], "its cells are species, not viruses")

    def _taxid_of_organism(self) -> None:
        """Use a taxid as that of the organism if the table names no virus."""
        has_virus = {"virus", "reads", "identity", "identity_share"} & set(self.columns)
        if "taxid" in self.columns and "organism" in self.columns and not has_virus:
            self._take("organism_taxid", self.columns.pop("taxid"), "it is beside the organism")

    def _reads_of_what(self) -> None:
        """Use a count of reads as the virus's if there is a virus, else as the run's."""
        has_virus = {*_OF_DETECTIONS, "hits_of"} & set(self.columns)
        heading = self.columns.get("reads" if not has_virus else "spots", "")
        if fold_heading(heading) not in _COUNTS or {"reads", "spots"} <= set(self.columns):
            return
        if has_virus:
            self._take("reads", self.columns.pop("spots"), "it counts reads beside a virus")
        else:
            why = "it counts reads, and none is of a virus"
            self._take("spots", self.columns.pop("reads"), why)

    def _shares(self) -> None:
        """Take percentages of at most 1 for shares."""
        for meaning, share in _SHARES.items():
            heading = self.columns.get(meaning)
            if heading is None:
                continue
            most = self._numbers(heading).max()
            if isinstance(most, float) and most <= 1:
                del self.columns[meaning]
                self._take(share, heading, "by its heading, from 0 to 1")

    def _run(self, path: Path, across: list[str]) -> str:
        """Return the run of all rows where the file is named after it; else settle its column."""
        if "run" in self.columns or across:
            return ""
        in_name = run_in_file_name(path)
        if in_name is not None:
            return in_name
        own = self.columns.get("sample_name")
        is_of_samples = "biosample" in self.columns
        if own is not None and not is_of_samples:
            del self.columns["sample_name"]
            self._take("run", own, "no column has accessions, and this names samples")
        if own is None and not is_of_samples:
            unique = [column for column in self._open() if self.cells[column].n_unique() > 1]
            text = "which column names the run or library"
            self.questions.append(OpenQuestion("run", text, tuple(unique)))
        return ""

    def _drop_what_is_no_attribute(self, across: list[str]) -> None:
        """Leave out empty columns, and columns that vary within a sample."""
        key = self.columns.get("biosample") or self.columns.get("run")
        for heading in self._open():
            if heading in across:
                continue
            if self._stated(heading).is_empty():
                self.not_read[heading] = "it is empty"
            elif across:
                self.not_read[heading] = "it is of a row, and rows are of several runs"
            elif self._differs_within(key, heading):
                self.not_read[heading] = "it differs within a sample"

    def _differs_within(self, key: str | None, heading: str) -> bool:
        if key is None or not set(_OF_DETECTIONS) & set(self.columns):
            return False
        values = self.cells.group_by(key).agg(pl.col(heading).n_unique())
        return bool((values[heading] > 1).any())

    def _taken(self, across: list[str]) -> list[ColumnReading]:
        meaning_of = {heading: meaning for meaning, heading in self.columns.items()}
        rows = []
        for heading in self.header:
            if heading in meaning_of:
                rows.append(ColumnReading(heading, meaning_of[heading], self.why[heading]))
            elif heading in self.not_read:
                rows.append(ColumnReading(heading, "", self.not_read[heading]))
            elif heading in across:
                rows.append(ColumnReading(heading, "counts of a run", "its heading is a run"))
            else:
                name = f"attribute '{attribute_name(heading)}'"
                rows.append(ColumnReading(heading, name, "no other meaning is known"))
        return rows

    def _own_names(self) -> frozenset[str]:
        """Return the names of runs that are not accessions."""
        if "run" not in self.columns:
            return frozenset()
        stated = self._stated(self.columns["run"])
        own = stated.filter(~stated.str.contains(meanings()["run"].pattern))
        return frozenset(map(attribute_name, own))

    def _linked(self) -> frozenset[str]:
        """Return the names that the table links to accessions of runs."""
        heading = self.columns.get("sample_name")
        if not heading or "run" not in self.columns or self._own_names():
            return frozenset()
        return frozenset(map(attribute_name, self._stated(heading)))


def _misspelt(heading: str, known: frozenset[str]) -> str | None:
    """Return the heading of ``known`` from which ``heading`` differs by a letter or their order.

    >>> known = frozenset(["hostspecies", "diseasestate"])
    >>> [_misspelt(text, known) for text in ("Hots species", "Host_specis", "disease stage")]
    ['hostspecies', 'hostspecies', None]
    """
    folded = fold_heading(heading)
    if len(folded) < _FEWEST_LETTERS:
        return None
    for candidate in sorted(known):
        compared = SequenceMatcher(None, folded, candidate)
        if compared.real_quick_ratio() < _ALIKE:
            continue
        if compared.ratio() >= _ALIKE or sorted(folded) == sorted(candidate):
            return candidate
    return None

"""Hostile metadata: whatever submitters write has no effect beyond being quoted."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from markdown_it import MarkdownIt
from rich.console import Console
from rich.markdown import Markdown

from index.claims.phrases import in_quotes, plain_markdown
from index.records import CONTRACTS, Records
from index.reports.citations import find_spans
from index.sources.cleaning import clean_records, clean_text
from index.sources.inputs import read_input
from index.sources.manifest import Input
from query.words import printable
from tests.hostile_texts import TEXTS

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def cleaned(texts: list[str]) -> list[str]:
    frame = pl.select(clean_text(pl.Series("text", texts)))
    return [text.strip() for text in frame.to_series().to_list()]


CLEAN = cleaned(list(TEXTS))


def test_there_are_enough_of_them_in_several_scripts() -> None:
    assert len(set(TEXTS)) >= 80
    scripts = {
        unicodedata.name(one, "?").split()[0] for text in TEXTS for one in text if one.isalpha()
    }
    assert {"LATIN", "CYRILLIC", "CJK", "ARABIC", "HEBREW", "DEVANAGARI", "FULLWIDTH"} <= scripts


def is_harmful(text: str) -> bool:
    hidden = any(unicodedata.category(one) in ("Cc", "Cf", "Zl", "Zp") for one in text)
    cites = find_spans(text) or find_spans(in_quotes(text))
    return bool(CONTROL.search(text) or hidden or cites)


def test_read_text_has_no_control_character_and_cites_nothing() -> None:
    assert [text for text in CLEAN if is_harmful(text)] == []


def test_cleaning_changes_nothing_else() -> None:
    plain = ["lung", "β-catenin (α)", "S. cerevisiae 'x'", "日本", "naïve", "a [b] {c}", "5' UTR"]
    assert cleaned(plain) == plain
    assert cleaned(CLEAN) == CLEAN


def hostile_records(name: str) -> Records:
    """Return records whose table ``name`` has the hostile texts in every column of text."""
    schema = CONTRACTS[name]
    columns = {}
    for column, spec in schema.columns().items():
        is_text = spec.dtype == pl.String
        free = is_text and getattr(spec, "regex", None) is None
        columns[column] = list(TEXTS) if free else [_OTHER[is_text]] * len(TEXTS)
    types = {column: spec.dtype for column, spec in schema.columns().items()}
    frame = pl.DataFrame(columns, strict=False).cast(types)
    return replace(Records(), **{name: frame})


_OTHER = {True: "NCBITaxon:9606", False: 1}
"""What stands where no free text can: a CURIE, since the contract refuses all else, or a number."""


@pytest.mark.parametrize("name", sorted(CONTRACTS))
def test_every_field_of_every_table_is_cleaned_and_counted(name: str) -> None:
    records = clean_records(hostile_records(name), "file.tsv")
    table = getattr(records, name)
    for column in table.select(pl.col(pl.String)).columns:
        held = table[column].drop_nulls().to_list()
        assert held
        assert not any(CONTROL.search(text) for text in held)
    ((source, cells),) = records.cleaned.rows()
    assert source == "file.tsv"
    assert cells > 20


def test_readers_clean_what_they_read(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("biosample\tattribute\tvalue\nSAMN00000001\ttissue\tli\u200bver \x1b[2J\n")
    records = read_input(Input(path=path, format="biosample_attributes"))
    assert records.biosample_attribute["value"].to_list() == ["liver"]
    assert records.cleaned.rows() == [("a.tsv", 1)]


def on_terminal(text: str) -> str:
    console = Console(force_terminal=True, width=200, color_system=None, record=True)
    with console.capture() as shown:
        console.print(Markdown(plain_markdown(printable(f"- titled {text}")), hyperlinks=False))
    return shown.get()


def test_a_terminal_gets_no_command_and_no_link() -> None:
    command = re.compile(r"\x1b\]|\x1b\[[0-9;]*[HJ]|\x07")
    assert [text for text in TEXTS if command.search(on_terminal(text))] == []


def test_markdown_holds_no_link_image_tag_or_code_of_the_data() -> None:
    render = MarkdownIt("commonmark").render
    pages = {text: render(plain_markdown(f"It is titled {in_quotes(text)}.")) for text in CLEAN}
    assert [text for text, html in pages.items() if re.search(r"<(?!/?p>)", html)] == []

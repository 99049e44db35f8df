"""Days as people write them: ISO, spreadsheets, names of months.

``01/02/2020`` is two days, and ``2020-01`` none: such cells are left empty and counted.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from index.sources.rejection import Rule
from ontology_etl.missing import NO_VALUE

MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun",
                 "jul", "aug", "sep", "oct", "nov", "dec")  # fmt: skip
_YEAR_FIRST: Final = r"^(?<y>\d{4})(?:[-/.](?<m>\d{1,2})[-/.](?<d>\d{1,2}))(?:\D.*)?$"
_DIGITS: Final = r"^(?<y>(?:19|20)\d{2})(?<m>\d{2})(?<d>\d{2})(?:T.*)?$"
_DOTTED: Final = r"^(?<d>\d{1,2})\.(?<m>\d{1,2})\.(?<y>\d{4})(?:\D.*)?$"
_NUMBERS: Final = r"^(?<a>\d{1,2})[-/](?<b>\d{1,2})[-/](?<y>\d{4})(?:\D.*)?$"
_DAY_MONTH: Final = r"^(?<d>\d{1,2})[- /.]+(?<m>[a-z]{3})[a-z]*\.?[-, /]+(?<y>\d{4})(?:\D.*)?$"
_MONTH_DAY: Final = r"^(?<m>[a-z]{3})[a-z]*\.?[- /]+(?<d>\d{1,2}),?[- /]+(?<y>\d{4})(?:\D.*)?$"


def day(column: str) -> pl.Expr:
    """Return the date in ``column``; null where it is not one day.

    >>> dates = ["2019/3/5 17:42", "2017-06-10T00:00:00Z", "02-Jan-2020", "Jan 2, 2020", "20200102",
    ...          "13/02/2020", "2.1.2020", "2020-01", "01/02/2020"]
    >>> pl.DataFrame({"when": dates}).select(day("when").dt.to_string())["when"].to_list()
    ... # doctest: +NORMALIZE_WHITESPACE
    ['2019-03-05', '2017-06-10', '2020-01-02', '2020-01-02', '2020-01-02', '2020-02-13',
     '2020-01-02', None, None]
    """
    text = pl.col(column).str.to_lowercase().str.strip_chars()
    found = [_date(text, pattern) for pattern in (_YEAR_FIRST, _DIGITS, _DOTTED)]
    found += [_named_month(text, pattern) for pattern in (_DAY_MONTH, _MONTH_DAY)]
    return pl.coalesce(*found, _either_order(text)).alias(column)


def unread_day(column: str) -> Rule:
    """Return the rule that counts cells of ``column`` that say something and are not one day."""
    silent = pl.col(column).str.to_lowercase().str.strip_chars().is_in(NO_VALUE)
    unread = pl.col(column).is_not_null() & day(column).is_null() & ~silent
    return Rule(f"{column} is not one day, left empty", unread, shows=column, only_cell=True)


def _date(text: pl.Expr, pattern: str) -> pl.Expr:
    parts = text.str.extract_groups(pattern).struct
    return _of(parts.field("y"), parts.field("m"), parts.field("d"))


def _named_month(text: pl.Expr, pattern: str) -> pl.Expr:
    parts = text.str.extract_groups(pattern).struct
    numbers = {name: str(number) for number, name in enumerate(MONTHS, start=1)}
    month = parts.field("m").replace_strict(numbers, default=None, return_dtype=pl.String)
    return _of(parts.field("y"), month, parts.field("d"))


def _either_order(text: pl.Expr) -> pl.Expr:
    """Return the date of two numbers and a year where one order alone is a date."""
    parts = text.str.extract_groups(_NUMBERS).struct
    first, second, year = parts.field("a"), parts.field("b"), parts.field("y")
    day_first, month_first = _of(year, second, first), _of(year, first, second)
    is_settled = day_first.is_null() | month_first.is_null() | (day_first == month_first)
    return pl.when(is_settled).then(pl.coalesce(day_first, month_first))


def _of(year: pl.Expr, month: pl.Expr, day_of_month: pl.Expr) -> pl.Expr:
    written = pl.concat_str(year, month.str.zfill(2), day_of_month.str.zfill(2), separator="-")
    return written.str.to_date("%Y-%m-%d", strict=False)

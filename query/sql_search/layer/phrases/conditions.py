"""Conditions that single words say: searched, risk group 4, since 2018."""

from __future__ import annotations

import re

from query.sql_search.layer.lexicon import TableToken
from query.sql_search.layer.request import NotUnderstoodError, TableCondition


def state_of(token: TableToken | None) -> TableCondition:
    """Return the condition that runs are searched, or have a virus or none."""
    kinds = {"virus+": "virus", "virus-": "no virus", "searched": "searched"}
    return TableCondition(kinds[token.kind if token else ""])  # type: ignore[arg-type]


def risk_of(text: str) -> TableCondition:
    """Return the condition on the risk group of a virus that ``text`` says."""
    groups = tuple(f"RG{one}" for one in re.findall("[1-4]", text))
    return TableCondition("risk", names=groups)


def years_of(text: str) -> list[TableCondition]:
    """Return the bounds on the year that ``text`` says: 2015 to 2020, since 2018.

    >>> [(one.sign, one.number) for one in years_of("since 2018")]
    [('>=', 2018.0)]
    """
    years = [float(one) for one in re.findall(r"(?:19|20)\d\d", text)]
    if len(years) > 1 and " or " in text and years[1] - years[0] != 1:
        raise NotUnderstoodError(text)
    if len(years) > 1:
        return [TableCondition("bound", field="year", sign=">=", number=years[0]),
                TableCondition("bound", field="year", sign="<=", number=years[1])]  # fmt: skip
    sign = "="
    if re.search(r"since|from|starting|onward|later| on$", text):
        sign = ">="
    elif re.search(r"after", text):
        sign = ">"
    elif re.search(r"before", text):
        sign = "<"
    elif re.search(r"until|up to|earlier", text):
        sign = "<="
    return [TableCondition("bound", field="year", sign=sign, number=years[0])]

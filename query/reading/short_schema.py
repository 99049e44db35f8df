"""What a request may say, short enough to read once; ``explain`` has the whole schema.

The fields and tables come from the registries of ``query.request``, which checks every request.
"""

from __future__ import annotations

from typing import Any, Final

from query.request.fields import fields_of
from query.request.records import TABLES

Schema = dict[str, Any]

_TEXTS: Final[Schema] = {"type": ["array", "string"], "items": {"type": "string"}}


def _range(description: str) -> Schema:
    return {"type": "object", "description": description}


_RANGE: Final = "{at_least|above, at_most|below}"

HIT: Final[Schema] = {
    "type": "object",
    "description": "a virus detected in a run; all conditions are on one detection; {} is any hit",
    "properties": {
        "virus": {
            **_TEXTS,
            "description": "any of these taxa, or below: names, abbreviations, kinds "
            "(herpesvirus), CURIEs",
        },
        "other_than": {**_TEXTS, "description": "taxa that the virus is not"},
        "evidence": {
            "enum": ["any", "species", "known", "reported"],
            "description": "any (default); species: identity >= 90 %; known: has an identity; "
            "reported: only the source's word",
        },
        "named": {"type": "boolean", "description": "named to genus or lower, or not"},
        "identity": _range(f"percent, {_RANGE}"),
        "reads": _range(_RANGE),
        "score": _range(f"Serratus score, {_RANGE}"),
        "coverage": _range(_RANGE),
        "source": {**_TEXTS, "description": "searches that found it"},
        "sotu": {**_TEXTS, "description": "codes: u741"},
        "reported": {**_TEXTS, "description": "name or strain in the source's words"},
        "risk": {"type": ["array", "string"], "description": "RG1, RG2, RG3, RG4, unknown"},
        "genome": {"type": ["array", "string"], "description": "RNA, DNA, ssRNA(+), RT, …"},
        "plausibility": {
            **_TEXTS,
            "description": "how expected in the host of the run: recorded, new within class, "
            "unexpected, resident, library, unknown",
        },
        "infects": {**_TEXTS, "description": "recorded hosts of the virus: plants, Mammalia"},
    },
}

RUN_SET: Final[Schema] = {
    "type": ["object", "null"],
    "description": (
        "The runs it is asked of; null: all. By type: "
        "has {field, values} states one of the values or a term below it (values empty: stated at "
        "all; contains: part of the text; below: false: that term only) · carries {hit} · "
        "between {field, range} year, released, collected, latitude, spots, bases · "
        "searched {virus, source} a source looked for it · mentions {words, where} title and "
        "abstract of the study · top {field, of, n} · and, or {of: [sets]} · "
        "not {of: set} known not to be: searched without a hit, or another value stated"
    ),
    "properties": {
        "type": {
            "enum": ["has", "carries", "between", "searched", "mentions", "top", "and", "or",
                     "not", "everything"],
        },
        "field": {
            "type": "string",
            "description": f"{', '.join(fields_of('run'))}, or attribute:NAME as submitted",
        },
        "values": _TEXTS,
        "contains": {"type": "string"},
        "below": {"type": "boolean"},
        "hit": {"type": "object", "description": "as measure.hits"},
        "range": _range(f"{_RANGE}: numbers or dates (2018, 2018-05); above 2018 starts in 2019"),
        "virus": _TEXTS,
        "source": _TEXTS,
        "words": _TEXTS,
        "where": {"enum": ["text", "title"]},
        "n": {"type": "integer"},
        "of": {"type": ["array", "object"], "description": "set or sets"},
    },
    "required": ["type"],
}  # fmt: skip

MEASURE: Final[Schema] = {
    "type": "object",
    "description": (
        "What is asked. By type: "
        "count {unit, hits} runs of the set; with hits how many of them have such a hit; unit "
        "detection, or a field whose distinct values are counted · "
        "exists {} yes, no, never searched · "
        "share {part: run set} percent of the set · "
        "values {by, hits, each, under, other_than, level, absent_in, found_in, order, limit, "
        "at_least} each value of one or two fields with its runs; each: {type: count, unit: host} "
        "ranks by hosts, "
        "{type: share, part}, {type: summary, number} · "
        "rows {columns, hits, order, limit} one row a run, or a hit · "
        "summary {number, hits} n, min, median, mean, max · "
        "compare {measure: count, share, summary or values, sides: [run sets]} · "
        "evidence {hit} names, sources, identities · "
        "records {table, where: [{column, values | range | contains}], by, columns, order, count}"
    ),
    "properties": {
        "type": {
            "enum": ["count", "exists", "share", "values", "rows", "summary", "compare",
                     "evidence", "records"],
        },
        "hits": HIT,
        "unit": {"type": "string", "description": "run (default), detection, biosample, study, …"},
        "by": {
            **_TEXTS,
            "description": "fields of runs, or of hits: "
            f"{', '.join(fields_of('hit', number=False))}. virus: the taxon of a hit, family or "
            "phylum where no more is known; stated: what the evidence supports, or reported as",
        },
        "each": {"type": "object"},
        "part": {"type": "object"},
        "under": {**_TEXTS, "description": "only values at or below these: Mammalia, cancer"},
        "other_than": _TEXTS,
        "level": {
            "type": ["string", "integer"],
            "description": "roll hosts and viruses up to a rank (species, genus, family, order …); "
            "level of communities",
        },
        "absent_in": {"type": "object", "description": "run set: values that no run of it has"},
        "found_in": {"type": "object", "description": "run set: values that a run of it has, too"},
        "order": {
            "type": ["string", "object"],
            "description": "values: most, fewest, value; rows: {by: column, descending}",
        },
        "limit": {"type": "integer", "description": "top n; ties are shown"},
        "at_least": {"type": "number"},
        "columns": {**_TEXTS, "description": "run and fields"},
        "number": {"enum": fields_of(number=True)},
        "measure": {"type": "object"},
        "sides": {"type": "array", "items": {"type": "object"}},
        "hit": {"type": "object"},
        "table": {"enum": [*TABLES]},
        "where": {"type": "array", "items": {"type": "object"}},
        "count": {"type": "boolean"},
    },
    "required": ["type"],
}  # fmt: skip

"""Values that say a sample is of something healthy: one list, for grounding and for questions.

The ontology of diseases has no term for health. Spellings were reviewed on the attribute values of
30,000 public samples; they are folded: lower case, one space between words.
"""

from __future__ import annotations

from typing import Final

OF_HEALTHY: Final = (
    "healthy", "health", "normal", "normal healthy", "apparently healthy", "healthy control",
    "healthy controls", "healthy control subject", "control", "controls", "uninfected",
    "uninfected control", "non infected", "noninfected", "not infected", "no infection",
    "unaffected", "non diseased", "nondiseased", "not diseased", "no disease", "disease free",
    "no known disease", "no diagnosis", "normal control", "healthy donor", "healthy volunteer",
    "healthy subject", "healthy individual", "non disease", "asymptomatic", "none",
)  # fmt: skip
"""Whole values, of attributes that state a disease or health (``OF_HEALTH``)."""
OF_HEALTH: Final = "disease|health|diagnos|clinical|(subject|patient|affection).status"
"""Pattern of names of attributes that state a disease or health, in lower case."""


def healthy_sql(*, attribute: str, value: str) -> str:
    """Return a DuckDB condition that holds where ``value`` says that a sample is healthy.

    ``attribute`` and ``value`` are columns, as submitted.

    >>> healthy_sql(attribute="a", value="v")[:72]
    "regexp_matches(lower(a), 'disease|health|diagnos|clinical|(subject|patie"
    """
    listed = ", ".join(f"'{spelling}'" for spelling in OF_HEALTHY)
    folded = f"trim(regexp_replace(lower({value}), '[^a-z0-9]+', ' ', 'g'))"
    return f"regexp_matches(lower({attribute}), '{OF_HEALTH}')\nAND {folded} IN ({listed})"

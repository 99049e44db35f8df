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
"""Whole values, of attributes that state a disease or health."""

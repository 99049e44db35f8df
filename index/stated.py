"""Words that tables store and sentences explain: statements about a virus, flags of tests.

``index.annotation.identity`` writes ``detection.stated`` for a detected virus that is not plainly
"this species"; everything that reads it asks here. Loads nothing, so that a command line can read
it at once.
"""

from __future__ import annotations

from typing import Final

VIRAL: Final = ("species", "family")
"""Facets of facts whose values are viruses as stated."""
REPORTED: Final = "reported as "
"""Precedes the name that a source gives if the identity to that virus is not known."""
LIKE: Final = "-like"
"""Follows the genus or family of a hit that is too unlike its species."""
CLOSEST: Final = " reads closest to "
"""Between the genus and the species of a hit whose reads are explained by a congener in the run."""
EXPLAINED: Final = 20
"""With so many times its reads, a congener in the run explains the reads of a hit."""
COVERAGE_BASED: Final = "coverage-based abundance"
"""Flag of an association whose source has no read counts: contig coverage is used instead."""
KMER_BASED: Final = "k-mer shares"
"""Flag of an association that compares k-mers of a taxon per million in place of reads: where one
share rises, others fall.
"""


def names_no_species(stated: str) -> bool:
    """Return whether ``stated`` says only what a virus resembles.

    >>> [names_no_species(text) for text in ("Zika virus", "Rotavirus-like", "reported as X virus")]
    [False, True, False]
    >>> names_no_species("Orthopoxvirus reads closest to Variola virus")
    True
    """
    return stated.endswith(LIKE) or CLOSEST in stated

"""How the statement about a detected virus is worded if it is not plainly "this species".

``index.annotation.identity`` writes ``detection.stated``; everything that reads it asks here. Loads
nothing, so that a command line can read it at once.
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


def names_no_species(stated: str) -> bool:
    """Return whether ``stated`` says only what a virus resembles.

    >>> [names_no_species(text) for text in ("Zika virus", "Rotavirus-like", "reported as X virus")]
    [False, True, False]
    >>> names_no_species("Orthopoxvirus reads closest to Variola virus")
    True
    """
    return stated.endswith(LIKE) or CLOSEST in stated

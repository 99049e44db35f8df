"""How the statement about a detected virus is worded when it is less than "it is this species".

``index.annotation.identity`` writes ``detection.stated``; everything that reads it asks here. Loads
nothing, so that a command line can read it at once.
"""

from __future__ import annotations

from typing import Final

VIRAL: Final = ("species", "family")
"""Facets of facts whose values are viruses as stated."""
REPORTED: Final = "reported as "
"""Begins the name that a source gives, where the identity to that virus is not known."""
LIKE: Final = "-like"
"""Ends the genus or family of a hit that is too unlike its species."""
CLOSEST: Final = " reads closest to "
"""Between the genus and the species of a hit whose reads a congener in the run explains."""
EXPLAINED: Final = 20
"""Times as many reads of a congener in the run from which on they explain the reads of a hit."""


def names_no_species(stated: str) -> bool:
    """Return whether ``stated`` says only what a virus resembles.

    >>> [names_no_species(text) for text in ("Zika virus", "Rotavirus-like", "reported as X virus")]
    [False, True, False]
    >>> names_no_species("Orthopoxvirus reads closest to Variola virus")
    True
    """
    return stated.endswith(LIKE) or CLOSEST in stated

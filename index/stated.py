"""How the statement about a detected virus is worded when it is less than "it is this species".

``index.annotation.identity`` writes ``detection.stated``; everything that reads it asks here. Loads
nothing, so that a command line can read it at once.
"""

from __future__ import annotations

from typing import Final

REPORTED: Final = "reported as "
"""Begins the name that a source gives, where the identity to that virus is not known."""
LIKE: Final = "-like"
"""Ends the genus or family of a hit that is too unlike its species."""
CLOSEST: Final = " reads closest to "
"""Between the genus and the species of a hit whose reads a congener in the run explains."""


def names_no_species(stated: str) -> bool:
    """Return whether ``stated`` says only what a virus resembles.

    >>> [names_no_species(text) for text in ("Zika virus", "Rotavirus-like", "reported as X virus")]
    [False, True, False]
    >>> names_no_species("Orthopoxvirus reads closest to Variola virus")
    True
    """
    return stated.endswith(LIKE) or CLOSEST in stated


def is_hedged(stated: str) -> bool:
    """Return whether ``stated`` says less than that the virus is a species."""
    return stated.startswith(REPORTED) or names_no_species(stated)


def genus_of(stated: str) -> str | None:
    """Return the genus of a virus that is stated to be like those of a genus; None for others.

    >>> genus_of("Orthopoxvirus reads closest to Variola virus"), genus_of("Parechovirus-like")
    ('Orthopoxvirus', 'Parechovirus')
    >>> genus_of("Picornaviridae-like"), genus_of("Zika virus")
    (None, None)
    """
    genus, closest, _ = stated.partition(CLOSEST)
    if closest:
        return genus
    stem = stated.removesuffix(LIKE)
    return None if stem == stated or stem.endswith("viridae") else stem

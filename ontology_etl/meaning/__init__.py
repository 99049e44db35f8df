"""What the names found in a text mean: case, ambiguity, denial, roles, and what is said twice."""

"""What the names found in a text mean: case, denial, health, roles, and what is said twice."""

"""Questions answered from what surrounds their names in the graph: triples with counts, p and q."""
